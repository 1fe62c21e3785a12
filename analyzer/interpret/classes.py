"""Classes and their instances: method resolution order, class attributes, construction."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from ..values import (
    MISSING,
    ClassValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    ListValue,
    Slots,
    Unknown,
    Value,
)
from .branch import pick
from .effects import effects_of, escapes_constructor
from .names import class_name, dotted
from .open_target import is_layer_class

if TYPE_CHECKING:
    from .machine import Machine

Ancestor: TypeAlias = ClassValue | External | Unknown
PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "Module", "Enum", "IntEnum", "StrEnum", "NamedTuple", "Flag", "IntFlag"})
FIELD_MAKERS = ("dataclass", "define", "frozen")
"""Decorators that make a constructor of what a class declares."""
HOOKS = ("__new__", "__init_subclass__", "__getattribute__")
"""Methods that change what making or reading an object means."""
"""Last names of outside bases whose attributes are known: a miss on such a class is a miss."""
NATIVE_BASES = frozenset(f"builtins.{name}" for name in ("int", "str", "float", "bytes", "tuple", "list", "dict", "set", "frozenset"))
ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})


def class_bases(machine: Machine, cls: ClassValue) -> tuple[Value, ...]:
    if cls.node is None:
        return cls.bases
    found = cls.slots.get("#bases")
    if isinstance(found, tuple):
        return found
    bases: list[Value] = []
    for node in cls.node.bases:
        value = dotted(machine, cls.module, node)
        bases.append(
            value if isinstance(value, ClassValue | External) else machine.unknown(ast.unparse(node), "a base class that is not understood")
        )
    cls.slots["#bases"] = tuple(bases)
    return tuple(bases)


def resolution_order(machine: Machine, cls: ClassValue) -> tuple[Ancestor, ...]:
    """The method resolution order (C3), outside classes included as leaves."""
    found = cls.slots.get("#mro")
    if isinstance(found, tuple):
        return found  # type: ignore[return-value]
    cls.slots["#mro"] = (cls,)
    bases = [b for b in class_bases(machine, cls) if isinstance(b, ClassValue | External | Unknown)]
    lines: list[list[Ancestor]] = [list(resolution_order(machine, b)) if isinstance(b, ClassValue) else [b] for b in bases]
    order = (cls, *merge_orders([*lines, list[Ancestor](bases)]))
    cls.slots["#mro"] = order
    return order


def merge_orders(lines: list[list[Ancestor]]) -> Iterator[Ancestor]:
    """C3's merge. Where Python would refuse the class, the first head is taken: the program could not run anyway."""
    lines = [line for line in lines if line]
    while lines:
        head = next((line[0] for line in lines if not any(line[0] in other[1:] for other in lines)), lines[0][0])
        yield head
        lines = [rest for line in lines if (rest := [c for c in line if c != head])]


def is_enum(machine: Machine, cls: ClassValue) -> bool:
    return any(isinstance(base, External) and base.name in ENUMS for base in resolution_order(machine, cls))


def is_module_class(machine: Machine, cls: ClassValue) -> bool:
    """Whether instances are torch modules: calling one runs its ``forward``."""
    known = cls.slots.get("#module")
    if not isinstance(known, bool):
        known = any(isinstance(base, External) and machine.library.is_module_base(base.name) for base in resolution_order(machine, cls))
        cls.slots["#module"] = known
    return known


def is_closed(machine: Machine, cls: ClassValue) -> bool:
    """Whether all attributes of the class are known: a miss raises."""
    return all(
        isinstance(b, ClassValue) or (isinstance(b, External) and b.name.rpartition(".")[2] in PLAIN_BASES)
        for b in resolution_order(machine, cls)
    )


def is_registered(machine: Machine, cls: ClassValue) -> bool:
    """Whether a decorator that is made by a call, and not run, may have given the class further attributes."""
    nodes = [each.node for each in resolution_order(machine, cls) if isinstance(each, ClassValue) and each.node is not None]
    made = (each.func for node in nodes for each in node.decorator_list if isinstance(each, ast.Call))
    return any(ast.unparse(func).rpartition(".")[2] not in FIELD_MAKERS for func in made)


def find_in_class(
    machine: Machine, cls: ClassValue, name: str, after: ClassValue | None = None
) -> tuple[Value, ClassValue | External | None]:
    """A class attribute by the method resolution order, and the class that has it; (MISSING, None) where none does."""
    key = (cls, name, after)
    found = machine.class_attributes.get(key)
    if found is None:
        found = search_class(machine, cls, name, after)
        if (found[0] is MISSING or type(found[0]) in LASTING) and name not in machine.rebound:
            machine.class_attributes[key] = found
    return found


LASTING = (FunctionValue, ClassValue, External, EnumMember)
"""What a class body binds once: kept without looking again until that name is written to in a class."""


def forget_attribute(machine: Machine, name: str) -> None:
    """A class is written to: from now on attributes of this name are looked up each time, since the write may be taken back."""
    if name not in machine.rebound:
        machine.rebound.add(name)
        machine.class_attributes = {key: found for key, found in machine.class_attributes.items() if key[1] != name}
        machine.summaries.clear()
        machine.told.clear()


def search_class(machine: Machine, cls: ClassValue, name: str, after: ClassValue | None) -> tuple[Value, ClassValue | External | None]:
    skipping = after is not None
    for ancestor in resolution_order(machine, cls):
        if skipping:
            skipping = ancestor is not after
            continue
        if isinstance(ancestor, ClassValue):
            value = class_name(machine, ancestor, name)
            if value is not MISSING:
                return enum_member(machine, ancestor, name, value), ancestor
        elif isinstance(ancestor, External) and machine.library.has_attribute(ancestor.name, name):
            return External(f"{ancestor.name}.{name}"), ancestor
    return MISSING, None


def enum_member(machine: Machine, cls: ClassValue, name: str, value: Value) -> Value:
    """A plain value in the body of an enumeration is a member."""
    plain = value is None or isinstance(value, bool | int | float | str | tuple | Unknown | ExternalObject)
    if plain and not name.startswith("_") and is_enum(machine, cls):
        return EnumMember(cls, name, value)
    return value


def enum_members(machine: Machine, cls: ClassValue) -> tuple[EnumMember, ...]:
    if cls.node is None:
        return ()
    names = cls.module.class_scope(cls.node).names
    found = (enum_member(machine, cls, name, class_name(machine, cls, name)) for name in names)
    return tuple(member for member in found if isinstance(member, EnumMember))


def instantiate(machine: Machine, cls: ClassValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A new object of a class of the tree. The constructor of a module is postponed to the first need."""
    if is_enum(machine, cls):
        return lookup_enum(machine, cls, args)
    hooks = (*HOOKS, "__setattr__") if machine.recording() else HOOKS  # a trainer's are those of frameworks, which keep more than they say
    hook = next((name for name in hooks if has_hook(machine, cls, name)), None)
    if hook is not None or (cls.node is not None and cls.node.keywords):
        return machine.mystery(cls.name, f"{cls.name} has {hook or 'a metaclass'} of its own", not_none=True)
    if extends_list(machine, cls) and not keywords and len(args) <= 1:
        found = machine.iterate(args[0]) if args else []
        items = machine.mystery("items", "what a list is made of") if found is None else tuple(found)
        return ListValue(machine.heap.new(items=items), cls=cls)
    if any(isinstance(a, External) and a.name in NATIVE_BASES for a in resolution_order(machine, cls)):
        return machine.mystery(cls.name, f"{cls.name} is a kind of a builtin type", not_none=True)
    instance = Instance(cls, machine.heap.new())
    if machine.consumer is not None and any(getattr(each, "name", None) == machine.consumer.cls for each in resolution_order(machine, cls)):
        machine.may_consume = True
    init, owner = find_in_class(machine, cls, "__init__")
    fields = dataclass_fields(machine, cls)
    if fields and (init is MISSING or isinstance(owner, External) or owner not in [c for c, _ in fields.values()]):
        fill_fields(machine, instance, fields, args, keywords)
        return instance
    if init is MISSING or isinstance(owner, External):
        return instance
    frames = list(machine.frames)

    def run() -> None:
        with machine.apart(frames):
            machine.call(machine.bind(init, instance), args, keywords)

    if is_module_class(machine, cls) and not escapes_constructor(machine, cls):
        instance.pending.append(machine.heap.order.postpone(machine.heap.clock, run))
        if cls.node in machine.punctual or (isinstance(init, FunctionValue) and init.outer is not None):
            machine.construct(instance)
    else:
        machine.call(machine.bind(init, instance), args, keywords)
    return instance


def has_hook(machine: Machine, cls: ClassValue, name: str) -> bool:
    """Whether a class of the tree changes what making or reading an object means; where the flow says that it does not, that is assumed."""
    owner = find_in_class(machine, cls, name)[1]
    if not isinstance(owner, ClassValue):
        return False
    assumption = machine.supposed.identities.get(f"{owner.name}.{name}")
    if assumption is not None:
        machine.assume(assumption)
    return assumption is None


def extends_list(machine: Machine, cls: ClassValue) -> bool:
    """Whether a class is a list with further methods, none of which stands before one of a list's own or keeps anything besides."""
    known = cls.slots.get("#list")
    if not isinstance(known, bool):
        *own, base = resolution_order(machine, cls)
        known = base == External("builtins.list") and all(isinstance(each, ClassValue) and only_adds(machine, each) for each in own)
        cls.slots["#list"] = known
    return known


def only_adds(machine: Machine, cls: ClassValue) -> bool:
    body = cls.node.body if cls.node is not None else [ast.Pass()]
    methods = [node for node in body if isinstance(node, ast.FunctionDef)]
    plain = all(isinstance(node, ast.FunctionDef) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in body)
    return plain and not any(
        hasattr(list, node.name) or effects_of(machine, node).stores or "super" in effects_of(machine, node).names for node in methods
    )


def lookup_enum(machine: Machine, cls: ClassValue, args: tuple[Value, ...]) -> Value:
    wanted = pick(machine, args[0]) if args else None
    for member in enum_members(machine, cls):
        if member.value == wanted and type(member.value) is type(wanted):
            return member
    if isinstance(wanted, EnumMember):
        return wanted
    return machine.mystery(cls.name, "an enumeration is looked up by a value that is not known", not_none=True)


def dataclass_fields(machine: Machine, cls: ClassValue) -> dict[str, tuple[ClassValue, ast.AnnAssign]]:
    """The fields of a dataclass or NamedTuple, inherited ones first, each with the class and the statement that declare it."""
    fields: dict[str, tuple[ClassValue, ast.AnnAssign]] = {}
    for ancestor in reversed(resolution_order(machine, cls)):
        if not isinstance(ancestor, ClassValue) or ancestor.node is None or not declares_fields(machine, ancestor):
            continue
        for node in ancestor.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and "ClassVar" not in ast.unparse(node.annotation):
                fields[node.target.id] = (ancestor, node)
    return fields


def declares_fields(machine: Machine, cls: ClassValue) -> bool:
    assert cls.node is not None
    for decorator in cls.node.decorator_list:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(inner).rpartition(".")[2] in FIELD_MAKERS:
            return True
    declaring = ("NamedTuple", "Struct", "BaseModel")
    return any(isinstance(b, External) and b.name.rpartition(".")[2] in declaring for b in class_bases(machine, cls))


def fill_fields(
    machine: Machine,
    instance: Instance,
    fields: dict[str, tuple[ClassValue, ast.AnnAssign]],
    args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> None:
    """The ``__init__`` that a dataclass is given."""
    names = list(fields)
    if len(args) > len(names) or any(k not in fields for k in keywords):
        raise machine.raised("TypeError", f"{instance.cls.name}() got arguments that it does not take", certain=False)
    given = {**dict(zip(names, args, strict=False)), **keywords}
    for name, (owner, node) in fields.items():
        if name in given:
            value = given[name]
            machine.note_flow(name, value)
        elif node.value is None:
            raise machine.raised("TypeError", f"{instance.cls.name}() misses {name!r}", certain=False)
        else:
            value = machine.from_outside(name, field_default(machine, class_name(machine, owner, name)))
        machine.heap.write(instance.attrs, name, value)
    instance.attrs["#fields"] = tuple(names)
    after, _ = find_in_class(machine, instance.cls, "__post_init__")
    if after is not MISSING:
        machine.call(machine.bind(after, instance), (), {})


def field_default(machine: Machine, value: Value) -> Value:
    if isinstance(value, ExternalObject) and value.cls.endswith("dataclasses.field"):
        if "default_factory" in value.attrs:
            return machine.call(value.attrs["default_factory"], (), {})
        return value.attrs.get("default", None)
    return value


def is_instance(machine: Machine, value: Value, cls: Value) -> bool | None:
    """``isinstance``, where it can be told."""
    value, cls = pick(machine, value), pick(machine, cls)
    if isinstance(cls, tuple):
        answers = [is_instance(machine, value, c) for c in cls]
        return True if True in answers else None if None in answers else False
    if isinstance(value, Instance) and isinstance(cls, ClassValue | External):
        order = resolution_order(machine, value.cls)
        if any(a is cls or (isinstance(a, External) and a == cls) for a in order):
            return True
        if isinstance(cls, External) and machine.library.is_module_base(cls.name):
            return is_module_class(machine, value.cls)
        if is_layer_class(machine, value, cls):
            return True
        return False if is_closed(machine, value.cls) else None
    if isinstance(value, ListValue) and value.cls is not None and isinstance(cls, ClassValue):
        return cls in resolution_order(machine, value.cls)
    if isinstance(value, EnumMember) and isinstance(cls, ClassValue):
        return value.cls is cls or cls in resolution_order(machine, value.cls)
    if isinstance(value, Unknown) and machine.ledger is not None and value.key in machine.ledger.modules:
        return True if isinstance(cls, External) and machine.library.is_module_base(cls.name) else None
    return machine.library.is_instance(value, cls)


def attrs_of(machine: Machine, value: Instance) -> Slots:
    """The attributes of an object, its postponed constructor run first."""
    if value.pending:
        machine.construct(value)
    return value.attrs
