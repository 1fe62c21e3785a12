"""Lowering, held against what Python itself knows of a few modules of its library."""
from __future__ import annotations

import argparse
import ast
import asyncio.base_events
import dataclasses
import inspect
import json.decoder
import symtable
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from string_tree import module_of

from flowcheck.analyzer import ir
from flowcheck.analyzer.index import Module
from flowcheck.analyzer.lower import lower_function

LIBRARIES = [argparse, dataclasses, json.decoder, asyncio.base_events, ast, inspect]

KINDS: dict[type[ast.AST], str] = {
    ast.Name: "Name",
    ast.Attribute: "Attribute",
    ast.Call: "Call",
    ast.Subscript: "Subscript",
    ast.BinOp: "Binary",
    ast.Compare: "Compare",
    ast.IfExp: "Conditional",
    ast.Lambda: "Lambda",
    ast.Dict: "DictDisplay",
    ast.If: "If",
    ast.For: "For",
    ast.With: "With",
    ast.Try: "Try",
    ast.ExceptHandler: "Handler",
    ast.Assign: "Assign",
}


@cache
def lowered(library: ModuleType) -> tuple[Module, tuple[tuple[ast.AST, ir.Function], ...]]:
    """A module of the library, and each of its functions and methods with its lowered form."""
    module = module_of(Path(str(library.__file__)).read_bytes())
    nodes = [node for node in functions_in(module.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert len(nodes) > 5
    return module, tuple((node, lower_function(module, node)) for node in nodes)


def functions_in(node: ast.AST) -> Iterator[ast.AST]:
    """Functions and methods, but not those inside functions."""
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.FunctionDef | ast.AsyncFunctionDef):
            yield below
        else:
            yield from functions_in(below)


def parts(node: object) -> Iterator[object]:
    """Everything in a lowered form but what is inside an f-string, whose places Python knows only since 3.12."""
    yield node
    if isinstance(node, ir.FormattedString | ir.At):
        return
    if isinstance(node, tuple | frozenset):
        for each in node:
            yield from parts(each)
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from parts(getattr(node, field.name))


def twins(node: ast.AST) -> Iterator[ast.AST]:
    """Every ``ast`` node that has a counterpart in the lowered form."""
    if isinstance(node, ast.JoinedStr | ast.Match | ast.AsyncFor | ast.AsyncWith | ast.TryStar):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "cause") or (isinstance(node, ast.ClassDef) and name in ("keywords", "decorator_list")):
            continue
        for below in value if isinstance(value, list) else [value]:
            if isinstance(below, ast.AST):
                yield from twins(below)


by_library = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)


@by_library
def test_every_node_stands_where_its_twin_stands(library: ModuleType) -> None:
    for node, function in lowered(library)[1]:
        expected = Counter(
            (KINDS[type(twin)], twin.lineno, twin.col_offset)
            for twin in twins(node)
            if type(twin) in KINDS and isinstance(twin, ast.expr | ast.stmt | ast.excepthandler)
        )
        found: Counter[tuple[str, int, int]] = Counter(
            (type(part).__name__, *getattr(part, "at", ())) for part in parts(function) if type(part).__name__ in KINDS.values()
        )
        assert found == expected


@by_library
def test_nothing_of_ast_or_libcst_is_left(library: ModuleType) -> None:
    kinds = {type(part).__module__ for _, function in lowered(library)[1] for part in parts(function)}
    assert kinds == {"builtins", "flowcheck.analyzer.ir"}


@by_library
def test_names_are_sorted_as_the_compiler_sorts_them(library: ModuleType) -> None:
    module, pairs = lowered(library)
    tables = {(table.get_name(), table.get_lineno()): table for table in tables_in(source_of(module))}
    for function in all_functions(pairs):
        table = tables[function.name, function.at.line]
        assert isinstance(table, symtable.Function)
        symbols = table.get_symbols()
        assert function.globals == {symbol.get_name() for symbol in symbols if symbol.is_declared_global()}
        assert function.nonlocals == {symbol.get_name() for symbol in symbols if symbol.is_nonlocal()}
        locals_of_table = set(table.get_locals())
        assert function.bound <= locals_of_table <= function.bound | clause_targets(function)


@by_library
def test_generators_are_those_that_the_compiler_makes(library: ModuleType) -> None:
    module, pairs = lowered(library)
    codes = {(code.co_name, code.co_firstlineno): code for code in codes_in(compile(source_of(module), "library", "exec"))}
    for function in all_functions(pairs):
        first = function.decorators[0] if function.decorators else function
        flags = codes[function.name, first.at.line].co_flags
        assert function.is_generator == bool(flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR))
        assert function.is_async == bool(flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))


def clause_targets(function: ir.Function) -> set[str]:
    """The targets of comprehensions, which Python counts among a function's names since it inlines them (3.12)."""
    targets = [part.target for part in parts(function) if isinstance(part, ir.Clause)]
    return {part.id for part in parts(tuple(targets)) if isinstance(part, ir.Name)}


def source_of(module: Module) -> str:
    return "\n".join(module.lines)


def all_functions(pairs: tuple[tuple[ast.AST, ir.Function], ...]) -> Iterator[ir.Function]:
    """Nested ones too, but no lambda."""
    for _, function in pairs:
        for part in parts(function):
            if isinstance(part, ir.Function) and part.name != "<lambda>":
                yield part


def tables_in(source: str) -> Iterator[symtable.SymbolTable]:
    pending = [symtable.symtable(source, "library", "exec")]
    while pending:
        table = pending.pop()
        yield table
        pending.extend(table.get_children())


def codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)
