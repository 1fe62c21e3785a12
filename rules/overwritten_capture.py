"""A captured tensor is an alias that an operation in place writes later.

What it finds
    A hidden state is put into the list of captured ones as it is, without a copy, and the memory is written before the list is
    read: by a norm that adds the residual in place, an ``add_``, a slice that is assigned. The draft gets what was written last. It is
    an error where a given draft is fed by it, else a warning, if ids inside of the stack or the default are hit. What happens to
    ids at the edges stands in the table of wirings.

Why it matters
    The list has the right length, the tensors the right width, and in a test whose norms make copies the right values too. Only the
    engine's own kernels write in place.

Example
    The forward appends ``hidden_states``, and the layer that comes next makes it its residual, to which the norm after attention adds.

Instead
    Keep a copy: ``hidden_states.clone()``, or the sum with the residual, which is a new tensor.

What it cannot see
    Which of several writes reaches the draft first: the last one is named. Other streams of the device, which may read in between.

Sources
    SGLang 0.5.12, models/gemma4_causal.py line 839 with the in-place norm of layers/layernorm.py; 0.5.9, models/qwen2.py at id -1.
    SGLang 0.5.23 makes copies in most models.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Clause, Comparison, Condition, Evaluation, Location, Overwritten, Side, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis, hops


class _Cause(NamedTuple):
    kept_at: Location
    written_at: tuple[Location, ...]
    unless: Condition | None = None


class _Hit(NamedTuple):
    flow: str
    model: str
    ids: str
    point: str


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each capture that a given draft is fed by, and one for each place that loses what it captures, naming all it hits."""
    fed = {(comparison.flow, comparison.model) for comparison in analysis.comparisons if comparison.served.overwritten}
    for comparison in analysis.comparisons:
        for cause, points in _lost(comparison.served.overwritten).items():
            yield _served(comparison, cause, points)
    hit: dict[_Cause, list[_Hit]] = {}
    for wiring in analysis.wirings:
        for row in _rows(wiring) if (wiring.flow, wiring.model) not in fed else ():
            for cause, points in _lost(row.overwritten).items():
                hit.setdefault(cause, []).append(_Hit(wiring.flow, wiring.model, ids_text(row.ids), points[0]))
    for cause, hits in hit.items():
        yield _hazard(cause, hits)


def _rows(wiring: Wiring) -> Iterator[Evaluation]:
    """The id lists that count: those that were asked for, else the default and those inside of the stack."""
    for row in wiring.evaluated:
        if not wiring.convention or row.ids is None or all(0 < k < row.num_layers - 1 for k in row.ids):
            yield row


def _lost(captures: tuple[Overwritten, ...]) -> dict[_Cause, list[str]]:
    found: dict[_Cause, list[str]] = {}
    for each in captures:
        found.setdefault(_Cause(each.kept_at, each.written_at, each.unless), []).append(each.point.removesuffix("/overwritten"))
    return found


def _served(comparison: Comparison, cause: _Cause, points: list[str]) -> Finding:
    served = comparison.served
    ids = f"ids {ids_text(served.ids)} capture" if served.ids is not None else "the default captures"
    message = f"{ids} {', '.join(points)}, and the draft is not served {'it' if len(points) == 1 else 'them'}: {_way(cause)}"
    path = (*_hops(cause), *hops(served, comparison.trained))
    whom = (comparison.flow, comparison.model)
    actual = ", ".join(served.points or ())
    return Finding(
        RULE.code, RULE.name, Severity.ERROR, message, cause.kept_at, 1, *whom, ", ".join(points), actual, path, (), _HELP, comparison.draft
    )


def _hazard(cause: _Cause, hits: list[_Hit]) -> Finding:
    first, models, flows = hits[0], dict.fromkeys(hit.model for hit in hits), {hit.flow for hit in hits}
    others = len({hit.ids for hit in hits if hit.model == first.model}) - 1
    more = f" (as {'does one more id list' if others == 1 else f'do {others} more id lists'})" if others else ""
    what = "the default" if first.ids == "default" else f"id {first.ids}"
    message = f"{', '.join(models)}: {what} captures {first.point} and loses it{more}: {_way(cause)}"
    flow, model = (first.flow if len(flows) == 1 else None), (first.model if len(models) == 1 else None)
    return Finding(RULE.code, RULE.name, RULE.severity, message, cause.kept_at, flow=flow, model=model, path=_hops(cause), help=_HELP)


def _hops(cause: _Cause) -> tuple[Hop, ...]:
    return (Hop("kept, and not copied", cause.kept_at), *(Hop("written in place", at) for at in cause.written_at))


def _way(cause: _Cause) -> str:
    written = " or ".join(map(str, cause.written_at)) or "a place that is not known"
    unless = f", unless {cause.unless.text} ({cause.unless.at})" if cause.unless is not None else ""
    return f"what {cause.kept_at} keeps is no copy, and {written} writes it in place{unless}"


_HELP = "keep a copy: .clone()"
_KEPT, _WRITTEN = Location("engine/tulip.py", 40), (Location("engine/norm.py", 12),)


def _row(ids: tuple[int, ...] | None, *points: str, unless: Condition | None = None) -> Evaluation:
    lost = tuple(Overwritten(point, _KEPT, _WRITTEN, unless) for point in points if point.endswith("/overwritten"))
    return Evaluation(ids, 8, None, points, None, "established", None, None, (), (), (), overwritten=lost)


def _wiring(model: str, *rows: Evaluation, bare: bool = True) -> Wiring:
    place = Location("engine/tulip.py", 70)
    convention = (Clause("id k", "out:k/overwritten"),) if bare else ()
    return Wiring("eagle3", model, place, "set_layers_to_capture", None, convention, "established", None, None, (), rows)


def _compared(*points: str) -> Analysis:
    row = _row((2, 30), *points)
    served = Side(points, row.ids, "established", None, None, Location("draft/config.json", 7), overwritten=row.overwritten)
    wirings = (_wiring("TulipForCausalLM", _row((1,), "out:1/overwritten")),) if row.overwritten else ()
    return example_analysis(wirings, comparisons=(Comparison("eagle3", "TulipForCausalLM", served, None),))


_WAY = f"what {_KEPT} keeps is no copy, and {_WRITTEN[0]} writes it in place"
_LOST = ("out:2/overwritten", "out:30/overwritten")

RULE = Rule(
    code="FC310",
    name="overwritten-capture",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "a layer writes what was kept",
            example_analysis((_wiring("TulipForCausalLM", _row(None, "out:1/overwritten"), _row((2,), _LOST[0]), _row((3,), _LOST[0])),)),
            (f"TulipForCausalLM: the default captures out:1 and loses it (as do 2 more id lists): {_WAY}",),
        ),
        Example(
            "only a variable of a module decides it",
            example_analysis((_wiring("TulipForCausalLM", _row((2,), _LOST[0], unless=Condition("is_exact()", _WRITTEN[0], True))),)),
            (f"TulipForCausalLM: id 2 captures out:2 and loses it: {_WAY}, unless is_exact() ({_WRITTEN[0]})",),
        ),
        Example(
            "two classes share the forward",
            example_analysis(tuple(_wiring(name, _row((2,), "out:2/overwritten")) for name in ("Tulip", "Crocus"))),
            (f"Tulip, Crocus: id 2 captures out:2 and loses it: {_WAY}",),
        ),
        Example(
            "a draft is fed by it",
            _compared(*_LOST),
            (f"ids 2,30 capture out:2, out:30, and the draft is not served them: {_WAY}",),
        ),
        Example(
            "the id was asked for",
            example_analysis((_wiring("TulipForCausalLM", _row((-1,), "embed/overwritten"), bare=False),)),
            (f"TulipForCausalLM: id -1 captures embed and loses it: {_WAY}",),
        ),
        Example("only an id at the edge is hit", example_analysis((_wiring("TulipForCausalLM", _row((-1,), "embed/overwritten")),))),
        Example("copies are kept", _compared("out:2", "out:30")),
    ),
)
