"""Walking values: a list as it is at each step, an iterator one by one, and iterators that must find what they were made over unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..values import DictValue, ListValue, Value
from .branch import require
from .containers import items_of, iterate
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine


def walk(machine: Machine, value: Value) -> Iterable[Value] | None:
    """What a loop walks: a list as it is at each round, an iterator one by one, all else as it is at the start."""
    value = require(machine, value, "what is walked depends on it")
    if isinstance(value, ListValue) and isinstance(items_of(machine, value), tuple):
        return walk_iterator(machine, value) if value.iterator else walk_list(machine, value)
    found = iterate(machine, value)
    return walk_dict(machine, value, found) if isinstance(value, DictValue) and found is not None else found


def walk_dict(machine: Machine, value: DictValue, keys: list[Value]) -> Iterator[Value]:
    """A dict must not change its size while it is walked: Python raises at the next step."""
    size = len(value.state)
    for key in keys:
        if len(value.state) != size:
            raise GiveUp("a dict changes its size while it is walked", machine.location())
        yield key


def walk_list(machine: Machine, value: ListValue) -> Iterator[Value]:
    place = 0
    while True:
        items = items_of(machine, value)
        if not isinstance(items, tuple):
            raise GiveUp("a list is changed while it is walked", machine.location())
        if place >= len(items):
            return
        yield items[place]
        place += 1


def walk_iterator(machine: Machine, value: ListValue) -> Iterator[Value]:
    while True:
        items = items_of(machine, value)
        if not isinstance(items, tuple):
            raise GiveUp("an iterator is not known", machine.location())
        if not items:
            return
        machine.heap.write(value.state, "items", items[1:])
        yield items[0]
