"""What other ways through a target's forward come to: plain frozen data, beside what the plain way captures."""
from __future__ import annotations

from .frozen import frozen
from .location import Location


@frozen()
class SpreadRun:
    """One id on two ranks: the ``point`` that it captures on one, and what ``reached`` the consumer. ``held``: the first rank hands the
    point on, or leaves it where others may find it. ``loop``: where the second walks its layers; ``left``: where the first leaves the
    forward, innermost first, ``gate`` the condition that it does so by."""

    ids: tuple[int, ...]
    point: str
    reached: tuple[str, ...]
    held: bool
    loop: Location | None
    left: tuple[Location, ...]
    gate: Location | None = None


@frozen()
class Spread:
    """A target whose layers are spread over two ranks does not capture what it captures on one. The second begins with layer ``start``;
    ``early`` and ``late`` are ids of the first and of the second rank."""

    start: int
    early: SpreadRun
    late: SpreadRun

    @property
    def is_relative(self) -> bool:
        """Whether the second rank captures layers that the ids do not stand for; another stage of the same layer is none."""
        layers = ((layer_of(point), layer_of(run.point)) for run in (self.early, self.late) for point in run.reached)
        return any(reached >= self.start and reached != meant for reached, meant in layers)


def layer_of(point: str) -> int:
    """The layer of a captured point; -1 where it is none of a layer."""
    layer = point.partition("/")[0].rpartition(":")[2]
    return int(layer) if layer.isdigit() else -1


@frozen()
class Overlaid:
    """Stages of a target are run in the ``loop``, and each round puts what it captured, ``bound_at``, in the place of what was there; what
    the last has left is ``read_at``."""

    loop: Location
    bound_at: Location
    read_at: Location


@frozen()
class Bypass:
    """A way through the forward on which not all ids are captured: the name and the sentence of what runs then, and where the program asks
    for it. ``points`` are what the ids capture otherwise, ``count`` is how many tensors reach the consumer on this way."""

    name: str
    text: str
    ids: tuple[int, ...]
    points: tuple[str, ...]
    count: int
    asked: tuple[Location, ...]
