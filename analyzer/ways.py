"""The ways into a selection: programs that lead to it, else the life of the object in which it stands.

A way counts where it comes to points, or hands ids to an engine, with the ids that the trainer has or with some that stand in for values
from outside.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from .binding import CONFLICTS, Probe, plain
from .entries import Entry, find_selections, may_be_absent, runs_alone
from .interpret.ledger import Given, last_name
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
        if search.final:
            break
        known = any(same_entries(life.before, before) for before in befores)
        inside = bool(search.found) and (not is_program(life) or life.before[0].called)
        if known or (inside and any(is_program(each) for each in search.lives)):
            continue
        search.try_life(life)
        if search.found:
            befores.append(life.before)
        if len(search.found) >= MOST_WAYS:
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
    lives: list[Life] = field(default_factory=list)
    """Those that were found to count."""
    failed: Failed | None = None
    final: bool = False
    """A program from outside leads to more than one answer: what is inside of it is not asked."""

    def try_life(self, life: Life) -> None:
        """Run its methods; where the target is not run by one of them, it runs in between."""
        way = Way(self.trainer, (*life.before, *life.after))
        opened = way.run(Given(), everything_open=True, quick=True)
        runs = opened.walked or any(outcome.handed is not None for outcome, _ in opened.outcomes)
        if not runs and (life.after or any(entry.cls is not None for entry in life.before)):
            way = Way(self.trainer, (*life.before, RUN, *life.after))
            opened = way.run(Given(), everything_open=True, quick=True)
        if self.line[-1].node not in opened.ran | (way.run(Given()).ran if self.line[-1].node not in opened.ran else set()):
            return
        probe, before = Probe(way, self.probe), len(self.found)
        self.note(way, opened, probe)
        if probe.recorded:
            self.try_readers(way.stages, before)
        if len(self.found) > before:
            self.lives.append(life)

    def try_readers(self, stages: tuple[Stage, ...], before: int) -> None:
        """The stages with the program that reads what they leave: what it makes of the records counts, not what was recorded."""
        for entries in find_selections(self.trainer.scan, self.trainer.facts.loads):
            if any(entries[-1].node is each.node for each in self.line):
                continue
            for life in islice(candidates(self.trainer, entries), MOST_READERS):
                if any(stage in stages for stage in (*life.before, *life.after)):
                    continue
                way = Way(self.trainer, (*stages, *life.before, *life.after))
                opened = way.run(Given(), everything_open=True, quick=True)
                if entries[-1].node not in opened.ran:
                    continue
                probe = Probe(way, self.probe)
                if self.note(way, opened, probe):
                    del self.found[before:-1]
                    return
                if probe.uses_records and len(self.found) > before:
                    del self.found[before:]
                    self.failed = self.failed or Failed(f"what {entries[-1]} makes of the records is not understood", None)
                    return

    def note(self, way: Way, opened: Answer, probe: Probe) -> bool:
        """Keep a way that comes to something; whether it does."""
        sources = tuple(Source(key, opened.asked[key]) for key in probe.deciding(opened))
        closed = None
        if not sources:
            answer = way.run(Given())
            closed, _ = answer.settled()
            probe.recorded |= answer.recorded
            probe.uses_records |= "recorded-files" in answer.assumptions
        if closed is None or closed.captured is not None or closed.handed is not None:
            self.found.append(Found(way, sources, opened.flows))
            return True
        conflict = probe.conflict or (closed if closed.reason is not None and closed.reason.startswith(CONFLICTS) else None)
        if conflict is not None and all(isinstance(stage, str) or not stage.called for stage in way.stages):
            self.failed, self.final = Failed(conflict.reason or "", conflict.at), True
        if closed.reason != NOTHING_SEEN and self.failed is None:
            self.failed = Failed(closed.reason or "no reason given", closed.at)
        return False


def run_with(found: Found, source: Source, ids: tuple[int, ...] | None) -> tuple[Outcome, Answer]:
    """What a way comes to with ids in the place of a source; with None, what it comes to where none are given."""
    if ids is not None:
        answer = found.way.run(Given(ways={source.key: ids}))
        return answer.settled()[0], answer
    own = found.way.run(Given())
    closed, _ = own.settled()
    if closed.captured is not None or (closed.handed is not None and closed.handed.known):
        return closed, own
    return run_absent(found, own)


def run_absent(found: Found, own: Answer) -> tuple[Outcome, Answer]:
    """What a way comes to where what the trainer asks for is left out: what its source says that it is then, an empty list or None."""
    scan = found.way.trainer.scan
    names = {name for each in found.sources if (name := last_name(each.key)) is not None}
    allowed = [absent for absent in ((), None) if all(may_be_absent(scan, name, absent) for name in names)]
    passed = [each for each in found.sources if any(found.way.passes_to(stage, each.key) for stage in found.way.stages)]
    tried: list[tuple[Outcome, Answer]] = []
    for absent in () if passed else allowed:
        given = Given(dict.fromkeys(names, absent), dict.fromkeys((each.key for each in found.sources), absent))
        answer = found.way.run(given)
        answer.assumptions["absent-ids"] = answer.texts.get("absent-ids", "absent-ids")
        tried.append((answer.settled()[0], answer))
    trained = [each for each in tried if each[0].captured or each[0].handed is not None]
    if len({(outcome.captured, outcome.handed) for outcome, _ in trained}) > 1:
        return Outcome(reason="an empty list of ids and none at all come to different points"), own
    keys = ", ".join(plain(each.key) for each in found.sources)
    nothing = Outcome(reason=f"the ids come from {keys}, which nothing in the trainer decides", at=found.sources[0].at)
    return next(iter(trained), (nothing, own))
