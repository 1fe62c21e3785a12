"""Comprehensions and generator expressions: what they walk, what they keep, and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..values import ListValue, Scope, Value
from .asking import note
from .assign import assign
from .branch import lift
from .names import look_up
from .operators import condition
from .signals import GiveUp, NeedDecision, Raised
from .walks import walk
from .watch import SOURCES, names_in, watch_generator

if TYPE_CHECKING:
    from .machine import Machine


def comprehension(machine: Machine, node: ir.Comprehension) -> Value:
    """A comprehension, eagerly; a generator expression too, since nothing that it reads changes before it is walked. Where a condition
    decides what is walked, it is made for either."""
    source = machine.evaluate(node.clauses[0].iterable)
    if machine.recording():
        return comprehend(machine, node, source)
    return lift(machine, source, lambda each: comprehend(machine, node, each))


def comprehend(machine: Machine, node: ir.Comprehension, source: Value) -> Value:
    """The value of a comprehension that walks ``source`` first."""
    found: list[tuple[Value, Value]] = []
    frame = machine.frame
    outer = frame.scope
    frame.scope = Scope(machine.heap.new_aside(), outer, None)
    try:
        complete = walk_clauses(machine, node, 0, found, source)
    finally:
        frame.scope = outer
    if not complete:
        return note_sources(machine, node, machine.unknown_items(node.kind))
    if node.kind == "dict":
        made = machine.new_dict({})
        for key, value in found:
            machine.set_item(made, key, value)
        return made
    items = tuple(element for element, _ in found)
    if node.kind == "generator":
        late = machine.new_list(items, iterator=True)
        watch_generator(machine, late, node)
        return late
    return machine.set_from(items) if node.kind == "set" else machine.new_list(items)


def note_sources(machine: Machine, node: ir.Comprehension, made: Value) -> Value:
    """Remember what the items of a list of unknown length are made of: what the names stand for that the comprehension reads."""
    if isinstance(made, ListValue):
        own = names_in(tuple(clause.target for clause in node.clauses))
        try:
            held = tuple(look_up(machine, name) for name in sorted(names_in((node.element, node.clauses)) - own))
        except (Raised, GiveUp, NeedDecision):
            return made
        made.state[SOURCES] = (made.state["items"], *held)
    return made


def walk_clauses(machine: Machine, node: ir.Comprehension, depth: int, found: list[tuple[Value, Value]], source: Value = None) -> bool:
    """Walk the clauses from ``depth`` on; False where the number of elements is not known."""
    if depth == len(node.clauses):
        element = machine.evaluate(node.element)
        found.append((element, machine.evaluate(node.value) if node.value is not None else None))
        return True
    clause = node.clauses[depth]
    if depth:
        source = machine.evaluate(clause.iterable)
    if (
        node.kind == "generator"
        and isinstance(source, ListValue)
        and source.iterator
        and isinstance(clause.iterable, ir.Name | ir.Attribute)
    ):
        raise GiveUp("a generator that walks an iterator that others use too", machine.location(node.at))
    values = walk(machine, source)
    if values is None:
        return False
    for value in values:
        machine.count_step()
        assign(machine, clause.target, value)
        kept = filtered(machine, clause)
        if kept is None:
            return False
        if kept and not walk_clauses(machine, node, depth + 1, found):
            return False
    return True


def filtered(machine: Machine, clause: ir.Clause) -> bool | None:
    """Whether the clause's conditions hold; None where one is open."""
    for test in clause.conditions:
        known = condition(machine, machine.evaluate(test))
        if machine.asking is not None:
            note(machine, test, known)
        if not isinstance(known, bool):
            return None
        if not known:
            return False
    return True
