"""Where the ids of a trainer come from, and how the config of a run stands in for them.

The ids come from wherever the trainer reads them. A training config stands in for them where one of its keys is the name by which the
trainer asks, or that of a parameter or attribute which the asked-for value reaches unchanged; whether it decides the selection is put
to the test with other ids.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .configs import Config
from .interpret.ledger import Gift, Given, last_name
from .json_text import Json, Path
from .judgement import HANDED_TWICE, MORE_THAN_ONE, NOTHING_SEEN, UNEVEN
from .outcome import Outcome
from .results import Location, Step
from .training import Answer, Way
from .values import MISSING

SERIAL = re.compile(r"#\d+")
"""The numbers that tell unknown values of one kind apart."""
LIKELY, POSSIBLE, ANY = range(3)
IDS = re.compile(r"layer_?(ids|idx|ind|num)|layers?_(to|for)|(aux|feature|capture|target|hidden)\w*_layers?|capture_ids", re.IGNORECASE)
LAYERS = re.compile(r"layer|ids|idx|capture|aux", re.IGNORECASE)
UNLIKELY = re.compile(r"^(num|n|start|end|first|last|max|min|input|position|token|vocab)_|norm|size|dim|path|type", re.IGNORECASE)
"""Names of what may be a list of layer ids, and of what is none."""
CONFLICTS = (MORE_THAN_ONE, UNEVEN, HANDED_TWICE)
MOST_TRIED = {LIKELY: 12, POSSIBLE: 8, ANY: 8}
MOST_SOURCES = 24
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


def read_draft_ids(config: Config, keys: Sequence[str], spellings: Sequence[str]) -> RunConfig | None:
    """The ids of a draft's own config, by the flow's keys; None where it names none, under whatever spelling. All else in it says
    nothing of a training. A key that stands in it twice gives none."""
    whole = read_run_config(config)
    lists = {key: ids for key, ids in whole.lists.items() if key in keys}
    named = any(key in whole.values for key in (*keys, *spellings))
    return replace(whole, values=dict(lists), lists=lists) if named else None


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


def bind(way: Way, config: RunConfig | None) -> Bound:
    """Run a way with the ids that the config gives, where one is given and decides the selection."""
    if config is None:
        answer = way.run(Given())
        return Bound(answer, *answer.settled())
    named = bound_by_name(way, config)
    if named.key is not None or named.outcome.reason == NOTHING_SEEN:
        return named
    asked = way.run(Given(), everything_open=True)
    tried = [bound for key in config.lists for bound in bound_by_flow(way, config, key, asked)]
    found = [bound for bound in tried if bound.key is not None]
    if found:
        return undisputed(way, config, asked, found)
    if named.outcome.captured is None and {last_name(source) for source in asked.asked} & config.lists.keys():
        return named
    failed = next((bound for bound in tried if bound.outcome.captured is None), None)
    return failed or Bound(asked, unbound(way, config, asked), None)


def undisputed(way: Way, config: RunConfig, asked: Answer, found: list[Bound]) -> Bound:
    """The first answer, where every other value from outside that the ids may have been meant for comes to the same points."""
    first = found[0]
    assert first.key is not None
    rivals = deciding(way, asked, config.lists[first.key], others(config))
    if all(captured == first.outcome.captured for captured in (*rivals.values(), *(each.outcome.captured for each in found))):
        return first
    named = ", ".join(map(plain, rivals))
    return Bound(first.answer, Outcome(reason=f"{config.path} may give any of {named}, which come to different points"), None)


def bound_by_name(way: Way, config: RunConfig) -> Bound:
    """The answer where the trainer asks for the config's keys by their names, with the key that decides it, if one does."""
    given = Given(names=config.values, steps={key: config.step(key) for key in config.lists})
    answer = way.run(given)
    outcome, at = answer.settled()
    for key in config.lists:
        if outcome.captured is not None and decides(way, given, {key: config.lists[key]}, {}, outcome):
            return Bound(answer, outcome, at, key)
    return Bound(answer, outcome, at)


def bound_by_flow(way: Way, config: RunConfig, key: str, asked: Answer) -> Iterator[Bound]:
    """The answers where a value from outside reaches a parameter or attribute called like the key; with the key where it decides."""
    for source in [source for source in asked.asked if (source, key) in asked.flows][:MOST_SOURCES]:
        given = Given(others(config), {source: config.lists[key]}, {source: config.step(key)})
        answer = way.run(given)
        outcome, at = answer.settled()
        decide = outcome.captured is not None and decides(way, given, {}, {source: config.lists[key]}, outcome)
        yield Bound(answer, outcome, at, key if decide else None)


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
    sources = deciding(way, asked, probe, others(config))
    taken = f"takes its ids from {', '.join(map(plain, sources))}" if sources else "takes its ids from nothing that a config could give"
    place = next((asked.asked[source] for source in sources), None)
    return Outcome(reason=f"{config.path} ({keys}) binds to nothing: the selection {taken}", at=place or Location(config.path, 1))


def deciding(way: Way, asked: Answer, probe: tuple[int, ...], besides: Mapping[str, Gift]) -> dict[str, tuple[str, ...]]:
    """The values from outside that decide what is selected, each with what these ids come to there."""
    found: dict[str, tuple[str, ...]] = {}
    for source in list(asked.asked)[:MOST_SOURCES]:
        captured = reached(way, source, probe, besides) if last_name(source) is not None else None
        if captured is not None:
            found[source] = captured
    return found


@dataclass(slots=True)
class Probe:
    """Ids that stand in for values from outside, to see which of these decide a selection. ``recorded``: some led to a record of captured
    points."""

    way: Way
    ids: tuple[int, ...]
    recorded: bool = False
    uses_records: bool = False
    """Records were loaded that were saved on the way."""
    conflict: Outcome | None = None
    """An outcome that says that there is more than one answer."""

    def deciding(self, asked: Answer) -> list[str]:
        """The values that decide what is selected, or handed to an engine; the likely ones first."""
        named = [(source, name) for source in asked.asked if (name := last_name(source)) is not None]
        for rank in (LIKELY, POSSIBLE, ANY):
            sources = [source for source, name in named if ranked(name) is rank]
            found = [source for source in sources[: MOST_TRIED[rank]] if self.decides(source)]
            if found or self.recorded:
                return found
        return []

    def decides(self, source: str) -> bool:
        """Whether the selection follows the ids that stand in for a value."""
        moved = tuple((k + 1) % self.way.trainer.num_layers for k in self.ids)
        answer = self.way.run(Given(ways={source: self.ids}), quick=True)
        self.recorded |= answer.recorded
        self.uses_records |= "recorded-files" in answer.assumptions
        first, _ = answer.settled()
        if first.reason is not None and first.reason.startswith(CONFLICTS):
            self.conflict = first
        if not comes_to_something(first):
            return False
        other, _ = self.way.run(Given(ways={source: moved}), quick=True).settled()
        return (first.captured, first.handed) != (other.captured, other.handed)


def ranked(name: str) -> int:
    """How likely a name is that of a list of layer ids."""
    if UNLIKELY.search(name):
        return ANY
    return LIKELY if IDS.search(name) else POSSIBLE if LAYERS.search(name) else ANY


def comes_to_something(outcome: Outcome) -> bool:
    """Whether points are selected, or known ids are handed to an engine."""
    return outcome.captured is not None or (outcome.handed is not None and outcome.handed.ids is not None)


def plain(source: str) -> str:
    """A value from outside as a message names it."""
    return SERIAL.sub("", source)


def reached(way: Way, source: str, probe: tuple[int, ...], besides: Mapping[str, Gift]) -> tuple[str, ...] | None:
    """What ids come to that stand in for a value from outside, where they decide what is selected."""
    given = Given(besides, {source: probe})
    outcome, _ = way.run(given).settled()
    decide = outcome.captured is not None and decides(way, given, {}, {source: probe}, outcome)
    return outcome.captured if decide else None


def undecided(way: Way, asked: Answer) -> Outcome | None:
    """What the ids hang on where they come from outside, and no config is given."""
    sources = deciding(way, asked, tuple(range(min(3, way.trainer.num_layers))), {})
    if not sources:
        return None
    place = next((asked.asked[source] for source in sources if asked.asked[source] is not None), None)
    named = ", ".join(map(plain, sources))
    return Outcome(reason=f"the ids come from {named}, which nothing in the trainer decides: give --train-config", at=place)
