"""The command ``graph``: which results are wanted, and where they go. ``trace`` asks for its own in the same way."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .graph import GraphAnalysis
from .graph_report import graph_report
from .json_report import dumps, graph_document
from .options import Drawing, Output, read_drawings, read_outputs
from .output import emit
from .report import Detail
from .text import paint


@dataclass(frozen=True, slots=True)
class Asked:
    """The renderings and the pictures that are wanted."""

    outputs: Sequence[Output]
    drawings: Sequence[Drawing]


def read_asked(files: Sequence[str], short: str | None, long: Sequence[str]) -> Asked:
    """What the options ask for: text where they name nothing. What a picture lacks is said at once, before the analysis runs."""
    outputs = read_outputs(short, long) if short is not None or long or not files else ()
    drawings = read_drawings(files, outputs)
    if drawings:
        from .drawings import ready

        ready(drawings)
    return Asked(outputs, drawings)


def show_graph(analysis: GraphAnalysis, asked: Asked, detail: Detail) -> None:
    """Draw, then print."""
    if asked.drawings:
        from .drawings import write_drawings

        write_drawings(analysis, asked.drawings)
    texts = {
        "text": lambda colour: paint(graph_report(analysis, detail), colour),
        "json": lambda _: dumps(graph_document(analysis)),
    }
    emit(asked.outputs, texts)
