"""Switches: variables of a module that are true or false, and that functions may reassign.

A run takes them as they are at import, which is one of its assumptions. Where a captured point turns out to be lost, and it is only since
a switch stands as at import that its tensor is written in place, the program is run with the other answer too.
"""
from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .. import ir
from ..index import Module
from ..values import MISSING, Slots, Unknown
from .signals import Signal

if TYPE_CHECKING:
    from .machine import Machine


def read(machine: Machine, module: Module, slots: Slots, name: str, value: bool) -> bool:
    """The value of a switch: as at import, unless the other one is tried. Its condition is said so that it does not hold at import."""
    if machine.noted(slots, ("bound", name)) is not MISSING:
        return value
    text = f"{module.name.rpartition('.')[2]}.{name}"
    switch = machine.unknown(f"not {text}" if value else text, "a function may reassign a variable of a module")
    decided = machine.known(switch)
    if decided is None:
        machine.switch_read = switch
    return not value if decided else value


def take(machine: Machine, node: ir.If, known: bool, switch: Unknown) -> Signal:
    """Run the block that a switch chooses. What is run is under the switch to the end of the block; to that of the function, where the
    other block would have left it."""
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    frame = machine.frame
    before, frame.switch = frame.switch, switch
    signal = machine.run_block(taken)
    if not (other and isinstance(other[-1], ir.Return)):
        frame.switch = before
    return signal


def is_trifle(machine: Machine, module: Module, slots: Slots, name: str) -> bool:
    """Whether a variable that is read now is a trifle. It is none any more where another module reads it."""
    if name not in trifles(machine, module):
        return False
    places = {(id(slots), name), (id(slots), ("bound", name))}
    if machine.frame.module is module:
        machine.heap.order.trifles |= places
        return True
    machine.heap.order.trifles -= places
    machine.trifles[module.name] -= {name}
    return False


def trifles(machine: Machine, module: Module) -> frozenset[str]:
    """The variables of a module by which nothing is decided but whether something is logged once."""
    known = machine.trifles.get(module.name)
    if known is None:
        machine.trifles[module.name] = frozenset()  # while it is looked for
        uses: dict[str, list[ast.Name]] = {name: [] for name in module.declared_global}
        harmless: dict[str, list[ast.Name]] = {name: [] for name in module.declared_global}
        for read in module.global_reads:
            uses[read.id].append(read)
        for asked in module.tests if module.global_reads else ():
            if isinstance(asked, ast.If) and (name := logs_once(machine, module, asked)) in harmless:
                harmless[name] += [each for each in ast.walk(asked.test) if isinstance(each, ast.Name)]
        known = machine.trifles[module.name] = frozenset(name for name, found in uses.items() if found and found == harmless[name])
    return known


def logs_once(machine: Machine, module: Module, node: ast.If) -> str:
    """The variable of ``if not NAME: NAME = True; logger.info(...)``; empty where a statement is another one."""
    match node.test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)) if not node.orelse:
            return name if all(is_trifling(machine, module, name, each) for each in node.body) else ""
    return ""


def is_trifling(machine: Machine, module: Module, name: str, node: ast.stmt) -> bool:
    """Whether a statement gives the variable an exact value, or logs what can be said without running anything of the tree."""
    match node:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Constant()):
            return target == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=logger, attr=method)) as call):
            calls = [each for each in ast.walk(call) if isinstance(each, ast.Call)]
            plain = all(each is call or each is logger or runs_nothing(machine, module, each.func) for each in calls)
            return plain and method in LOGGING and is_logger(module, logger)
    return False


def runs_nothing(machine: Machine, module: Module, callee: ast.expr) -> bool:
    """Whether a call only tells of what it is given, or is answered by what the flow supposes of a function that the module imports."""
    if not isinstance(callee, ast.Name):
        return False
    bound = module.scope.names.get(callee.id, ())
    supposed = callee.id in machine.supposed.calls and bool(bound) and all(isinstance(each, ast.ImportFrom) for each in bound)
    return supposed or callee.id in SAYING


def is_logger(module: Module, node: ast.expr) -> bool:
    """Whether an expression is a logger of the standard library: made here, or by a statement of the module."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr="getLogger")):
            return base == "logging" and all(isinstance(each, ast.Import) for each in module.scope.names.get(base, ()))
        case ast.Name(id=name):
            made = module.scope.names.get(name, ())
            return len(made) == 1 and isinstance(made[0], ast.Assign) and is_logger(module, made[0].value)
    return False


LOGGING = frozenset({"debug", "info", "warning", "error"})
SAYING = frozenset({"type", "str", "repr", "len"})
