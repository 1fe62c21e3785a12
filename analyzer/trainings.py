"""What a trainer trains on: its selections, each with the ids that decide it and what these come to.

A selection is entered on the ways that lead to it (``ways``); ids stand in for the values from outside that decide it. Selections that
come to the same place are one.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from .binding import RunConfig, plain
from .convention import convention
from .engine_use import Engine, compose, engine_use, taken_apart
from .entries import Entry, find_selections, find_texts, find_walks
from .exports import find_exports
from .extractions import find_extractions
from .id_sources import describe
from .interpret.ledger import Given, last_name
from .outcome import Handed, Outcome
from .request import Ids
from .results import Assumption, Evaluation, Location, NotEstablished, Status, TrainedList, Training
from .selections import flow_of
from .training import Answer, Trainer
from .ways import Failed, Found, Source, find_ways, run_with
from .wiring import every_id

JOINED = Assumption("engine-joined", "an engine hands the captured states over side by side, and the trainer feeds all of them to fc")
OTHER_VERSION = "the trainer asks for {use.name} {use.pinned}; what it captures is read in {use.version}, the source that was given"
PROBE = (1, 2, 0)
MOST_EXACT_RUNS = 6
"""Runs of one id list up to which every id is run."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a trainer: flows (empty for all), id lists (None for every id), the config of a run, an engine."""

    flows: tuple[str, ...]
    ids: tuple[Ids, ...] | None
    config: RunConfig | None
    engines: tuple[tuple[str, Engine], ...] = ()

    def engine(self, flow: str) -> Engine | None:
        """The engine, read for this flow."""
        return dict(self.engines).get(flow)


@dataclass(slots=True)
class Selected:
    """One selection, and the ways into it; ``flow`` is None where no name tells one."""

    entry: Entry
    flow: str | None
    ways: list[Found] | Failed


def trainings(trainer: Trainer, asked: Asked) -> tuple[list[Training], list[NotEstablished]]:
    """The trainings of a trainer, in order of their places; and what was left out, with the reason."""
    lines = all_selections(trainer)
    named = [(line, flow_of(line[-1], (), trainer.facts.flows)) for line in lines]
    telling = any(flow is not None for _, flow in named)
    chosen = [(line, flow) for line, flow in named if flow is not None or not telling]
    left = [left_out(trainer, line[-1]) for line, flow in named if flow is None and telling]
    made: list[Training] = []
    entered: set[object] = set()
    for line, flow in chosen:
        wanted = flow or (asked.flows or (trainer.facts.flows[0].name,))[0]
        if (asked.flows and wanted not in asked.flows) or line[-1].node in entered:
            continue
        selected = Selected(line[-1], wanted, find_ways(trainer, line, probe_of(trainer, asked)))
        made.append(Study(trainer, asked, selected, entered).training())
    made += [each for each in find_extractions(trainer.scan, trainer.facts) if not asked.flows or each.flow in asked.flows]
    return merged(made), left


def all_selections(trainer: Trainer) -> list[list[Entry]]:
    """The functions that look into a target or hand ids to an engine, each once, with the entries that lead to it."""
    words = (*trainer.facts.selections, *sorted(trainer.facts.names.setters))
    found = {line[-1].node: line for line in find_selections(trainer.scan, words)}
    for line in (*find_walks(trainer.scan, trainer.facts.names.layers), *find_texts(trainer.scan, trainer.facts.names.setters)):
        found.setdefault(line[-1].node, line)
    return sorted(found.values(), key=lambda line: (line[-1].module.path, line[-1].line))


def left_out(trainer: Trainer, entry: Entry) -> NotEstablished:
    place = Location(trainer.scan.tree.printed(entry.module.path), entry.line)
    return NotEstablished(str(entry), "it looks into a model, and no name around it says that it is for a draft of a known flow", place)


def probe_of(trainer: Trainer, asked: Asked) -> tuple[int, ...]:
    """Ids that are tried to see what decides a selection: the first that are asked for, if they can be ids of layers."""
    lists = [ids for ids in asked.ids or () if ids] or list(asked.config.lists.values() if asked.config is not None else ())
    fitting = (ids for ids in lists if all(0 <= k < trainer.num_layers for k in ids))
    return next(fitting, tuple(k for k in PROBE if k < trainer.num_layers))


# ------------------------------------------------------------------ one selection


@dataclass(slots=True)
class Study:
    """What one selection comes to. ``entered`` are the functions that ran on a way that counts."""

    trainer: Trainer
    asked: Asked
    selected: Selected
    entered: set[object]

    def training(self) -> Training:
        flow, entry, ways = self.selected.flow or "", self.selected.entry, self.selected.ways
        here = Location(self.trainer.scan.tree.printed(entry.module.path), entry.line)
        if isinstance(ways, Failed):
            place = ways.at or here
            return Training(flow, str(entry), here, None, (), "not established", ways.reason, place, (), ())
        lists = self.id_lists(ways)
        rows = [self.row(ways, source, ids) for source, ids in lists]
        trained = tuple(row for row, _, _ in rows)
        site = next((site for _, site, _ in rows if site is not None), here)
        handed = next((handed for _, _, handed in rows if handed is not None), None)
        worst = next((each for each in trained if each.evaluation.status != "established"), None)
        doubt = worst.evaluation if worst is not None else None
        package = self.trainer_engine()
        bare = self.asked.ids is None and self.asked.config is None
        used = {each.name: each for row in trained for each in row.evaluation.assumptions}
        return Training(
            flow=flow,
            symbol=str(entry),
            at=site,
            order=self.order(ways),
            convention=tuple(convention(tuple(row.evaluation for row in trained), self.trainer.num_layers)) if bare else (),
            status=doubt.status if doubt is not None else "established",
            reason=doubt.reason if doubt is not None else None,
            reason_at=doubt.reason_at if doubt is not None else None,
            assumptions=tuple(used[name] for name in sorted(used)),
            evaluated=trained,
            sources=tuple(describe(self.trainer, way, source) for way in ways[:1] for source in way.sources),
            exports=find_exports(self.trainer.scan, self.keys(flow)),
            engine=None if handed is None else engine_use(self.trainer.scan.tree.tree, package, handed, self.asked.engine(flow)),
        )

    def keys(self, flow: str) -> tuple[str, ...]:
        return next((each.keys for each in self.trainer.facts.flows if each.name == flow), ())

    def trainer_engine(self) -> str:
        return self.trainer.config.flow.package

    def id_lists(self, ways: list[Found]) -> list[tuple[Source | None, Ids]]:
        """The id lists to run, each with the source that it stands in for; None where the trainer's own values decide."""
        first = ways[0]
        if self.asked.config is not None:
            return [bound(first, self.asked.config) or (None, None)]
        source = first.sources[0] if first.sources else None
        if self.asked.ids is not None:
            return [(source, ids) for ids in self.asked.ids]
        if source is None:
            return [(None, None)]
        outcome, answer = run_with(first, source, probe_of(self.trainer, self.asked))
        every = every_id(self.trainer.num_layers)
        heavy = len(answer.outcomes) > MOST_EXACT_RUNS and outcome.handed is None
        layers = self.trainer.num_layers
        edges: tuple[Ids, ...] = (None, (-1,), (0,), (1,), (layers // 2,), (layers - 2,), (layers - 1,), (layers,))
        return [(source, ids) for ids in (edges if heavy else every)]

    # -------------------------------------------------------------- one list

    def row(self, ways: list[Found], source: Source | None, ids: Ids) -> tuple[TrainedList, Location | None, Handed | None]:
        """What one id list comes to on every way, which must agree."""
        results = [self.result(way, source, ids) for way in ways]
        first, site, handed = results[0]
        other = next((each for each, _, _ in results if said(each) != said(first)), None)
        if other is None:
            return first, site, handed
        if first.evaluation.captured is None or other.evaluation.captured is None:
            return (first if first.evaluation.captured is None else other), site, handed
        reason = f"ways into the selection differ: {', '.join(first.fc or ())} and {', '.join(other.fc or ())}"
        return open_list(replace(first.evaluation, reason_at=site), reason), site, handed

    def result(self, way: Found, source: Source | None, ids: Ids) -> tuple[TrainedList, Location | None, Handed | None]:
        if (not way.sources and ids is not None) or (source is None and self.asked.config is not None):
            return open_list(self.blank(ids), self.unbound(way, ids)), None, None
        outcomes = [run_with(way, each, ids) for each in way.sources]
        if not outcomes:
            answer = way.way.run(Given())
            outcomes = [(answer.settled()[0], answer)]
        for outcome, answer in outcomes:
            self.entered |= answer.ran if outcome.captured is not None or outcome.handed is not None else set()
        outcome, answer = next((each for each in outcomes if is_proved(each[0])), outcomes[0])
        several = ids is not None and len(way.sources) > 1
        if outcome.error is None and is_proved(outcome) and several and any(differs(way, each, ids, outcome) for each in way.sources):
            named = ", ".join(plain(each.key) for each in way.sources)
            return open_list(self.blank(ids), f"the ids may come from any of {named}, which come to different points"), None, None
        return self.listed(outcome, answer, ids)

    def unbound(self, way: Found, ids: Ids) -> str:
        """Why the ids that were given decide nothing here."""
        given = f"ids {list(ids)}" if ids is not None else str(self.asked.config.path if self.asked.config is not None else "")
        keys = f" ({', '.join(self.asked.config.lists) or 'no list of ids'})" if self.asked.config is not None else ""
        sources = ", ".join(plain(each.key) for each in way.sources)
        none = "has ids of its own in the source, as far as is seen: no caller that hands some in"
        taken = f"takes its ids from {sources}" if sources else none
        return f"{given}{keys} bind to nothing: the selection {taken}"

    def listed(self, outcome: Outcome, answer: Answer, ids: Ids) -> tuple[TrainedList, Location | None, Handed | None]:
        """The outcome of one way as a row."""
        blank = replace(self.blank(ids), path=answer.path, assumptions=assumed(answer))
        if outcome.handed is not None:
            return self.composed(outcome.handed, blank), outcome.handed.at, outcome.handed
        if outcome.captured is not None:
            recorded = outcome.recorded or outcome.captured
            return TrainedList(replace(blank, captured=recorded, status="established"), outcome.captured), outcome.site, None
        if outcome.error is not None:
            return TrainedList(replace(blank, error=outcome.error, status="established"), None), None, None
        return open_list(replace(blank, reason_at=outcome.at), outcome.reason or "no reason given"), None, None

    def composed(self, handed: Handed, blank: Evaluation) -> TrainedList:
        """What the engine makes of the ids that it is handed."""
        engine = self.asked.engine(self.selected.flow or "")
        use = engine_use(self.trainer.scan.tree.tree, self.trainer_engine(), handed, engine)
        found = compose(use, handed, engine)
        if isinstance(found, str):
            return open_list(replace(blank, reason_at=use.pinned_at if engine is None and use.pinned_at else handed.at), found)
        other = () if use.pinned in (None, use.version) else (Assumption("engine-version", OTHER_VERSION.format(use=use)),)
        named = {each.name: each for each in (*blank.assumptions, *found.assumptions, JOINED, *other)}
        both = replace(found, ids=blank.ids, path=(*blank.path, *found.path), assumptions=tuple(named[name] for name in sorted(named)))
        apart = taken_apart(self.selected.entry.module, self.trainer.scan.tree.printed)
        if apart is not None:
            return TrainedList(both, None, "the trainer may take apart what the engine hands over", apart)
        return TrainedList(both, found.captured if found.status == "established" else None, found.reason, found.reason_at)

    def blank(self, ids: Ids) -> Evaluation:
        return Evaluation(ids, self.trainer.num_layers, None, None, None, "not established", None, None, (), (), ())

    def order(self, ways: list[Found]) -> Literal["ids", "layers"] | None:
        """What the concatenation follows: other ids in another order tell."""
        layers = self.trainer.num_layers
        if layers < 5 or not ways[0].sources:
            return None
        far = layers - 2 if layers > 12 else 3
        triples = ((far, 0, 2), (0, 2, far), (2, far, 0))
        tried = {tuple(sorted(ids).index(k) for k in ids): self.quick(ways[0], ids) for ids in triples}
        straight = tried[0, 1, 2]
        if straight is None or len(straight) < 3 or list(straight[:3]) != sorted(straight[:3], key=depth):
            return None
        if all(points == straight for points in tried.values()):
            return "layers"
        moved = (points is not None and points[:3] == tuple(straight[k] for k in ids) for ids, points in tried.items())
        return "ids" if all(moved) else None

    def quick(self, way: Found, ids: tuple[int, ...]) -> tuple[str, ...] | None:
        """The points of the first run that comes to some; with an engine's setter those of the engine."""
        outcome, _ = way.way.run(Given(ways={way.sources[0].key: ids}), quick=True).settled()
        if outcome.handed is not None:
            return self.composed(outcome.handed, self.blank(ids)).fc
        return outcome.captured


def is_proved(outcome: Outcome) -> bool:
    """Whether an outcome says what is trained, or that the trainer raises."""
    return outcome.captured is not None or outcome.handed is not None or outcome.error is not None


def differs(way: Found, source: Source, ids: Ids, outcome: Outcome) -> bool:
    """Whether the same ids at another value from outside come to something else, on any way that comes to something."""
    other, _ = way.way.run(Given(ways={source.key: ids}), quick=True).settled()
    return is_proved(other) and (other.captured, other.handed) != (outcome.captured, outcome.handed)


def depth(point: str) -> int:
    """How deep in the target a point lies."""
    whole = point.partition("/")[0]
    return int(whole.removeprefix("out:")) if whole.startswith("out:") else 100_000 if whole == "final" else -1


def bound(found: Found, config: RunConfig) -> tuple[Source, Ids] | None:
    """The source that a key of the training config stands in for: by its name, or by the field that the source flows into."""
    for source in found.sources:
        for key, ids in config.lists.items():
            if last_name(source.key) == key or (source.key, key) in found.flows:
                return source, ids
    return None


def open_list(evaluation: Evaluation, reason: str) -> TrainedList:
    """A row that is not established."""
    status: Status = "not established"
    return TrainedList(replace(evaluation, captured=None, status=status, reason=reason), None, reason, evaluation.reason_at)


def said(row: TrainedList) -> tuple[object, ...]:
    return row.evaluation.captured, row.evaluation.error is None, row.fc


def assumed(answer: Answer) -> tuple[Assumption, ...]:
    return tuple(Assumption(name, answer.assumptions[name]) for name in sorted(answer.assumptions))


def merged(made: Iterable[Training]) -> list[Training]:
    """The trainings, each place once: functions that lead to one place tell the same, or nothing is established there."""
    found: dict[tuple[str, Location], Training] = {}
    for training in made:
        key = (training.flow, training.at)
        held = found.get(key)
        if held is None or (held.status != "established" and training.status == "established"):
            found[key] = training
        elif training.status == "established" and [said(row) for row in held.evaluated] != [said(row) for row in training.evaluated]:
            reason = f"{held.symbol} and {training.symbol} come to different points"
            found[key] = replace(held, status="not established", reason=reason, reason_at=training.at)
    return sorted(found.values(), key=lambda each: (each.at.file, each.at.line, each.flow))
