"""Expressions: one handler for each kind of node, in a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from .. import ir
from ..values import External, Phi, Unknown, Value
from .arithmetic import binary, unary
from .asking import calculated, compared, note
from .attributes import get_attribute
from .branch import choose, pick, require
from .comprehensions import comprehension
from .containers import iterate, subscript
from .names import look_up
from .operators import compare, condition, truth
from .phis import alternatives
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine

Handler: TypeAlias = Callable[..., Value]
"""Evaluates one kind of expression: the machine and the node."""


def evaluate(machine: Machine, node: ir.Expression) -> Value:
    """The value of an expression in the running function, with the conditions that are known answered."""
    value = HANDLERS[type(node)](machine, node)
    return value if type(value) is not Phi else pick(machine, value)


def constant(machine: Machine, node: ir.Const) -> Value:
    return node.value


def ellipsis(machine: Machine, node: ir.EllipsisConst) -> Value:
    return External("builtins.Ellipsis")


def name(machine: Machine, node: ir.Name) -> Value:
    return look_up(machine, node.id)


def attribute(machine: Machine, node: ir.Attribute) -> Value:
    value = evaluate(machine, node.value)
    frame = machine.frames[-1]
    before, frame.at = frame.at, node.at
    result = get_attribute(machine, value, node.attr)
    frame.at = before
    return result


def slice_(machine: Machine, node: ir.Slice) -> Value:
    return slice(*(None if part is None else evaluate(machine, part) for part in (node.lower, node.upper, node.step)))


def item(machine: Machine, node: ir.Subscript) -> Value:
    value, index = evaluate(machine, node.value), evaluate(machine, node.index)
    frame = machine.frames[-1]
    before, frame.at = frame.at, node.at
    result = subscript(machine, value, index)
    frame.at = before
    return result


def call(machine: Machine, node: ir.Call) -> Value:
    function = evaluate(machine, node.func)
    args: list[Value] = []
    keywords: dict[str, Value] = {}
    complete = positions = True
    for argument in node.arguments:
        value = evaluate(machine, argument.value)
        if argument.star == 0 and argument.keyword is None:
            args.append(value)
        elif argument.star == 0 and argument.keyword is not None:
            keywords[argument.keyword] = value
        elif argument.star == 1:
            spread = iterate(machine, value)
            args.extend(spread or ())
            positions &= spread is not None
        else:
            complete &= machine.spread_keywords(function, value, keywords)
    if not complete or not positions:
        return machine.call_incomplete(function, tuple(args), keywords, positions=positions)
    if isinstance(function, External) and function.name == "builtins.super":
        return machine.super_of(args)
    frame = machine.frames[-1]
    before, frame.at = frame.at, node.at
    result = machine.call(function, tuple(args), keywords)
    frame.at = before
    return result


def operation(machine: Machine, node: ir.Binary) -> Value:
    left = evaluate(machine, node.left)
    if machine.asking is not None:
        calculated(machine, node.at)
    return binary(machine, node.op, left, evaluate(machine, node.right), node.at)


def unary_operation(machine: Machine, node: ir.Unary) -> Value:
    return unary(machine, node.op, evaluate(machine, node.operand), node.at)


def boolean(machine: Machine, node: ir.Boolean) -> Value:
    """``and`` and ``or`` answer an operand, and evaluate the right one only where the left one leaves it open."""
    left = evaluate(machine, node.left)
    known = condition(machine, truth(machine, left))
    if machine.asking is not None:
        note(machine, node.left, known)
    stops_at = node.op == "or"
    if isinstance(known, bool):
        if known is stops_at:
            return left
        right = evaluate(machine, node.right)
        if machine.asking is not None:
            note(machine, node.right, right)
        return right
    return choose(machine, known, lambda side: stopped(machine, left, known, side) if side is stops_at else evaluate(machine, node.right))


def stopped(machine: Machine, left: Value, known: Unknown | Phi, side: bool) -> Value:
    """The left operand where it is the answer: its truth is known there. Where that is a condition made of many, which would be another one
    if it were asked again, what it is made of are truths, and it is false, it stands for something false."""
    value = pick(machine, left)
    many = isinstance(value, Phi) and isinstance(known, Unknown) and known.parts
    if side or not many or not all(isinstance(each, bool | Unknown) for each in alternatives(value)):
        return value
    false = machine.mystery("false", known.reason if isinstance(known, Unknown) else "", reads_ids=machine.reads_ids(value))
    machine.base_facts[false.key] = False
    return false


def comparison(machine: Machine, node: ir.Compare) -> Value:
    result = compared_links(machine, node)
    if machine.asking is not None:
        note(machine, node, result)
    return result


def compared_links(machine: Machine, node: ir.Compare) -> Value:
    left = evaluate(machine, node.left)
    result: Value = True
    for position, (op, right_node) in enumerate(node.comparisons):
        right = evaluate(machine, right_node)
        if machine.asking is not None:
            compared(machine, left, right)
        answer = compare(machine, op, left, right)
        if position == 0:
            result = answer
        else:
            result = both(machine, result, answer)
        if result is False:
            return False
        left = right
    return result


def both(machine: Machine, first: Value, second: Value) -> Value:
    """Two links of a chained comparison."""
    known = condition(machine, first)
    if isinstance(known, bool):
        return second if known else False
    return choose(machine, known, lambda side: second if side else False)


def conditional(machine: Machine, node: ir.Conditional) -> Value:
    known = condition(machine, evaluate(machine, node.test))
    if machine.asking is not None:
        note(machine, node.test, known)
    if isinstance(known, bool):
        return evaluate(machine, node.body if known else node.orelse)
    return choose(machine, known, lambda side: evaluate(machine, node.body if side else node.orelse))


def lambda_(machine: Machine, node: ir.Lambda) -> Value:
    return machine.close_over(node.function)


def display(machine: Machine, node: ir.Display) -> Value:
    items: list[Value] = []
    for element in node.items:
        if isinstance(element, ir.Starred):
            value = evaluate(machine, element.value)
            spread = iterate(machine, value)
            if spread is None:
                return open_display(machine, node)
            items.extend(spread)
        else:
            items.append(evaluate(machine, element))
    if node.kind == "list":
        items = [machine.kept(item) for item in items]
    if node.kind == "tuple":
        return tuple(items)
    return machine.new_list(tuple(items)) if node.kind == "list" else machine.set_from(tuple(items))


def open_display(machine: Machine, node: ir.Display) -> Value:
    """A display of which the length is not known; of a tuple the last item may be."""
    made = machine.unknown_items(node.kind)
    last = node.items[-1]
    if isinstance(made, Unknown) and not isinstance(last, ir.Starred):
        machine.tails[made.key] = evaluate(machine, last)
    return made


def dict_display(machine: Machine, node: ir.DictDisplay) -> Value:
    made = machine.new_dict({})
    for key, value_node in node.items:
        value = evaluate(machine, value_node)
        if key is None:
            machine.call_method(made, "update", (value,), node.at)
        else:
            machine.set_item(made, evaluate(machine, key), value)
    return made


def formatted(machine: Machine, node: ir.FormattedString) -> Value:
    texts: list[str] = []
    for part in node.parts:
        value = evaluate(machine, part)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            texts.append(str(value))
        else:
            return machine.mystery("text", "a formatted text", not_none=True)
    return "".join(texts)


def named(machine: Machine, node: ir.NamedExpression) -> Value:
    value = evaluate(machine, node.value)
    machine.bind_name(node.target.id, value)
    return value


def await_(machine: Machine, node: ir.Await) -> Value:
    return evaluate(machine, node.value)


def yield_(machine: Machine, node: ir.Yield) -> Value:
    value = evaluate(machine, node.value) if node.value is not None else None
    consumer = machine.frame.on_yield
    if consumer is None:
        return machine.mystery("yield", "a value sent to a generator")
    if not node.delegate:
        consumer(value)
        return None
    values = iterate(machine, require(machine, value, "what is yielded depends on it"))
    if values is None:
        raise GiveUp("a generator delegates to something of unknown length", machine.location(node.at))
    for each in values:
        consumer(each)
    return None


def opaque(machine: Machine, node: ir.OpaqueExpression) -> Value:
    return machine.mystery("expression", f"an expression outside the vocabulary: {node.text[:60]}")


def starred(machine: Machine, node: ir.Starred) -> Value:
    raise GiveUp("a starred expression outside of a display", machine.location(node.at))


HANDLERS: dict[type, Handler] = {
    ir.Const: constant,
    ir.EllipsisConst: ellipsis,
    ir.Name: name,
    ir.Attribute: attribute,
    ir.Slice: slice_,
    ir.Subscript: item,
    ir.Call: call,
    ir.Binary: operation,
    ir.Unary: unary_operation,
    ir.Boolean: boolean,
    ir.Compare: comparison,
    ir.Conditional: conditional,
    ir.Lambda: lambda_,
    ir.Starred: starred,
    ir.Display: display,
    ir.DictDisplay: dict_display,
    ir.Comprehension: comprehension,
    ir.FormattedString: formatted,
    ir.NamedExpression: named,
    ir.Await: await_,
    ir.Yield: yield_,
    ir.OpaqueExpression: opaque,
}
