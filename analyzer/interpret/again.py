"""Calls that are made again: a function that is given nothing but plain values and lasting objects, and wrote nothing, answers the same
as long as what it read says the same.

The layers of a model, and the runs of many id lists, ask the same helpers for the same facts: which platform, which backend, which flag.
What such a call read is noted as for the summary of a layer; where it was part of one, that summary depends on it too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..results import Step
from ..values import BoundMethod, ClassValue, EnumMember, External, FunctionValue, Instance, Phi, Unknown, Value
from .heap import Mark
from .order import WHOLE
from .summaries import Read, look_again, unchanged

if TYPE_CHECKING:
    from .machine import Machine

PLAIN = (type(None), bool, int, float, str, bytes)
MOST_KEPT = 4
"""Answers that are kept of one function for the same arguments."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a call answered, and what it read. ``doubtful``: the caller hangs on state that may change; ``switch``: the last one read."""

    reads: tuple[Read, ...]
    result: Value
    assumptions: frozenset[str]
    trail: tuple[Step, ...]
    doubtful: bool
    switch: Unknown | None


class Unfit(Exception):
    """A value that belongs to one run."""


def told_again(
    machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value], run: Callable[[], Value]
) -> Value:
    """The answer of a call, without running it where it was run before and nothing that it read has changed."""
    if machine.asking is not None or machine.recording() or function.outer is not None or function.node is None:
        return run()
    lasting = machine.run_clock or sys.maxsize
    try:
        signed = tuple(sign(value, lasting) for value in args), tuple((k, sign(v, lasting)) for k, v in sorted(keywords.items()))
    except Unfit:
        return run()
    key: Hashable = (function.node, function.owner, signed)
    known = machine.told.setdefault(key, [])
    for told in known:
        if unchanged(told.reads):
            return tell(machine, told)
    return listen(machine, known, lasting, run)


def sign(value: Value, lasting: int) -> Hashable:
    """A value as a key: by what it is, or by which object it is, if that was there before the run."""
    if type(value) in PLAIN:
        return type(value), value
    if isinstance(value, Unknown | External | EnumMember | ClassValue):
        return value
    if isinstance(value, Instance) and value.attrs.born <= lasting:
        return value
    if isinstance(value, BoundMethod) and isinstance(value.function, FunctionValue) and value.function.outer is None:
        return "method", value.function.node, sign(value.receiver, lasting)
    if type(value) is tuple:
        return "tuple", *(sign(each, lasting) for each in value)
    raise Unfit


def tell(machine: Machine, told: Told) -> Value:
    """Answer as before: a summary that is being made depends on what was read."""
    for slots, name, _ in told.reads:
        if name != WHOLE:
            machine.noted(slots, name)
    look_again(machine, told.reads)
    machine.assumptions |= told.assumptions
    machine.trail += told.trail
    machine.switch_read = told.switch or machine.switch_read
    if told.doubtful and machine.frames:
        machine.frame.reads_mutable = True
    return told.result


def listen(machine: Machine, known: list[Told], lasting: int, run: Callable[[], Value]) -> Value:
    """Run the call, and keep its answer if it can be told again."""
    mark = machine.heap.mark()
    outer, clock, assumed = machine.reads, machine.read_clock, machine.assumptions
    length, switch, guards, atoms = len(machine.trail), machine.switch_read, len(machine.guards), machine.atoms_made
    serial = machine.serial
    doubtful = machine.frames[-1].reads_mutable if machine.frames else False
    machine.reads, machine.read_clock, machine.assumptions = {}, mark.clock, set()
    machine.switch_read = None
    try:
        result = run()
    finally:
        reads, used = machine.reads, frozenset(machine.assumptions)
        switched = machine.switch_read
        machine.reads, machine.read_clock = outer, clock
        machine.assumptions |= assumed
        machine.switch_read = switched or switch
        for slots, name, value in reads.values():
            if outer is not None and slots.born <= clock:
                outer.setdefault((id(slots), name), (slots, name, value))
    fresh = machine.frames[-1].reads_mutable if machine.frames else False
    alike = len(machine.guards) == guards and machine.atoms_made == atoms and is_plain(result, min(mark.clock, lasting), serial)
    if alike and len(known) < MOST_KEPT and not writes(machine, mark) and all(slots.born <= lasting for slots, _, _ in reads.values()):
        known.append(Told(tuple(reads.values()), result, used, tuple(machine.trail[length:]), fresh and not doubtful, switched))
    return result


def is_plain(result: Value, clock: int, serial: int) -> bool:
    """Whether an answer may be given twice: nothing that was made by the call, ``clock`` and ``serial`` being those before it, and so
    nothing unknown that is unlike all else."""
    if type(result) in PLAIN or isinstance(result, External | EnumMember | ClassValue):
        return True
    if isinstance(result, Instance):
        return result.attrs.born <= clock
    if isinstance(result, FunctionValue):
        return result.outer is None
    if isinstance(result, BoundMethod):
        return all(is_plain(each, clock, serial) for each in (result.function, result.receiver))
    if type(result) is tuple:
        return all(is_plain(each, clock, serial) for each in result)
    if isinstance(result, Phi):
        return all(is_plain(each, clock, serial) for each in (result.condition, result.if_true, result.if_false))
    return isinstance(result, Unknown) and all(int(number) <= serial for number in re.findall(r"#(\d+)", result.key))


def writes(machine: Machine, mark: Mark) -> bool:
    """Whether something that was there before the call is not as it was."""
    return any(
        write.slots.born <= mark.clock and write.after is not write.before for write in machine.heap.collect(mark).values()
    )
