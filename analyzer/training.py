"""The training side: run a trainer from where it is entered to what it concatenates, and name the captured points.

A trainer is entered at functions of which nothing calls them, with arguments of which nothing is known. Where the ids come from, and
how a training config stands in for them, is told in ``trained``.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from .entering import enter, note_returned, run_handed_target
from .entries import Entry, Scan, is_made_somewhere, passed_to
from .interpret.code import Code
from .interpret.ledger import Given, Ledger
from .interpret.machine import Machine
from .interpret.signals import GiveUp, MadeLate, NeedDecision, Raised
from .judgement import judge_run
from .library.tables import Library
from .lifecycle import worker_with
from .outcome import Outcome, first_open
from .results import Location, Step
from .target import ConfigFacts
from .trainer import MODEL_PRINTED
from .training_facts import TrainingFacts
from .values import DictValue

MAX_RUNS = 16
"""Runs of one way into a trainer under different answers to open conditions."""
MOST_RUNS = 400
"""Runs of one trainer in all."""
MAX_DECISIONS = 5
MAX_QUICK = 10
"""Runs in which something is looked for that counts."""
RELEASES = "layers_return_tuples"
"""The condition on the release of transformers: both answers are always followed."""


RUN: Literal["run"] = "run"
"""Here the target runs, if nothing before has run it."""
Stage: TypeAlias = "Entry | Literal['run']"


@dataclass(slots=True)
class Budget:
    """The runs that are left for one trainer."""

    left: int = MOST_RUNS


@dataclass(frozen=True, slots=True)
class Trainer:
    """A trainer, read for a target of which the layer count is known."""

    scan: Scan
    code: Code
    library: Library
    facts: TrainingFacts
    config: ConfigFacts
    num_layers: int
    budget: Budget = field(default_factory=Budget)
    punctual: set[ast.ClassDef | None] = field(default_factory=set)
    """The classes of parts that must not be made late."""

    def machine(self, decided: Mapping[str, bool], given: Given, everything_open: bool, roots: frozenset[str]) -> tuple[Machine, Ledger]:
        """A fresh machine for one run."""
        machine = Machine(self.scan.index, self.facts.facts, self.scan.tree.printed, self.code, self.library)
        machine.base_facts = dict(decided)
        machine.num_layers, machine.punctual = self.num_layers, self.punctual
        machine.config_reader = self.config.reader(machine, self.num_layers, plain=not self.config.values)
        ledger = machine.keep_ledger(given, everything_open=everything_open)
        ledger.names, ledger.known_roots, ledger.workers = self.facts.names, roots, partial(worker_with, self.scan)
        return machine, ledger


@dataclass(slots=True)
class Way:
    """One way into a trainer: functions that are run one after the other, as programs that hand files on."""

    trainer: Trainer
    stages: tuple[Stage, ...]
    roots: set[str] = field(default_factory=set)
    """Where a target was found that the trainer is handed."""
    answers: dict[tuple[str, bool, bool], Answer] = field(default_factory=dict)
    """What was run before, by what was given."""
    passes: dict[ast.AST, frozenset[str]] = field(default_factory=dict)

    def run(self, given: Given, *, everything_open: bool = False, quick: bool = False) -> Answer:
        """What is concatenated, under every answer to the conditions that stay open; one that is not established ends it.

        Where a target is found on the way, it is run again, so that the target's other parts are known from the start. ``quick``: only
        until one run comes to something.
        """
        key = (repr(given), everything_open, quick)
        if key not in self.answers:
            known = set(self.roots)
            answer = self.run_once(given, everything_open, quick)
            self.answers[key] = answer if self.roots == known else self.run_once(given, everything_open, quick)
        return self.answers[key]

    def run_once(self, given: Given, everything_open: bool, quick: bool) -> Answer:
        answer = Answer(texts=self.trainer.facts.facts.texts)
        waiting: list[dict[str, bool]] = [{RELEASES: True}, {RELEASES: False}]
        runs = 0
        while waiting:
            decided, runs = waiting.pop(0), runs + 1
            try:
                outcome, _ = self.decided(answer, decided, given, everything_open)
            except NeedDecision as need:
                condition = first_open(need.condition, decided)
                if condition is not None and len(decided) <= MAX_DECISIONS and len(answer.outcomes) + len(waiting) < MAX_RUNS:
                    more = [{**decided, condition.key: True}, {**decided, condition.key: False}]
                    waiting = [*more, *waiting] if quick else [*waiting, *more]
                    if not quick or runs < MAX_QUICK:
                        continue
                answer.outcomes.append((Outcome(reason=f"too many open conditions: {need.condition.key}", at=need.condition.at), None))
                break
            something = outcome.captured is not None or outcome.handed is not None
            if (quick and something) or not (something or outcome.error is not None or outcome.silent):
                break
        return answer

    def decided(
        self, answer: Answer, decided: Mapping[str, bool], given: Given, everything_open: bool
    ) -> tuple[Outcome, Location | None]:
        """One run under some answers, noted in the answer."""
        self.trainer.budget.left -= 1
        machine, ledger = self.trainer.machine(decided, given, everything_open, frozenset(self.roots))
        try:
            outcome, at = self.once(machine, ledger, decided)
        except NeedDecision:
            answer.look(ledger)
            answer.ended = False
            raise
        except MadeLate as late:
            if not self.trainer.punctual.issuperset(late.classes):
                self.trainer.punctual.update(late.classes)
                return self.decided(answer, decided, given, everything_open)
            outcome, at = Outcome(reason=late.reason, at=late.at), None
        finally:
            self.roots |= ledger.roots
        answer.add(machine, ledger, outcome, at)
        return outcome, at

    def passed(self, entry: Entry) -> frozenset[str]:
        """The parameters of a method that is entered from outside which calls on objects that are not known pass."""
        if entry.cls is None or len(self.stages) == 1:
            return frozenset()
        if entry.node not in self.passes:
            self.passes[entry.node] = passed_to(self.trainer.scan, entry)
        return self.passes[entry.node]

    def passes_to(self, stage: Stage, name: str) -> bool:
        """Whether somewhere a call of a stage passes this parameter."""
        if isinstance(stage, str) or isinstance(stage.node, ast.Module):
            return False
        arguments = stage.node.args
        own = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        return name in self.passed(stage) or (stage.called and name in own)

    def once(self, machine: Machine, ledger: Ledger, decided: Mapping[str, bool]) -> tuple[Outcome, Location | None]:
        """One run. A training that raised has trained nothing, but only what the trainer itself raises, and what one of the releases of
        transformers makes raise, is sure to: all else under an open condition may be a fault of the analysis."""
        if self.trainer.budget.left < 0:
            return Outcome(reason=f"more than {MOST_RUNS} runs of parts of the trainer"), None
        if any(not isinstance(stage, str) and stage.cls is not None and not stage.called for stage in self.stages):
            machine.assume("lifecycle")
        try:
            for stage in self.stages:
                if stage == RUN:
                    run_handed_target(machine, self.trainer.scan)
                    continue
                answer = enter(
                    machine, stage, everything_open=ledger.open, is_made=is_made_somewhere(self.trainer.scan, stage),
                    passed=self.passed(stage),
                )  # fmt: skip
                if not stage.called and not stage.is_constructor:
                    note_returned(machine, stage, answer)
            return judge_run(machine, ledger)
        except Raised as raised:
            sure = raised.explicit or not decided.keys() - {RELEASES}
            if sure:
                return Outcome(error=str(raised), at=raised.at), None
            return Outcome(reason=f"it may raise {raised.kind}: {raised.text}", at=raised.at), None
        except MadeLate:
            raise
        except GiveUp as limit:
            return Outcome(reason=limit.reason, at=limit.at), None
        except RecursionError:
            return Outcome(reason="the program nests deeper than the analysis follows", at=machine.location()), None


@dataclass(slots=True)
class Answer:
    """What the runs of one way came to."""

    outcomes: list[tuple[Outcome, Location | None]] = field(default_factory=list)
    assumptions: dict[str, str] = field(default_factory=dict)
    path: tuple[Step, ...] = ()
    asked: dict[str, Location | None] = field(default_factory=dict)
    flows: set[tuple[str, str]] = field(default_factory=set)
    ran: set[ast.AST] = field(default_factory=set)
    ended: bool = True
    walked: bool = False
    """Whether the target ran."""
    recorded: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    """The keys under which something was saved to a file."""

    def add(self, machine: Machine, ledger: Ledger, outcome: Outcome, at: Location | None) -> None:
        self.outcomes.append((outcome, at))
        texts = machine.supposed.texts
        self.assumptions |= {name: texts.get(name, name) for name in (*machine.assumptions, *machine.lasting)}
        self.look(ledger)
        self.ended &= ledger.ended
        self.recorded |= ledger.recorded
        self.keys |= saved_keys(machine)
        if outcome.captured is not None and not self.path:
            self.path = cleaned(machine.trail)

    def look(self, ledger: Ledger) -> None:
        """Note what came from outside, also in a run that was not brought to its end."""
        self.asked |= ledger.asked
        self.flows |= ledger.flows
        self.walked |= bool(ledger.log["walks"])
        self.ran |= ledger.ran

    def settled(self) -> tuple[Outcome, Location | None]:
        """The one outcome of all runs. A run that raises has trained nothing, so it is left out where another one does not raise."""
        alive = [each for each in self.outcomes if each[0].error is None] or self.outcomes[:1]
        loud = [each for each in alive if not each[0].silent]
        if loud and len(loud) < len(alive):
            self.assumptions.setdefault("silent-runs", self.texts.get("silent-runs", "silent-runs"))
            alive = loud
        if any(outcome.error is not None for outcome, _ in self.outcomes):
            self.assumptions.setdefault("guards", self.texts.get("guards", "guards"))
        first = next((each for each in alive if each[0].reason is not None), alive[0])
        if first[0].error is not None:
            return Outcome(error=first[0].error, reason=f"the trainer raises {first[0].error}", at=first[0].at), None
        different = next((each for each in alive if each[0].captured != first[0].captured or each[0].handed != first[0].handed), None)
        if first[0].handed is not None and different is not None:
            return Outcome(reason="which ids are handed to the engine's setter hangs on an open condition", at=first[0].at), None
        if first[0].reason is None and different is not None:
            texts = [", ".join(outcome.captured or ()) for outcome, _ in (first, different)]
            return Outcome(reason=f"it hangs on an open condition: {texts[0]} or {texts[1]}", at=first[1]), None
        return first


def saved_keys(machine: Machine) -> set[str]:
    """The keys of all records that were saved."""
    records = [entry[1] for entry in machine.noted_entries("saved") if isinstance(entry, tuple)]
    held = [machine.entries(record) or () for record in records if isinstance(record, DictValue)]
    return {key for entries in held for key, _ in entries if isinstance(key, str)}


def cleaned(trail: list[Step]) -> tuple[Step, ...]:
    """The trail without the hops inside the model of transformers, each once."""
    return tuple(dict.fromkeys(step for step in trail if step.at.file != MODEL_PRINTED))
