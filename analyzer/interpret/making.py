"""Collections made from values that may not all be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import DictValue, ListValue, SetValue, Value
from . import containers, operators
from .branch import require

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


def spread_keywords(machine: Machine, value: Value, keywords: dict[str, Value]) -> bool:
    """Add ``**value`` to keyword arguments; False where not all of its keys are known."""
    value = require(machine, value, "what is spread depends on it")
    found = containers.entries(machine, value) if isinstance(value, DictValue) else None
    keywords.update({key: held for key, held in found or () if isinstance(key, str)})
    return found is not None
