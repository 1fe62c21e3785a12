"""The views that ``--view`` names: what each needs, and the one thing that it shows."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .chart import Chart
from .compare_chart import compare_chart
from .errors import BadInput
from .flow_chart import flow_chart
from .graph import GraphAnalysis
from .models_chart import models_chart
from .path_chart import path_chart
from .picture import picture
from .pipeline import hold_together
from .pipeline_chart import pipeline_chart
from .request import Request
from .results import Analysis

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Runs:
    """The analyses that views are made from: the graphs, and what the target classes capture."""

    graphs: Callable[[Request], GraphAnalysis]
    wirings: Callable[[Request], Analysis]


def check_view(view: str, request: Request) -> None:
    """BadInput where a view lacks what it shows, or is given what it cannot show."""
    if view == "compare":
        if request.draft is None:
            raise BadInput("--view compare shows what a draft was trained on beside what it is served: give its config with --draft")
        if request.ids is not None:
            raise BadInput("--view compare shows the ids of the draft's config: leave out --ids")
    elif request.train is not None or request.train_config is not None or request.train_engine is not None:
        raise BadInput("--train says what the draft was trained on, which only --view compare shows: add it, with -o FILE")
    if view == "models" and request.ids is not None:
        raise BadInput("--view models shows what every id captures: leave out --ids")


def view_of(view: str, request: Request, runs: Runs, graphs: GraphAnalysis | None, file: str) -> Chart:
    """The chart of a view; ``graphs`` are those of the request where they are there already, ``file`` is what is drawn first."""
    if view == "models":
        analysis = runs.wirings(replace(request, draft=None))
        return models_chart(analysis.source, analysis.wirings)
    if view == "compare":
        return sides_chart(hold_together(request), request, file)
    return graph_chart(view, runs.graphs(request) if graphs is None else graphs, file)


def graph_chart(view: str, analysis: GraphAnalysis, file: str) -> Chart:
    """A view of the one graph that there is."""
    names = [f"{graph.flow} of {graph.model}" for graph in analysis.graphs]
    graph = analysis.graphs[only(names, file)]
    if view == "pipeline":
        return pipeline_chart(graph)
    return path_chart(graph, analysis.excerpt) if view == "path" else flow_chart(picture(graph))


def sides_chart(analysis: Analysis, request: Request, file: str) -> Chart:
    """Both sides of the one draft in the one target class that there is."""
    compared = analysis.comparisons
    found = compared[only([f"{each.flow} of {each.model}" for each in compared], file)]
    if found.trained is None:
        wanted = "give the trainer's source or its contract with --train, or put a contract.json beside the config"
        raise BadInput(f"nothing says what {found.draft or request.draft} was trained on: {wanted}")
    return compare_chart(found, found.trained, analysis.excerpt)


def only(names: Sequence[str], file: str) -> int:
    """The number of what there is one of: a picture shows one flow in one target class."""
    if len(names) == 1:
        return 0
    if not names:
        raise BadInput(f"-o {file}: there is no target class to draw")
    named = [*names[:MOST_NAMED], *["…"] * (len(names) > MOST_NAMED)]
    raise BadInput(f"-o {file}: a picture shows one target class; choose with --model (and --flow) among {len(names)}: {', '.join(named)}")
