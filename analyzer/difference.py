"""What a change did to the wirings: two analyses, of the source before and after, held against each other. Places are no difference."""
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .behaviour import behaviour, outcome
from .meaning import meaning
from .request import Ids, ids_text
from .results import Analysis, Evaluation, Location, Step, Wiring

Kind: TypeAlias = Literal["added", "removed", "changed"]
Evaluate: TypeAlias = "Callable[[Mapping[Wiring, tuple[Ids, ...]], int | None], dict[Wiring, tuple[Evaluation, ...]]]"
"""Runs further id lists of wirings of one side, at once, with this number of layers; with None as they were run."""
Proof: TypeAlias = Literal["newly established", "newly established in part", "no longer established", "no longer established in part"]
OPEN = "not established"
NOTHING, SOME, ALL = range(3)
"""How much of a wiring is not established."""

_RAISES = re.compile(r"raises (\w+): .*?(?=$| where `| if )", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that a wiring says otherwise: the convention, the default, what happens at an id. Each side may take several lines."""

    what: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two derivations of one id list part: ``common`` counts the steps that come to the same on both sides. ``ends`` is what each
    side comes to."""

    ids: Ids
    paths: tuple[tuple[Step, ...], tuple[Step, ...]]
    common: int
    ends: tuple[str, str]

    @property
    def before(self) -> Step | None:
        """The first step of the old side that comes to something else; None where it has no more."""
        return self.paths[0][self.common] if self.common < len(self.paths[0]) else None

    @property
    def after(self) -> Step | None:
        """That of the new side."""
        return self.paths[1][self.common] if self.common < len(self.paths[1]) else None


@dataclass(frozen=True, slots=True)
class WiringChange:
    """A wiring that is there on one side only, or says something else. ``rows`` and ``parting`` are those of a change."""

    kind: Kind
    before: Wiring | None
    after: Wiring | None
    rows: tuple[Row, ...] = ()
    parting: Parting | None = None

    @property
    def wiring(self) -> Wiring:
        """The wiring, as it is now where it still is."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def proof(self) -> Proof | None:
        """Whether more, or less, of it is established; None where that has not changed."""
        if self.before is None or self.after is None:
            return None
        before, after = open_part(self.before), open_part(self.after)
        if before == after:
            return None
        if after > before:
            return "no longer established" if after == ALL else "no longer established in part"
        return "newly established" if after == NOTHING else "newly established in part"


def changed_wirings(before: Analysis, after: Analysis, again: tuple[Evaluate, Evaluate], *, guessed: bool) -> Iterator[WiringChange]:
    """The wirings that are not what they were, in the order of the new source, then those that have gone. ``again`` runs further lists of
    the old and of the new side. ``guessed``: the layer count is one that stands for all, so that the default is run with another too."""
    pairs, added, removed = paired(before.wirings, after.wirings)
    lacking = lists_lacking(pairs)
    rows = [run({pair[side]: lacking[pair[side]] for pair in pairs if pair[side] in lacking}, None) for side, run in enumerate(again)]
    found = [changed(old, new, (rows[0].get(old, ()), rows[1].get(new, ()))) for old, new in pairs]
    if guessed and (same := [pair for pair, change in zip(pairs, found, strict=True) if change is None and pair[0].evaluated]):
        others = [run({pair[side]: (None,) for pair in same}, _layers(same[0][side]) + 1) for side, run in enumerate(again)]
        for number, (pair, change) in enumerate(zip(pairs, found, strict=True)):
            if change is None:
                found[number] = default_changed(*pair, others[0].get(pair[0], ()), others[1].get(pair[1], ()))
    yield from (change for change in found if change is not None)
    yield from (WiringChange("added", None, each) for each in added)
    yield from (WiringChange("removed", each, None) for each in removed)


def paired(before: Sequence[Wiring], after: Sequence[Wiring]) -> tuple[list[tuple[Wiring, Wiring]], list[Wiring], list[Wiring]]:
    """The wirings of one flow, class and setter on both sides; of several classes of one name those in the same file, then in order."""
    waiting: dict[tuple[str, str, str], list[Wiring]] = defaultdict(list)
    for old in before:
        waiting[name_of(old)].append(old)
    pairs, left = [], []
    for new in after:
        same = next((old for old in waiting[name_of(new)] if tail(old.at) == tail(new.at)), None)
        if same is not None:
            waiting[name_of(new)].remove(same)
            pairs.append((same, new))
        else:
            left.append(new)
    added = []
    for new in left:
        if waiting[name_of(new)]:
            pairs.append((waiting[name_of(new)].pop(0), new))
        else:
            added.append(new)
    return pairs, added, [old for olds in waiting.values() for old in olds]


def name_of(wiring: Wiring) -> tuple[str, str, str]:
    return wiring.flow, wiring.model, wiring.setter


def tail(at: Location) -> str:
    """The file's own name, whatever folder, archive or revision it is in."""
    return at.file.rpartition("/")[2]


def lists_lacking(pairs: Sequence[tuple[Wiring, Wiring]]) -> dict[Wiring, tuple[Ids, ...]]:
    """For each wiring the id lists that only the other side was run for: conditions on the ids bring lists of their own."""
    found: dict[Wiring, tuple[Ids, ...]] = {}
    for old, new in pairs:
        for wiring, other in ((old, new), (new, old)):
            own = {row.ids for row in wiring.evaluated}
            lacking = tuple(row.ids for row in other.evaluated if row.ids not in own)
            if lacking and wiring.evaluated:
                found[wiring] = lacking
    return found


def changed(old: Wiring, new: Wiring, further: tuple[Sequence[Evaluation], Sequence[Evaluation]]) -> WiringChange | None:
    """What a wiring says otherwise; None where it says the same. ``further`` are evaluations of either side besides its own."""
    sides = [
        {(row.ids, row.num_layers): row for row in (*more, *wiring.evaluated)} for wiring, more in zip((old, new), further, strict=True)
    ]
    rows = [(sides[0][key], sides[1][key]) for key in sides[0] if key in sides[1]]
    apart = [(one, other) for one, other in rows if meaning(one) != meaning(other)]
    if not apart:
        return None if rows or old.status == new.status else WiringChange("changed", old, new, told(old, new, []))
    return WiringChange("changed", old, new, told(old, new, apart), parting(apart))


def default_changed(old: Wiring, new: Wiring, before: Sequence[Evaluation], after: Sequence[Evaluation]) -> WiringChange | None:
    """A wiring whose default is another only with another number of layers."""
    rows = [(one, other) for one, other in zip(before, after, strict=False) if meaning(one) != meaning(other)]
    if not rows:
        return None
    ((one, other), *_) = rows
    what = f"default of {one.num_layers} layers"
    row = Row(what, outcome(one, places=False), outcome(other, places=False))
    return WiringChange("changed", old, new, (row,), parting(rows))


def _layers(wiring: Wiring) -> int:
    return wiring.evaluated[0].num_layers if wiring.evaluated else 0


def told(old: Wiring, new: Wiring, apart: Sequence[tuple[Evaluation, Evaluation]]) -> tuple[Row, ...]:
    """The lines of the table of wirings that say something else; where none does, the id lists that come to something else. Where nothing
    of a side is established, the convention alone."""
    facts = [{fact.label: fact.texts for fact in behaviour(wiring)} for wiring in (old, new)]
    lists = {one.ids for one, _ in apart}
    rows = [
        Row(label, facts[0].get(label, ()), facts[1].get(label, ()))
        for label in dict.fromkeys((*facts[0], *facts[1]))
        if _plain(facts[0].get(label, ())) != _plain(facts[1].get(label, ())) and _is_about(label, lists, _layers(new))
    ]
    sides = [any(text.endswith(f"is {OPEN}") for text in side.get("convention", ())) for side in facts]
    if rows and rows[0].what == "convention" and any(sides):
        rows = [row for row in rows if row.what == "convention" or not _is_open(row, *sides)]
    return tuple(rows) or tuple(
        Row(f"ids {ids_text(one.ids)}", outcome(one, places=False), outcome(other, places=False)) for one, other in apart
    )


def _is_open(row: Row, before: bool, after: bool) -> bool:
    """Whether a line only says of an id what is so of all: nothing is established on a side."""
    return any(side and all(OPEN in text for text in texts) for side, texts in ((before, row.before), (after, row.after)))


def _is_about(label: str, lists: Collection[Ids], layers: int) -> bool:
    """Whether a line is about one of these lists; what is about many is."""
    own: dict[str, Ids] = {"default": None, "id -1": (-1,), "id 0": (0,), "id L-1": (layers - 1,), "id L": (layers,)}
    name = label.partition(" = ")[0]
    return name not in own or own[name] in lists


def open_part(wiring: Wiring) -> int:
    """How much of a wiring is not established."""
    rows = [row.status == OPEN for row in wiring.evaluated] or [wiring.status == OPEN]
    return ALL if all(rows) else SOME if any(rows) else NOTHING


def _plain(texts: Iterable[str]) -> tuple[str, ...]:
    """What a line says, without why something is open, and without the words of an exception."""
    return tuple(OPEN if text.startswith(OPEN) else _RAISES.sub(r"raises \1", text) for text in texts)


def parting(apart: Sequence[tuple[Evaluation, Evaluation]]) -> Parting | None:
    """Where the derivations part, told of one id in the middle where there is one, else of a list that both sides establish."""
    single = [pair for pair in apart if pair[0].ids is not None and len(pair[0].ids) == 1 and 0 < pair[0].ids[0] < pair[0].num_layers - 1]
    proved = [pair for pair in (*single, *apart) if OPEN not in (pair[0].status, pair[1].status)]
    if not proved:
        return None
    one, other = proved[0]
    steps = list(zip(one.path, other.path, strict=False))
    common = next((n for n, (left, right) in enumerate(steps) if (left.before, left.after) != (right.before, right.after)), len(steps))
    ends = "; ".join(outcome(one)), "; ".join(outcome(other))
    return Parting(one.ids, (one.path, other.path), common, ends) if max(len(one.path), len(other.path)) > common else None
