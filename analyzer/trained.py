"""What a draft was trained on: every selection of a trainer, and the points that they come to.

A selection is entered from the outside. Only where the functions around it do not lead to it is one further inside entered by itself.
What a selection records to files is followed into every program that reads such files.
"""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from .binding import Bound, RunConfig, bind, read_draft_ids, read_run_config, undecided
from .configs import Config, load_config
from .engine_use import Engine
from .entries import Entry, Scan, find_selections, other_writers, runs_alone
from .evaluation import Program
from .index import Index
from .interpret.code import Code
from .interpret.ledger import Given
from .judgement import NOTHING_SEEN
from .launches import Dropped, Lookup
from .results import Assumption, Location, Side, Step, TrainedList
from .target import ConfigFacts
from .trainer import TrainerIndex, open_trainer
from .training import MOST_RUNS, Answer, Budget, Trainer, Way
from .training_facts import load_training_facts
from .trainings import Asked, trainings

NOTHING = "nothing in the trainer looks into a target"
NO_SELECTION = "no selection of the trainer"


@dataclass(frozen=True, slots=True)
class Training:
    """What is known of a draft's training: the trainer's ``source``, the config of the run, the draft's own config, the engine that the
    trainer captures with."""

    source: str
    run_config: str | None
    draft: Config | None = None
    engine: Engine | None = None
    read: list[tuple[Callable[[str], str], Index]] = field(default_factory=list)
    """What was read of the trainer."""


def train_source(given: Training, program: Program, config: ConfigFacts, layers: int | None) -> Side:
    """The training side of a trainer that the user named, for the target that an engine is read for; BadInput where it cannot be read.

    The programs of the trainer are run first; where they come to nothing, the selections themselves. Where no config of a run is given,
    the draft's config is what a trainer read that asks for the ids by the key that they stand under.
    """
    tree = open_trainer(given.source)
    run = None if given.run_config is None else read_run_config(load_config(given.run_config))
    if layers is None:
        return unproved("how many layers the target has is not known: give its config with --target", Location(tree.printed(""), 1))
    facts = load_training_facts(tree.package)
    index = TrainerIndex(tree)
    given.read.append((tree.printed, index))
    trainer = Trainer(Scan(index, tree), Code(tree.printed), program.library, facts, config, layers)
    first = train(trainer, run)
    own = None
    if run is None and given.draft is not None:
        own = read_draft_ids(given.draft, program.flow.pipeline.keys, program.flow.pipeline.spellings)
    if first.points is not None:
        return first
    if own is None:
        return first_proved(first, select(renewed(trainer), program.flow.name, run, given.engine))
    by_name = by_draft(train(renewed(trainer), own))
    if by_name.points is not None:
        return by_name
    selected = by_draft(select(renewed(trainer), program.flow.name, own, given.engine))
    return by_name if (selected.reason or "").startswith(NO_SELECTION) else selected


def read_trainer(
    source: str, program: Program, configs: Mapping[str, Config], names: Sequence[str]
) -> tuple[tuple[Lookup, ...], tuple[Dropped, ...], tuple[Callable[[str], str], Index]]:
    """What the trainer looks up of these names in the configs that are in hand, and in what it makes of them; and what was read of it."""
    from .valueflow.build import make_question
    from .valueflow.reading import lookups_in

    tree = open_trainer(source)
    there = Program(TrainerIndex(tree), program.flow, Code(tree.printed), program.library, tree.printed)
    question = make_question(program.flow, configs, None)
    found = [lookups_in(there, tree.tree, question, role, names) for role in configs]
    lookups, dropped = (each for each, _ in found), (each for _, each in found)
    return tuple(chain.from_iterable(lookups)), tuple(chain.from_iterable(dropped)), (tree.printed, there.index)


def first_proved(first: Side, other: Side) -> Side:
    """The second side where it is proved, or tells more than that there is nothing; else the first."""
    tells_more = (first.reason or "").startswith(NOTHING) and not (other.reason or "").startswith(NO_SELECTION)
    return other if other.points is not None or tells_more else first


def renewed(trainer: Trainer) -> Trainer:
    """The trainer with its runs still to come."""
    return replace(trainer, budget=Budget(MOST_RUNS))


def by_draft(side: Side) -> Side:
    """A side whose ids come from the draft's config; one that they do not decide is not established by it."""
    if side.points is None or side.ids is None:
        return replace(side, points=None, status="not established")
    text = "the trainer read the ids from the config that the draft is served with, under the same key"
    return replace(side, assumptions=(*side.assumptions, Assumption("draft-config", text)))


def select(trainer: Trainer, flow: str, config: RunConfig | None, engine: Engine | None) -> Side:
    """What the selections of a flow come to, each by itself; all must come to the same."""
    engines = ((flow, engine),) if engine is not None else ()
    made, _ = trainings(trainer, Asked((flow,), (None,) if config is None else None, config, engines))
    sides = [side_of_row(training.symbol, training.at, row) for training in made for row in training.evaluated]
    sides += [unproved(training.reason or "", training.reason_at) for training in made if not training.evaluated]
    if not sides:
        return unproved(f"{NO_SELECTION} is for {flow}", Location(trainer.scan.tree.printed(""), 1))
    return agreed(sides, "the trainer has more than one selection")


def side_of_row(symbol: str, at: Location, row: TrainedList) -> Side:
    """What one selection comes to."""
    one = row.evaluation
    if row.fc is None or one.status != "established":
        reason = f"{symbol} raises {one.error}" if one.error is not None else row.fc_reason or one.reason
        return Side(None, one.ids, "not established", reason, row.fc_at or one.reason_at or at, at, one.assumptions)
    path = (*one.path, Step("selected", f"{len(row.fc)} parts", ", ".join(row.fc), at))
    return Side(row.fc, one.ids, "established", None, None, path[0].at, one.assumptions, path)


def train(trainer: Trainer, config: RunConfig | None) -> Side:
    """The points that a trainer feeds to fc. All selections must come to the same, for which one a draft was trained with is not known."""
    selections = find_selections(trainer.scan, trainer.facts.selections)
    if not selections:
        words = ", ".join(trainer.facts.selections)
        root = Location(trainer.scan.tree.printed(""), 1)
        return unproved(f"{NOTHING}: no function names {words}", root)
    study = Study(trainer, find_selections(trainer.scan, trainer.facts.loads), config)
    used: list[Side] = []
    unused: list[Side] = []
    for line in sorted(selections, key=is_unused):
        side = study.select(line)
        open_ = side.points is None
        (unused if open_ and is_unused(line) else used).append(side)
        if open_ and not is_unused(line):
            break
    return agreed(used or unused, "the trainer has more than one selection")


def agreed(sides: list[Side], otherwise: str) -> Side:
    """The one side that all come to, or why there is none."""
    doubtful = next((side for side in sides if side.points is None), None)
    if doubtful is not None:
        return doubtful
    other = next((side for side in sides if side.points != sides[0].points), None)
    if other is None:
        return sides[-1]
    shown = " and ".join(f"{', '.join(side.points or ())} ({place_of(side)})" for side in (sides[0], other))
    return unproved(f"{otherwise}: {shown}", place_of(other))


def place_of(side: Side) -> Location | None:
    """Where a side ends."""
    return side.path[-1].at if side.path else side.at


def is_unused(line: list[Entry]) -> bool:
    """Whether a selection stands in classes that nothing in the trainer names: no program of the trainer makes an object of one."""
    return all(entry.cls is not None for entry in line if not entry.called)


def unproved(reason: str, at: Location | None) -> Side:
    """A side that is not established."""
    return Side(None, None, "not established", reason, at, at)


# ------------------------------------------------------------------ one selection


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way into a selection, and what it came to."""

    answer: Answer
    side: Side

    @property
    def silent(self) -> bool:
        """Whether it ran to its end, and nothing of the target was concatenated."""
        return self.answer.ended and self.side.reason == NOTHING_SEEN


@dataclass(slots=True)
class Study:
    """The selections of one trainer; each way into them is run once."""

    trainer: Trainer
    loads: list[list[Entry]]
    config: RunConfig | None
    tried: dict[tuple[ast.AST, ...], Attempt] = field(default_factory=dict)

    def select(self, line: list[Entry]) -> Side:
        """What a selection comes to. The entries around it are tried from the outside to the inside; the first that leads to it counts,
        and one that could not be run to its end, for it may lead to it."""
        place = Location(self.trainer.scan.tree.printed(line[-1].module.path), line[-1].line)
        last = unproved(f"{line[-1]} is called on an object whose attributes others set, by nobody that is seen", place)
        for entry in line:
            if not runs_alone(self.trainer.scan, entry):
                continue
            alone = self.attempt((entry,), line[-1])
            attempts = [alone, *self.read_back(entry, line, alone)]
            loud = [each.side for each in attempts if not each.silent]
            last = located(agreed(loud, "what is recorded is concatenated in more than one way") if loud else alone.side, place)
            if loud or line[-1].node in alone.answer.ran:
                break
        return last

    def read_back(self, entry: Entry, line: list[Entry], alone: Attempt) -> Iterator[Attempt]:
        """What programs make of the files that a selection records, if it records some."""
        if not (alone.answer.recorded or (alone.answer.keys and alone.side.points is None)):
            return
        for readers in self.loads:
            for reader in readers:
                if any(reader.node is each.node for each in line) or not runs_alone(self.trainer.scan, reader):
                    continue
                found = self.attempt((entry, reader), line[-1])
                if not found.silent or readers[-1].node in found.answer.ran:
                    yield found
                    break

    def attempt(self, entries: tuple[Entry, ...], selection: Entry) -> Attempt:
        """Run one way, with the ids that are given; where it leads to the selection and is open, what the ids hang on is looked for."""
        key = tuple(entry.node for entry in entries)
        if key not in self.tried:
            self.tried[key] = self.run(Way(self.trainer, entries), selection)
        return self.tried[key]

    def run(self, way: Way, selection: Entry) -> Attempt:
        bound = bind(way, self.config)
        silent = bound.answer.ended and bound.outcome.reason == NOTHING_SEEN
        if self.config is None and bound.outcome.captured is None and not silent and selection.node in bound.answer.ran:
            open_ = undecided(way, way.run(Given(), everything_open=True))
            bound = bound if open_ is None else Bound(bound.answer, open_, None)
        side = side_of(bound, self.config)
        doubt = second_writer(self.trainer, bound.answer) if side.points is not None else None
        return Attempt(bound.answer, doubt or side)


def located(side: Side, place: Location) -> Side:
    """A side that is not established, with a place in any case."""
    if side.points is not None:
        return side
    return Side(None, None, side.status, side.reason, side.reason_at or place, side.at or place, side.assumptions)


def second_writer(trainer: Trainer, answer: Answer) -> Side | None:
    """What was loaded need not be what was saved, where other code saves something under the same key."""
    if "recorded-files" not in answer.assumptions:
        return None
    for entry in other_writers(trainer.scan, trainer.facts.saves, answer.keys, answer.ran):
        place = Location(trainer.scan.tree.printed(entry.module.path), entry.line)
        return unproved(f"{entry} may save what is loaded too, under one of {', '.join(sorted(answer.keys))}", place)
    return None


def side_of(bound: Bound, config: RunConfig | None) -> Side:
    """An answer as a side of the comparison."""
    outcome, answer = bound.outcome, bound.answer
    assumptions = tuple(Assumption(name, answer.assumptions[name]) for name in sorted(answer.assumptions))
    if outcome.captured is None:
        return Side(None, None, "not established", outcome.reason, outcome.at, outcome.at, assumptions)
    ids = config.lists[bound.key] if config is not None and bound.key is not None else None
    path = answer.path
    if bound.at is not None:
        path = (*path, Step("concatenated", f"{len(outcome.captured)} parts", ", ".join(outcome.captured), bound.at))
    return Side(outcome.captured, ids, "established", None, None, path[0].at if path else bound.at, assumptions, path)
