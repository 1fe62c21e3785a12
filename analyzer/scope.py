"""Scopes: for each name of a module's or a class's body, the statements that bind it or change it."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one body.

    ``names`` maps each name to those statements *of the body itself* that bind it (an assignment, an import, a definition, a
    target, ``del``) or change what it holds (``NAME.x = …``, ``NAME[…] = …``, ``NAME.method(…)``), in source order. A
    compound statement counts for whatever is nested in it, but not for the bodies of functions and classes.
    ``stars`` are the ``from x import *`` of the body, nested ones included.
    """

    names: dict[str, tuple[ast.stmt, ...]]
    stars: tuple[ast.ImportFrom, ...]


def build_scope(body: Sequence[ast.stmt], *, walrus: bool) -> Scope:
    """The scope of ``body``. Without ``walrus`` (the file has no ``:=``) expressions need not be searched."""
    found: dict[str, list[ast.stmt]] = {}
    stars: list[ast.ImportFrom] = []
    for statement in body:
        changes = _Changes({}, stars, walrus)
        changes.visit(statement)
        for name in changes.names:
            found.setdefault(name, []).append(statement)
    return Scope({name: tuple(statements) for name, statements in found.items()}, tuple(stars))


def declared_globals(body: Sequence[ast.stmt]) -> frozenset[str]:
    """The names in the ``global`` statements of all functions below ``body``."""
    names: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global):
            names.update(node.names)
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            below = getattr(node, field, None)
            if isinstance(below, list):
                pending.extend(below)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class _Changes:
    """Collects the names that one statement binds or changes; ``names`` is an ordered set."""

    names: dict[str, None]
    stars: list[ast.ImportFrom]
    walrus: bool

    def visit(self, statement: ast.stmt) -> None:
        """``statement`` and all that is nested in it; a loop, for an ``elif`` chain nests as deep as it is long."""
        pending = [statement]
        while pending:
            node = pending.pop()
            self._simple(node)
            if self.walrus:
                self._walruses(node)
            pending.extend(reversed(self._compound(node)))

    def _simple(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                self._targets(targets)
            case ast.AnnAssign(value=None):
                pass
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                self._targets((target,))
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
                self._targets((method,))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.names[node.name] = None
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.names[alias.asname or alias.name.partition(".")[0]] = None
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                self.stars.append(node)
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    self.names[alias.asname or alias.name] = None
            case _:
                pass

    def _compound(self, node: ast.stmt) -> list[ast.stmt]:
        """The names that the head of a compound statement binds, and the statements in its blocks."""
        match node:
            case ast.For() | ast.AsyncFor():
                self._targets((node.target,))
                return [*node.body, *node.orelse]
            case ast.If() | ast.While():
                return [*node.body, *node.orelse]
            case ast.With() | ast.AsyncWith():
                self._targets(item.optional_vars for item in node.items if item.optional_vars is not None)
                return node.body
            case ast.Try() | ast.TryStar():
                self.names.update((handler.name, None) for handler in node.handlers if handler.name is not None)
                handled = (statement for handler in node.handlers for statement in handler.body)
                return [*node.body, *handled, *node.orelse, *node.finalbody]
            case ast.Match():
                self.names.update((name, None) for case in node.cases for name in pattern_names(case.pattern))
                return [statement for case in node.cases for statement in case.body]
            case _:
                return []

    def _targets(self, targets: Iterable[ast.expr]) -> None:
        """The names at the roots of assignment targets: that of ``NAME[0].x = …`` is NAME."""
        for target in targets:
            while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
                target = target.value
            if isinstance(target, ast.Name):
                self.names[target.id] = None
            elif isinstance(target, ast.Tuple | ast.List):
                self._targets(target.elts)

    def _walruses(self, statement: ast.stmt) -> None:
        """``:=`` in the statement's own expressions; statements nested in it have their own visit."""
        pending: list[ast.AST] = [statement]
        while pending:
            for child in ast.iter_child_nodes(pending.pop()):
                if isinstance(child, ast.NamedExpr):
                    self.names[child.target.id] = None
                if isinstance(child, ast.Lambda):
                    pending.append(child.args)
                elif not isinstance(child, ast.stmt):
                    pending.append(child)


def pattern_names(pattern: ast.pattern) -> list[str]:
    """The names that a pattern of a ``match`` statement captures."""
    names: list[str | None] = []
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchAs | ast.MatchStar):
            names.append(node.name)
        elif isinstance(node, ast.MatchMapping):
            names.append(node.rest)
    return [name for name in names if name is not None]
