"""The command ``trace``: from the result to what is printed and drawn."""
from __future__ import annotations

from .graph_command import Asked
from .json_report import dumps
from .output import emit
from .report import Detail
from .text import paint
from .trace_json import trace_document
from .trace_report import trace_report
from .traces import Trace


def show_trace(trace: Trace, asked: Asked, detail: Detail) -> None:
    """Draw, then print."""
    if asked.drawings:
        from .drawings import write_charts
        from .flow_chart import flow_chart
        from .picture import ways_picture

        starts = {(each.mention.at, each.mention.column) for each in trace.readers if each.best.status != "never"}
        write_charts(flow_chart(ways_picture(trace.graph, starts)), asked.drawings)
    texts = {
        "text": lambda colour: paint(trace_report(trace, detail), colour),
        "json": lambda _: dumps(trace_document(trace)),
    }
    emit(asked.outputs, texts)
