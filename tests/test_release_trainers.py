"""Facts of released trainers, read in their source and in our own words."""
from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Release

from flowcheck.analyzer.pipeline import contract
from flowcheck.analyzer.request import ContractRequest, Ids
from flowcheck.analyzer.results import Training

pytestmark = pytest.mark.release


class Fact(NamedTuple):
    """What a trainer's release trains on, selected at one of these lines of a file, and why."""

    package: str
    version: str
    flow: str
    layers: int
    ids: Ids
    file: str
    lines: tuple[int, ...]
    recorded: str
    fc: str
    why: str


class Composed(NamedTuple):
    """What a trainer that calls an engine's setter trains on, by the engine's release."""

    model: str
    layers: int
    ids: tuple[int, ...]
    fc: str
    why: str


WORKER, EAGLE, DFLASH = "data_generation/custom_worker.py", "plugins/hf_eagle.py", "plugins/hf_dflash.py"
FACTS = (
    Fact("speculators", "0.3.0", "eagle3", 32, (2, 16, 29, 31), WORKER, (51, 52), "out:2, out:16, out:29, out:31", "out:2, out:16, out:29",
         "appended after the layer; the reader of the files splits the last one off"),
    Fact("nvidia-modelopt", "0.47.0", "eagle3", 32, (29, 2, 16), EAGLE, (406,), "out:2, out:16, out:29", "out:2, out:16, out:29",
         "hooks by membership, in the order of the layers"),
    Fact("nvidia-modelopt", "0.47.0", "eagle3", 32, None, EAGLE, (406,), "out:1, out:15, out:28", "out:1, out:15, out:28",
         "the default is a formula of the layer count"),
    Fact("nvidia-modelopt", "0.47.0", "dflash", 36, (9, 1, 35), DFLASH, (983,), "out:9, out:1, final", "out:9, out:1, final",
         "hidden_states[id + 1], whose last entry is normed"),
)  # fmt: skip
COMPOSED = (
    Composed("LlamaForCausalLM", 32, (2, 16, 29), "out:2, out:16, out:29", "the setter adds one, and the loop captures before the layer"),
    Composed("DeepseekV3ForCausalLM", 61, (2, 30, 58), "out:1, out:29, out:57", "a list that does not start with 1 is not shifted"),
)


@cache
def trainings(wheel: Path, flow: str, layers: int) -> tuple[Training, ...]:
    """All that the facts ask of one flow in one trainer."""
    asked = dict.fromkeys(fact.ids for fact in FACTS if (fact.flow, fact.layers) == (flow, layers))
    return contract(ContractRequest(str(wheel), (flow,), layers, None, tuple(asked))).trainings


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.package} {fact.version} {fact.flow} {fact.ids}")
def test_fact(fact: Fact, release: Release) -> None:
    found = trainings(release(fact.version, fact.package), fact.flow, fact.layers)
    (training,) = (each for each in found if each.at.file.endswith(fact.file) and each.at.line in fact.lines)
    (row,) = (each for each in training.evaluated if each.evaluation.ids == fact.ids)
    assert row.evaluation.status == "established", row.evaluation.reason
    assert (", ".join(row.evaluation.captured or ()), ", ".join(row.fc or ())) == (fact.recorded, fact.fc), fact.why


@pytest.mark.parametrize("fact", COMPOSED, ids=lambda fact: f"{fact.model} {fact.ids}")
def test_engine(fact: Composed, release: Release) -> None:
    engine, trainer = str(release("0.5.14")), str(release("0.2.0", "specforge"))
    asked = ContractRequest(trainer, ("eagle3",), fact.layers, None, (fact.ids,), None, engine, (fact.model,))
    (training,) = (each for each in contract(asked).trainings if each.engine is not None)
    assert training.engine is not None
    assert (training.engine.pinned, training.engine.version, training.at.line) == ("0.5.14", "0.5.14", 87)
    assert ", ".join(training.evaluated[0].fc or ()) == fact.fc, fact.why
