"""The command ``graph``: which results are wanted, and where they go. ``trace`` asks for its own in the same way."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .graph_report import graph_report
from .json_report import dumps, graph_document
from .options import Drawing, Output, read_drawings, read_outputs, read_view
from .output import emit
from .report import Detail
from .request import Request
from .text import paint
from .views import Runs, check_view, view_of


@dataclass(frozen=True, slots=True)
class Asked:
    """The renderings and the pictures that are wanted, and the view that the pictures show."""

    outputs: Sequence[Output]
    drawings: Sequence[Drawing]
    view: str


def read_asked(files: Sequence[str], short: str | None, long: Sequence[str], view: str | None = None) -> Asked:
    """What the options ask for: text where they name nothing. What a picture lacks is said at once, before the analysis runs."""
    outputs = read_outputs(short, long) if short is not None or long or not files else ()
    drawings = read_drawings(files, outputs)
    if drawings:
        from .drawings import ready

        ready(drawings)
    return Asked(outputs, drawings, read_view(view, drawn=bool(files)))


def show_graph(request: Request, runs: Runs, asked: Asked, detail: Detail) -> None:
    """Draw, then print."""
    check_view(asked.view, request)
    plain = replace(request, train=None, train_config=None, train_engine=None)
    analysis = runs.graphs(plain) if asked.outputs else None
    if asked.drawings:
        from .drawings import write_charts

        write_charts(view_of(asked.view, request, runs, analysis, asked.drawings[0].file), asked.drawings)
    if analysis is not None:
        text, data = graph_report(analysis, detail), graph_document(analysis)
        emit(asked.outputs, {"text": lambda colour: paint(text, colour), "json": lambda _: dumps(data)})
