"""What a picture of a flow graph shows: the graph condensed until a person can read it at a glance.

Places of the same kind and label are one box, whatever context they ran in. Places that only hand a value on are folded into the arrow
that leads over them. Where that is still too much, the ways off the main path go. The graph itself, and its JSON, keep everything.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from .fold import Hop, Hops, fold
from .graph import Edge, EdgeKind, FlowGraph, Node, NodeKind, Path
from .results import Location

HANDED_ON: frozenset[NodeKind] = frozenset({"variable", "argument", "parameter", "return"})
"""Kinds of places that say little: a value passes them unchanged."""

TELLING: frozenset[NodeKind] = frozenset({"key", "transform", "test", "capture", "consumer", "width"})
"""Kinds of places that change a value, or decide something."""

MOST_BOXES = 28
MOST_ARROWS = 36
ROWS_ONLY = re.compile(r"\[.*\]|\.(to|contiguous|clone|detach|view|reshape|flatten|float|half|bfloat16|cuda|cpu)")
"""Transforms of a tensor that choose rows or change its form: the captured points stay what they are."""


@dataclass(frozen=True, slots=True)
class Box:
    """One place of the picture. ``id`` is a plain word, ``contexts`` are those that were merged into it, ``main`` is whether the main
    path visits it."""

    id: str
    kind: NodeKind
    label: str
    at: Location
    symbol: str
    contexts: tuple[str, ...]
    main: bool


@dataclass(frozen=True, slots=True)
class Arrow:
    """One or more hops between two boxes: ``notes`` say what they do to the value, ``assumptions`` what they rest on, ``places`` where
    they happen; ``before`` and ``after`` are the value at their ends, or ""."""

    source: str
    target: str
    kind: EdgeKind
    notes: tuple[str, ...]
    assumptions: tuple[str, ...]
    places: tuple[Location, ...]
    main: bool
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """The boxes by file, in the order in which the flow comes to the files. ``places`` counts those of the whole graph, ``unproved``
    what is not established; ``broken`` is whether the key reaches no consumer."""

    flow: str
    model: str
    files: tuple[tuple[str, tuple[Box, ...]], ...]
    arrows: tuple[Arrow, ...]
    places: int
    unproved: int
    broken: bool

    @property
    def boxes(self) -> tuple[Box, ...]:
        return tuple(box for _, boxes in self.files for box in boxes)


def picture(graph: FlowGraph) -> Picture:
    """The graph, condensed to what is worth looking at."""
    drawing = _Drawing(graph)
    drawing.fold_what_is_handed_on()
    for condense in (drawing.drop_dead_ends, drawing.fold_byways, drawing.drop_byways, drawing.fold_main_path):
        if drawing.is_crowded():
            condense()
    return drawing.picture()


def ways_picture(graph: FlowGraph, readers: Collection[tuple[Location, int]]) -> Picture:
    """The ways from readers, where nothing says to which consumer they lead: those from ``readers`` where the graph has one of them, else
    all."""
    starts = [node for node in graph.nodes if node.kind == "reader" and (node.at, node.column) in readers]
    kept = graph.reached(starts or graph.of_kind("reader"), ())
    part = FlowGraph(graph.flow, graph.model)
    for node in graph.nodes:
        if node in kept:
            part.add(node)
    for edge in graph.edges:
        if edge.target in kept and (edge.source in kept or edge.source.kind == "key"):
            part.connect(edge)
    drawing = _Drawing(part)
    drawing.fold_what_is_handed_on()
    for condense in (drawing.fold_byways, drawing.drop_byways, drawing.fold_main_path):
        if drawing.is_crowded():
            condense()
    return replace(drawing.picture(), broken=False)


Place = tuple[NodeKind, str, Location]
"""What makes two nodes one box."""


def _place(node: Node) -> Place:
    return node.kind, node.label, node.at


class _Drawing:
    """The boxes that are kept so far, and the hops between them."""

    def __init__(self, graph: FlowGraph) -> None:
        self.graph = graph
        self.merged: dict[Place, list[Node]] = {}
        for node in graph.nodes:
            self.merged.setdefault(_place(node), []).append(node)
        ways = list(main_ways(graph))
        self.main = dict.fromkeys(_place(node) for way in ways for edge in way for node in (edge.source, edge.target))
        self.ends = {_place(way[-1].target) for way in ways if way}
        self.hops: Hops[Place] = {}
        on_main = {edge for way in ways for edge in way}
        for edge in graph.edges:
            self._add(edge, edge in on_main)
        self.kept = set(self.merged)

    def _add(self, edge: Edge, main: bool) -> None:
        ends = _place(edge.source), _place(edge.target)
        if ends[0] != ends[1]:
            rests_on = (edge.assumption,) if edge.assumption else ()
            hop = Hop(edge.kind, tuple(_notes(edge)), rests_on, (edge.at,), main, edge.before, edge.after)
            self.hops[ends] = self.hops[ends].beside(hop) if ends in self.hops else hop

    def is_crowded(self) -> bool:
        return len(self.kept) > MOST_BOXES or len(self.hops) > MOST_ARROWS

    def fold_what_is_handed_on(self) -> None:
        """Fold the places that only hand a value on, but leave each file of the main path one box, and the place where it ends."""
        self._keep(self._with_each_file({place for place in self.merged if place[0] not in HANDED_ON and not self._is_rows(place)}))

    def _is_rows(self, place: Place) -> bool:
        return place not in self.main and place[0] == "transform" and ROWS_ONLY.fullmatch(place[1]) is not None

    def _with_each_file(self, places: set[Place]) -> set[Place]:
        """The places, and one more of the main path for each file that has none; and where its legs end."""
        files = {place[2].file: place for place in reversed([*self.main]) if place in self.kept}
        seen = {place[2].file for place in places}
        return places | self.ends | {place for file, place in files.items() if file not in seen}

    def drop_dead_ends(self) -> None:
        """Leave out what does not lie on a way to the consumer, and fold what then only hands a value on."""
        graph = self.graph
        useful = graph.between(graph.of_kind("key", "reader", "width"), graph.of_kind("consumer"))
        self._only({*(_place(node) for node in useful), *self.main})
        self.fold_what_is_handed_on()

    def fold_byways(self) -> None:
        """Fold what lies off the main path, but for what changes or decides something."""
        self._keep({place for place in self.kept if place in self.main or place[0] in TELLING}, most=6)

    def drop_byways(self) -> None:
        """Leave the main path, what its width is made of, and as many simple byways of one place as there is room for."""
        wanted = [place for place in self.merged if place in self.kept and self._is_wanted(place)]
        leaves = Counter(target for source, target in self.hops if source in self.main)
        returns = Counter(source for source, target in self.hops if target in self.main)
        short = [place for place in self.merged if place in self.kept and place not in wanted and leaves[place] == returns[place] == 1]
        room = min(MOST_BOXES - len(wanted), (MOST_ARROWS - len(wanted)) // 2)
        self._only({*wanted, *short[: max(0, room)]} or set(list(self.merged)[:MOST_BOXES]))
        self.hops = {ends: hop for ends, hop in self.hops.items() if hop.kind == "width" or not self.main or self.main.keys() & {*ends}}

    def _is_wanted(self, place: Place) -> bool:
        return place in self.main or place[0] == "width"

    def fold_main_path(self) -> None:
        """Fold what neither changes nor decides anything on the main path too, but for one place of each file."""
        self._keep(self._with_each_file({place for place in self.kept if place[0] in TELLING or place not in self.main}))

    def _keep(self, wanted: set[Place], most: int = 0) -> None:
        gone = fold(self.hops, [place for place in self.merged if place in self.kept and place not in wanted], most)
        self.kept -= gone

    def _only(self, wanted: set[Place]) -> None:
        self.kept &= wanted
        self.hops = {ends: hop for ends, hop in self.hops.items() if ends[0] in self.kept and ends[1] in self.kept}

    def picture(self) -> Picture:
        order = [place for place in self._along_the_flow() if place in self.kept]
        boxes = {place: self._box(f"n{number}", place) for number, place in enumerate(order)}
        files: dict[str, list[Box]] = {}
        for box in boxes.values():
            files.setdefault(box.at.file, []).append(box)
        rank = {place: number for number, place in enumerate(order)}
        hops = sorted(self.hops.items(), key=lambda entry: (rank[entry[0][0]], rank[entry[0][1]]))
        arrows = tuple(_arrow(boxes[source].id, boxes[target].id, hop) for (source, target), hop in hops)
        graph, by_file = self.graph, tuple((file, tuple(found)) for file, found in files.items())
        unproved = len(graph.not_established) + sum(len(part.missing) for part in graph.coverage)
        return Picture(graph.flow, graph.model, by_file, arrows, len(self.merged), unproved, graph.main_path() is None)

    def _along_the_flow(self) -> Iterable[Place]:
        """The main path first, then the rest as the analysis came by it."""
        return dict.fromkeys((*self.main, *self.merged))

    def _box(self, name: str, place: Place) -> Box:
        nodes = self.merged[place]
        contexts = tuple(dict.fromkeys(node.context for node in nodes if node.context))
        return Box(name, place[0], place[1], place[2], nodes[0].symbol, contexts, place in self.main)


def _notes(edge: Edge) -> Iterator[str]:
    """What an arrow says of a hop: what is done, where the box it leads to does not say it, and what becomes of the value."""
    if edge.label not in ("", edge.target.label) and (edge.change or edge.kind == "width" or edge.target.kind not in HANDED_ON):
        yield edge.label
    if edge.change:
        yield edge.change


def main_ways(graph: FlowGraph) -> Iterator[Path]:
    """The main path; where it is broken its legs, and of one that has no end what was followed."""
    whole = graph.main_path()
    if whole is not None:
        yield whole
        return
    for leg, trail in zip(graph.legs(), graph.trails(), strict=True):
        yield trail if leg is None else leg


def _arrow(source: str, target: str, hop: Hop) -> Arrow:
    return Arrow(source, target, hop.kind, hop.notes, hop.assumptions, hop.places, hop.main, hop.before, hop.after)
