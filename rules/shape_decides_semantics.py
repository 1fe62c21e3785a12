"""An equal width decides whether fc runs.

What it finds
    A draft compares how wide the hidden states are that it is handed, with its embeddings or a number, and projects them or not as that
    comes out. It is followed through variables, helpers, early returns and both polarities; the finding stands at the comparison. It is
    a fact to know, and a warning where the configs in hand let it bite: what is served to the draft is proved to be as wide as what is
    taken for projected already. That is so where the ids are never looked at (FC214), so that only the last hidden states come,
    or where one point is captured alone.

Why it matters
    Nobody says what the states are, the width has to tell. States of another mode, or a single captured point, are as wide as the
    embeddings: they go into the draft's layer without ``fc``, no shape fails, and only the acceptance rate falls.

Example
    ``if states.shape[-1] != embeds.shape[-1]: states = self.fc(states)``, served by a target that captures one point.

Instead
    Let what is known before the run decide: the draft's config, or a field of the batch that says what is in it. Project always where the
    draft was trained with ``fc``, and raise where the width is none that it takes.

What it cannot see
    A width that is asked outside of the draft, in the worker. Whether a wider state is the right one: a width counts points, no more.
    Where a width is refused as well, by an assertion or a raise, it stays a fact to know, as does what is compared with a width that the
    draft's config does not tell. Where the other branch raises, or calls ``fc`` too, there is no finding.

Sources
    sgl-project/sglang PR 21272: an accept length of exactly 1.0, and no warning. SGLang 0.5.9, models/llama_eagle3.py line 162.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyzer.launches import Branch, Gated, Launch, WidthGate
from ..analyzer.results import Analysis, Comparison, Location, Side
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis

Place = tuple[Location, int]


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each comparison, or for each draft with which it bites."""
    biting = [found for launch in analysis.launches for gate in launch.width_gates if (found := _bite(analysis, launch, gate))]
    yield from {(each.at, each.column, each.draft, each.flow): each for each in reversed(biting)}.values()
    bitten = {(each.at, each.column) for each in biting}
    quiet: dict[Place, list[tuple[Launch, WidthGate]]] = {}
    for launch in analysis.launches:
        for gate in launch.width_gates:
            if (gate.at, gate.column + 1) not in bitten:
                quiet.setdefault((gate.at, gate.column + 1), []).append((launch, gate))
    for told in quiet.values():
        yield _fact(told[0][0].flow, [gate for _, gate in told])


def _fact(flow: str, gates: list[WidthGate]) -> Finding:
    names = ", ".join(sorted({gate.draft for gate in gates}))
    first = gates[0]
    return Finding(
        RULE.code, RULE.name, Severity.INFO,
        f"{names}: only {first.text} decides whether {first.projection} runs; states that are not projected may look as if they were",
        first.at, first.column + 1, flow=flow, path=_path(first), help=_HELP,
    )  # fmt: skip


def _bite(analysis: Analysis, launch: Launch, gate: WidthGate) -> Finding | None:
    """What is wrong with the draft of a launch, where what it is served is surely passed by the projection."""
    for comparison in analysis.comparisons:
        if (comparison.flow, comparison.draft) == (launch.flow, launch.draft) and comparison.hidden_size:
            served = _served(comparison, launch.gated)
            if served is not None and gate.skips(served[0]):
                return _bitten(comparison, launch, gate, served[1])
    return None


def _served(comparison: Comparison, gated: Gated | None) -> tuple[int, str] | None:
    """How wide what the draft is handed is, and what it is."""
    size, points = comparison.hidden_size or 0, comparison.served.points
    if gated is not None:
        given = ", ".join(f"{name} = {value}" for name, value in gated.flags)
        return (size, f"with {given} the last hidden states of {comparison.model}, {size} wide") if _speculates(gated) else None
    return None if not points else (len(points) * size, f"{', '.join(points)} of {comparison.model}, {len(points) * size} wide")


def _speculates(gated: Gated) -> bool:
    """Whether the flags name another way of speculating than the flow's, rather than none."""
    return any(f"{name} = " in gated.wants and value != "null" for name, value in gated.flags)


def _bitten(comparison: Comparison, launch: Launch, gate: WidthGate, served: str) -> Finding:
    decided = () if launch.gated is None else (Hop(f"{launch.gated.branch.test}: the ids are not looked at", launch.gated.branch.at),)
    return Finding(
        RULE.code, RULE.name, RULE.severity,
        f"{gate.draft} is served {served}, and takes them for projected by {gate.text}: {gate.projection} is passed over, unsaid",
        gate.at, gate.column + 1, flow=launch.flow, model=comparison.model, expected=f"{gate.projection} runs",
        actual=f"{gate.projection} is passed over",
        path=(*decided, *(Hop(f"served: {step}", step.at) for step in comparison.served.path if launch.gated is None), *_path(gate)),
        help=_HELP, draft=launch.draft,
    )  # fmt: skip


def _path(gate: WidthGate) -> tuple[Hop, ...]:
    return Hop(gate.text, gate.at), Hop(f"{gate.projection}, if so", gate.projected_at)


_HELP = "let the draft's config decide whether its states are projected, and raise where their width is none that it takes"
_DRAFT = Location("engine/models/tulip_draft.py", 31)
_TEXT = "states.shape[-1] != embeds.shape[-1]"
_WIDTH = WidthGate(
    "TulipDraft", _TEXT, _DRAFT, 11, "fc", Location("engine/models/tulip_draft.py", 32), "!=", None, frozenset({False}), checked=False
)
_KNOWN = replace(_WIDTH, other=7168)
_CONFIG, _GATE = Location("draft/config.json", 9), Location("engine/runner.py", 18)
_BRANCH = Branch(_GATE, "self.algorithm.is_eagle3()", False, (True,))
_GATED = Gated(
    _BRANCH, (("speculative_algorithm", "EAGLE"),), "speculative_algorithm = EAGLE3", "layer_ids", _CONFIG, "[4, 20]", ()
)  # fmt: skip


def _launched(gate: WidthGate, points: tuple[str, ...] = (), gated: Gated | None = None) -> Analysis:
    given = Launch("eagle3", "Tulip", "draft/config.json", (), (), (), (), (), gated=gated, width_gates=(gate,))
    side = Side(points or None, None, "established" if points else "not established", None, None, _CONFIG)
    compared = Comparison("eagle3", "Tulip", side, None, 7168, draft="draft/config.json")
    return example_analysis(launches=(given,), comparisons=(compared,))


_FACT = f"TulipDraft: only {_TEXT} decides whether fc runs; states that are not projected may look as if they were"
_TAKEN = f"and takes them for projected by {_TEXT}: fc is passed over, unsaid"

RULE = Rule(
    code="FC305",
    name="shape-decides-semantics",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("what is served is not known", _launched(_WIDTH), (_FACT,)),
        Example("three points", _launched(_KNOWN, ("out:2", "out:30", "out:58")), (_FACT,)),
        Example("a single point", _launched(_KNOWN, ("out:58",)), (f"TulipDraft is served out:58 of Tulip, 7168 wide, {_TAKEN}",)),
        Example(
            "the ids are not looked at",
            _launched(_KNOWN, gated=_GATED),
            (f"TulipDraft is served with speculative_algorithm = EAGLE the last hidden states of Tulip, 7168 wide, {_TAKEN}",),
        ),
        Example("nobody speculates", _launched(_KNOWN, gated=replace(_GATED, flags=())), (_FACT,)),
        Example("a single point, and a width that is refused", _launched(replace(_KNOWN, checked=True), ("out:58",)), (_FACT,)),
        Example("the width decides nothing", example_analysis(launches=(Launch("eagle3", "Tulip", None, (), (), (), (), ()),))),
    ),
)
