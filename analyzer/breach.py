"""The shortest path that breaks a contract: from where the ids come from to the place at which what is served parts from what was trained.
Of the hops between them those that make other numbers of the ids; those that hand a value on are left out."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .agreement import agree, difference, misfits, paired, stage_of
from .fates import error_parts
from .results import Comparison, Location, Side, Step
from .rule import Finding, Hop

_NUMBERS = re.compile(r"-?\d+|\[-?\d+(?:, -?\d+)*\]")
_TENSOR = re.compile(r"a tensor of \d+ parts up to layer (?P<layer>-?\d+)")
"""How a step tells what is captured: the words of ``values.Content``."""


def breach(comparison: Comparison, errors: Sequence[Finding] = ()) -> tuple[Hop, ...]:
    """The path that breaks a contract by this comparison, else by the first of the errors that are found about its draft."""
    served = comparison.served
    changes = transforms(served)
    kept = keeps(served)
    needed = (*served.path[:1], *(step for step in changes if step is not served.path[0]), *([] if changes or kept is None else [kept]))
    return (*(Hop(_told(step), step.at) for step in needed), *_end(comparison, errors))


def parting(comparison: Comparison) -> Location | None:
    """Where what is served parts from what was trained: at the entry of the config where the ids differ, else at the first hop at which
    the engine makes other numbers of them, or where it keeps them as they are; of the same points in another order, or at another stage,
    where the first of them is taken. None where it is not proved that they differ."""
    served, trained = comparison.served, comparison.trained
    found = difference(comparison)
    if found is None or trained is None:
        return None
    if found != "point":
        return next((hop.at for hop in _first_other(comparison)), served.at)
    step = next(iter(transforms(served)), keeps(served))
    same = trained.ids is not None and served.ids == trained.ids
    return (step.at if same and step is not None else None) or served.at or trained.at


def taken_by(step: Step) -> str | None:
    """The point that a hop takes, without its stage; None where it takes none."""
    found = _TENSOR.fullmatch(step.before)
    return None if found is None else "embed" if found["layer"] == "-1" else f"out:{found['layer']}"


def transforms(served: Side) -> tuple[Step, ...]:
    """The hops that make other numbers of the ids."""
    pairs = ((step, _NUMBERS.fullmatch(step.before), _NUMBERS.fullmatch(step.after)) for step in served.path)
    return tuple(step for step, before, after in pairs if before and after and step.before != step.after)


def keeps(served: Side) -> Step | None:
    """The hop that keeps the numbers in the target, the last one where there are several."""
    return next((step for step in reversed(served.path) if step.label.endswith(" =")), None)


def _told(step: Step) -> str:
    """A hop in few words. What an attribute keeps is told once; of an entry of a config ``label`` says only that it is one."""
    if step.label == "key":
        return f"{step.before}: {step.after}"
    if step.label.endswith(" ="):
        return f"{step.label} {step.after}"
    return f"{step.label}: {step.before} -> {step.after}"


def _end(comparison: Comparison, errors: Sequence[Finding]) -> Iterator[Hop]:
    """Where what is served parts from what was trained."""
    served = comparison.served
    if difference(comparison) is not None:
        yield from _first_other(comparison)
    elif wrong := misfits(comparison):
        fed = f"{len(served.points or ())} states of {comparison.hidden_size} are served"
        yield from (Hop(f"fc takes {width.features} features ({width.text}), {fed}", width.at) for width in wrong[:1])
    elif served.missed is not None and served.missed.error is not None:
        text, at = error_parts(served.missed.error)
        yield Hop(f"raises {text}", at or served.at or Location("", 1))
    else:
        yield from (Hop(f"{found.code} {found.message}", found.at) for found in errors[:1])


def _first_other(comparison: Comparison) -> Iterator[Hop]:
    """The first state that is another one than was trained: where it is taken, and written to later; or what is not met where it lacks."""
    points, trained = paired(comparison) or ((), ())
    pairs = enumerate(zip(points, trained, strict=False))
    number = next((n for n, pair in pairs if agree(*pair) == "other"), min(len(points), len(trained)))
    instead = f"where {trained[number]} was trained" if number < len(trained) else "where nothing more was trained"
    missed = comparison.served.missed
    if number < len(points):
        taken = (step.at for step in comparison.served.path if taken_by(step) == stage_of(points[number])[0])
        yield from (Hop(f"takes {points[number]} {instead}", at) for at in list(taken)[:1])
        lost = (each for each in comparison.served.overwritten if each.point == points[number])
        yield from (Hop(f"writes to {stage_of(each.point)[0]} in place", at) for each in lost for at in each.written_at[:1])
    elif missed is not None and missed.unreached and (met := missed.tested or next(iter(missed.loops), None)) is not None:
        yield Hop(f"never meets id {missed.unreached[0]}, {instead}", met)
