"""Loops: what they walk, how they are left, and what is known after one that runs an unknown number of times."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from .. import ir
from ..library.samples import SAMPLE, draw
from ..values import EXACT_TYPES, DictValue, ListValue, Tensor, Unknown, Value
from .assign import assign
from .branch import explore, pick, unpark
from .heap import Write, Writes
from .operators import condition
from .signals import Break, Continue, GiveUp, NeedDecision, Return, Signal
from .walks import walk

if TYPE_CHECKING:
    from .machine import Machine


SAMPLES = 2
"""Rounds of a loop over samples."""
MAX_WHILE = 2_000
"""Rounds of a ``while`` whose condition stays exact."""


def for_(machine: Machine, node: ir.For) -> Signal:
    iterable = machine.evaluate(node.iterable)
    values = walk(machine, iterable)
    if values is None:
        return sampled_loop(machine, iterable, node) if machine.recording() else loop_of_unknown_length(machine, iterable, node)
    before, inner = machine.walk["order"], len(machine.loops)
    signal = run_rounds(machine, node, values)
    note_walk(machine, node, before, inner)
    return signal


def note_walk(machine: Machine, node: ir.For | ir.While, before: Value, inner: int) -> None:
    """A loop came to its end: it is one of those that walk the layers if some ran in it, and in no loop inside of it."""
    place = machine.location(node.at)
    if machine.walk["order"] is not before and len(machine.loops) == inner and place is not None:
        machine.loops.append(place)


def run_rounds(machine: Machine, node: ir.For, values: Iterable[Value]) -> Signal:
    since = len(machine.frame.parks)
    for value in values:
        machine.count_step()
        assign(machine, node.target, value)
        left = one_round(machine, node.body)
        if left is not None:
            return left_loop(machine, since, left)
    return finish_loop(machine, node.orelse, since)


def one_round(machine: Machine, body: ir.Block) -> Signal:
    since = len(machine.frame.parks)
    signal = machine.run_block(body)
    signal = unpark(machine, since, signal, Continue)
    return None if isinstance(signal, Continue) else signal


def left_loop(machine: Machine, since: int, left: Signal) -> Signal:
    """The loop was left by a break or a return: join the paths that broke off before."""
    signal = unpark(machine, since, left, Break)
    return None if isinstance(signal, Break) else signal


def finish_loop(machine: Machine, orelse: ir.Block, since: int) -> Signal:
    """A loop that ran to its end: its ``else``, then the paths that broke off."""
    parks = machine.frame.parks
    if orelse and any(isinstance(park.signal, Break) for park in parks[since:]):
        raise NeedDecision(parks[-1].condition, "a loop with an else breaks off by it")
    signal = machine.run_block(orelse)
    signal = unpark(machine, since, signal, Break)
    return None if isinstance(signal, Break) else signal


def while_(machine: Machine, node: ir.While) -> Signal:
    before, inner = machine.walk["order"], len(machine.loops)
    signal = run_while(machine, node)
    note_walk(machine, node, before, inner)
    return signal


def run_while(machine: Machine, node: ir.While) -> Signal:
    since = len(machine.frame.parks)
    for _ in range(MAX_WHILE):
        known = condition(machine, machine.evaluate(node.test))
        if not isinstance(known, bool):
            return sampled_loop(machine, None, node) if machine.recording() else unknown_loop(machine, None, node.body)
        if not known:
            return finish_loop(machine, node.orelse, since)
        left = one_round(machine, node.body)
        if left is not None:
            return left_loop(machine, since, left)
    raise GiveUp(f"a while loop of more than {MAX_WHILE} rounds", machine.location(node.at))


def loop_of_unknown_length(machine: Machine, iterable: Value, node: ir.For) -> Signal:
    """A loop over so many numbers as are not known. If layers run in it, it is asked whether it is a single round."""
    length = machine.lengths.get(iterable.key) if isinstance(iterable, Unknown) else None
    once = None if length is None else machine.compare("==", length, 1)
    known = machine.known(once) if isinstance(once, Unknown) else None
    if known:
        return run_rounds(machine, node, (0,))
    before = machine.walk["order"]
    try:
        return unknown_loop(machine, node.target, node.body)
    except (NeedDecision, GiveUp) as limit:
        if not isinstance(once, Unknown) or machine.walk["order"] is before:
            raise
        if known is None:
            raise NeedDecision(once, "how often the layers run depends on it") from limit
        raise GiveUp("the layers run a number of times that is not known", machine.location(node.at)) from limit


def unknown_loop(machine: Machine, target: ir.Expression | None, body: ir.Block) -> Signal:
    """A loop that runs an unknown number of times: what it writes is not known afterwards."""
    reason = "a loop that runs an unknown number of times"
    runs = machine.mystery("loop", reason)

    def side(answer: bool) -> Signal:
        if answer:
            if target is not None:
                assign_unknown(machine, target, reason)
            since = len(machine.frame.parks)
            signal = machine.run_block(body)
            del machine.frame.parks[since:]
            return signal if isinstance(signal, Return) else None
        return None

    mark, first, second = explore(machine, runs, side)
    if first.raised is not None or second.raised is not None:
        raise GiveUp(f"{reason} and may raise", machine.location())
    for (_, key), write in first.writes.items():
        if write.slots is machine.walk or write.slots is machine.sink:
            raise GiveUp(f"{reason} and runs layers", machine.location())
        if write.slots is not machine.facts and write.slots.born <= mark.clock:
            machine.heap.write(write.slots, key, machine.mystery(str(key)[:30], reason))
    if isinstance(first.result, Return):
        raise GiveUp(f"{reason} and may return", machine.location())
    return None


def sampled_loop(machine: Machine, source: Value, node: ir.For | ir.While) -> Signal:
    """In a trainer a loop of unknown length walks samples: it runs for two of them, one after the other, so that what the first leaves
    behind is seen by the second. Of what the loop wrote only that is known afterwards which both leave alike."""
    machine.assume("samples")
    source, since = pick(machine, source), len(machine.frame.parks)
    mark, signal = machine.heap.mark(), None
    left: list[Writes] = []
    rounds: list[Writes] = []
    for _ in range(SAMPLES):
        if isinstance(node, ir.For):
            assign_each(machine, node.target, draw(machine, source))
        signal = one_round(machine, node.body)
        left += [park.writes for park in machine.frame.parks[since:]]
        del machine.frame.parks[since:]
        rounds.append(machine.heap.collect(mark))
        if signal is not None:
            break
    for writes in (*left, rounds[-1]):
        for (owner, key), write in writes.items():
            if write.slots.born <= mark.clock and not lasts(machine, write):
                settle(machine, write, key, rounds[0].get((owner, key)), settled=not left and len(rounds) == SAMPLES)
    return signal if isinstance(signal, Return) else None


def settle(machine: Machine, write: Write, key: Hashable, first: Write | None, *, settled: bool) -> None:
    """What is known after a loop over samples of something that it wrote."""
    if settled and first is not None and alike(first.after, write.after):
        machine.heap.write(write.slots, key, write.after)
        return
    if key == "items" and write.before == () and isinstance(write.after, tuple) and write.after:
        machine.heap.write(write.slots, SAMPLE, write.after[-1])
    machine.heap.write(write.slots, key, machine.mystery(str(key)[:30], "a loop that runs an unknown number of times"))


def alike(a: Value, b: Value) -> bool:
    """Whether two samples left the same: the same object or number, or tensors that hold the same."""
    if a is b:
        return True
    match a, b:
        case Tensor(), Tensor():
            return a.cell.get("content") == b.cell.get("content") and a.kept == b.kept
        case ListValue(), ListValue():
            return alike(a.state.get("items"), b.state.get("items"))
        case tuple(), tuple():
            return len(a) == len(b) and all(map(alike, a, b))
        case DictValue(), DictValue():
            return a.state.keys() == b.state.keys() and all(alike(a.state[key], b.state[key]) for key in a.state)
    return isinstance(a, EXACT_TYPES) and type(a) is type(b) and a == b


def lasts(machine: Machine, write: Write) -> bool:
    """Whether a write of a loop is none of the program's, or was taken back before its end."""
    log = machine.ledger.log if machine.ledger is not None else None
    return any(write.slots is own for own in (log, machine.facts, machine.walk)) or write.after is write.before


def assign_each(machine: Machine, target: ir.Expression, value: Value) -> None:
    """Bind one sample; of an unknown one no part is known."""
    if isinstance(value, Unknown) and isinstance(target, ir.Display):
        assign_unknown(machine, target, value.reason)
    else:
        assign(machine, target, value)


def assign_unknown(machine: Machine, target: ir.Expression, reason: str) -> None:
    if isinstance(target, ir.Display):
        for item in target.items:
            assign_unknown(machine, item, reason)
    else:
        assign(machine, target, machine.mystery("each", reason))
