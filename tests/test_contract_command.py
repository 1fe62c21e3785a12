"""The command ``flowcheck contract``: what is asked of the analysis, what is printed, and when a contract is written."""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from contract_examples import ELSEWHERE, SELECTION, contract, row, training, unknown_training

from flowcheck.analyzer import cli
from flowcheck.analyzer.contract_file import Contract, read_contract_file
from flowcheck.analyzer.request import ContractRequest
from flowcheck.analyzer.results import ContractAnalysis, Location, NotEstablished


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[ContractAnalysis], list[ContractRequest]]:
    """Lets the pipeline answer with an analysis; gives the requests that reach it."""

    def answering(found: ContractAnalysis) -> list[ContractRequest]:
        requests: list[ContractRequest] = []

        def pipeline(request: ContractRequest) -> ContractAnalysis:
            requests.append(request)
            return found

        monkeypatch.setattr(cli, "contract_pipeline", lambda: pipeline)
        return requests

    return answering


Answer = Callable[[ContractAnalysis], list[ContractRequest]]
Capture = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(["contract", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


ASKED = ("trainer", "--ids", "2,15,28", "--layers", "32")


class TestCommand:
    def test_the_options_reach_the_pipeline(self, answer: Answer) -> None:
        asked = answer(contract(training()))
        narrowed = ["--flow", "eagle3", "--flow", "dflash", "--model", "A", "--target", "t", "--engine", "sglang"]
        assert run("trainer", *narrowed, "--train-config", "r.json", "--layers", "32", "--ids", "1,2", "--ids", "default") == 0
        assert asked == [ContractRequest("trainer", ("eagle3", "dflash"), 32, "t", ((1, 2), None), "r.json", "sglang", ("A",))]
        assert run("trainer") == 0
        assert asked[1] == ContractRequest("trainer")

    def test_text_and_json(self, answer: Answer, capsys: Capture) -> None:
        answer(contract(training()))
        assert run(*ASKED) == 0
        assert "  ids 2,15,28    out:2, out:15, out:28\n" in capsys.readouterr().out
        assert run(*ASKED, "--format", "json") == 0
        assert json.loads(capsys.readouterr().out)["schema"] == "flowcheck.contract/1"

    def test_the_file_is_all_that_is_made_where_only_it_is_asked_for(self, answer: Answer, here: Path, capsys: Capture) -> None:
        answer(contract(training()))
        assert run(*ASKED, "-o", "contract.json") == 0
        assert capsys.readouterr() == ("", "")
        found: Contract = read_contract_file("contract.json")
        assert (found.trainer, found.hidden_size, found.at) == ("trainer 0.1.0", 4096, Location("contract.json", 1))
        assert run(*ASKED, "-o", "contract.json", "--format", "text") == 0
        assert "eagle3  OnlineModel.prepare" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--layers", "32"], "a contract is for one list of ids: give --ids or --train-config"),
            (["--layers", "32", "--ids", "1", "--ids", "2"], "a contract is for one list of ids: give --ids or --train-config"),
            (["--ids", "1"], "a contract is for one number of layers: give the target's config with --target, or --layers"),
            (["--layers", "32", "--ids", "1", "--output-format", "json:c.json"], "two results for c.json"),
            (["--layers", "32", "--ids", "1", "--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        ],
    )
    def test_a_contract_is_for_one_thing(self, options: list[str], said: str, answer: Answer, here: Path, capsys: Capture) -> None:
        asked = answer(contract(training()))
        assert run("trainer", "-o", "c.json", *options) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), asked) == ("", 1, [])
        assert said in err
        assert not (here / "c.json").exists()

    def test_its_name(self, answer: Answer, capsys: Capture) -> None:
        answer(contract(training()))
        assert run(*ASKED, "-o", "contract.yaml") == 2
        assert capsys.readouterr().err == "flowcheck: -o contract.yaml: a contract's name ends in .json\n"

    @pytest.mark.parametrize(
        ("found", "said"),
        [
            (contract(unknown_training("who knows")), "no contract is written, eagle3 is not established: who knows (trainer/model.py:88)"),
            (contract(training(), unknown_training("who knows")), None),
            (contract(training(), training(row((2, 15, 28), "out:1"), at=ELSEWHERE)), "more than one selection"),
            (contract(training(row((1,), "out:1"), row((2,), "out:2"))), "the contract has 2 lists of ids"),
            (contract(training(), flow_of_two := unknown_training("no", flow="dflash")), None),
            (contract(flow_of_two), "dflash is not established: no (trainer/model.py:88)"),
            (contract(), "nothing is established: nothing in the trainer selects hidden states"),
            (contract(not_established=(NotEstablished("selections", "none", SELECTION),)), "selections: none (trainer/model.py:88)"),
        ],
    )
    def test_where_nothing_is_established_nothing_is_written(
        self, found: ContractAnalysis, said: str | None, answer: Answer, here: Path, capsys: Capture
    ) -> None:
        answer(found)
        assert run(*ASKED, "-o", "contract.json") == (0 if said is None else 2)
        out, err = capsys.readouterr()
        assert out == ""
        assert said is None or (said in err and err.count("\n") == 1)
        assert (here / "contract.json").exists() == (said is None)

    def test_a_flow_that_is_asked_for_must_be_established(self, answer: Answer, here: Path, capsys: Capture) -> None:
        answer(contract(training()))
        assert run(*ASKED, "--flow", "dflash", "-o", "contract.json") == 2
        assert "no contract is written, dflash is not established: nothing in the trainer trains it" in capsys.readouterr().err

    def test_a_folder_that_is_not_there(self, answer: Answer, here: Path, capsys: Capture) -> None:
        answer(contract(training()))
        assert run(*ASKED, "-o", "no/contract.json") == 2
        assert "cannot write no/contract.json: No such file or directory" in capsys.readouterr().err
