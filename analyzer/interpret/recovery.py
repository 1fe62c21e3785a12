"""Constructors, statement by statement: one whose value hangs on open questions leaves what it would have written unknown.

A decoder layer's constructor builds attention, experts and caches by dozens of conditions on the config, most of which say nothing of
the residual stream. Such a statement is passed over, and each name and attribute that it may
write becomes unknown. A statement of which that cannot be told by its syntax is not passed over.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import ir
from ..values import DictValue, FunctionValue, Instance, ListValue, SetValue, Unknown, Value
from .classes import find_in_class, is_module_class
from .consumers import may_make_consumer
from .effects import MUTATORS, effects_of, escapes
from .signals import GiveUp, MadeLate, NeedDecision, Signal

if TYPE_CHECKING:
    from .machine import Machine
    from .state import Frame

UNTOLD = (ast.Return, ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr, ast.With, ast.AsyncWith)
"""What makes a statement one of which it cannot be told what it writes."""
MAX_CALLS = 12


@dataclass(frozen=True, slots=True)
class Written:
    """What a statement of a method may write: local names, attributes of the object, methods of it that are called, and local names
    and attributes whose values are changed in place."""

    names: tuple[str, ...]
    attributes: tuple[str, ...]
    calls: tuple[str, ...]
    changed: tuple[str, ...]
    filled: tuple[str, ...]


def is_forgiving(machine: Machine, function: FunctionValue) -> bool:
    """Whether a function is the constructor of a module, whose statements may be passed over."""
    if machine.opening == "never" or function.name != "__init__" or function.owner is None:
        return False
    return is_module_class(machine, function.owner)


def run_forgiving(machine: Machine, frame: Frame, statement: ir.Statement, run: Callable[[], Signal]) -> Signal:
    """Run one statement of a constructor; pass over it where it asks an open question."""
    heap, depth = machine.heap, len(machine.frames)
    mark, parked, catching, outer = heap.mark(), len(frame.parks), len(machine.catching), machine.forgiven
    machine.forgiven = True
    try:
        return run()
    except (NeedDecision, GiveUp) as question:
        node = statement_at(frame, statement.at)
        written = written_by(node, frame) if node is not None else None
        receiver = receiver_of(frame)
        if isinstance(question, MadeLate) or written is None or receiver is None or not machine.forgives(question):
            if isinstance(question, NeedDecision):
                question.making = True
            raise
        del machine.frames[depth:], machine.catching[catching:], frame.parks[parked:]
        machine.nesting = 0
        heap.rollback(mark)
        forget(machine, receiver, written, reason_of(question))
        machine.may_consume |= may_make_consumer(machine, frame, node)
        return None
    finally:
        machine.forgiven = outer


def reason_of(question: NeedDecision | GiveUp) -> str:
    return question.reason if isinstance(question, GiveUp) else f"it hangs on {question.condition.key[:80]}"


def forget(machine: Machine, receiver: Instance, written: Written, reason: str) -> None:
    """Make unknown what a statement may have written."""
    held = [machine.frame.slots.get(name) for name in written.changed] + [receiver.attrs.get(name) for name in written.filled]
    if any(not isinstance(value, DictValue | ListValue | SetValue | Unknown | None) for value in held):
        raise GiveUp("what is passed over changes an object in place", machine.location())
    machine.clobber(tuple(held), {}, "what is passed over")
    for name in written.names:
        machine.bind_name(name, machine.mystery(name, reason))
    attributes = {*written.attributes, *(name for call in written.calls for name in stored_by(machine, receiver, call))}
    for name in sorted(attributes):
        machine.heap.write(receiver.attrs, name, machine.mystery(f"{receiver.cls.name}.{name}", reason))


def stored_by(machine: Machine, receiver: Instance, method: str) -> Iterator[str]:
    """The attributes of its object that a method stores, and those that the methods store that it calls."""
    waiting, seen = [method], set[str]()
    while waiting:
        name = waiting.pop()
        found, _ = find_in_class(machine, receiver.cls, name)
        if name in seen or not isinstance(found, FunctionValue) or found.node is None:
            continue
        seen.add(name)
        effects = effects_of(machine, found.node)
        if effects.feeds or escapes(machine, found) or "*" in effects.stores or len(seen) > MAX_CALLS:
            raise GiveUp(f"{name} is passed over and may change more than its object", machine.location())
        yield from effects.stores
        waiting += effects.own_calls


def receiver_of(frame: Frame) -> Instance | None:
    """The object that the running method is called on."""
    code = frame.scope.code if frame.scope is not None else None
    value: Value = frame.slots.get(code.parameters[0].name) if code is not None and code.parameters else None
    return value if isinstance(value, Instance) else None


def statement_at(frame: Frame, at: ir.At) -> ast.stmt | None:
    """The statement of the running function at a place."""
    node = frame.function.node if frame.function is not None else None
    if node is None:
        return None
    found = (inner for inner in ast.walk(node) if isinstance(inner, ast.stmt) and (inner.lineno, inner.col_offset) == (at.line, at.column))
    return next(found, None)


def written_by(node: ast.stmt, frame: Frame) -> Written | None:
    """What a statement may write; None where its syntax does not tell."""
    code = frame.scope.code if frame.scope is not None else None
    assert code is not None
    own = code.parameters[0].name
    names: list[str] = []
    attributes: list[str] = []
    calls: list[str] = []
    changed: list[str] = []
    filled: list[str] = []
    parts: list[str | None] = []
    direct: set[ast.AST] = set()
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store()):
                names.append(name)
            case ast.Attribute(value=ast.Name(id=base), attr=name, ctx=ast.Store()) if base == own:
                attributes.append(name)
                direct.add(inner.value)
            case ast.Attribute(value=ast.Name(id=base)) if base == own:
                direct.add(inner.value)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                changed.append(name)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=base), attr=name), ctx=ast.Store()) if base == own:
                filled.append(name)
            case ast.Attribute(value=ast.Attribute() as part, ctx=ast.Store()):
                parts.append(first_part(part, own))
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                return None
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=name)) if base == own:
                calls.append(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
                changed.append(name)
            case ast.Call(func=ast.Attribute(attr=name)) if name in MUTATORS or name == "__init__":
                return None
            case ast.Call(func=ast.Name(id=name)) if name in ("setattr", "delattr", "exec", "eval"):
                return None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
        if isinstance(inner, UNTOLD):
            return None
    handed_on = any(isinstance(inner, ast.Name) and inner.id == own and inner not in direct for inner in ast.walk(node))
    if handed_on or not all(part in attributes for part in parts):  # it, or an object that was there before, may be written
        return None
    return Written(*(tuple(dict.fromkeys(found)) for found in (names, attributes, calls, changed, filled)))


def first_part(node: ast.expr, own: str) -> str | None:
    """``a`` of ``self.a.b.c``."""
    while isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name):
            return node.attr if node.value.id == own else None
        node = node.value
    return None
