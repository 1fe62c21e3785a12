"""The hops of tracked values: arithmetic on ids, tests against them, attributes that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..results import Step
from ..values import Id, Instance, ListValue, SetValue, Value

if TYPE_CHECKING:
    from .machine import Machine


def moved(machine: Machine, op: str, a: Value, b: Value, result: int, at: ir.At) -> Id:
    """A tracked id after arithmetic."""
    source = a if isinstance(a, Id) else b
    assert isinstance(source, Id)
    text = f"{op} {machine.show(b)}" if source is a else f"{machine.show(a)} {op}"
    place = machine.location(at)
    steps = (*source.steps, Step(text, str(int(source)), str(result), place)) if place else source.steps
    return Id(result, steps)


def tested(machine: Machine, wanted: Value, element: Value) -> None:
    """A membership test found a tracked id: what follows is controlled by it."""
    if isinstance(element, Id):
        machine.record("tested", str(int(element)), f"{machine.show(wanted)} is in the list")


def stored(machine: Machine, holder: Value, name: str, value: Value) -> None:
    """An attribute was given a list of tracked ids."""
    items = value.state.get("items") if isinstance(value, ListValue | SetValue) else value
    if isinstance(items, tuple) and items and all(isinstance(x, Id) for x in items):
        owner = holder.cls.name if isinstance(holder, Instance) else machine.show(holder)
        machine.record(f"{owner}.{name} =", "", f"[{', '.join(str(int(x)) for x in items if isinstance(x, Id))}]")
