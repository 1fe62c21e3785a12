"""The flow graph: from the readers of a config key to the draft's ``fc``, one node for each place that a tracked value passes.

An edge stands for a flow that was proved, or that holds under the assumption that it names. Nodes of different objects are never
merged: ``context`` tells the same code apart where it ran for another object or from another caller.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import networkx as nx

from .reasons import FileRead
from .results import Assumption, Evaluation, Location, NotEstablished, SourceFacts

NodeKind: TypeAlias = Literal[
    "key", "reader", "variable", "attribute", "parameter", "argument", "transform", "test", "capture", "collection", "field", "return",
    "consumer", "width",
]  # fmt: skip
"""``key`` is the entry of a config, ``reader`` an expression that looks it up, ``field`` an attribute of an object that carries a
batch, ``consumer`` the draft's projection, ``width`` what its input width is made of."""

EdgeKind: TypeAlias = Literal["data", "control", "call", "width"]
"""``control``: the source decides whether the target happens. ``call``: an argument becomes a parameter, a return a result."""

Path: TypeAlias = tuple["Edge", ...]
"""Hops, each from where the last one ended."""

NODE_KINDS: tuple[NodeKind, ...] = get_args(NodeKind)
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)


@dataclass(frozen=True, slots=True)
class Node:
    """One place that a tracked value passes.

    ``label`` is the short text of the expression or name, ``symbol`` the function or class it stands in (``ModelRunner.initialize``),
    ``context`` the calls that led there, outermost first, or "". ``holds`` names, for a reference to an object, the field in it that holds
    the tracked value: two fields of one object stay apart.
    """

    kind: NodeKind
    label: str
    at: Location
    column: int = 0
    symbol: str = ""
    context: str = ""
    holds: str = ""

    @property
    def root(self) -> str:
        """The class that the outermost call belongs to."""
        return self.context.partition(".")[0]

    @property
    def id(self) -> str:
        """Unique in a graph and the same in every run."""
        where = f"{self.at}:{self.column}:{self.kind}:{self.label}"
        where += f" ({self.holds})" if self.holds else ""
        return f"{where} [{self.context}]" if self.context else where


@dataclass(frozen=True, slots=True)
class Edge:
    """One hop. ``label`` says what happens ("+1", "append"); ``before`` and ``after`` are the values, or "" where they are not known;
    ``assumption`` names what the hop rests on, or is ""."""

    source: Node
    target: Node
    kind: EdgeKind = "data"
    label: str = ""
    before: str = ""
    after: str = ""
    assumption: str = ""

    @property
    def at(self) -> Location:
        """Where the hop happens: at its target."""
        return self.target.at

    @property
    def change(self) -> str:
        """The value where the hop changes it, or where it is first known; else ""."""
        if self.after == self.before:
            return ""
        return f"{self.before} -> {self.after}" if self.before and self.after else self.after


@dataclass(frozen=True, slots=True)
class Coverage:
    """One variant of a part of the pipeline (a worker, a draft model), and what was followed through it.

    ``phases`` are the ways on which captured states were seen to reach the draft ("prefill", "verify", "draft-extend")."""

    what: str
    at: Location
    phases: tuple[str, ...]
    missing: tuple[NotEstablished, ...] = ()


DETOUR = 1000
"""What a hop costs that the main path takes only where there is no other."""
Cost: TypeAlias = Callable[[Edge], int | None]


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to a node, and what it costs."""

    cost: int
    nodes: Sequence[Node]


class FlowGraph:
    """The nodes and edges of one flow in one target class."""

    def __init__(self, flow: str, model: str) -> None:
        self.flow = flow
        self.model = model
        self.coverage: list[Coverage] = []
        self.not_established: list[NotEstablished] = []
        self.given: tuple[Node, ...] = ()
        self.proved: Evaluation | None = None
        """What the target was proved to do with the ids that are followed, where these are known."""
        self._graph: nx.MultiDiGraph[Node] = nx.MultiDiGraph()

    def rewrite(self, change: Callable[[Edge], Edge]) -> None:
        """Put another edge in the place of each, between the same nodes."""
        edges, nodes = [change(edge) for edge in self.edges], self.nodes
        self.clear()
        for node in nodes:
            self.add(node)
        for edge in edges:
            self.connect(edge)

    def clear(self) -> None:
        """Forget all nodes and edges."""
        self._graph.clear()

    def add(self, node: Node) -> Node:
        self._graph.add_node(node)
        return node

    def connect(self, edge: Edge) -> None:
        """Add an edge, once; its ends are added with it."""
        if edge.source != edge.target:
            self._graph.add_edge(edge.source, edge.target, key=edge)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self._graph.nodes)

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(key for _, _, key in self._graph.edges(keys=True))

    def of_kind(self, *kinds: NodeKind) -> tuple[Node, ...]:
        return tuple(node for node in self._graph.nodes if node.kind in kinds)

    def reaches(self, source: Node, target: Node) -> bool:
        return bool(nx.has_path(self._graph, source, target))

    def path(self, sources: Iterable[Node], targets: Iterable[Node]) -> Path | None:
        """A shortest path from any of the sources to any of the targets, or None. Of equals the one to the first target."""
        ways = self._ways(sources, _any_hop)
        best = _nearest(targets, ways)
        return None if best is None else self._hops(ways[best].nodes, _any_hop)

    def legs(self) -> tuple[Path | None, Path | None]:
        """The main path in two legs: from the key to a capture, and from there to the consumer. A leg that there is not is None.

        Known values are followed rather than unknown ones, and what decides whether something happens where there is no other way;
        what a width is made of is no way. Where no capture has both legs, each is one of its own. Where there is no capture, the first
        is the whole path.
        """
        captures, ends = self.of_kind("capture"), self.of_kind("consumer")
        ahead = self._ways(self.starts, _main_hop)
        if not captures:
            end = _nearest(ends, ahead)
            return (None, None) if end is None else (self._hops(ahead[end].nodes, _main_hop), ())
        behind = self._ways(ends, _main_hop, backwards=True)
        first = second = _nearest(captures, ahead, behind)
        if first is None:
            first, second = _nearest(captures, ahead), _nearest(captures, behind)
        return (
            None if first is None else self._hops(ahead[first].nodes, _main_hop),
            None if second is None else self._hops(behind[second].nodes[::-1], _main_hop),
        )

    def main_path(self) -> Path | None:
        """From the key through a capture to the consumer, where that is one unbroken way."""
        first, second = self.legs()
        if first is None or second is None or (first and second and first[-1].target != second[0].source):
            return None
        return first + second

    def trails(self) -> tuple[Path, Path]:
        """How far values get from the key, and from the capture that it reaches (else from any): the hops to the last place."""
        reached = self.legs()[0]
        return self._trail(self.starts), self._trail((reached[-1].target,) if reached else self.of_kind("capture"))

    @property
    def starts(self) -> tuple[Node, ...]:
        """Where the flow begins: at the entries of a config, else at the readers of the key, else where the ids are handed in."""
        return self.of_kind("key") or self.of_kind("reader") or self.given

    def given_at(self, node: Node) -> None:
        """The ids are handed in here: nothing in the tree is seen to read them."""
        self.given = (*self.given, self.add(node))

    def _trail(self, starts: Iterable[Node]) -> Path:
        ways = self._ways(starts, _value_hop)
        return self._hops(ways[next(reversed(ways))].nodes, _value_hop) if ways else ()

    def _ways(self, starts: Iterable[Node], cost: Cost, backwards: bool = False) -> dict[Node, _Way]:
        """The cheapest way to each place that can be reached, the nearest first. A hop without a cost is not taken."""

        aside = self._aside()

        def weight(source: Node, target: Node, hops: Mapping[Edge, object]) -> int | None:
            one = min((one for hop in hops if (one := cost(hop)) is not None), default=None)
            return one if one is None or not {source.root, target.root} & aside else one + DETOUR

        known = dict.fromkeys(start for start in starts if start in self._graph)
        if not known:
            return {}
        graph = nx.reverse_view(self._graph) if backwards else self._graph
        lengths, nodes = nx.multi_source_dijkstra(graph, known, weight=weight)
        return {end: _Way(length, nodes[end]) for end, length in lengths.items()}

    def _aside(self) -> set[str]:
        """The variants of a worker that the main path does not tell of while there is another: all but the first that is covered."""
        covered = [part.what for part in self.coverage if part.phases]
        return set(covered[1:])

    def _hops(self, nodes: Iterable[Node], cost: Cost) -> Path:
        """The cheapest hop between each place and the next."""
        between = [[(one, hop) for hop in self._graph[a][b] if (one := cost(hop)) is not None] for a, b in pairwise(nodes)]
        return tuple(min(hops, key=lambda entry: entry[0])[1] for hops in between)

    def between(self, sources: Iterable[Node], targets: Iterable[Node]) -> Iterator[Node]:
        """The nodes that lie on some way from a source to a target, ends included."""
        ahead = self._closure(sources, forwards=True)
        behind = self._closure(targets, forwards=False)
        return (node for node in self._graph.nodes if node in ahead and node in behind)

    def reached(self, starts: Iterable[Node], without: Collection[Node]) -> set[Node]:
        """The nodes that are reached from some without leaving any of others; these are reached too."""
        found: set[Node] = set()
        pending = list(starts)
        while pending:
            node = pending.pop()
            if node not in found:
                found.add(node)
                pending += [] if node in without else self._graph.successors(node)
        return found

    def _closure(self, starts: Iterable[Node], forwards: bool) -> set[Node]:
        step = nx.descendants if forwards else nx.ancestors
        found: set[Node] = set()
        for start in starts:
            if start not in found:
                found |= {start} | step(self._graph, start)
        return found


_UNKNOWN = 100
"""So many hops whose value is known are better than one whose value is not."""
_DECIDING = 100_000
"""And so much worse is one that only decides."""


def _any_hop(_hop: Edge) -> int:
    return 1


def _main_hop(hop: Edge) -> int | None:
    if "width" in (hop.kind, hop.source.kind, hop.target.kind):
        return None
    return _DECIDING if hop.kind == "control" else 1 if hop.after else _UNKNOWN


def _value_hop(hop: Edge) -> int | None:
    return None if hop.kind == "control" else _main_hop(hop)


def _nearest(ends: Iterable[Node], *ways: Mapping[Node, _Way]) -> Node | None:
    """The end that all the ways together reach at the least cost; of equals the first."""
    reached = [end for end in ends if all(end in known for known in ways)]
    return min(reached, key=lambda end: sum(known[end].cost for known in ways), default=None)


@dataclass(frozen=True, slots=True)
class GraphAnalysis:
    """The graphs of one run over one source, one for each flow and target class that was asked for.

    ``assumptions`` are those that an edge names, with their sentences; ``not_established`` is what concerns no single graph, such as
    a file that could not be read; ``excerpt`` tells the text of a line, where it can be read.
    """

    source: SourceFacts
    graphs: tuple[FlowGraph, ...]
    assumptions: tuple[Assumption, ...] = ()
    not_established: tuple[NotEstablished, ...] = ()
    files: tuple[FileRead, ...] = ()
    excerpt: Callable[[Location], str | None] = field(default=lambda at: None, compare=False, repr=False)
