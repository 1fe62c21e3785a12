"""Assignment to every kind of target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, Value
from .branch import require
from .containers import delete_item, iterate, set_item, unpack

if TYPE_CHECKING:
    from .machine import Machine


def assign(machine: Machine, target: ir.Expression, value: Value) -> None:
    """Bind or write ``target = value``."""
    match target:
        case ir.Name(id=name):
            machine.bind_name(name, value)
        case ir.Attribute(value=owner, attr=attr, at=at):
            holder = machine.evaluate(owner)
            with machine.placed(at):
                machine.set_attribute(holder, attr, value)
                machine.stored(holder, attr, value)
        case ir.Subscript(value=owner, index=index, at=at):
            holder = machine.evaluate(owner)
            key = machine.evaluate(index)
            with machine.placed(at):
                set_item(machine, holder, key, value)
        case ir.Display(items=items):
            assign_parts(machine, items, value)
        case ir.Starred(value=inner):
            assign(machine, inner, machine.new_list(tuple(iterate(machine, value) or ())))
        case _:
            machine.give_up("an assignment to something that is not a target")


def assign_parts(machine: Machine, targets: tuple[ir.Expression, ...], value: Value) -> None:
    star = next((i for i, t in enumerate(targets) if isinstance(t, ir.Starred)), None)
    parts = require(machine, unpack(machine, value, len(targets), star), "how a value unpacks depends on it")
    assert isinstance(parts, tuple)
    for target, part in zip(targets, parts, strict=True):
        assign(machine, target.value if isinstance(target, ir.Starred) else target, part)


def delete(machine: Machine, target: ir.Expression) -> None:
    """``del target``."""
    match target:
        case ir.Name(id=name):
            machine.bind_name(name, MISSING)
        case ir.Attribute(value=owner, attr=attr):
            machine.set_attribute(machine.evaluate(owner), attr, MISSING)
        case ir.Subscript(value=owner, index=index):
            delete_item(machine, machine.evaluate(owner), machine.evaluate(index))
        case ir.Display(items=items):
            for item in items:
                delete(machine, item)
        case _:
            machine.give_up("a deletion of something that is not a target")
