"""The document ``flowcheck.contract/1``: what a trainer trains on, as ``flowcheck contract`` prints it, and the small file of a draft."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from .json_report import (
    Json,
    Object,
    assumption_object,
    clause_object,
    evaluation_object,
    not_established_object,
    place_object,
    reason_text,
    source_object,
)
from .results import Assumption, ContractAnalysis, EngineUse, Export, IdSource, NotEstablished, TrainedList, Training

SCHEMA = "flowcheck.contract/1"
OTHERS = Assumption("other-selections", "the draft was trained by a selection of the trainer that is established, not by one that is open")


def contract_document(analysis: ContractAnalysis) -> Object:
    """What ``flowcheck contract`` says."""
    return {
        "schema": SCHEMA,
        "flowcheck": version("flowcheck"),
        "source": source_object(analysis.source),
        "num_layers": analysis.num_layers,
        "hidden_size": analysis.hidden_size,
        "trainings": [_training(training) for training in analysis.trainings],
        "assumptions": [assumption_object(assumption) for assumption in assumptions_of(analysis)],
        "not_established": [not_established_object(entry) for entry in analysis.not_established],
    }


def file_text(analysis: ContractAnalysis) -> str:
    """The contract that a trainer ships beside its weights: the same document without derivations, in lines, and naming no folder of the
    machine that it was written on."""
    kept, left = proved(analysis)
    trainings = tuple(replace(training, evaluated=tuple(map(_short, training.evaluated))) for training in kept)
    document = contract_document(replace(analysis, trainings=trainings, not_established=(*analysis.not_established, *left)))
    return _lines(_portable(document, analysis.source.root.rstrip("/")), "") + "\n"


def proved(analysis: ContractAnalysis) -> tuple[tuple[Training, ...], tuple[NotEstablished, ...]]:
    """The selections that a file is for: of a flow of which some are established, those; the others are told as not established."""
    flows = {training.flow for training in analysis.trainings if training.status == "established"}
    kept: list[Training] = []
    left: list[NotEstablished] = []
    for training in analysis.trainings:
        if training.status == "established" or training.flow not in flows:
            kept.append(training)
        else:
            reason = training.reason or "no reason given"
            left.append(NotEstablished(f"{training.flow}: {training.symbol}", reason, training.reason_at or training.at))
    doubted = {entry.what.partition(":")[0] for entry in left}
    return tuple(_assuming(training) if training.flow in doubted else training for training in kept), tuple(left)


def _assuming(training: Training) -> Training:
    """A training that is taken for the one, though there are others."""
    found = [(row, row.evaluation) for row in training.evaluated]
    rows = tuple(replace(row, evaluation=replace(one, assumptions=(*one.assumptions, OTHERS))) for row, one in found)
    return replace(training, assumptions=(*training.assumptions, OTHERS), evaluated=rows)


def assumptions_of(analysis: ContractAnalysis) -> tuple[Assumption, ...]:
    """Every assumption that a result used, once, by name."""
    used = {assumption for training in analysis.trainings for assumption in training.assumptions}
    used |= {one for training in analysis.trainings for row in training.evaluated for one in row.evaluation.assumptions}
    return tuple(sorted(used, key=lambda assumption: (assumption.name, assumption.text)))


def fed(row: TrainedList) -> tuple[str, ...] | None:
    """What reaches fc, where that is proved: not where the recording itself is open, or raises."""
    evaluation = row.evaluation
    return row.fc if evaluation.status == "established" and evaluation.error is None else None


def _training(training: Training) -> Object:
    return {
        "flow": training.flow,
        "symbol": training.symbol,
        **place_object(training.at),
        "order": training.order,
        "convention": [clause_object(clause) for clause in training.convention],
        "status": training.status,
        "reason": reason_text(training.reason, training.reason_at),
        "assumptions": [assumption.name for assumption in training.assumptions],
        "evaluated": [_trained_list(row) for row in training.evaluated],
        "sources": [_source(source) for source in training.sources],
        "exports": [_export(export) for export in training.exports],
        "engine": None if training.engine is None else _engine(training.engine),
    }


def _trained_list(row: TrainedList) -> Object:
    return {**evaluation_object(row.evaluation), "fc": fed(row), "fc_reason": reason_text(row.fc_reason, row.fc_at)}


def _source(source: IdSource) -> Object:
    return {"kind": source.kind, "text": source.text, **place_object(source.at), "default": source.default}


def _export(export: Export) -> Object:
    return {"key": export.key, "mapping": export.mapping, **place_object(export.at)}


def _engine(engine: EngineUse) -> Object:
    return {
        "name": engine.name,
        "setter": engine.setter,
        "pinned": engine.pinned,
        "file": None if engine.pinned_at is None else engine.pinned_at.file,
        "line": None if engine.pinned_at is None else engine.pinned_at.line,
        "version": engine.version,
        "model": engine.model,
    }


# ------------------------------------------------------------------ the file


def _short(row: TrainedList) -> TrainedList:
    return replace(row, evaluation=replace(row.evaluation, path=()))


def _portable(value: Json, root: str, key: str = "") -> Json:
    """The document with places as they are in the folder that holds the trainer, wherever that lay."""
    if isinstance(value, dict):
        return {name: _portable(inner, root, name) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_portable(inner, root) for inner in value]
    if not isinstance(value, str):
        return value
    if key == "root":
        return "."
    if root not in ("", "."):
        value = re.sub(rf"(?<![\w./-]){re.escape(root)}/", "", value)
    climbs = os.path.isabs(value) or value.startswith("../")
    return value.rpartition("/")[2] if key == "file" and climbs else value


def _lines(value: Json, indent: str) -> str:
    """JSON with one line for each key, and lists of plain values on one line: what reads it back names the line."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        inner = [f"{deeper}{json.dumps(key)}: {_lines(each, deeper)}" for key, each in value.items()]
        return "{\n" + ",\n".join(inner) + f"\n{indent}}}"
    if isinstance(value, list) and _is_nested(value):
        return "[\n" + ",\n".join(f"{deeper}{_lines(each, deeper)}" for each in value) + f"\n{indent}]"
    return json.dumps(value)


def _is_nested(values: Sequence[Json]) -> bool:
    return any(isinstance(each, dict | list) for each in values)
