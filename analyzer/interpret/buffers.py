"""Buffers that are filled column by column: captured states copied side by side into one preallocated tensor.

A slice of the columns of a buffer is a *slot*: a view with a content of its own. Its bounds are linear in one unknown, the width of a
state; the buffer holds states side by side where the slots are ``[i * width, (i + 1) * width)`` for each i, without a gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from ..values import Content, External, Tensor, Unknown, Value
from .branch import pick

if TYPE_CHECKING:
    from .machine import Machine

Linear: TypeAlias = Mapping[str, int]
"""A sum of unknowns by key, each with its factor; the constant under the empty key."""

SLOTS = "#slots"
WIDTH = "#width"
EMPTY = "an empty buffer"


def combined(machine: Machine, op: str, a: Value, b: Value) -> Linear | None:
    """``a op b`` as a linear sum; None where it is none."""
    left, right = linear_of(machine, a), linear_of(machine, b)
    if left is None or right is None:
        return None
    if op == "*":
        factor, other = (left, right) if not set(left) - {""} else (right, left)
        return None if set(factor) - {""} else {key: n * factor.get("", 0) for key, n in other.items()}
    if op in "+-":
        sign = 1 if op == "+" else -1
        return {key: left.get(key, 0) + sign * right.get(key, 0) for key in (*left, *(key for key in right if key not in left))}
    return None


def linear_of(machine: Machine, value: Value) -> Linear | None:
    value = pick(machine, value)
    if isinstance(value, int):
        return {"": int(value)}
    return machine.linears.get(value.key, {value.key: 1}) if isinstance(value, Unknown) else None


def trimmed(linear: Linear) -> dict[str, int]:
    return {key: n for key, n in linear.items() if n}


def new_buffer(machine: Machine, shape: Value) -> Tensor:
    """A fresh buffer of this shape."""
    made = machine.tensor(Content({(machine.atom(EMPTY), ()): 1}))
    last = machine.tails.get(shape.key) if isinstance(shape, Unknown) else shape[-1] if isinstance(shape, tuple) and shape else None
    last = pick(machine, last)
    width = linear_of(machine, last)
    if width is not None and isinstance(last, Unknown | int):
        made.cell[WIDTH] = tuple(sorted(trimmed(width).items()))
    return made


def slot_of(machine: Machine, tensor: Tensor, index: Value) -> Tensor | None:
    """The slot that ``tensor[..., start:stop]`` is; None where the tensor is no buffer, or its index something else."""
    if not is_buffer(machine, tensor) or not isinstance(index, tuple) or not index or not isinstance(index[-1], slice):
        return None
    if not all(part == slice(None) or (isinstance(part, External) and part.name == "builtins.Ellipsis") for part in index[:-1]):
        return None
    start, stop = linear_of(machine, index[-1].start or 0), linear_of(machine, index[-1].stop)
    if start is None or stop is None or index[-1].step is not None:
        return None
    bounds = tuple(sorted(trimmed(start).items())), tuple(sorted(trimmed(stop).items()))
    slots = machine.noted(tensor.cell, SLOTS)
    known = slots if isinstance(slots, tuple) else ()
    for entry in known:
        if isinstance(entry, tuple) and entry[0] == bounds and isinstance(entry[1], Tensor):
            return entry[1]
    view = machine.tensor(Content({(machine.atom("a column of a buffer"), ()): 1}))
    if not known:
        machine.write_content(tensor, machine.mystery("content", "its columns are written one by one"))
    machine.heap.write(tensor.cell, SLOTS, (*known, (bounds, view)))
    return view


def is_buffer(machine: Machine, tensor: Tensor) -> bool:
    return WIDTH in tensor.cell


def pieces_of(machine: Machine, tensor: Tensor) -> list[Value] | str | None:
    """The states that a buffer holds side by side; a reason where that cannot be told, None where the tensor is no filled buffer."""
    slots = pick(machine, machine.noted(tensor.cell, SLOTS))
    if WIDTH not in tensor.cell or not slots:
        return None
    if not isinstance(slots, tuple):
        return "which columns of a buffer are written hangs on a condition"
    placed: dict[int, Value] = {}
    unit: str | None = None
    for entry in slots:
        assert isinstance(entry, tuple)
        bounds, view = entry
        found = place_of(*(linear_from(bound) for bound in bounds)) if isinstance(bounds, tuple) else None
        if found is None or found[0] in placed or (unit is not None and found[1] != unit):
            return "the columns of a buffer overlap, or are not told apart"
        placed[found[0]], unit = view, found[1]
    if sorted(placed) != list(range(len(placed))) or linear_from(tensor.cell[WIDTH]) != {unit: len(placed)}:
        return "not all columns of a buffer are written"
    return [placed[place] for place in sorted(placed)]


def linear_from(bound: Value) -> dict[str, int]:
    """A sum out of the pairs that it is kept as."""
    pairs = [pair for pair in bound if isinstance(pair, tuple)] if isinstance(bound, tuple) else []
    return {str(key): n for key, n in pairs if isinstance(n, int)}


def place_of(start: dict[str, int], stop: dict[str, int]) -> tuple[int, str] | None:
    """Which state a slot holds, and the unknown that is a state's width."""
    if len(stop) != 1 or "" in stop or "" in start:
        return None
    ((unit, end),) = stop.items()
    begin = start.get(unit, 0)
    return (begin, unit) if end == begin + 1 and set(start) <= {unit} else None
