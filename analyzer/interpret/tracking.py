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
    """An attribute was given a list of ids, before any layer ran: what made them, and where they are kept."""
    items = value.state.get("items") if isinstance(value, ListValue | SetValue) else value
    if machine.walk["order"] != () or not isinstance(items, tuple):
        return
    if not items and not any(step.label.endswith(f".{name} =") for step in machine.trail):
        return
    if all(isinstance(x, int) and not isinstance(x, bool) for x in items):
        ids = [x for x in items if isinstance(x, Id)]
        for step in joint_steps(ids):
            machine.trail.append(step)
        owner = holder.cls.name if isinstance(holder, Instance) else machine.show(holder)
        machine.record(f"{owner}.{name} =", listed(items), listed(items))


def listed(values: tuple[Value, ...]) -> str:
    return f"[{', '.join(str(int(x)) for x in values if isinstance(x, int))}]"


def joint_steps(ids: list[Id]) -> list[Step]:
    """The steps that made ids: one for all of them where each went through the same, else each its own."""
    lanes = [x.steps for x in ids]
    alike = len({tuple((s.label, s.at) for s in lane) for lane in lanes}) == 1
    if not alike:
        return [step for lane in lanes for step in lane]
    return [
        Step(first.label, f"[{', '.join(lane[n].before for lane in lanes)}]", f"[{', '.join(lane[n].after for lane in lanes)}]", first.at)
        for n, first in enumerate(lanes[0])
    ]
