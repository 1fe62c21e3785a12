"""What is evaluated early although Python does it late: generators, iterators over lists, views of dicts.

They are evaluated where they are made. That is the same only if nothing that they read has changed when they are walked; so they
remember what they read, and give up where it has.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, DictValue, ListValue, SetValue, Slots, Value
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine


def names_in(node: object) -> frozenset[str]:
    """Every name that an expression mentions."""
    if isinstance(node, ir.Name):
        return frozenset({node.id})
    if isinstance(node, tuple):
        return frozenset[str]().union(*map(names_in, node))
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        return frozenset[str]().union(*(names_in(getattr(node, f.name)) for f in dataclasses.fields(node)))
    return frozenset()


def watch_names(machine: Machine, made: ListValue, names: frozenset[str]) -> None:
    """Remember what the names around a generator are bound to, and the lists and dicts among these."""
    held: list[tuple[Slots, object, Value]] = []
    scope = machine.frame.scope
    while scope is not None:
        for name in names & scope.slots.keys():
            value = scope.slots[name]
            held.append((scope.slots, name, value))
            held += holdings(value)
        scope = scope.outer
    if held:
        machine.watched[id(made.state)] = (made.state, tuple(held))


def watch_source(machine: Machine, made: ListValue, *sources: Value) -> ListValue:
    """Remember what an iterator or a view was made over."""
    held = tuple(entry for source in sources for entry in holdings(source))
    if held:
        machine.watched[id(made.state)] = (made.state, held)
    return made


def holdings(value: Value) -> list[tuple[Slots, object, Value]]:
    if isinstance(value, ListValue | SetValue) and not (isinstance(value, ListValue) and value.iterator):
        return [(value.state, "items", value.state.get("items", MISSING))]
    if isinstance(value, DictValue):
        return [(value.state, "#size", len(value.state)), *((value.state, key, held) for key, held in value.state.items())]
    return []


def unvisited_alike(state: Slots, now: Value, value: Value) -> bool:
    """Whether a list has changed only where an iterator over it has been already."""
    left = state.get("items")
    if not (isinstance(now, tuple) and isinstance(value, tuple) and isinstance(left, tuple) and len(now) == len(value)):
        return False
    return all(a is b for a, b in zip(now[len(now) - len(left) :], value[len(value) - len(left) :], strict=True)) if left else True


def check(machine: Machine, state: Slots) -> None:
    """Give up where something that was evaluated early would be another by now."""
    for slots, key, value in machine.watched[id(state)][1]:
        now: Value = len(slots) if key == "#size" else slots.get(key, MISSING)
        if now is not value and now != value and not unvisited_alike(state, now, value):
            raise GiveUp("something is evaluated late, and what it reads has changed by then", machine.location())
