"""The order in which things are done, where a constructor is postponed: it finds what it reads as it was when it should have run.

A *moment* is a tuple of counters that compares as the program's order does: what a postponed constructor does at its late run lies
between its own moment and the next one. What is written to slots that a postponed constructor may know is logged with its moment and
the value before; while the constructor runs, these values are put back.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from ..results import Location
from ..values import MISSING, Instance, Slots, Value
from .signals import GiveUp, MadeLate

WHOLE = "#whole"
Moment: TypeAlias = tuple[int, ...]
Swapped: TypeAlias = dict[tuple[int, Hashable], tuple[Slots, Hashable, Value, Value]]
Postponed: TypeAlias = tuple[Callable[[], None], Moment, float]


class Change(NamedTuple):
    """A write: its moment, the slot, and its value before."""

    moment: Moment
    slots: Slots
    key: Hashable
    before: Value


@dataclass(slots=True)
class Order:
    """``path``: the moment that it is now. ``newest``: the time at which the last constructor that is postponed should have run; what was
    made later no postponed constructor knows. ``latest``: the clock of the heap when one was postponed last. ``stamp``: the age of what is
    made now, where that is not the clock: a postponed constructor makes things a fraction after the time when it should have run.
    ``importing``: how many bodies of modules and classes run; they all ran before. ``seen``: the collections that were read as a whole and
    the keys that were looked up in vain, with the moments of the last time. ``watched``: the variables of modules of which every read by a
    function is told as well. ``outside``: the slots of what was written to unknown objects. ``changes`` are in the order of their moments;
    ``of_import``: those of what the import made. ``is_script``: the program is the statements of a module, between which others are
    imported. ``start``: the moment of the model that runs start from; what they see is kept apart."""

    path: list[int] = field(default_factory=lambda: [0])
    newest: float = 0
    stamp: float | None = None
    importing: int = 0
    latest: int = -1
    changes: list[Change] = field(default_factory=list)
    of_import: list[Change] = field(default_factory=list)
    seen: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    seen_in_run: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    watched: set[tuple[int, Hashable]] = field(default_factory=set)
    start: tuple[float, ...] = (math.inf,)
    outside: Slots | None = None
    is_script: bool = False

    def now(self) -> Moment:
        self.path[-1] += 1
        return tuple(self.path)

    def note(self, slots: Slots, key: Hashable) -> None:
        """A slot is written that a postponed constructor may read."""
        if not self.importing:
            change = Change(self.now(), slots, key, slots.get(key, MISSING))
            if self.changes and self.changes[-1].moment > change.moment:
                self.changes.insert(self.since(change.moment), change)
            else:
                self.changes.append(change)
            if slots.age <= 0:
                self.of_import.append(change)

    def since(self, moment: tuple[float, ...]) -> int:
        """Where the changes after a moment start."""
        return bisect_right(self.changes, moment, key=itemgetter(0))

    def postpone(self, clock: int, run: Callable[[], None]) -> Postponed:
        known = clock if self.stamp is None else self.stamp
        self.newest, self.latest = max(self.newest, known), clock
        return run, self.now(), known

    def look(self, slots: Slots, key: Hashable) -> None:
        """A collection is read as a whole, or a key that it does not have, or a variable that is watched."""
        if slots.age <= self.newest and not self.importing:
            place, moment = (id(slots), key), self.now()
            seen = self.seen if moment <= self.start else self.seen_in_run
            if seen.get(place, ()) < moment:
                seen[place] = moment

    def watch(self, slots: Slots, key: Hashable) -> None:
        """A function reads a variable of a module that functions reassign."""
        self.watched.add((id(slots), key))
        self.look(slots, key)

    def looked(self, slots: Slots, key: Hashable) -> Moment:
        """The last time that a collection was read as a whole, or for this key."""
        places = (id(slots), key), (id(slots), WHOLE)
        return max(seen.get(place, ()) for seen in (self.seen, self.seen_in_run) for place in places)

    def starts(self) -> None:
        """The model is made: runs start from here."""
        self.start = self.now()

    def forget_run(self) -> None:
        """A run is over and taken back: what was written since its start is as it was."""
        del self.changes[self.since(self.start) :]
        self.of_import = [change for change in self.of_import if change.moment <= self.start]
        self.seen_in_run.clear()

    @contextmanager
    def at_import(self) -> Iterator[None]:
        """Inside, what the import made is as the import left it: the statements of a module ran before all else."""
        swapped = {} if self.importing or self.is_script else self.swapped(self.of_import, 0)
        self.importing += 1
        outer, self.stamp = self.stamp, 0
        clash = False
        try:
            yield
            clash = any(not alike(slots.get(key, MISSING), before) for slots, key, before, _ in swapped.values())
        finally:
            self.importing -= 1
            self.stamp = outer
            restore(swapped)
        if clash:
            raise GiveUp("the import of a module changes what the program has changed since", None)

    @contextmanager
    def back_at(self, moment: Moment, clock: float) -> Iterator[list[tuple[Slots, Hashable]]]:
        """Inside, what was made up to ``clock`` is as it was at a moment. Yields a list that is filled, at the end, with the slots of
        these that were written inside and that the program had written, or looked at, since that moment."""
        swapped = self.swapped(self.changes[self.since(moment) :], clock)
        outer, self.path = self.path, [*moment, 0]
        stamp, self.stamp = self.stamp, clock + 0.5 ** len(moment)
        late: list[tuple[Slots, Hashable]] = []
        try:
            yield late
        finally:
            self.path, self.stamp = outer, stamp
            made = self.changes[self.since(moment) : self.since((*moment, math.inf))]
            late += self.too_late(made, moment, clock, swapped)
            restore(swapped)

    @staticmethod
    def swapped(changes: list[Change], clock: float) -> Swapped:
        """Take back the changes of what was made up to ``clock``; each with its value before and now."""
        swapped: Swapped = {}
        for _, slots, key, before in changes:
            if slots.age <= clock and (place := (id(slots), key)) not in swapped:
                swapped[place] = (slots, key, before, slots.get(key, MISSING))
        for slots, key, before, _ in swapped.values():
            put(slots, key, before)
        return swapped

    def too_late(self, made: list[Change], moment: Moment, clock: float, swapped: Swapped) -> Iterator[tuple[Slots, Hashable]]:
        first: dict[tuple[int, Hashable], Change] = {}
        for change in made:
            first.setdefault((id(change.slots), change.key), change)
        for change in first.values():
            slots, key = change.slots, change.key
            if slots.age > clock or alike(slots.get(key, MISSING), change.before):
                continue
            place = (id(slots), key)
            looked = self.looked(slots, key)
            unseen = looked <= moment or looked[: len(moment)] == moment
            is_told = place in self.watched or (change.before is MISSING and (isinstance(key, tuple) or slots is self.outside))
            if is_told and unseen and place not in swapped:
                continue
            yield slots, key


def alike(a: Value, b: Value) -> bool:
    return a is b or (type(a) is type(b) and a == b)


def put(slots: Slots, key: Hashable, value: Value) -> None:
    if value is MISSING:
        slots.pop(key, None)
    else:
        slots[key] = value


def restore(swapped: Swapped) -> None:
    """Back to what it is now."""
    for slots, key, before, current in swapped.values():
        if current is not before:
            put(slots, key, current)


def run_late(order: Order, instance: Instance, postponed: Postponed, at: Location | None) -> None:
    """Run a postponed constructor on the state of the moment when it should have run."""
    late: list[tuple[Slots, Hashable]] = []
    run, moment, clock = postponed
    in_time = tuple(order.path) == moment
    try:
        with order.back_at(moment, clock) as late:
            run()
    except MadeLate as nested:
        nested.classes.append(instance.cls.node)
        raise
    if not in_time and any(slots is not instance.attrs for slots, _ in late):
        signal = MadeLate(at)
        signal.classes.append(instance.cls.node)
        raise signal
