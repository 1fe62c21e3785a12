"""torch's forward hooks: registering one on a module, and taking it off again (torch 2.9, ``torch/nn/modules/module.py``)."""

from __future__ import annotations

from ..values import BuiltinMethod, ExternalObject, Instance, Value
from .host import Host

Args = tuple[Value, ...]
Keywords = dict[str, Value]
HANDLE = "torch.utils.hooks.RemovableHandle"
SLOTS = {"register_forward_hook": "#hooks", "register_forward_pre_hook": "#pre_hooks"}
"""Where a module keeps its hooks: a tuple of (hook, whether it is given keyword arguments, handle)."""


def register(machine: Host, receiver: Value, name: str, args: Args, keywords: Keywords) -> Value:
    """``module.register_forward_hook(hook)``; hooks run in the order of registration, one with ``prepend`` first."""
    hook = args[0] if args else keywords.get("hook")
    options = [machine.pick(keywords.get(option, False)) for option in ("prepend", "with_kwargs")]
    if not isinstance(receiver, Instance) or not all(isinstance(option, bool) for option in options):
        return machine.raise_error("GiveUp", "a forward hook is registered on something that is not known")
    slots = machine.attrs_of(receiver)
    handle = ExternalObject(HANDLE, machine.fresh_key("handle"), machine.heap.new(module=receiver, slot=SLOTS[name]))
    held, entry = hooks_of(machine, receiver, SLOTS[name]), (hook, options[1] is True, handle)
    machine.heap.write(slots, SLOTS[name], (entry, *held) if options[0] is True else (*held, entry))
    machine.note_site("hook", machine.layer_of(receiver))
    machine.record("hook", name.removeprefix("register_").replace("_", " "), machine.show_module(receiver))
    return handle


def hooks_of(machine: Host, module: Instance, slot: str) -> tuple[Value, ...]:
    """The hooks that a module has now."""
    held = machine.pick(machine.attrs_of(module).get(slot, ()))
    if not isinstance(held, tuple):
        machine.raise_error("GiveUp", "which hooks a module has is not known")
        return ()
    return held


def remove(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``handle.remove()``."""
    assert isinstance(function, BuiltinMethod) and isinstance(function.receiver, ExternalObject)
    module, slot = (function.receiver.attrs.get(name) for name in ("module", "slot"))
    assert isinstance(module, Instance) and isinstance(slot, str)
    left = tuple(entry for entry in hooks_of(machine, module, slot) if not (isinstance(entry, tuple) and entry[2] is function.receiver))
    machine.heap.write(machine.attrs_of(module), slot, left)
    return None
