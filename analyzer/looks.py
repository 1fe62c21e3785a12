"""How a drawing looks: the colours, on light and on dark, and what each kind of spot and link looks like. Colour never says it alone: kinds
differ in shape too, lines in style and in thickness, and words say what is wrong."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .chart import Chart, Spot, SpotKind

INK, GREY, ACCENT, MAIN, BAD = "#202124", "#55595e", "#9a4300", "#0b4f8a", "#b0221b"
"""Dark enough on paper: of texts, of small print and byways, of assumptions, of the main path, of what is wrong."""
PAPER, FRAME, EDGE = "#fefefe", "#f8f9fa", "#c4c7c5"
"""What lies behind all, behind a frame, and around it."""
WHITE, SHADE, YELLOW, ORANGE, VIOLET = "#fdfdfd", "#f1f3f4", "#fff2cc", "#fde0cc", "#efe3f5"
GREEN, PALE, BLUE, RED = "#d9f0e4", "#dcebf9", "#c6def7", "#fce1de"

DARK: Mapping[str, str] = MappingProxyType({
    INK: "#e8eaed", GREY: "#b4b9bf", ACCENT: "#ffb370", MAIN: "#8ab8f5", BAD: "#ff8f85",
    PAPER: "#0d1117", FRAME: "#161b22", EDGE: "#474d55",
    WHITE: "#1f252c", SHADE: "#2b3037", YELLOW: "#4a3f12", ORANGE: "#55341b", VIOLET: "#43314f",
    GREEN: "#1d4431", PALE: "#1c3954", BLUE: "#1a4067", RED: "#5c211d",
})  # fmt: skip
"""What stands for each colour on a dark page. None of the colours has a name that a program would write in its place."""


@dataclass(frozen=True, slots=True)
class Look:
    """Of a kind of spot: its colour, the characters of a line of its title, and how its lines are aligned."""

    fill: str
    wide: int = 30
    align: Literal["left", "center"] = "center"


LOOKS: Mapping[SpotKind, Look] = MappingProxyType({
    "key": Look(YELLOW), "reader": Look(YELLOW), "variable": Look(WHITE), "attribute": Look(SHADE), "parameter": Look(WHITE),
    "argument": Look(WHITE), "transform": Look(ORANGE), "test": Look(VIOLET), "capture": Look(GREEN), "collection": Look(GREEN),
    "field": Look(PALE), "return": Look(WHITE), "consumer": Look(BLUE), "width": Look(WHITE),
    "component": Look(PALE, 40), "line": Look(WHITE, 78, "left"),
    "step": Look(WHITE, 36, "left"), "point": Look(GREEN, 36),
    "group": Look(PALE, 76, "left"), "open": Look(ORANGE, 36, "left"),
})  # fmt: skip


def dark_rules() -> Iterator[str]:
    """The rules of a style sheet that put the colours of a dark page in the place of the others, in a picture as SVG."""
    for light, dark in DARK.items():
        yield f'[fill="{light}"]{{fill:{dark}}}'
        yield f'[stroke="{light}"]{{stroke:{dark}}}'


def wide(spot: Spot, chart: Chart) -> int:
    """How many characters a line of a spot's title has."""
    return chart.wide if chart.wide is not None else LOOKS[spot.kind].wide
