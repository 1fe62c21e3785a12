"""What was written, in the order of the program, so that what a moment finds otherwise is told without reading all that came after it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import NamedTuple, TypeAlias

from ..values import Slots, Value

Moment: TypeAlias = tuple[int, ...]
LONGEST = 64
"""Changes in a chunk."""


class Change(NamedTuple):
    """A write: its moment, the slot, and its value before."""

    moment: Moment
    slots: Slots
    key: Hashable
    before: Value


@dataclass(slots=True)
class Chunk:
    """Changes that follow one another. ``first``: the moment of the first; ``oldest``: the age of the oldest of what they change."""

    changes: list[Change]
    first: Moment = ()
    oldest: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.first = self.changes[0].moment
        self.oldest = min(change.slots.age for change in self.changes)


@dataclass(slots=True)
class Changes:
    """All changes, by their moments."""

    chunks: list[Chunk] = field(default_factory=list)

    def add(self, change: Change) -> None:
        """Among those of one moment it is the last."""
        number = self.chunk_of(change.moment)
        if number < 0:
            self.chunks.insert(0, Chunk([change]))
            return
        chunk = self.chunks[number]
        chunk.changes.insert(since(chunk.changes, change.moment), change)
        chunk.oldest = min(chunk.oldest, change.slots.age)
        if len(chunk.changes) > LONGEST:
            half = LONGEST if number == len(self.chunks) - 1 else LONGEST // 2
            self.chunks[number : number + 1] = [Chunk(chunk.changes[:half]), Chunk(chunk.changes[half:])]

    def chunk_of(self, moment: tuple[float, ...]) -> int:
        """The number of the last chunk that does not start after a moment; -1 where all do."""
        return bisect_right(self.chunks, moment, key=attrgetter("first")) - 1

    def after(self, moment: tuple[float, ...]) -> Iterator[Change]:
        """The changes after a moment of what was there before it."""
        for number in range(max(self.chunk_of(moment), 0), len(self.chunks)):
            chunk = self.chunks[number]
            if chunk.oldest < moment:
                yield from (change for change in chunk.changes if change.moment > moment and change.slots.age < moment)

    def between(self, moment: Moment, end: tuple[float, ...]) -> list[Change]:
        """The changes after a moment and up to another."""
        chunks = self.chunks[max(self.chunk_of(moment), 0) : self.chunk_of(end) + 1]
        return [change for chunk in chunks for change in chunk.changes if moment < change.moment <= end]

    def forget(self, moment: tuple[float, ...]) -> None:
        """The changes after a moment are taken back."""
        number = max(self.chunk_of(moment), 0)
        kept = [change for chunk in self.chunks[number : number + 1] for change in chunk.changes if change.moment <= moment]
        self.chunks[number:] = [Chunk(kept)] if kept else []


def since(changes: list[Change], moment: tuple[float, ...]) -> int:
    """Where the changes after a moment start."""
    return bisect_right(changes, moment, key=itemgetter(0))
