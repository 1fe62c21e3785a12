"""Contracts that the settings name: which are kept, what breaks one, and what is wrong with how one is written."""
from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import contract_examples
import jsonschema
import pytest
from results_examples import analysis, wiring

from flowcheck.analyzer import cli
from flowcheck.analyzer.contract_json import file_text
from flowcheck.analyzer.contracts import request_of
from flowcheck.analyzer.json_report import schema
from flowcheck.analyzer.opening import Shared
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request, Trained
from flowcheck.analyzer.results import Analysis, Location
from flowcheck.analyzer.settings import find_settings

Capture = pytest.CaptureFixture[str]

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures/ids-changed-after-training"
POINTS = 'trained = ["out:2", "out:4", "out:6"]'
CONFIG = "configs/bad.json:10"
MODEL = "tree/sglang/srt/models/deepseek_like.py"


def contract(name: str, draft: str, *more: str, target: str = "configs/target.json") -> str:
    """The table of one contract."""
    return "\n".join(["[[contracts]]", f'name = "{name}"', f'draft = "configs/{draft}.json"', f'target = "{target}"', *more, ""])


KEPT = contract("kept", "good", POINTS)
BROKEN = contract("broken", "bad", POINTS)
OPEN = contract("open", "good", 'model = "Iris"', POINTS)


@pytest.fixture
def project(here: Path) -> Path:
    """An engine and two drafts: the story that the program was written for, of a target that is less deep."""
    shutil.copytree(FIXTURE, here, dirs_exist_ok=True)
    shutil.copytree(FIXTURE / "configs", here / "deep")
    for name, old, new in (("target", ": 61", ": 8"), ("good", "[2, 30, 58]", "[2, 4, 6]"), ("bad", "[-1, 2, 30]", "[-1, 2, 4]")):
        config = here / f"configs/{name}.json"
        config.write_text(config.read_text("utf-8").replace(old, new), "utf-8")
    return here


def settings(*tables: str) -> None:
    Path("flowcheck.toml").write_text('source = "tree/sglang"\n' + "".join(tables), "utf-8")


def write_contract(file: str) -> None:
    """A contract of the trainer: the outputs of layers 2, 4 and 6."""
    listed = contract_examples.row((2, 4, 6), "out:2", "out:4", "out:6")
    listed = replace(listed, evaluation=replace(listed.evaluation, num_layers=8))
    found = contract_examples.contract(contract_examples.training(listed), hidden_size=7168)
    Path(file).write_text(file_text(replace(found, num_layers=8)), "utf-8")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def told(capsys: Capture, *names: str) -> list[str]:
    """What a run says of these contracts, without its first and its last words."""
    run(*(word for name in names for word in ("--contract", name)))
    lines = capsys.readouterr().out.splitlines()
    return lines[2 : lines.index("Settings of flowcheck.toml") - 1]


class TestTheText:
    def test_a_contract_that_is_kept(self, project: Path, capsys: Capture) -> None:
        settings(KEPT)
        assert told(capsys, "kept") == ["KEPT kept", "Contracts: 1 kept, 0 broken, 0 not established"]

    def test_one_that_is_broken_with_the_shortest_path(self, project: Path, capsys: Capture) -> None:
        """Neither the six hops that hand the ids on unchanged, nor those behind the first state that is another one."""
        settings(BROKEN)
        lines = told(capsys, "broken")
        assert lines[:6] == [
            "BROKEN broken",
            f"  served   embed, out:2, out:4  (ids -1,2,4, {CONFIG})",
            "  trained  out:2, out:4, out:6  (flowcheck.toml:6)",
            f"  path     {CONFIG}: eagle_config.eagle_aux_hidden_state_layer_ids: [-1, 2, 4]",
            f"           {MODEL}:104: + 1: [2, 4] -> [3, 5]",
            f"           {MODEL}:67: takes embed where out:2 was trained",
        ]
        assert lines[6].startswith(f"  {CONFIG}: error FC101 served embed, out:2, out:4, trained out:2, out:4, out:6")
        assert lines[6].endswith("against the settings at flowcheck.toml:6")
        assert lines[7:] == [
            "    help: ids [2, 4, 6] make KimiLikeForConditionalGeneration capture what was trained",
            "Contracts: 0 kept, 1 broken, 0 not established",
        ]

    def test_a_shift_that_is_lost(self, project: Path, capsys: Capture) -> None:
        """The config is as it was: the path leads to where the engine keeps the ids as they are."""
        file = Path(MODEL)
        file.write_text(file.read_text("utf-8").replace("[layer_id + 1 for", "[layer_id for"), "utf-8")
        settings(KEPT)
        assert told(capsys, "kept")[3:6] == [
            "  path     configs/good.json:10: eagle_config.eagle_aux_hidden_state_layer_ids: [2, 4, 6]",
            f"           {MODEL}:104: DeepseekLikeModel.layers_to_capture = [2, 4, 6]",
            f"           {MODEL}:70: takes out:1 where out:2 was trained",
        ]

    def test_the_trainer_itself(self, project: Path, capsys: Capture) -> None:
        settings(contract("by source", "bad", 'train = "tree/draft_training"').replace("configs/", "deep/"))
        assert "  trained  out:2, out:30, out:58  (tree/draft_training/extract.py:47)" in told(capsys, "by source")

    @pytest.mark.parametrize(
        ("table", "since"),
        [
            (OPEN, "Iris: no target class with a setter of the flow is called so (tree:1)"),
            (contract("open", "good", 'trained = ["out:8"]'), "what is trained is not established: out:8 is said to be trained, and"),
            (contract("open", "good", 'trained = ["out:2/scaled", "out:4", "out:6"]'), "served out:2 and trained out:2/scaled may be"),
            (contract("open", "good"), "nothing says what the draft was trained on: give the contract `train` or `trained`, or"),
            (contract("open", "good", POINTS, target="iris.json"), "Iris: the config's architectures name it, and no target class"),
        ],
        ids=["no such model", "a layer too many", "no one tensor", "untold", "no such architecture"],
    )
    def test_one_that_is_not_established(self, project: Path, capsys: Capture, table: str, since: str) -> None:
        Path("iris.json").write_text('{"architectures": ["Iris"], "num_hidden_layers": 8}')
        settings(table)
        lines = told(capsys, "open")
        assert lines[0] == "NOT ESTABLISHED open"
        assert next(line for line in lines if line.startswith("  since")).startswith(f"  since    {since}")
        assert lines[-1] == "Contracts: 0 kept, 0 broken, 1 not established"

    def test_the_contract_beside_the_draft(self, project: Path, capsys: Capture) -> None:
        Path("draft").mkdir()
        shutil.copy("configs/bad.json", "draft/config.json")
        write_contract("draft/contract.json")
        settings('[[contracts]]\nname = "beside"\ndraft = "draft"\ntarget = "configs/target.json"\n')
        assert re.fullmatch(r"  trained  out:2, out:4, out:6  \(ids 2,4,6, draft/contract\.json:\d+\)", told(capsys, "beside")[2])

    def test_an_engine_that_raises(self, project: Path, capsys: Capture) -> None:
        file = Path(MODEL)
        file.write_text(file.read_text("utf-8").replace("hidden_states.clone() if residual is None else ", ""), "utf-8")
        file.write_text(file.read_text("utf-8").replace("for layer_id in layer_ids if layer_id >= 0", "for layer_id in layer_ids"), "utf-8")
        settings(BROKEN)
        lines = told(capsys, "broken")
        assert lines[0] == "BROKEN broken"
        assert lines[1].startswith("  served   not established: the engine raises TypeError")
        assert [line for line in lines if line.startswith(f"           {MODEL}:70: raises TypeError")]

    def test_the_bare_run(self, project: Path, capsys: Capture) -> None:
        """What is found of the engine stands before the contracts, and once; the table of wirings is for those who ask for it."""
        settings(KEPT, BROKEN, OPEN)
        assert run() == 1
        out = capsys.readouterr().out
        assert "2 wirings: 2 established" in out
        assert (out.count(" FC202 "), out.count(" FC101 "), "convention" in out, "Assumptions used" in out) == (1, 1, False, False)
        assert out.index(" FC202 ") < out.index("KEPT kept") < out.index("BROKEN broken") < out.index("NOT ESTABLISHED open")
        assert out.endswith("\nContracts: 1 kept, 1 broken, 1 not established\n\nSettings of flowcheck.toml\n")
        run("--verbose")
        out = capsys.readouterr().out
        assert "id k captures out:k" in out and "Assumptions used" in out and "Contracts: 1 kept" in out

    def test_quiet_tells_what_is_not_kept(self, project: Path, capsys: Capture) -> None:
        settings(KEPT, BROKEN)
        run("--quiet", "--contract", "kept")
        assert capsys.readouterr().out == ""
        run("--quiet", "--contract", "kept", "--contract", "broken")
        out = capsys.readouterr().out
        assert out.startswith("BROKEN broken\n  served   embed")
        assert "Contracts:" not in out

    def test_what_two_drafts_share_is_told_in_full_once(self, project: Path, capsys: Capture) -> None:
        Path("drafts").mkdir()
        settings(*(contract(name, "bad", 'train = "drafts/contract.json"') for name in ("one", "two")))
        write_contract("drafts/contract.json")
        lines = told(capsys, "one", "two")
        assert [line.count(" FC101 served") for line in lines].count(1) == 1
        assert lines[lines.index("BROKEN two") :][-2] == f"  as above FC101 {CONFIG}"


class TestTheStatus:
    @pytest.mark.parametrize(
        ("name", "options", "status"),
        [
            ("kept", [], 0),
            ("kept", ["--fail-on", "info"], 0),
            ("broken", ["--fail-on", "error"], 1),
            ("broken", ["--ignore", "FC1"], 1),
            ("open", [], 1),
            ("open", ["--fail-on", "error"], 0),
            ("open", ["--select", "FC1"], 1),
        ],
    )
    def test_it_is(self, project: Path, name: str, options: list[str], status: int) -> None:
        settings(KEPT, BROKEN, OPEN)
        assert run("--contract", name, *options) == status

    def test_what_is_set_aside_does_not_count(self, project: Path, capsys: Capture) -> None:
        settings(BROKEN)
        assert run("--write-baseline", "--baseline", "b.json") == 0
        assert run("--baseline", "b.json", "--contract", "broken") == 0
        assert "BROKEN broken (set aside)\n" in capsys.readouterr().out
        assert run("--contract", "broken") == 1

    def test_nor_what_is_ignored_by_its_path(self, project: Path) -> None:
        settings(BROKEN, '[per-path-ignores]\n"configs/" = ["FC101"]\n')
        assert run("--contract", "broken") == 0


class TestJson:
    def test_the_contracts_stand_in_the_report(self, project: Path, capsys: Capture) -> None:
        settings(KEPT, BROKEN, OPEN)
        run("--format", "json")
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema("report-1"))
        kept, broken, unproved = document["contracts"]
        assert [each["status"] for each in document["contracts"]] == ["kept", "broken", "not established"]
        assert (kept["model"], kept["reason"]) == ("KimiLikeForConditionalGeneration", None)
        assert kept["served"]["captured"] == ["out:2", "out:4", "out:6"]
        assert [hop["line"] for hop in broken["path"]] == [10, 104, 67]
        assert (broken["trained"]["file"], broken["trained"]["line"], broken["trained"]["ids"]) == ("flowcheck.toml", 11, None)
        assert [each["code"] for each in broken["findings"]] == ["FC101"]
        assert broken["findings"][0] not in document["findings"]
        assert document["summary"]["error"] == 1
        assert unproved["served"]["captured"] is None
        assert "named-contract" in {each["name"] for each in document["assumptions"]}

    def test_without_the_bare_run(self, project: Path, capsys: Capture) -> None:
        settings(KEPT, BROKEN)
        run("--format", "json", "--contract", "kept")
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema("report-1"))
        assert (document["wirings"], document["findings"], document["source"]["package"]) == ([], [], "sglang")
        assert [each["name"] for each in document["contracts"]] == ["kept"]

    def test_several_sources(self, project: Path, capsys: Capture) -> None:
        """A contract that names its source is about that alone."""
        shutil.copytree("tree/sglang", "other/sglang")
        settings(KEPT, contract("elsewhere", "bad", POINTS, 'source = "other"'))
        run("--format", "json", "tree/sglang")
        reports = json.loads(capsys.readouterr().out)["reports"]
        assert [[each["name"] for each in report["contracts"]] for report in reports] == [["kept"], ["elsewhere"]]
        assert (len(reports[0]["wirings"]), reports[1]["wirings"], reports[1]["source"]["root"]) == (2, [], "other")
        run("--contract", "kept", "--contract", "elsewhere")
        assert "KEPT kept  in tree\nBROKEN elsewhere  in other\n" in capsys.readouterr().out


class TestWhatIsRun:
    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch, here: Path) -> list[Request]:
        """The requests that reach the analysis."""
        requests: list[Request] = []

        def answer(request: Request) -> Analysis:
            requests.append(request)
            return analysis(wiring())

        monkeypatch.setattr(cli, "pipeline", lambda: answer)
        return requests

    @pytest.mark.parametrize("option", ["draft", "target", "train", "model", "flow"])
    def test_a_run_that_is_about_something_else(self, asked: list[Request], option: str) -> None:
        settings(KEPT)
        run(f"--{option}", "x", *(["--draft", "d"] if option == "train" else []))
        assert len(asked) == 1
        assert not asked[0].exact

    def test_what_the_settings_say_of_the_draft_does_not_keep_it(self, asked: list[Request]) -> None:
        settings('draft = "d"\n', KEPT)
        run()
        assert [each.draft for each in asked] == ["d", "configs/good.json"]

    def test_all_that_a_contract_says(self, asked: list[Request]) -> None:
        more = ['flow = "eagle3"', 'model = ["A", "B"]', 'serve-args = "--topk 4"']
        more += ['train = "t"', 'train-config = "r.json"', 'train-engine = "e"']
        settings('layers = 7\nserve-args = "--topk 1"\nflow-file = "f.toml"\n', contract("all", "good", *more, 'source = "engine"'))
        run("--contract", "all")
        flags = (("topk", ("4",)),)
        named = ("engine", ("eagle3",), ("A", "B"), "configs/target.json", None, None, "f.toml", "configs/good.json", "t", "r.json")
        assert asked == [Request(*named, train_engine="e", judged=True, serve_args=flags, exact=True)]

    def test_what_it_does_not_say_is_as_in_the_run(self, asked: list[Request]) -> None:
        settings('target = "t"\nlayers = 61\nserve-args = "--topk 1"\n', '[[contracts]]\nname = "n"\ndraft = "d"\ntrain = "c.json"\n')
        run("--contract", "n")
        (request,) = asked
        assert (request.source, request.target, request.layers, request.serve_args) == ("tree/sglang", "t", 61, (("topk", ("1",)),))

    def test_only_contracts_name_sources(self, asked: list[Request]) -> None:
        Path("flowcheck.toml").write_text(contract("n", "good", 'source = "./a"') + contract("m", "good", 'source = "./b"'))
        run("--contract", "m")
        assert [each.source for each in asked] == ["b"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--contract", "keptt"], "--contract keptt: flowcheck.toml has no contract of this name; did you mean 'kept'?"),
            (["--contract", "x" * 9, "--isolated", "s"], "no file of settings has no contract of this name; there are none"),
            (["--contract", "kept", "--draft", "d"], "--contract: a contract says itself what it is about: leave out --draft"),
            (["--contract", "kept", "--train-config", "d"], "leave out --train-config"),
        ],
    )
    def test_bad_options(self, asked: list[Request], capsys: Capture, options: list[str], message: str) -> None:
        settings(KEPT)
        assert run(*options) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), asked) == ("", 1, [])
        assert message in err


class TestBadContracts:
    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ("contracts = 3", "2: contracts: must be tables under [[contracts]], not 3"),
            ("contracts = [3]", "2: contracts: must be tables under [[contracts]], and one of them is 3"),
            ('[[contracts]]\ndraft = "d"', "2: contracts[0].name: is missing: a contract says what it is called and which draft"),
            ('[[contracts]]\nname = "n"', "2: contracts[0].draft: is missing"),
            ('[[contracts]]\nname = "n"\ndarft = "d"', "4: contracts[0].darft: there is no such entry of a contract; did you mean 'draft'"),
            ('[[contracts]]\nname = 3\ndraft = "d"', "3: contracts[0].name: must be a text, not 3"),
            ('[[contracts]]\nname = "a\\nb"\ndraft = "d"', "3: contracts[0].name: must be one line of at most 120 characters"),
            (KEPT + KEPT, "8: contracts[1].name: 'kept' is there twice, first in line 3"),
            (contract("n", "good", "trained = []"), "6: contract 'n': trained: must not be empty"),
            (contract("n", "good", 'trained = ["layer3"]'), "6: contract 'n': trained: must be a captured point: embed, out:k or final"),
            (contract("n", "good", 'trained = ["out:2/shiny"]'), "6: contract 'n': trained: must be a captured point"),
            (contract("n", "good", POINTS, 'train = "t"'), "6: contract 'n': trained: stands beside `train`"),
            (contract("n", "good", 'train-config = "r.json"'), "6: contract 'n': train-config: is about a training run"),
            (contract("n", "good", 'train = "c.json"', 'train-config = "r.json"'), "7: contract 'n': train-config: stands beside a"),
            (contract("n", "good", 'serve-args = "x"'), "6: contract 'n': serve-args: --serve-args x: 'x' is no flag"),
            (KEPT + contract("m", "good", "layers = 0"), "11: contract 'm': layers: --layers 0: a layer count from 1 to 10000 is needed"),
            (KEPT.replace("[[contracts]]", "[contracts]"), "2: contracts: must be tables under [[contracts]], not a table"),
        ],
    )
    def test_one_line_with_the_place(self, here: Path, capsys: Capture, table: str, message: str) -> None:
        settings(table)
        assert run() == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert f"flowcheck: flowcheck.toml:{message}" in err

    def test_in_the_file_of_a_project(self, here: Path, capsys: Capture) -> None:
        Path("pyproject.toml").write_text('[tool.flowcheck]\nsource = "s"\n\n[[tool.flowcheck.contracts]]\nname = "n"\ndraft = 3\n')
        assert run() == 2
        assert "pyproject.toml:6: contract 'n': draft: must be a text, not 3" in capsys.readouterr().err

    def test_what_it_names_and_is_not_there(self, project: Path, capsys: Capture) -> None:
        settings(KEPT, contract("gone", "gone", POINTS))
        assert run("--contract", "gone") == 2
        assert capsys.readouterr().err.startswith("flowcheck: flowcheck.toml:8: contract 'gone': configs/gone.json: no such file")

    def test_places_are_seen_from_where_one_works(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings(KEPT)
        monkeypatch.chdir("tree")
        found = find_settings(str(Path.cwd()))
        assert found is not None
        (one,) = found.contracts
        assert (one.draft, one.target, str(one.at)) == ("../configs/good.json", "../configs/target.json", "../flowcheck.toml:3")
        assert request_of(one, Request("s")).trained == Trained(("out:2", "out:4", "out:6"), Location("../flowcheck.toml", 6))


def test_the_readme_shows_what_is_printed(here: Path, capsys: Capture) -> None:
    shutil.copytree(FIXTURE, here, dirs_exist_ok=True)
    shown = (FIXTURE.parents[1] / "README.md").read_text("utf-8").partition("### Named contracts")[2]
    Path("flowcheck.toml").write_text(shown.partition("```toml\n")[2].partition("```")[0], "utf-8")
    command, _, output = shown.partition("\n$ flowcheck ")[2].partition("```")[0].partition("\n")
    assert run(*shlex.split(command)) == 1
    assert capsys.readouterr().out == output


def test_what_a_request_read_does_not_change_the_next(project: Path) -> None:
    """Requests about one source share its parsed files; each answers as it does alone."""
    bad = Request("tree/sglang", target="configs/target.json", draft="configs/bad.json", judged=True, exact=True)
    asked = [bad, replace(bad, draft="configs/good.json")]
    shared = Shared()
    together = [analyze(each, shared) for each in asked]
    alone = [analyze(each) for each in asked]
    for one, other in zip(together, alone, strict=True):
        assert (one.wirings, one.comparisons, one.launches, one.not_established) == (
            other.wirings, other.comparisons, other.launches, other.not_established,
        )  # fmt: skip
