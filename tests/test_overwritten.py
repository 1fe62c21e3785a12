"""A capture that is written in place later: the point is told as lost, with the place that kept it and the place that wrote it."""
from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from test_comparison import TREE, check, loud
from trained import HOOKS, changed

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Ids, Request
from flowcheck.analyzer.results import Overwritten
from flowcheck.analyzer.rule import Severity, judge
from flowcheck.rules import RULES

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TRAINER = changed(HOOKS, (HOOKS[HOOKS.index("    captured") :], "")) + """\
    states = model(input_ids, output_hidden_states=True).hidden_states
    return torch.cat([states[k] for k in (0, 2, 4)], dim=-1)
"""
"""Trains on the embedding and the outputs of layers 1 and 3."""


@cache
def lost(case: str, model: str, ids: Ids) -> tuple[Overwritten, ...]:
    """What of these ids is lost in a fixture of eight layers."""
    found = analyze(Request(str(FIXTURES / case / "tree"), models=(model,), layers=8, ids=(ids,)))
    (row,) = (row for wiring in found.wirings for row in wiring.evaluated)
    return row.overwritten


def places(each: Overwritten) -> tuple[str, ...]:
    return tuple(f"{Path(at.file).name}:{at.line}" for at in (each.kept_at, *each.written_at))


@pytest.mark.parametrize(
    ("case", "model", "said"),
    [
        ("written-in-place", "AliasForCausalLM", ("inplace.py:30", "inplace.py:9")),
        ("written-in-place", "RowsForCausalLM", ("inplace.py:30", "inplace.py:63")),
        ("scaled-layers", "ScaledForCausalLM", ("scaled.py:41", "layernorm.py:21")),
    ],
)
def test_who_kept_and_who_wrote(case: str, model: str, said: tuple[str, ...]) -> None:
    (only,) = lost(case, model, (2,))
    assert (only.point, places(only)) == ("out:2/overwritten", said)


@pytest.mark.parametrize("model", ["CopyForCausalLM", "FreshForCausalLM"])
def test_what_is_a_copy_or_never_written_is_not_lost(model: str) -> None:
    assert lost("written-in-place", model, (2,)) == ()


def test_what_comes_last_is_written_by_nobody() -> None:
    assert lost("written-in-place", "AliasForCausalLM", (7,)) == ()


def test_an_id_at_the_edge_is_told_by_the_table_alone() -> None:
    found = analyze(Request(str(FIXTURES / "layer-families/tree"), models=("FamilyForCausalLM",), target=None))
    assert not [finding for finding in judge(found, RULES) if finding.code == "FC310"]


def test_an_id_that_was_asked_for_is_a_hazard_wherever_it_lies() -> None:
    target = str(FIXTURES / "layer-families/configs/sequential.json")
    found = analyze(Request(str(FIXTURES / "layer-families/tree"), models=("FamilyForCausalLM",), target=target, ids=((-1, 3),)))
    (finding,) = (finding for finding in judge(found, RULES) if finding.code == "FC310")
    assert finding.severity == Severity.WARNING
    assert "id -1,3 captures embed and loses it" in finding.message


def test_a_draft_that_is_fed_by_it(here: Path) -> None:
    """The engine keeps the embedding without a copy; that another stage is served than was trained only follows."""
    tree = here / "engine"
    shutil.copytree(TREE, tree)
    model = tree / "sglang/srt/models/deepseek_like.py"
    model.write_text(model.read_text().replace("append(hidden_states.clone())", "append(hidden_states)"))
    (finding,) = loud(check(here, [-1, 1, 3], TRAINER, tree))
    assert (finding.code, finding.severity, finding.draft) == ("FC310", Severity.ERROR, "draft.json")
    said, _, way = finding.message.partition(": what engine/sglang/srt/models/deepseek_like.py:")
    assert said == "ids -1,1,3 capture embed, and the draft is not served it"
    assert "keeps is no copy, and engine/sglang/srt/layers/layernorm.py:" in way
    assert [each.code for each in finding.consequences] == ["FC103"]
    assert finding.actual == "embed/overwritten, out:1, out:3"


def test_the_copy_is_quiet(here: Path) -> None:
    assert loud(check(here, [-1, 1, 3], TRAINER)) == []
