"""The pictures that ``-o`` asks for, each in its format."""
from __future__ import annotations

import os
from collections.abc import Sequence

from .chart import Chart
from .draw import dot, drawn, program
from .mermaid import mermaid
from .options import Drawing
from .output import write
from .steps import task

TEXTS = {"dot": dot, "mmd": mermaid}
"""The formats that need no program."""


def ready(drawings: Sequence[Drawing]) -> None:
    """BadInput where a picture cannot be drawn on this machine."""
    for drawing in drawings:
        if drawing.kind not in TEXTS:
            program(drawing.kind)


def write_charts(shown: Chart, drawings: Sequence[Drawing]) -> None:
    """Draw one chart into each file."""
    for drawing in drawings:
        with task("show", "drawing", drawing.file):
            content = _content(shown, drawing)
        write(drawing.file, content)


def _content(shown: Chart, drawing: Drawing) -> str | bytes:
    folder = os.path.dirname(drawing.file)
    return TEXTS[drawing.kind](shown, folder) if drawing.kind in TEXTS else drawn(dot(shown, folder), drawing.kind)
