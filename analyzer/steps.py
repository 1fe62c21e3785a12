"""What a run is doing, told to whoever watches it: a bar on a terminal, a stopwatch. The analysis says what it begins and knows of neither.

Who watches is a variable of the context, as the level of a logger is: it is nothing that an answer hangs on, and every layer may tell.
"""
from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Step: TypeAlias = Literal["find", "index", "lower", "run", "record", "judge", "show"]
"""The seven steps of the program, as ``pipeline`` lists them."""
Counted: TypeAlias = Literal[
    "files listed", "searches", "files read", "files parsed", "functions lowered", "target classes", "evaluations",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """What is begun: a step, in words (``doing``), with the ``name`` of what it is done to, the ``number``-th of ``total``. A part of
    another task that is too small to be told by itself has no words."""

    step: Step
    doing: str = ""
    name: str = ""
    number: int = 0
    total: int = 0


class Watcher(Protocol):
    """Whoever is told. Tasks are begun and ended like brackets."""

    def begin(self, task: Task) -> None: ...
    def end(self, task: Task) -> None: ...
    def count(self, what: Counted, one: Hashable) -> None: ...
    def make_room(self) -> None: ...


_WATCHERS: ContextVar[Sequence[Watcher]] = ContextVar("watchers", default=())


@contextmanager
def watched_by(watchers: Sequence[Watcher]) -> Iterator[None]:
    """What runs inside is told to these."""
    token = _WATCHERS.set(tuple(watchers))
    try:
        yield
    finally:
        _WATCHERS.reset(token)


@contextmanager
def task(step: Step, doing: str = "", name: str = "", number: int = 0, total: int = 0) -> Iterator[None]:
    """What runs inside is this."""
    watchers = _WATCHERS.get()
    if not watchers:
        yield
        return
    begun = Task(step, doing, name, number, total)
    for each in watchers:
        each.begin(begun)
    try:
        yield
    finally:
        for each in watchers:
            each.end(begun)


def count(what: Counted, one: Hashable = None) -> None:
    """Something was met; ``one`` says which, where the same may be met again."""
    for each in _WATCHERS.get():
        each.count(what, one)


def make_room() -> None:
    """Something is about to be written to a terminal: whoever has something on it takes that away."""
    for each in _WATCHERS.get():
        each.make_room()
