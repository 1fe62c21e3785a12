"""Which index transform runs depends on the ids' own values.

What it finds
    A setter asks something of the ids (the first one, the largest, how many there are), and shifts them or not by the answer: the same id
    means one layer in one list and another layer in another list. The conditions are those that the setter asked while it ran, and each
    answer was evaluated. One that only refuses a list, puts the default in its place, or captures the same either way, is none.

Why it matters
    Ids come in two dialects, and no number says which of them a list is in. Whoever adds a layer to the front of the list moves all
    the others, and every width still fits.

Example
    A setter adds 1 where ``ids[0] == 1``: [1, 30, 58] captures out:1, out:30, out:58, and [2, 30, 58] captures out:1, out:29, out:57.

Instead
    One convention for all lists. Where both dialects are in use, a key of the config says which one it is.

What it cannot see
    Which of the branches is right for a draft, without the training side. Conditions that none of the evaluated lists answers otherwise.

Sources
    SGLang pull request #25454: the shift is left out unless the first id is 1; in models/deepseek_v2.py since 0.5.13.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..analyzer.convention import effect, phrase, setter_steps, some_names
from ..analyzer.fates import would_serve
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Asked, Clause, Comparison, Condition, Evaluation, Location, Step, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


class _Branch(NamedTuple):
    """One way through the conditions: what it makes of any id, and a list that took it."""

    clause: Clause
    row: Evaluation


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each condition that decides between transforms, naming the target classes whose setter asks it."""
    hit: dict[tuple[Location, str], list[tuple[Wiring, list[_Branch]]]] = {}
    for wiring in analysis.wirings:
        branches = list(_branches(wiring))
        if len({branch.clause.captures for branch in branches}) > 1:
            root = branches[0].clause.conditions[0]
            hit.setdefault((root.at, root.text), []).append((wiring, branches))
    for found in hit.values():
        wrong: list[Comparison | None] = [each for each in analysis.comparisons if any(_is_wrong(each, *one) for one in found)]
        yield from (_finding(found, each) for each in wrong or [None])


def _is_wrong(comparison: Comparison, wiring: Wiring, branches: list[_Branch]) -> bool:
    """Whether a draft would be served what it was trained on by another branch than that which its ids take."""
    same = (comparison.flow, comparison.model) == (wiring.flow, wiring.model)
    return same and any(would_serve(comparison, branch.clause.captures) for branch in branches)


def _branches(wiring: Wiring) -> Iterator[_Branch]:
    """The clauses that hang on what the setter asked; on what the tree leaves open the ids have no influence."""
    asked = {each.at for row in wiring.evaluated for each in row.asked}
    default = next((row.captured for row in wiring.evaluated if row.ids is None), None)  # a list that is not taken says nothing of its ids
    for clause in wiring.convention:
        if clause.conditions and all(condition.at in asked for condition in clause.conditions):
            rows = [row for row in wiring.evaluated if effect(row) == clause.captures and _took(row, clause) and row.captured != default]
            if rows:
                yield _Branch(clause, min(rows, key=_oddness))


def _oddness(row: Evaluation) -> tuple[bool, int]:
    """How far a list is from an example: ids at the edges, and many of them."""
    ids = row.ids or ()
    return not all(0 < k < row.num_layers - 1 for k in ids), len(ids)


def _took(row: Evaluation, clause: Clause) -> bool:
    """Whether a list gave the answers of a clause."""
    given = {(each.at, each.answer) for each in row.asked}
    return all((condition.at, condition.value) in given for condition in clause.conditions)


def _finding(found: list[tuple[Wiring, list[_Branch]]], wrong: Comparison | None) -> Finding:
    wiring, branches = found[0]
    root = branches[0].clause.conditions[0]
    models, flows = [each.model for each, _ in found], {each.flow for each, _ in found}
    told = "; ".join(map(_told, branches))
    column = next((a.column for row in wiring.evaluated for a in row.asked if a.at == root.at and root.text in (a.text, a.written)), 0)
    conditions = dict.fromkeys(each for branch in branches for each in branch.clause.conditions)
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"{some_names(models)}: `{root.text}` decides what an id means: {told}",
        root.at,
        column + 1,
        flow=wrong.flow if wrong is not None else flows.pop() if len(flows) == 1 else None,
        model=wrong.model if wrong is not None else models[0] if len(set(models)) == 1 else None,
        path=tuple(dict.fromkeys((*_asked(conditions), *(hop for branch in branches for hop in _hops(branch))))),
        help="let one convention hold for all ids; which dialect a list is in is for a key to say, not for its numbers",
        draft=None if wrong is None else wrong.draft,
    )


def _told(branch: _Branch) -> str:
    """One way: which, what it captures, and a list for which it does."""
    conditions = " and ".join(phrase(each) for each in branch.clause.conditions)
    example = f"ids {ids_text(branch.row.ids)}: {', '.join(branch.row.captured or ())}"
    return f"id k captures {branch.clause.captures} if {conditions} ({example})"


def _asked(conditions: dict[Condition, None]) -> Iterator[Hop]:
    yield from (Hop(f"asked: {text}", at) for text, at in dict.fromkeys((condition.text, condition.at) for condition in conditions))


def _hops(branch: _Branch) -> Iterator[Hop]:
    """What the branch makes of its ids."""
    where = " and ".join(phrase(each) for each in branch.clause.conditions)
    yield from (Hop(f"{where}: {step.label}: {step.before} -> {step.after}", step.at) for step in setter_steps(branch.row))


_SETTER, _ASKED = Location("engine/tulip.py", 40), Location("engine/tulip.py", 43)
_PLUS, _PLAIN = Location("engine/tulip.py", 44), Location("engine/tulip.py", 46)


def _row(ids: tuple[int, ...], shift: int, answer: bool) -> Evaluation:
    points, kept = tuple(f"out:{k + shift}" for k in ids), str([k + 1 + shift for k in ids])
    path = (Step("+ 1" if answer else "TulipModel.layers =", str(list(ids)), kept, _PLUS if answer else _PLAIN),)
    asked = (Asked("ids[0] == 1", "ids[0] == 1", _ASKED, 11, answer, True),)
    return Evaluation(ids, 8, None, points, None, "established", None, None, (), (), path, asked)


def _wiring(*answers: tuple[str, bool], shifts: tuple[int, int] = (0, -1)) -> Analysis:
    clauses = tuple(Clause("id k if …", text, (Condition("ids[0] == 1", _ASKED, answer),)) for text, answer in answers)
    rows = (_row((1,), shifts[0], True), _row((2,), shifts[1], False))
    told = clauses or (Clause("id k", "out:k"),)
    return example_analysis((Wiring("eagle3", "TulipForCausalLM", _SETTER, "set_layers", None, told, "established", None, None, (), rows),))


_FIRST = "id k captures out:k if ids[0] == 1 (ids 1: out:1)"
_ELSE = "id k captures out:k-1 if not (ids[0] == 1) (ids 2: out:1)"


RULE = Rule(
    code="FC302",
    name="value-dependent-transform",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "the first id decides",
            _wiring(("out:k", True), ("out:k-1", False)),
            (f"TulipForCausalLM: `ids[0] == 1` decides what an id means: {_FIRST}; {_ELSE}",),
        ),
        Example("both answers capture the same", _wiring(shifts=(0, 0))),
    ),
)
