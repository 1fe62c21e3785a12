"""The JSON document ``flowcheck.trace/1``."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from .graph import Edge, Node
from .json_report import Object, not_established_object, place_object, source_object
from .reasons import files_object
from .traces import Got, Mention, Reader, Trace


def trace_document(trace: Trace) -> Object:
    """What ``flowcheck trace`` says."""
    taken: Counter[str] = Counter()
    names: dict[Node, str] = {}
    for node in trace.graph.nodes:
        name = f"{node.at}:{node.kind}"
        taken[name] += 1
        names[node] = name if taken[name] == 1 else f"{name}#{taken[name]}"
    return {
        "schema": "flowcheck.trace/1",
        "source": source_object(trace.source),
        "key": trace.key,
        "configs": [{"config": role, "file": file} for role, file in trace.configs],
        "readers": [_reader(reader, names) for reader in trace.readers],
        "tests": [_mention(test) for test in trace.tests],
        "nodes": [_node(node, name) for node, name in names.items()],
        "edges": [_edge(edge, names) for edge in trace.graph.edges],
        "not_established": [not_established_object(entry) for entry in trace.not_established],
        "files": files_object(trace.files),
    }


def _mention(mention: Mention) -> Object:
    return {"form": mention.form, **place_object(mention.at), "column": mention.column, "symbol": mention.symbol, "lookup": mention.lookup}


def _reader(reader: Reader, names: Mapping[Node, str]) -> Object:
    mention = reader.mention
    at = (mention.at, mention.column)
    nodes = [name for node, name in names.items() if node.kind == "reader" and (node.at, node.column) == at]
    return {
        **_mention(mention),
        "default": mention.default,
        **_got(reader.best),
        "got": [_got(got) for got in reader.got],
        "nodes": nodes,
    }


def _got(got: Got) -> Object:
    return {"config": got.role or None, "entry": got.entry or None, "status": got.status, "value": got.value, "reason": got.reason}


def _node(node: Node, name: str) -> Object:
    where = {**place_object(node.at), "column": node.column, "symbol": node.symbol, "context": node.context}
    return {"id": name, "kind": node.kind, "label": node.label, **where}


def _edge(edge: Edge, names: Mapping[Node, str]) -> Object:
    return {
        "source": names[edge.source],
        "target": names[edge.target],
        "kind": edge.kind,
        "label": edge.label,
        **place_object(edge.at),
        "before": edge.before or None,
        "after": edge.after or None,
        "assumption": edge.assumption or None,
    }
