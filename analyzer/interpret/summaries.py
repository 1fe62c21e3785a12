"""Summaries of layers: a layer that is called again with the same arguments, on a heap that says the same where it looked, does the same.

Many id lists are evaluated on one model, and all but the captured points is alike. A summary holds what a call of a layer read
outside of its arguments, what it wrote, and its result in terms of the arguments; it is replayed only if every slot that was
read still holds the same value. Calls that are given something to capture into have no summary and are always run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeAlias

from ..frozen import frozen
from ..results import Step
from ..values import (
    EXACT_TYPES,
    MISSING,
    BoundMethod,
    Content,
    EnumMember,
    External,
    FunctionValue,
    Instance,
    ListValue,
    Phi,
    Slots,
    Tensor,
    Unknown,
    Value,
)
from .heap import Mark, Writes
from .order import WHOLE
from .rows import CUT

if TYPE_CHECKING:
    from .machine import Machine

Read: TypeAlias = tuple[Slots, Hashable, Value]


@frozen()
class Reference:
    """A tensor of a result or a write: the cell of an argument, or a cell that the call made, by its number."""

    new: bool
    number: int


@frozen()
class Either:
    """One of two, by a condition."""

    condition: Unknown
    if_true: object
    if_false: object


@frozen()
class NewCell:
    """A tensor that the call made."""

    content: Value
    opaque: bool
    cut: bool
    aliases: tuple[object, ...]


@frozen()
class Summary:
    """One call of a layer. ``own``: writes to the slots of arguments by their number; ``other``: to slots that live on."""

    reads: tuple[Read, ...]
    cells: tuple[NewCell, ...]
    own: tuple[tuple[int, Hashable, object], ...]
    other: tuple[tuple[Slots, Hashable, object], ...]
    result: object
    assumptions: frozenset[str]
    trail: tuple[Step, ...]


class NotPortable(Exception):
    """Something in a call cannot be said apart from the run that it belongs to."""


class Arguments:
    """The arguments of a call: a key that is equal for equal calls, and the slots that they bring, numbered."""

    def __init__(self, args: tuple[Value, ...], keywords: dict[str, Value], streams: Slots) -> None:
        self.slots: list[Slots] = []
        self.numbers: dict[int, int] = {}
        self.phis: dict[int, int] = {}
        self.number(streams)
        streamed = tuple((k, self.sign(v)) for k, v in streams.items())
        self.key: Hashable = (tuple(map(self.sign, args)), tuple((k, self.sign(v)) for k, v in sorted(keywords.items())), streamed)

    def number(self, slots: Slots) -> tuple[int, bool]:
        """The number of an argument's slots, and whether they are new."""
        known = self.numbers.get(id(slots))
        if known is not None:
            return known, False
        self.numbers[id(slots)] = len(self.slots)
        self.slots.append(slots)
        return len(self.slots) - 1, True

    def sign(self, value: Value) -> Hashable:
        if isinstance(value, Tensor):
            number, fresh = self.number(value.cell)
            content = value.cell.get("content")
            if not isinstance(content, Content) or value.kept is not None or any(k not in TENSOR_SLOTS for k in value.cell):
                raise NotPortable
            if not fresh:
                return ("tensor", number)
            aliases = value.cell.get("aliases", ())
            assert isinstance(aliases, tuple)
            return (
                "tensor",
                number,
                content,
                "opaque" in value.cell,
                CUT in value.cell,
                tuple(self.number(a.cell)[0] for a in aliases if isinstance(a, Tensor)),
            )
        if isinstance(value, tuple):
            return ("tuple", *map(self.sign, value))
        if isinstance(value, EXACT_TYPES):
            return (type(value).__name__, value)
        if isinstance(value, Unknown | External | EnumMember):
            return value
        if isinstance(value, Instance) and value.attrs.born:
            number, fresh = self.number(value.attrs)
            if value.pending:
                raise NotPortable
            return ("object", number, value.cls, tuple((k, self.sign(v)) for k, v in value.attrs.items())) if fresh else ("object", number)
        if isinstance(value, Instance) and not value.attrs.born:
            return value
        if isinstance(value, ListValue) and value.modules and not value.state.born:
            return value
        if isinstance(value, Phi):
            return self.sign_phi(value)
        raise NotPortable

    def sign_phi(self, value: Phi) -> Hashable:
        """The key of a Phi; one that was met before is told by its number."""
        known = self.phis.get(id(value))
        if known is None:
            self.phis[id(value)] = len(self.phis)
            return ("phi", value.condition, self.sign(value.if_true), self.sign(value.if_false))
        return ("phi", known)


SINCE_KEPT = ("sure", "switch", "hit")
"""What is noted of a tensor that is written in place after it was put into a collection."""
TENSOR_SLOTS = frozenset({"content", "opaque", "#made", "aliases", "written", *SINCE_KEPT, CUT})


def summarised(machine: Machine, layer: Instance, args: tuple[Value, ...], keywords: dict[str, Value], run: Callable[[], Value]) -> Value:
    """The result of a call of a layer, replayed where a summary fits."""
    if machine.frame.parks or machine.reads is not None:
        return run()
    try:
        arguments = Arguments(args, keywords, machine.streams)
    except NotPortable:
        return run()
    for summary in machine.summaries.get((layer, arguments.key), ()):
        if unchanged(summary.reads):
            look_again(machine, summary.reads)
            return replay(machine, summary, arguments)
    return record(machine, layer, arguments, run)


def unchanged(reads: tuple[Read, ...]) -> bool:
    """Whether everything that was read says the same."""
    return all(same(len(slots) if key == WHOLE else slots.get(key, MISSING), value) for slots, key, value in reads)


def look_again(machine: Machine, reads: tuple[Read, ...]) -> None:
    """What was looked for in vain, or read as a whole, is so again now: a constructor that is made late may not bring it."""
    for slots, key, value in reads:
        if key == WHOLE:
            machine.forbid_summary(slots)
        elif value is MISSING:
            machine.noted(slots, key)


def same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (*EXACT_TYPES, Unknown, External, EnumMember, tuple, Phi, Content)) and bool(a == b)


def record(machine: Machine, layer: Instance, arguments: Arguments, run: Callable[[], Value]) -> Value:
    mark = machine.heap.mark()
    assumed, length = machine.assumptions, len(machine.trail)
    machine.assumptions = set()
    machine.reads, machine.read_clock = {}, mark.clock
    try:
        result = run()
        reads, used = machine.reads, frozenset(machine.assumptions)
    finally:
        machine.reads = None
        machine.assumptions |= assumed
    try:
        summary = summarise(machine, arguments, mark, reads, used, result, tuple(machine.trail[length:]))
    except NotPortable:
        return result
    machine.summaries.setdefault((layer, arguments.key), []).append(summary)
    return result


def summarise(
    machine: Machine,
    arguments: Arguments,
    mark: Mark,
    reads: dict[tuple[int, Hashable], Read],
    used: frozenset[str],
    result: Value,
    trail: tuple[Step, ...],
) -> Summary:
    writes = machine.heap.collect(mark)
    exporter = Exporter(arguments, mark)
    own: list[tuple[int, Hashable, object]] = []
    other: list[tuple[Slots, Hashable, object]] = []
    for (_, key), write in writes.items():
        number = arguments.numbers.get(id(write.slots))
        if number is not None:
            own.append((number, key, exporter.export(write.after)))
        elif write.slots.born > mark.clock:
            continue
        elif write.slots.born > machine.run_clock:
            raise NotPortable
        else:
            other.append((write.slots, key, exporter.export_or_forget(machine, write.after)))
    kept = tuple(read for place, read in reads.items() if outside(machine, arguments, read, place, writes))
    exported = exporter.export(result)
    return Summary(kept, exporter.cells(), tuple(own), tuple(other), exported, used, trail)


def outside(machine: Machine, arguments: Arguments, read: Read, place: tuple[int, Hashable], writes: Writes) -> bool:
    """Whether a read must hold again: one of the arguments' slots is in the key, one after a write of the call itself is its own."""
    slots, _, value = read
    if id(slots) in arguments.numbers or (place in writes and writes[place].before is not value):
        return False
    if slots.born > machine.run_clock:
        raise NotPortable
    return True


class Exporter:
    """Says values apart from their run: tensors as references, all else as it is."""

    def __init__(self, arguments: Arguments, mark: Mark) -> None:
        self.arguments, self.mark = arguments, mark
        self.made: list[Slots] = []
        self.numbers: dict[int, int] = {}

    def export(self, value: Value) -> object:
        if isinstance(value, Tensor):
            return self.reference(value)
        if isinstance(value, tuple):
            return tuple(self.export(v) for v in value)
        if isinstance(value, PORTABLE) or value is MISSING:
            return value
        if isinstance(value, Phi):
            return Either(value.condition, self.export(value.if_true), self.export(value.if_false))
        if isinstance(value, Instance | ListValue) and not (value.attrs if isinstance(value, Instance) else value.state).born:
            return value
        if isinstance(value, BoundMethod) and isinstance(value.function, FunctionValue) and value.function.code is None:
            self.export(value.receiver)  # the method of a class, of an object that lives on
            return value
        raise NotPortable

    def export_or_forget(self, machine: Machine, value: Value) -> object:
        """For what lives on: an object of this run is something unknown to the next."""
        try:
            return self.export(value)
        except NotPortable:
            return machine.mystery("left", "what a layer left there", not_none=True)

    def reference(self, value: Tensor) -> Reference:
        number = self.arguments.numbers.get(id(value.cell))
        if number is not None:
            return Reference(False, number)
        if value.cell.born <= self.mark.clock or value.kept is not None or any(k not in TENSOR_SLOTS for k in value.cell):
            raise NotPortable
        number = self.numbers.setdefault(id(value.cell), len(self.made))
        if number == len(self.made):
            self.made.append(value.cell)
        return Reference(True, number)

    def cells(self) -> tuple[NewCell, ...]:
        """The new cells; describing one may bring more."""
        found: list[NewCell] = []
        while len(found) < len(self.made):
            cell = self.made[len(found)]
            found.append(NewCell(self.content(cell), "opaque" in cell, CUT in cell, self.aliases(cell)))
        return tuple(found)

    def content(self, cell: Slots) -> Value:
        content = cell.get("content")
        if not isinstance(content, Content | Unknown):
            raise NotPortable
        return content

    def aliases(self, cell: Slots) -> tuple[object, ...]:
        """What shares memory, where it can still be reached: a cell that the call made and dropped does not matter."""
        aliases = cell.get("aliases", ())
        assert isinstance(aliases, tuple)
        return tuple(self.reference(a) for a in aliases if isinstance(a, Tensor))


PORTABLE = (*EXACT_TYPES, Unknown, External, EnumMember, Content)


def replay(machine: Machine, summary: Summary, arguments: Arguments) -> Value:
    """Do again what the summary says."""
    made = [machine.tensor(cell.content, exact=not cell.opaque) for cell in summary.cells]
    for tensor, cell in zip(made, summary.cells, strict=True):
        tensor.cell["#made"] = cell.content
        if cell.cut:
            tensor.cell[CUT] = True
        if cell.aliases:
            tensor.cell["aliases"] = tuple(build(arguments, made, a) for a in cell.aliases)
    for number, key, value in summary.own:
        machine.heap.write(arguments.slots[number], key, build(arguments, made, value))
    for slots, key, value in summary.other:
        machine.heap.write(slots, key, build(arguments, made, value))
    machine.assumptions |= summary.assumptions
    machine.trail += summary.trail
    return build(arguments, made, summary.result)


def build(arguments: Arguments, made: list[Tensor], value: object) -> Value:
    if isinstance(value, Reference):
        return made[value.number] if value.new else Tensor(arguments.slots[value.number])
    if isinstance(value, tuple):
        return tuple(build(arguments, made, v) for v in value)
    if isinstance(value, Either):
        return Phi(value.condition, build(arguments, made, value.if_true), build(arguments, made, value.if_false))
    return value  # type: ignore[return-value]
