"""Rows of several tensors that are collected apart: each tensor has a list of its own, and what is concatenated is one of these lists.

Where all that a function does with such lists is what is described here, the rows of a tensor stay together, in the order of the tensors::

    lists = [[] for _ in states]
    for …:
        for place, state in enumerate(states):
            lists[place].append(state[start:end])
    whole = [torch.cat(rows) for rows in lists]

That is told by what is written. What else may change ``states`` itself (or its items) is told by the value flow.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from .. import ir

if TYPE_CHECKING:
    from .engine import Engine

Parents: TypeAlias = Mapping[ast.AST, ast.AST]


def keeps_apart(engine: Engine, node: ir.Call) -> bool:
    """Whether what a call concatenates are rows of one tensor, for each tensor of a list in its turn."""
    function = engine.frame.function
    if function is None or not isinstance(function.node, ast.FunctionDef):
        return False
    parents = {child: parent for parent in ast.walk(function.node) for child in ast.iter_child_nodes(parent)}
    for each in parents:
        if isinstance(each, ast.Call) and (each.lineno, each.col_offset) == (node.at.line, node.at.column):
            lists = walked_lists(each, parents)
            return lists is not None and is_kept(function.node, lists, parents)
    return False


def walked_lists(call: ast.Call, parents: Parents) -> ast.Name | None:
    """``lists`` in ``[cat(rows) for rows in lists]``."""
    match call, parents.get(call):
        case (
            ast.Call(args=[ast.Name(id=rows), *_]),
            ast.ListComp(elt=elt, generators=[ast.comprehension(target=ast.Name(id=each), iter=ast.Name() as lists, ifs=[])]),
        ) if elt is call and rows == each:
            return lists
    return None


def is_kept(function: ast.FunctionDef, lists: ast.Name, parents: Parents) -> bool:
    """Whether nothing else happens to the lists."""
    made = [each for each in named(function, lists.id) if isinstance(each.ctx, ast.Store)]
    values = [value for each in made for value in assigned(parents.get(each), each)]
    states = {name for value in values if (name := one_for_each(value)) is not None}
    if len(states) != 1 or len(values) != len(made) or any(isinstance(each, ast.Global | ast.Nonlocal) for each in ast.walk(function)):
        return False
    (walked,) = states
    flags = {flag for value in values for flag in flags_of(value) if once(function, flag)}
    inner = [each for each in ast.walk(function) if isinstance(each, ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef)]
    if stores(function, walked) or any(named(each, lists.id) for each in inner if each is not function):
        return False
    uses = [each for each in named(function, lists.id) if isinstance(each.ctx, ast.Load) and not is_otherwise(each, flags, parents)]
    return all(each is lists or is_told(each, walked, function, parents) for each in uses)


def named(root: ast.AST, name: str) -> list[ast.Name]:
    return [each for each in ast.walk(root) if isinstance(each, ast.Name) and each.id == name]


def stores(root: ast.AST, name: str) -> int:
    return sum(not isinstance(each.ctx, ast.Load) for each in named(root, name))


def once(function: ast.FunctionDef, name: str) -> bool:
    """Whether a variable is a flag that keeps its value: assigned in one place, in no loop, and no parameter."""
    inside = sum(stores(each, name) for each in ast.walk(function) if isinstance(each, ast.For | ast.While | ast.AsyncFor))
    parameters = [each.arg for each in ast.walk(function) if isinstance(each, ast.arg)]
    return stores(function, name) == 1 and not inside and name not in parameters


def assigned(parent: ast.AST | None, name: ast.Name) -> Iterator[ast.expr]:
    match parent:
        case ast.Assign(targets=[target], value=value) if target is name:
            yield value


def one_for_each(value: ast.expr) -> str | None:
    """``states`` in ``[[] for _ in states]``; also where that is one of two values."""
    match value:
        case ast.ListComp(elt=ast.List(elts=[]), generators=[ast.comprehension(target=ast.Name(), iter=ast.Name(id=states), ifs=[])]):
            return states
        case ast.IfExp(body=one, orelse=other):
            found = {each for each in (one_for_each(one), one_for_each(other)) if each is not None}
            return found.pop() if len(found) == 1 else None
        case ast.Constant(value=None):
            return None
    return None


def flags_of(value: ast.expr) -> Iterator[str]:
    """The flags of which it is known that they do not hold where there is a list for each."""
    match value:
        case ast.IfExp(test=ast.Name(id=flag), body=body, orelse=other) if one_for_each(body) is None and one_for_each(other) is not None:
            yield flag


def is_otherwise(node: ast.AST, flags: set[str], parents: Parents) -> bool:
    """Whether code runs only where a flag holds."""
    inner, outer = node, parents.get(node)
    while outer is not None:
        match outer:
            case ast.If(test=ast.Name(id=flag), body=body) if flag in flags and inner in body:
                return True
            case ast.IfExp(test=ast.Name(id=flag), body=body) if flag in flags and inner is body:
                return True
        inner, outer = outer, parents.get(outer)
    return False


def is_told(use: ast.Name, states: str, function: ast.FunctionDef, parents: Parents) -> bool:
    """Whether a use asks if there are lists, or puts the rows of a tensor into its own."""
    match parents.get(use):
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.Subscript(slice=ast.Name(id=place)) as item:
            return is_own_append(item, place, states, function, parents)
    return False


def is_own_append(item: ast.Subscript, place: str, states: str, function: ast.FunctionDef, parents: Parents) -> bool:
    """``for place, state in enumerate(states): … lists[place].append(state[rows])``, for each of them and with the same rows."""
    method = parents.get(item)
    call = parents.get(method) if method is not None else None
    statement = parents.get(call) if call is not None else None
    loop = parents.get(statement) if statement is not None else None
    match method, call, statement, loop:
        case (
            ast.Attribute(attr="append"),
            ast.Call(args=[given], keywords=[]),
            ast.Expr(),
            ast.For(
                target=ast.Tuple(elts=[ast.Name(id=number), ast.Name(id=state)]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=walked)], keywords=[]),
                orelse=[],
            ),
        ) if (
            number == place != state
            and walked == states
            and loop.body == [statement]
            and method.value is item
            and call.func is method
            and not stores(function, "enumerate")
        ):
            return rows_of(given, number, state)
    return False


def rows_of(given: ast.expr, number: str, state: str) -> bool:
    """Whether a value is a tensor, or rows of it that are the same for every tensor."""
    match given:
        case ast.Name(id=name):
            return name == state
        case ast.Subscript(value=ast.Name(id=name), slice=rows) if name == state:
            kinds = ast.Name | ast.BinOp | ast.Slice | ast.Constant | ast.operator | ast.expr_context
            parts = [*ast.walk(rows)]
            numbers = all(isinstance(each.value, int) for each in parts if isinstance(each, ast.Constant))
            own = any(isinstance(each, ast.Name) and each.id in (number, state) for each in parts)
            return numbers and not own and all(isinstance(each, kinds) for each in parts)
    return False
