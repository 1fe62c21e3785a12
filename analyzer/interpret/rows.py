"""How many rows a tensor has: on one rank, each that a layer makes of the tokens has one for each of them.

A tensor that was cut, gathered, turned or made by an operation that may change its rows is marked, and its rows are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import MISSING, Content, Tensor, Unknown, Value

if TYPE_CHECKING:
    from .machine import Machine

CUT = "#cut"
TURNING = frozenset(
    {"unsqueeze", "squeeze", "flatten", "transpose", "permute", "T", "select", "narrow", "unflatten", "expand", "expand_as"}
)
"""Views whose first axis is not that of the tensor."""
FOLDING = frozenset({"view", "reshape"})


def shape_of(machine: Machine, tensor: Tensor) -> Unknown:
    """``tensor.shape``."""
    made = machine.unknown(f"shape({tensor.cell.number})", "the shape of a tensor", not_none=True)
    if has_all_rows(machine, tensor):
        machine.whole_shapes.add(made.key)
    else:
        machine.whole_shapes.discard(made.key)
    return made


def has_all_rows(machine: Machine, tensor: Tensor) -> bool:
    content = tensor.cell.get("content")
    if machine.recording() or tensor.cell.get(CUT, MISSING) is not MISSING or not isinstance(content, Content):
        return False
    return any(not atom.blank for atom in content.atoms())


def number_of_axes(machine: Machine, tensor: Tensor) -> int | None:
    """``tensor.dim()``, where the tensor has a row for each token."""
    if not has_all_rows(machine, tensor):
        return None
    machine.assume("rows")
    return 2


def first_size(machine: Machine, shape: Unknown, index: Value) -> Unknown | None:
    """``shape[0]``, where the tensor has a row for each token."""
    if index != 0 or not isinstance(index, int) or shape.key not in machine.whole_shapes:
        return None
    machine.assume("rows")
    return machine.unknown("tokens", "how many tokens the batch has", not_none=True, positive=True)


def cut(machine: Machine, tensor: Tensor) -> Tensor:
    """Note that a tensor may have other rows from here on."""
    if tensor.cell.get(CUT, MISSING) is MISSING and not machine.recording():
        machine.heap.write(tensor.cell, CUT, True)
    return tensor


def turned(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...]) -> Tensor:
    """A view of a tensor: which keeps its rows where nothing moves its first axis."""
    first = args[0][0] if args and isinstance(args[0], tuple) and args[0] else args[0] if args else None
    keeps = first == -1 or (isinstance(first, Unknown) and first.key == "tokens")
    return cut(machine, tensor) if name in TURNING or (name in FOLDING and not keeps) else tensor


def keep_rows(name: str, inputs: tuple[Tensor, ...]) -> bool:
    """Whether an opaque operation makes a row of each row."""
    torch_operation = name.startswith(("torch.", "tensor.", "tensor[")) and not name.startswith("torch.nn.")
    return not torch_operation and all(tensor.cell.get(CUT, MISSING) is MISSING for tensor in inputs)
