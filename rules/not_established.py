"""A wiring could not be proved.

What it finds
    A target class whose wiring, or a part of it, the analysis could neither prove nor refute. The message gives the reason and
    the place where the proof stopped. Classes that fail for one cause share one finding.

Why it matters
    Unknown is not right. A draft that is served by this target may get the hidden states it was trained on, or others.

Example
    The layers of the target are built by a function that is not in the tree.

Instead
    Read the place that is named. If it calls code of another package, describe that in a flow file; if it hangs on a value of
    the target's config, give the config with --target.

What it cannot see
    Whether the wiring is right or wrong: that is what could not be established.

Sources
    The bounds and the open places of the analysis itself.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Evaluation, Location, NotEstablished, Status, Wiring
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis


class _Cause(NamedTuple):
    flow: str | None
    reason: str
    at: Location


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each cause, naming all that it hit."""
    hit: dict[_Cause, list[str]] = {}
    for wiring in analysis.wirings:
        for cause, name in _causes(wiring):
            hit.setdefault(cause, []).append(name)
    told = {(cause.reason, cause.at) for cause in hit}
    for entry in analysis.not_established:
        if entry.what != "file" and (entry.reason, entry.at) not in told:
            hit.setdefault(_Cause(None, entry.reason, entry.at), []).append(entry.what)
    for cause, names in hit.items():
        yield _finding(cause, names)


def _causes(wiring: Wiring) -> Iterator[tuple[_Cause, str]]:
    """Why this wiring, or some id lists of it, are open, and what to call them."""
    if wiring.status == "not established":
        yield _cause(wiring, wiring), wiring.model
        return
    lists: dict[_Cause, list[str]] = {}
    for evaluation in wiring.evaluated:
        if evaluation.status == "not established":
            lists.setdefault(_cause(wiring, evaluation), []).append(ids_text(evaluation.ids))
    for cause, ids in lists.items():
        more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
        yield cause, f"{wiring.model} (ids {' · '.join(ids[:3])}{more})"


def _cause(wiring: Wiring, stop: Wiring | Evaluation) -> _Cause:
    return _Cause(wiring.flow, stop.reason or "no reason given", stop.reason_at or wiring.at)


def _finding(cause: _Cause, names: list[str]) -> Finding:
    verb = "is" if len(names) == 1 else "are"
    message = f"{', '.join(names)} {verb} not established: {cause.reason}"
    model = names[0].partition(" ")[0] if cause.flow and len(names) == 1 else None
    return Finding(RULE.code, RULE.name, RULE.severity, message, cause.at, flow=cause.flow, model=model)


def _wiring(reason: str | None) -> Wiring:
    place = Location("engine/models/tulip.py", 40)
    stop = None if reason is None else Location("engine/models/tulip.py", 12)
    status: Status = "established" if reason is None else "not established"
    return Wiring("eagle3", "TulipForCausalLM", place, "set_layers_to_capture", None, (), status, reason, stop, (), ())


_UNKNOWN_LAYERS = "the layers come from make_blocks, which is not in the tree"
_PLUGIN = NotEstablished("engine.models.plugin", "the class is built at run time", Location("engine/models/plugin.py", 3))

RULE = Rule(
    code="FC901",
    name="not-established",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "layers from outside the tree",
            example_analysis((_wiring(_UNKNOWN_LAYERS),)),
            (f"TulipForCausalLM is not established: {_UNKNOWN_LAYERS}",),
        ),
        Example(
            "a class that exists only at run time",
            example_analysis(not_established=(_PLUGIN,)),
            ("engine.models.plugin is not established: the class is built at run time",),
        ),
        Example("a proved wiring", example_analysis((_wiring(None),))),
    ),
)
