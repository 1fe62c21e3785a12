"""Folding a graph: a node goes, and each hop that led to it is joined with each that left it."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from .graph import EdgeKind
from .results import Location

Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop of a picture, or several in a row or side by side. ``before`` and ``after`` are the value at their ends, or ""."""

    kind: EdgeKind
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    places: tuple[Location, ...] = ()
    main: bool = False
    before: str = ""
    after: str = ""

    def then(self, other: Hop) -> Hop:
        """Both in a row. One that decides, or makes a width, gives the whole way its kind; only its own notes are told then, for the
        value of the other does not come this way."""
        kind = next(kind for kind in _RULING if kind in (self.kind, other.kind))
        notes = [note for hop in (self, other) if hop.kind == kind or kind in ("data", "call") for note in hop.notes]
        return replace(self._with(other, kind, self.main and other.main), notes=_once(tuple(notes)), after=other.after)

    def beside(self, other: Hop) -> Hop:
        """One or the other between the same two places. A value that flows says more than a decision."""
        kind = next(kind for kind in _TELLING if kind in (self.kind, other.kind))
        return self._with(other, kind, self.main or other.main)

    def _with(self, other: Hop, kind: EdgeKind, main: bool) -> Hop:
        return Hop(
            kind,
            _once(self.notes + other.notes),
            _once(self.assumptions + other.assumptions),
            tuple(dict.fromkeys(self.places + other.places)),
            main,
            self.before,
            self.after,
        )


_RULING: tuple[EdgeKind, ...] = ("width", "control", "data", "call")
_TELLING: tuple[EdgeKind, ...] = ("data", "call", "control", "width")

Hops: TypeAlias = dict[tuple[Place, Place], Hop]


def fold(hops: Hops[Place], places: Iterable[Place], most: int = 0) -> set[Place]:
    """Fold the places out of the hops, and return those that went. One that would leave more hops than it had, and more than ``most``,
    stays: it is where ways meet."""
    before: dict[Place, dict[Place, None]] = {}
    behind: dict[Place, dict[Place, None]] = {}
    for source, target in hops:
        behind.setdefault(source, {})[target] = None
        before.setdefault(target, {})[source] = None
    gone: set[Place] = set()
    for place in places:
        sources, targets = list(before.get(place, ())), list(behind.get(place, ()))
        if len(sources) * len(targets) <= max(most, len(sources) + len(targets)):
            gone.add(place)
            for source, target, hop in _joined(hops, place, sources, targets):
                hops[source, target] = hops[source, target].beside(hop) if (source, target) in hops else hop
                behind.setdefault(source, {})[target] = None
                before.setdefault(target, {})[source] = None
            _forget(hops, place, before, behind)
    return gone


def _joined(hops: Hops[Place], place: Place, sources: Sequence[Place], targets: Sequence[Place]) -> list[tuple[Place, Place, Hop]]:
    pairs = [(source, target) for source in sources for target in targets if source != target]
    return [(source, target, hops[source, place].then(hops[place, target])) for source, target in pairs]


def _forget(hops: Hops[Place], place: Place, before: dict[Place, dict[Place, None]], behind: dict[Place, dict[Place, None]]) -> None:
    for source in before.pop(place, {}):
        del hops[source, place]
        behind[source].pop(place)
    for target in behind.pop(place, {}):
        del hops[place, target]
        before[target].pop(place)


def _once(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
