"""Which functions are worth running: those from which code that mentions one of the looked-for words can be reached."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ..values import MISSING, ClassValue, FunctionValue, Value
from .domain import Exact, Val, hands_config
from .names import FunctionNode, is_abstract
from .types import DEEPEST as MOST_ATTRIBUTES
from .types import Types

DEEPEST = 8
"""Calls inside one another that are searched for a mention."""


Key: TypeAlias = "tuple[FunctionNode | None, ClassValue | None]"


@dataclass(slots=True)
class Relevance:
    """Answers for one set of words: identifiers, or texts such as ``model(``. ``called`` may be shared: what calls what does not hang on
    the words."""

    types: Types
    words: frozenset[str]
    called: dict[Key, tuple[tuple[FunctionValue, ClassValue | None], ...]] = field(default_factory=dict)
    _pattern: re.Pattern[str] = field(init=False)
    _known: dict[Key, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pattern = re.compile("|".join(rf"\b{re.escape(word)}" for word in sorted(self.words)) or "(?!)")

    def mentioned(self, function: FunctionValue) -> bool:
        """Whether the function's own text has one of the words."""
        node = function.node
        return node is not None and bool(self._pattern.search("\n".join(function.module.lines[node.lineno - 1 : node.end_lineno])))

    def reaches(self, function: FunctionValue, cls: ClassValue | None) -> bool:
        """Whether running the function, for an object of class ``cls``, can come to a mention within DEEPEST calls."""
        key = (function.node, cls)
        if key not in self._known:
            self._known[key] = self._search(function, cls)
        return self._known[key]

    def _search(self, function: FunctionValue, cls: ClassValue | None) -> bool:
        seen = {(function.node, cls)}
        level = [(function, cls)]
        for _ in range(DEEPEST):
            if any(self.mentioned(each) or self._known.get((each.node, receiver)) for each, receiver in level):
                return True
            below = [callee for each in level if self._known.get((each[0].node, each[1])) is not False for callee in self.callees(*each)]
            level = []
            for each, receiver in below:
                if (each.node, receiver) not in seen:
                    seen.add((each.node, receiver))
                    level.append((each, receiver))
        return False

    def callees(self, function: FunctionValue, cls: ClassValue | None) -> tuple[tuple[FunctionValue, ClassValue | None], ...]:
        """The functions of the tree that a function calls, as far as declarations tell, each with the class of its receiver."""
        key = (function.node, cls)
        found = self.called.get(key)
        if found is None:
            found = self.called[key] = tuple(self._callees(function, cls)) if function.node is not None else ()
        return found

    def _callees(self, function: FunctionValue, cls: ClassValue | None) -> Iterator[tuple[FunctionValue, ClassValue | None]]:
        assert function.node is not None
        chosen = False
        for node in ast.walk(function.node):
            if isinstance(node, ast.Call):
                chosen |= isinstance(node.func, ast.Subscript)
                for found, receiver in self._targets(function, cls, node.func):
                    yield from self._functions(found, receiver)
        for node in ast.walk(function.node) if chosen else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):  # what is called is picked from a table, of these maybe
                yield from self._functions(self.types.local_name(function.module, function.node, node), None)

    def _functions(self, found: Value, receiver: ClassValue | None) -> Iterator[tuple[FunctionValue, ClassValue | None]]:
        if isinstance(found, ClassValue):
            made = self.types.find(found, "__init__")[0]
            if isinstance(made, FunctionValue):
                yield made, found
        elif isinstance(found, FunctionValue):
            yield found, receiver

    def _targets(self, function: FunctionValue, cls: ClassValue | None, callee: ast.expr) -> Iterator[tuple[Value, ClassValue | None]]:
        assert function.node is not None
        owner = function.owner
        match callee:
            case ast.Name():
                yield self.types.local_name(function.module, function.node, callee), None
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name) if owner is not None and cls is not None:
                yield self.types.find(cls, name, owner)[0], cls
            case ast.Attribute(value=inner, attr=name):
                holders = self._holders(function, cls, inner)
                for holder in holders:
                    if isinstance(holder, ClassValue):
                        yield self.types.find(holder, name)[0], holder
                if not holders:
                    found = self.types.dotted(function.module, callee) if isinstance(inner, ast.Name) else MISSING
                    yield found, None

    def _holders(self, function: FunctionValue, cls: ClassValue | None, node: ast.expr) -> list[object]:
        assert function.node is not None
        if cls is None or function.owner is None:
            return []
        if isinstance(node, ast.Name) and function.node.args.args and node.id == function.node.args.args[0].arg:
            return [cls]
        return list(self.types.expression(cls, function.owner, function.node, node, MOST_ATTRIBUTES))


def worth_tracing(key: str, function: FunctionValue, arguments: tuple[Val, ...]) -> bool | None:
    """What tells, where a key is traced, whether a function is run: one that is to be overridden is not, for some class has its own; one
    that is handed the key's name is, or what has a config in hand. None where that does not tell."""
    if is_abstract(function):
        return False
    return True if any(hands_config(thing) or thing == Exact(key) for val in arguments for thing in val.things) else None
