"""Calling a module that has forward hooks: those before it, its forward, those after it (torch 2.9, ``Module._call_impl``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..library.hooks import hooks_of
from ..values import MISSING, Instance, Tensor, Value
from .branch import require

if TYPE_CHECKING:
    from .machine import Machine

BEFORE, AFTER = "#pre_hooks", "#hooks"


def is_hooked(machine: Machine, module: Instance) -> bool:
    """Whether a module has hooks, or may have some."""
    return any(machine.noted(module.attrs, slot) not in (MISSING, ()) for slot in (BEFORE, AFTER))


def run_hooked(
    machine: Machine,
    module: Instance,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    forward: Callable[[tuple[Value, ...], dict[str, Value]], Value],
) -> Value:
    """The result of the call: a hook that answers something else than None replaces what it was given."""
    for slot in (BEFORE, AFTER):
        require(machine, machine.noted(module.attrs, slot), "which hooks a module has depends on it")
    for entry in hooks_of(machine, module, BEFORE):
        assert isinstance(entry, tuple)
        hook, with_keywords, _ = entry
        given: tuple[Value, ...] = (module, args, machine.new_dict(keywords)) if with_keywords else (module, args)
        answer = require(machine, machine.call(hook, given, {}), "what a hook answers depends on it")
        if answer is None:
            continue
        if with_keywords:
            machine.give_up("a hook replaces the keyword arguments")
        replaced = answer if isinstance(answer, tuple) else (answer,)
        forbid_other(machine, args, replaced)
        args = replaced
    result = forward(args, keywords)
    for entry in hooks_of(machine, module, AFTER):
        assert isinstance(entry, tuple)
        hook, with_keywords, _ = entry
        given = (module, args, machine.new_dict(keywords), result) if with_keywords else (module, args, result)
        answer = require(machine, machine.call(hook, given, {}), "what a hook answers depends on it")
        if answer is not None:
            forbid_other(machine, result, answer)
            result = answer
    return result


def forbid_other(machine: Machine, before: Value, after: Value) -> None:
    """In a trainer a hook must hand on what it was given: with another stream the target is not the one that is served."""
    if not machine.recording():
        return
    same = isinstance(before, Tensor) and isinstance(after, Tensor) and machine.content(before) == machine.content(after)
    if isinstance(before, tuple) and isinstance(after, tuple) and before and after:
        forbid_other(machine, before[0], after[0])
    elif before is not after and not same:
        machine.give_up("a hook changes what the target computes")
