"""Evaluating one setter of one target class: build the model, call the setter, run the forward, read what the consumer was given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .alternatives import MAX_ANSWERS, Answered, simplest
from .flows.flow import Flow
from .index import Index
from .interpret.asking import Asking
from .interpret.code import Code
from .interpret.heap import Mark
from .interpret.machine import Consumer, Machine
from .interpret.recording import Opening
from .interpret.signals import GiveUp, NeedDecision, Raised
from .library.tables import Library
from .outcome import Outcome, call_setter, first_open, raised_outcome, read_sink, run_forward
from .results import Alternative, Assumption, Condition, Evaluation, Location, Overwritten, Status, Step
from .target import ConfigFacts
from .values import (
    ClassValue,
    FunctionValue,
    Instance,
    Unknown,
    Value,
)

MAX_RUNS = 24
"""Runs of one id list under different answers."""
MAX_KIN = 3
"""Decided conditions that differ in a number alone: what is asked of each layer is asked without end."""
MAX_DECISIONS = 6
"""Open conditions decided one after another before the result is given up."""
MAX_UNPROVED = 3
"""Id lists for which every attempt is made in vain; with more of them only the first is made."""
Ids = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Program:
    """One tree, read for one flow."""

    index: Index
    flow: Flow
    code: Code
    library: Library
    printed: Callable[[str], str]


@dataclass(slots=True)
class Model:
    """A target class built on a machine of its own, under some decided conditions."""

    machine: Machine
    instance: Instance
    mark: Mark


class Attempt(NamedTuple):
    """A way to evaluate: what constructors leave open, and whether questions that they ask are decided, one model for each answer."""

    opening: Opening
    decides_making: bool


ATTEMPTS = (Attempt("asks too much", False), Attempt("asks", True), Attempt("asks too much", True), Attempt("never", True))
"""From the cheapest: questions of constructors mostly decide nothing of the stream, and each doubles the models that are built."""


@dataclass(slots=True)
class Target:
    """One setter of one target class at one layer count."""

    program: Program
    cls: ClassValue
    setter: str
    num_layers: int
    config: ConfigFacts
    models: dict[tuple[Opening, tuple[tuple[str, bool], ...]], Model | Outcome | NeedDecision] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=lambda: list(ATTEMPTS))
    unproved: int = 0
    """Id lists of which no attempt proved anything."""

    def evaluate(self, ids: Ids) -> Evaluation:
        """All answers for one id list, by the first attempt that proves something. What helped once is tried first with the next ids."""
        best: Evaluation | None = None
        for attempt in self.attempts[: 1 if self.unproved >= MAX_UNPROVED else None]:
            run = Run(self, attempt)
            outcomes = run.explore(ids)
            found = summarise(self, ids, run, self.runnable(run, ids, outcomes))
            best = better(best, found)
            if found.status != "not established":
                self.attempts.remove(attempt)
                self.attempts.insert(0, attempt)
                break
        assert best is not None
        self.unproved += best.status == "not established"
        return best

    def runnable(self, run: Run, ids: Ids, outcomes: list[Answered]) -> list[Answered]:
        """The outcomes without those of a configuration in which the model cannot be used at all: it raises before any layer runs, and
        whatever the ids are. At least one is kept."""
        if len(outcomes) == 1:
            return outcomes
        middle = self.num_layers // 2
        other: Ids = (middle,) if ids != (middle,) else (middle - 1,)
        kept = [
            (decided, outcome)
            for decided, outcome in outcomes
            if not (outcome.before_layers and self.fails_alike(run, decided, other, outcome))
        ]
        if kept and len(kept) < len(outcomes):
            run.assumptions.add("guards")
        return kept or outcomes

    @staticmethod
    def fails_alike(run: Run, decided: dict[str, bool], ids: Ids, outcome: Outcome) -> bool:
        """Whether other ids end in the same exception."""
        try:
            return run.once(decided, ids).error == outcome.error
        except NeedDecision:
            return False

    def model(self, decided: Mapping[str, bool], *, opening: Opening) -> Model | Outcome:
        """The model built under these decisions, made once."""
        key = opening, tuple(sorted(decided.items()))
        found = self.models.get(key)
        if found is None:
            found = self.models[key] = self.build(decided, opening=opening)
        if isinstance(found, NeedDecision):
            raise found
        return found

    def build(self, decided: Mapping[str, bool], *, opening: Opening) -> Model | Outcome | NeedDecision:
        program = self.program
        machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
        machine.base_facts = dict(decided)
        machine.opening = opening
        machine.num_layers = self.num_layers
        machine.flow_folder = self.cls.module.path.rpartition("/")[0]
        machine.config_reader = self.config.reader(machine, self.num_layers)
        sink = program.flow.sink
        machine.consumer = Consumer(sink.cls, sink.method, sink.hidden, sink.captured)
        try:
            instance = construct(machine, self.cls)
        except Raised as raised:
            return Outcome(reason=f"building the model raises {raised.kind}: {raised.text}", at=raised.at)
        except GiveUp as limit:
            return Outcome(reason=limit.reason, at=limit.at)
        except NeedDecision as question:
            return question.with_traceback(None)
        return Model(machine, instance, machine.heap.mark())


def construct(machine: Machine, cls: ClassValue) -> Instance:
    """Build the model as the engine does: from its config, all else as the constructor defaults it."""
    found, _ = machine.find_in_class(cls, "__init__")
    keywords: dict[str, Value] = {}
    with machine.in_module(cls.module):
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
    """The one that proves more; of two that prove nothing the first, whose reason is nearer to the program."""
    return other if one is None or other.status != "not established" else one


def kin(key: str) -> str:
    """A condition without its numbers: one that is asked of each layer is the same."""
    return re.sub(r"\d+", "", key)


@dataclass(slots=True)
class Run:
    """The runs of one id list, one for each answer to the conditions that had to be decided."""

    target: Target
    attempt: Attempt
    assumptions: set[str] = field(default_factory=set)
    conditions: dict[str, Unknown] = field(default_factory=dict)
    trail: tuple[Step, ...] = ()
    stored: tuple[int, ...] | None = None
    latest: Asking = field(default_factory=Asking)
    asking: Asking = field(default_factory=Asking)

    def explore(self, ids: Ids) -> list[tuple[dict[str, bool], Outcome]]:
        waiting: list[dict[str, bool]] = [{}]
        done: list[tuple[dict[str, bool], Outcome]] = []
        while waiting:
            decided = waiting.pop(0)
            try:
                outcome = self.once(decided, ids)
                self.asking = self.latest
                switch = outcome.switch
                if switch is not None and len(decided) < MAX_DECISIONS and len(done) + len(waiting) < MAX_RUNS:
                    self.conditions[switch.key] = switch
                    waiting.append({**decided, switch.key: True})
                    decided = {**decided, switch.key: False}
                done.append((decided, outcome))
            except NeedDecision as need:
                condition = first_open(need.condition, decided)
                undecided = Outcome(reason=f"too many open conditions: {need.condition.key} ({need.why})", at=need.condition.at)
                if not self.attempt.decides_making and need.making:
                    return [(decided, undecided)]
                if condition is None or len(decided) >= MAX_DECISIONS or len(done) + len(waiting) >= MAX_RUNS:
                    done.append((decided, undecided))
                    continue
                if sum(kin(key) == kin(condition.key) for key in decided) >= MAX_KIN:
                    return [(decided, undecided)]
                self.conditions[condition.key] = condition
                waiting += [{**decided, condition.key: True}, {**decided, condition.key: False}]
        return done

    def once(self, decided: dict[str, bool], ids: Ids) -> Outcome:
        built = self.target.model(decided, opening=self.attempt.opening)
        if isinstance(built, Outcome):
            return built
        machine = built.machine
        known = set(machine.assumptions)
        machine.trail.clear()
        machine.made.clear()
        machine.run_clock = machine.heap.clock
        machine.steps = 0
        try:
            outcome = self.call(built, ids)
        except Raised as raised:
            outcome = raised_outcome(machine, raised)
        except GiveUp as limit:
            outcome = Outcome(reason=limit.reason, at=limit.at)
        except RecursionError:
            outcome = Outcome(reason="the program nests deeper than the analysis follows", at=machine.location())
        finally:
            machine.heap.rollback(built.mark)
            machine.frames.clear()
            machine.nesting = 0
            self.assumptions |= machine.assumptions
            machine.assumptions = known | machine.lasting
        self.trail = self.trail or tuple(machine.trail)
        return outcome

    def call(self, built: Model, ids: Ids) -> Outcome:
        machine, instance = built.machine, built.instance
        cls = self.target.cls
        machine.frames.clear()
        with machine.in_module(cls.module):
            machine.asking = self.latest = Asking()
            try:
                call_setter(machine, instance, self.target.setter, ids)
            finally:
                machine.asking = None
            run_forward(machine, self.target.program.flow, instance)
            return read_sink(machine)


def summarise(target: Target, ids: Ids, run: Run, outcomes: list[tuple[dict[str, bool], Outcome]]) -> Evaluation:
    """One evaluation out of the outcomes under each decision."""
    texts = target.program.flow.facts.texts
    assumptions = tuple(Assumption(name, texts.get(name, name)) for name in sorted(run.assumptions))
    unknown = next((o for _, o in outcomes if o.reason is not None), None) or too_many(run, outcomes)
    first = outcomes[0][1]
    status: Status = "established"
    alternatives: tuple[Alternative, ...] = ()
    if unknown is not None:
        status = "not established"
    elif any((o.captured, o.error) != (first.captured, first.error) for _, o in outcomes):
        status, alternatives = "depends", tuple(alternative(run, decided, o) for decided, o in simplest(outcomes))
    return Evaluation(
        ids=ids,
        num_layers=target.num_layers,
        layers_to_capture=stored_ids(run.trail),
        captured=first.captured if status == "established" else None,
        error=first.error if status == "established" else None,
        status=status,
        reason=unknown.reason if unknown else None,
        reason_at=unknown.at if unknown else None,
        assumptions=assumptions,
        depends_on=alternatives,
        path=run.trail,
        asked=tuple(dict.fromkeys(run.asking.conditions)),
        numbers=tuple(run.asking.numbers),
        overwritten=lost_points(outcomes, status) if status != "not established" else (),
    )


def lost_points(outcomes: list[Answered], status: Status) -> tuple[Overwritten, ...]:
    """What is lost whatever is decided, switches aside: as long as they stand as at import, or in any case."""
    if status == "established":
        return tuple(replace(each, unless=None) for each in outcomes[0][1].overwritten)
    switches = {outcome.switch.key for _, outcome in outcomes if outcome.switch is not None}
    usual = [outcome for decided, outcome in outcomes if not any(decided.get(key) for key in switches)]
    return tuple(each for each in outcomes[0][1].overwritten if all(each in outcome.overwritten for outcome in usual))


def too_many(run: Run, outcomes: list[Answered]) -> Outcome | None:
    """More different answers than say anything: the conditions that they hang on are what is not established."""
    if len({(o.captured, o.error) for _, o in outcomes}) <= MAX_ANSWERS:
        return None
    keys = ", ".join(sorted(run.conditions))
    return Outcome(reason=f"there are more than {MAX_ANSWERS} answers, by {keys[:160]}", at=next(iter(run.conditions.values())).at)


def alternative(run: Run, decided: Mapping[str, bool], outcome: Outcome) -> Alternative:
    conditions = tuple(
        Condition(key, run.conditions[key].at or Location("", 0), answer) for key, answer in decided.items() if key in run.conditions
    )
    return Alternative(conditions, outcome.captured, outcome.error)


def stored_ids(trail: tuple[Step, ...]) -> tuple[int, ...] | None:
    """The list that the setter left in the model: the last that was stored."""
    for step in reversed(trail):
        if step.label.endswith(" ="):
            return tuple(int(x) for x in step.after.strip("[]").split(", ") if x)
    return None
