"""Taking a branch both ways.

:func:`explore` runs both sides of a condition from one heap and answers how each ended and what it wrote. :func:`choose` does it for an
expression and joins the two values; :func:`choose_block` for a block of statements, where one side may leave (return, break,
continue) and the other go on. The side that left is *parked*: its writes and its signal wait in the frame until the other side
arrives where the signal is caught, and are joined there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from ..values import MISSING, Phi, Slots, Unknown, Value
from .heap import Mark, Write, Writes
from .join import Joiner
from .phis import conditions, map_shared, phi
from .signals import Break, Continue, NeedDecision, Raised, Return, Signal, TooDeep
from .walked import UNITED, both_walk, united, walked

if TYPE_CHECKING:
    from .machine import Machine

T = TypeVar("T")
MAX_NESTED_BRANCHES = 8
"""Unknown conditions taken both ways inside one another before the run asks for a decision instead."""
MAX_NESTED_FORGIVEN = 6
"""The same in a statement of a constructor that can be passed over."""
MAX_TOLD_APART = 8
"""Conditions of a value whose answers are kept in mind on the way down to an alternative of it."""


@dataclass(slots=True)
class Side(Generic[T]):
    """How one side of a branch ended: a result or an exception."""

    result: T | None
    raised: Raised | None
    writes: Writes


@dataclass(slots=True)
class Park:
    """A path that left early under ``condition`` and waits for the other path."""

    mark: Mark
    condition: Unknown
    writes: Writes
    signal: Signal


def both(machine: Machine, conditions: tuple[Unknown, ...]) -> Unknown:
    """The conjunction of conditions; deciding it means deciding its parts."""
    return machine.unknown(" and ".join(c.key for c in conditions), conditions[0].reason, parts=conditions, at=conditions[-1].at)


def run_side(machine: Machine, condition: Unknown, answer: bool, run: Callable[[bool], T]) -> Side[T]:
    machine.suppose(condition, answer)
    try:
        return Side(run(answer), None, {})
    except Raised as raised:
        return Side(None, raised, {})
    except NeedDecision as question:
        question.under.append(condition)
        raise


def explore(machine: Machine, condition: Unknown, run: Callable[[bool], T]) -> tuple[Mark, Side[T], Side[T]]:
    """Run the side where ``condition`` holds, take it back, run the other. The heap is left as the second side made it."""
    if machine.nesting >= (MAX_NESTED_FORGIVEN if machine.forgiven else MAX_NESTED_BRANCHES):
        raise TooDeep(condition, "too many open conditions inside one another")
    machine.nesting += 1
    machine.noticed.branched.setdefault(condition.key.removeprefix("not "), machine.location())
    try:
        mark = machine.heap.mark()
        frame, parked = machine.frame, len(machine.frame.parks)
        first = run_side(machine, condition, True, run)
        if first.raised is None:
            for park in frame.parks[parked:]:
                rebase(machine, park, mark, condition)
        else:
            del frame.parks[parked:]
        first.writes = machine.heap.collect(mark)
        machine.heap.rollback(mark)
        waiting = len(frame.parks)
        second = run_side(machine, condition, False, run)
        if second.raised is not None:
            del frame.parks[waiting:]
        second.writes = machine.heap.collect(mark)
    finally:
        machine.nesting -= 1
    return mark, first, second


def rebase(machine: Machine, park: Park, mark: Mark, condition: Unknown) -> None:
    """Make a park that was taken inside a branch one that stands at the branch's own mark."""
    writes = machine.heap.collect_until(mark, park.mark)
    for place, write in park.writes.items():
        before = writes[place].before if place in writes else write.before
        writes[place] = Write(write.slots, before, write.after)
    park.writes, park.mark, park.condition = writes, mark, both(machine, (condition, park.condition))


def reader(writes: Writes, others: Writes) -> Callable[[Slots, Hashable], Value]:
    """Reads slots as the side that made ``writes`` left them, while the heap stands as the other side left it."""

    def read(slots: Slots, key: Hashable) -> Value:
        place = (id(slots), key)
        if place in writes:
            return writes[place].after
        return others[place].before if place in others else slots.get(key, MISSING)

    return read


def merge(machine: Machine, mark: Mark, condition: Unknown, first: Writes, second: Writes) -> Joiner:
    """Join into the heap, which stands as ``second`` left it, what ``first`` wrote."""
    joiner = Joiner(machine, condition, reader(first, second), reader(second, first))
    joined: list[tuple[Slots, Hashable, Value]] = []
    for place in [*first, *(p for p in second if p not in first)]:
        slots = (first.get(place) or second[place]).slots
        if slots is machine.facts:
            continue
        if slots.born > mark.clock:
            if place in first:
                joined.append((slots, place[1], first[place].after))
            continue
        a, b = joiner.first(slots, place[1]), joiner.second(slots, place[1])
        if slots is machine.walk and place[1] == "order" and both_walk(machine, first.get(place), second.get(place)):
            raise NeedDecision(condition, "either way layers run")
        if slots is machine.walk and machine.recording():
            value = walked(a, b)
        else:
            value = united(a, b) if place[1] in UNITED else joiner.join(a, b)
        if value is not b:
            joined.append((slots, place[1], value))
    restore_facts(machine, first, second)
    for slots, key, value in joined:
        machine.heap.write(slots, key, value)
    return joiner


def restore_facts(machine: Machine, first: Writes, second: Writes) -> None:
    """After a join only what both sides know is known."""
    for (owner, key), write in second.items():
        if write.slots is machine.facts:
            other = first.get((owner, key))
            if other is None or other.after is not write.after:
                machine.heap.write(machine.facts, key, write.before)


def keep(machine: Machine, mark: Mark, condition: Unknown, answer: bool, sides: tuple[Writes, Writes]) -> None:
    """The other side raised: this side alone goes on, and the condition is known from now on."""
    if answer:
        machine.heap.rollback(mark)
        machine.heap.apply(sides[0])
    machine.guarded(condition, answer)


def matters(machine: Machine, condition: Unknown, raised: Raised | None) -> bool:
    """Whether an exception under an unknown condition is more than a guard of the program that may be taken to hold: the condition reads
    the ids, the exception is none of the program's own, or somebody waits to catch it."""
    if raised is None:
        return False
    if machine.recording():
        return machine.is_caught(raised) or not raised.explicit
    return condition.reads_ids or (raised.certain and not raised.explicit) or machine.is_caught(raised)


def settle_raises(machine: Machine, mark: Mark, condition: Unknown, first: Side[T], second: Side[T]) -> Side[T] | None:
    """The surviving side where one raised; None where neither did."""
    if first.raised is None and second.raised is None:
        return None
    if first.raised is not None and second.raised is not None:
        machine.heap.rollback(mark)
        raised = first.raised
        same = raised.kind == second.raised.kind
        made = Raised(raised.kind, raised.text, raised.at, certain=same and raised.certain and second.raised.certain)
        made.building = raised.building and second.raised.building
        raise made
    if matters(machine, condition, first.raised or second.raised):
        raise NeedDecision(condition, "one answer raises")
    survivor = second if first.raised is not None else first
    keep(machine, mark, condition, survivor is first, (first.writes, second.writes))
    return survivor


def choose(machine: Machine, condition: Value, run: Callable[[bool], Value]) -> Value:
    """Evaluate ``run`` for both answers and join the values. A condition is a truth: a bool, an unknown, or a Phi of truths."""
    condition = pick(machine, condition)
    if isinstance(condition, bool):
        return run(condition)
    if isinstance(condition, Phi):
        tree = condition
        return choose(machine, tree.condition, lambda side: choose(machine, tree.if_true if side else tree.if_false, run))
    assert isinstance(condition, Unknown)
    answer = machine.known(condition)
    if answer is not None:
        return run(answer)
    mark, first, second = explore(machine, condition, run)
    survivor = settle_raises(machine, mark, condition, first, second)
    if survivor is not None:
        return survivor.result
    joiner = merge(machine, mark, condition, first.writes, second.writes)
    return joiner.join(first.result, second.result)


def choose_block(machine: Machine, condition: Value, run: Callable[[bool], Signal]) -> Signal:
    """Run blocks for both answers; where only one leaves, park it and go on with the other."""
    condition = pick(machine, condition)
    if isinstance(condition, bool):
        return run(condition)
    if isinstance(condition, Phi):
        tree = condition
        return choose_block(machine, tree.condition, lambda side: choose_block(machine, tree.if_true if side else tree.if_false, run))
    assert isinstance(condition, Unknown)
    answer = machine.known(condition)
    if answer is not None:
        return run(answer)
    mark, first, second = explore(machine, condition, run)
    survivor = settle_raises(machine, mark, condition, first, second)
    if survivor is not None:
        return survivor.result
    one, other = first.result, second.result
    if type(one) is type(other):
        joiner = merge(machine, mark, condition, first.writes, second.writes)
        if isinstance(one, Return) and isinstance(other, Return):
            return Return(joiner.join(one.value, other.value))
        return one
    if one is None:
        machine.heap.rollback(mark)
        machine.heap.apply(first.writes)
        machine.frame.parks.append(Park(mark, negation(machine, condition), second.writes, other))
        return None
    machine.frame.parks.append(Park(mark, condition, first.writes, one))
    return other


def negation(machine: Machine, condition: Unknown) -> Unknown:
    """The opposite condition."""
    key = condition.key[4:] if condition.key.startswith("not ") else f"not {condition.key}"
    return machine.unknown(key, condition.reason, at=condition.at, reads_ids=condition.reads_ids, parts=condition.parts or (condition,))


def unpark(machine: Machine, since: int, signal: Signal, caught: type[Return | Break | Continue]) -> Signal:
    """Join the paths parked since the frame held ``since`` of them, where signals of kind ``caught`` end.

    The current path arrives with ``signal``. Parks of another kind stay, for the construct that catches them.
    """
    parks = machine.frame.parks
    staying: list[Park] = []
    while len(parks) > since:
        park = parks.pop()
        if not isinstance(park.signal, caught):
            staying.append(park)
            continue
        if staying:
            raise NeedDecision(park.condition, "paths that leave in different ways")
        writes = machine.heap.collect(park.mark)
        if caught is not Return and not (signal is None or isinstance(signal, caught)):
            machine.heap.rollback(park.mark)
            machine.heap.apply(park.writes)
            staying.append(Park(park.mark, negation(machine, park.condition), writes, signal))
            signal = None
            continue
        joiner = merge(machine, park.mark, park.condition, park.writes, writes)
        if isinstance(park.signal, Return):
            value = signal.value if isinstance(signal, Return) else None
            signal = Return(joiner.join(park.signal.value, value))
    parks.extend(reversed(staying))
    return signal


def resume(machine: Machine, raised: Raised) -> Signal:
    """The current path raised: go on with the path that was parked last, if one was; its condition is known from then on."""
    parks = machine.frame.parks
    if not parks:
        raise raised
    park = parks.pop()
    if matters(machine, park.condition, raised):
        raise NeedDecision(park.condition, "one answer raises")
    if not isinstance(park.signal, Return):
        raise NeedDecision(park.condition, "one answer raises inside a loop")
    machine.heap.rollback(park.mark)
    machine.heap.apply(park.writes)
    machine.guarded(park.condition, True)
    return park.signal


def pick(machine: Machine, value: Value) -> Value:
    """A value with the conditions that are known by now answered."""
    while type(value) is Phi:
        answer = machine.known(value.condition)
        if answer is None:
            return value
        value = value.if_true if answer else value.if_false
    return value


def map_leaves(machine: Machine, value: Value, operation: Callable[[Value], Value], *, truths: bool = False) -> Value:
    """Apply an operation that neither reads nor writes the heap to each alternative of a value.

    With ``truths`` the operation is the truth of a value: an unknown that was asked for on the way down is answered by that.
    Cheaper than :func:`lift`: nothing is taken back. Where an alternative raises, :func:`lift` decides what that means.
    """
    value = pick(machine, value)
    if type(value) is not Phi:
        return operation(value)
    try:
        if len(conditions(value)) > MAX_TOLD_APART:
            return map_shared(value, operation, {})
        return mapped(machine, value, operation, {}, truths)
    except Raised:
        return lift(machine, value, operation)


def mapped(machine: Machine, value: Value, operation: Callable[[Value], Value], answers: dict[str, bool], answer_unknowns: bool) -> Value:
    """The recursion of :func:`map_leaves`: ``answers`` holds the conditions on the way down."""
    value = pick(machine, value)
    if type(value) is not Phi:
        return answers[value.key] if answer_unknowns and isinstance(value, Unknown) and value.key in answers else operation(value)
    key = value.condition.key
    if key in answers:
        return mapped(machine, value.if_true if answers[key] else value.if_false, operation, answers, answer_unknowns)
    true = mapped(machine, value.if_true, operation, {**answers, key: True}, answer_unknowns)
    false = mapped(machine, value.if_false, operation, {**answers, key: False}, answer_unknowns)
    same = true is false or (type(true) is type(false) and bool(true == false))
    return true if same else phi(value.condition, true, false)


def lift(machine: Machine, value: Value, operation: Callable[[Value], Value]) -> Value:
    """Apply an operation to a value, to each alternative of a Phi apart."""
    value = pick(machine, value)
    if type(value) is not Phi:
        return operation(value)
    phi = value
    return choose(machine, phi.condition, lambda side: lift(machine, phi.if_true if side else phi.if_false, operation))


def require(machine: Machine, value: Value, why: str) -> Value:
    """A value that must not be a Phi: asks for a decision where it is one."""
    value = pick(machine, value)
    if type(value) is Phi:
        raise NeedDecision(value.condition, why)
    return value
