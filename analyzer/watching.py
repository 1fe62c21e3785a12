"""Who watches a run of the command line: a bar where stderr is a terminal, and a stopwatch where ``--timings`` asks for it."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .steps import Counted, Task, Watcher, watched_by

if TYPE_CHECKING:
    from .progress import Bar  # rich is imported only where a bar is shown

PATIENCE = 1.0
"""Seconds before a bar is shown: a quick run never flickers."""


@contextmanager
def watched(*, quiet: bool, timings: bool) -> Iterator[None]:
    """Watch what runs inside. What it took is told on stderr after it, unless it could not be done."""
    from .timings import Stopwatch, told_on

    stopwatch = Stopwatch() if timings else None
    bar = PatientBar() if not quiet and has_terminal() else None
    watchers: list[Watcher] = [each for each in (bar, stopwatch) if each is not None]
    try:
        with watched_by(watchers):
            yield
    finally:
        if bar is not None:
            bar.make_room()
    if stopwatch is not None and sys.stderr is not None:
        told_on(sys.stderr, stopwatch)


def has_terminal() -> bool:
    """Whether somebody sees what moves on stderr. A runner of jobs may give its jobs a terminal, and keeps every state of it in its log."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


class PatientBar:
    """A bar for the innermost task that has words, once the run has gone on for a while. Whatever else is written to the terminal takes it
    away; it comes back with the next task."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._open: list[Task] = []
        self._bar: Bar | None = None
        self._shown: Task | None = None

    def begin(self, task: Task) -> None:
        self._open.append(task)
        self._show()

    def end(self, task: Task) -> None:
        self._open.pop()
        if self._open:
            self._show()
        else:
            self.make_room()

    def count(self, what: Counted, one: Hashable) -> None:
        """What is counted happens often: a good time to look at the clock."""
        if self._shown is None:
            self._show()

    def make_room(self) -> None:
        if self._bar is not None:
            self._bar.hide()
        self._shown = None

    def _show(self) -> None:
        if self._bar is None and time.monotonic() - self._began < PATIENCE:
            return
        innermost = next((each for each in reversed(self._open) if each.doing), None)
        if innermost is None or innermost is self._shown:
            return
        if self._bar is None:
            from .progress import Bar

            self._bar = Bar(self._began)
        self._shown = innermost
        self._bar.show(innermost)
