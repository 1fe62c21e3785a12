"""Pictures through Graphviz: DOT text needs nothing but the Python package, SVG, PNG and PDF need a program that lays the graph out."""
from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import graphviz

from .captions import LONGEST_HINT, box_lines, link_to, note_lines
from .chart import Chart, Emphasis, Frame, Link, LinkKind, Spot, SpotKind
from .errors import BadInput
from .escape import clipped
from .looks import ACCENT, BAD, EDGE, FRAME, GREY, INK, LOOKS, MAIN, PAPER, RED, dark_rules, wide
from .wrapping import wrapped

FONT, CODE_FONT = "Helvetica", "Courier"
"""Names for which Graphviz knows the widths of the letters; in an SVG it names a family of the same kind behind them."""
CHARACTER = 6.6
"""The width of a letter of a title, in points, by which boxes are made as wide as their lines may be."""

PURE = "graphviz-pure"
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a label."""

    text: str
    size: int
    colour: str = INK
    bold: bool = False
    font: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """The outline of a kind of spot."""

    name: str = "box"
    style: str = "filled"
    peripheries: str = "1"


_ROUND = Shape(style="filled,rounded")
SHAPES: Mapping[SpotKind, Shape] = MappingProxyType({
    "key": Shape("note"), "reader": Shape(), "variable": _ROUND, "attribute": _ROUND, "parameter": _ROUND, "argument": _ROUND,
    "transform": Shape("component"), "test": Shape("hexagon"), "capture": Shape(style="filled,diagonals"),
    "collection": Shape("folder"), "field": Shape("tab"), "return": _ROUND, "consumer": Shape(style="filled,bold", peripheries="2"),
    "width": Shape(style="filled,dashed"), "component": _ROUND, "line": Shape(), "step": Shape(), "point": Shape(style="filled,diagonals"),
    "group": Shape(), "open": Shape(style="filled,dashed"),
})  # fmt: skip
LINES: Mapping[LinkKind, Mapping[str, str]] = MappingProxyType({
    "data": {"style": "solid"}, "call": {"style": "solid"}, "control": {"style": "dashed"},
    "width": {"style": "dotted", "arrowhead": "odot", "weight": "4"},
    "same": {"style": "dotted", "arrowhead": "none", "constraint": "false"},
    "other": {"style": "bold", "arrowhead": "none", "constraint": "false"},
})  # fmt: skip
COLOURS: Mapping[Emphasis, str] = MappingProxyType({"plain": GREY, "main": MAIN, "bad": BAD})
STRESS: Mapping[Emphasis, Mapping[str, str]] = MappingProxyType({
    "plain": {}, "main": {"color": MAIN, "penwidth": "2.4", "weight": "20"},
    "bad": {"color": f"{BAD}:{PAPER}:{BAD}", "fontcolor": BAD, "penwidth": "2", "weight": "20"},
})  # fmt: skip
"""What is wrong has a double line."""


def dot(chart: Chart, folder: str = "") -> str:
    """The chart in Graphviz' language. Links are relative to ``folder``, where the file will lie."""
    graph = graphviz.Digraph(
        graph_attr={
            "label": _html(_head(chart)), "labelloc": "t", "tooltip": _text(clipped(chart.title, LONGEST_HINT)), "fontname": FONT,
            "bgcolor": PAPER, "pad": "0.2", "rankdir": "TB", "newrank": "true", "nodesep": "0.4",
            "ranksep": "0.2" if chart.straight else "0.4",
        },
        node_attr={"fontname": FONT, "fontsize": "12", "color": GREY, "fontcolor": INK, "margin": "0.16,0.1"},
        edge_attr={"fontname": FONT, "fontsize": "11", "color": GREY, "fontcolor": INK, "arrowsize": "0.7"},
    )  # fmt: skip
    for frame in chart.frames:
        _draw_frame(graph, frame, chart, folder)
    for one, other in chart.below:
        graph.edge(one, other, style="invis")
    for pair in chart.level:
        with graph.subgraph(graph_attr={"rank": "same"}) as level:
            for spot in pair:
                level.node(spot)
    for link in chart.links:
        graph.edge(link.source, link.target, **_link(link))
    source: str = graph.source
    return source


def _head(chart: Chart) -> Iterator[Line]:
    room = sum(max((wide(spot, chart) for spot in frame.spots), default=0) for frame in chart.frames[:2]) if chart.level else 0
    room = max(room, 42 if chart.straight else 90, *(wide(spot, chart) for spot in chart.spots[:1]))
    yield from (Line(text, 15, bold=True) for text in wrapped(chart.title, int(room * 0.8)))
    yield from (Line(text, 10, GREY) for text in wrapped(chart.legend, int(room * 1.3)))
    yield from (Line(text, 11, ACCENT, bold=True) for text in wrapped(chart.notice, int(room * 1.1)))


def _draw_frame(graph: graphviz.Digraph, frame: Frame, chart: Chart, folder: str) -> None:
    """A frame around its spots. Where arrows could cross its title it goes without, and each of its spots says where it is."""
    with graph.subgraph(name=f"cluster_{frame.id}" if frame.title else frame.id) as inner:
        if frame.title:
            small = (Line(text, 9, GREY) for text in wrapped(frame.small, 60))
            title = (Line(text, 11, bold=True) for text in wrapped(frame.title, 50))
            hint = _text(clipped(frame.hint or frame.title, LONGEST_HINT))
            look = {"style": "rounded,filled", "color": EDGE, "fillcolor": FRAME, "labeljust": "l", "margin": "12"}
            inner.attr(id=frame.id, label=_html((*small, *title), "left") if chart.straight else "", tooltip=hint, **look)
        for spot in frame.spots:
            inner.node(spot.id, **_spot(spot, wide(spot, chart), folder))
        keys = [spot.id for spot in frame.spots if spot.kind == "key"]
        if keys:
            with inner.subgraph(graph_attr={"rank": "min"}) as top:
                for key in keys:
                    top.node(key)


def _spot(spot: Spot, room: int, folder: str) -> dict[str, str]:
    shape = SHAPES[spot.kind]
    bad = spot.emphasis == "bad"
    least = room * CHARACTER + 16
    return {
        "id": spot.id, "class": f"{spot.kind} {spot.emphasis}", "label": _label(spot, room, int(least - 20)),
        "shape": shape.name, "style": shape.style, "fillcolor": RED if bad else LOOKS[spot.kind].fill,
        "peripheries": "2" if bad else shape.peripheries, "width": f"{least / 72:.2f}",
        "tooltip": _text(clipped(spot.hint or spot.title, 2 * LONGEST_HINT)),
        **({} if spot.place is None else {"URL": _text(link_to(spot.place, folder))}),
        **({} if spot.emphasis == "plain" else {"color": COLOURS[spot.emphasis], "penwidth": "1.6", "group": "main"}),
    }  # fmt: skip


def _label(spot: Spot, room: int, points: int) -> str:
    """The label of a box; to have its lines begin at the left it takes a table as wide as the box."""
    word, title, code, small = box_lines(spot, room)
    align = LOOKS[spot.kind].align
    lines = (
        *(Line(text, 9, GREY) for text in word),
        *(Line(text, 12, bold=spot.emphasis != "plain") for text in title),
        *(Line(text, 10, font=CODE_FONT) for text in code),
        *(Line(text, 10, GREY if align == "center" else INK) for text in small),
    )
    inner = _html(lines, align)
    if align == "center":
        return inner
    cell = f'<td align="left" balign="left" width="{points}">{inner[1:-1]}</td>'
    return f'<<table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr>{cell}</tr></table>>'


def _link(link: Link) -> dict[str, str]:
    assumed = {"color": ACCENT, "fontcolor": ACCENT, "arrowhead": "empty"} if link.assumptions and link.emphasis != "bad" else {}
    lines = "\\l".join(f"  {_text(line)} " for line in note_lines(link))
    label = {"label": graphviz.nohtml(lines + "\\l")} if lines else {}
    hint = _text(clipped(link.hint, 4 * LONGEST_HINT))
    return {
        "id": link.id, "class": f"{link.kind} {link.emphasis}", **label, "weight": "1", **LINES[link.kind], **STRESS[link.emphasis],
        **assumed, "tooltip": hint, "labeltooltip": hint,
    }  # fmt: skip


def _text(text: str) -> str:
    """A text as Graphviz takes it: neither its escapes, nor entities, nor HTML."""
    escaped: str = graphviz.escape(text.replace("&", "&amp;"))
    return escaped


def _html(lines: Iterable[Line], align: str = "center") -> str:
    """A label of several lines. Their texts have gone through :func:`wrapped`. Graphviz has no empty lines, and no empty labels."""
    shown = []
    for line in lines:
        escaped = html.escape(line.text).replace("\\", "\\\\")  # \N and its like mean something here too
        inner = f"<b>{escaped}</b>" if line.bold else escaped
        font = f' face="{line.font}"' if line.font else ""
        shown.append(f'<font point-size="{line.size}" color="{line.colour}"{font}>{inner}</font>')
    return "<" + "".join(f'{line}<br align="{align}"/>' for line in shown or [" "]) + ">"


def program(kind: str) -> str:
    """The program that lays out a graph for this kind of file: Graphviz' own, else the one that pip installs."""
    found = _which("dot", None) or (_which(PURE, None) or _which(PURE, sysconfig.get_path("scripts")) if kind != "pdf" else None)
    if found is None and kind == "pdf":
        raise BadInput("a PDF needs Graphviz: install it so that its program dot is on the PATH, or draw an SVG or PNG")
    if found is None:
        raise BadInput(f"a picture as {kind} needs Graphviz: pip install {PURE}, or put its program dot on the PATH; .dot and .mmd do not")
    return found


def _which(name: str, path: str | None) -> str | None:
    """Where the program is; one in the working directory may belong to the source and is not run."""
    found = shutil.which(name, path=path)
    return found if found is not None and os.path.isabs(found) else None


def drawn(source: str, kind: str) -> bytes:
    """A picture as ``svg``, ``png`` or ``pdf`` from its DOT text."""
    tool = program(kind)
    command = [tool, f"-T{kind}", *(["-Gdpi=144"] if kind == "png" else [])]
    try:
        done = subprocess.run(command, input=source.encode("utf-8"), capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"{os.path.basename(tool)} did not draw the picture: {error}") from error
    if not done.stdout:  # the status also tells of a layout that is merely not the best
        said = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip() and "warning" not in line.lower()]
        raise BadInput(f"{os.path.basename(tool)} did not draw the picture: {said[0] if said else 'it gave no reason'}")
    return in_the_dark(done.stdout) if kind == "svg" else done.stdout


def in_the_dark(svg: bytes) -> bytes:
    """An SVG that has other colours where the page around it is dark."""
    style = f"<style>@media (prefers-color-scheme:dark){{{''.join(dark_rules())}}}</style>"
    return re.sub(rb"<svg\b[^>]*>", lambda found: found.group() + b"\n" + style.encode(), svg, count=1)
