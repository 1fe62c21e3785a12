"""Which id list reaches a target's setter for a given draft config: the way from the key to the setter."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .configs import Config, architectures_of, load_config
from .evaluation import Program, Target
from .json_text import Json
from .other_ways import Overlaid
from .request import ids_text
from .results import Assumption, DefaultInEffect, Entry, Location, Status, Step, Width
from .source import SourceTree
from .target import ConfigFacts
from .wiring import DEFAULT_LAYERS, Found

if TYPE_CHECKING:
    from .graph import Edge
    from .valueflow.build import Given, Reading

LONGEST_VALUE = 80
"""Characters of a config's value that are told."""


@dataclass(frozen=True, slots=True)
class ServedIds:
    """The ids that a setter is given for a draft config; None stands for the default where ``status`` is established.

    ``entry`` is the line of the config that they stand in, ``path`` leads from there to the setter. ``assumptions`` are those that the
    way rests on, ``widths`` the input widths of the draft's projections, where its config tells them. ``default`` is there where something
    stands in for ids that the engine does not find.
    """

    ids: tuple[int, ...] | None
    status: Status
    reason: str | None
    reason_at: Location | None
    entry: Location | None
    path: tuple[Step, ...]
    assumptions: tuple[Assumption, ...] = ()
    widths: tuple[Width, ...] = ()
    default: DefaultInEffect | None = None
    overlaid: Overlaid | None = None
    staged: Location | None = None


Served: TypeAlias = Callable[[Program, Found, Config, ConfigFacts], ServedIds]
"""Finds the ids that a setter is given."""


def server(tree: SourceTree, target: str | None) -> Served:
    """Follows the ids in this tree; ``target`` is the path of the target's config."""

    def served(program: Program, found: Found, draft: Config, config: ConfigFacts) -> ServedIds:
        configs = {"draft": draft} | ({"target": load_config(target)} if target is not None else {})
        return served_ids(program, tree, found, configs, config)

    return served


def served_ids(program: Program, tree: SourceTree, found: Found, configs: Mapping[str, Config], config: ConfigFacts) -> ServedIds:
    """The ids that this target's setter is given. Never a guess: a list in the config that nobody is seen to read reaches nobody, and of
    two calls that give different ids none is taken for the one that counts."""
    from .valueflow.build import read_ids  # networkx is imported only where a way is followed

    target = Target(program, found.cls, found.setter, DEFAULT_LAYERS, config)
    reading = read_ids(program, tree, target, found, configs, architectures_of(configs["draft"]))
    setter = Location(program.printed(found.function.module.path), found.function.node.lineno if found.function.node else 1)
    entry, path = entry_of(reading.path), tuple(steps_of(reading.path))
    if not reading.given:
        return ServedIds(None, "not established", f"no call of {found.setter} from outside the models is seen", setter, entry, path)
    unknown = next((call for call in reading.given if not call.known), None)
    if unknown is not None:
        return ServedIds(None, "not established", f"what {found.setter} is given here is not known", unknown.at, entry, path)
    first, last = reading.given[0], reading.given[-1]
    other = next((call for call in reversed(reading.given) if call.ids != last.ids), None)
    if other is not None:
        others = f"{ids_text(last.ids)} here and {ids_text(other.ids)} at {other.at}"
        reason = f"{found.setter} is given {others}; which of them a run keeps is not followed"
        return ServedIds(None, "not established", reason, last.at, entry, path)
    if reading.gap is not None:
        return ServedIds(None, "not established", reading.gap.reason, reading.gap.at, entry, path)
    default = default_in_effect(program, reading, configs["draft"])
    if default is not None:
        path = (*path, *default_steps(default, reading.given[-1]))
    texts = program.flow.facts.texts
    supposed = reading.assumptions | (frozenset() if default is None else {"unfollowed-calls"})  # they may have found ids that are not seen
    assumptions = tuple(Assumption(name, texts.get(name, name)) for name in sorted(supposed))
    stages = (reading.overlaid, reading.staged)
    return ServedIds(first.ids, "established", None, None, entry, path, assumptions, reading.widths, default, *stages)


def default_in_effect(program: Program, reading: Reading, draft: Config) -> DefaultInEffect | None:
    """What stands in for ids after a lookup that found nothing. The entries that name ids all the same are in the draft's config."""
    if reading.missed is None:
        return None
    pipeline = program.flow.pipeline
    entries = id_entries(draft, (*pipeline.keys, *pipeline.spellings))
    return DefaultInEffect(reading.missed.key or next(iter(pipeline.keys), ""), reading.missed.at, tuple(entries))


def default_steps(default: DefaultInEffect, last: Given) -> Iterator[Step]:
    """From the lookup that finds nothing to the setter."""
    yield Step(f"read {default.key}", "nothing", ids_text(last.ids), default.at)
    yield Step("given to the setter", ids_text(last.ids), ids_text(last.ids), last.at)


def id_entries(draft: Config, names: Sequence[str]) -> Iterator[Entry]:
    """The entries of a draft's config that are called like a list of ids, wherever they stand, and hold something."""
    pending: list[tuple[tuple[str, ...], Mapping[str, Json]]] = [((), draft.values)]
    while pending:
        path, holder = pending.pop(0)
        for name, value in holder.items():
            if name in names and value not in (None, []):
                yield Entry(".".join((*path, name)), short(value), Location(draft.path_printed, draft.line_of(*path, name)))
            elif isinstance(value, dict):
                pending.append(((*path, name), value))


def short(value: Json) -> str:
    """The value as it is told; cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def entry_of(path: Sequence[Edge]) -> Location | None:
    return path[0].source.at if path and path[0].source.kind == "key" else None


def steps_of(path: Sequence[Edge]) -> Iterator[Step]:
    """The hops as steps, the config's entry first."""
    for edge in path[:1]:
        yield Step(edge.source.kind, edge.source.label, edge.before or "…", edge.source.at)
    for edge in path:
        label = edge.label or f"{edge.target.kind} {edge.target.label}"
        yield Step(label, edge.before or "…", edge.after or edge.before or "…", edge.at)
