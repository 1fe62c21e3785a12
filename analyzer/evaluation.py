"""Evaluating one setter of one target class: build the model, call the setter, run the forward, read what the consumer was given."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .alternatives import Answered
from .answers import summarise
from .flows.flow import Flow
from .index import Index
from .interpret.code import Code
from .interpret.machine import Consumer, Machine
from .interpret.names import module_name
from .interpret.recording import Opening
from .interpret.signals import GiveUp, MadeLate, NeedDecision, Raised
from .library.tables import Library
from .memory import collect, is_full
from .outcome import Ids, Outcome
from .results import Evaluation, Location
from .runs import ASKS_TOO_MUCH, ATTEMPTS, Attempt, Leaves, Model, Run, kin
from .steps import count
from .target import ConfigFacts
from .values import ClassValue, FunctionValue, Instance, Value

ROOM = 120_000
"""Blocks of memory that the models of a target may take for each layer."""
MAX_UNPROVED = 2
"""Id lists for which every attempt is made in vain; with more of them only the first is made."""


@dataclass(frozen=True, slots=True)
class Program:
    """One tree, read for one flow."""

    index: Index
    flow: Flow
    code: Code
    library: Library
    printed: Callable[[str], str]


@dataclass(slots=True)
class Built:
    """What was built of one target class, for all its setters: its models, which attempts helped, the answers under which it was run last,
    and the conditions that constructors asked: they are decided before a model is built. ``punctual``: the classes of parts that must not
    be made late. ``barren``: the attempts that proved nothing of some id list: they are not made again to prove more than another does."""

    models: dict[tuple[Opening, tuple[tuple[str, bool], ...]], Model | Outcome | NeedDecision] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=lambda: list(ATTEMPTS))
    leaves: dict[Attempt, Leaves] = field(default_factory=dict)
    of_making: set[str] = field(default_factory=set)
    punctual: set[ast.ClassDef | None] = field(default_factory=set)
    barren: set[Attempt] = field(default_factory=set)


@dataclass(slots=True)
class Target:
    """One setter of one target class at one layer count."""

    program: Program
    cls: ClassValue
    setter: str
    num_layers: int
    config: ConfigFacts
    blocks: int = field(default_factory=sys.getallocatedblocks)
    """Blocks of memory that were in use before anything was built."""
    built: Built = field(default_factory=Built)
    through: dict[Attempt, bool] = field(default_factory=dict)
    unproved: int = 0
    """Id lists of which no attempt proved all."""

    @property
    def attempts(self) -> list[Attempt]:
        return self.built.attempts

    @property
    def leaves(self) -> dict[Attempt, Leaves]:
        return self.built.leaves

    @property
    def of_making(self) -> set[str]:
        return self.built.of_making

    def beside(self, other: Target) -> Target:
        """This target, with what was built for another setter of its class. Where that proved little, only the first attempt is made."""
        self.built, self.unproved = other.built, other.unproved
        return self

    @property
    def flow(self) -> Flow:
        return self.program.flow

    def evaluate(self, ids: Ids) -> Evaluation:
        """All answers for one id list, by the first attempt that proves something. What helped once is tried first with the next ids."""
        count("evaluations")
        best: Evaluation | None = None
        settled: set[Attempt] = set()
        failed: set[tuple[str, Location | None]] = set()
        for attempt in self.attempts[: 1 if self.unproved >= MAX_UNPROVED else None]:
            if attempt.rebuilds and best is not None and attempt._replace(rebuilds=False) in settled:
                continue
            if best is not None and proves(best) and attempt in self.built.barren:
                continue
            run = Run(self, attempt)
            outcomes = [(decided, self.behind_guards(attempt, outcome)) for decided, outcome in run.explore(ids)]
            found = summarise(run.seen, self.num_layers, self.program.flow.facts.texts, ids, self.runnable(run, ids, outcomes), run.whole)
            self.make_room(attempt)
            again = best is not None and proves(best) == proves(found) == 1
            if not proves(found):
                self.built.barren.add(attempt)
            best = better(best, found)
            if self.of_making.issuperset(run.seen.conditions):
                settled.add(attempt)
            if best is found:
                self.attempts.remove(attempt)
                self.attempts.insert(0, attempt)
            if again or proves(found) == 2 or (run.failed and fails_again(found, failed)):
                break
        assert best is not None
        self.unproved += proves(best) < 2
        self.forget_models(best)
        return best

    def make_room(self, attempt: Attempt) -> None:
        """Where memory grows, drop the models of other ways to evaluate."""
        if is_full(self.blocks, self.num_layers * ROOM):
            self.built.models = {key: model for key, model in self.built.models.items() if key[0] == attempt.opening}
            self.blocks = collect()

    def forget_models(self, best: Evaluation) -> None:
        """Drop the models of attempts that are not likely to be made again."""
        if self.unproved >= MAX_UNPROVED or proves(best) == 2:
            self.built.models = {key: model for key, model in self.built.models.items() if key[0] == self.attempts[0].opening}

    def behind_guards(self, attempt: Attempt, outcome: Outcome) -> Outcome:
        """The outcome; where the program raises itself behind guards that were passed over, only if other ids get through: else one of
        those guards may have come first."""
        if not outcome.guarded or self.gets_through(attempt):
            return outcome
        return Outcome(reason=f"it may raise {outcome.error}, and a guard before it may raise too", at=outcome.at)

    def gets_through(self, attempt: Attempt) -> bool:
        """Whether an id in the middle is captured, in some configuration."""
        known = self.through.get(attempt)
        if known is None:
            answers = Run(self, attempt).explore((self.num_layers // 2,))
            known = self.through[attempt] = any(outcome.captured for _, outcome in answers)
        return known

    def runnable(self, run: Run, ids: Ids, outcomes: list[Answered]) -> list[Answered]:
        """The outcomes without those of a configuration in which the model cannot be used at all: it raises before any layer runs, and
        whatever the ids are. At least one is kept."""
        if len(outcomes) == 1:
            return outcomes
        other: Ids = (0,) if ids is None else None
        kept = [
            (decided, outcome)
            for decided, outcome in outcomes
            if not (outcome.before_layers and self.fails_alike(run, decided, other, outcome))
        ]
        if kept and len(kept) < len(outcomes):
            run.seen.assumptions.add("guards")
        return kept or outcomes

    @staticmethod
    def fails_alike(run: Run, decided: dict[str, bool], ids: Ids, outcome: Outcome) -> bool:
        """Whether other ids end in the same exception."""
        try:
            return run.once(decided, ids).error == outcome.error
        except NeedDecision:
            return False

    def model(self, decided: Mapping[str, bool], attempt: Attempt) -> Model | Outcome:
        """The model built under these decisions, made once; those that a run asked take part only where the attempt rebuilds."""
        before = {k: answer for k, answer in decided.items() if attempt.rebuilds or k in self.of_making}
        key = attempt.opening, tuple(sorted(before.items()))
        found = self.built.models.get(key)
        if found is None:
            found = self.built.models[key] = self.build(before, opening=attempt.opening)
        if isinstance(found, NeedDecision):
            raise found
        return found

    def build(self, decided: Mapping[str, bool], *, opening: Opening) -> Model | Outcome | NeedDecision:
        program = self.program
        machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
        machine.base_facts = dict(decided)
        machine.opening, machine.punctual = opening, self.built.punctual
        machine.num_layers = self.num_layers
        machine.flow_folder = self.cls.module.path.rpartition("/")[0]
        machine.config_reader = self.config.reader(machine, self.num_layers)
        sink = program.flow.sink
        machine.consumer = None if sink.returned is not None else Consumer(sink.cls, sink.method, sink.hidden, sink.captured)
        try:
            instance = construct(machine, self.cls)
        except MadeLate as late:
            return self.build(decided, opening=opening) if self.in_time(late) else Outcome(reason=late.reason, at=late.at)
        except Raised as raised:
            return Outcome(reason=f"building the model raises {raised.kind}: {raised.text}", at=raised.at)
        except GiveUp as limit:
            return Outcome(reason=limit.reason, at=limit.at)
        except NeedDecision as question:
            question.building = True
            return question.with_traceback(None)
        machine.heap.order.starts()
        return Model(machine, instance, machine.heap.mark())

    def in_time(self, late: MadeLate) -> bool:
        """From here on these classes are made in time; False where they were. No model is kept: what was made too late stays in it."""
        self.built.models.clear()
        before = len(self.built.punctual)
        self.built.punctual.update(late.classes)
        return len(self.built.punctual) > before


def construct(machine: Machine, cls: ClassValue) -> Instance:
    """Build the model as the engine does: from its config, all else as the constructor defaults it."""
    keywords: dict[str, Value] = {}
    with machine.in_module(cls.module):
        here = module_name(machine, cls.module, cls.name)  # of this machine: what its bodies hold must not be another's
        cls = here if isinstance(here, ClassValue) and here.node is cls.node else cls
        found, _ = machine.find_in_class(cls, "__init__")
        if isinstance(found, FunctionValue) and found.node is not None:
            code = machine.code.function(found.module, found.node)
            for parameter in code.parameters[1:]:
                if parameter.kind in ("star", "star-star") or parameter.default is not None:
                    continue
                machine_value = machine.unknown(parameter.name, "an argument of the model's constructor", not_none=True)
                keywords[parameter.name] = machine_value
            machine.assume("defaults")
        instance = machine.call(cls, (), keywords)
        if not isinstance(instance, Instance):
            raise GiveUp(f"{cls.name} does not build an object", machine.location())
        machine.root = instance
        machine.construct(instance)
    return instance


def better(one: Evaluation | None, other: Evaluation) -> Evaluation:
    """The one that proves more; of two that prove nothing the one that came to an end, whose reason is nearer to the stream, else the
    first, whose reason is nearer to the program."""
    if one is None or proves(other) > proves(one):
        return other
    return other if proves(one) == 0 and asks_too_much(one) and not asks_too_much(other) else one


def proves(evaluation: Evaluation) -> int:
    """How much an evaluation proves: nothing, something for some configs, or what there is to prove."""
    if evaluation.status == "not established":
        return 0
    return 1 if any(each.reason is not None for each in evaluation.depends_on) else 2


def fails_again(evaluation: Evaluation, failed: set[tuple[str, Location | None]]) -> bool:
    """Whether an attempt comes to a reason that another came to: what constructors leave open has nothing to do with it."""
    if evaluation.status != "not established":
        return False
    reason = kin(evaluation.reason or ""), evaluation.reason_at
    known = reason in failed
    failed.add(reason)
    return known and not asks_too_much(evaluation)


def asks_too_much(evaluation: Evaluation) -> bool:
    return (evaluation.reason or "").startswith(ASKS_TOO_MUCH)


