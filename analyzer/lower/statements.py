"""Statements and blocks: one short function for each kind, and the table that finds it."""
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import libcst as cst

from .. import ir
from ..index import Module
from ..scope import pattern_names
from . import LoweringError
from .context import Lowering, Twin, child, children
from .expressions import EXPRESSIONS
from .operators import AUGMENTED
from .parameters import lower_parameters
from .slices import parse_statement, place_of


def lower_slice(module: Module, node: ast.stmt) -> ir.Statement:
    """Cut ``node`` out of its module, parse it with libcst and lower it."""
    line = parse_statement(module, node)
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
    if not isinstance(small, cst.CSTNode):
        raise LoweringError("libcst does not see a statement here", module.path, node.lineno)
    at = place_of(module, node)
    return _statement(Lowering(module, EXPRESSIONS), small, node, at) or ir.Pass(at)


def _statement(low: Lowering, node: cst.CSTNode, twin: Twin, at: ir.At) -> ir.Statement | None:
    """Lower any statement; None for a declaration, which does nothing when it is run."""
    return _STATEMENTS.get(type(node), _opaque)(low, node, twin, low.place(twin, at))


def _block(low: Lowering, suite: cst.BaseSuite, twin: Twin, name: str, at: ir.At) -> ir.Block:
    """The statements of a block. Bare strings (docstrings) are left out."""
    nodes: list[cst.CSTNode] = []
    for line in suite.body:
        if isinstance(line, cst.SimpleStatementLine):
            nodes.extend(line.body)
        else:
            nodes.append(line)
    twins = children(twin, name, len(nodes))
    lowered = (
        _statement(low, node, its_twin, at) for node, its_twin in zip(nodes, twins, strict=True) if not _is_bare_string(node)
    )
    return tuple(statement for statement in lowered if statement is not None)


def _is_bare_string(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString)


def _opaque(low: Lowering, node: cst.CSTNode, twin: Twin, at: ir.At) -> ir.Statement:
    return ir.OpaqueStatement(low.text(node, twin), at)


# ---------------------------------------------------------- simple statements


def _evaluate(low: Lowering, node: cst.Expr, twin: Twin, at: ir.At) -> ir.Statement:
    return ir.Evaluate(low.expression(node.value, child(twin, "value"), at), at)


def _assign(low: Lowering, node: cst.Assign, twin: Twin, at: ir.At) -> ir.Statement:
    twins = children(twin, "targets", len(node.targets))
    targets = tuple(low.target(each.target, its_twin, at) for each, its_twin in zip(node.targets, twins, strict=True))
    return ir.Assign(targets, low.expression(node.value, child(twin, "value"), at), at)


def _annotated(low: Lowering, node: cst.AnnAssign, twin: Twin, at: ir.At) -> ir.Statement:
    target = low.target(node.target, child(twin, "target"), at)
    if node.value is None:
        return ir.Annotate(target, at)
    return ir.Assign((target,), low.expression(node.value, child(twin, "value"), at), at)


def _augmented(low: Lowering, node: cst.AugAssign, twin: Twin, at: ir.At) -> ir.Statement:
    target = low.target(node.target, child(twin, "target"), at)
    return ir.AugmentedAssign(target, AUGMENTED[type(node.operator)], low.expression(node.value, child(twin, "value"), at), at)


def _return(low: Lowering, node: cst.Return, twin: Twin, at: ir.At) -> ir.Statement:
    return ir.Return(low.optional(node.value, child(twin, "value"), at), at)


def _raise(low: Lowering, node: cst.Raise, twin: Twin, at: ir.At) -> ir.Statement:
    return ir.Raise(low.optional(node.exc, child(twin, "exc"), at), at)


def _assert(low: Lowering, node: cst.Assert, twin: Twin, at: ir.At) -> ir.Statement:
    test = low.expression(node.test, child(twin, "test"), at)
    return ir.Assert(test, low.optional(node.msg, child(twin, "msg"), at), at)


def _delete(low: Lowering, node: cst.Del, twin: Twin, at: ir.At) -> ir.Statement:
    """``del a, b`` has two targets, ``del (a, b)`` one."""
    target = node.target
    targets: list[cst.BaseExpression] = [target]
    if isinstance(target, cst.Tuple) and not target.lpar:
        targets = [element.value for element in target.elements]
    twins = children(twin, "targets", len(targets))
    return ir.Delete(tuple(low.target(each, its_twin, at) for each, its_twin in zip(targets, twins, strict=True)), at)


def _keyword(build: Callable[[ir.At], ir.Statement]) -> Callable[..., ir.Statement]:
    """A statement that is one keyword."""

    def lower(_low: Lowering, _node: cst.CSTNode, _twin: Twin, at: ir.At) -> ir.Statement:
        return build(at)

    return lower


def _global(low: Lowering, node: cst.Global, _twin: Twin, _at: ir.At) -> None:
    low.names.globals.update(item.name.value for item in node.names)


def _nonlocal(low: Lowering, node: cst.Nonlocal, _twin: Twin, _at: ir.At) -> None:
    low.names.nonlocals.update(item.name.value for item in node.names)


def _import(low: Lowering, node: cst.Import, _twin: Twin, at: ir.At) -> ir.Statement:
    names = _aliases(node.names)
    low.names.bound.update(alias or name.partition(".")[0] for name, alias in names)
    return ir.Import(names, at)


def _import_from(low: Lowering, node: cst.ImportFrom, _twin: Twin, at: ir.At) -> ir.Statement:
    module = _dotted(node.module) if node.module is not None else ""
    if isinstance(node.names, cst.ImportStar):
        return ir.ImportFrom(module, len(node.relative), None, at)
    names = _aliases(node.names)
    low.names.bound.update(alias or name for name, alias in names)
    return ir.ImportFrom(module, len(node.relative), names, at)


def _aliases(nodes: Sequence[cst.ImportAlias]) -> tuple[tuple[str, str | None], ...]:
    return tuple((_dotted(node.name), _as_name(node.asname)) for node in nodes)


def _as_name(node: cst.AsName | None) -> str | None:
    return node.name.value if node is not None and isinstance(node.name, cst.Name) else None


def _dotted(node: cst.BaseExpression) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        parts.append(node.value)
    return ".".join(reversed(parts))


# -------------------------------------------------------- compound statements


def _if(low: Lowering, node: cst.If, twin: Twin, at: ir.At) -> ir.Statement:
    test = low.expression(node.test, child(twin, "test"), at)
    body = _block(low, node.body, twin, "body", at)
    if not isinstance(node.orelse, cst.If):
        return ir.If(test, body, _orelse(low, node.orelse, twin, at), at)
    (elif_twin,) = children(twin, "orelse", 1)
    elif_at = low.place(elif_twin, at)
    return ir.If(test, body, (_if(low, node.orelse, elif_twin, elif_at),), at)


def _orelse(low: Lowering, node: cst.Else | None, twin: Twin, at: ir.At) -> ir.Block:
    return () if node is None else _block(low, node.body, twin, "orelse", at)


def _for(low: Lowering, node: cst.For, twin: Twin, at: ir.At) -> ir.Statement:
    target = low.target(node.target, child(twin, "target"), at)
    iterable = low.expression(node.iter, child(twin, "iter"), at)
    body = _block(low, node.body, twin, "body", at)
    orelse = _orelse(low, node.orelse, twin, at)
    return _opaque(low, node, twin, at) if node.asynchronous else ir.For(target, iterable, body, orelse, at)


def _while(low: Lowering, node: cst.While, twin: Twin, at: ir.At) -> ir.Statement:
    test = low.expression(node.test, child(twin, "test"), at)
    body = _block(low, node.body, twin, "body", at)
    return ir.While(test, body, _orelse(low, node.orelse, twin, at), at)


def _with(low: Lowering, node: cst.With, twin: Twin, at: ir.At) -> ir.Statement:
    twins = children(twin, "items", len(node.items))
    items = tuple(_with_item(low, each, its_twin, at) for each, its_twin in zip(node.items, twins, strict=True))
    body = _block(low, node.body, twin, "body", at)
    return _opaque(low, node, twin, at) if node.asynchronous else ir.With(items, body, at)


def _with_item(low: Lowering, node: cst.WithItem, twin: Twin, at: ir.At) -> tuple[ir.Expression, ir.Expression | None]:
    context = low.expression(node.item, child(twin, "context_expr"), at)
    if node.asname is None:
        return context, None
    return context, low.target(node.asname.name, child(twin, "optional_vars"), at)


def _try(low: Lowering, node: cst.Try | cst.TryStar, twin: Twin, at: ir.At) -> ir.Statement:
    body = _block(low, node.body, twin, "body", at)
    clauses: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    twins = children(twin, "handlers", len(clauses))
    handlers = tuple(_handler(low, each, its_twin, low.place(its_twin, at)) for each, its_twin in zip(clauses, twins, strict=True))
    orelse = _orelse(low, node.orelse, twin, at)
    final = () if node.finalbody is None else _block(low, node.finalbody.body, twin, "finalbody", at)
    return _opaque(low, node, twin, at) if isinstance(node, cst.TryStar) else ir.Try(body, handlers, orelse, final, at)


def _handler(low: Lowering, node: cst.ExceptHandler | cst.ExceptStarHandler, twin: Twin, at: ir.At) -> ir.Handler:
    kind = low.optional(node.type, child(twin, "type"), at)
    name = _as_name(node.name)
    if name is not None:
        low.names.bound.add(name)
    return ir.Handler(kind, name, _block(low, node.body, twin, "body", at), at)


def _match(low: Lowering, node: cst.Match, twin: Twin, at: ir.At) -> ir.Statement:
    """Opaque, but what it binds and yields counts."""
    low.expression(node.subject, child(twin, "subject"), at)
    for case, its_twin in zip(node.cases, children(twin, "cases", len(node.cases)), strict=True):
        if isinstance(its_twin, ast.match_case):
            low.names.bound.update(pattern_names(its_twin.pattern))
        low.optional(case.guard, child(its_twin, "guard"), at)
        _block(low, case.body, its_twin, "body", at)
    return _opaque(low, node, twin, at)


def _define_function(low: Lowering, node: cst.FunctionDef, twin: Twin, at: ir.At) -> ir.Statement:
    twins = children(twin, "decorator_list", len(node.decorators))
    decorators = tuple(low.expression(each.decorator, its_twin, at) for each, its_twin in zip(node.decorators, twins, strict=True))
    parameters = lower_parameters(low, node.params, child(twin, "args"), at)
    low.names.bound.add(node.name.value)
    with low.inner() as names:
        names.bound.update(each.name for each in parameters)
        body = _block(low, node.body, twin, "body", at)
    function = ir.Function(
        name=node.name.value,
        parameters=parameters,
        body=body,
        decorators=decorators,
        bound=frozenset(names.bound - names.globals - names.nonlocals),
        globals=frozenset(names.globals),
        nonlocals=frozenset(names.nonlocals),
        is_async=node.asynchronous is not None,
        is_generator=names.has_yield,
        at=at,
    )
    return ir.DefineFunction(function, at)


def _define_class(low: Lowering, node: cst.ClassDef, twin: Twin, at: ir.At) -> ir.Statement:
    twins = children(twin, "bases", len(node.bases))
    bases = tuple(_base(low, each, its_twin, at) for each, its_twin in zip(node.bases, twins, strict=True))
    low.names.bound.add(node.name.value)
    with low.inner():
        body = _block(low, node.body, twin, "body", at)
    return ir.DefineClass(node.name.value, bases, body, at)


def _base(low: Lowering, node: cst.Arg, twin: Twin, at: ir.At) -> ir.Expression:
    if not node.star:
        return low.expression(node.value, twin, at)
    at = low.place(twin, at)
    return ir.Starred(low.expression(node.value, child(twin, "value"), at), at)


_STATEMENTS: Final[Mapping[type[cst.CSTNode], Callable[..., ir.Statement | None]]] = {
    cst.Expr: _evaluate,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Pass: _keyword(ir.Pass),
    cst.Break: _keyword(ir.Break),
    cst.Continue: _keyword(ir.Continue),
    cst.Global: _global,
    cst.Nonlocal: _nonlocal,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.With: _with,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Match: _match,
    cst.FunctionDef: _define_function,
    cst.ClassDef: _define_class,
}
