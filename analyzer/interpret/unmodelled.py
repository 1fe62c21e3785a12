"""What a callee that is not entered may have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import (
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from . import calls, tensors
from .effects import effects_of
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine


def havoc(machine: Machine, function: FunctionValue, args: tuple[Value, ...]) -> None:
    """An opaque callee may have written the attributes that its code writes."""
    if function.node is None or not args:
        return
    for name in effects_of(machine, function.node).stores:
        for value in args:
            if isinstance(value, Instance) and not value.pending and name in value.attrs:
                machine.heap.write(value.attrs, name, machine.mystery(name, f"{function.name} may have written it"))
            elif isinstance(value, Unknown):
                machine.heap.write(
                    machine.written, f"{value.key}.{name}", machine.mystery(f"{value.key}.{name}", f"{function.name} may have written it")
                )


def clobber(machine: Machine, args: tuple[Value, ...], keywords: dict[str, Value], callee: str) -> None:
    """Something outside the tree was given these: what it could have changed is no longer known, however deep it lies."""
    waiting, seen = [*args, *keywords.values()], set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, ListValue | SetValue):
            held = value.state.get("items")
            waiting.extend(held if isinstance(held, tuple) else ())
            reason = f"{callee} is not modelled and may have changed it"
            machine.heap.write(value.state, "items", machine.mystery("items", reason, reads_ids=machine.reads_ids(value)))
        elif isinstance(value, DictValue):
            waiting.extend(v for k, v in value.state.items() if isinstance(k, tuple))
            machine.heap.write(value.state, "#open", True)
        elif isinstance(value, Phi):
            waiting.extend((value.if_true, value.if_false))


def reads_ids(machine: Machine, value: Value) -> bool:
    """Whether a value is made of the ids under test."""
    if isinstance(value, ListValue | SetValue):
        value = value.state.get("items")
    if isinstance(value, tuple):
        return any(machine.reads_ids(v) for v in value)
    return isinstance(value, Id) or (isinstance(value, Unknown) and value.reads_ids)


def call_incomplete(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value], *, positions: bool) -> Value:
    """A call of which not all arguments are known: its result is not either. In a trainer, where whole batches are handed on by keyword,
    a function is run with parameters that are not known; ``positions``: those given by position are."""
    if machine.recording() and positions and (opened := open_parameters(machine, function, args, keywords)) is not None:
        return machine.call(function, args, opened)
    if isinstance(function, ClassValue | External) and not calls.tensors_in(args, keywords):
        return machine.mystery(machine.show(function), "not all arguments of its constructor are known", not_none=True)
    if any(calls.holds_code(machine, v) for v in (*args, *keywords.values())) or any(
        machine.is_stream(t) for t in calls.tensors_in(args, keywords)
    ):
        raise GiveUp(f"{machine.show(function)} is called with arguments of which not all are known", machine.location())
    if isinstance(function, BuiltinMethod) and isinstance(function.receiver, Tensor):
        return tensor_incomplete(machine, function.receiver, function.name, args, keywords)
    return machine.call_outside(function, args, keywords)


def tensor_incomplete(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A tensor's method with arguments that are not all known: a view is some tensor in the same memory, a write may write anything."""
    shown = f"tensor.{name}"
    if name in tensors.WRITERS or (name.endswith("_") and name not in tensors.VIEWS):
        machine.lose_content(tensor, machine.mystery(shown, f"{name} writes the tensor with arguments that are not known"))
        return tensor
    if name in tensors.VIEWS | tensors.CONVERSIONS | tensors.ROWS:
        made = machine.opaque(shown, (tensor,), exact=True)
        return made if name in tensors.ROWS else machine.tensor(machine.content(made), aliases=(tensor.cell,))
    return machine.call_outside(BuiltinMethod(tensor, name), (tensor, *args), keywords)


def open_parameters(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> dict[str, Value] | None:
    """The keywords, with something unknown for each parameter that is not given; None where the callee is no function of the tree."""
    skipped = len(args)
    if isinstance(function, Instance):
        if machine.has_method(function, "__call__"):
            return None
        function, skipped = machine.find_in_class(function.cls, "forward")[0], skipped + 1
    elif isinstance(function, BoundMethod):
        function, skipped = function.function, skipped + 1
    if not isinstance(function, FunctionValue) or function.node is None:
        return None
    found = dict(keywords)
    for parameter in machine.code.function(function.module, function.node).parameters[skipped:]:
        if parameter.kind in ("positional", "keyword-only") and parameter.name not in found:
            found[parameter.name] = machine.mystery(parameter.name, "an argument that may be in a dict that is handed on by keyword")
    return found
