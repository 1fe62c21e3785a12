"""The loop index is local to a rank or a slice, the ids are global.

What it finds
    A target whose layers are spread over two ranks and whose second rank compares another number with the ids than a single rank does
    for the same layer. Both were run: what an id captures on one rank, and what it captures where a second takes over in the middle.
    And a target that walks its layers in pieces and counts anew in each, so that one id captures the outputs of several layers.

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
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.other_ways import Spread, SpreadRun, layer_of
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Evaluation, ForwardPlace, Location, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


class _Hit(NamedTuple):
    wiring: Wiring
    told: str


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each loop, naming the target classes that walk their layers in it."""
    hit: dict[Location, list[_Hit]] = {}
    for wiring in analysis.wirings:
        for place, told in (*_on_ranks(wiring), *_in_slices(wiring)):
            if all(each.wiring != wiring for each in hit.setdefault(place, [])):
                hit[place].append(_Hit(wiring, told))
    for place, hits in hit.items():
        yield _finding(place, hits)


def _on_ranks(wiring: Wiring) -> Iterator[tuple[Location, str]]:
    """A second rank captures what the ids do not stand for."""
    spread = wiring.spread
    if spread is not None and spread.is_relative:
        told = ", ".join(_told(run) for run in (spread.early, spread.late) if run.reached != (run.point,))
        place = spread.early.loop or (wiring.forward.at if wiring.forward is not None else wiring.at)
        yield place, f"where a second rank starts with layer {spread.start}, {told}: the index counts from the rank's first layer"


def _told(run: SpreadRun) -> str:
    return f"id {ids_text(run.ids)} captures {', '.join(run.reached) or 'nothing'} in place of {run.point}"


def _in_slices(wiring: Wiring) -> Iterator[tuple[Location, str]]:
    """One id captures the outputs of several layers, and the next id those of the layers behind them; the id that counts on from the first
    to the second of these layers does not capture that, as it does where each id stands for some layers around it."""
    layers = {row.ids[0]: _layers(row) for row in wiring.evaluated if row.ids is not None and len(row.ids) == 1}
    known = {row.ids for row in wiring.evaluated if row.status == "established" and row.captured is not None}
    for row in wiring.evaluated:
        ids, found = row.ids or (), _layers(row)
        if len(ids) != 1 or len(set(found)) != len(found) or len(found) < 2 or not row.loops:
            continue
        anew = ids[0] + found[1] - found[0]
        counted = layers.get(ids[0] + 1) == tuple(layer + 1 for layer in found)
        if counted and (anew,) in known and found[1] not in layers[anew]:
            told = f"id {ids[0]} captures {', '.join(row.captured or ())}: the index starts anew on the way through the layers"
            yield row.loops[-1], told


def _layers(row: Evaluation) -> tuple[int, ...]:
    """The layers of what is captured; empty where that is not known."""
    return tuple(map(layer_of, row.captured or ())) if row.status == "established" else ()


def _finding(place: Location, hits: list[_Hit]) -> Finding:
    wiring = hits[0].wiring
    models, flows = list(dict.fromkeys(each.wiring.model for each in hits)), {each.wiring.flow for each in hits}
    path = (Hop(f"{wiring.model}.{wiring.setter}", wiring.at), Hop("the layers are walked", place))
    flow, model = (wiring.flow if len(flows) == 1 else None), (models[0] if len(models) == 1 else None)
    message = f"{', '.join(models)}: {hits[0].told}"
    return Finding(RULE.code, RULE.name, RULE.severity, message, place, 1, flow, model, path=path, help=_HELP)


_HELP = "count from the first layer of all: enumerate(…, start=self.start_layer)"
_LOOP, _PLACE = Location("engine/tulip.py", 64), Location("engine/tulip.py", 40)


def _wiring(model: str, early: tuple[str, ...], late: tuple[str, ...]) -> Wiring:
    runs = (SpreadRun((2,), "out:1", early, True, _LOOP, ()), SpreadRun((6,), "out:5", late, True, _LOOP, ()))
    forward = ForwardPlace(model, Location("engine/tulip.py", 60))
    return Wiring(
        "eagle3", model, _PLACE, "set_layers", forward, (), "established", None, None, (), (), spread=Spread(3, *runs)
    )  # fmt: skip


def _row(k: int, *captured: str) -> Evaluation:
    return Evaluation((k,), 8, None, captured, None, "established", None, None, (), (), (), loops=(_LOOP,))


def _all(*rows: Evaluation) -> Analysis:
    return example_analysis((replace(_wiring("Tulip", ("out:1",), ("out:5",)), evaluated=rows),))


def _pieces() -> Analysis:
    return _all(*(_row(k, f"out:{k}", f"out:{k + 4}") if k < 4 else _row(k) for k in range(8)))


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
            (f"TulipForCausalLM: where a second rank starts with layer 3, {_WRONG}: the index counts from the rank's first layer",),
        ),
        Example(
            "four layers at a time",
            _pieces(),
            ("Tulip: id 0 captures out:0, out:4: the index starts anew on the way through the layers",),
        ),
        Example("two states of each layer", _all(*(_row(k, f"out:{k}", f"out:{k}/no-residual") for k in range(8)))),
        Example("each id stands for two layers", _all(*(_row(k, f"out:{k}", f"out:{k + 1}") for k in range(7)))),
        Example("another stage of the same layer", example_analysis((_wiring("Tulip", ("out:1",), ("out:5/no-residual",)),))),
        Example("the index is global, and the first rank's states get lost", example_analysis((_wiring("Tulip", (), ("out:5",)),))),
    ),
)
