"""Answers that hang on conditions, told with as few of them as there can be."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TypeAlias

from .outcome import Outcome

Answered: TypeAlias = "tuple[dict[str, bool], Outcome]"
"""The answers to the conditions that had to be decided, and what came of it."""
ABSENT = re.compile(r"(hasattr\((.+), '(\w+)'\))")
"""The condition that an attribute is there: the object, and its name."""
MAX_ANSWERS = 4
"""Answers of one evaluation that are told apart by conditions."""


def simplest(outcomes: list[Answered]) -> list[Answered]:
    """The outcomes without the conditions on which none of them hangs: where the other answer to one comes to the same, it goes."""
    rows = [(dict(decided), outcome) for decided, outcome in outcomes]
    for key in dict.fromkeys(key for decided, _ in rows for key in decided):
        without = [({name: answer for name, answer in decided.items() if name != key}, outcome) for decided, outcome in rows]
        if not contradict(without):
            rows = without
    while True:
        found = next(((place, key) for place, (decided, _) in enumerate(rows) for key in decided if is_idle(rows, place, key)), None)
        if found is None:
            break
        place, key = found
        decided, outcome = rows[place]
        rows[place] = ({name: answer for name, answer in decided.items() if name != key}, outcome)
    kept = {(frozenset(decided.items()), outcome.result): (decided, outcome) for decided, outcome in reversed(rows)}
    return without_absence(list(reversed(kept.values())))


def without_absence(rows: list[Answered]) -> list[Answered]:
    """The outcomes without those of an attribute that is not there where it comes to the same as if it were false, and without saying of
    one that has a value that it is there."""
    names = {found[1]: f"{found[2]}.{found[3]}" for decided, _ in rows for key in decided if (found := ABSENT.fullmatch(key)) is not None}
    values = {value: there for there, value in names.items()}

    def said(decided: dict[str, bool], key: str) -> bool:
        """Whether it says something: not that what has a value is there, nor the value of what is not."""
        return not (decided[key] and names.get(key) in decided) and decided.get(values.get(key, ""), True)

    told = [({k: v for k, v in decided.items() if said(decided, k)}, outcome) for decided, outcome in rows]
    known = {(frozenset(decided.items()), outcome.result) for decided, outcome in told}

    def is_false(decided: dict[str, bool], outcome: Outcome) -> bool:
        absent = [key for key, answer in decided.items() if key in names and not answer]
        as_false = ({**{k: v for k, v in decided.items() if k != key}, names[key]: False} for key in absent)
        return any((frozenset(each.items()), outcome.result) in known for each in as_false)

    kept = {(frozenset(decided.items()), outcome.result): (decided, outcome) for decided, outcome in told if not is_false(decided, outcome)}
    return list(kept.values())


def contradict(rows: list[Answered]) -> bool:
    """Whether two different outcomes may be meant by the same answers."""
    return any(
        one.result != other.result and all(given.get(key, held) == held for key, held in decided.items())
        for (given, one), (decided, other) in combinations(rows, 2)
    )


def is_idle(rows: list[Answered], place: int, key: str) -> bool:
    """Whether a row's outcome stays as it is if this condition has the other answer."""
    decided, outcome = rows[place]
    same = [other for other, each in rows if each.result == outcome.result]
    return covered({**decided, key: not decided[key]}, same, tuple(dict.fromkeys(name for each in same for name in each)))


def covered(given: dict[str, bool], rows: list[dict[str, bool]], keys: tuple[str, ...]) -> bool:
    """Whether one of the rows holds whatever else is answered."""
    if any(row.items() <= given.items() for row in rows):
        return True
    still = next((key for key in keys if key not in given), None)
    return still is not None and all(covered({**given, still: answer}, rows, keys) for answer in (True, False))
