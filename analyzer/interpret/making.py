"""Collections made from values that may not all be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import Parameter
from ..values import MISSING, BoundMethod, ClassValue, DictValue, FunctionValue, ListValue, SetValue, Value
from . import containers, operators
from .branch import map_leaves, require
from .phis import alternatives

if TYPE_CHECKING:
    from .machine import Machine


def set_from(machine: Machine, items: tuple[Value, ...]) -> Value:
    """A set of these values, duplicates dropped; unknown where it cannot be told what is one."""
    kept: list[Value] = []
    for item in items:
        answers = [operators.compare(machine, "==", item, other) for other in kept]
        if True in answers:
            continue
        if any(answer is not False for answer in answers):
            return machine.unknown_items("set")
        kept.append(item)
    return machine.new_set(tuple(kept))


def unknown_items(machine: Machine, kind: str) -> Value:
    """A list, set or dict of which the length is not known."""
    if kind == "tuple":
        return machine.mystery("tuple", "a tuple of unknown length", not_none=True)
    if kind == "dict":
        made = machine.new_dict({})
        made.state["#open"] = True
        return made
    items = machine.mystery("items", "a collection of unknown length", not_none=True)
    state = machine.heap.new(items=items)
    return SetValue(state) if kind == "set" else ListValue(state)


def spread_keywords(machine: Machine, function: Value, value: Value, keywords: dict[str, Value]) -> bool:
    """Add ``**value`` to keyword arguments; False where not all of its keys are known. A keyword that is given by one condition and not by
    another is a Phi with MISSING in it, where the callee has a default for it."""
    value = machine.pick(value)
    options = alternatives(value)
    merged = merged_keywords(machine, function, value, options) if len(options) > 1 else None
    if merged is not None and merged.keys().isdisjoint(keywords):
        keywords.update(merged)
        return True
    value = require(machine, value, "what is spread depends on it")
    found = containers.entries(machine, value) if isinstance(value, DictValue) else None
    keywords.update({key: held for key, held in found or () if isinstance(key, str)})
    return found is not None


def merged_keywords(machine: Machine, function: Value, value: Value, options: list[Value]) -> dict[str, Value] | None:
    """The keywords of one dict or another; None where one is not known, or the callee has no default for what not all of them hold."""
    held: dict[int, dict[str, Value]] = {}
    for option in options:
        found = containers.entries(machine, option) if isinstance(option, DictValue) else None
        if found is None:
            return None
        held[id(option)] = {key: each for key, each in found if isinstance(key, str)}
    names = dict.fromkeys(name for each in held.values() for name in each)
    optional = {parameter.name for parameter in parameters_of(machine, function) if parameter.default is not None}
    if any(name not in each and name not in optional for each in held.values() for name in names):
        return None
    return {name: map_leaves(machine, value, lambda option, name=name: held[id(option)].get(name, MISSING)) for name in names}  # type: ignore[misc]


def parameters_of(machine: Machine, function: Value) -> tuple[Parameter, ...]:
    """The parameters that a callee of the tree binds its arguments to; none of any other."""
    if isinstance(function, ClassValue):
        function, _ = machine.find_in_class(function, "__init__")
    if isinstance(function, BoundMethod):
        function = function.function
    if not isinstance(function, FunctionValue) or function.node is None:
        return ()
    return machine.code.function(function.module, function.node).parameters
