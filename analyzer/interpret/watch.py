"""What is evaluated early although Python does it late: generators, iterators over lists, views of dicts.

They are evaluated where they are made. That is the same only if nothing that they read has changed when they are walked; so they
remember what they read, and give up where it has.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, BoundMethod, DictValue, FunctionValue, ListValue, Scope, SetValue, Slots, Value
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine


@dataclasses.dataclass(frozen=True, slots=True)
class Watched:
    """What an iterator was made over, and the heap's version until its first step."""

    state: Slots
    held: tuple[tuple[Slots, object, Value], ...]
    version: int | None


SOURCES = "#sources"
"""In a list of unknown length: its items, and what they are made of."""


def forget_sources(value: Value) -> None:
    """A method is asked for, which may change the list that it is of."""
    if isinstance(value, ListValue):
        value.state.pop(SOURCES, None)


def names_in(node: object) -> frozenset[str]:
    """Every name that an expression mentions."""
    if isinstance(node, ir.Name):
        return frozenset({node.id})
    if isinstance(node, tuple):
        return frozenset[str]().union(*map(names_in, node))
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        return frozenset[str]().union(*(names_in(getattr(node, f.name)) for f in dataclasses.fields(node)))
    return frozenset()


def runs_code(node: object) -> bool:
    """Whether an expression reads more than names and numbers: an attribute, an item, a call."""
    if isinstance(node, ir.Attribute | ir.Call | ir.Subscript | ir.Lambda | ir.OpaqueExpression):
        return True
    if isinstance(node, tuple):
        return any(map(runs_code, node))
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        return any(runs_code(getattr(node, f.name)) for f in dataclasses.fields(node))
    return False


def watch_generator(machine: Machine, made: ListValue, node: ir.Comprehension) -> None:
    """Remember what a generator expression reads when it is walked: all but its first source, which Python, too, evaluates at once."""
    first, *others = node.clauses
    late = (node.element, first.conditions, tuple(others))
    watch(machine, made, bound_names(machine.frame.scope, names_in(late)), late=runs_code(late))


def bound_names(scope: Scope | None, names: frozenset[str]) -> tuple[tuple[Slots, object, Value], ...]:
    """What names are bound to in a scope and those around it, and the lists and dicts among these."""
    held: list[tuple[Slots, object, Value]] = []
    while scope is not None:
        for name in names & scope.slots.keys():
            value = scope.slots[name]
            held.append((scope.slots, name, value))
            held += holdings(value)
        scope = scope.outer
    return tuple(held)


def watch_source(machine: Machine, made: ListValue, *sources: Value) -> ListValue:
    """Remember what an iterator or a view was made over."""
    held = tuple(entry for source in sources for entry in (*holdings(source), *closure(source)))
    watch(machine, made, held, late=any(not isinstance(s, ListValue | SetValue | DictValue | tuple | range) for s in sources))
    return made


def watch(machine: Machine, made: ListValue, held: tuple[tuple[Slots, object, Value], ...], *, late: bool) -> None:
    """Note what must still be so. With ``late`` code runs at the walk that was run here: then nothing at all may be written in between,
    the names of running functions aside, which are among ``held`` if the code can see them."""
    if held or late:
        machine.watched[id(made.state)] = Watched(made.state, held, machine.heap.version if late else None)


def closure(value: Value) -> tuple[tuple[Slots, object, Value], ...]:
    """What a function of the tree sees of the functions around it."""
    function = value.function if isinstance(value, BoundMethod) else value
    if not isinstance(function, FunctionValue) or function.code is None:
        return ()
    return bound_names(function.outer, names_in(function.code.body))


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
    watched = machine.watched[id(state)]
    if watched.version is not None:
        if watched.version != machine.heap.version:
            raise GiveUp("something is evaluated late, and the state that it runs on has changed by then", machine.location())
        machine.watched[id(state)] = dataclasses.replace(watched, version=None)
    for slots, key, value in watched.held:
        now: Value = len(slots) if key == "#size" else slots.get(key, MISSING)
        if now is not value and now != value and not unvisited_alike(state, now, value):
            raise GiveUp("something is evaluated late, and what it reads has changed by then", machine.location())
