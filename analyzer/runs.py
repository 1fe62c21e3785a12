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
from .interpret.signals import GiveUp, MadeLate, NeedDecision, Raised
from .outcome import Ids, Outcome, call_setter, first_open, raised_outcome, read_answer, run_forward
from .values import ClassValue, Instance, Unknown

MAX_RUNS = 24
"""Runs of one id list under different answers."""
MAX_KIN = 3
"""Decided conditions that differ in a number alone: what is asked of each layer is asked without end."""
MAX_DECISIONS = 6
"""Open conditions decided one after another before the result is given up."""
MOST_TOLD = 2
"""Answers by which is told what is given up."""
MAX_GIVEN_UP = 2
"""Answers of which nothing is proved, beside others of which something is."""
ASKS_TOO_MUCH = "too many open conditions"


class Attempt(NamedTuple):
    """A way to evaluate: what constructors leave open, whether questions that they ask are decided, one model for each answer, and whether
    those that a run asks are decided by a model of their own too, or only for the run. ``outermost``: of a question that is asked under
    other open ones, the first of those is decided first."""

    opening: Opening
    decides_making: bool
    rebuilds: bool
    outermost: bool = False


ATTEMPTS = (
    Attempt("asks too much", False, False),
    Attempt("asks", True, False),
    Attempt("asks too much", False, True),
    Attempt("asks", True, True),
    Attempt("asks too much", True, True),
    Attempt("never", True, True),
    Attempt("asks", True, True, True),
)
"""From the cheapest: questions of constructors mostly decide nothing of the stream, and each doubles the models that are built."""


class Leaves(NamedTuple):
    """The answers under which the last id list was run, and the conditions that they answer. The next is run under them at once: whatever
    it would have asked, one of them holds."""

    answers: tuple[dict[str, bool], ...]
    conditions: dict[str, Unknown]
    given_up: tuple[dict[str, bool], ...]


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
    def in_time(self, late: MadeLate) -> bool: ...


def kin(key: str) -> str:
    """A condition without its numbers: one that is asked of each layer is the same."""
    return re.sub(r"\d+", "", key)


def is_of_config(key: str) -> bool:
    """Whether a condition is one on the model's config."""
    return re.search(r"(?<![\w.])config\b", key) is not None and "#" not in key


@dataclass(slots=True)
class Run:
    """The runs of one id list, one for each answer to the conditions that had to be decided."""

    target: Models
    attempt: Attempt
    seen: Seen = field(default_factory=Seen)
    latest: Asking = field(default_factory=Asking)
    switches: set[str] = field(default_factory=set)
    given_up: list[dict[str, bool]] = field(default_factory=list)
    hopeless: tuple[dict[str, bool], ...] = ()
    """Answers of which nothing was proved for the last id list: what they ask now is not decided further."""
    failed: bool = False
    """Whether a model was run, and nothing was proved of it."""
    endless: bool = False
    """Whether conditions were asked that differ in a number alone, and no end of them. A model for each answer is no way then; the
    outermost of the conditions that they are asked under may be one."""
    whole: bool = True
    """Whether every answer was run, or given up for a config that can be told."""

    def explore(self, ids: Ids) -> list[Answered]:
        """The outcome for each answer. Where one proves nothing, all that shares its first answers is given up with it, for the configs
        that they tell; ``whole`` says whether each other answer was run."""
        waiting = self.start()
        done: list[Answered] = []
        while waiting:
            decided = waiting.pop(0)
            try:
                outcome = self.once(decided, ids)
                self.seen.asking = self.latest
                switch = outcome.switch
                if switch is not None and self.has_room(decided, len(done) + len(waiting)):
                    self.seen.conditions[switch.key] = switch
                    self.switches.add(switch.key)
                    waiting.append({**decided, switch.key: True})
                    decided = {**decided, switch.key: False}
            except NeedDecision as need:
                condition = self.askable(need, decided, len(done) + len(waiting))
                if condition is not None:
                    self.seen.conditions[condition.key] = condition
                    waiting[:0] = [{**decided, condition.key: True}, {**decided, condition.key: False}]
                    continue
                outcome = Outcome(reason=f"{ASKS_TOO_MUCH}: {need.condition.key} ({need.why})", at=need.condition.at)
            if outcome.reason is not None:
                decided, waiting, done = self.give_up(decided, waiting, done)
                self.whole = self.whole and not (self.endless and self.attempt.rebuilds and not self.attempt.outermost)
            done.append((decided, outcome))
            if not self.whole:
                return done
        self.keep(done)
        return done

    def give_up(
        self, decided: dict[str, bool], waiting: list[dict[str, bool]], done: list[Answered]
    ) -> tuple[dict[str, bool], list[dict[str, bool]], list[Answered]]:
        """The answers of which nothing is proved, and what is left of the others."""
        region = dict(list(decided.items())[:MOST_TOLD])
        self.given_up.append(region)
        self.whole = len(region) > 0 and all(map(is_of_config, region)) and len(self.given_up) <= MAX_GIVEN_UP
        others = [each for each in waiting if not region.items() <= each.items()]
        return region, others, [(each, outcome) for each, outcome in done if not region.items() <= each.items()]

    def start(self) -> list[dict[str, bool]]:
        """The answers to start with."""
        leaves = self.target.leaves.get(self.attempt)
        if leaves is None:
            return [{}]
        self.seen.conditions.update(leaves.conditions)
        self.hopeless = leaves.given_up
        return [dict(each) for each in leaves.answers]

    def keep(self, done: list[Answered]) -> None:
        """Keep the answers for the next id list, if what they answer is not about this one: a switch is, and what is numbered in a run."""
        answers = dict.fromkeys(tuple((k, answer) for k, answer in decided.items() if k not in self.switches) for decided, _ in done)
        keys = list(dict.fromkeys(key for each in answers for key, _ in each))
        if keys and not any("#" in key for key in keys):
            conditions = {key: self.seen.conditions[key] for key in keys}
            self.target.leaves[self.attempt] = Leaves(tuple(map(dict, answers)), conditions, tuple(self.given_up))

    def askable(self, need: NeedDecision, decided: dict[str, bool], runs: int) -> Unknown | None:
        """The condition to decide next; None where there is none, or no end of them."""
        outer = [each for each in reversed(need.under) if each.key not in decided and not each.parts] if self.attempt.outermost else []
        condition = outer[0] if outer else first_open(need.condition, decided)
        if condition is None or (need.making and not self.attempt.decides_making) or decided in self.hopeless:
            return None
        if need.making or need.building:
            self.target.of_making.add(condition.key)
        asked_before = sum(kin(key) == kin(condition.key) for key in decided)
        self.endless |= asked_before >= MAX_KIN
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
        machine.loops.clear()
        machine.made.clear()
        machine.run_clock = machine.heap.clock
        machine.steps = 0
        again = False
        try:
            self.suppose(machine, decided)
            outcome = self.call(built, ids)
        except MadeLate as late:
            again, outcome = self.target.in_time(late), Outcome(reason=late.reason, at=late.at)
        except Raised as raised:
            outcome = raised_outcome(machine, raised)
        except GiveUp as limit:
            outcome = Outcome(reason=limit.reason, at=limit.at)
        except RecursionError:
            outcome = Outcome(reason="the program nests deeper than the analysis follows", at=machine.location())
        finally:
            machine.heap.rollback(built.mark)
            machine.heap.order.forget_run()
            machine.frames.clear()
            machine.nesting = 0
            self.seen.assumptions |= machine.assumptions
            self.seen.branched |= {key: at for key, at in machine.noticed.branched.items() if key not in self.seen.branched}
            machine.assumptions = known | machine.lasting
        if again:
            return self.once(decided, ids)
        if any(machine.built_under.get(key, answer) is not answer for key, answer in decided.items() if key not in machine.base_facts):
            outcome = Outcome(reason="the program may raise while the model is built for such a config", at=outcome.at)
        self.seen.trail = self.seen.trail or tuple(machine.trail)
        self.seen.loops = self.seen.loops or tuple(dict.fromkeys(machine.loops))
        self.failed |= outcome.reason is not None
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
                call_setter(machine, instance, self.target.setter, ids, self.target.flow.defaults)
            finally:
                machine.asking = None
            answer = run_forward(machine, self.target.flow, instance)
            return read_answer(machine, self.target.flow, answer)
