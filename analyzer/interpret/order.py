"""The order in which things are done, where a constructor is postponed: it finds what it reads as it was when it should have run.

A *moment* is a tuple of counters that compares as the program's order does: what a postponed constructor does at its late run lies
between its own moment and the next one. What is written to slots that a postponed constructor may know is logged with its moment and
the value before; while the constructor runs, these values are put back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from ..results import Location
from ..values import MISSING, Instance, Slots, Value
from .changes import Change, Changes, Moment
from .signals import MadeLate

WHOLE = "#whole"
AT_IMPORT: Moment = ()
"""The age of what an import makes."""
FIRST: Moment = (0,)
NEVER: tuple[float, ...] = (math.inf,)
"""The age of what no postponed constructor reads."""
Swapped: TypeAlias = dict[tuple[int, Hashable], tuple[Slots, Hashable, Value, Value]]
Postponed: TypeAlias = tuple[Callable[[], None], Moment]


@dataclass(slots=True)
class Order:
    """``path``: the moment that it is now; ``current``: the age of what is made now, which is the moment, or of what an import makes,
    before all moments. ``newest``: the moment at which the last constructor that is postponed should have run; what was made later no
    postponed constructor knows. ``latest``: the clock of the heap when one was postponed last. ``importing``: how many bodies of modules
    and classes run; they all ran before. ``seen``: the collections that were read as a whole and the keys that were looked up in vain,
    with the moments of the last time. ``trifles``: variables of modules by which nothing is decided. ``outside``: the slots of what was
    written to unknown objects. ``changes`` are in the order of their moments; ``noted``: the moment of the last of a slot; ``of_import``:
    those of what the import made. ``is_script``: the program is the statements of a module, between which others are imported. ``start``:
    the moment of the model that runs start from; what they see is kept apart."""

    path: list[int] = field(default_factory=lambda: [*FIRST])
    current: Moment = FIRST
    newest: Moment = FIRST
    importing: int = 0
    latest: int = -1
    changes: Changes = field(default_factory=Changes)
    noted: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    noted_in_run: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    of_import: dict[tuple[int, Hashable], tuple[Moment, Slots]] = field(default_factory=dict)
    seen: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    seen_in_run: dict[tuple[int, Hashable], Moment] = field(default_factory=dict)
    trifles: set[tuple[int, Hashable]] = field(default_factory=set)
    start: tuple[float, ...] = NEVER
    outside: Slots | None = None
    is_script: bool = False

    def now(self) -> Moment:
        self.path[-1] += 1
        moment = tuple(self.path)
        if not self.importing:
            self.current = moment
        return moment

    def note(self, slots: Slots, key: Hashable) -> None:
        """A slot is written that a postponed constructor may read. Of the writes between which none is postponed the first is noted."""
        if not self.importing:
            place, moment = (id(slots), key), self.now()
            noted = self.noted if moment <= self.start else self.noted_in_run
            before = noted.get(place)
            if before is not None and self.newest < before < moment:
                return
            noted[place] = moment
            change = Change(moment, slots, key, slots.get(key, MISSING))
            self.changes.add(change)
            if slots.age == AT_IMPORT:
                self.of_import.setdefault(place, (moment, slots))

    def postpone(self, clock: int, run: Callable[[], None]) -> Postponed:
        moment = self.now()
        self.newest, self.latest = max(self.newest, moment), clock
        return run, moment

    def look(self, slots: Slots, key: Hashable) -> None:
        """A collection is read as a whole, or a key that it does not have."""
        if slots.age < self.newest and not self.importing:
            place, moment = (id(slots), key), self.now()
            seen = self.seen if moment <= self.start else self.seen_in_run
            if seen.get(place, ()) < moment:
                seen[place] = moment

    def looked(self, slots: Slots, key: Hashable) -> Moment:
        """The last time that a collection was read as a whole, or for this key."""
        places = (id(slots), key), (id(slots), WHOLE)
        return max(seen.get(place, ()) for seen in (self.seen, self.seen_in_run) for place in places)

    def starts(self) -> None:
        """The model is made: runs start from here."""
        self.start = self.now()

    def forget_run(self) -> None:
        """A run is over and taken back: what was written since its start is as it was."""
        self.changes.forget(self.start)
        self.of_import = {place: change for place, change in self.of_import.items() if change[0] <= self.start}
        self.seen_in_run.clear()
        self.noted_in_run.clear()

    @contextmanager
    def at_import(self) -> Iterator[None]:
        """Inside, a module's statements run: before all else, whenever that is."""
        self.importing += 1
        outer, self.current = self.current, AT_IMPORT
        try:
            yield
        finally:
            self.importing -= 1
            self.current = outer

    def is_changed(self, slots: Slots, key: Hashable) -> bool:
        """Whether the program has written what an import left. What a module's statements read must not be: whether they ran before that,
        as all imports at the top of a module did, or after it, in a function, is not known."""
        if self.is_script:
            return False
        return any(held is slots for _, held in self.of_import.values()) if key == WHOLE else (id(slots), key) in self.of_import

    @contextmanager
    def back_at(self, moment: Moment) -> Iterator[list[tuple[Slots, Hashable]]]:
        """Inside, what was made before a moment is as it was then. Yields a list that is filled, at the end, with the slots of
        these that were written inside and that the program had written, or looked at, since that moment."""
        swapped = self.swapped(self.changes.after(moment))
        outer, self.path = self.path, [*moment, 0]
        current, self.current = self.current, (*moment, 0)
        late: list[tuple[Slots, Hashable]] = []
        try:
            yield late
        finally:
            self.path, self.current = outer, current
            made = self.changes.between(moment, (*moment, math.inf))
            late += self.too_late(made, moment, swapped)
            restore(swapped)

    @staticmethod
    def swapped(changes: Iterable[Change]) -> Swapped:
        """Take back changes; each with its value before and now."""
        swapped: Swapped = {}
        for _, slots, key, before in changes:
            if (place := (id(slots), key)) not in swapped:
                swapped[place] = (slots, key, before, slots.get(key, MISSING))
        for slots, key, before, _ in swapped.values():
            put(slots, key, before)
        return swapped

    def too_late(self, made: list[Change], moment: Moment, swapped: Swapped) -> Iterator[tuple[Slots, Hashable]]:
        first: dict[tuple[int, Hashable], Change] = {}
        for change in made:
            first.setdefault((id(change.slots), change.key), change)
        for change in first.values():
            slots, key = change.slots, change.key
            if slots.age >= moment or alike(slots.get(key, MISSING), change.before):
                continue
            place = (id(slots), key)
            looked = self.looked(slots, key)
            unseen = looked <= moment or looked[: len(moment)] == moment
            if change.before is MISSING and (isinstance(key, tuple) or slots is self.outside) and place not in swapped and unseen:
                continue
            if place in self.trifles:
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
    run, moment = postponed
    in_time = tuple(order.path) == moment
    try:
        with order.back_at(moment) as late:
            run()
    except MadeLate as nested:
        nested.classes.append(instance.cls.node)
        raise
    if not in_time and any(slots is not instance.attrs for slots, _ in late):
        signal = MadeLate(at)
        signal.classes.append(instance.cls.node)
        raise signal
