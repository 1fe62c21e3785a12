"""What a tensor's attributes, items and methods do to the captured points that it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values import MISSING, BuiltinMethod, External, Phi, Tensor, Unknown, Value
from .branch import lift, pick
from .buffers import new_buffer, slot_of
from .rows import CUT, cut, number_of_axes, shape_of, turned
from .stacks import stack_item, stack_method

if TYPE_CHECKING:
    from .machine import Machine

VIEWS = frozenset(
    {
        "view",
        "reshape",
        "flatten",
        "unsqueeze",
        "squeeze",
        "detach",
        "view_as",
        "expand",
        "expand_as",
        "narrow",
        "select",
        "unflatten",
        "data",
        "T",
        "transpose",
        "permute",
        "requires_grad_",
    }
)
"""Methods whose result is the same numbers in the same memory."""
CONVERSIONS = frozenset({"to", "float", "half", "bfloat16", "double", "type", "type_as", "cuda", "cpu", "contiguous", "npu"})
"""Methods whose result is the same numbers, in the same memory or in a copy."""
ROWS = frozenset({"index_select", "repeat", "repeat_interleave", "tile"})
"""Methods that pick or repeat rows, in a copy."""
MOVING = frozenset({"transpose", "permute", "select", "narrow", "unflatten", "index_select", "repeat", "repeat_interleave", "tile"})
"""Methods that may move or pick columns. An engine's batch has one axis of tokens, a trainer's two."""
WRITERS = frozenset(
    {
        "copy_",
        "add_",
        "sub_",
        "mul_",
        "div_",
        "zero_",
        "fill_",
        "index_copy_",
        "index_add_",
        "scatter_",
        "scatter_add_",
        "masked_fill_",
        "set_",
    }
)
SPLITS = frozenset({"chunk", "split", "tensor_split", "unbind", "split_with_sizes"})
UNKNOWN_ATTRIBUTES = frozenset({"dtype", "device", "is_cuda", "layout", "ndim", "grad", "requires_grad", "is_cpu", "itemsize", "nbytes"})
SIZES = frozenset({"numel", "size", "dim", "stride", "data_ptr", "element_size", "storage_offset"})
NAMES = (
    VIEWS
    | CONVERSIONS
    | ROWS
    | WRITERS
    | SPLITS
    | UNKNOWN_ATTRIBUTES
    | SIZES
    | {"shape", "clone", "sum", "mean", "pow", "is_contiguous", "new_empty", "new_zeros", "max", "min"}
)


def tensor_attribute(machine: Machine, tensor: Tensor, name: str) -> Value:
    """``tensor.name``."""
    written = machine.noted(tensor.cell, f".{name}")
    if written is not MISSING:
        return lift(machine, written, lambda v: v if v is not MISSING else tensor_default(machine, tensor, name))
    return tensor_default(machine, tensor, name)


def tensor_default(machine: Machine, tensor: Tensor, name: str) -> Value:
    if name in NAMES:
        machine.treat_as_tensor(tensor)
    if name == "shape":
        return shape_of(machine, tensor)
    if name == "T" and machine.recording():
        return machine.opaque("tensor.T", (tensor,), exact=True)
    if name in ("data", "T"):
        return Tensor(tensor.cell)
    if name == "ndim" and (axes := number_of_axes(machine, tensor)) is not None:
        return axes
    if name in UNKNOWN_ATTRIBUTES:
        return machine.unknown(f"{name}({tensor.cell.number})", f"the {name} of a tensor", not_none=name != "grad")
    if name.startswith("_") and not name.startswith("__"):
        raise machine.raised("AttributeError", f"'Tensor' object has no attribute {name!r}", certain=False)
    return BuiltinMethod(tensor, name)


def tensor_item(machine: Machine, tensor: Tensor, index: Value) -> Value:
    """``tensor[index]``: rows keep the point, columns do not; an opaque result may be a tuple, whose parts are opaque too."""
    stacked = stack_item(machine, tensor, index)
    if stacked is not None:
        return stacked
    if machine.ledger is not None and not isinstance(index, tuple | slice):
        machine.ledger.flat = True
    if not tensor.exact and isinstance(index, int):
        return machine.component(tensor, machine.content(tensor), index)
    if isinstance(index, tuple):
        full = [part == slice(None) or is_ellipsis(part) or part is None for part in index]
        first_only = all(full[1:]) and not is_ellipsis(index[0]) if index else True
        if not first_only and not all(full):
            if (slot := slot_of(machine, tensor, index)) is not None:
                return slot
            return machine.opaque("tensor[columns]", (tensor,), exact=True)
    if index == slice(None) or is_ellipsis(index):
        return Tensor(tensor.cell)
    if isinstance(index, slice):
        return Tensor(cut(machine, tensor).cell)
    return cut(machine, machine.tensor(machine.content(tensor), aliases=(tensor.cell,)))


def is_ellipsis(value: Value) -> bool:
    return isinstance(value, External) and value.name == "builtins.Ellipsis"


def tensor_write(machine: Machine, tensor: Tensor, index: Value, new: Value) -> None:
    """``tensor[index] = new``: the whole of it, or a part, after which nothing is known."""
    whole = index == slice(None) or is_ellipsis(index)
    if whole and isinstance(new, Tensor):
        machine.write_content(tensor, machine.content(new))
    elif machine.is_stream(tensor) or (isinstance(new, Tensor) and machine.is_stream(new)):
        machine.write_content(tensor, machine.mystery("content", "a part of the tensor is written"))


def tensor_method(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """``tensor.name(…)``."""
    stacked = stack_method(machine, tensor, name, args, keywords)
    if stacked is not None:
        return stacked
    if machine.ledger is not None and name in ("squeeze", "view", "reshape", "flatten", "select"):
        machine.ledger.flat = True
    if name in MOVING and machine.recording() and not keeps_features(name, args):
        return machine.opaque(f"tensor.{name}", (tensor,), exact=True)
    if name in VIEWS:
        return Tensor(turned(machine, tensor, name, args).cell)
    if name in CONVERSIONS:
        return like(machine, tensor, machine.tensor(machine.content(tensor), aliases=(tensor.cell,)))
    if name == "clone":
        return like(machine, tensor, machine.tensor(machine.content(tensor)))
    if name in ROWS:
        return cut(machine, machine.tensor(machine.content(tensor)))
    if name == "dim" and (axes := number_of_axes(machine, tensor)) is not None:
        return axes
    if name in SIZES:
        return machine.unknown(
            f"shape({tensor.cell.number}).{name}{machine.show(args)}",
            "the size of a tensor",
            not_none=True,
            positive=name in ("numel", "size", "dim"),
        )
    if name in SPLITS:
        return split(machine, tensor, name, args, keywords)
    if name in WRITERS:
        return write_method(machine, tensor, name, args)
    if name in ("add", "mul", "sub", "div") and len(args) == 1 and not keywords:
        op = {"add": "+", "mul": "*", "sub": "-", "div": "/"}[name]
        return machine.binary(op, tensor, args[0])
    if name.startswith(("new_", "is_", "has_")):
        return fresh_or_unknown(machine, tensor, name, args[0] if args else keywords.get("size"))
    if name in ("item", "tolist", "numpy", "all", "any", "get_device", "type"):
        return machine.mystery(f"tensor.{name}", "a number out of a tensor", not_none=True)
    if name.endswith("_") and not name.endswith("__"):
        machine.write_content(tensor, machine.mystery("content", f"{name} writes the tensor in place"))
        return tensor
    return machine.opaque(f"tensor.{name}", tuple(t for t in (tensor, *args) if isinstance(t, Tensor)), exact=False)


def like(machine: Machine, tensor: Tensor, made: Tensor) -> Tensor:
    """A copy, with the rows of its original."""
    return made if tensor.cell.get(CUT, MISSING) is MISSING else cut(machine, made)


def keeps_features(name: str, args: tuple[Value, ...]) -> bool:
    """Whether a method that moves things leaves the last of at most three axes alone."""
    axes = args[:2] if name == "transpose" else args[:1]
    return name in ("transpose", "select", "narrow", "index_select") and len(axes) > 0 and axes[0] == 0 and axes[-1] in (0, 1)


def fresh_or_unknown(machine: Machine, tensor: Tensor, name: str, shape: Value) -> Value:
    if name.startswith("new_"):
        return new_buffer(machine, pick(machine, shape))
    return machine.unknown(f"{name}({tensor.cell.number})", "a property of a tensor", not_none=True)


def write_method(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...]) -> Value:
    other = pick(machine, args[0]) if args else None
    if name == "copy_" and isinstance(other, Tensor):
        machine.write_content(tensor, machine.content(other))
    elif name in ("add_", "mul_", "sub_", "div_") and len(args) == 1:
        op = {"add_": "+", "mul_": "*", "sub_": "-", "div_": "/"}[name]
        result = machine.binary(op, tensor, other)
        machine.write_content(tensor, result.cell["content"] if isinstance(result, Tensor) else result)
    else:
        machine.write_content(tensor, machine.mystery("content", f"{name} writes the tensor in place"))
    return tensor


def split(machine: Machine, tensor: Tensor, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Parts along the rows keep the point; along the columns they are opaque."""
    dim = keywords.get("dim", args[1] if len(args) > 1 else 0)
    count = args[0] if args else keywords.get("chunks")
    if name == "unbind":
        dim, count = (args[0] if args else keywords.get("dim", 0)), None
    if dim == 0 and name in ("chunk", "tensor_split") and isinstance(count, int) and 0 < count <= 64:
        return tuple(cut(machine, machine.tensor(machine.content(tensor), aliases=(tensor.cell,))) for _ in range(count))
    return machine.opaque(f"tensor.{name}", (tensor,), exact=False)


def component(machine: Machine, tensor: Tensor, content: Value, index: int) -> Tensor:
    """Part ``index`` of an opaque result that turns out to be a tuple; asked twice, it is the same part."""
    key = f"part.{index}"
    found = machine.noted(tensor.cell, key)
    if isinstance(found, Tensor):
        return found
    made = machine.opaque(f"part {index}", (tensor,), exact=False)
    if isinstance(content, Phi | Unknown):
        made = machine.tensor(content)
    machine.heap.write(tensor.cell, key, made)
    return made
