"""The JSON documents: ``flowcheck.wiring/1`` and ``flowcheck.report/1``. Their schemas lie in ``schemas/``."""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TypeAlias

from .results import Alternative, Analysis, Assumption, Comparison, Evaluation, Location, NotEstablished, Side, Step, Wiring
from .rule import Finding

Json: TypeAlias = None | bool | int | str | Sequence["Json"] | Mapping[str, "Json"]
Object: TypeAlias = dict[str, Json]


def wiring_document(analysis: Analysis) -> Object:
    """What ``flowcheck wiring`` says."""
    return {"schema": "flowcheck.wiring/1", **_body(analysis)}


def report_document(analysis: Analysis, findings: Sequence[Finding]) -> Object:
    """What ``flowcheck check`` says."""
    judged: Object = {
        "comparisons": [_comparison(comparison) for comparison in analysis.comparisons],
        "findings": [_finding(found) for found in findings],
        "summary": _summary(analysis, findings),
    }
    return {"schema": "flowcheck.report/1", **_body(analysis), **judged}


def dumps(document: Object) -> str:
    """The document as one line of text. All but ASCII is escaped, so that nothing in it drives a terminal.

    Unindented, because the indenting encoder of the standard library is many times slower.
    """
    return json.dumps(document) + "\n"


def schema(name: str) -> Object:
    """The JSON Schema ``wiring-1`` or ``report-1``, as shipped."""
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
    source = analysis.source
    return {
        "source": {"root": source.root, "package": source.package, "version": source.version, "files": source.files, "read": source.read},
        "wirings": [_wiring(wiring) for wiring in analysis.wirings],
        "assumptions": [{"name": assumption.name, "text": assumption.text} for assumption in legend(analysis)],
        "not_established": [_not_established(entry) for entry in analysis.not_established],
    }


def _wiring(wiring: Wiring) -> Object:
    forward = wiring.forward
    return {
        "flow": wiring.flow,
        "model": wiring.model,
        **_place(wiring.at),
        "setter": wiring.setter,
        "forward": None if forward is None else {"class": forward.cls, **_place(forward.at)},
        "convention": [{"when": clause.when, "captures": clause.captures} for clause in wiring.convention],
        "status": wiring.status,
        "reason": _reason(wiring.reason, wiring.reason_at),
        "assumptions": [assumption.name for assumption in wiring.assumptions],
        "evaluated": [_evaluation(evaluation) for evaluation in wiring.evaluated],
    }


def _evaluation(evaluation: Evaluation) -> Object:
    return {
        "ids": evaluation.ids,
        "num_layers": evaluation.num_layers,
        "layers_to_capture": evaluation.layers_to_capture,
        "captured": evaluation.captured if evaluation.status == "established" else None,
        "error": evaluation.error,
        "status": evaluation.status,
        "reason": _reason(evaluation.reason, evaluation.reason_at),
        "assumptions": [assumption.name for assumption in evaluation.assumptions],
        "depends_on": [_alternative(alternative) for alternative in evaluation.depends_on],
        "path": [_step(step) for step in evaluation.path],
    }


def _alternative(alternative: Alternative) -> Object:
    conditions = [{"text": condition.text, **_place(condition.at), "value": condition.value} for condition in alternative.conditions]
    return {"conditions": conditions, "captured": alternative.captured, "error": alternative.error}


def _comparison(comparison: Comparison) -> Object:
    trained = comparison.trained
    return {
        "flow": comparison.flow,
        "model": comparison.model,
        "served": _side(comparison.served),
        "trained": None if trained is None else _side(trained),
        "hidden_size": comparison.hidden_size,
        "suggested_ids": comparison.suggested,
    }


def _side(side: Side) -> Object:
    return {
        "captured": side.points,
        "ids": side.ids,
        "file": None if side.at is None else side.at.file,
        "line": None if side.at is None else side.at.line,
        "status": side.status,
        "reason": _reason(side.reason, side.reason_at),
        "assumptions": [assumption.name for assumption in side.assumptions],
        "path": [_step(step) for step in side.path],
    }


def _finding(found: Finding) -> Object:
    return {
        "code": found.code,
        "rule": found.rule,
        "severity": str(found.severity),
        "message": found.message,
        **_place(found.at),
        "column": found.column,
        "flow": found.flow,
        "model": found.model,
        "expected": found.expected,
        "actual": found.actual,
        "path": [{**_place(hop.at), "label": hop.label} for hop in found.path],
        "consequences": [_finding(consequence) for consequence in found.consequences],
        "help": found.help,
    }


def _summary(analysis: Analysis, findings: Sequence[Finding]) -> Object:
    status = Counter(wiring.status for wiring in analysis.wirings)
    severity = Counter(str(found.severity) for found in findings)
    return {
        "wirings": len(analysis.wirings),
        "established": status["established"],
        "depends": status["depends"],
        "not_established": status["not established"],
        **{name: severity[name] for name in ("error", "warning", "info")},
    }


def _step(step: Step) -> Object:
    return {"label": step.label, "before": step.before, "after": step.after, **_place(step.at)}


def _not_established(entry: NotEstablished) -> Object:
    return {"what": entry.what, "reason": entry.reason, **_place(entry.at)}


def _place(at: Location) -> Object:
    return {"file": at.file, "line": at.line}


def _reason(reason: str | None, at: Location | None) -> str | None:
    """The reason with its place behind it, in the form of ``error``."""
    return reason if reason is None or at is None else f"{reason} ({at})"
