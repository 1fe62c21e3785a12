"""Small contracts for the tests of what is printed, written and read back: a trainer of a target with 32 layers."""
from __future__ import annotations

from dataclasses import replace

from flowcheck.analyzer.request import Ids
from flowcheck.analyzer.results import (
    Assumption,
    Clause,
    ContractAnalysis,
    EngineUse,
    Evaluation,
    Export,
    IdSource,
    Location,
    NotEstablished,
    SourceFacts,
    Step,
    TrainedList,
    Training,
)

LAYERS = 32
SELECTION = Location("trainer/model.py", 88)
ELSEWHERE = Location("trainer/other.py", 5)
LOADED = Assumption("transformers-model", "What transformers loads is the frozen target.")
SAMPLES = Assumption("samples", "All samples are treated alike.")
SOURCE = IdSource("command line", "--layer-ids", Location("trainer/train.py", 12), "[1, 15, 28]")
EXPORT = Export("eagle_aux_hidden_state_layer_ids", "id + 1", Location("trainer/export.py", 40))
ENGINE = EngineUse("sglang", "set_eagle3_layers_to_capture", "0.5.9", Location("trainer/pyproject.toml", 7), "0.5.9", "LlamaForCausalLM")


def recorded(ids: Ids, *captured: str) -> Evaluation:
    """All that one id list records."""
    path = (Step("hidden_states[k + 1]", str(list(ids or ())), ", ".join(captured), SELECTION),)
    return Evaluation(ids, LAYERS, None, captured, None, "established", None, None, (LOADED, SAMPLES), (), path)


def row(ids: Ids, *fc: str) -> TrainedList:
    """One id list of which all that is recorded reaches fc."""
    return TrainedList(recorded(ids, *fc), fc)


def dropping(ids: Ids, captured: tuple[str, ...], *fc: str) -> TrainedList:
    """One id list of which not all reaches fc."""
    return TrainedList(recorded(ids, *captured), fc)


def open_row(ids: Ids, reason: str, at: Location | None = SELECTION) -> TrainedList:
    """One id list of which nothing is proved."""
    evaluation = replace(recorded(ids), captured=None, status="not established", reason=reason, reason_at=at, path=())
    return TrainedList(evaluation, None, reason, at)


def raising_row(ids: Ids, error: str) -> TrainedList:
    """One id list at which the trainer raises."""
    return TrainedList(replace(recorded(ids), captured=None, error=error), None)


LISTED = row((2, 15, 28), "out:2", "out:15", "out:28")


def training(*rows: TrainedList, flow: str = "eagle3", at: Location = SELECTION) -> Training:
    """An established selection: id k trains out:k."""
    return Training(
        flow, "OnlineModel.prepare", at, "ids", (Clause("id k", "out:k"),), "established", None, None, (LOADED, SAMPLES), rows or (LISTED,)
    )  # fmt: skip


def unknown_training(reason: str = "the draft's fc is not in the tree", flow: str = "eagle3") -> Training:
    """A selection of which nothing is proved."""
    found = training(open_row((2, 15, 28), reason), flow=flow)
    return replace(found, order=None, convention=(), status="not established", reason=reason, reason_at=SELECTION)


def contract(*trainings: Training, hidden_size: int | None = 4096, not_established: tuple[NotEstablished, ...] = ()) -> ContractAnalysis:
    """A run over a trainer with these selections."""
    return ContractAnalysis(SourceFacts(".", "trainer", "0.1.0", 9, 4), LAYERS, hidden_size, trainings, not_established)
