"""Lists, dicts, sets and tuples: iterating, unpacking, subscripts, and the items behind them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from ..library.samples import SAMPLE
from ..values import (
    MISSING,
    ClassValue,
    DictValue,
    External,
    Instance,
    ListValue,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from .branch import lift, map_leaves, pick, require
from .classes import enum_members, find_in_class, is_enum
from .phis import alternatives
from .rows import first_size
from .sequences import any_of, sequence_item
from .stacks import note_state
from .watch import check

if TYPE_CHECKING:
    from .machine import Machine

WRAPPER = "key"
"""A dict's own keys stand in its slots as ``(WRAPPER, key)``, apart from the slots that the interpreter keeps."""


def items_of(machine: Machine, value: ListValue | SetValue) -> Value:
    """The items: a tuple, or an Unknown where a loop of unknown length filled them."""
    if id(value.state) in machine.watched:
        check(machine, value.state)
    items = machine.noted(value.state, "items")
    return require(machine, () if items is MISSING else items, "a list whose items depend on it")


def entries(machine: Machine, value: DictValue) -> list[tuple[Value, Value]] | None:
    """A dict's keys and values in order; None where not all are known."""
    if machine.noted(value.state, "#open") is not MISSING:
        return None
    machine.forbid_summary(value.state)
    found: list[tuple[Value, Value]] = []
    for key, slot in value.state.items():
        if isinstance(key, tuple) and key[0] == WRAPPER:
            held = pick(machine, slot)
            if isinstance(held, Phi) and MISSING in (held.if_true, held.if_false):
                held = require(machine, held, "whether a dict holds a key depends on it")
            if held is not MISSING:
                found.append((key[1], held))
    return found


def in_order(items: tuple[Value, ...]) -> list[Value] | None:
    """A set's items as Python would walk them; None where the order hangs on the run (text is hashed with a random seed)."""
    if all(isinstance(x, int) for x in items):
        return [next(x for x in items if x == k) for k in {int(x) for x in items if isinstance(x, int)}]
    return list(items) if len(items) < 2 else None


def iterate(machine: Machine, value: Value) -> list[Value] | None:
    """What a loop over the value sees, or None where that is not known; raises TypeError for what cannot be walked."""
    value = require(machine, value, "what is walked depends on it")
    match value:
        case tuple() | range() | str():
            return list(value)
        case ListValue():
            items = items_of(machine, value)
            if value.iterator and isinstance(items, tuple):
                machine.heap.write(value.state, "items", ())
            return list(items) if isinstance(items, tuple) else None
        case SetValue():
            items = items_of(machine, value)
            return in_order(items) if isinstance(items, tuple) else None
        case DictValue():
            found = entries(machine, value)
            return None if found is None else [key for key, _ in found]
        case ClassValue() if is_enum(machine, value):
            return list(enum_members(machine, value))
        case Instance():
            return iterate_instance(machine, value)
        case None | bool() | int() | float():
            name = (
                "NoneType" if value is None else "int" if isinstance(value, int) and not isinstance(value, bool) else type(value).__name__
            )
            raise machine.raised("TypeError", f"{name!r} object is not iterable")
    return None


def iterate_instance(machine: Machine, value: Instance) -> list[Value] | None:
    fields = value.attrs.get("#fields")
    method, owner = find_in_class(machine, value.cls, "__iter__")
    if method is not MISSING and isinstance(owner, ClassValue):
        return iterate(machine, machine.call(machine.bind(method, value), (), {}))
    if isinstance(fields, tuple) and machine.is_named_tuple(value.cls):
        return [value.attrs[name] for name in fields if isinstance(name, str)]
    return None


def unpack(machine: Machine, value: Value, count: int, star: int | None) -> Value:
    """The parts of ``a, b = value`` as a tuple; with ``star`` the part at that place is a list of the rest."""
    if type(value) is Phi:
        return lift(machine, value, lambda v: unpack(machine, v, count, star))
    if isinstance(value, Tensor):
        return unpack_tensor(machine, value, count, star)
    if value is None:
        raise machine.raised("TypeError", "cannot unpack non-iterable NoneType object")
    items = iterate(machine, value)
    if items is None:
        stem = machine.show(value)
        reason = value.reason if isinstance(value, Unknown) else "the parts of a value that is not modelled"
        return tuple(machine.unknown(f"{stem}[{i}]", reason) for i in range(count))
    if star is None and len(items) != count:
        if len(items) > count:
            raise machine.raised("ValueError", f"too many values to unpack (expected {count})")
        raise machine.raised("ValueError", f"not enough values to unpack (expected {count}, got {len(items)})")
    if star is not None:
        if len(items) < count - 1:
            raise machine.raised("ValueError", f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
        rest = len(items) - (count - 1)
        return (*items[:star], machine.new_list(tuple(items[star : star + rest])), *items[star + rest :])
    return tuple(items)


def unpack_tensor(machine: Machine, value: Tensor, count: int, star: int | None) -> Value:
    """An opaque result may well be a tuple; a tensor walks its rows, and has as many as the batch has tokens."""
    if value.exact:
        machine.assume("batch-length")
        raise machine.raised("ValueError", f"too many values to unpack (expected {count})", certain=True)
    content = machine.content(value)
    return (
        tuple(machine.component(value, content, i) for i in range(count))
        if star is None
        else machine.mystery("parts", "a starred part of an opaque result")
    )


def subscript(machine: Machine, value: Value, index: Value) -> Value:
    """``value[index]``."""
    if type(value) is Phi:
        return lift(machine, value, lambda v: subscript(machine, v, index))
    if type(index) is Phi:
        over = map_leaves if isinstance(value, DictValue | tuple | ListValue) and "#factory" not in getattr(value, "state", ()) else lift
        return over(machine, index, lambda i: subscript(machine, value, i))
    match value:
        case ListValue():
            return list_item(machine, value, index)
        case tuple():
            found = sequence_item(machine, value, index, "tuple", lambda part: part)
            return note_state(machine, value, index, found)
        case str() | range() | bytes():
            if isinstance(index, int | slice):
                try:
                    return value[index]
                except IndexError as error:
                    raise machine.raised("IndexError", str(error)) from None
        case DictValue():
            return dict_item(machine, value, index)
        case Tensor():
            return machine.tensor_item(value, index)
        case Instance():
            return instance_item(machine, value, index)
        case ClassValue():
            return enum_item(machine, value, index)
        case External():
            return value
        case None | bool() | int() | float():
            raise machine.raised("TypeError", f"{'NoneType' if value is None else type(value).__name__!r} object is not subscriptable")
        case Unknown():
            return first_size(machine, value, index) or unknown_item(machine, value, index)
    return machine.unknown(f"{machine.show(value)}[{machine.show(index)}]", "an item of a value that is not modelled")


def list_item(machine: Machine, value: ListValue, index: Value) -> Value:
    """An item or a part of a list; one that was filled in a loop over samples holds samples."""
    if SAMPLE in value.state and not isinstance(index, slice):
        return value.state[SAMPLE]
    item = sequence_item(machine, items_of(machine, value), index, "list", lambda part: machine.new_list(part, modules=value.modules))
    if isinstance(item, ListValue):
        machine.note_cut(value.state.get("items"), item.state.get("items"))
    if value.modules and isinstance(item, Unknown) and machine.ledger is not None and not isinstance(value.state.get("items"), tuple):
        machine.ledger.made.add(item.key)
    return item


def unknown_item(machine: Machine, value: Unknown, index: Value) -> Value:
    key = f"{value.key}[{machine.show(index)}]"
    written = machine.noted(machine.written, key)
    if written is not MISSING:
        return written
    known = machine.supposed_value(key)
    if known is not None:
        return known[0]
    if isinstance(index, str) and (found := machine.config_attribute(value, index, key)) is not MISSING:
        return found
    positive = value.key.startswith("shape(") and not isinstance(index, slice)
    reads_ids = value.reads_ids or (isinstance(index, Unknown) and index.reads_ids)
    return machine.unknown(key, value.reason, positive=positive, not_none=positive, reads_ids=reads_ids)


def dict_key(value: Value) -> Hashable | None:
    """The slot of a dict key; None where the key is not exact."""
    if isinstance(value, Unknown | Phi | ListValue | DictValue | SetValue | Tensor):
        return None
    try:
        hash(value)
    except TypeError:
        return None
    return (WRAPPER, value)


def dict_item(machine: Machine, value: DictValue, index: Value) -> Value:
    key = dict_key(index)
    if key is None:
        found = entries(machine, value)
        if found is not None and isinstance(index, Unknown) and not (machine.recording() and len(found) == 1):
            return any_of(machine, index, found)
        return machine.mystery("item", "a dict entry by a key that is not known")
    held = machine.noted(value.state, key)
    if type(held) is Phi and MISSING in alternatives(held):
        return lift(machine, held, lambda v: v if v is not MISSING else missing_key(machine, value, index))
    return held if held is not MISSING else missing_key(machine, value, index)


def missing_key(machine: Machine, value: DictValue, index: Value) -> Value:
    if value.state.get("#open") is not None:
        return machine.mystery("item", "an entry of a dict that is not known in full")
    if value.state.get("#loaded") is True:
        return machine.mystery("item", f"nothing is seen to save {machine.show(index)}")
    factory = value.state.get("#factory")
    if factory is not None:
        made = machine.call(factory, (), {})
        set_item(machine, value, index, made)
        return made
    raise machine.raised("KeyError", machine.show(index))


def enum_item(machine: Machine, value: ClassValue, index: Value) -> Value:
    """``Color["RED"]``; a subscript of any other class is a generic alias, the class itself."""
    if is_enum(machine, value):
        found = [member for member in enum_members(machine, value) if member.name == index]
        return found[0] if found else machine.mystery(value.name, "a member picked by a name that is not known")
    return value


def instance_item(machine: Machine, value: Instance, index: Value) -> Value:
    method, owner = find_in_class(machine, value.cls, "__getitem__")
    if method is not MISSING and isinstance(owner, ClassValue):
        return machine.call(machine.bind(method, value), (index,), {})
    items = iterate_instance(machine, value)
    if items is not None and isinstance(index, int):
        return sequence_item(machine, tuple(items), index, "tuple", lambda part: part)
    return machine.mystery("item", f"an item of {value.cls.name}")


def set_item(machine: Machine, value: Value, index: Value, new: Value) -> None:
    """``value[index] = new``."""
    value, index = pick(machine, value), pick(machine, index)
    if isinstance(value, Phi):

        def write(target: Value) -> Value:
            set_item(machine, target, index, new)
            return None

        lift(machine, value, write)
        return
    match value:
        case DictValue():
            key = dict_key(index)
            if isinstance(new, Tensor) and machine.recording():
                machine.record("kept", machine.show(machine.content(new)), f"under {machine.show(index)}")
                machine.note_kept(new)
            machine.heap.write(value.state, "#open" if key is None else key, True if key is None else machine.kept(new))
        case ListValue():
            items = items_of(machine, value)
            if isinstance(items, tuple) and isinstance(index, int):
                if not -len(items) <= index < len(items):
                    raise machine.raised("IndexError", "list assignment index out of range")
                place = index % len(items)
                machine.heap.write(value.state, "items", (*items[:place], machine.kept(new), *items[place + 1 :]))
                machine.enlist(value)
            else:
                machine.heap.write(value.state, "items", machine.mystery("items", "a list is written at an unknown place"))
        case Tensor():
            machine.tensor_write(value, index, new)
        case Instance():
            method, owner = find_in_class(machine, value.cls, "__setitem__")
            if method is not MISSING and isinstance(owner, ClassValue):
                machine.call(machine.bind(method, value), (index, new), {})
        case Unknown():
            machine.heap.write(machine.written, f"{value.key}[{machine.show(index)}]", new)
        case None | tuple() | str() | int():
            raise machine.raised(
                "TypeError", f"{type(value).__name__!r} object does not support item assignment", certain=value is not None
            )


def delete_item(machine: Machine, value: Value, index: Value) -> None:
    """``del value[index]``."""
    value, index = require(machine, value, "what is deleted from depends on it"), pick(machine, index)
    if isinstance(value, DictValue) and (key := dict_key(index)) is not None:
        machine.heap.write(value.state, key, MISSING)
    elif isinstance(value, ListValue) and isinstance(items := items_of(machine, value), tuple) and isinstance(index, int | slice):
        kept = list(items)
        del kept[index]
        machine.heap.write(value.state, "items", tuple(kept))
