"""Functions as values: closures, defaults, decorators, ``super()`` and the names that they bind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .. import ir
from ..values import EXACT_TYPES, MISSING, ClassValue, EnumMember, External, FunctionValue, Scope, Slots, Super, Value
from . import classes, names
from .branch import pick
from .signals import NeedDecision, Raised

if TYPE_CHECKING:
    from .machine import Machine


def decorate(machine: Machine, function: FunctionValue, position: int, value: Value) -> Value:
    """A function as a decorator of the tree leaves it: the decorator is run."""
    assert function.node is not None
    code = machine.code.function(function.module, function.node)
    owner = function.owner.slots if function.owner is not None else names.module_slots(machine, function.module)
    try:
        with machine.module_frame(function.module, owner):
            return machine.call(machine.evaluate(code.decorators[position]), (value,), {})
    except (Raised, NeedDecision) as error:
        reason = f"its decorator is not understood: {error}"
        return machine.unknown(f"{function.module.name}.{function.name}", reason)


def evaluate_default(machine: Machine, function: FunctionValue, node: ir.Expression) -> Value:
    """For a function of a module or class, which is defined at import."""
    slots = function.owner.slots if function.owner is not None else names.module_slots(machine, function.module)
    before = machine.importing.copy()
    if function.node is not None:
        machine.importing.setdefault(function.module.name, function.node.lineno)
    try:
        with machine.module_frame(function.module, slots, function.outer):
            return machine.evaluate(node)
    finally:
        machine.importing = before


def define(machine: Machine, function: ir.Function) -> Value:
    """A nested function or a method of a nested class, decorators included."""
    made = machine.close_over(function)
    for decorator in reversed(function.decorators):
        value = pick(machine, machine.evaluate(decorator))
        if isinstance(value, External) and (
            machine.library.keeps_function(value.name) or value.name.rpartition(".")[2] in names.KEPT_DECORATORS
        ):
            continue
        return machine.unknown(f"{machine.frame.module.name}.{function.name}", "its decorator is not understood")
    return made


def close_over(machine: Machine, function: ir.Function) -> FunctionValue:
    scope = machine.frame.scope
    while scope is not None and scope.is_class:
        scope = scope.outer
    made = machine.make_function(function, scope)
    seen = scope
    while seen is not None:
        machine.heap.close_over(seen.slots)
        seen = seen.outer
    for parameter in function.parameters:
        if parameter.default is not None and not isinstance(parameter.default, ir.Const):
            machine.defaults[made, parameter.name] = machine.evaluate(parameter.default)
    return made


def make_function(machine: Machine, function: ir.Function, scope: Scope | None) -> FunctionValue:
    owner = machine.defining[-1] if machine.defining and machine.frame.scope is not None and machine.frame.scope.is_class else None
    if owner is None and machine.frame.function is not None:
        owner = machine.frame.function.owner
        made = FunctionValue(machine.frame.module, function.name, None, function, scope, None)
        machine.enclosing[made] = owner
        return made
    return FunctionValue(machine.frame.module, function.name, None, function, scope, owner)


def super_of(machine: Machine, args: list[Value]) -> Value:
    """``super()``."""
    function = machine.frame.function
    if len(args) == 2 and isinstance(args[0], ClassValue):
        return Super(args[0], args[1])
    owner = function.owner or machine.enclosing.get(function) if function is not None else None
    code = function.code or machine.code.function(function.module, function.node) if function is not None else None  # type: ignore[arg-type]
    if owner is None or code is None or not code.parameters:
        return machine.mystery("super", "super() outside of a method")
    return Super(owner, names.look_up(machine, code.parameters[0].name))


def bind_name(machine: Machine, name: str, value: Value) -> None:
    """Bind a name in the running function, honouring ``global`` and ``nonlocal``."""
    frame = machine.frame
    scope = frame.scope
    if scope is None:
        machine.heap.write(frame.slots, name, value)
        return
    code = scope.code
    if code is not None and name in code.globals:
        machine.bind_global(names.module_slots(machine, frame.module), name, value)
    elif code is not None and name in code.nonlocals:
        target = names.scope_of(scope, name)
        machine.heap.write(target if target is not None else scope.slots, name, value)
    else:
        machine.heap.bind(scope.slots, name, value)


def bind_global(machine: Machine, slots: Slots, name: str, value: Value) -> None:
    """Assign a module's variable from a function. Where it was None and becomes something exact it is initialised on first use:
    that holds from then on, whichever branch came first."""
    if slots.get(name, MISSING) is None and isinstance(value, (*EXACT_TYPES, EnumMember)):
        machine.assume("import-state")
        slots[name] = value
    else:
        machine.heap.write(slots, name, value)
        machine.heap.write(slots, ("bound", name), True)


def property_setter(machine: Machine, cls: ClassValue, name: str) -> FunctionValue | None:
    for ancestor in classes.resolution_order(machine, cls):
        if isinstance(ancestor, ClassValue) and ancestor.node is not None:
            for node in ancestor.node.body:
                if isinstance(node, ast.FunctionDef) and node.name == name and "setter" in names.decorators(node):
                    return FunctionValue(ancestor.module, name, node, None, None, ancestor)
    return None
