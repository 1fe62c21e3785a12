"""Fields: what an attribute of an object holds, and what a value of the interpreter is in this domain."""
from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from ..interpret.classes import attrs_of
from ..interpret.names import decorators
from ..interpret.signals import GiveUp, NeedDecision, Raised
from ..values import (
    MISSING,
    ClassValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    ModuleValue,
    Phi,
    Unknown,
    Value,
)
from .domain import UNKNOWN, Exact, Items, Known, Made, Method, Object, Outside, Thing, Val, exact, join_all
from .flags import flag_of
from .measures import form_of
from .names import leaves_of
from .store import State
from .tracks import ELEMENT

if TYPE_CHECKING:
    from .engine import Engine

NOT_CARRIED = frozenset({
    "shape", "dtype", "device", "ndim", "layout", "is_cuda", "requires_grad", "itemsize", "nbytes", "size", "dim", "numel", "stride",
    "element_size", "is_contiguous", "data_ptr", "storage_offset", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor",
    "is_floating_point", "get_device", "__len__",
})  # fmt: skip
"""Attributes and methods of a tensor that tell of its form, not of what it holds."""


def whole(engine: Engine, value: Value, path: str = "") -> Val:
    """A value of the interpreter in this domain."""
    match value:
        case Id():
            return exact(int(value))
        case None | bool() | int() | float() | str() | bytes():
            return exact(value)
        case ClassValue() | FunctionValue() | External() | ModuleValue() | EnumMember():
            return exact(value)
        case tuple():
            return Val((Items(tuple(whole(engine, item, f"{path}[{n}]") for n, item in enumerate(value))),))
        case Instance():
            return Val((backed(engine, value, path),))
        case ListValue():
            return Val((backed(engine, value, path),))
        case ExternalObject() | Unknown():
            return Val((Known(value),))
        case Phi():
            return join_all(whole(engine, leaf, path) for leaf in (value.if_true, value.if_false))
    return UNKNOWN


def backed(engine: Engine, value: Instance | ListValue, path: str) -> Object:
    """The object that stands for one that the interpreter built."""
    found = engine.backings.get(value)
    if found is None:
        cls = value.cls if isinstance(value, Instance) else None
        lasting = not isinstance(value, ListValue) or value.modules
        found = engine.backings[value] = Object(path or (cls.name if cls else "list"), cls, value, lasting=lasting)
        if isinstance(value, ListValue) and value.modules:
            found.element = initial(engine, found, ELEMENT)
    return found


def initial(engine: Engine, thing: Object, name: str) -> Val:
    """What a field holds before anything is written to it, by its class or declaration; the same object each time."""
    key = (thing, name)
    found = engine.symbolic.get(key)
    if found is None:
        found = engine.symbolic[key] = _initial(engine, thing, name)
    return found


def _initial(engine: Engine, thing: Object, name: str) -> Val:
    path = f"{thing.path}.{name}"
    if isinstance(thing.backing, Instance):
        value = built_attribute(engine, thing.backing, name)
        if value is not MISSING:
            return whole(engine, value, path)
    if isinstance(thing.backing, ListValue):
        return _element(engine, thing.backing, path) if name == ELEMENT else UNKNOWN
    if name == ELEMENT and thing.element is not None:
        return thing.element
    if name.startswith(("#", "[")):
        return UNKNOWN
    if not isinstance(thing.cls, ClassValue):
        return flag_of(engine, thing, name) or Val((Object(path, lasting=thing.lasting),))
    constant = class_constant(engine, thing.cls, name)
    if constant is not None:
        return constant
    if not thing.made and (flag := flag_of(engine, thing, name)) is not None:
        return flag
    if engine.settled is not None and (settled := engine.settled(thing, name)) is not None:
        return settled
    owner = (thing.cls, name)
    if models := engine.models(Object(path, None, field=owner)):
        engine.assumptions.add("models")
        return Val(models)
    types = engine.types.attribute(thing.cls, name)
    if (supposed := next((fact for cls in types if (fact := engine.supposed_of(cls)) is not None), None)) is not None:
        return supposed
    items = engine.types.elements(thing.cls, name) if not any(isinstance(cls, ClassValue) for cls in types) else ()
    if items:
        element = Val(tuple(Object(f"{path}[…]", cls, lasting=thing.lasting) for cls in items))
        return Val((Object(path, field=owner, lasting=thing.lasting, element=element),))
    types = types or engine.guess(thing.cls, name)
    engine.assumptions |= {"declared-types"} if types else set()
    return Val(tuple(Object(path, cls, field=owner, lasting=thing.lasting) for cls in types or (None,)))


def built_attribute(engine: Engine, thing: Instance, name: str) -> Value:
    """An attribute of an object that the interpreter built; MISSING where it has none, or cannot say."""
    try:
        with engine.types.asking(thing.cls.module):
            return attrs_of(engine.machine, thing).get(name, MISSING)
    except (GiveUp, NeedDecision, Raised, RecursionError):
        return MISSING


def _element(engine: Engine, value: ListValue, path: str) -> Val:
    """One item of a list of modules for each class that it has, the last: what differs in the first is its beginning."""
    items = value.state.get("items")
    leaves = [leaf for item in items for leaf in leaves_of(item)] if isinstance(items, tuple) else []
    by_class = {leaf.cls: leaf for leaf in leaves if isinstance(leaf, Instance)}
    return Val(tuple(backed(engine, leaf, f"{path}[…]") for leaf in by_class.values())) if by_class else UNKNOWN


def class_constant(engine: Engine, cls: ClassValue, name: str) -> Val | None:
    """A plain attribute of the class that no object of it overrides."""
    value, owner = engine.types.find(cls, name)
    if value is MISSING or isinstance(value, FunctionValue) or not isinstance(owner, ClassValue) or owner.node is None:
        return None
    declared = any(isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and n.target.id == name for n in owner.node.body)
    if declared or any(name in engine.types.assigned(each) for each in engine.types.order(cls)):
        return None
    return whole(engine, value)


# ---------------------------------------------------------------------- reading


def read_field(engine: Engine, state: State, holder: Val, thing: Object, name: str) -> Val:
    """``thing.name`` where ``holder`` is the reference that it was reached by."""
    stored = state.fields(thing).get(name)
    if stored is None and isinstance(thing.cls, ClassValue):
        found, owner = engine.types.find(thing.cls, name)
        if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
            return bind(engine, state, found, Val((thing,), carry=holder.carry), thing.cls)
    return front(holder, initial(engine, thing, name) if stored is None else stored)


def bind(engine: Engine, state: State, function: FunctionValue, receiver: Val, cls: ClassValue) -> Val:
    """A function found in a class, as an object or the class itself hands it out."""
    names = decorators(function.node) if function.node is not None else ()
    if "staticmethod" in names:
        return exact(function)
    if "classmethod" in names:
        return Val((Method(function, exact(cls)),))
    if "property" in names or "cached_property" in names:
        return engine.run_property(state, function, receiver)
    return Val((Method(function, receiver),))


def front(holder: Val, inner: Val) -> Val:
    """What was reached through a reference starts its next hop where the reference was last."""
    if not holder.carry or not (inner.marks or inner.things):
        return inner
    via: dict[object, set[object]] = {}
    for root, node in holder.carry:
        via.setdefault(root, set()).add(node)
    marks = frozenset(node for mark in inner.marks for node in via.get(mark, {mark}))
    return replace(inner, marks=marks, carry=inner.carry | holder.carry if inner.things else inner.carry)  # type: ignore[arg-type]


def read_attribute(engine: Engine, state: State, val: Val, name: str) -> Val:
    """``val.name``."""
    if name == "__dict__":
        engine.doubt("attributes are reached by way of __dict__", engine.at)
    if val.marks and not any(isinstance(thing.cls, ClassValue) for thing in val.objects):
        if name in NOT_CARRIED:
            return form_of(engine, val, name)
        return Val((Outside(val, name),), open=True, marks=val.marks, mixed=val.mixed)
    found = [_of_thing(engine, state, val, thing, name) for thing in val.things]
    if not found:
        state.unsure = True
        return Val((Outside(val, name),), open=True, origin=val.origin) if val.origin else UNKNOWN
    return join_all(found)


def _of_thing(engine: Engine, state: State, val: Val, thing: Thing, name: str) -> Val:
    match thing:
        case Object(cls=ClassValue() as cls, backing=Instance()) if name == "__class__":
            return exact(cls)
        case Exact(value=ClassValue() as cls) if name == "__name__":
            return exact(cls.name)
        case Object(made=True, cls=None) if name not in state.fields(thing):
            return Val((Outside(replace(val, things=(thing,)), name),))  # a method of a list
        case Object():
            return read_field(engine, state, val, thing, name)
        case Exact(value=ClassValue() as cls):
            found, owner = engine.types.find(cls, name)
            if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
                names = decorators(found.node) if found.node is not None else ()
                return Val((Method(found, exact(cls)),)) if "classmethod" in names else exact(found)
            return _supposed(engine, val, cls, name) if found is not MISSING else UNKNOWN
        case Exact(value=External() as outside):
            return exact(External(f"{outside.name}.{name}"))
        case Exact(value=ModuleValue() as module):
            return _of_module(engine, module, name)
        case Exact(value=EnumMember() as member):
            return _of_member(engine, state, member, name)
        case Known(value):
            return flag_of(engine, thing, name) or _supposed(engine, val, value, name)
        case Made():
            return form_of(engine, Val((thing,)), name)
    return Val((Outside(val, name),), open=True, origin=val.origin)


def _supposed(engine: Engine, val: Val, value: Unknown | ExternalObject | ClassValue, name: str) -> Val:
    """An attribute that the interpreter knows: of a class, or one that the flow or the config in hand tells of."""
    try:
        with engine.types.asking(engine.frame.module):
            found = whole(engine, engine.machine.get_attribute(value, name))
    except (GiveUp, NeedDecision, Raised):
        return Val((Outside(val, name),), open=True)
    return found if not isinstance(found.only, Known) else Val((found.only, Outside(val, name)))


def _of_module(engine: Engine, module: ModuleValue, name: str) -> Val:
    found = engine.machine.index.module(module.name, lambda: f"used for {module.name}.{name}")
    value = engine.types.name(found, name) if found is not None else MISSING
    if value is MISSING and engine.machine.index.exists(f"{module.name}.{name}"):
        return exact(ModuleValue(f"{module.name}.{name}"))
    return whole(engine, value)


def _of_member(engine: Engine, state: State, member: EnumMember, name: str) -> Val:
    found, owner = engine.types.find(member.cls, name)
    if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
        return bind(engine, state, found, exact(member), member.cls)
    try:
        return whole(engine, engine.machine.get_attribute(member, name))
    except (GiveUp, NeedDecision, Raised):
        return UNKNOWN
