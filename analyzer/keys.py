"""What lookups of a draft's config miss: entries that it has at another place, under another name, or where a library moved them, and what
a converter left out."""
from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from .configs import Config
from .json_text import Json
from .launches import Dropped, Lookup, Missed
from .results import Location

ALIKE = 0.88
"""How alike two names are, from 0 to 1, of which one may be the other misspelt."""
LONG_WORD = 5
"""Letters of a word that may be misspelt: a letter of a short one tells it from another."""
LONGEST = 60
Place: TypeAlias = tuple[str, ...]
How: TypeAlias = Literal["nested", "spelled", "moved"]


def missed_entries(
    lookups: Sequence[Lookup], config: Config, moved: Mapping[str, Sequence[str]], spellings: Mapping[str, Sequence[str]]
) -> Iterator[Missed]:
    """The lookups of the draft's config that find nothing where it has such an entry elsewhere, and where nothing nearby finds it.
    ``spellings`` are other names of a key."""
    entries = dict(entries_of(config.values))
    of_draft = [each for each in lookups if each.role == "draft" and is_in_table(config, each.path)]
    asked = {each.key for each in of_draft} - spellings.keys()
    tables = {place[:-1] for place in entries if place[-1] in spellings} | {each.path for each in of_draft if each.key in spellings}
    of_target = {(each.at, each.column) for each in lookups if each.role == "target" and each.side == "training" and each.status == "read"}
    told: set[tuple[Location, int, str]] = set()
    for lookup in of_draft:
        key = (lookup.at, lookup.column, lookup.name)
        if lookup.status not in ("default", "raises") or key in told:
            continue
        if lookup.side == "training" and (lookup.at, lookup.column) in of_target:  # it may be the target's config that is read there
            continue
        found = elsewhere(lookup, entries, moved, spellings, asked, tables)
        if found is None:
            continue
        how, place = found
        names = {lookup.key, place[-1]}
        reads = [each for each in of_draft if each.status == "read" and each.key in names and is_value(config, each)]
        if any(each.is_near(lookup) for each in reads):
            continue
        told.add(key)
        at = Location(config.path_printed, config.line_of(*place))
        yield Missed(lookup, how, ".".join(place), at, short(entries[place]), tuple(reads))


def dropped_entries(
    dropped: Sequence[Dropped], lookups: Sequence[Lookup], config: Config, keys: Sequence[str], *, has_target: bool
) -> Iterator[Dropped]:
    """The lookups that miss what a converter of the draft's config left out, and that nothing nearby finds. What a trainer converts may be
    the target's config: there the target's must be in hand and have no such entry, or the entry be one of the flow's."""
    of_target = {(each.lookup.at, each.lookup.column) for each in dropped if each.lookup.role == "target"}
    told: set[tuple[Location, Location, str]] = set()
    for each in dropped:
        lookup = each.lookup
        key = (each.made_at, lookup.at, lookup.name)
        near = any(one.key == lookup.key and one.status == "read" and one.role == "draft" and one.is_near(lookup) for one in lookups)
        if lookup.role != "draft" or near or key in told:
            continue
        if lookup.side == "training" and ((lookup.at, lookup.column) in of_target or (not has_target and lookup.key not in keys)):
            continue
        told.add(key)
        value = dict(entries_of(config.values))[(*lookup.path, lookup.key)]
        yield replace(each, entry_at=Location(config.path_printed, config.line_of(*lookup.path, lookup.key)), value=short(value))


def entries_of(holder: Mapping[str, Json], path: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Each entry, with the keys that lead to it; the outer ones first."""
    for name, value in holder.items():
        if value is not None:
            yield (*path, name), value
    for name, value in holder.items():
        if isinstance(value, dict):
            yield from entries_of(value, (*path, name))


def names_in(values: Mapping[str, Json]) -> tuple[str, ...]:
    """The names of all entries, at any depth."""
    return tuple(dict.fromkeys(place[-1] for place, _ in entries_of(values)))


def is_in_table(config: Config, path: Place) -> bool:
    """Whether a lookup is in a table of the config, or in what would be one: a part of what was computed is none."""
    value: Json = dict(config.values)
    for part in path:
        if not isinstance(value, dict):
            return False
        value = value.get(part)
        if value is None:
            return True
    return isinstance(value, dict)


def is_value(config: Config, lookup: Lookup) -> bool:
    value: Json = dict(config.values)
    for part in (*lookup.path, lookup.key):
        value = value.get(part) if isinstance(value, dict) else None
    return value is not None


def elsewhere(
    lookup: Lookup, entries: Mapping[Place, Json], moved: Mapping[str, Sequence[str]], spellings: Mapping[str, Sequence[str]],
    asked: set[str], tables: set[Place],
) -> tuple[How, Place] | None:  # fmt: skip
    """Where the config has what a lookup looks for, and how it differs. What is no key of the flow may be called as another thing is in
    another table: only an entry of a table that keeps the flow's keys too, asked for at the top, is the same."""
    own = (*lookup.path, lookup.key)
    if own in entries:
        return None
    for place in other_places(own, moved):
        if place in entries:
            return "moved", place
    if any(place in entries for place in other_places(own, backwards(moved))):
        return None  # a library that keeps it there takes it from where it was, when it loads a config
    same = [place for place in entries if place[-1] == lookup.key]
    if lookup.key not in spellings:
        same = [place for place in same if not lookup.path and len(place) > 1 and place[:-1] in tables]
    if same:
        return "nested", same[0]
    names = {*spellings.get(lookup.key, ()), *misspelt(lookup.key, entries, asked)}
    alike = [place for place in entries if place[-1] in names]
    return ("spelled", alike[0]) if alike else None


def other_places(own: Place, moved: Mapping[str, Sequence[str]]) -> Iterator[Place]:
    """Where a library keeps an entry now, at the same depth of the config."""
    for old, places in moved.items():
        parts = tuple(old.split("."))
        if own[-len(parts) :] == parts:
            yield from ((*own[: -len(parts)], *new.split(".")) for new in places)


def backwards(moved: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {new: (old,) for old, places in moved.items() for new in places}


def misspelt(key: str, entries: Mapping[Place, Json], asked: set[str]) -> list[str]:
    """Names of entries that are nearly this one, and that nobody looks up (a flow's key is itself, whoever asks for it)."""
    names = sorted({place[-1] for place in entries} - asked)
    return [name for name in difflib.get_close_matches(key, names, cutoff=ALIKE) if is_slip(key, name)][:1]


def is_slip(one: str, other: str) -> bool:
    """Whether two names have the same words but for one, which is the other's plural, or long and nearly the same: ``bos_token`` and
    ``eos_token`` are two things."""
    words = list(zip(one.split("_"), other.split("_"), strict=False))
    apart = [(a, b) for a, b in words if a != b]
    if one.count("_") != other.count("_") or len(apart) != 1:
        return False
    a, b = sorted(apart[0], key=len)
    return b == f"{a}s" or (len(a) >= LONG_WORD and difflib.SequenceMatcher(None, a, b).ratio() >= ALIKE - 0.1)


def short(value: Json) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
