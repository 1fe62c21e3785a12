"""Methods of dicts."""

from __future__ import annotations

from ..values import MISSING, BuiltinMethod, DictValue, Phi, Unknown, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]


def receiver(function: Value) -> Value:
    assert isinstance(function, BuiltinMethod)
    return function.receiver


def mapping(function: Value) -> DictValue:
    value = receiver(function)
    assert isinstance(value, DictValue)
    return value


def get(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    default = args[1] if len(args) > 1 else keywords.get("default")
    held = machine.entries(mapping(function))
    if isinstance(phi := machine.pick(args[0]), Phi):
        return machine.lift(phi, lambda v: get(machine, function, (v, *args[1:]), keywords))
    if held is None or isinstance(args[0], Unknown):
        return machine.mystery("get", "an entry of a dict that is not known")
    for key, value in held:
        if machine.compare("==", key, args[0]) is True:
            return value
    if mapping(function).state.get("#loaded") is True:
        return machine.mystery("get", "a key of a file that nothing is seen to save")
    return default


def keys(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = machine.entries(mapping(function))
    if held is None:
        return machine.unknown_items("list")
    return machine.watch_source(machine.new_list(tuple(k for k, _ in held)), mapping(function))


def values(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = machine.entries(mapping(function))
    if held is None:
        return machine.unknown_items("list")
    return machine.watch_source(machine.new_list(tuple(v for _, v in held)), mapping(function))


def pairs(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = machine.entries(mapping(function))
    if held is None:
        return machine.unknown_items("list")
    return machine.watch_source(machine.new_list(tuple(held)), mapping(function))


def update(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    target = mapping(function)
    for source in map(machine.pick, args):
        held = machine.entries(source) if isinstance(source, DictValue) else None
        if held is None and not isinstance(source, DictValue):
            walked = machine.iterate(source)
            if walked is not None and all(isinstance(p, tuple) and len(p) == 2 for p in walked):
                held = [(p[0], p[1]) for p in walked if isinstance(p, tuple)]
        if held is None:
            machine.heap.write(target.state, "#open", True)
        for key, value in held or ():
            machine.set_item(target, key, value)
    for key, value in keywords.items():
        machine.set_item(target, key, value)
    return None


def pop_key(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    found = get(machine, function, (args[0], MISSING), {})
    if found is MISSING:
        return args[1] if len(args) > 1 else machine.raise_error("KeyError", machine.show(args[0]))
    machine.delete_item(mapping(function), args[0])
    return found


def set_default(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    found = get(machine, function, (args[0], MISSING), {})
    if found is MISSING:
        found = args[1] if len(args) > 1 else None
        machine.set_item(mapping(function), args[0], found)
    return found


def copy_dict(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    made = machine.new_dict({})
    update(machine, BuiltinMethod(made, "update"), (mapping(function),), {})
    return made


def clear_dict(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    for key, _ in machine.entries(mapping(function)) or ():
        machine.delete_item(mapping(function), key)
    return None


DICT_METHODS: dict[str, Model] = {
    "get": get,
    "keys": keys,
    "values": values,
    "items": pairs,
    "update": update,
    "pop": pop_key,
    "setdefault": set_default,
    "copy": copy_dict,
    "clear": clear_dict,
}
