"""The walk through the layers: which layer runs, what was made outside of them, and what reached the consumer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..values import MISSING, Content, Instance, ListValue, Tensor, Value
from .phis import alternatives
from .signals import GiveUp
from .summaries import SINCE_KEPT, summarised

if TYPE_CHECKING:
    from .machine import Machine


def enlist(machine: Machine, modules: ListValue) -> None:
    """Note the members of a list of modules that has as many entries as the model has layers."""
    items = modules.state.get("items")
    if not modules.modules or not isinstance(items, tuple):
        return
    if len(items) != machine.num_layers:
        enlist_part(machine, modules)
        return
    for module in machine.parted:
        machine.members.pop(module, None)
    machine.parted.clear()
    for index, item in enumerate(items):
        for module in alternatives(item):
            if isinstance(module, Instance):
                machine.members.setdefault(module, index)


def enlist_part(machine: Machine, modules: ListValue) -> None:
    """Where no list has an entry for each layer: note the members of those that one function made, and that have as many together, in the
    order in which they were made."""
    if machine.members or not machine.frames:
        return
    if not any(each is modules for _, each in machine.parts):
        machine.parts.append((machine.frame, modules))
    lists = [each.state.get("items") for frame, each in machine.parts if frame is machine.frame]
    items = [item for each in lists if isinstance(each, tuple) for item in each]
    if len(lists) > 1 and len(items) == machine.num_layers and all(isinstance(item, Instance) for item in items):
        machine.parted = [item for item in items if isinstance(item, Instance)]
        machine.members.update((module, index) for index, module in enumerate(machine.parted))


def in_layer(machine: Machine, module: Instance, args: tuple[Value, ...], keywords: dict[str, Value], run: Callable[[], Value]) -> Value:
    """Run one layer: what is made meanwhile belongs to it."""
    index = machine.members[module]
    if machine.recording() and index == 0 and machine.walk["order"]:
        machine.begin_walk()
    order = machine.walk["order"]
    assert isinstance(order, tuple)
    if order and isinstance(order[-1], int) and index <= order[-1]:
        raise GiveUp(f"layer {index} runs after layer {order[-1]}", machine.location())
    machine.heap.write(machine.walk, "order", (*order, index))
    machine.heap.write(machine.walk, "layer", index)
    machine.heap.write(machine.walk, "inside", True)
    if machine.noticed.left is not None:
        machine.noticed.left.clear()
    try:
        return summarised(machine, module, args, keywords, run)
    finally:
        machine.heap.write(machine.walk, "inside", False)


def is_stream(machine: Machine, tensor: Tensor) -> bool:
    """Whether a tensor holds something that was made before the layer that runs: the residual stream or a part of it.

    Outside of the layers everything that was made in one, or entered the first, counts.
    """
    content = machine.noted(tensor.cell, "content")
    if not isinstance(content, Content):
        return True
    if machine.inside:
        return any(atom.layer < machine.layer and not atom.blank for atom in content.atoms())
    return machine.layer >= 0 and any(not atom.blank for atom in content.atoms())


def carries_embedding(machine: Machine, tensor: Tensor) -> bool:
    """Whether a tensor holds what entered the layers, or something that is not known. A callee that is given only what a layer made may be
    left opaque: were its result the stream, the stream's end would miss what went in, and nothing would be established."""
    content = machine.noted(tensor.cell, "content")
    if not isinstance(content, Content):
        return True
    return machine.layer >= 0 and any(atom.layer < 0 and not atom.blank for atom in content.atoms())


def note_outside(machine: Machine, result: Tensor, inputs: tuple[Tensor, ...]) -> None:
    """An opaque result made outside of the layers from the stream: the final norm, if it is the last."""
    if machine.inside or machine.layer < 0 or not any(is_stream(machine, t) for t in inputs):
        return
    finals = machine.walk["finals"]
    assert isinstance(finals, tuple)
    machine.heap.write(machine.walk, "finals", (*finals, result))


def kept(machine: Machine, value: Value) -> Value:
    """A value as it goes into a collection: a tensor remembers what it holds now, since an in-place operation may write it later."""
    if not isinstance(value, Tensor):
        return value
    for note in SINCE_KEPT:
        if value.cell.get(note, MISSING) is not MISSING:
            machine.heap.write(value.cell, note, MISSING)
    return Tensor(value.cell, machine.content(value), machine.location())


def reached(machine: Machine, hidden: Value, captured: Value) -> None:
    """The consumer was called."""
    before = machine.sink.get("reached")
    if before is True:
        raise GiveUp("the consumer is reached twice", machine.location())
    machine.heap.write(machine.sink, "reached", True)
    machine.heap.write(machine.sink, "hidden", hidden)
    machine.heap.write(machine.sink, "captured", captured)
