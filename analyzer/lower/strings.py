"""Strings: their values come from the twin, since dedenting a slice changes the inside of strings of several lines."""
from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import nullcontext

import libcst as cst

from .. import ir
from .context import Lowering, Twin, child

PLACES_IN_FORMATTED_STRINGS = sys.version_info >= (3, 12)
"""Before Python 3.12 ``ast`` gives wrong places inside f-strings of several lines; there the string's own place stands for them."""

AnyString = cst.SimpleString | cst.FormattedString | cst.ConcatenatedString


def lower_string(low: Lowering, node: AnyString, twin: Twin, at: ir.At) -> ir.Expression:
    """A string or bytes literal, an f-string, or several of them side by side."""
    if isinstance(twin, ast.Constant) and isinstance(twin.value, str | bytes):
        return ir.Const(twin.value, at)
    if isinstance(node, cst.SimpleString):
        return ir.Const(node.evaluated_value, at)
    with nullcontext() if PLACES_IN_FORMATTED_STRINGS else low.pinned(at):
        return ir.FormattedString(tuple(_parts(low, node, twin, at)), at)


def _parts(low: Lowering, node: AnyString, twin: Twin, at: ir.At) -> Iterator[ir.Expression]:
    """The literal texts as the twin joins them across neighbouring strings, and the expressions between them."""
    pieces = list(_pieces(node))
    expressions = [piece for piece in pieces if not isinstance(piece, str)]
    values: list[ast.expr] = twin.values if isinstance(twin, ast.JoinedStr) else []
    if sum(isinstance(value, ast.FormattedValue) for value in values) != len(expressions):
        for piece in pieces:
            yield ir.Const(piece, at) if isinstance(piece, str) else low.expression(piece, None, at)
        return
    remaining = iter(expressions)
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield ir.Const(value.value, at)
        elif isinstance(value, ast.FormattedValue) and (value.conversion != -1 or value.format_spec is not None):
            next(remaining)
            yield ir.OpaqueExpression("a format or conversion inside an f-string", at)
        else:
            yield low.expression(next(remaining), child(value, "value"), at)


def _pieces(node: AnyString) -> Iterator[str | cst.BaseExpression]:
    """Literal text and expressions from left to right."""
    while isinstance(node, cst.ConcatenatedString):
        yield from _pieces(node.left)
        node = node.right
    if isinstance(node, cst.SimpleString):
        yield str(node.evaluated_value)
        return
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            yield part.value
        elif isinstance(part, cst.FormattedStringExpression):
            yield part.expression
