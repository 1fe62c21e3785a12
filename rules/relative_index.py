"""The loop index is local to a rank or a slice, the ids are global.

What it finds
    A target whose layers are spread over two ranks and whose second rank compares another number with the ids than a single rank does
    for the same layer. Both were run: what an id captures on one rank, and what it captures where a second takes over in the middle.

Why it matters
    ids of the first rank's layers are captured a second time, elsewhere, and those of the second rank's layers are not. The number of
    states may still be right.

Example
    ``for i, layer in enumerate(islice(self.layers, self.start_layer, self.end_layer))`` counts from 0 on every rank.

Instead
    Count from the rank's first layer: ``enumerate(…, start=self.start_layer)``.

What it cannot see
    Models that do not know their first and last layer by attributes that the flow names, and runs on ranks that are not understood.

Sources
    vllm-project/vllm PR #36731 and issue #36151; RBLN-SW/vllm-rbln issue #1007.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.other_ways import Spread, SpreadRun
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, ForwardPlace, Location, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each loop, naming the target classes that walk their layers in it."""
    hit: dict[Location, list[tuple[Wiring, Spread]]] = {}
    for wiring in analysis.wirings:
        spread = wiring.spread
        if spread is not None and spread.is_relative:
            place = spread.early.loop or (wiring.forward.at if wiring.forward is not None else wiring.at)
            hit.setdefault(place, []).append((wiring, spread))
    for place, found in hit.items():
        yield _finding(place, found)


def _finding(place: Location, found: list[tuple[Wiring, Spread]]) -> Finding:
    wiring, spread = found[0]
    models, flows = list(dict.fromkeys(each.model for each, _ in found)), {each.flow for each, _ in found}
    told = ", ".join(_told(run) for run in (spread.early, spread.late))
    where = f"where a second rank starts with layer {spread.start}, {told}"
    message = f"{', '.join(models)}: {where}: its index counts from the rank's first layer"
    path = (Hop(f"{wiring.model}.{wiring.setter}", wiring.at), Hop("the layers are walked", place))
    flow, model = (wiring.flow if len(flows) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, RULE.severity, message, place, 1, flow, model, path=path, help=_HELP)


def _told(run: SpreadRun) -> str:
    return f"id {ids_text(run.ids)} captures {', '.join(run.reached) or 'nothing'} in place of {run.point}"


_HELP = "count from the rank's first layer: enumerate(…, start=self.start_layer)"
_LOOP, _PLACE = Location("engine/tulip.py", 64), Location("engine/tulip.py", 40)


def _wiring(model: str, early: tuple[str, ...], late: tuple[str, ...]) -> Wiring:
    runs = (SpreadRun((2,), "out:1", early, True, _LOOP, ()), SpreadRun((6,), "out:5", late, True, _LOOP, ()))
    forward = ForwardPlace(model, Location("engine/tulip.py", 60))
    return Wiring(
        "eagle3", model, _PLACE, "set_layers", forward, (), "established", None, None, (), (), spread=Spread(3, *runs)
    )  # fmt: skip


_WRONG = "id 2 captures out:4 in place of out:1, id 6 captures nothing in place of out:5"

RULE = Rule(
    code="FC304",
    name="relative-index",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "enumerate() over a slice",
            example_analysis((_wiring("TulipForCausalLM", ("out:4",), ()),)),
            (f"TulipForCausalLM: where a second rank starts with layer 3, {_WRONG}: its index counts from the rank's first layer",),
        ),
        Example("the index is global, and the first rank's states get lost", example_analysis((_wiring("Tulip", (), ("out:5",)),))),
    ),
)
