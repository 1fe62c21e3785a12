"""Facts of released SGLang, read in its source and in our own words."""
from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Release
from flow_comments import spoken

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Ids, Request
from flowcheck.analyzer.results import Evaluation

pytestmark = pytest.mark.release


class Fact(NamedTuple):
    """What one target of a release does with one id list of so many layers, and why."""

    version: str
    model: str
    ids: Ids
    layers: int
    says: str
    why: str


FACTS = (
    Fact("0.4.6", "LlamaForCausalLM", None, 32, "out:1, out:15, out:28", "the default boundaries are not shifted"),
    Fact("0.4.6", "LlamaForCausalLM", (2, 5), 8, "raises TypeError", "the setter takes no ids"),
    Fact("0.5.9", "LlamaForCausalLM", None, 32, "out:1, out:15, out:28", "the default boundaries are not shifted"),
    Fact("0.5.9", "LlamaForCausalLM", (2, 5), 8, "out:2, out:5", "one is added, and the loop captures before the layer"),
    Fact("0.5.9", "LlamaForCausalLM", (5, 2, 2), 8, "out:2, out:5", "the loop walks the layers, so order and repetitions are lost"),
    Fact("0.5.9", "LlamaForCausalLM", (-1,), 8, "raises TypeError", "there is no residual before the first layer"),
    Fact("0.5.9", "LlamaForCausalLM", (7,), 8, "raises ValueError", "the last layer is never met, and the outer model unpacks a tensor"),
    Fact("0.5.9", "Qwen3ForCausalLM", (2, 5), 8, "out:2, out:5", "one is added"),
    Fact("0.5.9", "Qwen2MoeForCausalLM", (2, 5), 8, "out:2, out:5", "marked layers append a copy of the residual"),
    Fact("0.5.9", "Qwen2MoeForCausalLM", (7,), 8, "raises IndexError", "the mark is set on a layer that is not there"),
    Fact("0.5.9", "Qwen3MoeForCausalLM", (2, 5), 8, "out:2, out:5", "as the older one"),
    Fact("0.5.9", "GptOssForCausalLM", (2, 5), 8, "out:2, out:5", "one is added, always, up to 0.5.16"),
    Fact("0.5.9", "GptOssForCausalLM", (-1,), 8, "raises TypeError", "there is no residual before the first layer"),
    Fact("0.5.9", "ApertusForCausalLM", (2, 5), 8, "out:2, out:5", "one is added"),
    Fact("0.5.9", "Glm4MoeLiteForCausalLM", (2, 5), 8, "raises AttributeError", "an attribute that the inherited loop reads is never set"),
)


@cache
def run(wheel: Path, version: str, model: str, layers: int) -> tuple[Evaluation, ...]:
    """All that the facts ask of one target for one number of layers."""
    asked = tuple(fact.ids for fact in FACTS if (fact.version, fact.model, fact.layers) == (version, model, layers))
    (wiring,) = analyze(Request(str(wheel), models=(model,), layers=layers, ids=asked)).wirings
    return wiring.evaluated


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact.version} {fact.model} {fact.ids} of {fact.layers}")
def test_fact(fact: Fact, release: Release) -> None:
    evaluated = run(release(fact.version), fact.version, fact.model, fact.layers)
    (evaluation,) = (each for each in evaluated if each.ids == fact.ids)
    assert spoken(evaluation) == (fact.says,), f"{fact.why}; {evaluation.reason} {evaluation.reason_at}"
