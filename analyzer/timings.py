"""``--timings``: how long each step took, what it did, and how much memory that needed."""
from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import NamedTuple, TextIO, get_args

from .steps import Counted, Step, Task
from .text import Line, line, paint

STEPS: tuple[Step, ...] = get_args(Step)
COUNTED: tuple[Counted, ...] = get_args(Counted)
REST = "rest"
"""What is no step: starting up, reading options, imports."""
SLOWEST = 5
CLASSES = "target classes"
"""The task that is told class by class."""


class Spent(NamedTuple):
    """Time in milliseconds: of the clock on the wall, and of the processor."""

    wall: int
    cpu: int


class Moment(NamedTuple):
    """Both clocks, in seconds."""

    wall: float
    cpu: float


def now() -> Moment:
    return Moment(time.perf_counter(), time.process_time())


class Stopwatch:
    """Adds up what each step takes. A step inside of another stops the clock of that: every moment counts once."""

    def __init__(self) -> None:
        self._began = self._last = now()
        self._open: list[tuple[Task, Moment]] = []
        self._taken: dict[str, Moment] = dict.fromkeys((*STEPS, REST), Moment(0, 0))
        self._classes: dict[str, Moment] = {}
        self._counted: Counter[Counted] = Counter()
        self._met: dict[Counted, set[Hashable]] = {}

    def begin(self, task: Task) -> None:
        self._open.append((task, self._lap()))

    def end(self, task: Task) -> None:
        at = self._lap()
        _, began = self._open.pop()
        if task.doing == CLASSES and task.name:
            before = self._classes.get(task.name, Moment(0, 0))
            self._classes[task.name] = Moment(before.wall + at.wall - began.wall, before.cpu + at.cpu - began.cpu)

    def count(self, what: Counted, one: Hashable) -> None:
        if one is None:
            self._counted[what] += 1
        else:
            self._met.setdefault(what, set()).add(one)

    def make_room(self) -> None:
        """Nothing is shown before the end."""

    def _lap(self) -> Moment:
        """What has passed since the last moment is the innermost step's."""
        at, last = now(), self._last
        step = self._open[-1][0].step if self._open else REST
        taken = self._taken[step]
        self._taken[step] = Moment(taken.wall + at.wall - last.wall, taken.cpu + at.cpu - last.cpu)
        self._last = at
        return at

    def report(self, memory: int | None) -> Iterator[Line]:
        """The table: steps, what is left, and the total; the slowest target classes; counts; ``memory`` in bytes at its peak."""
        self._lap()
        spent = {step: spent_in(self._taken[step]) for step in STEPS}
        total = spent_in(Moment(self._last.wall - self._began.wall, self._last.cpu - self._began.cpu))
        rest = Spent(total.wall - sum(each.wall for each in spent.values()), total.cpu - sum(each.cpu for each in spent.values()))
        yield line(f"{'step':<8}{'seconds':>10}{'CPU':>10}")
        yield from (row(name, each) for name, each in (*spent.items(), (REST, rest), ("total", total)))
        slowest = sorted(self._classes.items(), key=lambda each: (-each[1].wall, each[0]))[:SLOWEST]
        if slowest:
            yield line("slowest target classes")
        yield from (row("", spent_in(taken), name) for name, taken in slowest)
        counted = {what: self._counted[what] + len(self._met.get(what, ())) for what in COUNTED}
        yield line(", ".join(f"{what} {number}" for what, number in counted.items()))
        if memory is not None:
            yield line(f"{memory / 2**20:.0f} MiB of memory at its peak")


def row(label: str, spent: Spent, name: str = "") -> Line:
    return line(f"{label:<8}{spent.wall / 1000:>10.3f}{spent.cpu / 1000:>10.3f}{f'  {name}' if name else ''}")


def spent_in(taken: Moment) -> Spent:
    """Whole milliseconds, rounded down, so that the rows with the rest add up to the total as they are printed."""
    return Spent(int(taken.wall * 1000), int(taken.cpu * 1000))


def peak_memory() -> int | None:
    """The most bytes that this process had in memory at a time; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def told_on(stream: TextIO, stopwatch: Stopwatch) -> None:
    """Write the table."""
    stream.write(paint(stopwatch.report(peak_memory()), colour=False))
    stream.flush()
