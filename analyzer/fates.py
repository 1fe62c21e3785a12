"""What becomes of ids that are not captured, read off the evaluations of a wiring."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .agreement import difference
from .convention import edge_name
from .results import Comparison, Evaluation, Location, Step, Wiring

_ERROR = re.compile(r"(?P<text>.*) \((?P<file>[^()]*):(?P<line>\d+)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fate:
    """An id that captures nothing alone: the layers never meet it, or the program raises with it. ``row`` is the evaluation of the id
    alone, ``good`` that of one in the middle of the stack, which is captured."""

    kind: Literal["unreached", "raises"]
    name: str
    row: Evaluation
    good: Evaluation

    @property
    def number(self) -> int:
        return (self.row.ids or (0,))[0]


def fates(wiring: Wiring) -> Iterator[Fate]:
    """The ids of a bare run that are not captured, where others are. What the program itself refuses is none of them, nor what is open."""
    singles = {row.ids[0]: row for row in wiring.evaluated if row.ids is not None and len(row.ids) == 1}
    layers = wiring.evaluated[0].num_layers if wiring.evaluated else 0
    good = singles.get(layers // 2)
    if good is None or not wiring.convention or not captures_one(good):
        return
    for k, row in singles.items():
        kind = fate(wiring, row, good)
        if kind is not None:
            yield Fate(kind, edge_name(k, layers), row, good)


def fate(wiring: Wiring, row: Evaluation, good: Evaluation) -> Literal["unreached", "raises"] | None:
    if row.status != "established" or row.captured or row.refused:
        return None
    if row.error is None:
        return "unreached"
    both = next((each for each in wiring.beside if set(each.ids or ()) == {*(row.ids or ()), *(good.ids or ())}), None)
    if both is None or both.status != "established" or both.refused:
        return None
    if both.error is not None:
        return "raises"
    return "unreached" if both.captured == good.captured else None


def would_serve(comparison: Comparison, says: str) -> bool:
    """Whether a draft is served other points than it was trained on, and would be served those by this convention ("out:k+1"), whether that
    keeps the order of the ids or that of the layers."""
    shift, trained, ids = says.removeprefix("out:k"), comparison.trained, comparison.served.ids
    if difference(comparison) != "point" or trained is None or not ids or not says.startswith("out:k"):
        return False
    if shift and not shift.lstrip("+-").isdigit():
        return False
    depths = [k + int(shift or 0) for k in ids]
    return trained.points in {tuple(map(point_at, order)) for order in (depths, sorted(depths))}


def point_at(depth: int) -> str:
    return "embed" if depth == -1 else f"out:{depth}"


def captures_one(row: Evaluation) -> bool:
    return row.status == "established" and len(row.captured or ()) == 1


def tested_at(row: Evaluation) -> Location | None:
    """Where a number is looked for in the list of those to capture."""
    return next((step.at for step in row.path if step.label == "tested"), None)


def collected_at(row: Evaluation) -> Location | None:
    """Where what is captured is put into a collection, or where the forward did the last thing with an id."""
    return row.path[-1].at if row.path else None


def told(steps: tuple[Step, ...]) -> Iterator[tuple[str, Location]]:
    """Hops as a finding tells them."""
    yield from ((f"{step.label}: {step.before} -> {step.after}", step.at) for step in steps)


def error_parts(error: str) -> tuple[str, Location | None]:
    """The text of an exception, and its place."""
    found = _ERROR.fullmatch(error)
    return (error, None) if found is None else (found["text"], Location(found["file"], int(found["line"])))
