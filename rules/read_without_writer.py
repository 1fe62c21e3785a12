"""A forward asks for a mark that nobody sets.

What it finds
    A forward asks an object for an attribute, with something to fall back on, and a run gets that: neither the setter nor anything else in
    the model's classes writes the attribute. It is one by which other target classes capture, or no ids of this target capture anything.

Why it matters
    ``getattr(layer, "_captures", False)`` is always false, and looks like a switch that somebody turns.

Example
    A forward was copied together with the test of the layers' marks, and its setter keeps a list.

Instead
    Let the setter set the mark, or take the question out.

What it cannot see
    Attributes that are asked for without a fallback: these raise. Writers outside of the model's classes.

Sources
    SGLang 0.5.9, models/bailing_moe.py line 782: the mark that qwen2_moe's setter sets is asked for, and this model's does not set it.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.results import Analysis, Location, Marks, Place, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place that asks in vain, naming the target classes that it hits."""
    marks = {name for wiring in analysis.wirings if wiring.marks is not None for name in wiring.marks.written}
    hit: dict[Place, list[Wiring]] = {}
    for wiring in analysis.wirings:
        for place in wiring.marks.missing if wiring.marks is not None else ():
            if place.name in marks or (wiring.marks is not None and wiring.marks.unread):
                hit.setdefault(place, []).append(wiring)
    for place, wirings in hit.items():
        yield _finding(place, wirings)


def _finding(place: Place, wirings: list[Wiring]) -> Finding:
    first = wirings[0]
    models = list(dict.fromkeys(each.model for each in wirings))
    written = ", ".join(first.marks.written) if first.marks is not None else ""
    instead = f"; its setter writes {written}" if written else ""
    message = f"{', '.join(models)}: the forward asks for {place.name}, which nobody sets for this model{instead}"
    path = (Hop(f"asks for {place.name}", place.at), Hop(f"{first.model}.{first.setter}", first.at))
    flow, model = (first.flow if len({each.flow for each in wirings}) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, RULE.severity, message, place.at, flow=flow, model=model, path=path, help=_HELP)


_HELP = "let the setter set it, or take the question out"
_ASKED = Place("_captures", Location("engine/tulip.py", 20))


def _wiring(model: str, marks: Marks) -> Wiring:
    place = Location("engine/tulip.py", 40)
    return Wiring("eagle3", model, place, "set_layers_to_capture", None, (), "established", None, None, (), (), marks)


_LIST = Marks(("layers_to_capture",), missing=(_ASKED,))

RULE = Rule(
    code="FC212",
    name="read-without-writer",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "a mark that another target's setter sets",
            example_analysis((_wiring("Tulip", _LIST), _wiring("Crocus", Marks(("_captures",))))),
            ("Tulip: the forward asks for _captures, which nobody sets for this model; its setter writes layers_to_capture",),
        ),
        Example(
            "nothing is captured",
            example_analysis((_wiring("Tulip", Marks(("ids",), unread=(Place("ids", _ASKED.at),), missing=(_ASKED,))),)),
            ("Tulip: the forward asks for _captures, which nobody sets for this model; its setter writes ids",),
        ),
        Example("an attribute that has nothing to do with the flow", example_analysis((_wiring("Tulip", _LIST),))),
        Example("a mark that is set", example_analysis((_wiring("Crocus", Marks(("_captures",))),))),
    ),
)
