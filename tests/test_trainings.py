"""The ways in which trainers select hidden states: small trainers in, the lines of their contracts out."""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_cases import CASES
from contract_trainers import Case
from sources import plant

from flowcheck.analyzer.pipeline import contract
from flowcheck.analyzer.request import ContractRequest, ids_text
from flowcheck.analyzer.results import TrainedList, Training

LAYERS = 8


def told(case: Case, folder: Path) -> list[str]:
    """What a contract says of a trainer, a line for each thing."""
    trainer = plant(folder / "my_trainer", case.files)
    engine = str(plant(folder / "engine", case.engine)) if case.engine else None
    found = contract(ContractRequest(str(trainer), layers=LAYERS, ids=case.ids, engine=engine))
    lines = [line for training in found.trainings for line in lines_of(training)]
    return lines + [f"left out: {each.reason}" for each in found.not_established]


def lines_of(training: Training) -> Iterator[str]:
    yield f"{training.flow} {training.symbol} {Path(training.at.file).name}:{training.at.line} in the order of {training.order}"
    yield from map(row, training.evaluated or ())
    if not training.evaluated:
        yield f"?{training.reason}"
    yield from (f"from {source.kind} {source.text}, else {source.default}" for source in training.sources)
    yield from (f"assuming {each.name}" for each in training.assumptions or ())
    yield from (f"writes {export.key}: {export.mapping}" for export in training.exports)
    if training.engine is not None:
        yield f"by {training.engine.name} {training.engine.pinned} {training.engine.setter}"


def row(trained: TrainedList) -> str:
    said = trained.evaluation
    if said.error is not None:
        return f"{ids_text(said.ids)} -> raises {said.error}"
    points = f"?{trained.fc_reason or said.reason}" if trained.fc is None else ", ".join(trained.fc)
    dropped = [] if said.captured is None or trained.fc is None else said.captured[len(trained.fc) :]
    return f"{ids_text(said.ids)} -> {points}" + (f" (and {', '.join(dropped)})" if dropped else "")


def marks(case: Case) -> tuple[pytest.MarkDecorator, ...]:
    return () if case.wrong is None else (pytest.mark.xfail(strict=True, reason=case.wrong),)


@pytest.mark.parametrize("case", [pytest.param(case, id=name, marks=marks(case)) for name, case in CASES.items()])
def test_contract(case: Case, tmp_path: Path) -> None:
    lines = told(case, tmp_path)
    for expected in case.lines:
        assert any(line.startswith(expected) for line in lines), "\n".join(lines)
