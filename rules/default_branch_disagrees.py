"""Default and explicit ids of one setter follow different conventions.

What it finds
    Without ids a setter keeps a list of its own as it is written; ids that it is given it shifts first. The same numbers mean other
    layers then. It is a fact to know: which points are right is for the draft to say that is served, and where the default stands in
    for ids that a draft needs, that is FC105.

Why it matters
    Both lists look alike, and both sides' defaults pick the same three points, so that default runs hide every mistake. Whoever copies
    the default into a config moves all points by one layer.

Example
    ``[2, L // 2, L - 3]`` without ids captures out:1 first; given as ids it captures out:2 first.

Instead
    Write the default in the dialect of the ids, and let it go through the same transform.

What it cannot see
    Defaults that are kept as marks on the layers, not as a list. Whether a shift of the default is done by hand: numbers that are
    calculated are taken as they are kept.

Sources
    SGLang, the eagle3 setters of most models since 0.4.7; vllm-project/speculators issue 1065 has ids copied from such a default.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.convention import effect, setter_steps, some_names
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Asked, Evaluation, Location, Step, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


class _Apart(NamedTuple):
    """The default of a setter, and the first list that goes another way: what each makes of an id."""

    default: Evaluation
    of_default: str
    row: Evaluation
    of_row: str


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each default that is another convention than the ids of its setter, naming the target classes that share it."""
    hit: dict[Location, list[tuple[Wiring, _Apart]]] = {}
    for wiring in analysis.wirings:
        if (apart := _apart(wiring)) is not None:
            hit.setdefault(_place(wiring, apart), []).append((wiring, apart))
    for at, found in hit.items():
        yield _finding(at, found)


def _apart(wiring: Wiring) -> _Apart | None:
    default = next((row for row in wiring.evaluated if row.ids is None), None)
    if default is None or not default.layers_to_capture:
        return None
    own = effect(replace(default, ids=default.layers_to_capture))
    if own is None:
        return None
    for row in wiring.evaluated:
        found = effect(row) if any(0 < k < row.num_layers - 1 for k in row.ids or ()) else None
        if found not in (None, own) and not set(row.computed) <= set(default.computed):
            return _Apart(default, own, row, str(found))
    return None


def _place(wiring: Wiring, apart: _Apart) -> Location:
    """Where the default is kept; where both are kept at one place, the condition that leads there."""
    kept = [step.at for step in setter_steps(apart.default)]
    other = {step.at for step in setter_steps(apart.row)}
    own = [at for at in kept if at not in other]
    if own:
        return own[-1]
    answers = {(each.at, each.column): each.answer for each in apart.row.asked}
    asked = (each.at for each in apart.default.asked if answers.get((each.at, each.column), each.answer) != each.answer)
    return next(asked, kept[-1] if kept else wiring.at)


def _finding(at: Location, found: list[tuple[Wiring, _Apart]]) -> Finding:
    apart = found[0][1]
    models, flows = [each.model for each, _ in found], {each.flow for each, _ in found}
    kept, points = list(apart.default.layers_to_capture or ()), ", ".join(apart.default.captured or ())
    given = f"ids {ids_text(apart.row.ids)} {', '.join(apart.row.captured or ())}"
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"{some_names(models)}: the default {kept} captures {points}, so that k is {apart.of_default}; "
        f"ids that are given mean {apart.of_row} (here {given})",
        at,
        flow=flows.pop() if len(flows) == 1 else None,
        model=models[0] if len(set(models)) == 1 else None,
        expected=apart.of_row,
        actual=apart.of_default,
        path=(*_hops("default", apart.default), *_hops(f"ids {ids_text(apart.row.ids)}", apart.row)),
    )


def _hops(whose: str, row: Evaluation) -> Iterator[Hop]:
    yield from (Hop(f"{whose}: {step.label}: {step.before} -> {step.after}", step.at) for step in setter_steps(row))


_SETTER, _TEST = Location("engine/tulip.py", 40), Location("engine/tulip.py", 41)
_KEPT, _SHIFT = Location("engine/tulip.py", 42), Location("engine/tulip.py", 44)


def _row(ids: tuple[int, ...] | None, stored: tuple[int, ...], at: Location, *, shifted: bool) -> Evaluation:
    kept = str(list(stored))
    steps = (Step("TulipModel.layers =", kept, kept, at),)
    asked = (Asked("ids is None", "ids is None", _TEST, 11, ids is None),)
    points = tuple(f"out:{k - 1}" for k in stored)
    return Evaluation(
        ids, 8, stored, points, None, "established", None, None, (), (), steps, asked, computed=((_SHIFT, 8),) if shifted else ()
    )


def _wiring(at: Location, *, both: bool = False) -> Analysis:
    rows = (_row(None, (2, 4, 5), at, shifted=both), _row((3,), (4,), _SHIFT, shifted=True))
    return example_analysis((Wiring("eagle3", "TulipForCausalLM", _SETTER, "set_layers", None, (), "established", None, None, (), rows),))


_TOLD = (
    "TulipForCausalLM: the default [2, 4, 5] captures out:1, out:3, out:4, so that k is out:k-1; ids that are given mean out:k "
    "(here ids 3 out:3)"
)

RULE = Rule(
    code="FC303",
    name="default-branch-disagrees",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    examples=(
        Example("the default is kept as it is written", _wiring(_KEPT), (_TOLD,)),
        Example("both are kept at one place", _wiring(_SHIFT), (_TOLD,)),
        Example("the default goes through the same transform", _wiring(_SHIFT, both=True)),
    ),
)
