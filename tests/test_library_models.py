"""Without the model of one function outside of the tree an answer stays, or is not established; it never becomes another one.

An answer that comes to depend on something must still be among those given.
"""
from __future__ import annotations

import sys
from pathlib import Path

import pytest
from flow_comments import spoken
from interpreted import FRAMES

from flowcheck.analyzer.evaluation import Program, Target
from flowcheck.analyzer.finding import find_targets
from flowcheck.analyzer.flows.flow import load_flow
from flowcheck.analyzer.index import Index
from flowcheck.analyzer.interpret.code import Code
from flowcheck.analyzer.library.tables import Library
from flowcheck.analyzer.request import Ids
from flowcheck.analyzer.source import open_source
from flowcheck.analyzer.target import ConfigFacts

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
CASES = ("llama-like", "marks-into-layer", "collector-into-layer", "returned-list", "setter-shapes", "partial-streams", "written-in-place")
STAGED = "declared-stages"
FLOW = load_flow("eagle3")
LISTS: tuple[Ids, ...] = ((2, 1), (-1,))
LAYERS = 5
PURE = (
    "torch.nn.ModuleList",
    "torch.clone",
    "builtins.sorted",
    "builtins.enumerate",
    "builtins.getattr",
    "builtins.setattr",
    "builtins.map",
)
"""Models of Python and torch that the fixtures use, besides the kernels of the flow."""
MODELS = (*sorted(FLOW.kernels), *PURE)
NOT_ESTABLISHED = ("not established",)


def answers(case: str, without: frozenset[str]) -> dict[tuple[str, Ids], tuple[str, ...]]:
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    tree = open_source(str(FIXTURES / case / "tree"), FLOW.package)
    program = Program(Index(tree), FLOW, Code(), Library(dict(FLOW.kernels), without, FLOW.boundaries), tree.printed)
    found, _ = find_targets(program, tree)
    targets = [Target(program, one.cls, one.setter, LAYERS, ConfigFacts(FLOW, {})) for one in found]
    return {(target.cls.name, ids): spoken(target.evaluate(ids)) for target in targets for ids in LISTS}


@pytest.fixture(scope="module")
def with_all() -> dict[str, dict[tuple[str, Ids], tuple[str, ...]]]:
    return {case: answers(case, frozenset()) for case in CASES}


@pytest.mark.parametrize("model", MODELS)
def test_no_other_answer(model: str, with_all: dict[str, dict[tuple[str, Ids], tuple[str, ...]]]) -> None:
    for case, expected in with_all.items():
        for key, said in answers(case, frozenset({model})).items():
            assert said == NOT_ESTABLISHED or set(expected[key]) <= set(said), f"{case}: {key}: {said}"


def test_the_kernels_are_needed(with_all: dict[str, dict[tuple[str, Ids], tuple[str, ...]]]) -> None:
    without = answers("llama-like", frozenset({"sgl_kernel.fused_add_rmsnorm"}))
    key: tuple[str, Ids] = ("LlamaForCausalLM", (2, 1))
    assert (with_all["llama-like"][key], without[key]) == (("out:1, out:2",), NOT_ESTABLISHED)


@pytest.fixture(scope="module")
def staged() -> dict[tuple[str, Ids], tuple[str, ...]]:
    return answers(STAGED, frozenset())


class TestOperationsOfStages:
    """The operations of a boundary package are described by the flow."""

    @pytest.mark.parametrize("operation", sorted(FLOW.boundaries.operations))
    def test_no_other_answer(self, operation: str, staged: dict[tuple[str, Ids], tuple[str, ...]]) -> None:
        for key, said in answers(STAGED, frozenset({operation})).items():
            assert said == NOT_ESTABLISHED or set(staged[key]) <= set(said), f"{key}: {said}"

    @pytest.mark.parametrize("word", ["declare-attention", "declare-ffn", "append", "prepare", "finish", "start", "final-norm"])
    def test_each_is_needed(self, word: str, staged: dict[tuple[str, Ids], tuple[str, ...]]) -> None:
        without = frozenset(name for name, said in FLOW.boundaries.operations.items() if said == word)
        key: tuple[str, Ids] = ("StagedForCausalLM", (2, 1))
        assert (staged[key], answers(STAGED, without)[key]) == (("out:1, out:2",), NOT_ESTABLISHED)
