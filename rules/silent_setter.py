"""The ids are handed on only if there is somebody to take them.

What it finds
    ``hasattr(x, SETTER)`` with nothing else: a model without the method captures nothing, and nobody hears of it. Where a run of this
    target captured something, the method is there for this one, and it is a fact to know; elsewhere it is a hazard.

Why it matters
    The launch succeeds, the draft is fed zeros or the plain hidden state, and only the acceptance rate says so.

Example
    A wrapper delegates to its language model, if that has a setter.

Instead
    Call the method, or raise where it is missing.

What it cannot see
    Gates that are written in another way, as a ``try`` around the call.

Sources
    SGLang 0.5.9, models/mllama4.py line 954.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.launches import Gate, Launch
from ..analyzer.results import Analysis, Evaluation, Location, Marks, Place, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each gate: in setters of target classes, and on the way to them."""
    hit: dict[Place, list[Wiring]] = {}
    for wiring in analysis.wirings:
        for place in wiring.marks.silent if wiring.marks is not None else ():
            hit.setdefault(place, []).append(wiring)
    for place, wirings in hit.items():
        yield _of_setter(place, wirings)
    for gate in dict.fromkeys(gate for launch in analysis.launches for gate in launch.gates):
        message = f"a target without {gate.setter} captures nothing here, and nothing is said"
        yield Finding(RULE.code, RULE.name, RULE.severity, message, gate.at, path=(Hop(f"hasattr {gate.setter}", gate.at),), help=_HELP)


def _of_setter(place: Place, wirings: list[Wiring]) -> Finding:
    models = list(dict.fromkeys(each.model for each in wirings))
    open_ones = list(dict.fromkeys(each.model for each in wirings if not captures(each)))
    severity = RULE.severity if open_ones else Severity.INFO
    what = f"{', '.join(open_ones)} captures nothing" if open_ones else f"with {', '.join(models)} it is there"
    message = f"the ids go on only if there is a {place.name}, and nothing is said if not: {what}"
    flow, model = (wirings[0].flow if len({each.flow for each in wirings}) == 1 else None), (models[0] if len(models) == 1 else None)
    path = (Hop(f"hasattr {place.name}", place.at),)
    return Finding(RULE.code, RULE.name, severity, message, place.at, flow=flow, model=model, path=path, help=_HELP)


def captures(wiring: Wiring) -> bool:
    """Whether some ids are captured, or nothing is known."""
    return any(row.captured or row.status != "established" for row in wiring.evaluated)


_HELP = "call the method, or raise where it is missing"
_GATE = Place("set_layers_to_capture", Location("engine/wrapper.py", 54))


def _wiring(*, captured: bool) -> Wiring:
    row = Evaluation((1,), 8, None, ("out:1",) if captured else (), None, "established", None, None, (), (), ())
    marks = Marks((), silent=(_GATE,))
    return Wiring("eagle3", "Wrapper", _GATE.at, "set_layers_to_capture", None, (), "established", None, None, (), (row,), marks)


def _launched(*gates: Gate) -> Analysis:
    return example_analysis(launches=(Launch("eagle3", "Tulip", None, (), (), (), (), (), gates=gates),))


_WAY = "the ids go on only if there is a set_layers_to_capture, and nothing is said if not"

RULE = Rule(
    code="FC213",
    name="silent-setter",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("the method is there", example_analysis((_wiring(captured=True),)), (f"{_WAY}: with Wrapper it is there",)),
        Example("the method is not there", example_analysis((_wiring(captured=False),)), (f"{_WAY}: Wrapper captures nothing",)),
        Example(
            "on the way to the setter",
            _launched(Gate("set_layers_to_capture", Location("engine/runner.py", 41))),
            ("a target without set_layers_to_capture captures nothing here, and nothing is said",),
        ),
        Example("no gate", _launched()),
    ),
    needs="launch",
)
