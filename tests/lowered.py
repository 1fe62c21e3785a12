"""Lowering small sources, and spelling what comes out."""
from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass

from string_tree import module_of

from flowcheck.analyzer import ir
from flowcheck.analyzer.lower import lower_function, lower_statement


def spell(value: object) -> str:
    """A node as one would write it, without places: ``Binary('+', Name('x'), Const(1))``."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(spell, value))}]"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(spell, value))) + "}"
    if is_dataclass(value):
        given = (spell(getattr(value, each.name)) for each in fields(value) if each.name != "at")
        return f"{type(value).__name__}({', '.join(given)})"
    return repr(value)


def statement_of(source: str | bytes, position: int = 0) -> ir.Statement:
    module = module_of(source)
    return lower_statement(module, module.tree.body[position])


def expression_of(source: str | bytes) -> ir.Expression:
    statement = statement_of(source)
    assert isinstance(statement, ir.Evaluate)
    return statement.value


def function_of(source: str | bytes, position: int = 0) -> ir.Function:
    module = module_of(source)
    node = module.tree.body[position]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return lower_function(module, node)
