"""Lowering: from a function's or a statement's source text to the intermediate representation.

The text is cut out of its file as a slice, parsed by libcst, and walked beside its ``ast`` twin, which the index holds already
and which knows every place. libcst is imported when the first function is lowered: a run that is answered from the cache
never pays for it.
"""
from __future__ import annotations

import ast

from .. import ir
from ..index import Module


class LoweringError(Exception):
    """A function or statement that could not be lowered whole; the interpreter answers *not established* where it is needed."""

    def __init__(self, reason: str, path: str, line: int) -> None:
        super().__init__(f"{path}:{line}: {reason}")
        self.reason = reason
        self.path = path
        self.line = line


def lower_function(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ir.Function:
    """The function, method or nested function ``node`` of ``module``."""
    statement = lower_statement(module, node)
    if not isinstance(statement, ir.DefineFunction):
        raise LoweringError("libcst does not see a function here", module.path, node.lineno)
    return statement.function


def lower_statement(module: Module, node: ast.stmt) -> ir.Statement:
    """One statement of ``module``, whole, with all that is nested in it. One that does nothing when run is a ``Pass``."""
    from .statements import lower_slice

    try:
        return lower_slice(module, node)
    except RecursionError:
        raise LoweringError("nested too deeply", module.path, node.lineno) from None
