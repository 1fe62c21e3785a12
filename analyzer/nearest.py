"""What was probably meant by a name that nobody knows."""
from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like it; None where none is much like it."""
    names = {each.lower(): each for each in known}
    found = get_close_matches(name.lower(), names, 1)
    return names[found[0]] if found else None


def hint(name: str, known: Iterable[str]) -> str:
    """A question for the end of a message: ``; did you mean 'target'?``, or nothing."""
    found = nearest(name, known)
    return "" if found is None else f"; did you mean {found!r}?"
