"""The pipeline as the page of an architecture shows it: one box a component, and what goes over each arrow.

A component is where the main path comes to another file, and does something there; where it is only handed through, the arrow says so. What
a component is called, and what it is for, is read off the graph: the classes that its places stand in, and their kinds.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from types import MappingProxyType

from .captions import short_place
from .chart import Chart, Frame, Link, Spot, SpotKind
from .flow_chart import notice
from .graph import Edge, FlowGraph, Node, NodeKind, Path
from .picture import HANDED_ON, main_ways, picture

LEGEND = "from the entry of the config to the draft's projection · beside an arrow: what goes over it"
WIDE = 46
MOST_LINES = 6
"""Lines of a box that tell what is done there."""

DOES: Mapping[NodeKind, str] = MappingProxyType({
    "key": "says", "reader": "reads", "attribute": "keeps", "transform": "makes", "test": "asks", "capture": "captures", "field": "carries",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Visit:
    """The main path in one file, from where it enters it to where it leaves it. ``incoming`` are the hops that led there."""

    file: str
    nodes: tuple[Node, ...]
    incoming: tuple[Edge, ...]
    hops: tuple[Edge, ...]


def pipeline_chart(graph: FlowGraph) -> Chart:
    """The components of the main path, in order; where the way is broken, those of each leg."""
    shown = notice(picture(graph))
    spots: list[Spot] = []
    links: list[Link] = []
    below: list[tuple[str, str]] = []
    for way in main_ways(graph):
        found = [*components(graph, way)]
        start = len(spots)
        below += [(spots[-1].id, f"n{start}")] if spots and found else []
        for number, (visit, _) in enumerate(found, start):
            spots.append(_component(graph, f"n{number}", visit))
        if found and found[-1][0].nodes[-1].kind == "consumer":
            spots.append(_consumer(graph, f"n{len(spots)}", way[-1]))
            found.append((Visit("", (), way[-1:], ()), ()))
        links += _links(found, start, len(links))
    title, frame = f"{graph.flow} · {graph.model}", Frame("all", "", tuple(spots))
    return Chart(title, (frame,), tuple(links), LEGEND, shown, below=tuple(below), wide=WIDE)


Via = tuple[Node, ...]
"""Places between two components that only hand the value on."""


def components(graph: FlowGraph, way: Path) -> Iterator[tuple[Visit, Via]]:
    """The visits that do something, each with what lies between the one before and it."""
    via: tuple[Node, ...] = ()
    incoming: tuple[Edge, ...] = ()
    seen: set[str] = set()
    for visit in visits(way):
        incoming += visit.incoming
        if does_something(graph, visit, again=visit.file in seen):
            yield Visit(visit.file, visit.nodes, incoming, visit.hops), via
            via, incoming = (), ()
            seen.add(visit.file)
        else:
            via += visit.nodes
            incoming += visit.hops


def visits(way: Path) -> Iterator[Visit]:
    """The way, cut where it comes to another file."""
    nodes = [*(edge.source for edge in way[:1]), *(edge.target for edge in way)]
    at = 0
    for file, group in groupby(nodes, key=lambda node: node.at.file):
        own = tuple(group)
        yield Visit(file, own, way[at - 1 : at] if at else (), way[at : at + len(own) - 1])
        at += len(own)


def does_something(graph: FlowGraph, visit: Visit, *, again: bool) -> bool:
    """Whether the value is more than handed through: it is kept, changed or asked for. The target class that was asked for is always
    told, and so is whatever comes at the end."""
    kinds = {node.kind for node in visit.nodes} - HANDED_ON
    if again:
        return bool(kinds - {"attribute", "collection"})  # kept for the next one only
    return bool(kinds) or any(owner(node) == graph.model for node in visit.nodes)


def owner(node: Node) -> str:
    """The class that a place stands in, else the function; "" where it is in neither."""
    return node.symbol.partition(".")[0]


def _component(graph: FlowGraph, name: str, visit: Visit) -> Spot:
    classes = [*dict.fromkeys(owner(node) for node in visit.nodes if owner(node))]
    file = visit.file.rpartition("/")[2]
    lines = [*dict.fromkeys(_does(graph, visit))]
    small = (*lines[:MOST_LINES], *([f"and {len(lines) - MOST_LINES} more"] * (len(lines) > MOST_LINES)))
    hint = " · ".join((visit.file, *(f"line {node.at.line}: {node.kind} {node.label}" for node in visit.nodes)))
    word = f"{_part(graph, visit)} · {short_place(visit.nodes[0].at)}"
    kinds = {node.kind for node in visit.nodes}
    kind: SpotKind = "key" if "key" in kinds else "capture" if "capture" in kinds else "component"
    return Spot(name, kind, ", ".join(classes) or file, word, "", small, visit.nodes[0].at, hint, "main")


def _part(graph: FlowGraph, visit: Visit) -> str:
    """What a component is for, by what is done in it."""
    kinds = {node.kind for node in visit.nodes}
    if "capture" in kinds:
        return "target model"
    for kind, part in (("key", "config"), ("consumer", "draft model"), ("reader", "reads the config")):
        if kind in kinds:
            return part
    if any(owner(node) == graph.model for node in visit.nodes):
        return "target model"
    return "transforms" if "transform" in kinds else "hands on"


def _does(graph: FlowGraph, visit: Visit) -> Iterator[str]:
    """What is done in a component, in order: each line with what becomes of the value, and the number of the line."""
    changes = {edge.target: edge for edge in (*visit.incoming[-1:], *visit.hops)}
    for node in visit.nodes:
        if node.kind not in DOES:
            continue
        edge = changes.get(node)
        lines = [node.at.line]
        if node.kind == "capture":
            lines = sorted({each.at.line for each in graph.of_kind("capture") if each.at.file == visit.file})
        value = f": {edge.change}" if edge is not None and edge.change and node.kind in ("key", "transform", "reader") else ""
        label = node.label.removeprefix("read ") if node.kind == "reader" else node.label
        yield f"{DOES[node.kind]} {label}{value} (line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))})"


def _consumer(graph: FlowGraph, name: str, last: Edge) -> Spot:
    """The projection, with what was proved to arrive there."""
    widths = [edge.after for edge in graph.edges if edge.kind == "width" and edge.target.kind == "consumer" and edge.after]
    arrives, node = points_over(last), last.target
    small = (*([f"input: {arrives}"] if arrives else []), *(f"input width {width}" for width in dict.fromkeys(widths)))
    return Spot(name, "consumer", node.label, f"the draft's projection · {short_place(node.at)}", "", small, node.at, str(node.at), "main")


def points_over(edge: Edge) -> str:
    """The captured points that were proved to go over a hop; "" where something on the way may have made others of them."""
    return edge.after.strip("[]") if edge.after.startswith("[") else ""


def _links(found: Sequence[tuple[Visit, Via]], first: int, count: int) -> Iterator[Link]:
    """The arrows between the components of one way: before the capture with the ids as they were last seen, behind it with the points."""
    value, captured = "", False
    for number, ((visit, _), (following, via)) in enumerate(pairwise(found)):
        crossed = following.incoming
        captured = captured or any(node.kind == "capture" for node in visit.nodes)
        before = value
        if captured:
            value = points_over(crossed[-1]) if crossed else ""
        else:
            seen = [*visit.incoming, *visit.hops, *crossed]
            value = next((edge.after for edge in reversed(seen) if edge.after.startswith("[")), value)
        passed = [*dict.fromkeys(owner(node) for node in via if owner(node))]
        notes = (*([value] if value else []), *([f"through {', '.join(passed)}"] if passed else []))
        rests = tuple(dict.fromkeys(edge.assumption for edge in crossed if edge.assumption))
        hint = " · ".join((*notes, *(f"assumes {name}" for name in rests), *(str(edge.at) for edge in crossed)))
        ends = f"n{first + number}", f"n{first + number + 1}"
        yield Link(f"link{count + number}", *ends, "data", notes, rests, before or value, value, hint, "main")
