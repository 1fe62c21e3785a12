"""Pictures through Graphviz: DOT text needs nothing but the Python package, SVG, PNG and PDF need a program that lays the graph out."""
from __future__ import annotations

import html
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import graphviz

from .captions import LONGEST_LABEL, arrow_hint, arrow_lines, box_hint, file_lines, link, small_print, title_lines
from .errors import BadInput
from .escape import clipped, terminal
from .graph import EdgeKind, NodeKind
from .picture import Arrow, Box, Picture

FONT = "Helvetica"
INK, GREY, ACCENT, MAIN = "#222222", "#5f6368", "#a34700", "#0b4f8a"
"""Dark enough on white and in print; ``ACCENT`` marks assumptions, ``MAIN`` the main path."""

PURE = "graphviz-pure"
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Look:
    """How a kind of place looks. Kinds differ in shape as well as in colour, and the kind is written in the box."""

    shape: str
    fill: str
    style: str = "filled"
    peripheries: str = "1"


_PASSED = Look("box", "#ffffff", "filled,rounded")
LOOKS: Mapping[NodeKind, Look] = MappingProxyType({
    "key": Look("note", "#fff2cc"),
    "reader": Look("box", "#fff2cc"),
    "variable": _PASSED,
    "attribute": Look("box", "#f1f3f4", "filled,rounded"),
    "parameter": _PASSED,
    "argument": _PASSED,
    "transform": Look("component", "#fde0cc"),
    "test": Look("hexagon", "#efe3f5"),
    "capture": Look("box", "#d9f0e4", "filled,diagonals"),
    "collection": Look("folder", "#d9f0e4"),
    "field": Look("tab", "#dcebf9"),
    "return": _PASSED,
    "consumer": Look("box", "#bcd9f5", "filled,bold", "2"),
    "width": Look("box", "#ffffff", "filled,dashed"),
})  # fmt: skip
LINES: Mapping[EdgeKind, str] = MappingProxyType({"data": "solid", "call": "solid", "control": "dashed", "width": "dotted"})

LEGEND = "thick: the main path · dashed: decides whether · dotted: makes the width"


def dot(shown: Picture, folder: str = "") -> str:
    """The picture in Graphviz' language. Links are relative to ``folder``, where the file will lie."""
    title, legend, notice = title_lines(shown, LEGEND)
    graph = graphviz.Digraph(
        graph_attr={
            "label": _html((title, "16", INK, True), (legend, "10", GREY, False), (notice, "10", ACCENT, False)),
            "labelloc": "t", "tooltip": _text(title), "fontname": FONT, "pad": "0.2",
            "rankdir": "TB", "newrank": "true", "nodesep": "0.45", "ranksep": "0.4",
        },
        node_attr={"fontname": FONT, "fontsize": "12", "color": GREY, "fontcolor": INK, "margin": "0.16,0.1", "width": "3.3"},
        edge_attr={"fontname": FONT, "fontsize": "10", "color": GREY, "fontcolor": INK, "arrowsize": "0.7"},
    )  # fmt: skip
    for number, (file, boxes) in enumerate(shown.files):
        with graph.subgraph(name=f"cluster_{number}") as cluster:
            cluster.attr(**_cluster(file))
            for box in boxes:
                cluster.node(box.id, **_box(box, folder))
            keys = [box for box in boxes if box.kind == "key"]
            if keys:
                with cluster.subgraph(graph_attr={"rank": "min"}) as top:
                    for box in keys:
                        top.node(box.id)
    for arrow in shown.arrows:
        graph.edge(arrow.source, arrow.target, **_arrow(arrow))
    source: str = graph.source
    return source


def _cluster(file: str) -> dict[str, str]:
    folder, name = file_lines(file)
    label = _html((folder, "9", GREY, False), (name, "11", GREY, True), align="left")
    look = {"style": "rounded,filled", "color": "#c4c7c5", "fillcolor": "#fafafa", "labeljust": "l", "margin": "12"}
    return {"label": label, "tooltip": _text(terminal(file)), **look}


def _box(box: Box, folder: str) -> dict[str, str]:
    look = LOOKS[box.kind]
    label = clipped(box.label, LONGEST_LABEL)
    return {
        "label": _html((box.kind, "9", GREY, False), (label, "12", INK, box.main), (small_print(box), "9", GREY, False)),
        "shape": look.shape, "style": look.style, "fillcolor": look.fill, "peripheries": look.peripheries,
        "tooltip": _text(box_hint(box)), "URL": _text(link(box.at, folder)),
        **({"color": MAIN, "penwidth": "1.6", "group": "main"} if box.main else {}),
    }  # fmt: skip


def _arrow(arrow: Arrow) -> dict[str, str]:
    marked = {"color": ACCENT, "fontcolor": ACCENT, "arrowhead": "empty"} if arrow.assumptions else {}
    main = {"color": MAIN, "penwidth": "2.4", "weight": "20"} if arrow.main else {"weight": "4" if arrow.kind == "width" else "1"}
    lines = "\\l".join(f" {_text(line)} " for line in arrow_lines(arrow))
    label = {"label": graphviz.nohtml(lines + "\\l")} if lines else {}
    hint = _text(arrow_hint(arrow))
    return {**label, "style": LINES[arrow.kind], **main, **marked, "tooltip": hint, "labeltooltip": hint}


def _text(text: str) -> str:
    """A text as Graphviz takes it: neither its escapes, nor entities, nor HTML."""
    escaped: str = graphviz.escape(text.replace("&", "&amp;"))
    return escaped


def _html(*lines: tuple[str, str, str, bool], align: str = "center") -> str:
    """A label of several lines, each with its size, colour and weight. The texts have gone through :func:`clipped`. Graphviz has no
    empty lines, and no empty labels."""
    shown = []
    for text, size, colour, bold in [line for line in lines if line[0].strip()]:
        escaped = html.escape(text).replace("\\", "\\\\")  # \N and its like mean something here too
        inner = f"<b>{escaped}</b>" if bold else escaped
        shown.append(f'<font point-size="{size}" color="{colour}">{inner}</font>')
    return "<" + "".join(f'{line}<br align="{align}"/>' for line in shown) + ">"


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
    return done.stdout
