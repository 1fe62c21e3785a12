"""What the rules of capture say of a draft: which id, at which place, and what only follows from it."""
from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from flowcheck.analyzer.options import read_serve_args
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.rule import Finding, Severity, judge
from flowcheck.rules import RULES

FIXTURES = Path(__file__).parents[1] / "fixtures"


@cache
def loud(case: str, draft: str) -> tuple[Finding, ...]:
    """The warnings and errors of a check of this draft."""
    folder = FIXTURES / case
    configs, tree = folder / "configs", folder / "tree"
    target, trainer = str(configs / "target.json"), str(tree / "draft_training")
    asked = Request(str(tree / "sglang"), target=target, draft=str(configs / draft), train=trainer, judged=True)
    return tuple(found for found in judge(analyze(asked), RULES) if found.severity > Severity.INFO)


@cache
def bare(case: str) -> tuple[Finding, ...]:
    return judge(analyze(Request(str(FIXTURES / case / "tree" / "sglang"), judged=True)), RULES)


def line_of(found: Finding) -> str:
    return Path(found.at.file).read_text("utf-8").splitlines()[found.at.line - 1].strip()


def test_an_id_that_no_layer_meets_is_told_at_the_loop() -> None:
    (found,) = loud("edges-of-the-stack", "last.json")
    assert (found.code, found.severity) == ("FC301", Severity.ERROR)
    assert line_of(found) == "for number, layer in enumerate(self.layers):"
    assert "id 47 is captured by no layer" in found.message
    assert "2 of 3 states arrive, 2 x 2048 = 4096 wide rather than 6144" in found.message
    assert {inner.code for inner in found.consequences} == {"FC101", "FC104"}


def test_an_id_that_raises_is_told_with_the_exception_and_its_place() -> None:
    (found,) = loud("edges-of-the-stack", "first.json")
    assert (found.code, found.severity) == ("FC307", Severity.ERROR)
    assert line_of(found) == "aux_hidden_states.append(hidden_states + residual)"
    assert "unsupported operand type(s) for +: 'Tensor' and 'NoneType'" in found.message and "id -1 does" in found.message


def test_a_duplicate_is_told_once_with_what_follows() -> None:
    (found,) = loud("edges-of-the-stack", "twice.json")
    assert found.code == "FC308"
    assert "id 4 is captured once: 2 states arrive for 3 ids" in found.message
    assert {inner.code for inner in found.consequences} == {"FC101", "FC104"}


def test_what_another_branch_would_have_served_follows_from_the_condition() -> None:
    (found,) = loud("late-ids-decide", "trained.json")
    assert (found.code, found.severity) == ("FC302", Severity.ERROR)
    assert "any(layer_id > count // 2 for layer_id in layer_ids)" in line_of(found)
    assert [inner.code for inner in found.consequences] == ["FC101"]
    lines = {hop.at.line for hop in found.path}
    text = Path(found.at.file).read_text("utf-8").splitlines()
    visited = {text[line - 1].strip() for line in lines}
    assert "self.model.layers_to_capture = list(layer_ids)" in visited
    assert "self.model.layers_to_capture = [layer_id + 1 for layer_id in layer_ids]" in visited


def test_a_draft_that_is_served_right_hears_of_the_hazard_alone() -> None:
    (found,) = loud("late-ids-decide", "boundaries.json")
    assert (found.code, found.severity, found.consequences) == ("FC302", Severity.WARNING, ())


@pytest.mark.parametrize("code", ["FC301", "FC303", "FC307"])
def test_without_a_draft_the_edges_and_the_default_are_facts_to_know(code: str) -> None:
    found = [each for each in bare("edges-of-the-stack") if each.code == code]
    assert [each.severity for each in found] == [Severity.INFO]


def test_a_default_that_is_not_shifted_is_told_where_it_is_kept() -> None:
    (found,) = (each for each in bare("edges-of-the-stack") if each.code == "FC303")
    assert line_of(found) == "self.model.wanted = frozenset((2, count // 2, count - 3))"


def test_a_default_that_goes_the_way_of_the_ids_is_none() -> None:
    found = [each for each in bare("late-ids-decide") if each.code in ("FC302", "FC303")]
    assert all("CrocusForCausalLM" not in each.message for each in found)


def test_one_class_against_four_is_told_at_its_setter() -> None:
    (found,) = (each for each in bare("one-class-apart") if each.code == "FC309")
    assert (found.severity, found.model, found.expected, found.actual) == (Severity.INFO, "ElderForCausalLM", "out:k", "out:k-1")
    assert any("AsterForCausalLM" in hop.label for hop in found.path)


def test_one_class_against_four_is_told_of_a_draft_where_the_config_names_the_class() -> None:
    """The siblings are run for comparison, and are not told otherwise."""
    (found,) = loud("one-class-apart", "trained.json")
    assert (found.code, found.model, found.expected, found.actual) == ("FC309", "ElderForCausalLM", "out:k", "out:k-1")
    assert [inner.code for inner in found.consequences] == ["FC101"]


def stages(runs: str = "kept = captured", flags: str = "--pipeline-parallel-size 2") -> list[Finding]:
    """What is loud of a runner that has its target in two stages, launched with these flags."""
    case = FIXTURES / "stages-in-a-loop"
    path = case / "tree" / "vllm" / "worker" / "runner.py"
    asked = Request(
        str(case / "tree"), target=str(case / "configs" / "target.json"), draft=str(case / "configs" / "draft.json"),
        serve_args=read_serve_args(flags), judged=True,
    )  # fmt: skip
    assert runs in path.read_text("utf-8")
    return [found for found in judge(analyze(asked), RULES) if found.code == "FC306"]


def test_stages_of_which_each_replaces_what_was_captured_before_it() -> None:
    (found,) = stages()
    assert found.severity == Severity.WARNING
    assert line_of(found) == "out, captured = stage(input_ids, positions, out)"
    text = Path(found.at.file).read_text("utf-8").splitlines()
    visited = [text[hop.at.line - 1].strip() for hop in found.path]
    assert visited[0] == "for stage in self.stages:" and "for state in kept" in visited[-1]


def test_stages_are_a_fact_to_know_where_the_engine_runs_on_one_rank() -> None:
    (found,) = stages(flags="--pipeline-parallel-size 1")
    assert found.severity == Severity.INFO


def test_a_stage_that_hands_on_its_states_alone_is_loud_where_the_engine_runs_stages(tmp_path: Path) -> None:
    case = tmp_path / "case"
    shutil.copytree(FIXTURES / "stages-in-a-loop", case)
    edit(case / "tree/vllm/worker/runner.py", "kept = captured", "kept += captured")
    edit(case / "tree/vllm/models/mint.py", "return (x, rest), kept", "return (x, rest), []")
    asked = Request(
        str(case / "tree/vllm"), target=str(case / "configs/target.json"), draft=str(case / "configs/draft.json"), judged=True
    )  # fmt: skip
    (found,) = (each for each in judge(analyze(asked), RULES) if each.code == "FC306")
    assert found.severity == Severity.WARNING
    assert line_of(found) == "if self.end_layer < len(self.blocks):"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
