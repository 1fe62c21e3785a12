"""What earlier ranks captured is dropped.

What it finds
    A target whose layers are spread over two ranks and whose first rank neither hands on what it captured nor leaves it where anybody
    could find it, while the second rank goes on as if nothing had been captured. Both ranks were run, with one id of each. And an engine
    that runs the stages of a target in a loop in which each puts what it captured in the place of what those before it did.

Why it matters
    The draft is fed the states of the last rank's layers alone. Fewer arrive than it was trained on, or none.

Example
    The forward of every rank but the last returns its hidden states and its residual, and no list.

Instead
    Hand the captured states on with the hidden states, and let the last rank begin with them; or refuse the combination.

What it cannot see
    Whether anybody launches the engine with several ranks: it is info unless the launch flags in hand say so, or a draft is at hand and the
    engine itself runs stages in a loop. Engines that gather captured
    states by other means than what the forward returns and what lives on beside it.

Sources
    SGLang 0.5.20, models/kimi_linear.py line 740; sgl-project/sglang PR #39644 refuses the combination.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.launches import Launch
from ..analyzer.other_ways import Overlaid, Spread, SpreadRun
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Comparison, Location, Side, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place where a rank leaves the forward, naming the target classes that it hits."""
    ranks = {launch.flow: launch.ranks for launch in analysis.launches}
    staged = {comparison.flow for comparison in analysis.comparisons if comparison.staged is not None}
    spread_out = {flow for flow, count in ranks.items() if (count or 1) > 1 or (count is None and flow in staged)}
    hit: dict[Location, list[tuple[Wiring, Spread]]] = {}
    for wiring in analysis.wirings:
        spread = wiring.spread
        if spread is not None and not spread.early.reached and not spread.early.held and not spread.is_relative:
            hit.setdefault(_place(wiring, spread), []).append((wiring, spread))
    for comparison in analysis.comparisons:
        if comparison.overlaid is not None:
            yield _overlaid(comparison, comparison.overlaid, Severity.WARNING if comparison.flow in spread_out else RULE.severity)
    for place, found in hit.items():
        yield _finding(place, found, Severity.WARNING if found[0][0].flow in spread_out else RULE.severity)


def _overlaid(comparison: Comparison, lost: Overlaid, severity: Severity) -> Finding:
    message = f"of what the stages of {comparison.model} capture one after another only that of the last is left at {lost.read_at}"
    steps = (("stages are run", lost.loop), ("each puts its own in the place of what was there", lost.bound_at))
    path = tuple(Hop(*each) for each in (*steps, ("what the last has left", lost.read_at)))
    whom = (comparison.flow, comparison.model)
    return Finding(RULE.code, RULE.name, severity, message, lost.bound_at, 1, *whom, path=path, help=_GATHER, draft=comparison.draft)


def _place(wiring: Wiring, spread: Spread) -> Location:
    """The condition by which a rank leaves the forward, else its innermost return."""
    found = (spread.early.gate, *spread.early.left, wiring.forward.at if wiring.forward is not None else wiring.at)
    return next(at for at in found if at is not None)


def _finding(place: Location, found: list[tuple[Wiring, Spread]], severity: Severity) -> Finding:
    wiring, spread = found[0]
    models, flows = list(dict.fromkeys(each.model for each, _ in found)), {each.flow for each, _ in found}
    late = "" if spread.late.reached else f", nor does id {ids_text(spread.late.ids)} on the second"
    message = (
        f"{', '.join(models)}: id {ids_text(spread.early.ids)} captures {spread.early.point} on one rank, and nothing where a second "
        f"starts with layer {spread.start}: the first does not hand it on{late}"
    )
    path = tuple(Hop("the first rank leaves the forward", at) for at in dict.fromkeys((place, *spread.early.left)))
    flow, model = (wiring.flow if len(flows) == 1 else None), (models[0] if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, severity, message, place, 1, flow, model, path=path, help=_HELP)


_GATHER = "add up what the stages capture: captured += …"
_HELP = "hand the captured states on to the next rank, or refuse to start with several"
_LEFT, _PLACE = Location("engine/tulip.py", 74), Location("engine/tulip.py", 40)


def _wiring(model: str, *, held: bool) -> Wiring:
    runs = (SpreadRun((2,), "out:1", (), held, None, (_LEFT,)), SpreadRun((6,), "out:5", ("out:5",), False, None, (_LEFT,)))
    return Wiring("eagle3", model, _PLACE, "set_layers", None, (), "established", None, None, (), (), spread=Spread(3, *runs))


def _ran(overlaid: Overlaid | None) -> Comparison:
    return Comparison("eagle3", "Tulip", Side(("out:1",), (1,), "established", None, None, None), None, overlaid=overlaid)


_LOST = "id 2 captures out:1 on one rank, and nothing where a second starts with layer 3: the first does not hand it on"

RULE = Rule(
    code="FC306",
    name="capture-lost-across-ranks",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    needs="launch",
    examples=(
        Example(
            "a rank returns its hidden states alone",
            example_analysis((_wiring("TulipForCausalLM", held=False),)),
            (f"TulipForCausalLM: {_LOST}",),
        ),
        Example(
            "and the engine is launched with two",
            example_analysis(
                (_wiring("TulipForCausalLM", held=False),),
                launches=(Launch("eagle3", "TulipForCausalLM", None, (), (), (), (), (), ranks=2),),
            ),
            (f"TulipForCausalLM: {_LOST}",),
        ),
        Example(
            "the engine runs one rank after the other, and keeps what the last returns",
            example_analysis(comparisons=(_ran(Overlaid(*(Location("engine/run.py", line) for line in (7, 8, 9)))),)),
            ("of what the stages of Tulip capture one after another only that of the last is left at engine/run.py:9",),
        ),
        Example("it adds them up", example_analysis(comparisons=(_ran(None),))),
        Example("it returns them beside", example_analysis((_wiring("TulipForCausalLM", held=True),))),
    ),
)
