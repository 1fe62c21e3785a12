"""A wiring could not be proved.

What it finds
    A target class whose wiring, or a part of it, the analysis could neither prove nor refute. The message gives the reason and
    the place where the proof stopped. Classes that fail for one cause share one finding. It is a warning where a given draft or
    trainer needs what is open, or where both sides are proved, but only by a name that more than one tensor has, as
    out:2/normed.

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

from ..analyzer.agreement import agreement, doubt
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Comparison, Evaluation, Location, NotEstablished, Side, Status, Wiring
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
    yield from _needed(analysis)


def _needed(analysis: Analysis) -> Iterator[Finding]:
    """What a given draft or trainer needs and what is open is a warning: not known is not right."""
    told: set[tuple[str, str | None, Location | None]] = set()
    for comparison in analysis.comparisons:
        trained = comparison.trained if not _raises(comparison.served) else None  # where the engine raises, there is nothing to compare
        sides = (("served to", comparison.served), ("trained into", trained))
        for word, side in ((word, side) for word, side in sides if side is not None and _is_open(side)):
            if (word, side.reason, side.reason_at) in told:
                continue
            told.add((word, side.reason, side.reason_at))
            message = f"what is {word} the draft is not established: {side.reason or 'no reason given'}"
            model = comparison.model if side is comparison.served else None
            at = side.reason_at or side.at or Location("", 1)
            yield Finding(RULE.code, RULE.name, Severity.WARNING, message, at, flow=comparison.flow, model=model, draft=comparison.draft)
        if agreement(comparison) == "open":
            yield _open(comparison)


def _is_open(side: Side) -> bool:
    """Whether what one side gives is not proved. An exception that ends it is."""
    return side.points is None and not _raises(side)


def _raises(side: Side) -> bool:
    return side.missed is not None and side.missed.error is not None


def _open(comparison: Comparison) -> Finding:
    """Both sides are proved, and whether they are the same is not."""
    message = f"whether what is served to the draft is what was trained is not established: {doubt(comparison)}"
    trained = comparison.trained
    at = comparison.served.at or (trained.at if trained is not None else None) or Location("", 1)
    whom = (comparison.flow, comparison.model)
    return Finding(RULE.code, RULE.name, Severity.WARNING, message, at, 1, *whom, draft=comparison.draft)


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


def _compared(points: tuple[str, ...] | None, reason: str | None, trained: Side | None = None) -> Analysis:
    place = Location("engine/models/tulip.py", 40)
    served = Side(points, (2, 30), "established" if points else "not established", reason, None, place)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, trained),))


_STAGED = ("out:2/no-residual", "out:30/no-residual")
_NOT_ONE = "both sides give out:2/no-residual, which need not be the same tensor"
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
        Example(
            "a draft is given, and its way is open",
            _compared(None, "nobody reads the key"),
            ("what is served to the draft is not established: nobody reads the key",),
        ),
        Example(
            "both sides take what comes out of a layer's feed-forward, or of its attention",
            _compared(_STAGED, None, Side(_STAGED, None, "established", None, None, Location("trainer/features.py", 12))),
            (f"whether what is served to the draft is what was trained is not established: {_NOT_ONE}",),
        ),
        Example("a draft whose way is proved", _compared(("out:2", "out:30"), None)),
        Example("a proved wiring", example_analysis((_wiring(None),))),
    ),
    needs="draft",
)
