"""The text of ``flowcheck graph``: the main path hop by hop, what was followed, and what could not be established."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .files_report import files_report
from .graph import Coverage, Edge, FlowGraph, GraphAnalysis, Node, Path
from .report import Detail, legend_report, source_line
from .results import NotEstablished
from .text import Line, Span, line


def graph_report(analysis: GraphAnalysis, detail: Detail) -> Iterator[Line]:
    """Each graph, then what concerns none of them, and the assumptions."""
    if not detail.quiet:
        yield source_line(analysis.source)
    for graph in analysis.graphs:
        yield line()
        yield line(Span(f"{graph.flow} · {graph.model}", "bold"), f"  {_size(graph)}")
        yield from _graph(graph, detail)
    if not analysis.graphs:
        yield line("no target class with a setter of the flow")
    yield from _section("Not established", (_unproved(entry) for entry in analysis.not_established))
    if not detail.quiet:
        yield from legend_report(analysis.assumptions)
    yield from files_report(analysis.files) if detail.verbose else ()


def _size(graph: FlowGraph) -> str:
    return f"{len(graph.nodes)} places, {len(graph.edges)} hops"


def _graph(graph: FlowGraph, detail: Detail) -> Iterator[Line]:
    legs = graph.legs()
    width = max((len(str(node.at)) for node in graph.nodes), default=0)
    yield from _main_path(graph, legs, width)
    yield from _section("Width", _pairs((edge for edge in graph.edges if edge.kind == "width"), width))
    if detail.verbose:
        told = {edge for leg in legs if leg for edge in leg}
        yield from _section("Other hops", _pairs((edge for edge in graph.edges if edge not in told and edge.kind != "width"), width))
    yield from _section("Coverage", (found for part in graph.coverage for found in _coverage(part)))
    yield from _section("Not established", (_unproved(entry) for entry in graph.not_established))


def _main_path(graph: FlowGraph, legs: tuple[Path | None, Path | None], width: int) -> Iterator[Line]:
    """The hops of both legs, and where the way breaks."""
    first, second = legs
    from_key, from_capture = graph.trails()
    if first is None:
        yield from _broken(from_key, "from the key to a capture", width)
    else:
        yield from _way(first, None, width)
    last = first[-1].target if first else None
    if second is not None:
        yield from _way(second, last, width)
    elif first is not None or graph.of_kind("capture"):
        yield from _broken(from_capture, "from a capture to the consumer", width, last)


def _way(path: Path, before: Node | None, width: int) -> Iterator[Line]:
    """The hops of a path; the place where it begins too, unless it has been told ``before``."""
    if path and path[0].source != before:
        yield _arrival(path[0].source, width)
    yield from (_hop(edge, width) for edge in path)


def _broken(trail: Path, what: str, width: int, before: Node | None = None) -> Iterator[Line]:
    yield from _way(trail, before, width)
    yield line("    ", Span(f"not established: no way {what}{'; this is how far it was followed' if trail else ''}", "yellow"))


def _pairs(edges: Iterable[Edge], width: int) -> Iterator[Line]:
    """Hops that stand alone: where each comes from, and below it where it goes."""
    told: dict[tuple[Line, Line], None] = {}
    for edge in edges:
        told[_arrival(edge.source, width), (Span(" -> "), *_hop(edge, width)[1:])] = None  # the same hop in another context is told once
    for source, target in told:
        yield source
        yield target


def _arrival(node: Node, width: int) -> Line:
    return line("    ", Span(f"{node.at!s:{width}}", "dim"), f"  {node.kind:10}  {node.label}")


def _hop(edge: Edge, width: int) -> Line:
    """A hop is told at its target: the place, what it is, and what became of the value."""
    change = ": ".join(_changes(edge))
    told = (Span("  "), Span(change, "bold")) if change else ()
    rests_on = (Span(f"  [assumes {edge.assumption}]", "yellow"),) if edge.assumption else ()
    return (*_arrival(edge.target, width), *told, *rests_on)


def _changes(edge: Edge) -> Iterator[str]:
    """What is done on a hop, and what becomes of the value."""
    if edge.label and edge.label != edge.target.label:
        yield edge.label
    elif edge.kind == "control":
        yield "only if so"
    if edge.change:
        yield edge.change


def _section(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    shown = list(lines)
    if shown:
        yield from (line(), line("  ", Span(title, "bold")), *shown)


def _coverage(part: Coverage) -> Iterator[Line]:
    phases: Sequence[str] = part.phases or ("nothing was seen to arrive",)
    yield line(f"    {part.what}  ", Span(", ".join(phases), "plain" if part.phases else "yellow"), Span(f"  {part.at}", "dim"))
    yield from (line("  ", *_unproved(entry)) for entry in part.missing)


def _unproved(entry: NotEstablished) -> Line:
    return line("    ", Span(f"{entry.what}: {entry.reason}", "yellow"), Span(f"  {entry.at}", "dim"))
