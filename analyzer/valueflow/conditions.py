"""Conditions: comparisons, and which of two values it is; a test on a tracked value becomes a node."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..graph import Node
from ..values import EnumMember
from .domain import UNKNOWN, Closure, Exact, Items, Something, Val, exact, is_constant, join
from .items import items_of, truth
from .journal import label, note_falsy
from .lookups import decided_by_missing, has_entry
from .measures import fits, flagged, joined_with
from .store import State
from .texts import test_text, text_of
from .tracks import tracked

if TYPE_CHECKING:
    from .engine import Engine


def boolean(engine: Engine, node: ir.Boolean, state: State) -> Val:
    left = engine.evaluate(node.left, state)
    decided_by_missing(engine, left, node.at)
    answer = truth(engine, state, left)
    if answer is (node.op == "or"):
        return left
    if answer is False:
        note_falsy(engine, left, label(node.right), node.at, flags=True)
    right = engine.evaluate(node.right, state)
    if answer is not None:
        about = left.about if left.missing and not right.origin else right.about
        right = replace(right, about=about) if about != right.about else right
        return right if not left.marks else replace(right, marks=right.marks | left.marks) if is_constant(left) else right
    if right.only == Exact(node.op == "or") and not (left.marks or left.objects or left.carry):  # whatever the left one is
        return right
    return join(joined_with(left, node.op), joined_with(right, node.op))


def conditional(engine: Engine, node: ir.Conditional, state: State) -> Val:
    test = engine.evaluate(node.test, state)
    answer = truth(engine, state, test)
    before = state.control
    marks = tested(engine, state, node.test, test)
    state.control = before | marks
    if answer is None:
        engine.open += 1
        branch = engine.journal.branch(test)
        with engine.journal.arm(branch, True):
            body = flagged(engine, engine.evaluate(node.body, state))
        with engine.journal.arm(branch, False):
            orelse = flagged(engine, engine.evaluate(node.orelse, state))
        engine.open -= 1
        found = join(body, orelse)
    else:
        found = engine.evaluate(node.body if answer else node.orelse, state)
        note_falsy(engine, test, label(node.body if answer else node.orelse), node.at)
    state.control = before
    if marks and not found.marks:  # which of the two it is tells of the tracked value
        found = replace(found, marks=marks)
    return found


def tested(engine: Engine, state: State, node: ir.Expression, test: Val) -> frozenset[Node]:
    """The tests by which a tracked value decides a branch: the comparison, or the flag that is looked at."""
    flags = frozenset(mark for mark in test.marks if mark.kind != "test")
    if not flags:
        return test.marks
    made = engine.node("test", text_of(node), node.at)
    engine.tracks.hop(flags, made)
    return (test.marks - flags) | {made}


def compare(engine: Engine, node: ir.Compare, state: State) -> Val:
    left = first = engine.evaluate(node.left, state)
    answers: list[bool | None] = []
    marks: frozenset[object] = frozenset()
    for op, operand in node.comparisons:
        right = engine.evaluate(operand, state)
        decided_by_missing(engine, left, node.at)
        answers.append(_in_config(engine, op, left, right, node.at) if op in ("in", "not in") and right.origin else None)
        if answers[-1] is None:
            answers[-1] = _compare(engine, state, op, left, right)
        if op not in ("is", "is not"):
            marks |= tracked(state, left) | tracked(state, right)
        left = right
    answer = False if False in answers else None if None in answers else True
    width = fits(engine, node, first, left) if answer is None and engine.journal.measuring else None
    result = width or (UNKNOWN if answer is None else exact(answer))
    if not marks:
        return result
    test = engine.node("test", test_text(node), node.at)
    engine.tracks.hop(marks, test)  # type: ignore[arg-type]
    return result.marked(test)


def _compare(engine: Engine, state: State, op: str, left: Val, right: Val) -> bool | None:
    if op in ("is", "is not", "==", "!="):
        same = _same(engine, left, right)
        return same if same is None or op in ("is", "==") else not same
    if op in ("in", "not in"):
        match left.only, right.only:
            case Exact(value=str() as part), Exact(value=str() as whole):
                return (part in whole) == (op == "in")
        items = items_of(state, right)
        answers = [_same(engine, left, item) for item in items] if items is not None else [None]
        found = True if True in answers else None if None in answers else False
        return found if found is None or op == "in" else not found
    match left.only, right.only:
        case Exact(value=int() as a), Exact(value=int() as b):
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.get(op)
    return None


def _in_config(engine: Engine, op: str, left: Val, right: Val, at: ir.At) -> bool | None:
    """Whether a key is in a config that is in hand."""
    key = left.only
    found = has_entry(engine, right, key.value, at) if isinstance(key, Exact) and isinstance(key.value, str) else None
    return found if found is None or op == "in" else not found


def _same(engine: Engine, left: Val, right: Val) -> bool | None:
    """Whether two values are equal: told where both are exact, or one is None and the other cannot be."""
    a, b = left.only, right.only
    if isinstance(a, Exact) and isinstance(b, Exact):
        members = [isinstance(each.value, EnumMember) for each in (a, b)]
        if members[0] != members[1] and None not in (a.value, b.value):  # a member may be equal to its value
            return None
        return a.value == b.value
    none = Exact(None)
    for one, other in ((left, right), (right, left)):
        certain = other.things and not other.open and all(_never_none(thing) or engine.is_given(thing) for thing in other.things)
        if one.only == none and certain:
            return False
    return None


def _never_none(thing: object) -> bool:
    if isinstance(thing, Exact):
        return thing.value is not None
    return isinstance(thing, Items | Closure | Something) or getattr(thing, "made", False)
