"""The command line: what is asked of the pipeline, what comes out on which stream, and the exit status."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import graph_examples
import pytest
import typer
from results_examples import analysis, unknown_wiring, wiring

from flowcheck.analyzer import cli
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.graph import GraphAnalysis
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that reach the pipeline, which answers with one established and one unproved wiring, or with two graphs."""
    requests: list[Request] = []

    def analyze(request: Request) -> Analysis:
        requests.append(request)
        return analysis(wiring(), unknown_wiring())

    def draw_graphs(request: Request) -> GraphAnalysis:
        requests.append(request)
        models = request.models or ("LlamaForCausalLM", "TulipForCausalLM")
        return graph_examples.analysis(*(graph_examples.pipeline(model) for model in models))

    monkeypatch.setattr(cli, "pipeline", lambda: analyze)
    monkeypatch.setattr(cli, "graph_pipeline", lambda: draw_graphs)
    return requests


def run(*arguments: str) -> int:
    """The exit status of the command line."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_draft_and_its_training_reach_the_pipeline(asked: list[Request]) -> None:
    assert run("sglang/", "--draft", "d", "--train", "t", "--train-config", "r.json") == 0
    assert asked == [Request("sglang/", draft="d", train="t", train_config="r.json", judged=True)]


def test_a_source_alone_is_checked(asked: list[Request], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sglang/") == 0
    assert asked == [Request("sglang/", judged=True)]
    assert "id k captures out:k" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["src"], ["check", "src"]),
        (["./wiring"], ["check", "./wiring"]),
        (["wiring", "src"], ["wiring", "src"]),
        (["--layers", "32", "src"], ["check", "--layers", "32", "src"]),
        (["--flow", "wiring", "src"], ["check", "--flow", "wiring", "src"]),
        (["--flow=wiring", "--quiet", "src"], ["check", "--flow=wiring", "--quiet", "src"]),
        (["--format", "json", "wiring", "src"], ["wiring", "--format", "json", "src"]),
        (["--ids", "-1,2", "wiring", "src"], ["wiring", "--ids", "-1,2", "src"]),
        (["--", "wiring"], ["check", "--", "wiring"]),
        (["-q", "--version"], ["--version"]),
        (["src", "--help"], ["check", "src", "--help"]),
        (["--format"], ["check", "--format"]),
        ([], ["check"]),
    ],
)
def test_which_command_is_meant(arguments: list[str], expected: list[str]) -> None:
    assert typer.main.get_command(cli.app).with_command(arguments) == expected


def test_options_reach_the_pipeline(asked: list[Request]) -> None:
    ids = ["--ids=-1,2,30", "--ids", "default", "--ids", "-1,2,30", "--ids", "[5]"]
    narrowed = ["--layers", "61", "--model", "A", "--model", "B", "--flow", "eagle3"]
    assert run("wiring", "sglang", *ids, *narrowed, "--target", "config.json", "--flow-file", "mine.toml") == 0
    assert asked == [Request("sglang", ("eagle3",), ("A", "B"), "config.json", 61, ((-1, 2, 30), None, (5,)), "mine.toml")]


def test_the_options_of_graph_reach_the_pipeline(asked: list[Request]) -> None:
    narrowed = ["--layers", "61", "--model", "A", "--flow", "eagle3", "--ids", "2,30,58", "--draft", "draft/", "--target", "target/"]
    assert run("graph", "sglang", *narrowed, "--flow-file", "mine.toml") == 0
    assert asked == [Request("sglang", ("eagle3",), ("A",), "target/", 61, ((2, 30, 58),), "mine.toml", draft="draft/")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wiring", "x", "--ids", "two"], "--ids two: 'two' is not a layer id; write --ids=-1,2,30 or --ids default"),
        (["wiring", "x", "--ids", ""], "--ids : '' is not a layer id"),
        (["wiring", "x", "--ids", "1,,2"], "'' is not a layer id"),
        (["wiring", "x", "--ids", "٣"], "'٣' is not a layer id"),
        (["wiring", "x", "--ids", "9" * 5000], "is not a layer id"),
        (["wiring", "x", "--ids", ",".join(["1"] * 1001)], "1001 ids in one list; at most 1000"),
        (["x", "--layers", "0"], "--layers 0: a layer count from 1 to 10000 is needed"),
        (["x", "--layers", "10001"], "--layers 10001: a layer count from 1 to 10000 is needed"),
        (["x", "--layers", "many"], "--layers many: a layer count from 1 to 10000 is needed"),
        (["x", "--format", "yaml"], "--format yaml: unknown format 'yaml'; there are text, concise, json, sarif, github, markdown, junit"),
        (["x", "--format", "json:a"], "write --output-format json:a"),
        (["x", "--output-format", "json:"], "no file after the colon"),
        (["x", "--format", "json", "--output-format", "text"], "two results for stdout"),
        (["x", "--select", "FC000"], "unknown rule 'FC000'"),
        (["x", "--fail-on", "fatal"], "unknown severity 'fatal'; there are info, warning, error"),
        (["x", "--quiet", "--verbose"], "--quiet and --verbose exclude each other"),
        (["x", "--baseline", "b"], "b: no such file; give the file that --write-baseline wrote"),
        (["x", "--write-baseline", "--baseline", "b"], "--baseline b: a baseline's name ends in .json"),
        (["x", "--select", "FC21,FC305x"], "unknown rule 'FC305x'; did you mean"),
        (["x", "--ignore", "FC7"], "unknown rule 'FC7': no code begins so; `flowcheck rules` lists them"),
        (["x", "--output-format", "json:no/such/folder/r.json"], "cannot write no/such/folder/r.json: No such file or directory"),
        (["explain", "FC000"], "unknown rule 'FC000'"),
        (["graph", "x", "-o", "flow.jpg"], "-o flow.jpg: a picture's name ends in one of .svg, .png, .pdf, .dot, .mmd"),
        (["graph", "x", "-o", "svg"], "-o svg: a picture's name ends in one of"),
        (["graph", "x", "-o", "a.dot", "-o", "a.dot"], "two results for a.dot"),
        (["graph", "x", "-o", "a.dot", "--output-format", "json:a.dot"], "two results for a.dot"),
        (["graph", "x", "-o", "a.dot"], "choose with --model (and --flow) among 2: eagle3 of LlamaForCausalLM, eagle3 of TulipForCausalLM"),
        (["graph", "x", "--model", "A", "-o", "no/such/folder/a.dot"], "cannot write no/such/folder/a.dot: No such file or directory"),
        ([], "Missing argument 'SOURCE'."),
    ],
)
@pytest.mark.usefixtures("asked")
def test_a_bad_option_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("flowcheck: ")
    assert err.count("\n") == 1
    assert len(err) < 300
    assert message in err


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def analyze(request: Request) -> Analysis:
        raise error

    monkeypatch.setattr(cli, "pipeline", lambda: analyze)


def test_bad_input_is_one_escaped_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, BadInput("no such source: \x1b[31mx\nflowcheck: all is well"))
    assert run("x") == 2
    assert capsys.readouterr() == ("", "flowcheck: no such source: \\x1b[31mx flowcheck: all is well\n")


def test_debug_adds_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, BadInput("no such source"))
    assert run("x", "--debug") == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback")
    assert err.endswith("\nflowcheck: no such source\n")


def test_a_bug_is_no_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, ZeroDivisionError())
    assert run("x") == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--fail-on", "info"], 1),
        (["--fail-on", "info", "--ignore", "FC301,FC901"], 0),
        (["--fail-on", "info", "--select", "unreadable-file"], 0),
    ],
)
@pytest.mark.usefixtures("asked")
def test_the_status_of_a_check(options: list[str], status: int) -> None:
    assert run("x", *options) == status


@pytest.mark.usefixtures("asked")
def test_json_alone_is_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wiring", "x", "--format", "json") == 0
    out, err = capsys.readouterr()
    assert [found["model"] for found in json.loads(out)["wirings"]] == ["LlamaForCausalLM", "TulipForCausalLM"]
    assert err == ""


@pytest.mark.usefixtures("asked")
def test_one_run_may_write_several_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    assert run("x", "--output-format", "text", "--output-format", f"json:{report}") == 0
    assert capsys.readouterr().out.startswith("engine 1.0")
    assert json.loads(report.read_text("utf-8"))["schema"] == "flowcheck.report/1"


@pytest.mark.usefixtures("asked")
def test_a_graph_is_told_hop_by_hop(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("graph", "x") == 0
    out = capsys.readouterr().out
    assert "eagle3 · TulipForCausalLM" in out
    assert "+1: [2, 30, 58] -> [3, 31, 59]\n" in out


@pytest.mark.usefixtures("asked")
def test_a_graph_is_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("graph", "x", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "flowcheck.graph/1"


@pytest.mark.usefixtures("asked", "here")
def test_pictures_are_all_that_is_printed_where_only_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("graph", "x", "--model", "A", "-o", "flow.dot", "-o", "flow.MMD") == 0
    assert capsys.readouterr() == ("", "")
    assert Path("flow.dot").read_text("utf-8").startswith("digraph {\n")
    assert Path("flow.MMD").read_text("utf-8").startswith("flowchart TB\n")
    assert run("graph", "x", "--model", "A", "-o", "flow.dot", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["graphs"][0]["model"] == "A"


def test_the_rules_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules") == 0
    assert "FC901  not-established            info     A wiring could not be proved.\n" in capsys.readouterr().out
    assert run("explain", "unreadable-file") == 0
    page = capsys.readouterr().out
    assert page.startswith("FC902 unreadable-file (info)\n")
    assert "What it cannot see\n" in page
    assert "    conflict markers in a model file\n      this file could not be read: invalid syntax\n" in page


def test_the_rules_are_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["rules"][0]["code"] == "FC101"
    assert run("explain", "FC901", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["page"].startswith("A wiring could not be proved.")


def test_help_imports_no_other_library() -> None:
    code = (
        "import sys; from flowcheck.analyzer import cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: print([m for m in ('libcst', 'networkx', 'graphviz', 'flowcheck.analyzer.rule') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "wiring" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_module_runs() -> None:
    done = subprocess.run([sys.executable, "-m", "flowcheck", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("flowcheck ")


@pytest.mark.skipif(os.name != "posix", reason="needs a pipe whose reader has gone")
def test_a_reader_that_has_gone_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stdout:
        done = subprocess.run([sys.executable, "-m", "flowcheck", "rules"], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as stdout:
        done = subprocess.run([sys.executable, "-m", "flowcheck", "rules"], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "flowcheck: cannot write to stdout: No space left on device\n")


def test_an_ascii_terminal_gets_escapes() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code = "from flowcheck.analyzer import output; output.write(None, 'a \\u00b7 b\\n')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "a \\xb7 b\n"


def loud(document: str) -> list[dict[str, Any]]:
    """The warnings and errors of a report."""
    return [finding for finding in json.loads(document)["findings"] if finding["severity"] != "info"]


def test_a_draft_is_held_against_its_training(capsys: pytest.CaptureFixture[str]) -> None:
    """The story that the program was written for."""
    case = FIXTURES / "ids-changed-after-training"
    arguments = ["check", str(case / "tree/sglang"), "--target", str(case / "configs/target.json"), "--format", "json"]
    arguments += ["--train", str(case / "tree/draft_training")]
    assert run(*arguments, "--draft", str(case / "configs/bad.json")) == 1
    (finding,) = loud(capsys.readouterr().out)
    assert (finding["code"], finding["expected"], finding["actual"]) == ("FC101", "out:2, out:30, out:58", "embed, out:2, out:30")
    assert finding["file"].endswith("bad.json") and finding["line"] == 10
    assert "21504" in finding["message"] and "[2, 30, 58]" in finding["help"]
    files = {Path(step["file"]).name for step in finding["path"]}
    assert {"bad.json", "deepseek_like.py", "extract.py", "samples.py", "standardize.py"} <= files
    assert run(*arguments, "--draft", str(case / "configs/good.json")) == 0
    assert loud(capsys.readouterr().out) == []


class TestServeArgs:
    """The flags of the engine's launch."""

    def test_they_reach_the_pipeline(self, asked: list[Request]) -> None:
        assert run("sglang/", "--serve-args", "--speculative-algorithm EAGLE --topk=4 --plain") == 0
        flags = (("speculative_algorithm", ("EAGLE",)), ("topk", ("4",)), ("plain", ()))
        assert asked == [Request("sglang/", judged=True, serve_args=flags)]

    def test_of_a_graph_too(self, asked: list[Request]) -> None:
        assert run("graph", "sglang/", "--serve-args=--plain") == 0
        assert asked == [Request("sglang/", serve_args=(("plain", ()),))]

    @pytest.mark.parametrize("text", ["EAGLE", "--topk 'x"])
    def test_what_is_no_flag_is_bad_input(self, asked: list[Request], capsys: pytest.CaptureFixture[str], text: str) -> None:
        assert run("sglang/", "--serve-args", text) == 2
        error = capsys.readouterr().err
        assert error.startswith("flowcheck: --serve-args ") and error.count("\n") == 1
        assert asked == []
