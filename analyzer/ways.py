"""The ways into a selection: programs that lead to it, else the life of the object in which it stands.

A way counts where it comes to points, or hands ids to an engine, with the ids that the trainer has or with some that stand in for values
from outside.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from .binding import Probe
from .entries import Entry, find_selections, runs_alone
from .interpret.recording import Given, last_name
from .judgement import NOTHING_SEEN
from .lifecycle import Life, lives
from .outcome import Outcome
from .results import Location
from .training import RUN, Answer, Stage, Trainer, Way

MOST_READERS = 3
"""Ways into a program that reads records."""
MOST_WAYS = 4
"""Ways into one selection that must agree."""


@dataclass(frozen=True, slots=True)
class Source:
    """A value from outside that decides a selection: the key by which the trainer asks for it, and where."""

    key: str
    at: Location | None


@dataclass(frozen=True, slots=True)
class Found:
    """A way that counts. ``sources`` decide it; where there are none, the trainer's own values do. ``flows`` are the names that values
    from outside are bound to."""

    way: Way
    sources: tuple[Source, ...]
    flows: set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Failed:
    """Why no way counts."""

    reason: str
    at: Location | None


def find_ways(trainer: Trainer, line: list[Entry], probe: tuple[int, ...]) -> list[Found] | Failed:
    """The ways into the last of these entries, which selects; or why none comes to something."""
    search = Search(trainer, line, probe)
    befores: list[tuple[Entry, ...]] = []
    for life in candidates(trainer, line):
        if any(same_entries(life.before, before) for before in befores):
            continue
        search.try_life(life)
        if search.found:
            befores.append(life.before)
        if search.found and (is_program(life) or len(search.found) >= MOST_WAYS):
            break
    place = Location(trainer.scan.tree.printed(line[-1].module.path), line[-1].line)
    nothing = Failed(f"no way into {line[-1]} is seen on which hidden states of the target are concatenated", place)
    return search.found or search.failed or nothing


def candidates(trainer: Trainer, line: list[Entry]) -> Iterator[Life]:
    """What may be run to come to a selection: a program alone, or the life of an object."""
    for entry in line:
        if not entry.is_constructor and runs_alone(trainer.scan, entry) and not is_prepared(trainer, entry):
            yield Life((entry,), ())
    for entry in reversed(line):
        yield from lives(trainer.scan, entry)


def same_entries(a: tuple[Entry, ...], b: tuple[Entry, ...]) -> bool:
    return len(a) == len(b) and all(one.node is other.node for one, other in zip(a, b, strict=True))


def is_program(life: Life) -> bool:
    """Whether it is entered once, from outside."""
    return len(life.before) == 1 and not life.after


def is_prepared(trainer: Trainer, entry: Entry) -> bool:
    """Whether other methods of the object set what this one reads."""
    return any(len(life.before) > 1 for life in lives(trainer.scan, entry))


@dataclass(slots=True)
class Search:
    """The ways into one selection that were tried."""

    trainer: Trainer
    line: list[Entry]
    probe: tuple[int, ...]
    found: list[Found] = field(default_factory=list)
    failed: Failed | None = None

    def try_life(self, life: Life) -> None:
        """Run its methods; where the target is not run by one of them, it runs in between."""
        way = Way(self.trainer, (*life.before, *life.after))
        opened = way.run(Given(), everything_open=True, quick=True)
        runs = opened.walked or any(outcome.handed is not None for outcome, _ in opened.outcomes)
        if not runs and (life.after or any(entry.cls is not None for entry in life.before)):
            way = Way(self.trainer, (*life.before, RUN, *life.after))
            opened = way.run(Given(), everything_open=True, quick=True)
        if self.line[-1].node not in opened.ran:
            return
        probe = Probe(way, self.probe)
        if not self.note(way, opened, probe) and probe.recorded:
            self.try_readers(way.stages)

    def try_readers(self, stages: tuple[Stage, ...]) -> None:
        """The stages with each program that reads what they leave."""
        for entries in find_selections(self.trainer.scan, self.trainer.facts.loads):
            if any(entry.node is each.node for entry in entries for each in self.line):
                continue
            for life in islice(candidates(self.trainer, entries), MOST_READERS):
                way = Way(self.trainer, (*stages, *life.before, *life.after))
                opened = way.run(Given(), everything_open=True, quick=True)
                if entries[-1].node in opened.ran and self.note(way, opened, Probe(way, self.probe)):
                    return

    def note(self, way: Way, opened: Answer, probe: Probe) -> bool:
        """Keep a way that comes to something; whether it does."""
        sources = tuple(Source(key, opened.asked[key]) for key in probe.deciding(opened))
        closed = None
        if not sources:
            answer = way.run(Given())
            closed, _ = answer.settled()
            probe.recorded |= answer.recorded
        if closed is None or closed.captured is not None or closed.handed is not None:
            self.found.append(Found(way, sources, opened.flows))
            return True
        if closed.reason != NOTHING_SEEN and self.failed is None:
            self.failed = Failed(closed.reason or "no reason given", closed.at)
        return False


def run_with(found: Found, source: Source, ids: tuple[int, ...] | None) -> tuple[Outcome, Answer]:
    """What a way comes to with ids in the place of a source; with None, what it comes to where none are given anywhere."""
    if ids is not None:
        answer = found.way.run(Given(ways={source.key: ids}))
        return answer.settled()[0], answer
    tried: list[tuple[Outcome, Answer]] = []
    for absent in ((), None):
        names = dict.fromkeys((name for each in found.sources if (name := last_name(each.key)) is not None), absent)
        answer = found.way.run(Given(names, dict.fromkeys((each.key for each in found.sources), absent)))
        tried.append((answer.settled()[0], answer))
        answer.assumptions["absent-ids"] = answer.texts.get("absent-ids", "absent-ids")
    trained = [each for each in tried if each[0].captured or each[0].handed is not None]
    if len({(outcome.captured, outcome.handed) for outcome, _ in trained}) > 1:
        return Outcome(reason="an empty list of ids and none at all come to different points"), trained[0][1]
    return next(iter(trained), tried[-1])
