"""Hidden states that are stacked along an axis of their own, cut along it, and laid side by side again.

``stack(states, dim=1)`` of tensors (tokens, features) is (tokens, states, features); flattened over its last two axes it is their
concatenation, cut along the new axis it is a stack of fewer. What is done to the other axes says nothing of the states.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..values import Atom, Content, External, ListValue, Tensor, Value
from .ledger import Join, Piece

if TYPE_CHECKING:
    from .machine import Machine

ASSUMED = "stacked-states"
FLAT = frozenset({"flatten", "reshape", "view"})
PICKS = frozenset({"index_select", "select", "narrow", "chunk", "split", "tensor_split", "take", "gather", "flip", "roll"})
TURNS = frozenset({"permute", "transpose", "movedim", "swapaxes"})


def note_state(machine: Machine, states: tuple[Value, ...], index: Value, found: Value) -> Value:
    """An item or a part of a tuple was taken, maybe of that of all hidden states."""
    if isinstance(index, int) and len(states) == machine.num_layers + 1 and isinstance(found, Tensor):
        machine.note_site("state", found.cell.get("content"))
    machine.note_cut(states, found)
    return found


def stack_of(machine: Machine, tensor: Tensor) -> tuple[Atom, Join] | None:
    """The stack that a tensor is."""
    content = tensor.cell.get("content")
    if machine.ledger is None or not isinstance(content, Content) or len(content.parts) != 1:
        return None
    ((atom, scales),) = content.parts
    join = machine.ledger.joins.get(atom)
    return (atom, join) if join is not None and join.axis is not None and join.pieces is not None and not scales else None


def stack_item(machine: Machine, tensor: Tensor, index: Value) -> Value | None:
    """``stack[index]`` where it cuts the stack along its own axis; None where it does not."""
    found = stack_of(machine, tensor)
    if found is None:
        return None
    atom, join = found
    assert join.axis is not None and join.pieces is not None
    place = place_in(index if isinstance(index, tuple) else (index,), join.axis)
    if place is None:
        return None
    part = (index if isinstance(index, tuple) else (index,))[place]
    if part == slice(None) or part is None:
        return None
    machine.consume(atom)
    if isinstance(part, ListValue) and is_plain_list(part.state.get("items"), len(join.pieces)):
        items = part.state["items"]
        assert isinstance(items, tuple)
        pieces = tuple(join.pieces[each] for each in items if isinstance(each, int))
        return joined(machine, "torch.stack", replace(join, pieces=pieces, at=machine.location()))
    if isinstance(part, bool) or not isinstance(part, int | slice):
        return machine.opaque("stack[picked]", (tensor,), exact=True)
    if isinstance(part, int):
        if not -len(join.pieces) <= part < len(join.pieces):
            raise machine.raised("IndexError", "index out of range of a stack")
        return tensor_of(machine, join.pieces[part])
    if not all(bound is None or isinstance(bound, int) for bound in (part.start, part.stop, part.step)):
        return None
    pieces = join.pieces[part]
    machine.note_slice(join.pieces, pieces)
    return joined(machine, "torch.stack", replace(join, pieces=pieces, at=machine.location()))


def is_plain_list(items: Value, count: int) -> bool:
    """Whether these are numbers of some of so many states."""
    return isinstance(items, tuple) and all(
        isinstance(each, int) and not isinstance(each, bool) and -count <= each < count for each in items
    )


def place_in(index: tuple[Value, ...], axis: int) -> int | None:
    """Where in an index the axis of the stack is asked about; None where it is not."""
    dots = [place for place, part in enumerate(index) if isinstance(part, External) and part.name == "builtins.Ellipsis"]
    if axis >= 0:
        return axis if axis < len(index) and (not dots or dots[0] > axis) else None
    place = len(index) + axis
    return place if dots and place > dots[0] else None


def stack_method(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value | None:
    """What a method of torch makes of a stack; None where it leaves it as it is, or is not understood."""
    found = stack_of(machine, tensor) if name in FLAT | TURNS | PICKS | {"unbind"} else None
    if found is None:
        return None
    atom, join = found
    assert join.axis is not None and join.pieces is not None
    given = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    assert isinstance(given, tuple)
    if name in PICKS:
        machine.consume(atom)
        return machine.opaque(f"tensor.{name}", (tensor,), exact=True)
    if name == "unbind":
        dim = keywords.get("dim", given[0] if given else 0)
        machine.consume(atom)
        return tuple(tensor_of(machine, piece) for piece in join.pieces) if dim == join.axis else None
    if name in TURNS:
        axis = turned(name, given, join.axis)
        if axis is None:
            return None
        machine.consume(atom)
        return joined(machine, "torch.stack", replace(join, axis=axis, at=machine.location()))
    start = keywords.get("start_dim", given[0] if given else 0) if name == "flatten" else len(given) - 1
    end = keywords.get("end_dim", given[1] if len(given) > 1 else -1) if name == "flatten" else -1
    if not is_features(join.axis, start, end) or (join.axis == 1 and has_batches(machine)):
        return None
    machine.consume(atom)
    machine.assume(ASSUMED)
    return joined(machine, "torch.cat", Join(join.pieces, True, machine.location()))


def turned(name: str, given: tuple[Value, ...], axis: int) -> int | None:
    """The axis of a stack after its axes have changed places."""
    if not all(isinstance(each, int) for each in given):
        return None
    if name == "permute":
        last = len(given) - 1
        return given.index(axis) if axis in given and given[-1] in (last, -1) else None
    if len(given) == 2 and axis in given and name != "movedim":
        other = given[1 - given.index(axis)]
        return other if isinstance(other, int) else None
    return None


def has_batches(machine: Machine) -> bool:
    """Whether a hidden state has an axis of batches: one of transformers does, unless something has taken it away."""
    ledger = machine.ledger
    return ledger is not None and not ledger.flat and "recorded-files" not in machine.assumptions


def is_features(axis: int, start: Value, end: Value) -> bool:
    """Whether flattening from ``start`` on lays the states of a stack side by side: its axis is the one before the features."""
    if end != -1 and not (isinstance(end, int) and isinstance(start, int) and end == start + 1):
        return False
    if start == -2:
        return axis in (-2, 1, 2)
    return start in (1, 2) and axis in (start, -2)


def joined(machine: Machine, name: str, join: Join) -> Tensor:
    """A tensor that is made of these pieces."""
    assert machine.ledger is not None and join.pieces is not None
    held = tuple(tensor_of(machine, piece) for piece in join.pieces)
    made = machine.opaque(name, held, exact=True)
    content = made.cell.get("content")
    if isinstance(content, Content):
        for atom in content.atoms():
            machine.ledger.joins[atom] = join
        machine.note("joins", content)
    return made


def tensor_of(machine: Machine, piece: Piece) -> Tensor:
    """The tensor that a piece was."""
    return Tensor(machine.tensor(piece.now).cell, None if piece.then is piece.now else piece.then)
