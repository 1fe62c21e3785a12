"""Attributes: ``getattr``, ``setattr``, ``hasattr`` and what a dot means for each kind of value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..values import (
    MISSING,
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    ModuleValue,
    Partial,
    Phi,
    SetValue,
    Super,
    Tensor,
    Unknown,
    Value,
)
from .branch import lift, pick
from .classes import attrs_of, find_in_class, forget_attribute, is_closed, is_registered, resolution_order
from .effects import effects_of
from .names import decorators, made_on_demand, module_name
from .open_target import STUB, open_attribute
from .phis import alternatives
from .recording import GIVEN, OPEN
from .reflection import class_dict
from .signals import GiveUp
from .watch import forget_sources

if TYPE_CHECKING:
    from .machine import Machine

SET = "builtins.object.__setattr__"
"""What writes an attribute past a ``__setattr__`` of the class."""


def get_attribute(machine: Machine, value: Value, name: str) -> Value:
    """``value.name``; raises AttributeError in the program."""
    if type(value) is Phi:
        return lift(machine, value, lambda v: get_attribute(machine, v, name))
    match value:
        case Instance():
            return instance_attribute(machine, value, name)
        case Unknown():
            return unknown_attribute(machine, value, name)
        case Tensor():
            return machine.tensor_attribute(value, name)
        case ModuleValue():
            return module_attribute(machine, value, name)
        case ClassValue():
            return class_attribute(machine, value, name)
        case External():
            return External(f"{value.name}.{name}")
        case ExternalObject():
            return outside_object(machine, value, name)
        case Super():
            return super_attribute(machine, value, name)
        case EnumMember():
            return enum_attribute(machine, value, name)
        case None:
            raise machine.raised("AttributeError", f"'NoneType' object has no attribute {name!r}")
        case (
            ListValue()
            | DictValue()
            | SetValue()
            | str()
            | tuple()
            | bytes()
            | int()
            | float()
            | range()
            | Partial()
            | FunctionValue()
            | BoundMethod()
        ):
            return plain_attribute(machine, value, name)
    return machine.mystery(name, f"attribute {name!r} of a value that is not modelled")


def plain_attribute(machine: Machine, value: Value, name: str) -> Value:
    if name == "__class__":
        return External(f"builtins.{type(value).__name__}")
    if isinstance(value, FunctionValue | BoundMethod | Partial):
        if name == "__name__" and isinstance(value, FunctionValue):
            return value.name
        if name == "__get__":
            return Partial(External("types.MethodType"), (value,), ())
        if name == "__self__" and isinstance(value, BoundMethod):
            return value.receiver
        return machine.mystery(name, f"attribute {name!r} of a function")
    if isinstance(value, ListValue) and value.cls and isinstance(found := find_in_class(machine, value.cls, name)[0], FunctionValue):
        return bind(machine, found, value)
    if isinstance(value, ListValue) and name in ("split", "strip") and GIVEN in value.state:
        return BuiltinMethod(value, "copy")
    native = {ListValue: list, DictValue: dict, SetValue: set, Id: int}.get(type(value), type(value))
    if not hasattr(native, name) and not (isinstance(value, ListValue) and (value.modules or name in machine.library.list_methods)):
        raise machine.raised("AttributeError", f"{native.__name__!r} object has no attribute {name!r}")
    forget_sources(value)
    return BuiltinMethod(value, name)


def unknown_attribute(machine: Machine, value: Unknown, name: str) -> Value:
    key = f"{value.key}.{name}"
    written = machine.noted(machine.written, key)
    if written is not MISSING:
        return written
    known = machine.supposed_value(key)
    if known is not None:
        return known[0]
    part = open_attribute(machine, value, name)
    if part is not MISSING:
        return part
    configured = machine.config_attribute(value, name, key)
    return configured if configured is not MISSING else machine.unknown(key, value.reason, reads_ids=value.reads_ids)


def module_attribute(machine: Machine, value: ModuleValue, name: str) -> Value:
    module = machine.index.module(value.name, lambda: f"used at {machine.location()}")
    if module is not None:
        found = module_name(machine, module, name)
        if found is not MISSING:
            return found
    if machine.index.exists(f"{value.name}.{name}"):
        return ModuleValue(f"{value.name}.{name}")
    if module is not None and "__getattr__" in module.scope.names:
        return made_on_demand(machine, module, name)
    raise machine.raised("AttributeError", f"module {value.name!r} has no attribute {name!r}", certain=False)


def instance_attribute(machine: Machine, value: Instance, name: str) -> Value:
    if value.pending and is_plain_method(machine, value.cls, name):
        return from_class(machine, value, name)
    own = machine.noted(attrs_of(machine, value), name)
    if own is not MISSING:
        if type(own) is Phi and MISSING in alternatives(own):
            return lift(machine, own, lambda v: present(machine, value, name, v))
        return own
    return from_class(machine, value, name)


def is_plain_method(machine: Machine, cls: ClassValue, name: str) -> bool:
    """Whether an attribute is a method that no constructor of the class overwrites: reading it needs no constructed object."""
    found, owner = find_in_class(machine, cls, name)
    if (
        not isinstance(found, FunctionValue)
        or found.node is None
        or not isinstance(owner, ClassValue)
        or set(decorators(found.node)) & {"property", "cached_property"}
    ):
        return False
    return not any({name, "*"} & stores for stores in constructor_stores(machine, cls))


def constructor_stores(machine: Machine, cls: ClassValue) -> Iterator[frozenset[str]]:
    for ancestor in resolution_order(machine, cls):
        if isinstance(ancestor, ClassValue):
            init, owner = find_in_class(machine, ancestor, "__init__")
            if isinstance(init, FunctionValue) and init.node is not None and owner is ancestor:
                yield effects_of(machine, init.node).stores


def present(machine: Machine, value: Instance, name: str, found: Value) -> Value:
    return found if found is not MISSING else from_class(machine, value, name)


def from_class(machine: Machine, value: Instance, name: str) -> Value:
    if OPEN in value.attrs and name not in ("__class__", "__dict__"):
        return of_open_object(machine, value, name)
    found, owner = find_in_class(machine, value.cls, name)
    if found is not MISSING:
        if isinstance(owner, External):
            return machine.bound_outside(value, owner.name, name)
        return bind(machine, found, value)
    if name == "__class__":
        return machine.class_of(value)
    if name == "__dict__":
        raise GiveUp("__dict__ is read or written behind the object's back", machine.location())
    fallback, owner = find_in_class(machine, value.cls, "__getattr__")
    if fallback is not MISSING and isinstance(owner, ClassValue):
        return machine.call(bind(machine, fallback, value), (name,), {})
    if machine.recording() and value.cls.module.name == STUB:
        return machine.mystery(STUB, f"{name!r} of a part of a model of transformers", not_none=True)
    if is_closed(machine, value.cls):
        raise machine.raised("AttributeError", f"{value.cls.name!r} object has no attribute {name!r}")
    return unknown_attribute(machine, machine.unknown(own_key(machine, value), f"{value.cls.name} has a base class outside the tree"), name)


def own_key(machine: Machine, value: Instance) -> str:
    """How an object begins the keys of what is unknown of it: of a trainer's open objects one stands for all of its class."""
    open_class = machine.recording() and OPEN in value.attrs
    return value.cls.name if open_class else f"{value.cls.name}#{value.attrs.number}"


def of_open_object(machine: Machine, value: Instance, name: str) -> Value:
    """What the class of an object gives it whose making is not seen; all else is as of something unknown."""
    found, owner = find_in_class(machine, value.cls, name)
    if isinstance(owner, External):
        return machine.bound_outside(value, owner.name, name)
    if found is not MISSING:
        return bind(machine, found, value)
    return unknown_attribute(machine, machine.unknown(own_key(machine, value), "an object whose making is not seen"), name)


def bind(machine: Machine, found: Value, receiver: Value) -> Value:
    """A class attribute as seen through an object: methods are bound, properties evaluated."""
    if type(found) is Phi:
        return lift(machine, found, lambda v: bind(machine, v, receiver))
    if isinstance(found, Instance) and machine.has_method(found, "__get__"):
        owner = receiver.cls if isinstance(receiver, Instance) else receiver
        return machine.call(machine.get_attribute(found, "__get__"), (receiver, owner), {})
    if not isinstance(found, FunctionValue):
        return found
    marks = decorators(found.node) if found.node is not None else ()
    if "staticmethod" in marks:
        return found
    if "classmethod" in marks:
        cls = receiver.cls if isinstance(receiver, Instance | EnumMember) else receiver
        return BoundMethod(found, cls)
    if "property" in marks:
        return machine.call(BoundMethod(found, receiver), (), {})
    if "cached_property" in marks:
        value = machine.call(BoundMethod(found, receiver), (), {})
        if isinstance(receiver, Instance):
            machine.heap.write(receiver.attrs, found.name, value)
        return value
    return BoundMethod(found, receiver)


def class_attribute(machine: Machine, value: ClassValue, name: str) -> Value:
    found, owner = find_in_class(machine, value, name)
    if found is not MISSING and not isinstance(owner, External):
        if isinstance(found, FunctionValue) and found.node is not None and "classmethod" in decorators(found.node):
            return BoundMethod(found, value)
        return found
    if name in ("__name__", "__qualname__"):
        return value.name
    if name == "__module__":
        return value.module.name
    if name == "__mro__":
        return resolution_order(machine, value)
    if name == "__members__":
        return machine.enum_dict(value)
    if name == "__dict__":
        return class_dict(machine, value)
    if name.startswith("__") and name.endswith("__"):
        return machine.mystery(name, f"what Python keeps of the class {value.name}")
    if isinstance(owner, External):
        return found
    if is_closed(machine, value) and not is_registered(machine, value):
        raise machine.raised("AttributeError", f"type object {value.name!r} has no attribute {name!r}", certain=False)
    return machine.unknown(f"{value.qualified}.{name}", f"{value.name} has a base class outside the tree")


def super_attribute(machine: Machine, value: Super, name: str) -> Value:
    cls = value.receiver.cls if isinstance(value.receiver, Instance | EnumMember) else value.receiver
    if not isinstance(cls, ClassValue):
        return machine.mystery(name, "super() of a value that is not understood")
    found, owner = find_in_class(machine, cls, name, after=value.after)
    if name == "__setattr__" and not isinstance(owner, ClassValue):
        return BoundMethod(External(SET), value.receiver)
    if found is MISSING:
        if name in ("__init__", "__init_subclass__", "__post_init__", "__new__"):
            return External("builtins.object.__init__")
        made = machine.mystery(f"super.{name}", f"{name!r} is in no base class of the tree")
        if machine.ledger is not None and isinstance(value.receiver, Instance):
            machine.ledger.supers[made.key] = own_key(machine, value.receiver)
        return made
    if isinstance(owner, External):
        return External("builtins.object.__init__") if name == "__init__" else machine.bound_outside(value.receiver, owner.name, name)
    return bind(machine, found, value.receiver)


def enum_attribute(machine: Machine, value: EnumMember, name: str) -> Value:
    if name in ("value", "_value_"):
        return value.value
    if name in ("name", "_name_"):
        return value.name
    found, owner = find_in_class(machine, value.cls, name)
    if found is MISSING or isinstance(owner, External):
        return machine.unknown(f"{value.cls.name}.{value.name}.{name}", "an attribute of an enumeration's member")
    return bind(machine, found, value)


def outside_object(machine: Machine, value: ExternalObject, name: str) -> Value:
    own = machine.noted(value.attrs, name)
    if own is not MISSING:
        return lift(machine, own, lambda v: v if v is not MISSING else machine.unknown(f"{value.key}.{name}", value.cls))
    known = machine.supposed_value(f"{value.key}.{name}")
    return known[0] if known else BuiltinMethod(value, name)


def set_attribute(machine: Machine, value: Value, name: str, new: Value) -> None:
    """``value.name = new``."""
    value = pick(machine, value)
    match value:
        case Phi():

            def write(target: Value) -> Value:
                set_attribute(machine, target, name, new)
                return None

            lift(machine, value, write)
        case Instance():
            hook, owner = find_in_class(machine, value.cls, "__setattr__")
            if new is not MISSING and isinstance(owner, ClassValue) and not machine.recording():
                machine.call(bind(machine, hook, value), (name, new), {})
            else:
                set_on_instance(machine, value, name, new)
        case ExternalObject():
            machine.heap.write(value.attrs, name, new)
        case ClassValue():
            machine.heap.write(value.slots, name, new)
            forget_attribute(machine, name)
        case Unknown():
            machine.heap.write(machine.written, f"{value.key}.{name}", new)
        case Tensor():
            machine.heap.write(value.cell, f".{name}", new)
        case ModuleValue():
            module = machine.index.module(value.name, lambda: f"written to at {machine.location()}")
            if module is not None:
                machine.heap.write(machine.slots_of(module), name, new)
        case None:
            raise machine.raised("AttributeError", f"'NoneType' object has no attribute {name!r}")
        case ListValue():
            machine.heap.write(value.state, f".{name}", new)


def set_on_instance(machine: Machine, value: Instance, name: str, new: Value) -> None:
    attrs = attrs_of(machine, value)
    found, _ = find_in_class(machine, value.cls, name)
    if isinstance(found, FunctionValue) and found.node is not None and "property" in decorators(found.node):
        setter = machine.property_setter(value.cls, name)
        if setter is None:
            raise machine.raised("AttributeError", f"property {name!r} of {value.cls.name!r} object has no setter")
        machine.call(BoundMethod(setter, value), (new,), {})
        return
    machine.note_flow(name, new)
    machine.heap.write(attrs, name, new)
