"""Asking a value what it is: ``type``, ``issubclass``, ``getattr`` with a default, the name of an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import (
    MISSING,
    ClassValue,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    Id,
    Instance,
    ListValue,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from . import classes
from .branch import choose, lift, pick
from .open_target import STUB
from .phis import alternatives
from .recording import OPEN
from .signals import Raised
from .tensors import NAMES as TENSOR_NAMES

if TYPE_CHECKING:
    from .machine import Machine


def is_subclass(machine: Machine, cls: Value, other: Value) -> bool | None:
    others = other if isinstance(other, tuple) else (other,)
    if not isinstance(cls, ClassValue):
        return True if cls in others else None
    order = classes.resolution_order(machine, cls)
    if any(ancestor == wanted for ancestor in order for wanted in others):
        return True
    return False if classes.is_closed(machine, cls) else None


def class_of(machine: Machine, value: Value) -> Value:
    """``type(value)``."""
    match value:
        case Instance() if machine.recording() and value.cls.module.name == STUB:
            return machine.unknown(f"type({machine.show(value)})", "which class of transformers it is", not_none=True)
        case Instance() | EnumMember():
            return value.cls
        case Phi():
            return lift(machine, value, machine.class_of)
        case Unknown() | External() | ExternalObject():
            return machine.unknown(f"type({machine.show(value)})", "the type of something unknown", not_none=True)
        case ListValue(cls=ClassValue()):
            return value.cls
        case ListValue() | DictValue() | SetValue():
            return External({ListValue: "builtins.list", DictValue: "builtins.dict", SetValue: "builtins.set"}[type(value)])
    return External(f"builtins.{'int' if isinstance(value, Id) else type(value).__name__}")


def lookup_default(machine: Machine, value: Value, name: str, default: Value) -> Value:
    """``getattr(value, name, default)``."""
    value = pick(machine, value)
    if isinstance(value, Phi):
        return lift(machine, value, lambda v: machine.lookup_default(v, name, default))
    if isinstance(value, Unknown):
        return machine.get_attribute(value, name)
    known = machine.condition(machine.has_attribute(value, name))
    if isinstance(known, bool):
        return machine.get_attribute(value, name) if known else default
    if isinstance(value, External | ExternalObject):
        return machine.unknown(f"getattr({machine.show(value)}, {name!r})", "an attribute of something outside the tree")
    return choose(machine, known, lambda side: machine.get_attribute(value, name) if side else default)


def exception_name(machine: Machine, value: Value) -> str:
    match value:
        case Instance():
            return value.cls.name
        case ClassValue():
            return value.name
        case ExternalObject():
            return value.cls.rpartition(".")[2]
        case External():
            return value.name.rpartition(".")[2]
    return "Exception"


def exception_kinds(machine: Machine, kind: str, value: Value) -> tuple[str, ...]:
    """An exception's class and those that it inherits from, by name."""
    cls = value.cls if isinstance(value, Instance) else value
    if not isinstance(cls, ClassValue):
        return (kind,)
    return tuple(a.name.rpartition(".")[2] for a in classes.resolution_order(machine, cls) if isinstance(a, ClassValue | External))


def exception_text(machine: Machine, value: Value) -> str:
    text = value.attrs.get("text") if isinstance(value, ExternalObject) else None
    return text if isinstance(text, str) else ""


def has_attribute(machine: Machine, value: Value, name: str) -> Value:
    """``hasattr(value, name)``."""
    if type(value) is Phi:
        return lift(machine, value, lambda v: has_attribute(machine, v, name))
    if isinstance(value, Instance):
        own = pick(machine, machine.noted(machine.attrs_of(value), name))
        if type(own) is Phi and MISSING in alternatives(own):
            return lift(machine, own, lambda v: v is not MISSING or has_in_class(machine, value, name))
        return own is not MISSING or has_in_class(machine, value, name)
    if isinstance(value, Unknown):
        if (
            machine.noted(machine.written, f"{value.key}.{name}") is not MISSING
            or machine.supposed_value(f"{value.key}.{name}") is not None
        ):
            return True
        configured = machine.config_attribute(value, name, f"{value.key}.{name}")
        if configured is not MISSING:
            plain = configured is None and machine.recording()
            return machine.unknown(f"hasattr({value.key}, {name!r})", "the target's config is not given") if plain else True
        return machine.unknown(f"hasattr({value.key}, {name!r})", value.reason)
    if isinstance(value, Tensor) and machine.noted(value.cell, f".{name}") is MISSING and name not in TENSOR_NAMES:
        return False
    if isinstance(value, External | ExternalObject | Tensor):
        return machine.unknown(f"hasattr({machine.show(value)}, {name!r})", "an object outside the tree")
    try:
        machine.get_attribute(value, name)
    except Raised as raised:
        if raised.kind != "AttributeError":
            raise
        return False
    return True


def has_in_class(machine: Machine, value: Instance, name: str) -> Value:
    found, _ = machine.find_in_class(value.cls, name)
    if found is not MISSING:
        return True
    fallback, owner = machine.find_in_class(value.cls, "__getattr__")
    stub = machine.recording() and value.cls.module.name == STUB
    made_up = stub or OPEN in value.attrs or (fallback is not MISSING and isinstance(owner, ClassValue))
    if made_up or not classes.is_closed(machine, value.cls):
        return machine.unknown(f"hasattr({value.cls.name}#{value.attrs.number}, {name!r})", "its attributes are not all known")
    return False
