"""What two sides of a branch saw of the walk through the layers, brought together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import Value
from .heap import Write

if TYPE_CHECKING:
    from .machine import Machine


def both_walk(machine: Machine, one: Write | None, other: Write | None) -> bool:
    """Whether more than one layer of an engine's model ran on each side: two streams, of which no one is the model's."""
    if one is None or other is None or machine.recording():
        return False
    lengths = [len(v) if isinstance(v, tuple) else 0 for v in (one.before, one.after, other.after)]
    return min(lengths[1:]) > lengths[0] + 1


UNITED = (
    *("aliases", "written", "sure", "switch", "finals", "walks", "joins"),
    *("saved", "changed", "fed", "setters", "sites", "slices", "consumed"),
)
"""Slots that hold all that was seen on either side."""


def walked(a: Value, b: Value) -> Value:
    """In a trainer, whose target may run on one side only: the walk that went further. Between two of its own operations none is open."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return a if len(a) >= len(b) else b
    return a if isinstance(a, int) and isinstance(b, int) and a >= b else b


def united(a: Value, b: Value) -> Value:
    """What was seen on either side."""
    left, right = (v if isinstance(v, tuple) else () for v in (a, b))
    return (*left, *(x for x in right if x not in left))
