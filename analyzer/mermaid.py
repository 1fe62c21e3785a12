"""Drawings as Mermaid text, which forges and note programs draw themselves."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from .captions import LONGEST_HINT, box_lines, link_to, note_lines
from .chart import SPOT_KINDS, Chart, Frame, Link, LinkKind, Spot, SpotKind
from .escape import clipped, mermaid_text
from .looks import BAD, GREY, INK, LOOKS, MAIN, RED, wide
from .wrapping import wrapped

SHAPES: Mapping[SpotKind, tuple[str, str]] = MappingProxyType({
    "key": ("[/", "/]"), "reader": ("[", "]"), "variable": ("(", ")"), "attribute": ("(", ")"), "parameter": ("(", ")"),
    "argument": ("(", ")"), "transform": ("[[", "]]"), "test": ("{{", "}}"), "capture": ("([", "])"), "collection": ("[(", ")]"),
    "field": ("[", "]"), "return": ("(", ")"), "consumer": ("[[", "]]"), "width": (">", "]"),
    "component": ("(", ")"), "line": ("[", "]"), "step": ("[", "]"), "point": ("([", "])"), "group": ("[", "]"), "open": (">", "]"),
})  # fmt: skip
"""How the text of each kind is bracketed, which is its shape."""

LINES: Mapping[LinkKind, str] = MappingProxyType(
    {"data": "-->", "call": "-->", "control": "-.->", "width": "--o", "same": "-.-", "other": "---"}
)
THICK: Mapping[LinkKind, str] = MappingProxyType({"data": "==>", "call": "==>", "same": "===", "other": "==="})
"""The main path and what is wrong."""


def mermaid(chart: Chart, folder: str = "") -> str:
    """The chart as the text of a Mermaid flow chart. Links are relative to ``folder``, where the file will lie."""
    return "".join(f"{line}\n" for line in _lines(chart, folder))


def _lines(chart: Chart, folder: str) -> Iterator[str]:
    spots = chart.spots
    yield "flowchart TB"
    yield f"  head[{_quoted(line for text in (chart.title, chart.legend, chart.notice) for line in wrapped(text, 100))}]:::headLine"
    for frame in chart.frames:
        yield from _frame(frame, chart)
    if spots:
        yield f"  head ~~~ {spots[0].id}"
    yield from (f"  {one} ~~~ {other}" for one, other in chart.below)
    yield from (f"  {_link(link)}" for link in chart.links)
    for spot in spots:
        if spot.place is not None:
            hint = mermaid_text(clipped(spot.hint or spot.title, 2 * LONGEST_HINT))
            yield f'  click {spot.id} href "{link_to(spot.place, folder)}" "{hint}"'
    yield from _looks(chart)


def _frame(frame: Frame, chart: Chart) -> Iterator[str]:
    """The spots of a frame, within it where it has a title."""
    if frame.title:
        yield f"  subgraph {frame.id}[{_quoted(wrapped(f'{frame.small}/{frame.title}' if frame.small else frame.title, 60))}]"
    yield from (f"    {_spot(spot, wide(spot, chart))}" for spot in frame.spots)
    if frame.title:
        yield "  end"


def _looks(chart: Chart) -> Iterator[str]:
    """The colours of the kinds that there are, and of what is stressed."""
    spots = chart.spots
    there = {spot.kind for spot in spots}
    yield f"  classDef headLine fill:none,stroke:none,color:{GREY}"
    yield from (f"  classDef {kind}Place fill:{LOOKS[kind].fill},stroke:{GREY},color:{INK}" for kind in SPOT_KINDS if kind in there)
    for emphasis, look in (("main", f"stroke:{MAIN},stroke-width:2px"), ("bad", f"fill:{RED},stroke:{BAD},stroke-width:4px")):
        marked = [spot.id for spot in spots if spot.emphasis == emphasis]
        if marked:
            yield f"  classDef {emphasis} {look}"
            yield f"  class {','.join(marked)} {emphasis}"
    before = len(chart.spots[:1]) + len(chart.below)
    bad = [str(before + number) for number, link in enumerate(chart.links) if link.emphasis == "bad"]
    if bad:
        yield f"  linkStyle {','.join(bad)} stroke:{BAD},stroke-width:4px"


def _spot(spot: Spot, wide: int) -> str:
    """A spot. A class of its own name: ``return`` and the like may mean something to Mermaid."""
    left, right = SHAPES[spot.kind]
    return f"{spot.id}{left}{_quoted(line for lines in box_lines(spot, wide) for line in lines)}{right}:::{spot.kind}Place"


def _link(link: Link) -> str:
    line = THICK.get(link.kind, LINES[link.kind]) if link.emphasis != "plain" else LINES[link.kind]
    lines = note_lines(link)
    return f"{link.source} {line}|{_quoted(lines)}| {link.target}" if lines else f"{link.source} {line} {link.target}"


def _quoted(lines: Iterable[str]) -> str:
    return '"' + "<br/>".join(mermaid_text(line) for line in lines) + '"'
