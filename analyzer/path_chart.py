"""The main path, every hop of it: each place with its line of code, in a frame for each file that the way comes to."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from .captions import file_lines
from .chart import Chart, Frame, Link, Spot
from .flow_chart import notice
from .graph import Edge, FlowGraph, Node
from .picture import HANDED_ON, main_ways, picture
from .results import Location

LEGEND = "every hop of the main path, with its line · dashed: decides whether · beside an arrow: what becomes of the value"


def path_chart(graph: FlowGraph, excerpt: Callable[[Location], str | None]) -> Chart:
    """The hops in order; where the way is broken, those of each leg."""
    spots: list[Spot] = []
    links: list[Link] = []
    below: list[tuple[str, str]] = []
    for way in main_ways(graph):
        nodes = [*(edge.source for edge in way[:1]), *(edge.target for edge in way)]
        first = len(spots)
        if spots and nodes:
            below.append((spots[-1].id, f"n{first}"))
        spots += [_spot(node, number, excerpt(node.at)) for number, node in enumerate(nodes, len(spots))]
        links += [_link(edge, first + number, len(links) + number) for number, edge in enumerate(way)]
    return Chart(
        f"{graph.flow} · {graph.model}", tuple(_frames(spots)), tuple(links), LEGEND, notice(picture(graph)), below=tuple(below)
    )


def _frames(spots: Sequence[Spot]) -> Iterator[Frame]:
    runs = groupby(spots, key=lambda spot: spot.place.file if spot.place is not None else "")
    for number, (file, run) in enumerate(runs):
        folder, name = file_lines(file)
        yield Frame(f"file{number}", name, tuple(run), folder, hint=file)


def _spot(node: Node, number: int, code: str | None) -> Spot:
    """A place. Those that change or decide something are stressed."""
    title = f"{number + 1}  {node.kind}  {node.label}"
    hint = " · ".join((f"{node.kind}: {node.label}", *([node.symbol] if node.symbol else []), str(node.at)))
    line = f"{node.at.line} | {(code or '').strip()}"
    return Spot(f"n{number}", "line", title, "", line, (), node.at, hint, "plain" if node.kind in HANDED_ON else "main")


def _link(edge: Edge, source: int, number: int) -> Link:
    told = [edge.label] if edge.label not in ("", edge.target.label) and (edge.change or edge.target.kind not in HANDED_ON) else []
    notes = (*told, *([edge.change] if edge.change else []))
    rests = (edge.assumption,) if edge.assumption else ()
    hint = " · ".join((*notes, *(f"assumes {name}" for name in rests), str(edge.at)))
    ends = f"n{source}", f"n{source + 1}"
    return Link(f"link{number}", *ends, edge.kind, notes, rests, edge.before, edge.after, hint, "main")
