"""Expressions: one short function for each kind, and the table that finds it."""
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

import libcst as cst

from .. import ir
from .context import ExpressionRule, Lowering, Twin, child, children
from .operators import BINARY, COMPARISON, UNARY
from .parameters import lower_arguments, lower_parameters
from .strings import lower_string

_KEYWORD_CONSTANTS: Final[dict[str, bool | None]] = {"True": True, "False": False, "None": None}


def _leaf(build: Callable[..., ir.Expression]) -> Callable[..., ir.Expression]:
    """An expression that is one token: its node and its place are all there is to it."""

    def lower(_low: Lowering, node: cst.CSTNode, _twin: Twin, at: ir.At) -> ir.Expression:
        return build(node, at)

    return lower


def _name(node: cst.Name, at: ir.At) -> ir.Expression:
    if node.value in _KEYWORD_CONSTANTS:
        return ir.Const(_KEYWORD_CONSTANTS[node.value], at)
    return ir.Name(node.value, at)


def _integer(node: cst.Integer, at: ir.At) -> ir.Expression:
    return ir.Const(int(node.value, 0), at)


def _float(node: cst.Float, at: ir.At) -> ir.Expression:
    return ir.Const(float(node.value), at)


def _imaginary(node: cst.Imaginary, at: ir.At) -> ir.Expression:
    return ir.Const(complex(node.value.replace("_", "")), at)


def _ellipsis(_node: cst.Ellipsis, at: ir.At) -> ir.Expression:
    return ir.EllipsisConst(at)


def _attribute(low: Lowering, node: cst.Attribute, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Attribute(low.expression(node.value, child(twin, "value"), at), node.attr.value, at)


def _subscript(low: Lowering, node: cst.Subscript, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Subscript(low.expression(node.value, child(twin, "value"), at), _index(low, node, child(twin, "slice"), at), at)


def _index(low: Lowering, node: cst.Subscript, twin: Twin, at: ir.At) -> ir.Expression:
    """``x[a]``, or a tuple: ``x[a, b]``, ``x[a,]``, ``x[*a]``."""
    elements = node.slice
    first = elements[0]
    starred = isinstance(first.slice, cst.Index) and first.slice.star is not None
    if len(elements) == 1 and not starred and not isinstance(first.comma, cst.Comma):
        return _slice_part(low, first.slice, twin, at)
    at = low.place(twin, at)
    twins = children(twin, "elts", len(elements))
    items = tuple(_slice_part(low, each.slice, its_twin, at) for each, its_twin in zip(elements, twins, strict=True))
    return ir.Display("tuple", items, at)


def _slice_part(low: Lowering, node: cst.BaseSlice, twin: Twin, at: ir.At) -> ir.Expression:
    if not isinstance(node, cst.Index):
        return low.expression(node, twin, at)
    if node.star is None:
        return low.expression(node.value, twin, at)
    at = low.place(twin, at)
    return ir.Starred(low.expression(node.value, child(twin, "value"), at), at)


def _slice(low: Lowering, node: cst.Slice, twin: Twin, at: ir.At) -> ir.Expression:
    lower = low.optional(node.lower, child(twin, "lower"), at)
    upper = low.optional(node.upper, child(twin, "upper"), at)
    return ir.Slice(lower, upper, low.optional(node.step, child(twin, "step"), at), at)


def _call(low: Lowering, node: cst.Call, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Call(low.expression(node.func, child(twin, "func"), at), lower_arguments(low, node, twin, at), at)


def _binary(low: Lowering, node: cst.BinaryOperation, twin: Twin, at: ir.At) -> ir.Expression:
    left = low.expression(node.left, child(twin, "left"), at)
    return ir.Binary(BINARY[type(node.operator)], left, low.expression(node.right, child(twin, "right"), at), at)


def _unary(low: Lowering, node: cst.UnaryOperation, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Unary(UNARY[type(node.operator)], low.expression(node.expression, child(twin, "operand"), at), at)


def _boolean(low: Lowering, node: cst.BooleanOperation, twin: Twin, at: ir.At) -> ir.Expression:
    """``a and b and c`` is one list of operands in ``ast`` and nests to the left in libcst and here."""
    op: Literal["and", "or"] = "and" if isinstance(node.operator, cst.And) else "or"
    operands = [node.right]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and type(left.operator) is type(node.operator) and not left.lpar:
        operands.append(left.right)
        left = left.left
    first, *others = children(twin, "values", len(operands) + 1)
    result = low.expression(left, first, at)
    for operand, its_twin in zip(reversed(operands), others, strict=True):
        result = ir.Boolean(op, result, low.expression(operand, its_twin, at), at)
    return result


def _compare(low: Lowering, node: cst.Comparison, twin: Twin, at: ir.At) -> ir.Expression:
    twins = children(twin, "comparators", len(node.comparisons))
    left = low.expression(node.left, child(twin, "left"), at)
    comparisons = tuple(
        (COMPARISON[type(each.operator)], low.expression(each.comparator, its_twin, at))
        for each, its_twin in zip(node.comparisons, twins, strict=True)
    )
    return ir.Compare(left, comparisons, at)


def _conditional(low: Lowering, node: cst.IfExp, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Conditional(
        test=low.expression(node.test, child(twin, "test"), at),
        body=low.expression(node.body, child(twin, "body"), at),
        orelse=low.expression(node.orelse, child(twin, "orelse"), at),
        at=at,
    )


def _lambda(low: Lowering, node: cst.Lambda, twin: Twin, at: ir.At) -> ir.Expression:
    parameters = lower_parameters(low, node.params, child(twin, "args"), at)
    with low.inner() as names:
        body_twin = child(twin, "body")
        result = ir.Return(low.expression(node.body, body_twin, at), low.place(body_twin, at))
    function = ir.Function(
        name="<lambda>",
        parameters=parameters,
        body=(result,),
        decorators=(),
        bound=frozenset(names.bound.union(each.name for each in parameters)),
        globals=frozenset(),
        nonlocals=frozenset(),
        is_async=False,
        is_generator=names.has_yield,
        at=at,
    )
    return ir.Lambda(function, at)


def _starred(low: Lowering, node: cst.StarredElement, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Starred(low.expression(node.value, child(twin, "value"), at), at)


def _items(low: Lowering, nodes: Sequence[cst.BaseElement], twin: Twin, at: ir.At) -> tuple[ir.Expression, ...]:
    twins = children(twin, "elts", len(nodes))
    return tuple(
        low.expression(each.value if isinstance(each, cst.Element) else each, its_twin, at)
        for each, its_twin in zip(nodes, twins, strict=True)
    )


def _tuple(low: Lowering, node: cst.Tuple, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Display("tuple", _items(low, node.elements, twin, at), at)


def _list(low: Lowering, node: cst.List, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Display("list", _items(low, node.elements, twin, at), at)


def _set(low: Lowering, node: cst.Set, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Display("set", _items(low, node.elements, twin, at), at)


def _dict(low: Lowering, node: cst.Dict, twin: Twin, at: ir.At) -> ir.Expression:
    count = len(node.elements)
    twins = zip(node.elements, children(twin, "keys", count), children(twin, "values", count), strict=True)
    return ir.DictDisplay(
        tuple(
            (
                low.expression(each.key, key, at) if isinstance(each, cst.DictElement) else None,
                low.expression(each.value, value, at),
            )
            for each, key, value in twins
        ),
        at,
    )


_COMPREHENSIONS: Final[dict[type[cst.BaseComp], Literal["list", "set", "dict", "generator"]]] = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.DictComp: "dict",
    cst.GeneratorExp: "generator",
}


def _comprehension(low: Lowering, node: cst.BaseSimpleComp | cst.DictComp, twin: Twin, at: ir.At) -> ir.Expression:
    if isinstance(node, cst.DictComp):
        element = low.expression(node.key, child(twin, "key"), at)
        value = low.expression(node.value, child(twin, "value"), at)
    else:
        element, value = low.expression(node.elt, child(twin, "elt"), at), None
    loops = _loops(node.for_in)
    twins = children(twin, "generators", len(loops))
    clauses = tuple(_clause(low, loop, its_twin, at) for loop, its_twin in zip(loops, twins, strict=True))
    if any(loop.asynchronous for loop in loops):
        return ir.OpaqueExpression(low.text(node, twin), at)
    return ir.Comprehension(_COMPREHENSIONS[type(node)], element, value, clauses, at)


def _loops(loop: cst.CompFor | None) -> list[cst.CompFor]:
    loops = []
    while loop is not None:
        loops.append(loop)
        loop = loop.inner_for_in
    return loops


def _clause(low: Lowering, node: cst.CompFor, twin: Twin, at: ir.At) -> ir.Clause:
    """Its target is the comprehension's own and not bound in the function around it."""
    target = low.expression(node.target, child(twin, "target"), at)
    iterable = low.expression(node.iter, child(twin, "iter"), at)
    tests = zip(node.ifs, children(twin, "ifs", len(node.ifs)), strict=True)
    return ir.Clause(target, iterable, tuple(low.expression(each.test, its_twin, at) for each, its_twin in tests))


def _named(low: Lowering, node: cst.NamedExpr, twin: Twin, at: ir.At) -> ir.Expression:
    target = low.target(node.target, child(twin, "target"), at)
    value = low.expression(node.value, child(twin, "value"), at)
    if isinstance(target, ir.Name):
        return ir.NamedExpression(target, value, at)
    return ir.OpaqueExpression(low.text(node, twin), at)


def _await(low: Lowering, node: cst.Await, twin: Twin, at: ir.At) -> ir.Expression:
    return ir.Await(low.expression(node.expression, child(twin, "value"), at), at)


def _yield(low: Lowering, node: cst.Yield, twin: Twin, at: ir.At) -> ir.Expression:
    low.names.has_yield = True
    delegate = isinstance(node.value, cst.From)
    value = node.value.item if isinstance(node.value, cst.From) else node.value
    return ir.Yield(low.optional(value, child(twin, "value"), at), delegate, at)


EXPRESSIONS: Final[Mapping[type[cst.CSTNode], ExpressionRule]] = {
    cst.Name: ExpressionRule(_leaf(_name), (ast.Name, ast.Constant)),
    cst.Attribute: ExpressionRule(_attribute, ast.Attribute),
    cst.Call: ExpressionRule(_call, ast.Call),
    cst.Subscript: ExpressionRule(_subscript, ast.Subscript),
    cst.Slice: ExpressionRule(_slice, ast.Slice),
    cst.Integer: ExpressionRule(_leaf(_integer), ast.Constant),
    cst.Float: ExpressionRule(_leaf(_float), ast.Constant),
    cst.Imaginary: ExpressionRule(_leaf(_imaginary), ast.Constant),
    cst.Ellipsis: ExpressionRule(_leaf(_ellipsis), ast.Constant),
    cst.SimpleString: ExpressionRule(lower_string, ast.Constant),
    cst.ConcatenatedString: ExpressionRule(lower_string, (ast.Constant, ast.JoinedStr)),
    cst.FormattedString: ExpressionRule(lower_string, ast.JoinedStr),
    cst.BinaryOperation: ExpressionRule(_binary, ast.BinOp),
    cst.UnaryOperation: ExpressionRule(_unary, ast.UnaryOp),
    cst.BooleanOperation: ExpressionRule(_boolean, ast.BoolOp),
    cst.Comparison: ExpressionRule(_compare, ast.Compare),
    cst.IfExp: ExpressionRule(_conditional, ast.IfExp),
    cst.Lambda: ExpressionRule(_lambda, ast.Lambda),
    cst.StarredElement: ExpressionRule(_starred, ast.Starred),
    cst.Tuple: ExpressionRule(_tuple, ast.Tuple),
    cst.List: ExpressionRule(_list, ast.List),
    cst.Set: ExpressionRule(_set, ast.Set),
    cst.Dict: ExpressionRule(_dict, ast.Dict),
    cst.ListComp: ExpressionRule(_comprehension, ast.ListComp),
    cst.SetComp: ExpressionRule(_comprehension, ast.SetComp),
    cst.DictComp: ExpressionRule(_comprehension, ast.DictComp),
    cst.GeneratorExp: ExpressionRule(_comprehension, ast.GeneratorExp),
    cst.NamedExpr: ExpressionRule(_named, ast.NamedExpr),
    cst.Await: ExpressionRule(_await, ast.Await),
    cst.Yield: ExpressionRule(_yield, (ast.Yield, ast.YieldFrom)),
}
