"""Serving against training: what a target class feeds to a given draft, and what that draft was trained on."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .agreement import agreement, is_whole
from .configs import Config
from .evaluation import Program, Target
from .reach import missed
from .results import Comparison, Evaluation, Location, Side, Status, Width
from .serving import Served, ServedIds
from .target import ConfigFacts
from .wiring import Found

SHIFTS = (0, 1, -1)
"""How far the ids of a dialect lie from the layers whose output they mean."""


def compare(
    program: Program, found: Sequence[Found], config: ConfigFacts, layers: int | None, draft: Config, trained: Side | None, served: Served,
    weights: Width | None = None,
) -> Iterator[Comparison]:  # fmt: skip
    """One comparison for each target class. Which of them serves the draft is for the target's config to say."""
    if layers is None or not found:
        reason = "no target class serves it" if layers is not None else "which target serves the draft is not known: give --target"
        place = Location(draft.path_printed, 1)
        side = Side(None, None, "not established", reason, place, place)
        known = (config.hidden_size(), None, draft.path_printed, layers)
        yield Comparison(program.flow.name, "the target", side, trained, *known, weights=weights)
        return
    for one in found:
        target = Target(program, one.cls, one.setter, layers, config)
        given = served(program, one, draft, config)
        side = served_side(target, given, one)
        of_draft = (draft.path_printed, layers, given.default, given.widths, weights, given.overlaid, given.staged)
        compared = Comparison(program.flow.name, one.cls.name, side, trained, config.hidden_size(), None, *of_draft)
        if trained is not None and trained.points is not None and agreement(compared) == "other":
            compared = replace(compared, suggested=ids_for(target, trained.points))
        yield compared


def served_side(target: Target, given: ServedIds, one: Found) -> Side:
    """The points that the target captures with the ids that reach its setter."""
    if given.status != "established":
        return Side(None, given.ids, given.status, given.reason, given.reason_at, given.entry, (), given.path)
    evaluation = target.evaluate(given.ids)
    lost = missed(target, evaluation)
    node = one.function.node
    setter = Location(target.program.printed(one.function.module.path), node.lineno if node is not None else 1)
    path = (*given.path, *evaluation.path)
    points = evaluation.captured if evaluation.status == "established" else at_import(evaluation)
    if points is not None and evaluation.error is None:
        named = {assumption.name: assumption for assumption in (*given.assumptions, *evaluation.assumptions)}
        used = tuple(named[name] for name in sorted(named))
        return Side(points, given.ids, "established", None, None, given.entry, used, path, evaluation.overwritten, lost)
    reason, place = why_not(evaluation)
    status: Status = "depends" if evaluation.status == "depends" else "not established"
    return Side(None, given.ids, status, reason, place or setter, given.entry, evaluation.assumptions, path, missed=lost)


def at_import(evaluation: Evaluation) -> tuple[str, ...] | None:
    """What is captured as long as variables of modules have the values of import, where nothing else decides what is lost."""
    switches = {lost.unless.text for lost in evaluation.overwritten if lost.unless is not None}
    if not all(condition.text in switches for each in evaluation.depends_on for condition in each.conditions):
        return None
    return next((each.captured for each in evaluation.depends_on if not any(condition.value for condition in each.conditions)), None)


def why_not(evaluation: Evaluation) -> tuple[str, Location | None]:
    """Why an evaluation names no points."""
    if evaluation.error is not None:
        return f"the engine raises {evaluation.error}", None
    if evaluation.status == "depends":
        conditions = {condition.text: condition.at for each in evaluation.depends_on for condition in each.conditions}
        return f"it depends on {', '.join(conditions)}", next(iter(conditions.values()), None)
    return evaluation.reason or "no reason given", evaluation.reason_at


# ------------------------------------------------------------------ inverting


def ids_for(target: Target, wanted: tuple[str, ...]) -> tuple[int, ...] | None:
    """Ids with which the target captures these points in this order, proved by evaluating them; None where none are found.

    A point with a stage names no one tensor, so that nothing is proved of the ids that capture one.
    """
    if not all(map(is_whole, wanted)):
        return None
    for shift in SHIFTS:
        ids = [layer_of(point, shift) for point in wanted]
        if None not in ids and captures(target, tuple(k for k in ids if k is not None), wanted):
            return tuple(k for k in ids if k is not None)
    singles = [single_id(target, point) for point in wanted]
    known = tuple(k for k in singles if k is not None)
    return known if len(known) == len(wanted) and captures(target, known, wanted) else None


def layer_of(point: str, shift: int) -> int | None:
    """The id of a point in a dialect; None where no dialect has one."""
    number = -1 if point == "embed" else int(point.removeprefix("out:")) if point.removeprefix("out:").isdigit() else None
    return None if number is None else number + shift


def single_id(target: Target, point: str) -> int | None:
    """The id that captures this point when it stands alone."""
    near = (k for shift in SHIFTS if (k := layer_of(point, shift)) is not None)
    return next((k for k in near if captures(target, (k,), (point,))), None)


def captures(target: Target, ids: tuple[int, ...], wanted: tuple[str, ...]) -> bool:
    evaluation = target.evaluate(ids)
    return evaluation.status == "established" and evaluation.error is None and evaluation.captured == wanted
