"""A setter writes what the forward does not read.

What it finds
    All that a setter makes of the ids is written to attributes that a run of the forward, through all its layers, does not read; and no ids
    capture anything. It is a fact to know where the setter is inherited: a draft may inherit its target's.

Why it matters
    The setter takes any ids and says nothing. What the draft is fed instead depends on what the forward makes of nothing.

Example
    The setter stores ``layers_to_capture``, and the forward asks each layer for a mark.

Instead
    Write what the forward reads: the one attribute, or the mark of every layer.

What it cannot see
    Readers outside of the model. Forwards whose runs do not come through all layers.

Sources
    SGLang pull request #25408, where a list was written and the layers' marks were read; the review of pull request #8801.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.results import Analysis, Location, Marks, Place, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place that writes in vain, naming the target classes that it hits."""
    hit: dict[Place, list[Wiring]] = {}
    for wiring in analysis.wirings:
        for place in wiring.marks.unread if wiring.marks is not None else ():
            hit.setdefault(place, []).append(wiring)
    for place, wirings in hit.items():
        yield _finding(place, wirings)


def _finding(place: Place, wirings: list[Wiring]) -> Finding:
    first = wirings[0]
    models = list(dict.fromkeys(each.model for each in wirings))
    own = [each for each in wirings if each.marks is not None and not each.marks.inherited]
    severity = RULE.severity if own else Severity.INFO
    asked = list(dict.fromkeys(each.name for one in wirings for each in (one.marks.missing if one.marks is not None else ())))
    more = f"; it asks for {', '.join(asked)}" if asked else ""
    message = f"{', '.join(models)}: {place.name} is written of the ids, and the forward does not read it{more}"
    path = (Hop(f"{first.model}.{first.setter}", first.at), Hop(f"{place.name} is written", place.at))
    flow, model = (first.flow if len({each.flow for each in wirings}) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, severity, message, place.at, flow=flow, model=model, path=path, help=_HELP)


_HELP = "write what the forward reads"
_WRITTEN, _ASKED = Place("layers_to_capture", Location("engine/tulip.py", 44)), Place("_captures", Location("engine/tulip.py", 20))


def _wiring(marks: Marks) -> Wiring:
    place = Location("engine/tulip.py", 40)
    return Wiring("eagle3", "TulipForCausalLM", place, "set_layers_to_capture", None, (), "established", None, None, (), (), marks)


_IN_VAIN = "TulipForCausalLM: layers_to_capture is written of the ids, and the forward does not read it"

RULE = Rule(
    code="FC211",
    name="write-without-reader",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "the forward asks for something else",
            example_analysis((_wiring(Marks(("layers_to_capture",), unread=(_WRITTEN,), missing=(_ASKED,))),)),
            (f"{_IN_VAIN}; it asks for _captures",),
        ),
        Example(
            "a setter that a draft inherits",
            example_analysis((_wiring(Marks(("layers_to_capture",), unread=(_WRITTEN,), inherited=True)),)),
            (_IN_VAIN,),
        ),
        Example("what is written is read", example_analysis((_wiring(Marks(("layers_to_capture",))),))),
    ),
)
