"""The heap: every write to a :class:`Slots` goes through here and can be taken back.

A *mark* is a point in the journal. A branch on something unknown runs from a mark, its final writes are collected, the journal is
rolled back to the mark, and the other side runs. Slots that were born after the innermost mark belong to the branch that made
them and need no journal.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ..values import MISSING, Slots, Value
from .order import NEVER, Order
from .signals import Raised


class Write(NamedTuple):
    """A slot with its value before and after."""

    slots: Slots
    before: Value
    after: Value


Writes: TypeAlias = dict[tuple[int, Hashable], Write]


class Mark(NamedTuple):
    """A point in time: the journal's length and the clock."""

    length: int
    clock: int


@dataclass(slots=True)
class Heap:
    clock: int = 0
    mark_clock: int = -1
    journal: list[tuple[Slots, Hashable, Value]] = field(default_factory=list)
    made: list[Slots] | None = None
    version: int = 0
    """Counts the writes, those to a running function's own names aside."""
    order: Order = field(default_factory=Order)

    def new(self, **values: Value) -> Slots:
        """Fresh slots."""
        self.clock += 1
        slots = Slots(self.clock)
        slots.age = self.order.current
        slots.update(values)
        if self.made is not None:
            self.made.append(slots)
        return slots

    def new_aside(self, **values: Value) -> Slots:
        """Fresh slots that no postponed constructor reads: those of the analysis itself, and a running function's names."""
        slots = self.new(**values)
        slots.age = NEVER
        return slots

    def close_over(self, slots: Slots) -> None:
        """From here on a function that may be called later reads these names of a running one, which were nobody else's before."""
        if slots.age is NEVER:
            slots.age = self.order.current

    @contextmanager
    def detached(self) -> Iterator[None]:
        """Work whose effects outlive every branch that is open: a postponed constructor, the value of a module's name.

        What is made meanwhile counts as older than all branches afterwards. Work that the analysis breaks off has no effects.
        """
        outer = self.journal, self.mark_clock, self.made
        self.journal, self.mark_clock, self.made = [], self.clock, []
        try:
            yield
        except Raised:
            raise
        except BaseException:
            self.rollback(Mark(0, 0))
            raise
        finally:
            made = self.made
            self.journal, mark_clock, self.made = outer
            for slots in made:
                slots.born = 0
            if self.made is not None:
                self.made.extend(made)
            self.mark_clock = max(mark_clock, 0)

    def write(self, slots: Slots, key: Hashable, value: Value) -> None:
        self.version += 1
        self.bind(slots, key, value)

    def bind(self, slots: Slots, key: Hashable, value: Value) -> None:
        """Write a name of a running function."""
        if slots.age < self.order.newest:
            self.order.note(slots, key)
        if slots.born <= self.mark_clock:
            self.journal.append((slots, key, slots.get(key, MISSING)))
        if value is MISSING:
            slots.pop(key, None)
        else:
            slots[key] = value

    def mark(self) -> Mark:
        """Start journalling everything that exists now."""
        self.mark_clock = self.clock
        return Mark(len(self.journal), self.clock)

    def collect(self, mark: Mark) -> Writes:
        """The slots written since ``mark``, each with its value at the mark and its value now."""
        writes: Writes = {}
        for slots, key, before in self.journal[mark.length :]:
            place = (id(slots), key)
            if place not in writes:
                writes[place] = Write(slots, before, slots.get(key, MISSING))
        return writes

    def collect_until(self, mark: Mark, until: Mark) -> Writes:
        """The slots written between two marks, each with its value at the first and at the second."""
        later: dict[tuple[int, Hashable], Value] = {}
        for slots, key, before in self.journal[until.length :]:
            later.setdefault((id(slots), key), before)
        writes: Writes = {}
        for slots, key, before in self.journal[mark.length : until.length]:
            place = (id(slots), key)
            if place not in writes:
                writes[place] = Write(slots, before, later.get(place, slots.get(key, MISSING)))
        return writes

    def rollback(self, mark: Mark) -> None:
        """Take back everything since ``mark``. A constructor that was postponed meanwhile finds it as it was then."""
        was_postponed = self.order.latest > mark.clock
        for slots, key, before in reversed(self.journal[mark.length :]):
            if was_postponed and slots.age < self.order.newest:
                self.order.note(slots, key)
            if before is MISSING:
                slots.pop(key, None)
            else:
                slots[key] = before
        del self.journal[mark.length :]

    def apply(self, writes: Writes) -> None:
        for (_, key), write in writes.items():
            self.write(write.slots, key, write.after)
