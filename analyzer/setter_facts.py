"""What is told of a setter beside what is captured: what it asks of the ids, what it leaves in a model, and which ids come to nothing."""
from __future__ import annotations

from .frozen import frozen
from .location import Location, Place


@frozen()
class Asked:
    """A condition that was asked while the setter ran, and the answer. ``text`` calls the ids that were handed over ``ids``; ``written`` is
    as the program has it. ``of_ids``: other ids may bring the other answer."""

    text: str
    written: str
    at: Location
    column: int
    answer: bool
    of_ids: bool = False


@frozen()
class Marks:
    """What a setter leaves in a model. ``written`` are the attributes that it writes of the ids. With ``stale_ids`` set after other ids,
    ``stale_points`` are captured, since what ``stale`` writes is never taken back; empty where nothing stays. ``unread``: what it writes of
    the ids, where the forward reads nothing of that. ``missing``: attributes that the forward asks for in vain. ``silent``: where it hands
    the ids on only if there is somebody to take them. ``inherited``: it is a base's."""

    written: tuple[str, ...]
    stale_ids: tuple[int, ...] = ()
    stale_points: tuple[str, ...] = ()
    stale: tuple[Place, ...] = ()
    unread: tuple[Place, ...] = ()
    missing: tuple[Place, ...] = ()
    silent: tuple[Place, ...] = ()
    inherited: bool = False


@frozen()
class Missed:
    """Ids in hand that are not captured. ``unreached``: all layers run, and none of them meets these. ``raising``: with one of these the
    program raises ``error``, which reads ``ExceptionClass: text (file:line)``; it is there without them where no single id is to blame.
    ``loops``: the loops that walk the layers, ``tested`` the place where a number is looked for in the list."""

    unreached: tuple[int, ...]
    raising: tuple[int, ...]
    error: str | None
    loops: tuple[Location, ...] = ()
    tested: Location | None = None
