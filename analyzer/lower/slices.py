"""Slices: one statement's source text, cut out of its file and parsed by libcst alone.

libcst takes about sixteen times as long as ``ast`` for the same text, so it is shown nothing but what is lowered.
"""
from __future__ import annotations

import ast
import gc
from typing import Final, TypeAlias

import libcst as cst

from .. import ir
from ..index import Module
from . import LoweringError

Positioned: TypeAlias = ast.expr | ast.stmt | ast.excepthandler
POSITIONED: Final = (ast.expr, ast.stmt, ast.excepthandler)

DEEPEST: Final = 400
"""Nodes within each other; libcst takes minutes for what is nested ten thousand deep."""
NESTING: Final = ("+", "-", "*", "/", "%", "@", "&", "|", "^", "<", ">", "~", ".", "(", "[", "{", "not", "if", "lambda", "await")
LONGEST_BOOLEAN: Final = 2_000
"""More operands in one ``and`` or ``or`` than this, and libcst 1.9 overflows its stack and takes the process with it."""


def place_of(module: Module, node: Positioned) -> ir.At:
    """Where ``node`` begins."""
    return ir.At(node.lineno, character_column(module, node.lineno, node.col_offset))


def source_of(module: Module, node: Positioned) -> str:
    """The exact text of ``node``, without the parentheses around it."""
    return "\n".join(_cut(module, place_of(module, node), node))


def character_column(module: Module, line: int, column: int) -> int:
    """``ast`` counts columns in bytes of UTF-8, people and libcst in characters."""
    if module.is_ascii:
        return column
    text = module.lines[line - 1]
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


def parse_statement(module: Module, node: ast.stmt) -> cst.BaseStatement:
    """The statement ``node`` as libcst reads it, its decorators included."""
    start = _start(module, node)
    lines = _cut(module, start, node)
    before = module.lines[start.line - 1][: start.column].replace("\f", "")
    if before.isspace():
        lines[1:] = [line.removeprefix(before) for line in lines[1:]]
    if isinstance(node, ast.If) and lines[0].startswith("elif"):
        lines[0] = lines[0].removeprefix("el")  # a branch of a chain, lowered for itself
    text = "\n".join(lines)
    _refuse_endless_booleans(module, node, text)
    _refuse_depth(module, node, text)
    try:
        return _parse(text + "\n")
    except cst.ParserSyntaxError as error:
        reason = f"libcst cannot parse it: {error.message.strip().splitlines()[-1]}"
        raise LoweringError(reason, module.path, start.line + error.raw_line - 1) from None


def _parse(text: str) -> cst.BaseStatement:
    """Parse without the garbage collector, which would traverse the half-built tree again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return cst.parse_module(text).body[0]
    finally:
        if collecting:
            gc.enable()


def _start(module: Module, node: ast.stmt) -> ir.At:
    """The first token of a statement: the ``@`` of its first decorator, which stands in the column of its ``def``."""
    at = place_of(module, node)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or not node.decorator_list:
        return at
    line = node.decorator_list[0].lineno
    while line > 1 and not module.lines[line - 1].lstrip().startswith("@"):
        line -= 1
    return ir.At(line, at.column)


def _cut(module: Module, start: ir.At, node: Positioned) -> list[str]:
    """The lines from ``start`` to the end of ``node``, the first and the last of them shortened to it."""
    end = node.end_lineno or node.lineno
    lines = module.lines[start.line - 1 : end]
    if node.end_col_offset is not None:
        lines[-1] = lines[-1][: character_column(module, end, node.end_col_offset)]
    lines[0] = lines[0][start.column :]
    return lines


def _refuse_depth(module: Module, node: ast.stmt, text: str) -> None:
    """Nothing is nested deeper than it has operators and brackets."""
    if sum(map(text.count, NESTING)) < DEEPEST:
        return
    waiting: list[tuple[ast.AST, int]] = [(node, 0)]
    while waiting:
        above, depth = waiting.pop()
        if depth > DEEPEST:
            raise LoweringError("nested too deeply", module.path, getattr(above, "lineno", node.lineno))
        waiting += ((below, depth + 1) for below in ast.iter_child_nodes(above))


def _refuse_endless_booleans(module: Module, node: ast.stmt, text: str) -> None:
    if text.count("and") + text.count("or") < LONGEST_BOOLEAN:
        return
    for below in ast.walk(node):
        if isinstance(below, ast.BoolOp) and len(below.values) > LONGEST_BOOLEAN:
            raise LoweringError("a boolean expression of too many operands", module.path, below.lineno)
