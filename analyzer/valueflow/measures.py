"""How wide captured states are: what asks for it, and which conditions hang on the answer. Only a run that measures has such values."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..interpret.wording import worded
from ..values import FunctionValue
from .domain import UNKNOWN, Exact, Fits, Form, Made, Object, Val

if TYPE_CHECKING:
    from .engine import Engine

ASKED = frozenset({"shape", "size"})
"""What tells the widths of a tensor's axes."""
WIDTH_AXES = frozenset({-1, 1})
"""States are a matrix with a row for each token, so its width is the last of two axes."""
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
COMPARED = frozenset({"==", "!=", "in", "not in", *MIRRORED})
PLAIN = frozenset({"int", "bool", "list", "tuple"})
"""Builtins that hand on the width, the shape or the answer that they are given."""
LONGEST_HELPER = 20
"""Lines of a function that may be there to tell a width."""


def form_of(engine: Engine, val: Val, name: str) -> Val:
    """``val.shape`` and ``val.size``, of a tensor that is made of captured states or by a part of the draft."""
    makers = tuple(thing.maker for thing in val.things if isinstance(thing, Made))
    if not engine.journal.measuring or name not in ASKED or not (val.marks or makers):
        return UNKNOWN
    return Val((Form(bool(val.marks), makers, whole=True),), open=True)


def made_by(engine: Engine, maker: Object, found: Val) -> Val:
    """What a part of the draft makes of other things."""
    if not engine.journal.measuring or maker.field is None or found.marks:
        return found
    return replace(found, things=(*found.things, Made(maker)), open=True)


def forms_in(*vals: Val) -> list[Form]:
    return [thing for val in vals for thing in val.things if isinstance(thing, Form)]


def part_of(val: Val, index: ir.Expression | None, at: Val) -> Val | None:
    """``shape[at]``: the width, what is left of a shape that still has it, or nothing that counts. None where it is no shape."""
    forms = [form for form in forms_in(val) if form.whole]
    if not forms:
        return None
    if isinstance(index, ir.Slice):
        return val if index.upper is None and index.step is None else UNKNOWN
    axis = at.only.value if isinstance(at.only, Exact) else None
    return widths(forms) if isinstance(axis, int) and axis in WIDTH_AXES else UNKNOWN


def widths(forms: Iterable[Form]) -> Val:
    return Val(tuple(replace(form, whole=False) for form in forms), open=True)


def size_of(form: Form, given: Iterable[Val]) -> Val:
    """``size()`` and ``size(axis)``."""
    axis = next(iter(given), None)
    whole = Val((form,), open=True)
    return whole if axis is None else part_of(whole, None, axis) or UNKNOWN


def computed(left: Val, right: Val) -> Val | None:
    """What is computed of a width. None where neither side is one."""
    forms = [form for form in forms_in(left, right) if not form.whole]
    return Val(tuple(replace(form, exact=False) for form in forms), open=True) if forms else None


def handed_on(engine: Engine, name: str, vals: list[Val]) -> Val | None:
    """``int(width)``, ``bool(answer)`` and their like."""
    alone = vals[0] if len(vals) == 1 and name in PLAIN else UNKNOWN
    return alone if engine.journal.measuring and any(isinstance(thing, Form | Fits) for thing in alone.things) else None


# -------------------------------------------------------------------- conditions


def fits(engine: Engine, node: ir.Compare, left: Val, right: Val) -> Val | None:
    """The comparison of a width of captured states. None for any other."""
    op = node.comparisons[0][0]
    mine, others = [form for form in forms_in(left) if form.tracked], right
    if not mine:
        mine, others, op = [form for form in forms_in(right) if form.tracked], left, MIRRORED.get(op, op)
    if not mine or len(node.comparisons) > 1 or op not in COMPARED:
        return None
    exact = all(form.exact and not form.whole for form in mine) and op not in ("in", "not in")
    text, _ = worded(node, lambda _: None, {})
    return Val((Fits(engine.location(node.at), node.at.column, text, op, told_by(others) if exact else None),), open=True)


def told_by(val: Val) -> int | tuple[Object, ...] | None:
    """What tells how wide the other side is."""
    if isinstance(val.only, Exact) and isinstance(val.only.value, int):
        return int(val.only.value)
    return tuple(maker for form in forms_in(val) if form.exact and not (form.whole or form.tracked) for maker in form.makers) or None


def answers_in(val: Val) -> tuple[Fits, ...]:
    """The comparisons that a value hangs on; a width that is asked whether it is zero is one with nothing known."""
    return tuple(thing for thing in val.things if isinstance(thing, Fits))


def negated(val: Val) -> Val:
    """``not val``, as far as it hangs on a width."""
    found = tuple(replace(each, negated=not each.negated) for each in answers_in(val))
    return Val(found, open=True) if found else UNKNOWN


def joined_with(val: Val, op: str) -> Val:
    """A value that is one side of ``and`` or ``or`` with something that is not known: only one answer decides it then."""
    if not answers_in(val):
        return val
    return replace(val, things=tuple(only_as(thing, op == "or") if isinstance(thing, Fits) else thing for thing in val.things))


def only_as(each: Fits, value: bool) -> Fits:
    """A comparison that decides a value only where that is so."""
    return replace(each, forces=frozenset(answer for answer in each.forces if (answer != each.negated) is value))


def flagged(engine: Engine, val: Val) -> Val:
    """True or False that is kept, or returned, in one branch of a condition on a width: it tells of that."""
    if not engine.journal.measuring or not isinstance(val.only, Exact) or not isinstance(val.only.value, bool):
        return val
    value, journal = val.only.value, engine.journal
    for depth, (branch, which) in enumerate(reversed(journal.arms)):
        if tests := journal.tests.get(branch):
            kept = (only_as(each, which) for each in tests)
            told = [each if which is value else replace(each, negated=not each.negated) for each in kept]
            return replace(val, things=(*val.things, *(replace(each, forces=frozenset()) if depth else each for each in told)), open=True)
    return val


def is_helper(function: FunctionValue, given: Iterable[Val]) -> bool:
    """Whether a function that is handed captured states may be there to tell their width."""
    node = function.node
    if node is None or function.name in ("forward", "__call__") or not any(val.marks or forms_in(val) for val in given):
        return False
    last = node.end_lineno or node.lineno
    text = "\n".join(function.module.lines[node.lineno - 1 : last])
    return last - node.lineno < LONGEST_HELPER and any(f".{name}" in text for name in ASKED)
