"""``flowcheck check --train contract.json``: what is served, held against a contract in place of the trainer's source."""
from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from contract_examples import contract, dropping, row, training

from flowcheck.analyzer.agreement import verdict
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


class TestBesideTheDraft:
    """A ``contract.json`` beside a draft's ``config.json`` is its training side."""

    @staticmethod
    def draft(name: str, text: str | None, *ids: int) -> None:
        Path(name).mkdir(parents=True)
        Path(name, "config.json").write_text(json.dumps({"eagle_config": {"eagle_aux_hidden_state_layer_ids": ids}}, indent=1))
        if text is not None:
            Path(name, "contract.json").write_text(text)

    @staticmethod
    def sides(draft: str, **given: str) -> list[tuple[str, str | None]]:
        """The verdict for each draft, and where the training side stands."""
        found = analyze(Request("tree", target="target.json", draft=draft, **given)).comparisons
        return [(verdict(each), None if each.trained is None or each.trained.at is None else each.trained.at.file) for each in found]

    def test_it_is_taken_where_no_trainer_is_given(self, folder: Path) -> None:
        self.draft("my-draft", file_text(contract(training())), 2, 15, 28)
        assert self.sides("my-draft") == self.sides("my-draft/config.json") == [("same", "my-draft/contract.json")]

    def test_what_is_given_comes_first(self, folder: Path) -> None:
        self.draft("my-draft", "{broken", 2, 15, 28)
        (folder / "given.json").write_text(file_text(contract(training(row((2, 15, 28), "out:1", "out:14", "out:27")))))
        assert self.sides("my-draft", train="given.json") == [("other", "given.json")]

    def test_each_draft_of_a_folder_has_its_own(self, folder: Path) -> None:
        """One that has none is undecidable, and a contract is no draft."""
        self.draft("drafts/a", file_text(contract(training())), 2, 15, 28)
        self.draft("drafts/b", None, 2, 15, 28)
        (folder / "drafts/contract.json").write_text(file_text(contract(training())))
        (folder / "drafts/c.json").write_text((folder / "drafts/a/config.json").read_text())
        assert self.sides("drafts") == [("same", "drafts/a/contract.json"), ("undecidable", None), ("undecidable", None)]

    @pytest.mark.parametrize("text", ['{"schema": "acme.contract/1"}', "[]", '{"schema": 3}', "{}"])
    def test_another_tools_file_is_none(self, folder: Path, text: str) -> None:
        self.draft("my-draft", text, 2, 15, 28)
        assert self.sides("my-draft") == [("undecidable", None)]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{broken", r"my-draft/contract\.json:1:2: "),
            ('{"schema": "flowcheck.contract/9"}', r"my-draft/contract\.json:1:\d+: is of schema flowcheck\.contract/9; this "),
            ('{"schema": "flowcheck.contract/1"}', r"my-draft/contract\.json:1:\d+: the contract has no 'source'"),
        ],
    )
    def test_a_broken_one_is_bad_input(self, folder: Path, text: str, message: str) -> None:
        self.draft("my-draft", text, 2, 15, 28)
        with pytest.raises(BadInput, match=message):
            self.sides("my-draft")

    def test_a_link_to_nowhere(self, folder: Path) -> None:
        self.draft("my-draft", None, 2, 15, 28)
        (folder / "my-draft/contract.json").symlink_to("gone.json")
        with pytest.raises(BadInput, match=r"my-draft/contract\.json: no such file"):
            self.sides("my-draft")
