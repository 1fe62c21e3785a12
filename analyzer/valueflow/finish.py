"""The last touches on a graph: dead ends of carriers are taken out, hops that happened item by item become one."""
from __future__ import annotations

from ..graph import Edge, FlowGraph, Node
from .chain import Chain


def finish(chain: Chain) -> None:
    graph = chain.graph
    keep = wanted(graph)
    edges = merged([edge for edge in graph.edges if edge.source in keep and edge.target in keep])
    nodes = [node for node in graph.nodes if node in keep]
    graph.clear()
    for node in nodes:
        graph.add(node)
    for edge in edges:
        graph.connect(edge)
    graph.not_established += sorted(chain.missing.values(), key=lambda each: (each.at.file, each.at.line))


def wanted(graph: FlowGraph) -> set[Node]:
    """The nodes between readers and consumers where the chain is whole; else all but the dead ends of what only hands on."""
    whole = set(graph.between(graph.of_kind("reader") or graph.given, graph.of_kind("consumer")))
    if whole:
        width = set(graph.between(graph.of_kind("width"), graph.of_kind("consumer")))
        keys = {edge.source for edge in graph.edges if edge.source.kind == "key" and edge.target in whole}
        return whole | width | keys
    return set(graph.nodes)


def merged(edges: list[Edge]) -> list[Edge]:
    """Edges that differ only in the value are one hop of a list: ``2 -> 3`` and ``30 -> 31`` are ``[2, 30] -> [3, 31]``."""
    groups: dict[tuple[Node, Node, str, str], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((edge.source, edge.target, edge.kind, edge.label), []).append(edge)
    return [group[0] if len(group) == 1 else _joint(group) for group in groups.values()]


def _joint(group: list[Edge]) -> Edge:
    first = group[0]
    known = [edge for edge in group if edge.before or edge.after]
    if len(known) == 1:
        return known[0]
    if any(text.startswith("[") for edge in known for text in (edge.before, edge.after)):
        return known[-1]
    before, after = _listed([edge.before for edge in known]), _listed([edge.after for edge in known])
    return Edge(first.source, first.target, first.kind, first.label, before, after, first.assumption)


def _listed(texts: list[str]) -> str:
    return f"[{', '.join(texts)}]" if texts and all(texts) else ""
