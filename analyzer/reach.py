"""Which ids come to nothing: those that no layer meets, and those with which the program raises.

An id that is captured by none fails alone in most programs, as they cannot do with an empty list. What it does beside one that is captured
tells the two apart.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .evaluation import Target
from .results import Evaluation, Location, Missed

MOST_BESIDE = 6
"""Ids that are tried beside another one."""


def beside(target: Target, rows: Sequence[Evaluation]) -> tuple[Evaluation, ...]:
    """Each id with which the program raises where it stands alone, with one in the middle of the stack that is captured."""
    singles = [row for row in rows if row.ids is not None and len(row.ids) == 1]
    middle = next((row for row in singles if row.ids == (target.num_layers // 2,) and is_captured(row)), None)
    raising = [row for row in singles if row.error is not None and not row.refused]
    if middle is None or middle.ids is None:
        return ()
    return tuple(target.evaluate(tuple(sorted((*row.ids, *middle.ids)))) for row in raising[:MOST_BESIDE] if row.ids is not None)


def is_captured(row: Evaluation) -> bool:
    return row.status == "established" and row.error is None and len(row.captured or ()) == 1


def missed(target: Target, row: Evaluation) -> Missed | None:
    """The ids of this list that are not captured; None where all are, or where that is not known."""
    ids = tuple(dict.fromkeys(row.ids or ()))
    if row.status != "established" or not ids or (row.error is None and len(row.captured or ()) >= len(ids)):
        return None
    found = {k: fate(target, row, k) for k in ids}
    unreached = tuple(k for k in ids if found[k] == "unreached")
    raising = tuple(k for k in ids if found[k] == "raises")
    if row.error is None and len(unreached) != len(ids) - len(row.captured or ()):
        return None  # the list as a whole decides it
    helpful = target.evaluate((target.num_layers // 2,)) if row.error is not None else row
    return Missed(unreached, raising, row.error, helpful.loops, next(tested_at((row, helpful)), None))


def fate(target: Target, row: Evaluation, k: int) -> str:
    """What becomes of one id of a list: ``unreached`` where the list without it captures as much, or where it adds nothing to one that is
    captured; ``raises`` where the program does so with it alone."""
    rest = tuple(other for other in row.ids or () if other != k)
    without = target.evaluate(rest) if rest and row.error is None else None
    if without is not None and without.status == "established" and without.error is None:
        return "unreached" if without.captured == row.captured else "captured"
    for other in dict.fromkeys((*rest, target.num_layers // 2)):
        alone = target.evaluate((other,))
        if other != k and is_captured(alone):
            both = target.evaluate(tuple(j for j in (*(row.ids or ()), other) if j in (k, other)))
            return fate_beside(alone, both)
    return "open"


def fate_beside(alone: Evaluation, both: Evaluation) -> str:
    if both.status != "established":
        return "open"
    if both.error is not None:
        return "raises"
    return "unreached" if both.captured == alone.captured else "captured"


def tested_at(rows: Iterable[Evaluation]) -> Iterator[Location]:
    """Where a number is looked for in the list."""
    for row in rows:
        yield from (step.at for step in row.path if step.label == "tested")
