"""The pictures that ``-o`` asks for, each in its format."""
from __future__ import annotations

import os
from collections.abc import Sequence

from .draw import dot, drawn, program
from .errors import BadInput
from .graph import FlowGraph, GraphAnalysis
from .mermaid import mermaid
from .options import Drawing
from .output import write
from .picture import Picture, picture
from .steps import task

TEXTS = {"dot": dot, "mmd": mermaid}
"""The formats that need no program."""

MOST_NAMED = 5


def ready(drawings: Sequence[Drawing]) -> None:
    """BadInput where a picture cannot be drawn on this machine."""
    for drawing in drawings:
        if drawing.kind not in TEXTS:
            program(drawing.kind)


def write_drawings(analysis: GraphAnalysis, drawings: Sequence[Drawing]) -> None:
    """Draw the one graph there is into each file."""
    write_pictures(picture(_only(analysis.graphs, drawings[0].file)), drawings)


def write_pictures(shown: Picture, drawings: Sequence[Drawing]) -> None:
    """Draw one picture into each file."""
    for drawing in drawings:
        with task("show", "drawing", drawing.file):
            content = _content(shown, drawing)
        write(drawing.file, content)


def _content(shown: Picture, drawing: Drawing) -> str | bytes:
    folder = os.path.dirname(drawing.file)
    return TEXTS[drawing.kind](shown, folder) if drawing.kind in TEXTS else drawn(dot(shown, folder), drawing.kind)


def _only(graphs: Sequence[FlowGraph], file: str) -> FlowGraph:
    """A picture shows one flow in one target class."""
    if len(graphs) == 1:
        return graphs[0]
    if not graphs:
        raise BadInput(f"-o {file}: there is no target class to draw")
    named = [f"{graph.flow} of {graph.model}" for graph in graphs[:MOST_NAMED]] + ["…"] * (len(graphs) > MOST_NAMED)
    raise BadInput(f"-o {file}: a picture shows one target class; choose with --model (and --flow) among {len(graphs)}: {', '.join(named)}")
