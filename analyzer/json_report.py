"""The JSON documents: ``flowcheck.wiring/1``, ``flowcheck.report/1`` and ``flowcheck.graph/1``. Their schemas lie in ``schemas/``."""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

from .agreement import verdict
from .coverage import Proved, proved
from .judging import SetAside
from .reasons import files_object
from .results import (
    Alternative,
    Analysis,
    Assumption,
    Clause,
    Comparison,
    Condition,
    DefaultInEffect,
    Evaluation,
    Location,
    NotEstablished,
    Side,
    SourceFacts,
    Step,
    Width,
    Wiring,
)
from .rule import Finding

if TYPE_CHECKING:
    from .graph import Coverage, Edge, FlowGraph, GraphAnalysis, Node  # networkx is imported only where a graph is asked for

Json: TypeAlias = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Object: TypeAlias = dict[str, Json]


def wiring_document(analysis: Analysis) -> Object:
    """What ``flowcheck wiring`` says."""
    return {"schema": "flowcheck.wiring/1", **_body(analysis)}


def report_document(
    analysis: Analysis, findings: Sequence[Finding], aside: Sequence[SetAside] = (), gone: int = 0, under: Sequence[Finding] = ()
) -> Object:
    """What ``flowcheck check`` says. ``gone`` counts the entries of the baseline that are not found any more; ``under`` are findings that
    stand elsewhere in the document and count too."""
    judged: Object = {
        "comparisons": [comparison_object(comparison) for comparison in analysis.comparisons],
        "findings": [finding_object(found) for found in findings],
        "set_aside": [{"by": each.by, "reason": each.reason, "finding": finding_object(each.finding)} for each in aside],
        "summary": {**_summary(analysis, (*findings, *under)), **_aside(aside), "gone_from_baseline": gone},
    }
    return {"schema": "flowcheck.report/1", **_body(analysis), **judged}


def reports_document(documents: Sequence[Object]) -> Object:
    """What ``flowcheck check`` says of several sources."""
    return {"schema": "flowcheck.report/1", "reports": documents}


def graph_document(analysis: GraphAnalysis) -> Object:
    """What ``flowcheck graph`` says: the nodes and edges of all graphs, each with its flow and target class.

    A node's id begins with its graph's, so that the same place in two target classes stays two nodes, and is the same whatever else
    was asked for.
    """
    graphs = tuple(_named(analysis.graphs))
    return {
        "schema": "flowcheck.graph/1",
        "source": source_object(analysis.source),
        "graphs": [{**_whose(one.graph), "id": one.id, "path": _main_path(one)} for one in graphs],
        "nodes": [_node(node, one) for one in graphs for node in one.graph.nodes],
        "edges": [_edge(edge, one) for one in graphs for edge in one.graph.edges],
        "coverage": [{**_whose(one.graph), **_coverage(part)} for one in graphs for part in one.graph.coverage],
        "assumptions": [assumption_object(assumption) for assumption in analysis.assumptions],
        "not_established": [
            *({**_whose(one.graph), **not_established_object(entry)} for one in graphs for entry in one.graph.not_established),
            *({"flow": None, "model": None, **not_established_object(entry)} for entry in analysis.not_established),
        ],
        "files": files_object(analysis.files),
    }


def dumps(document: Object) -> str:
    """The document as one line of text. All but ASCII is escaped, so that nothing in it drives a terminal; so is what a runner would obey
    that finds it in its log.

    Unindented, because the indenting encoder of the standard library is many times slower.
    """
    return json.dumps(document).replace("##", "#\\u0023") + "\n"


def schema(name: str) -> Object:
    """The JSON Schema of this name (``wiring-1``, say), as shipped."""
    loaded: Object = json.loads((files("flowcheck.analyzer") / "schemas" / f"{name}.json").read_text("utf-8"))
    return loaded


def legend(analysis: Analysis) -> tuple[Assumption, ...]:
    """Every assumption that a result used, once, by name."""
    return legend_of(analysis.wirings, analysis.comparisons)


def legend_of(wirings: Iterable[Wiring], comparisons: Iterable[Comparison] = ()) -> tuple[Assumption, ...]:
    used = {assumption for wiring in wirings for assumption in wiring.assumptions}
    used |= {assumption for wiring in wirings for evaluation in wiring.evaluated for assumption in evaluation.assumptions}
    sides = [side for comparison in comparisons for side in (comparison.served, comparison.trained) if side is not None]
    used |= {assumption for side in sides for assumption in side.assumptions}
    return tuple(sorted(used, key=lambda assumption: (assumption.name, assumption.text)))


def _body(analysis: Analysis) -> Object:
    return {
        "source": source_object(analysis.source),
        "wirings": [wiring_object(wiring) for wiring in analysis.wirings],
        "assumptions": [assumption_object(assumption) for assumption in legend(analysis)],
        "not_established": [not_established_object(entry) for entry in analysis.not_established],
        "coverage": _proved(proved(analysis.wirings)),
        "files": files_object(analysis.files),
    }


def _proved(counted: Proved) -> Object:
    return {
        "wirings": counted.wirings,
        "established": counted.established,
        "depends": counted.depends,
        "not_established": counted.not_established,
        "reasons": [{"status": reason.status, "reason": reason.text, "wirings": reason.wirings} for reason in counted.reasons],
    }


def source_object(source: SourceFacts) -> Object:
    return {"root": source.root, "package": source.package, "version": source.version, "files": source.files, "read": source.read}


def assumption_object(assumption: Assumption) -> Object:
    return {"name": assumption.name, "text": assumption.text}


def wiring_object(wiring: Wiring) -> Object:
    forward = wiring.forward
    return {
        "flow": wiring.flow,
        "model": wiring.model,
        **place_object(wiring.at),
        "setter": wiring.setter,
        "forward": None if forward is None else {"class": forward.cls, **place_object(forward.at)},
        "convention": [clause_object(clause) for clause in wiring.convention],
        "status": wiring.status,
        "reason": reason_text(wiring.reason, wiring.reason_at),
        "assumptions": [assumption.name for assumption in wiring.assumptions],
        "evaluated": [evaluation_object(evaluation) for evaluation in wiring.evaluated],
    }


def clause_object(clause: Clause) -> Object:
    conditions: Object = {"conditions": [_condition(each) for each in clause.conditions]} if clause.conditions else {}
    return {"when": clause.when, "captures": clause.captures, **conditions}


def evaluation_object(evaluation: Evaluation) -> Object:
    return {
        "ids": evaluation.ids,
        "num_layers": evaluation.num_layers,
        "layers_to_capture": evaluation.layers_to_capture,
        "captured": evaluation.captured if evaluation.status == "established" else None,
        "error": evaluation.error,
        "status": evaluation.status,
        "reason": reason_text(evaluation.reason, evaluation.reason_at),
        "assumptions": [assumption.name for assumption in evaluation.assumptions],
        "depends_on": [_alternative(alternative) for alternative in evaluation.depends_on],
        "path": [step_object(step) for step in evaluation.path],
    }


def _alternative(alternative: Alternative) -> Object:
    conditions = [_condition(each) for each in alternative.conditions]
    return {"conditions": conditions, "captured": alternative.captured, "error": alternative.error, "reason": alternative.reason}


def _condition(condition: Condition) -> Object:
    return {"text": condition.text, **place_object(condition.at), "value": condition.value}


def comparison_object(comparison: Comparison) -> Object:
    trained = comparison.trained
    return {
        "flow": comparison.flow,
        "model": comparison.model,
        "served": side_object(comparison.served),
        "trained": None if trained is None else side_object(trained),
        "hidden_size": comparison.hidden_size,
        "suggested_ids": comparison.suggested,
        "draft": comparison.draft,
        "verdict": verdict(comparison),
        "default": None if comparison.default is None else _default(comparison.default),
        "weights": None if comparison.weights is None else _width(comparison.weights),
        "widths": [_width(width) for width in comparison.widths],
    }


def _default(default: DefaultInEffect) -> Object:
    unread = [{"key": entry.key, "value": entry.value, **place_object(entry.at)} for entry in default.unread]
    return {"key": default.key, **place_object(default.at), "unread": unread}


def _width(width: Width) -> Object:
    return {"features": width.features, "text": width.text, **place_object(width.at)}


def side_object(side: Side) -> Object:
    return {
        "captured": side.points,
        "ids": side.ids,
        "file": None if side.at is None else side.at.file,
        "line": None if side.at is None else side.at.line,
        "status": side.status,
        "reason": reason_text(side.reason, side.reason_at),
        "assumptions": [assumption.name for assumption in side.assumptions],
        "path": [step_object(step) for step in side.path],
    }


def finding_object(found: Finding) -> Object:
    return {
        "code": found.code,
        "rule": found.rule,
        "severity": str(found.severity),
        "message": found.message,
        **place_object(found.at),
        "column": found.column,
        "flow": found.flow,
        "model": found.model,
        "expected": found.expected,
        "actual": found.actual,
        "path": [{**place_object(hop.at), "label": hop.label} for hop in found.path],
        "consequences": [finding_object(consequence) for consequence in found.consequences],
        "help": found.help,
        "draft": found.draft,
    }


def _summary(analysis: Analysis, findings: Sequence[Finding]) -> Object:
    counted = proved(analysis.wirings)
    severity = Counter(str(found.severity) for found in findings)
    return {
        "wirings": counted.wirings,
        "established": counted.established,
        "depends": counted.depends,
        "not_established": counted.not_established,
        **{name: severity[name] for name in ("error", "warning", "info")},
    }


def _aside(aside: Sequence[SetAside]) -> Object:
    by = Counter(each.by for each in aside)
    return {"suppressed": by["comment"], "ignored_by_path": by["path"], "in_baseline": by["baseline"]}


@dataclass(frozen=True, slots=True)
class _Named:
    """A graph with the ids that a document gives it and its nodes."""

    graph: FlowGraph
    id: str
    nodes: Mapping[Node, str]


def _named(graphs: Iterable[FlowGraph]) -> Iterator[_Named]:
    """The graphs with ids: flow and class, and a number where two classes are called alike. A node has its place, kind and number."""
    taken: Counter[str] = Counter()
    for graph in graphs:
        name = _unique(f"{graph.flow}/{graph.model}", taken)
        inside: Counter[str] = Counter()
        yield _Named(graph, name, {node: f"{name}/{_unique(f'{node.at}:{node.kind}', inside)}" for node in graph.nodes})


def _unique(name: str, taken: Counter[str]) -> str:
    taken[name] += 1
    return name if taken[name] == 1 else _unique(f"{name}#{taken[name]}", taken)


def _main_path(named: _Named) -> Json:
    path = named.graph.main_path()
    if path is None:
        return None
    return [named.nodes[node] for node in dict.fromkeys(end for edge in path for end in (edge.source, edge.target))]


def _whose(graph: FlowGraph) -> Object:
    return {"flow": graph.flow, "model": graph.model}


def _node(node: Node, named: _Named) -> Object:
    return {
        "id": named.nodes[node],
        **_whose(named.graph),
        "kind": node.kind,
        "label": node.label,
        **place_object(node.at),
        "column": node.column,
        "symbol": node.symbol,
        "context": node.context,
    }


def _edge(edge: Edge, named: _Named) -> Object:
    return {
        "source": named.nodes[edge.source],
        "target": named.nodes[edge.target],
        **_whose(named.graph),
        "kind": edge.kind,
        "label": edge.label,
        **place_object(edge.at),
        "before": edge.before or None,
        "after": edge.after or None,
        "assumption": edge.assumption or None,
    }


def _coverage(part: Coverage) -> Object:
    missing = [not_established_object(entry) for entry in part.missing]
    return {"what": part.what, **place_object(part.at), "phases": part.phases, "missing": missing}


def step_object(step: Step) -> Object:
    return {"label": step.label, "before": step.before, "after": step.after, **place_object(step.at)}


def not_established_object(entry: NotEstablished) -> Object:
    return {"what": entry.what, "reason": entry.reason, **place_object(entry.at)}


def place_object(at: Location) -> Object:
    return {"file": at.file, "line": at.line}


def reason_text(reason: str | None, at: Location | None) -> str | None:
    """The reason with its place behind it, in the form of ``error``."""
    return reason if reason is None or at is None else f"{reason} ({at})"
