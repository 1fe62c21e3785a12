"""Wirings: every target class of the flow, and the convention that its evaluations add up to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .convention import convention, told_apart
from .detours import bypasses_of, spread_of
from .evaluation import Program, Target
from .finding import Found as Found
from .flows.flow import Flow
from .interpret.classes import find_in_class, resolution_order
from .interpret.machine import Machine
from .marks import marks_of
from .memory import sweep
from .outcome import Ids
from .reach import beside
from .results import Assumption, Evaluation, ForwardPlace, Location, Marks, Wiring
from .runs import kin
from .steps import count, task
from .target import ConfigFacts
from .values import ClassValue, FunctionValue

DEFAULT_LAYERS = 7
"""Layers of a target of which the count is not known: enough to tell the first, the last and those between apart."""


ALIKE = 2
"""Ids that fail alike, after which no others are tried."""
MOST_IDS = 128
"""Ids that are run one by one; the cost grows with ids times layers."""


@dataclass(frozen=True, slots=True)
class Job:
    """One flow in a tree, its target classes, and the layers that they have. ``judged``: rules will look at what the setters leave."""

    program: Program
    config: ConfigFacts
    layers: int
    found: Sequence[Found]
    judged: bool = False


def evaluate_all(jobs: Sequence[Job], ids: tuple[Ids, ...] | None) -> list[list[Wiring]]:
    """For each flow the wiring of each of its targets, in order. A class that adds nothing to its base shares its base's evaluations. Other
    ways through its forward come last: what is supposed for them may stay in the models."""
    classes = dict.fromkeys(class_key(one) for job in jobs for one in job.found)
    done: dict[tuple[int, str, str, str], Wiring] = {}
    swept = 0
    for number, key in enumerate(classes, 1):
        count("target classes", key)
        with task("run", "target classes", key[1], number, len(classes)):
            done |= wirings_of(key, jobs, ids)
            swept = sweep(swept)
    return [[done[target_key(number, one)] for one in job.found] for number, job in enumerate(jobs)]


def wirings_of(key: tuple[str, str], jobs: Sequence[Job], ids: tuple[Ids, ...] | None) -> dict[tuple[int, str, str, str], Wiring]:
    """The wirings of the targets that behave as this class does."""
    done: dict[tuple[int, str, str, str], Wiring] = {}
    of_class: list[Shared] = []
    for number, job in enumerate(jobs):
        of_job: dict[str, Shared] = {}
        for one in (each for each in job.found if class_key(each) == key):
            if one.setter not in of_job:
                target = target_of(job, one, [each.target for each in of_class])
                of_job[one.setter] = Shared(target, prove(target, ids, judged=job.judged), [])
                of_class.append(of_job[one.setter])
            shared = of_job[one.setter]
            shared.keys.append(target_key(number, one))
            done[shared.keys[-1]] = make_wiring(job.program, one, shared.proved, job.layers, bare=ids is None)
    for shared in of_class if ids is None and any(job.judged for job in jobs) else ():
        rows = shared.proved.evaluated
        spread, bypasses = spread_of(shared.target, rows), tuple(bypasses_of(shared.target, rows))
        done |= {each: replace(done[each], spread=spread, bypasses=bypasses) for each in shared.keys}
    return done


class Proved(NamedTuple):
    """What was run of one setter."""

    evaluated: tuple[Evaluation, ...]
    marks: Marks | None = None
    beside: tuple[Evaluation, ...] = ()


class Shared(NamedTuple):
    """The setter of a class, and the target classes that its wiring is that of."""

    target: Target
    proved: Proved
    keys: list[tuple[int, str, str, str]]


def prove(target: Target, ids: tuple[Ids, ...] | None, *, judged: bool) -> Proved:
    """The evaluations of one setter, and what only rules look at."""
    evaluated = evaluate(target, ids)
    if not judged:
        return Proved(evaluated)
    return Proved(evaluated, marks_of(target, evaluated), beside(target, evaluated) if ids is None else ())


def target_key(job: int, one: Found) -> tuple[int, str, str, str]:
    return job, one.cls.module.path, one.cls.name, one.setter


def class_key(one: Found) -> tuple[str, str]:
    """The class that decides how a target behaves."""
    cls = effective_class(one.cls)
    return cls.module.path, cls.name


def target_of(job: Job, one: Found, others: Sequence[Target]) -> Target:
    """A setter of a class. What was built for another of its setters, in a flow that says the same of the engine, is there for this one."""
    target = Target(job.program, one.cls, one.setter, job.layers, job.config)
    for other in others:
        if (other.num_layers, other.config.values) == (job.layers, job.config.values) and same_engine(other.flow, target.flow):
            return target.beside(other)
    return target


def same_engine(one: Flow, other: Flow) -> bool:
    """Whether two flows differ in nothing but which setters they are about."""
    apart = ("name", "words", "setters", "fallbacks", "pipeline")
    return replace(one, **{name: getattr(other, name) for name in apart}) == other


def evaluate(target: Target, ids: tuple[Ids, ...] | None) -> tuple[Evaluation, ...]:
    """The evaluations of one setter."""
    if ids is not None:
        return tuple(map(target.evaluate, ids))
    return told_apart(target.evaluate, evaluate_every_id(target, target.num_layers), target.num_layers)


def evaluate_every_id(target: Target, layers: int) -> tuple[Evaluation, ...]:
    """The evaluations that a convention is read from. Where two ids fail alike the others are not tried, and say so."""
    rows: list[Evaluation] = []
    failed: list[Evaluation] = []
    for ids in every_id(layers):
        if len(failed) >= ALIKE and alike(failed[-ALIKE:]):
            reason = f"{failed[-1].reason} (so it is for id {failed[-1].ids[0] if failed[-1].ids else ''}; not tried for this list)"
            rows.append(replace(failed[-1], ids=ids, reason=reason, path=(), asked=(), numbers=()))
            continue
        rows.append(target.evaluate(ids))
        if ids is not None and len(ids) == 1 and 0 <= ids[0] < layers:
            failed.append(rows[-1])
    return tuple(rows)


def alike(rows: list[Evaluation]) -> bool:
    """Whether nothing is established of these lists, for the same reason at the same place."""
    reasons = {(kin(row.reason or ""), row.reason_at) for row in rows}
    return len(reasons) == 1 and all(row.status == "not established" for row in rows)


def every_id(layers: int) -> tuple[Ids, ...]:
    """The lists that a convention is read from: the default, each id alone, an unsorted list and one with a repetition.

    Of more layers than :data:`MOST_IDS` the first and the last ids stand for all.
    """
    ids = range(-1, layers + 1) if layers <= MOST_IDS else (-1, *range(MOST_IDS // 2), *range(layers - MOST_IDS // 2, layers + 1))
    singles: tuple[Ids, ...] = tuple((k,) for k in ids)
    more: tuple[Ids, ...] = ((3, 1, 2), (2, 2)) if layers > 4 else ()
    return (None, *singles, *more)


def effective_class(cls: ClassValue) -> ClassValue:
    """The class that decides how this one behaves: itself, or its only base where its own body is empty."""
    node = cls.node
    bases = cls.slots.get("#bases")
    empty = node is not None and all(
        isinstance(s, ast.Pass) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in node.body
    )
    if empty and isinstance(bases, tuple) and len(bases) == 1 and isinstance(bases[0], ClassValue):
        return effective_class(bases[0])
    return cls


def make_wiring(program: Program, one: Found, proved: Proved, layers: int, *, bare: bool) -> Wiring:
    evaluated = proved.evaluated
    place = Location(program.printed(one.function.module.path), one.function.node.lineno if one.function.node else 1)
    worst = next((e for e in evaluated if e.status == "not established"), None) or next(
        (e for e in evaluated if e.status == "depends"), None
    )
    used: dict[str, Assumption] = {a.name: a for e in evaluated for a in e.assumptions}
    return Wiring(
        flow=program.flow.name,
        model=one.cls.name,
        at=place,
        setter=one.setter,
        forward=forward_place(program, one.cls),
        convention=tuple(convention(evaluated, layers)) if bare else (),
        status=worst.status if worst else "established",
        reason=worst.reason if worst else None,
        reason_at=worst.reason_at if worst else None,
        assumptions=tuple(used[name] for name in sorted(used)),
        evaluated=evaluated,
        marks=proved.marks,
        beside=proved.beside,
        shadowed=tuple(Location(place.file, line) for line in shadowed(one.function)),
    )


def shadowed(function: FunctionValue) -> Iterator[int]:
    """The lines at which a method is defined earlier in its own class, to no effect."""
    body = function.owner.node.body if isinstance(function.owner, ClassValue) and function.owner.node is not None else []
    for each in body:
        if each is function.node:
            return
        if isinstance(each, ast.FunctionDef) and each.name == function.name and not each.decorator_list:
            yield each.lineno


def forward_place(program: Program, cls: ClassValue) -> ForwardPlace | None:
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    with machine.in_module(cls.module):
        for ancestor in resolution_order(machine, cls):
            if isinstance(ancestor, ClassValue):
                value, owner = find_in_class(machine, ancestor, "forward")
                if isinstance(value, FunctionValue) and value.node is not None and isinstance(owner, ClassValue):
                    return ForwardPlace(owner.name, Location(program.printed(owner.module.path), value.node.lineno))
    return None
