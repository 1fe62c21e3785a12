"""Marks are only ever set, so a second call captures the union.

What it finds
    A setter that, called with some ids after it was called with others, leaves a mark of the first call behind, by which the forward
    captures more than the ids say. Both calls and the forward were run; the message has the ids and what is captured.

Why it matters
    Engines call a setter more than once: for a dummy run, before graphs are captured, when weights are loaded anew. The draft is fed
    states of both lists, and the width no longer fits, or fits something else.

Example
    The setter marks ``layer._captures = True`` for each id, and never takes a mark away.

Instead
    Clear the marks of all layers first, or set each to whether its layer is among the ids.

What it cannot see
    State outside of the model. Setters whose runs are not proved.

Sources
    SGLang 0.5.9, models/qwen2_moe.py lines 606 to 609 and models/qwen3_next.py lines 849 to 852, in a release whose graph runner calls the
    setter again.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Location, Marks, Place, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place that sets such a mark, naming the target classes that it hits."""
    hit: dict[Place, list[Wiring]] = {}
    for wiring in analysis.wirings:
        for place in wiring.marks.stale if wiring.marks is not None else ():
            hit.setdefault(place, []).append(wiring)
    for place, wirings in hit.items():
        yield _finding(place, wirings)


def _finding(place: Place, wirings: list[Wiring]) -> Finding:
    first = wirings[0]
    assert first.marks is not None
    models = list(dict.fromkeys(each.model for each in wirings))
    flows = {each.flow for each in wirings}
    ids = ids_text(first.marks.stale_ids)
    points = ", ".join(first.marks.stale_points)
    message = f"{', '.join(models)}: {place.name} is set and never taken back: ids {ids} after others capture {points}"
    path = (Hop(f"{first.model}.{first.setter}", first.at), Hop(f"{place.name} is set", place.at))
    flow, model = (first.flow if len(flows) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, RULE.severity, message, place.at, flow=flow, model=model, path=path, help=_HELP)


_HELP = "set the mark of every layer, to whether it is among the ids"
_MARK = Place("_captures", Location("engine/tulip.py", 44))


def _wiring(model: str, *marks: Place) -> Wiring:
    place = Location("engine/tulip.py", 40)
    left = Marks(("_captures",), (3,), ("out:1", "out:3"), marks) if marks else Marks(("_captures",))
    return Wiring("eagle3", model, place, "set_layers_to_capture", None, (), "established", None, None, (), (), left)


RULE = Rule(
    code="FC210",
    name="stale-state",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "marks that stay",
            example_analysis((_wiring("TulipForCausalLM", _MARK),)),
            ("TulipForCausalLM: _captures is set and never taken back: ids 3 after others capture out:1, out:3",),
        ),
        Example(
            "a setter that two classes share",
            example_analysis((_wiring("Tulip", _MARK), _wiring("Crocus", _MARK))),
            ("Tulip, Crocus: _captures is set and never taken back: ids 3 after others capture out:1, out:3",),
        ),
        Example("marks that are set anew", example_analysis((_wiring("TulipForCausalLM"),))),
    ),
)
