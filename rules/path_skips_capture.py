"""A way through the forward bypasses the capture.

What it finds
    A forward that has more than one way through its layers, of which one hands fewer captured states to the consumer than another does for
    the same ids. Ways that the flow supposes not to run, as that of two overlapping batches, were run for it; others are the
    answers to a condition that is open.

Why it matters
    The draft is fed on one kind of batch and starved on another. Where the shapes decide whether it projects, nothing fails.

Example
    A loop captures before each layer. Where batches overlap, the layers are run by a helper that knows nothing of the ids.

Instead
    Hand the ids, or the list to capture into, down that way too; or refuse the combination when the engine starts.

What it cannot see
    Ways on which what reaches the consumer is not known, as where the layers that are left to a helper are told by a config that is not
    given. A condition on the model's config is info: it makes another model.

Sources
    SGLang 0.5.9, models/qwen2_moe.py line 631 and models/deepseek_v2.py line 2741: where two batches overlap the layers are run by a
    function that is not handed what is captured.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..analyzer.other_ways import Bypass
from ..analyzer.request import ids_text
from ..analyzer.results import Alternative, Analysis, Condition, Evaluation, Location, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


class _Way(NamedTuple):
    """When less is captured, where that is asked, and the other places at which the way turns off."""

    when: str
    at: Location
    severity: Severity
    others: tuple[Location, ...] = ()


class _Hit(NamedTuple):
    wiring: Wiring
    ids: tuple[int, ...] | None
    reached: int
    points: tuple[str, ...]


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each such way, naming the target classes that it hits."""
    hit: dict[_Way, list[_Hit]] = {}
    for wiring in analysis.wirings:
        for way, found in (*_bypassed(wiring), *_conditional(wiring)):
            if all(each.wiring != wiring for each in hit.setdefault(way, [])):
                hit[way].append(found)
    for way, hits in hit.items():
        yield _finding(way, hits)


def _bypassed(wiring: Wiring) -> Iterator[tuple[_Way, _Hit]]:
    for each in wiring.bypasses:
        yield _Way(f"where {each.text}", each.asked[0], RULE.severity, each.asked[1:]), _Hit(wiring, each.ids, each.count, each.points)


def _conditional(wiring: Wiring) -> Iterator[tuple[_Way, _Hit]]:
    """The answers to a condition under which less is captured than under others."""
    for row in wiring.evaluated:
        most = max(row.depends_on, key=lambda each: len(each.captured or ()), default=None)
        for each in row.depends_on:
            if most is None or most.captured is None or each.captured is None or len(each.captured) >= len(most.captured):
                continue
            told = [one for one in each.conditions if all(one != other for other in most.conditions)] or list(each.conditions)
            of_config = all(one.text.lstrip("(").removeprefix("not ").startswith("config.") for one in told)
            severity = Severity.INFO if of_config else RULE.severity
            when = " and ".join(f"{one.text} is {str(one.value).lower()}" for one in told)
            others = tuple(dict.fromkeys(at for one in told for at in (one.branch_at, one.at) if at not in (None, told[0].at)))
            yield _Way(f"where {when}", told[0].at, severity, others), _Hit(wiring, row.ids, len(each.captured), most.captured)


def _finding(way: _Way, hits: list[_Hit]) -> Finding:
    first = hits[0]
    models, flows = list(dict.fromkeys(hit.wiring.model for hit in hits)), {hit.wiring.flow for hit in hits}
    whose = "the default" if first.ids is None else f"ids {ids_text(first.ids)}"
    fewer = "nothing" if not first.reached else f"{first.reached} of {len(first.points)} states"
    verb = "captures" if first.ids is None else "capture"
    message = f"{', '.join(models)}: {way.when} {whose} {verb} {fewer}, and {', '.join(first.points)} otherwise"
    forward = first.wiring.forward
    path = (*((Hop(f"{forward.cls}.forward", forward.at),) if forward is not None else ()), Hop(way.when, way.at))
    path = (*path, *(Hop("the way turns off", at) for at in way.others))
    flow, model = (first.wiring.flow if len(flows) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, way.severity, message, way.at, 1, flow, model, path=path, help=_HELP)


_HELP = "capture on this way too, or refuse the combination when the engine starts"
_ASKED, _PLACE = Location("engine/tulip.py", 71), Location("engine/tulip.py", 40)


def _wiring(model: str, *bypasses: Bypass, rows: tuple[Evaluation, ...] = ()) -> Wiring:
    return Wiring("eagle3", model, _PLACE, "set_layers_to_capture", None, (), "established", None, None, (), rows, bypasses=bypasses)


def _depends(text: str) -> Evaluation:
    answers = (
        Alternative((Condition(text, _ASKED, True),), (), None),
        Alternative((Condition(text, _ASKED, False),), ("out:1",), None),
    )
    return Evaluation((2,), 8, None, None, None, "depends", None, None, (), answers, ())


_OVERLAP = Bypass("overlap", "two batches overlap", (2, 4, 6), ("out:1", "out:3", "out:5"), 0, (_ASKED,))
_SOME = Bypass("overlap", "two batches overlap", (2, 4, 6), ("out:1", "out:3", "out:5"), 1, (_ASKED,))

RULE = Rule(
    code="FC311",
    name="path-skips-capture",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "a helper runs the layers of overlapping batches",
            example_analysis((_wiring("TulipForCausalLM", _OVERLAP),)),
            ("TulipForCausalLM: where two batches overlap ids 2,4,6 capture nothing, and out:1, out:3, out:5 otherwise",),
        ),
        Example(
            "it runs those behind the first",
            example_analysis((_wiring("Tulip", _SOME), _wiring("Crocus", _SOME))),
            ("Tulip, Crocus: where two batches overlap ids 2,4,6 capture 1 of 3 states, and out:1, out:3, out:5 otherwise",),
        ),
        Example(
            "a fused variant for one kind of batch",
            example_analysis((_wiring("TulipForCausalLM", rows=(_depends("batch.is_decode()"),)),)),
            ("TulipForCausalLM: where batch.is_decode() is true ids 2 capture nothing, and out:1 otherwise",),
        ),
        Example("every way captures", example_analysis((_wiring("TulipForCausalLM"),))),
    ),
)
