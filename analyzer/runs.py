"""Running one id list on a target's models: once for each answer to the conditions that have to be decided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from .alternatives import Answered
from .answers import Seen
from .flows.flow import Flow
from .interpret.asking import Asking
from .interpret.heap import Mark
from .interpret.machine import Machine
from .interpret.recording import Opening
from .interpret.signals import GiveUp, NeedDecision, Raised
from .outcome import Ids, Outcome, call_setter, first_open, raised_outcome, read_sink, run_forward
from .values import ClassValue, Instance, Unknown

MAX_RUNS = 24
"""Runs of one id list under different answers."""
MAX_KIN = 3
"""Decided conditions that differ in a number alone: what is asked of each layer is asked without end."""
MAX_DECISIONS = 6
"""Open conditions decided one after another before the result is given up."""
ASKS_TOO_MUCH = "too many open conditions"


class Attempt(NamedTuple):
    """A way to evaluate: what constructors leave open, whether questions that they ask are decided, one model for each answer, and whether
    those that a run asks are decided by a model of their own too, or only for the run."""

    opening: Opening
    decides_making: bool
    rebuilds: bool


ATTEMPTS = (
    Attempt("asks too much", False, False),
    Attempt("asks too much", False, True),
    Attempt("asks", True, True),
    Attempt("asks too much", True, True),
    Attempt("never", True, True),
)
"""From the cheapest: questions of constructors mostly decide nothing of the stream, and each doubles the models that are built."""


class Leaves(NamedTuple):
    """The answers under which the last id list was run, and the conditions that they answer. The next is run under them at once: whatever
    it would have asked, one of them holds."""

    answers: tuple[dict[str, bool], ...]
    conditions: dict[str, Unknown]


@dataclass(slots=True)
class Model:
    """A target class built on a machine of its own, under some decided conditions."""

    machine: Machine
    instance: Instance
    mark: Mark


class Models(Protocol):
    """One setter of a target class, and its models: what a run needs of it, and keeps there for the next."""

    @property
    def flow(self) -> Flow: ...
    @property
    def cls(self) -> ClassValue: ...
    @property
    def setter(self) -> str: ...
    @property
    def of_making(self) -> set[str]: ...
    @property
    def leaves(self) -> dict[Attempt, Leaves]: ...
    def model(self, decided: Mapping[str, bool], attempt: Attempt) -> Model | Outcome: ...


def kin(key: str) -> str:
    """A condition without its numbers: one that is asked of each layer is the same."""
    return re.sub(r"\d+", "", key)


@dataclass(slots=True)
class Run:
    """The runs of one id list, one for each answer to the conditions that had to be decided."""

    target: Models
    attempt: Attempt
    seen: Seen = field(default_factory=Seen)
    latest: Asking = field(default_factory=Asking)

    def explore(self, ids: Ids) -> list[Answered]:
        """The outcome for each answer; of one that proves nothing no other is asked for."""
        waiting = self.start()
        done: list[Answered] = []
        switches: set[str] = set()
        while waiting and not any(outcome.reason for _, outcome in done):
            decided = waiting.pop(0)
            try:
                outcome = self.once(decided, ids)
                self.seen.asking = self.latest
                switch = outcome.switch
                if switch is not None and self.has_room(decided, len(done) + len(waiting)):
                    self.seen.conditions[switch.key] = switch
                    switches.add(switch.key)
                    waiting.append({**decided, switch.key: True})
                    decided = {**decided, switch.key: False}
                done.append((decided, outcome))
            except NeedDecision as need:
                condition = self.askable(need, decided, len(done) + len(waiting))
                if condition is None:
                    reason = f"{ASKS_TOO_MUCH}: {need.condition.key} ({need.why})"
                    done.append((decided, Outcome(reason=reason, at=need.condition.at)))
                    continue
                self.seen.conditions[condition.key] = condition
                waiting += [{**decided, condition.key: True}, {**decided, condition.key: False}]
        if not waiting:
            self.keep(done, switches)
        return done

    def start(self) -> list[dict[str, bool]]:
        """The answers to start with."""
        leaves = self.target.leaves.get(self.attempt)
        if leaves is None:
            return [{}]
        self.seen.conditions.update(leaves.conditions)
        return [dict(each) for each in leaves.answers]

    def keep(self, done: list[Answered], switches: set[str]) -> None:
        """Keep the answers for the next id list, if what they answer is not about this one: a switch is, and what is numbered in a run."""
        answers = dict.fromkeys(tuple((k, answer) for k, answer in decided.items() if k not in switches) for decided, _ in done)
        keys = list(dict.fromkeys(key for each in answers for key, _ in each))
        if keys and not any("#" in key for key in keys):
            self.target.leaves[self.attempt] = Leaves(tuple(map(dict, answers)), {key: self.seen.conditions[key] for key in keys})

    def askable(self, need: NeedDecision, decided: dict[str, bool], runs: int) -> Unknown | None:
        """The condition to decide next; None where there is none, or no end of them."""
        condition = first_open(need.condition, decided)
        if condition is None or (need.making and not self.attempt.decides_making):
            return None
        if need.making or need.building:
            self.target.of_making.add(condition.key)
        asked_before = sum(kin(key) == kin(condition.key) for key in decided)
        return condition if self.has_room(decided, runs) and asked_before < MAX_KIN else None

    @staticmethod
    def has_room(decided: dict[str, bool], runs: int) -> bool:
        """Whether another condition may be decided."""
        return len(decided) < MAX_DECISIONS and runs < MAX_RUNS

    def once(self, decided: dict[str, bool], ids: Ids) -> Outcome:
        built = self.target.model(decided, self.attempt)
        if isinstance(built, Outcome):
            return built
        machine = built.machine
        known = set(machine.assumptions)
        machine.trail.clear()
        machine.made.clear()
        machine.run_clock = machine.heap.clock
        machine.steps = 0
        try:
            self.suppose(machine, decided)
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
            self.seen.assumptions |= machine.assumptions
            machine.assumptions = known | machine.lasting
        self.seen.trail = self.seen.trail or tuple(machine.trail)
        return outcome

    def suppose(self, machine: Machine, decided: Mapping[str, bool]) -> None:
        """Answer for this run what the model was not built under."""
        for key, answer in decided.items():
            if key not in machine.base_facts:
                machine.suppose(self.seen.conditions[key], answer)

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
            run_forward(machine, self.target.flow, instance)
            return read_sink(machine)
