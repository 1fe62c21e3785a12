"""What is known while one slice is lowered: the module, the names of the function at hand, and how a twin gives a place."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from .. import ir
from ..index import Module
from .slices import POSITIONED, place_of, source_of

Twin: TypeAlias = ast.AST | None
"""The ``ast`` node of the same source as a libcst node; None where the two trees do not correspond."""


@dataclass(slots=True)
class Names:
    """What the body of one function says of its names, collected as it is lowered."""

    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    has_yield: bool = False

    def bind(self, target: ir.Expression) -> None:
        """Every name in an assignment target; ``x.y`` and ``x[y]`` bind none."""
        if isinstance(target, ir.Name):
            self.bound.add(target.id)
        elif isinstance(target, ir.Starred):
            self.bind(target.value)
        elif isinstance(target, ir.Display):
            for item in target.items:
                self.bind(item)


@dataclass(frozen=True, slots=True)
class ExpressionRule:
    """How one kind of libcst expression is lowered, and of which kinds its twin can be."""

    lower: Callable[..., ir.Expression]
    twins: type[ast.AST] | tuple[type[ast.AST], ...]


class Lowering:
    """The state of lowering one slice. ``at`` is passed down everywhere: the place of the nearest node that has a twin."""

    def __init__(self, module: Module, rules: Mapping[type[cst.CSTNode], ExpressionRule]) -> None:
        self.module = module
        self.names = Names()
        self._rules = rules
        self._pinned: ir.At | None = None

    def expression(self, node: cst.CSTNode, twin: Twin, at: ir.At) -> ir.Expression:
        """Lower any expression."""
        rule = self._rules.get(type(node))
        if rule is None:
            return ir.OpaqueExpression(self.text(node, twin), self.place(twin, at))
        if not isinstance(twin, rule.twins):
            twin = None
        return rule.lower(self, node, twin, self.place(twin, at))

    def optional(self, node: cst.CSTNode | None, twin: Twin, at: ir.At) -> ir.Expression | None:
        """Lower an expression that may be absent."""
        return None if node is None else self.expression(node, twin, at)

    def target(self, node: cst.CSTNode, twin: Twin, at: ir.At) -> ir.Expression:
        """Lower an assignment target and bind its names."""
        target = self.expression(node, twin, at)
        self.names.bind(target)
        return target

    def place(self, twin: Twin, at: ir.At) -> ir.At:
        """The place of ``twin``, or the enclosing one."""
        if self._pinned is not None:
            return self._pinned
        if isinstance(twin, POSITIONED):
            if self.module.is_ascii:
                return ir.At(twin.lineno, twin.col_offset)
            return place_of(self.module, twin)
        return at

    def text(self, node: cst.CSTNode, twin: Twin) -> str:
        """The exact source text of a node."""
        if self._pinned is None and isinstance(twin, POSITIONED):
            return source_of(self.module, twin)
        return cst.Module([]).code_for_node(node).strip()

    @contextmanager
    def pinned(self, at: ir.At) -> Iterator[None]:
        """Give everything inside the place ``at``."""
        before, self._pinned = self._pinned, self._pinned or at
        try:
            yield
        finally:
            self._pinned = before

    @contextmanager
    def inner(self) -> Iterator[Names]:
        """Collect the names of a nested function or class apart from those around it."""
        outer, self.names = self.names, Names()
        try:
            yield self.names
        finally:
            self.names = outer


def child(twin: Twin, name: str) -> Twin:
    """The twin in a field of ``twin``."""
    value = getattr(twin, name, None)
    return value if isinstance(value, ast.AST) else None


def children(twin: Twin, name: str, count: int) -> Sequence[Twin]:
    """The ``count`` twins in a list field of ``twin``; all None if it holds another number."""
    value = getattr(twin, name, None)
    return value if isinstance(value, list) and len(value) == count else (None,) * count
