"""The lowered code of a tree, each function and statement once, shared by every machine that runs on it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from .. import ir
from ..index import Module
from ..lower import LoweringError, lower_function, lower_statement
from ..results import Location
from ..steps import count, task
from .effects import Effects
from .signals import GiveUp


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a function's body mentions: one of torch's lists of modules, other names, imports of its own."""

    lists: bool
    names: tuple[str, ...]
    imports: tuple[ast.ImportFrom, ...]


class Code:
    """A cache of lowered functions and statements."""

    def __init__(self, printed: Callable[[str], str] = str) -> None:
        self.printed = printed
        self._functions: dict[ast.AST, ir.Function] = {}
        self._statements: dict[ast.AST, ir.Statement] = {}
        self.effects: dict[ast.AST, Effects] = {}
        self.collectors: dict[ast.AST, bool] = {}
        self.own_readers: dict[ast.AST, bool] = {}
        self.builders: dict[ast.AST, bool] = {}
        self.mentions: dict[ast.AST, Mentions] = {}
        self.beside: dict[ast.AST, bool] = {}

    def function(self, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
        """The IR of a function; raises :class:`GiveUp` where it cannot be read."""
        found = self._functions.get(node)
        if found is None:
            try:
                with task("lower"):
                    found = self._functions[node] = lower_function(module, node)
                count("functions lowered")
            except LoweringError as error:
                raise GiveUp(error.reason, Location(self.printed(error.path), error.line)) from error
        return found

    def statement(self, module: Module, node: ast.stmt) -> ir.Statement:
        found = self._statements.get(node)
        if found is None:
            try:
                with task("lower"):
                    found = self._statements[node] = lower_statement(module, node)
            except LoweringError as error:
                raise GiveUp(error.reason, Location(self.printed(error.path), error.line)) from error
        return found

    @property
    def reached(self) -> int:
        """How many functions and statements were lowered."""
        return len(self._functions) + len(self._statements)
