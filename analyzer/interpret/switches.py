"""Switches: variables of a module that are true or false, and that functions may reassign.

A run takes them as they are at import, which is one of its assumptions. Where a captured point turns out to be lost, and it is only since
a switch stands as at import that its tensor is written in place, the program is run with the other answer too.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..index import Module
from ..values import MISSING, Slots, Unknown
from .signals import Signal

if TYPE_CHECKING:
    from .machine import Machine


def read(machine: Machine, module: Module, slots: Slots, name: str, value: bool) -> bool:
    """The value of a switch: as at import, unless the other one is tried. Its condition is said so that it does not hold at import."""
    if machine.noted(slots, ("bound", name)) is not MISSING:
        return value
    text = f"{module.name.rpartition('.')[2]}.{name}"
    switch = machine.unknown(f"not {text}" if value else text, "a function may reassign a variable of a module")
    decided = machine.known(switch)
    if decided is None:
        machine.switch_read = switch
    return not value if decided else value


def take(machine: Machine, node: ir.If, known: bool, switch: Unknown) -> Signal:
    """Run the block that a switch chooses. What is run is under the switch to the end of the block; to that of the function, where the
    other block would have left it."""
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    frame = machine.frame
    before, frame.switch = frame.switch, switch
    signal = machine.run_block(taken)
    if not (other and isinstance(other[-1], ir.Return)):
        frame.switch = before
    return signal
