"""Stages of a target that are run one after another in a loop, and what is left of what they return."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import ir
from ..other_ways import Overlaid

if TYPE_CHECKING:
    from .engine import Engine


def note_overlaid(engine: Engine, call: ir.Call) -> None:
    """Note a call of the target by a loop's own variable, and whether each round puts the captured states in the place of those before."""
    function = engine.frame.function
    returned = engine.question.returned
    if function is None or function.node is None:
        return
    engine.journal.staged += (engine.location(ir.At(loop.lineno, 0)) for loop, _ in own_calls(function.node, call.at.line))
    if returned is None:
        return
    for loop, bound in rounds(function.node, call.at.line):
        name = bound.elts[returned[1]] if returned[1] < len(bound.elts) else None
        if isinstance(name, ast.Name) and (kept := kept_as(function.node, loop, name.id)) is not None:
            places = (engine.location(ir.At(line, 0)) for line in (loop.lineno, name.lineno, kept))
            engine.overlaid[call.at.line] = Overlaid(*places)


def rounds(function: ast.AST, line: int) -> Iterator[tuple[ast.For, ast.Tuple]]:
    """The loops that call their own variable on a line and unpack what it returns, with what they unpack it into."""
    for loop, call in own_calls(function, line):
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
                yield loop, node.targets[0]


def own_calls(function: ast.AST, line: int) -> Iterator[tuple[ast.For, ast.Call]]:
    """The loops that call their own variable, or a method of it, on a line; with the call."""
    for loop in ast.walk(function):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            for node in ast.walk(loop):
                if isinstance(node, ast.Call) and node.func.lineno == line:
                    callee = node.func.value if isinstance(node.func, ast.Attribute) else node.func
                    if isinstance(callee, ast.Name) and callee.id == loop.target.id:
                        yield loop, node


def kept_as(function: ast.AST, loop: ast.For, name: str) -> int | None:
    """The line behind a loop that reads a variable which each round binds anew and no round reads, or another that it is handed on to;
    None where rounds do something with what was there before."""
    inside = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == name]
    handed = {node: other for one in ast.walk(loop) for node, other in copies(one)}
    reads = [node for node in inside if isinstance(node.ctx, ast.Load)]
    if len(inside) - len(reads) != 1 or any(node not in handed for node in reads):
        return None
    after = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node.lineno > (loop.end_lineno or 0))
    first = next((node for node in sorted(after, key=lambda each: (each.lineno, each.col_offset)) if node.id == name), None)
    if first is not None and isinstance(first.ctx, ast.Load):
        return first.lineno
    found = [kept_as(function, loop, handed[node]) for node in reads if handed[node] != name]
    return next((line for line in found if line is not None), None)


def copies(node: ast.AST) -> Iterator[tuple[ast.Name, str]]:
    """The name that is handed on by ``other = name`` or ``other = list(name)``, and the other."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        value: ast.expr = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "tuple") and len(value.args) == 1:
            value = value.args[0]
        if isinstance(value, ast.Name):
            yield value, node.targets[0].id
