"""``flowcheck check --train contract.json``: what is served, held against a contract in place of the trainer's source."""
from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from contract_examples import contract, dropping, row, training

from flowcheck.analyzer.contract_json import file_text
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import ContractAnalysis, Training
from flowcheck.analyzer.rule import Finding, Severity, judge
from flowcheck.rules import RULES

TREE = Path(__file__).resolve().parents[1] / "fixtures/ids-changed-after-training/tree"
TARGET = {"architectures": ["DeepseekLikeForCausalLM"], "num_hidden_layers": 32, "hidden_size": 4096}
REQUEST = Request("tree", target="target.json", draft="draft.json", train="contract.json")


@pytest.fixture
def folder(here: Path) -> Path:
    """An engine, a target and a draft that is served with the ids 2, 15 and 28."""
    shutil.copytree(TREE, here / "tree")
    (here / "target.json").write_text(json.dumps(TARGET))
    (here / "draft.json").write_text(json.dumps({"eagle_config": {"eagle_aux_hidden_state_layer_ids": [2, 15, 28]}}, indent=1))
    return here


def check(folder: Path, *trainings: Training, found: ContractAnalysis | None = None) -> list[Finding]:
    """The findings of a check against a contract with these selections, infos left out."""
    (folder / "contract.json").write_text(file_text(found or contract(*trainings)))
    return [finding for finding in judge(analyze(REQUEST), RULES) if finding.severity > Severity.INFO]


def test_what_was_trained_is_served(folder: Path) -> None:
    assert check(folder, training()) == []
    (compared,) = analyze(REQUEST).comparisons
    assert compared.trained is not None
    assert compared.served.points == compared.trained.points == ("out:2", "out:15", "out:28")


def test_the_same_ids_in_another_dialect(folder: Path) -> None:
    (finding,) = check(folder, training(row((2, 15, 28), "out:1", "out:14", "out:27")))
    assert finding.code == "FC101"
    assert "served out:2, out:15, out:28, trained out:1, out:14, out:27, same width 12288" in finding.message
    assert "ids [2, 15, 28] at contract.json:" in finding.message
    assert finding.help == "ids [1, 14, 27] make DeepseekLikeForCausalLM capture what was trained"
    assert {"contract.json", "trainer/model.py"} <= {hop.at.file for hop in finding.path}


def test_another_order(folder: Path) -> None:
    (finding,) = check(folder, training(row((28, 2, 15), "out:28", "out:2", "out:15")))
    assert finding.code == "FC102"


def test_what_is_recorded_besides_is_not_compared(folder: Path) -> None:
    assert check(folder, training(dropping((2, 15, 28, 31), ("out:2", "out:15", "out:28", "out:31"), "out:2", "out:15", "out:28"))) == []


def test_a_contract_for_another_target_proves_nothing(folder: Path) -> None:
    (folder / "target.json").write_text(json.dumps({**TARGET, "num_hidden_layers": 61}))
    (finding,) = check(folder, training())
    assert (finding.code, finding.severity) == ("FC901", Severity.WARNING)
    assert "the contract is for a target with 32 layers, this one has 61" in finding.message
    assert finding.at.file == "contract.json"


def test_a_stage_names_no_one_tensor(folder: Path) -> None:
    (finding,) = check(folder, training(row((2, 15, 28), "out:2/scaled", "out:15", "out:28")))
    assert finding.code == "FC901"


def test_a_config_of_a_run_beside_a_contract(folder: Path) -> None:
    (folder / "contract.json").write_text(file_text(contract(training())))
    with pytest.raises(BadInput, match=r"contract\.json is a contract, which holds the ids of its run: leave out --train-config"):
        analyze(Request("tree", target="target.json", draft="draft.json", train="contract.json", train_config="run.json"))


def test_a_folder_that_holds_a_contract_is_a_trainer(folder: Path) -> None:
    (folder / "my-draft").mkdir()
    (folder / "my-draft/contract.json").write_text(file_text(contract(training())))
    (folder / "my-draft/train.py").write_text("def f():\n    return None\n")
    (compared,) = analyze(Request("tree", target="target.json", draft="draft.json", train="my-draft")).comparisons
    assert compared.trained is not None
    assert (compared.trained.reason or "").startswith("nothing in the trainer looks into a target")
