"""What a setter leaves in a model, and what the forward makes of it: marks that stay when other ids are set, writes that nobody reads, and
marks that the forward asks for and nobody sets."""
from __future__ import annotations

import ast
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field, replace

from .evaluation import Target
from .interpret.classes import resolution_order
from .interpret.heap import Writes
from .interpret.machine import Machine
from .interpret.reachable import reachable
from .interpret.signals import GiveUp, MadeLate, NeedDecision, Raised
from .outcome import Ids, Outcome, call_setter
from .results import Evaluation, Location, Marks, Place
from .runs import Model, Run
from .values import MISSING, ClassValue, Instance, ListValue, Phi, SetValue, Slots, Value

FIRST, SECOND = (1,), (3,)
"""Two lists of ids that every stack of more than four layers has, none of them at its edges."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(slots=True)
class Probe(Run):
    """A run that sets other ids before. ``of_ids``: the slots whose values hang on the ids, ``names`` the attributes that they are;
    ``stays``: what the first call left and the second did not take back. One that ``listens`` sets no other ids, and notes what it reads;
    ``walked``: it came through all layers."""

    names: set[str] = field(default_factory=set)
    of_ids: dict[tuple[int, Hashable], tuple[Slots, Hashable]] = field(default_factory=dict)
    stays: dict[str, None] = field(default_factory=dict)
    reads: dict[tuple[int, Hashable], Value] = field(default_factory=dict)
    listens: bool = False
    walked: bool = False

    def call(self, built: Model, ids: Ids) -> Outcome:
        machine = built.machine
        machine.frames.clear()
        with machine.in_module(self.target.cls.module):
            alone = self.set(built, (ids,))
            first = self.set(built, (FIRST,))
            both = self.set(built, (FIRST, ids))
        self.compare(alone, first, both)
        if self.listens:
            return self.listen(built, ids)
        if not self.stays:
            return Outcome(reason="nothing stays")
        with machine.in_module(self.target.cls.module):
            call_setter(machine, built.instance, self.target.setter, FIRST)
        return Run.call(self, built, ids)

    def listen(self, built: Model, ids: Ids) -> Outcome:
        """The run, with what it reads of what was there before."""
        machine = built.machine
        machine.reads, machine.read_clock = {}, machine.heap.clock
        try:
            return Run.call(self, built, ids)
        finally:
            self.reads = {place: value for place, (_, _, value) in machine.reads.items()}
            self.walked = machine.walk["order"] == tuple(range(machine.num_layers))
            machine.reads = None

    def set(self, built: Model, lists: tuple[Ids, ...]) -> dict[tuple[int, Hashable], tuple[Slots, Hashable, object]]:
        """What the heap is after these calls, where they wrote; and take it back."""
        heap = built.machine.heap
        mark = heap.mark()
        for ids in lists:
            call_setter(built.machine, built.instance, self.target.setter, ids)
        written = {place: (write.slots, place[1], plain(write.after)) for place, write in of_objects(heap.collect(mark)).items()}
        heap.rollback(mark)
        return written

    def compare(self, alone: State, first: State, both: State) -> None:
        for place, (slots, key, value) in both.items():
            if place not in alone or alone[place][2] != value:
                self.stays[str(key)] = None
            if place not in first or first[place][2] != value:
                self.of_ids[place] = slots, key
                self.names.add(str(key))


State = dict[tuple[int, Hashable], tuple[Slots, Hashable, object]]


def of_objects(writes: Writes) -> Writes:
    """The writes to attributes."""
    return {place: write for place, write in writes.items() if isinstance(place[1], str) and place[1].isidentifier()}


def plain(value: Value) -> object:
    """A value apart from the run that it was made in; what holds others is what they are."""
    if isinstance(value, ListValue | SetValue):
        return type(value).__name__, tuple((key, plain(each)) for key, each in value.state.items())
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, Phi):
        return value.condition, plain(value.if_true), plain(value.if_false)
    return value


# ------------------------------------------------------------------------------ what is told


def marks_of(target: Target, evaluated: tuple[Evaluation, ...]) -> Marks | None:
    """What there is to tell of the marks of one setter; None where its run is not understood."""
    probe = Probe(target, target.attempts[0])
    outcome = run(probe) if target.num_layers > SECOND[0] + 1 else None
    if outcome is None:
        return None
    silent = tuple(silent_gates(target))
    missing = tuple(asked_in_vain(target, probe.names))
    dead = not any(row.captured or row.status == "depends" for row in evaluated)
    stale = is_stale(target, outcome)
    kept = tuple(Place(name, at) for name in probe.stays for at in written_at(target, name)) if stale else ()
    if stale and not kept:  # what it calls writes it
        kept = tuple(Place(name, at) for name in probe.stays for at in setter_at(target))
    marks = Marks(tuple(sorted(probe.names)), SECOND if stale else (), outcome.captured or () if stale else (), kept, silent=silent)
    return heard(target, replace(marks, missing=missing), dead) if missing or (dead and probe.of_ids) else marks


def setter_at(target: Target) -> Iterator[Location]:
    """Where the setter is defined, by the target's class or a base."""
    for cls in classes_of(target):
        for each in cls.node.body if cls.node is not None else ():
            if isinstance(each, FUNCTIONS) and each.name == target.setter:
                yield Location(target.program.printed(cls.module.path), each.lineno)
                return


def is_stale(target: Target, outcome: Outcome) -> bool:
    """Whether other points are captured where other ids were set before."""
    alone = target.evaluate(SECOND)
    known = alone.status == "established" and alone.error is None and outcome.captured is not None
    return known and outcome.captured != alone.captured


def heard(target: Target, marks: Marks, dead: bool) -> Marks:
    """The marks, with what a run reads of them."""
    probe = Probe(target, target.attempts[0], listens=True)
    if run(probe) is None or not probe.walked:
        return replace(marks, missing=())
    vain = {str(key) for (_, key), value in probe.reads.items() if value is MISSING}
    missing = tuple(place for place in marks.missing if place.name in vain)
    names = sorted({str(key) for _, key in probe.of_ids.values()})
    seen = {str(key) for _, key in probe.reads}
    unread = dead and not any(place in probe.reads for place in probe.of_ids) and all(is_seen(target, name, seen) for name in names)
    places = tuple(Place(name, at) for name in names for at in written_at(target, name)) if unread else ()
    return replace(marks, missing=missing, unread=places, inherited=inherits(target))


def is_seen(target: Target, name: str, seen: set[str]) -> bool:
    """Whether a run shows all reads of an attribute: no function of the model's classes reads one of this name, or the only one that does
    was seen to read that of another object. One that was not run may read it."""
    setters, parts = {target.setter, *target.flow.setters, *target.flow.fallbacks}, parts_of(target, made=True)
    bodies = (cls.node.body for cls in parts.classes if cls.node is not None)
    functions = (each for body in bodies for each in body if isinstance(each, FUNCTIONS) and each.name not in setters)
    readers = sum(any(reads(node, name) for node in ast.walk(function)) for function in functions)
    return parts.whole and (readers == 0 or (readers == 1 and name in seen))


def reads(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Load()):
            return attr == name
        case ast.Constant(value=value):
            return value == name
    return False


def inherits(target: Target) -> bool:
    """Whether the setter is that of a base which is a model itself: what mixes a setter in means to have it."""
    node = target.cls.node
    if node is None or any(isinstance(each, FUNCTIONS) and each.name == target.setter for each in node.body):
        return False
    bodies = (cls.node.body for cls in classes_of(target) if cls.node is not None)
    named = ([each.name for each in body if isinstance(each, FUNCTIONS)] for body in bodies)
    owner = next((names for names in named if target.setter in names), None)
    return owner is None or "forward" in owner


def run(probe: Probe) -> Outcome | None:
    leaves = probe.target.leaves.get(probe.attempt)
    decided = dict(leaves.answers[0]) if leaves is not None and leaves.answers else {}
    if leaves is not None:
        probe.seen.conditions.update(leaves.conditions)
    try:
        return probe.once(decided, SECOND)
    except (NeedDecision, MadeLate, GiveUp, Raised):
        return None


# ------------------------------------------------------------------------------ where it stands


@dataclass(frozen=True, slots=True)
class Parts:
    """The classes of a model and of what it keeps, with their bases; ``whole``: every part was made, so that none is left out."""

    classes: tuple[ClassValue, ...]
    whole: bool


def parts_of(target: Target, *, made: bool = False) -> Parts:
    """As one model of the target shows; ``made``: parts whose constructors are postponed are made for it."""
    program = target.program
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    models = [model for model in target.built.models.values() if isinstance(model, Model)]
    found: dict[ast.ClassDef | None, ClassValue] = {}
    whole = bool(models)
    for value in reachable([models[0].instance] if models else []):
        if isinstance(value, Instance):
            whole = (is_made(models[0].machine, value) if made else not value.pending) and whole
            found |= {cls.node: cls for cls in resolution_order(machine, value.cls) if isinstance(cls, ClassValue)}
    return Parts(tuple(found.values()), whole)


def is_made(machine: Machine, part: Instance) -> bool:
    """Whether a part's constructor has run, or could be run now."""
    try:
        machine.construct(part)
    except (GiveUp, MadeLate, NeedDecision, Raised):
        return False
    return not part.pending


def classes_of(target: Target) -> tuple[ClassValue, ...]:
    return parts_of(target).classes


def written_at(target: Target, name: str) -> Iterator[Location]:
    """The last place in each setter that writes an attribute: in those that are called as the one that was run, else in all."""
    places: dict[str, list[Location]] = {}
    for cls in classes_of(target):
        for function in cls.node.body if cls.node is not None else ():
            if isinstance(function, FUNCTIONS) and function.name in {target.setter, *target.flow.setters, *target.flow.fallbacks}:
                lines = [node.lineno for node in ast.walk(function) if isinstance(node, ast.expr) and writes(node, name)]
                found = [Location(target.program.printed(cls.module.path), line) for line in lines[-1:]]
                places[function.name] = [*places.get(function.name, []), *found]
    yield from places.get(target.setter) or [place for found in places.values() for place in found]


def writes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Store()):
            return attr == name
        case ast.Call(func=ast.Name(id="setattr"), args=[_, ast.Constant(value=value), *_]):
            return value == name
    return False


def asked_in_vain(target: Target, written: set[str]) -> Iterator[Place]:
    """The attributes that a forward asks objects for with something to fall back on, and that neither the setter nor any method of the
    model's classes writes."""
    classes = list(classes_of(target))
    assigned = {name for cls in classes if cls.node is not None for name in cls.module.stored_attributes(cls.node)}
    for cls in classes:
        for function in cls.node.body if cls.node is not None else ():
            if isinstance(function, FUNCTIONS) and function.name == "forward":
                for name, line in asked_for(function):
                    if name not in written and name not in assigned:
                        yield Place(name, Location(target.program.printed(cls.module.path), line))


def asked_for(function: ast.AST) -> Iterator[tuple[str, int]]:
    """The attributes that ``getattr`` is asked for with something to fall back on, with the lines."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str() as name), _]):
                yield name, node.lineno


def silent_gates(target: Target) -> Iterator[Place]:
    """Where a setter hands the ids on only if there is somebody to take them, and nothing is said if not."""
    setters = {target.setter, *target.flow.setters, *target.flow.fallbacks}
    for cls in classes_of(target):
        for function in cls.node.body if cls.node is not None else ():
            if isinstance(function, FUNCTIONS) and function.name in setters:
                yield from gates_in(function, setters, target.program.printed(cls.module.path))


def gates_in(function: ast.AST, setters: Collection[str], file: str) -> Iterator[Place]:
    """``if hasattr(x, SETTER): x.SETTER(…)`` with nothing else."""
    for node in ast.walk(function):
        match node:
            case ast.If(test=test, orelse=[]) if not isinstance(node.body[-1], ast.Return):
                called = {each.attr for inner in node.body for each in ast.walk(inner) if isinstance(each, ast.Attribute)}
                asked = {name for each in parts_of_test(test) for name in asked_of(each)}
                yield from (Place(name, Location(file, node.lineno)) for name in sorted(asked & called) if name in setters)


def parts_of_test(test: ast.expr) -> list[ast.expr]:
    """What must all hold."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def asked_of(test: ast.expr) -> Iterator[str]:
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[_, ast.Constant(value=str() as name)]):
            yield name
