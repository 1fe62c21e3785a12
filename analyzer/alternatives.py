"""Answers that hang on conditions, told with as few of them as there can be."""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from .outcome import Outcome

Answered: TypeAlias = "tuple[dict[str, bool], Outcome]"
"""The answers to the conditions that had to be decided, and what came of it."""
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
    return list(reversed(kept.values()))


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
