"""The flow graph: from the readers of a config key to the draft's ``fc``, one node for each place that a tracked value passes.

An edge stands for a flow that was proved, or that holds under the assumption that it names. Nodes of different objects are never
merged: ``context`` tells the same code apart where it ran for another object or from another caller.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import networkx as nx

from .results import Location, NotEstablished

NodeKind: TypeAlias = Literal[
    "key", "reader", "variable", "attribute", "parameter", "argument", "transform", "test", "capture", "collection", "field", "return",
    "consumer", "width",
]  # fmt: skip
"""``key`` is the entry of a config, ``reader`` an expression that looks it up, ``field`` an attribute of an object that carries a
batch, ``consumer`` the draft's projection, ``width`` what its input width is made of."""

EdgeKind: TypeAlias = Literal["data", "control", "call", "width"]
"""``control``: the source decides whether the target happens. ``call``: an argument becomes a parameter, a return a result."""

NODE_KINDS: tuple[NodeKind, ...] = get_args(NodeKind)
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)


@dataclass(frozen=True, slots=True)
class Node:
    """One place that a tracked value passes.

    ``label`` is the short text of the expression or name, ``symbol`` the function or class it stands in (``ModelRunner.initialize``),
    ``context`` the calls that led there, outermost first, or "".
    """

    kind: NodeKind
    label: str
    at: Location
    column: int = 0
    symbol: str = ""
    context: str = ""

    @property
    def id(self) -> str:
        """Unique in a graph and the same in every run."""
        where = f"{self.at}:{self.column}:{self.kind}:{self.label}"
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


@dataclass(frozen=True, slots=True)
class Coverage:
    """One variant of a part of the pipeline (a worker, a draft model), and what was followed through it.

    ``phases`` are the ways on which captured states were seen to reach the draft ("prefill", "verify", "draft-extend")."""

    what: str
    at: Location
    phases: tuple[str, ...]
    missing: tuple[NotEstablished, ...] = ()


class FlowGraph:
    """The nodes and edges of one flow in one target class."""

    def __init__(self, flow: str, model: str) -> None:
        self.flow = flow
        self.model = model
        self.coverage: list[Coverage] = []
        self.not_established: list[NotEstablished] = []
        self._graph: nx.MultiDiGraph[Node] = nx.MultiDiGraph()

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
        return nx.has_path(self._graph, source, target)

    def path(self, sources: Iterable[Node], targets: Iterable[Node]) -> tuple[Edge, ...] | None:
        """A shortest path from any of the sources to any of the targets, or None."""
        ends = set(targets)
        best: list[Node] | None = None
        for source in sources:
            found = nx.single_source_shortest_path(self._graph, source)
            for end in ends & found.keys():
                if best is None or len(found[end]) < len(best):
                    best = found[end]
        return None if best is None else tuple(self._first_edge(a, b) for a, b in zip(best, best[1:], strict=False))

    def between(self, sources: Iterable[Node], targets: Iterable[Node]) -> Iterator[Node]:
        """The nodes that lie on some way from a source to a target, ends included."""
        ahead = self._closure(sources, forwards=True)
        behind = self._closure(targets, forwards=False)
        return (node for node in self._graph.nodes if node in ahead and node in behind)

    def _closure(self, starts: Iterable[Node], forwards: bool) -> set[Node]:
        step = nx.descendants if forwards else nx.ancestors
        found: set[Node] = set()
        for start in starts:
            if start not in found:
                found |= {start} | step(self._graph, start)
        return found

    def _first_edge(self, source: Node, target: Node) -> Edge:
        return next(iter(self._graph[source][target]))
