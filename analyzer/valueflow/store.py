"""The state of one path through the program: local variables, and the fields of objects."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..graph import Node
from .domain import Object, Val, join

Fields: TypeAlias = Mapping[str, Val]
"""The fields of one object that were written; never changed in place, so that paths can share them."""
Initial: TypeAlias = Callable[[Object, str], Val]
"""What a field holds before anything is written to it."""
NO_FIELDS: Fields = {}


@dataclass(slots=True)
class State:
    """``names`` are the variables of the running function, ``heap`` the fields written so far, ``control`` the tests on tracked values that
    decide whether control is here. ``unsure`` is set by an operation that may raise."""

    names: dict[str, Val] = field(default_factory=dict)
    heap: dict[Object, Fields] = field(default_factory=dict)
    control: frozenset[Node] = frozenset()
    unsure: bool = False

    def copy(self) -> State:
        return State(dict(self.names), dict(self.heap), self.control, self.unsure)

    def take(self, other: State) -> None:
        """Become another state, under the control that was here."""
        self.names, self.heap, self.unsure = other.names, other.heap, self.unsure or other.unsure

    def fields(self, thing: Object) -> Fields:
        return self.heap.get(thing, NO_FIELDS)

    def write(self, thing: Object, name: str, val: Val) -> None:
        self.heap[thing] = {**self.fields(thing), name: val}


class Raising(Exception):
    """The program raises here, whatever the open answers are."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state


def joined(a: State | None, b: State | None, initial: Initial) -> State | None:
    """The state where two paths meet; a path that has ended is None."""
    if a is None or b is None:
        return a or b
    names = {name: _either(a.names.get(name), b.names.get(name)) for name in (*a.names, *(n for n in b.names if n not in a.names))}
    return State(names, _joined_heap(a.heap, b.heap, initial), a.control & b.control, a.unsure or b.unsure)


def _joined_heap(a: dict[Object, Fields], b: dict[Object, Fields], initial: Initial) -> dict[Object, Fields]:
    heap = dict(a)
    for thing, fields in b.items():
        mine = a.get(thing)
        if mine is not fields:
            heap[thing] = fields if mine is None and thing.made else _joined_fields(thing, mine or NO_FIELDS, fields, initial)
    for thing in a.keys() - b.keys():
        if not thing.made:
            heap[thing] = _joined_fields(thing, a[thing], NO_FIELDS, initial)
    return heap


def _joined_fields(thing: Object, a: Fields, b: Fields, initial: Initial) -> Fields:
    found: dict[str, Val] = {}
    for name in (*a, *(name for name in b if name not in a)):
        left, right = a.get(name), b.get(name)
        found[name] = join(initial(thing, name) if left is None else left, initial(thing, name) if right is None else right)
    return found


def _either(a: Val | None, b: Val | None) -> Val:
    if a is None or b is None:
        found = a or b
        assert found is not None
        return found
    return join(a, b)
