"""A drawing, whatever it shows and whoever draws it: frames with spots, and links between the spots.

The texts are those of the analysed source, as they stand there: who draws a chart escapes them, and wraps the long ones. The ids are ours:
plain words, the same in every run, so that a page can find a spot again in its picture.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from .results import Location

SpotKind: TypeAlias = Literal[
    "key", "reader", "variable", "attribute", "parameter", "argument", "transform", "test", "capture", "collection", "field", "return",
    "consumer", "width", "component", "line", "step", "point", "group", "open",
]  # fmt: skip
"""The kinds of places of a flow graph; a ``component`` of the pipeline, a ``line`` of code, a ``step`` of a derivation, a ``point`` that is
captured, a ``group`` of target classes, and what is ``open``: not established."""

LinkKind: TypeAlias = Literal["data", "call", "control", "width", "same", "other"]
"""Those of a flow graph; and between what two sides come to: it is the ``same``, or something ``other``."""

Emphasis: TypeAlias = Literal["plain", "main", "bad"]
"""``main`` is the way that the picture is about, ``bad`` what is wrong on it."""

SPOT_KINDS: tuple[SpotKind, ...] = get_args(SpotKind)
LINK_KINDS: tuple[LinkKind, ...] = get_args(LinkKind)


@dataclass(frozen=True, slots=True)
class Spot:
    """One box. ``word`` stands above its ``title`` and says what it is; ``code`` is a line of the source, ``small`` is the small print
    below it, line by line, and ``hint`` is told where somebody points at it."""

    id: str
    kind: SpotKind
    title: str
    word: str = ""
    code: str = ""
    small: tuple[str, ...] = ()
    place: Location | None = None
    hint: str = ""
    emphasis: Emphasis = "plain"


@dataclass(frozen=True, slots=True)
class Link:
    """One arrow from a spot to another, by their ids. ``notes`` stand beside it; ``before`` and ``after`` are the value that goes over it,
    or "" where it is not known; ``assumptions`` are the names of those that it rests on."""

    id: str
    source: str
    target: str
    kind: LinkKind = "data"
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    hint: str = ""
    emphasis: Emphasis = "plain"


@dataclass(frozen=True, slots=True)
class Frame:
    """Spots that belong together: in one file, or on one side. ``small`` stands above the ``title``. Without a title it is not drawn."""

    id: str
    title: str
    spots: tuple[Spot, ...]
    small: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawing. ``legend`` explains its signs, ``notice`` is what a reader must know of it.

    ``straight``: its ways lead straight down, so that none crosses the title of a frame. ``below`` are pairs of spots of which the second
    stands below the first though no link leads there, ``level`` are pairs that stand side by side. ``wide`` is how many characters a line
    of a box has, where all boxes are as wide.
    """

    title: str
    frames: tuple[Frame, ...]
    links: tuple[Link, ...] = ()
    legend: str = ""
    notice: str = ""
    straight: bool = True
    below: tuple[tuple[str, str], ...] = ()
    level: tuple[tuple[str, str], ...] = ()
    wide: int | None = None

    @property
    def spots(self) -> tuple[Spot, ...]:
        return tuple(spot for frame in self.frames for spot in frame.spots)
