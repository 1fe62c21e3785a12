"""Items of sequences, by indices that may not be known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..values import EnumMember, External, Id, Tensor, Unknown, Value
from .branch import choose
from .phis import phi

if TYPE_CHECKING:
    from .machine import Machine


def sequence_item(machine: Machine, items: Value, index: Value, kind: str, make: Callable[[tuple[Value, ...]], Value]) -> Value:
    if not isinstance(items, tuple):
        return machine.mystery("item", "an item of a list of unknown length")
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        if all(p is None or isinstance(p, int) for p in parts):
            return make(items[index])
        return machine.mystery("slice", "a slice with bounds that are not known")
    if isinstance(index, int):
        try:
            return items[index]
        except IndexError:
            raise machine.raised("IndexError", f"{kind} index out of range", certain=isinstance(index, Id) or None) from None
    if isinstance(index, Unknown):
        return any_of(machine, index, [(i, item) for i, item in enumerate(items)])
    if isinstance(index, Tensor) and "opaque" not in index.cell:
        return by_tensor(machine, items, kind)
    raise machine.raised("TypeError", f"{kind} indices must be integers or slices", certain=False)


def any_of(machine: Machine, index: Unknown, options: list[tuple[Value, Value]]) -> Value:
    """An item picked by an index that is not known: a Phi over all, or the one value where they are all equal."""
    if not options:
        return machine.mystery("item", "an item of an empty container by an unknown index")
    result = options[-1][1]
    if all(
        option is result or (option == result and isinstance(option, str | int | bool | External | EnumMember)) for _, option in options
    ):
        return result
    if len(options) > 12:
        return machine.unknown(f"item[{index.key}]", index.reason, reads_ids=index.reads_ids)
    for key, option in reversed(options[:-1]):
        chosen = machine.unknown(f"({index.key} == {machine.show(key)})", index.reason, at=index.at, reads_ids=index.reads_ids)
        result = phi(chosen, option, result)
    return result


def by_tensor(machine: Machine, items: tuple[Value, ...], kind: str) -> Value:
    """An item by a tensor: one of a single integer is an index, any other raises."""
    place = f"{machine.frame.module.name}:{machine.frame.at.line}"
    layer = machine.layer if machine.inside else -1
    count = machine.made["index", place, layer] = machine.made.get(("index", place, layer), 0) + 1
    which = f"the tensor that is an index in {place}" + (f" (layer {layer}, {count})" if layer >= 0 or count > 1 else "")
    index = machine.unknown(which, "a tensor's elements are not known")
    single = machine.unknown(f"{index.key} is a single integer", index.reason)

    def item(is_single: bool) -> Value:
        if not is_single:
            raise machine.raised("TypeError", f"{kind} indices must be integers or slices, not Tensor", certain=True)
        return any_of(machine, index, [(i, item) for i, item in enumerate(items)])

    return choose(machine, single, item)
