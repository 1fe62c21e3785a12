"""What a bare run finds in released SGLang, loud findings only: each was looked at in the source, and is true."""
from __future__ import annotations

from typing import NamedTuple

import pytest
from conftest import Release

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.rule import Severity, judge
from flowcheck.rules import RULES

pytestmark = pytest.mark.release


class Fact(NamedTuple):
    """A loud finding, and why it is true."""

    code: str
    file: str
    line: int
    why: str


FOUND = (
    Fact("FC202", "model_executor/model_runner.py", 366, "a bare except makes a None of any miss of the ids"),
    Fact("FC208", "model_executor/cuda_graph_runner.py", 365, "the graph runner calls the setter without ids"),
    Fact("FC208", "model_executor/model_runner.py", 1906, "so does a dummy run"),
    Fact("FC209", "model_executor/model_runner.py", 622, "the warm-up has run when the ids are set"),
    Fact("FC210", "models/qwen2_moe.py", 609, "layers are marked, and never unmarked"),
    Fact("FC210", "models/qwen3_next.py", 852, "as there"),
    Fact("FC212", "models/bailing_moe.py", 782, "qwen2_moe's mark is asked for, and this setter keeps a list"),
)


def test_loud_findings(release: Release) -> None:
    analysis = analyze(Request(str(release("0.5.9")), ("eagle3",), judged=True))
    loud = [each for each in judge(analysis, RULES) if each.severity > Severity.INFO]
    found = {(each.code, each.at.file.partition("/srt/")[2], each.at.line) for each in loud}
    assert found == {(fact.code, fact.file, fact.line) for fact in FOUND}


def test_a_gate_that_is_passed_is_a_fact_to_know(release: Release) -> None:
    analysis = analyze(Request(str(release("0.5.9")), ("eagle3",), ("Llama4ForConditionalGeneration",), judged=True))
    (gate,) = (each for each in judge(analysis, RULES) if each.code == "FC213")
    assert (gate.at.file.partition("/srt/")[2], gate.at.line, gate.severity) == ("models/mllama4.py", 954, Severity.INFO)
