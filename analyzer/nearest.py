"""What was probably meant by a name that nobody knows."""
from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_TOLD = 30
"""Names of which a message tells all, where none is near."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like it; None where none is much like it."""
    names = {each.lower(): each for each in known}
    found = get_close_matches(name.lower(), names, 1)
    return names[found[0]] if found else None


def hint(name: str, known: Iterable[str]) -> str:
    """A question for the end of a message: ``; did you mean 'target'?``, or nothing."""
    found = nearest(name, known)
    return "" if found is None else f"; did you mean {found!r}?"


def told_nearest(name: str, known: Iterable[str]) -> str:
    """What is there instead: the nearest name; all of them where none is near."""
    there = list(dict.fromkeys(known))
    near = nearest(name, there)
    if near is not None:
        return f"the nearest is {near}"
    return f"there are {', '.join(there)}" if 0 < len(there) <= MOST_TOLD else "nothing near is there"
