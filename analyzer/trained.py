"""What a draft was trained on: every selection of a trainer, the ids that it takes, and the points that they come to.

The ids come from wherever the trainer reads them. A training config stands in for them where one of its keys is the name by which the
trainer asks, or that of a parameter or attribute which the asked-for value reaches unchanged; whether it decides the selection is put
to the test with other ids.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .configs import Config, load_config
from .entries import Entry, find_selections, other_writers, runs_alone
from .evaluation import Program
from .interpret.code import Code
from .interpret.recording import Gift, Given, last_name
from .json_text import Json, Path
from .outcome import Outcome
from .results import Assumption, Location, Side, Step
from .target import ConfigFacts
from .trainer import TrainerIndex, open_trainer
from .training import Answer, Trainer, Way
from .training_facts import load_training_facts
from .values import MISSING

SERIAL = re.compile(r"#\d+")
"""The numbers that tell unknown values of one kind apart."""
MOST_WAYS = 24
"""Values from outside that are tried for one key of the config."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The config of a training run: what it gives by key, the lists of ids among that, and where each of these stands.

    A key that stands in it more than once with different values, or with a value of another kind, gives MISSING.
    """

    path: str
    values: Mapping[str, Gift] = field(default_factory=dict)
    lists: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    places: Mapping[str, Location] = field(default_factory=dict)

    def step(self, key: str) -> Step:
        """The hop that the ids of a key begin with."""
        return Step("the training config", key, f"[{', '.join(map(str, self.lists[key]))}]", self.places[key])


def read_run_config(config: Config) -> RunConfig:
    """What a training config gives, at any depth, each by its last key."""
    values: dict[str, Gift] = {}
    places: dict[str, Location] = {}
    for path, value in leaves(dict(config.values), ()):
        key, gift = str(path[-1]), gift_of(value)
        same = key not in values or (type(values[key]) is type(gift) and values[key] == gift)
        values[key] = gift if same else MISSING
        places[key] = Location(config.path_printed, config.line_of(*path))
    return RunConfig(config.path_printed, values, {key: gift for key, gift in values.items() if isinstance(gift, tuple)}, places)


def leaves(value: dict[str, Json], path: Path) -> Iterator[tuple[Path, Json]]:
    """All that stands under a key and is no object itself."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from leaves(inner, (*path, key))
        else:
            yield (*path, key), inner


def gift_of(value: Json) -> Gift:
    """A value as a trainer is given it."""
    if isinstance(value, list):
        numbers = tuple(each for each in value if isinstance(each, int) and not isinstance(each, bool))
        return numbers if value and len(numbers) == len(value) else MISSING
    return MISSING if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class Bound:
    """An answer, and the config's key that decides it; ``key`` is None where the trainer's own values do."""

    answer: Answer
    outcome: Outcome
    at: Location | None
    key: str | None = None


# ------------------------------------------------------------------ selections


def train_source(source: str, run_config: str | None, program: Program, config: ConfigFacts, layers: int | None) -> Side:
    """The training side of a trainer that the user named, for the target that an engine is read for; BadInput where it cannot be read."""
    tree = open_trainer(source)
    run = None if run_config is None else read_run_config(load_config(run_config))
    if layers is None:
        place = Location(tree.printed(""), 1)
        return unproved("how many layers the target has is not known: give its config with --target", place)
    facts = load_training_facts(tree.package)
    trainer = Trainer(tree, TrainerIndex(tree), Code(tree.printed), program.library, facts, config, layers)
    return train(trainer, run)


def train(trainer: Trainer, config: RunConfig | None) -> Side:
    """The points that a trainer feeds to fc. All selections must come to the same, for which one a draft was trained with is not known."""
    selections = find_selections(trainer.index, trainer.tree, trainer.facts.selections)
    if not selections:
        words = ", ".join(trainer.facts.selections)
        return unproved(f"nothing in the trainer looks into a target: no function names {words}", Location(trainer.tree.printed(""), 1))
    loads = find_selections(trainer.index, trainer.tree, trainer.facts.loads)
    answers = [(line, select(trainer, line, loads, config)) for line in selections]
    used = [side for line, side in answers if side.points is not None or not is_unused(line)]
    sides = used or [side for _, side in answers]
    doubtful = next((side for side in sides if side.points is None), None)
    if doubtful is not None:
        return doubtful
    other = next((side for side in sides if side.points != sides[0].points), None)
    if other is not None:
        shown = " and ".join(f"{', '.join(side.points or ())} ({side.at})" for side in (sides[0], other))
        return unproved(f"the trainer has more than one selection: {shown}", other.at)
    return sides[0]


def is_unused(line: list[Entry]) -> bool:
    """Whether a selection stands in classes that nothing in the trainer names: no program of the trainer makes an object of one."""
    return all(entry.cls is not None for entry in line if not entry.called)


def unproved(reason: str, at: Location | None) -> Side:
    """A side that is not established."""
    return Side(None, None, "not established", reason, at, at)


def select(trainer: Trainer, line: list[Entry], loads: list[list[Entry]], config: RunConfig | None) -> Side:
    """The first way from the outside to the inside that is established; else why the most promising one is not."""
    reasons: list[Side] = []
    for entries in ways(line, loads):
        if not all(runs_alone(trainer.index, trainer.tree, entry) for entry in entries):
            continue
        bound = bind(Way(trainer, entries), config)
        side = side_of(trainer, bound, config)
        if side.points is not None and (doubt := second_writer(trainer, bound.answer)) is not None:
            side = doubt
        if side.points is not None:
            return side
        reasons.append(side)
    place = Location(trainer.tree.printed(line[-1].module.path), line[-1].line)
    if not reasons:
        return unproved(f"{line[-1]} is called on an object whose attributes others set, by nobody that is seen", place)
    first = next((side for side in reasons if side.reason_at is not None), reasons[0])
    if config is None and (open_ := undecided(Way(trainer, (line[0],)))) is not None:
        return open_
    return Side(None, None, "not established", first.reason, first.reason_at or place, first.at or place, first.assumptions)


def undecided(way: Way) -> Side | None:
    """The side of a selection of which the ids come from outside, where they do."""
    asked = way.run(Given(), everything_open=True)
    sources = deciding(way, asked, tuple(range(min(3, way.trainer.num_layers))))
    if not sources:
        return None
    place = next((asked.asked[source] for source in sources if asked.asked[source] is not None), None)
    return unproved(f"the ids come from {', '.join(map(plain, sources))}, which nothing in the trainer decides: give --train-config", place)


def second_writer(trainer: Trainer, answer: Answer) -> Side | None:
    """What was loaded need not be what was saved, where other code saves something under the same key."""
    if "recorded-files" not in answer.assumptions:
        return None
    for entry in other_writers(trainer.index, trainer.tree, trainer.facts.saves, answer.keys, answer.ran):
        place = Location(trainer.tree.printed(entry.module.path), entry.line)
        return unproved(f"{entry} may save what is loaded too, under one of {', '.join(sorted(answer.keys))}", place)
    return None


def ways(line: list[Entry], loads: list[list[Entry]]) -> Iterator[tuple[Entry, ...]]:
    """A program that selects, alone or followed by one that reads what was recorded."""
    for entry in line:
        yield (entry,)
        for readers in loads:
            for reader in readers:
                if reader.node is not entry.node and not any(reader.node is each.node for each in line):
                    yield entry, reader


# -------------------------------------------------------------------- binding


def bind(way: Way, config: RunConfig | None) -> Bound:
    """Run a way with the ids that the config gives, where one is given and decides the selection."""
    if config is None:
        answer = way.run(Given())
        return Bound(answer, *answer.settled())
    named = decided_by_name(way, config)
    if named is not None:
        return named
    asked = way.run(Given(), everything_open=True)
    found = [bound for key in config.lists for bound in decided_by_flow(way, config, key, asked)]
    if found:
        other = next((each for each in found if each.outcome.captured != found[0].outcome.captured), None)
        if other is None:
            return found[0]
        return Bound(found[0].answer, Outcome(reason=f"the ids reach the selection in two ways that differ: {config.path}"), None)
    return Bound(asked, unbound(way, config, asked), None)


def decided_by_name(way: Way, config: RunConfig) -> Bound | None:
    """The answer where the trainer asks for the config's keys by their names."""
    given = Given(names=config.values, steps={key: config.step(key) for key in config.lists})
    answer = way.run(given)
    outcome, at = answer.settled()
    for key in config.lists:
        if outcome.captured is not None and decides(way, given, {key: config.lists[key]}, {}, outcome):
            return Bound(answer, outcome, at, key)
    return None


def decided_by_flow(way: Way, config: RunConfig, key: str, asked: Answer) -> Iterator[Bound]:
    """The answers where a value from outside reaches a parameter or attribute that is called like the key."""
    for source in [source for source in asked.asked if (source, key) in asked.flows][:MOST_WAYS]:
        given = Given(others(config), {source: config.lists[key]}, {source: config.step(key)})
        answer = way.run(given)
        outcome, at = answer.settled()
        if outcome.captured is not None and decides(way, given, {}, {source: config.lists[key]}, outcome):
            yield Bound(answer, outcome, at, key)


def others(config: RunConfig) -> dict[str, Gift]:
    """What a config gives besides lists of ids."""
    return {key: gift for key, gift in config.values.items() if key not in config.lists}


def decides(way: Way, given: Given, names: Mapping[str, tuple[int, ...]], sources: Mapping[str, tuple[int, ...]], outcome: Outcome) -> bool:
    """Whether other ids in the same place come to something else."""
    limit = way.trainer.num_layers

    def moved(ids: tuple[int, ...]) -> tuple[int, ...]:
        return tuple((k + 1) % limit for k in ids)

    changed = Given(
        {**given.names, **{name: moved(ids) for name, ids in names.items()}},
        {**given.ways, **{source: moved(ids) for source, ids in sources.items()}},
        given.steps,
    )
    other, _ = way.run(changed).settled()
    return other.captured != outcome.captured


def unbound(way: Way, config: RunConfig, asked: Answer) -> Outcome:
    """The config decides nothing: what the selection hangs on instead."""
    keys = ", ".join(config.lists) or "no list of ids"
    probe = next(iter(config.lists.values()), (0,))
    sources = deciding(way, asked, probe)
    taken = f"takes its ids from {', '.join(map(plain, sources))}" if sources else "takes its ids from nothing that a config could give"
    place = next((asked.asked[source] for source in sources), None)
    return Outcome(reason=f"{config.path} ({keys}) binds to nothing: the selection {taken}", at=place or Location(config.path, 1))


def deciding(way: Way, asked: Answer, probe: tuple[int, ...]) -> list[str]:
    """The values from outside that decide what is selected."""
    return [source for source in list(asked.asked)[:MOST_WAYS] if last_name(source) is not None and reaches(way, source, probe)]


def plain(source: str) -> str:
    """A value from outside as a message names it."""
    return SERIAL.sub("", source)


def reaches(way: Way, source: str, probe: tuple[int, ...]) -> bool:
    """Whether ids that stand in for a value from outside decide what is selected."""
    given = Given({}, {source: probe})
    outcome, _ = way.run(given).settled()
    return outcome.captured is not None and decides(way, given, {}, {source: probe}, outcome)


# --------------------------------------------------------------------- results


def side_of(trainer: Trainer, bound: Bound, config: RunConfig | None) -> Side:
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
