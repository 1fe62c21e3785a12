"""The file of settings: where it is looked for, what it stands in for, and what is wrong with one."""
from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from results_examples import analysis, unknown_wiring, wiring

from flowcheck.analyzer import cli, contract_settings
from flowcheck.analyzer.contract_settings import CONTRACTS
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis
from flowcheck.analyzer.settings import KEYS, PER_PATH, find_settings

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, here: Path) -> list[Request]:
    """The requests that reach the analysis, which answers with a finding of FC901 at engine/tulip.py. A new folder is where one works."""
    requests: list[Request] = []

    def analyze(request: Request) -> Analysis:
        requests.append(request)
        return analysis(wiring(), unknown_wiring())

    monkeypatch.setattr(cli, "pipeline", lambda: analyze)
    (here / "proj/sub").mkdir(parents=True)
    monkeypatch.chdir("proj")
    return requests


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def settings(text: str, file: str = "flowcheck.toml") -> None:
    Path(file).write_text(text, "utf-8")


class TestWhatItGives:
    def test_a_bare_command_has_all_from_the_file(self, asked: list[Request]) -> None:
        settings(
            'source = "engine"\ndraft = ["a", "b/config.json"]\ntarget = "t"\ntrain = "trainer/"\ntrain-config = "run.json"\n'
            'train-engine = "sglang"\nserve-args = "--topk 4"\nflow = "eagle3"\nmodel = ["A", "B"]\nlayers = 61\nflow-file = "f.toml"\n'
        )
        assert run() == 0
        flags = (("topk", ("4",)),)
        narrowed = ("engine", ("eagle3",), ("A", "B"), "t", 61, None, "f.toml")
        assert asked == [Request(*narrowed, "a", "trainer", "run.json", ("b/config.json",), "sglang", judged=True, serve_args=flags)]

    def test_the_command_line_beats_it(self, asked: list[Request]) -> None:
        settings('source = "engine"\nlayers = 61\nmodel = "A"\ntrain = "trainer"\ntrain-config = "run.json"\ndraft = "d"\n')
        assert run("other", "--layers", "32", "--model", "B", "--train", "contract.json") == 0
        assert asked == [Request("other", models=("B",), layers=32, draft="d", train="contract.json", judged=True)]

    def test_several_sources(self, asked: list[Request]) -> None:
        settings('source = ["a.whl", "b.whl"]\n')
        run()
        assert [each.source for each in asked] == ["a.whl", "b.whl"]

    def test_paths_are_seen_from_its_folder(self, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
        Path("engine").mkdir()
        settings(f'source = "engine"\ntarget = "../t"\ndraft = "{Path.cwd().as_posix()}/d"\n')
        monkeypatch.chdir("sub")
        run()
        assert (asked[0].source, asked[0].target, asked[0].draft) == ("../engine", "../../t", f"{Path.cwd().parent.as_posix()}/d")

    def test_the_rules_and_the_status(self, asked: list[Request], capsys: Capture) -> None:
        settings('source = "engine"\nfail-on = "info"\n')
        assert run() == 1
        settings('source = "engine"\nfail-on = "info"\nignore = ["not-established", "FC3"]\n')
        assert run() == 0
        settings('source = "engine"\nfail-on = "info"\nselect = ["FC1", "FC902"]\n')
        assert run() == 0
        assert run("--select", "FC9") == 1
        assert capsys.readouterr().out.count("\nSettings of flowcheck.toml\n") == 4

    def test_formats(self, asked: list[Request], capsys: Capture) -> None:
        settings('source = "engine"\noutput-format = ["text", "json:report.json"]\n')
        run()
        assert json.loads(Path("report.json").read_text("utf-8"))["schema"] == "flowcheck.report/1"
        capsys.readouterr()
        run("--format", "json")
        assert json.loads(capsys.readouterr().out)["schema"] == "flowcheck.report/1"

    def test_the_baseline_lies_beside_it(self, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
        settings('source = "engine"\nfail-on = "info"\n')
        monkeypatch.chdir("sub")
        assert run("--write-baseline") == 0
        assert Path("../.flowcheck-baseline.json").is_file()
        settings('source = "engine"\nfail-on = "info"\nbaseline = ".flowcheck-baseline.json"\n', "../flowcheck.toml")
        assert run() == 0

    def test_other_commands_take_what_says_which_engine_it_is(self, asked: list[Request]) -> None:
        settings('source = "engine"\ntarget = "t"\nlayers = 61\nmodel = "A"\nfail-on = "info"\nflow-file = "f.toml"\n')
        assert run("wiring") == 0
        assert asked == [Request("engine", target="t", layers=61, flow_file="f.toml")]


class TestPerPath:
    @pytest.mark.parametrize(
        "pattern", ["engine/tulip.py", "engine/*.py", "tulip.py", "**/tul?p.py", "engine/", "**", "engine/**", "./engine/t*"]
    )
    def test_is_named(self, asked: list[Request], capsys: Capture, pattern: str) -> None:
        settings(f'source = "engine"\nfail-on = "info"\nselect = "FC901"\n[per-path-ignores]\n"{pattern}" = ["FC901"]\n')
        assert run("--format", "json") == 0
        summary = json.loads(capsys.readouterr().out)["summary"]
        assert (summary["info"], summary["ignored_by_path"]) == (0, 1)

    @pytest.mark.parametrize("pattern", ["tulip", "*/*/tulip.py", "srt/", "engine/*.toml", "engine", "lip.py"])
    def test_is_not_named(self, asked: list[Request], pattern: str) -> None:
        settings(f'source = "engine"\nfail-on = "info"\nselect = "FC901"\n[per-path-ignores]\n"{pattern}" = ["FC901"]\n')
        assert run() == 1

    def test_from_the_folder_of_the_file(self, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
        settings('source = "engine"\nfail-on = "info"\nselect = "FC901"\n[per-path-ignores]\n"sub/engine/*.py" = ["FC901"]\n')
        assert run() == 1
        monkeypatch.chdir("sub")
        assert run() == 0

    def test_other_rules_stay(self, asked: list[Request]) -> None:
        settings('source = "engine"\nfail-on = "info"\nselect = "FC901"\n[per-path-ignores]\n"**" = ["FC1", "unreadable-file"]\n')
        assert run() == 1


class TestWhereItIs:
    def test_the_nearest_folder_wins(self, asked: list[Request], monkeypatch: pytest.MonkeyPatch) -> None:
        settings('source = "far"\n')
        settings('[tool.flowcheck]\nsource = "near"\n', "sub/pyproject.toml")
        monkeypatch.chdir("sub")
        run()
        assert asked[0].source == "near"

    def test_in_one_folder_its_own_file_wins(self, asked: list[Request]) -> None:
        settings('[tool.flowcheck]\nsource = "project"\n', "pyproject.toml")
        settings('source = "own"\n')
        run()
        assert asked[0].source == "own"

    def test_the_table_of_the_tool_in_its_own_file(self, asked: list[Request]) -> None:
        settings('[tool.flowcheck]\nsource = "own"\n')
        run()
        assert asked[0].source == "own"

    @pytest.mark.parametrize("text", ['[project]\nname = "flowcheck-user"\n', "[tool.other]\n", "this is no TOML"])
    def test_a_project_without_the_table_is_passed_over(self, asked: list[Request], monkeypatch: pytest.MonkeyPatch, text: str) -> None:
        settings('source = "far"\n')
        settings(text, "sub/pyproject.toml")
        monkeypatch.chdir("sub")
        run()
        assert asked[0].source == "far"

    def test_it_may_be_named(self, asked: list[Request]) -> None:
        settings('source = "found"\n')
        settings('source = "./named"\n', "sub/mine.toml")
        run("--config", "sub/mine.toml")
        run("--isolated", "given")
        assert [each.source for each in asked] == ["sub/named", "given"]

    def test_none(self, here: Path) -> None:
        found = find_settings(str(here))
        assert found is None or not os.path.realpath(found.folder).startswith(os.path.realpath(here))


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x =", "flowcheck.toml: not TOML: Invalid value"),
            ('sourec = "x"', "flowcheck.toml:1: sourec: there is no such setting; did you mean 'source'?"),
            ('train_config = "x"', "train_config: there is no such setting; did you mean 'train-config'?"),
            ("xyz = 1", f"xyz: there is no such setting; there are {', '.join(KEYS)}, per-path-ignores, contracts"),
            ("draft = 3", "draft: must be a text or a list of texts, not 3"),
            ("draft = [[]]", "draft: must be a text, not a list"),
            ("draft = []", "draft: must not be empty: leave it out"),
            ('target = ""', "target: must not be empty"),
            ('layers = "61"', "layers: must be a whole number, not the text '61'"),
            ("layers = 0", "layers: --layers 0: a layer count from 1 to 10000 is needed"),
            ("layers = true", "layers: must be a whole number, not true"),
            ('ignore = "FC9x"', "ignore: unknown rule 'FC9x'; did you mean"),
            ('fail-on = "fatal"', "fail-on: unknown severity 'fatal'; there are info, warning, error"),
            ('serve-args = "EAGLE"', "serve-args: --serve-args EAGLE: 'EAGLE' is no flag"),
            ("per-path-ignores = 3", "per-path-ignores: must be a table of patterns and rules, not 3"),
            ('[per-path-ignores]\n"a" = ["FC999"]', "flowcheck.toml:2: per-path-ignores.\"a\": unknown rule 'FC999'"),
            ("[per-path-ignores]\na = 1979-05-27", 'per-path-ignores."a": must be a text or a list of texts, not a date or a time'),
            ('output-format = "yaml"', "output-format: --output-format yaml: unknown format 'yaml'"),
            ('output-format = "json:/tmp/x.json"', "output-format: /tmp/x.json does not lie below the folder of this file"),
            ('baseline = "../b.json"', "baseline: ../b.json does not lie below the folder of this file"),
            ("tool.flowcheck = 3", "tool.flowcheck must be a table"),
            ("layers = 3\n[tool.flowcheck]\nlayers = 4", "layers: stands beside the table [tool.flowcheck]; put all into one of the two"),
            ("[tool.flowcheck]\nlayers = 3\n\nlayres = 3", "flowcheck.toml:4: layres: there"),
            ("tool.flowcheck.layres = 3", "layres: there is no such setting; did you mean 'layers'?"),
        ],
    )
    def test_one_line(self, asked: list[Request], capsys: Capture, text: str, message: str) -> None:
        settings(text)
        assert run("engine") == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), asked) == ("", 1, [])
        assert err.startswith("flowcheck: flowcheck.toml:")
        assert message in err

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--config", "no.toml"], "no.toml: the file of settings cannot be read: No such file or directory"),
            (["--config", "sub/pyproject.toml"], "sub/pyproject.toml: has no table [tool.flowcheck]; give a file that has one"),
            (["--config", "pyproject.toml", "--isolated"], "--config and --isolated exclude each other"),
            (["--isolated", "--config", "pyproject.toml"], "--config and --isolated exclude each other"),
        ],
    )
    def test_options(self, asked: list[Request], capsys: Capture, options: list[str], message: str) -> None:
        settings("[tool.other]\n", "sub/pyproject.toml")
        settings("[tool.flowcheck]\n", "pyproject.toml")
        assert run("engine", *options) == 2
        assert message in capsys.readouterr().err

    def test_what_is_no_file(self, asked: list[Request], capsys: Capture) -> None:
        os.mkfifo("pipe.toml")
        for name, message in (("pipe.toml", "it is no regular file"), (".", "it is a folder")):
            assert run("engine", "--config", name) == 2
            assert message in capsys.readouterr().err

    def test_a_file_of_windows(self, asked: list[Request]) -> None:
        Path("flowcheck.toml").write_bytes(b"\xef\xbb\xbflayers = 61\r\n")
        run("engine")
        assert asked[0].layers == 61

    def test_another_projects_file_is_none_of_ours(self, asked: list[Request]) -> None:
        """Whatever is in it: it does not name flowcheck."""
        Path("pyproject.toml").write_bytes(b'[tool.other]\nname = "\xff"\n')
        run("engine")
        assert asked[0].layers is None

    def test_no_source_anywhere(self, asked: list[Request], capsys: Capture) -> None:
        settings("layers = 61\n")
        assert run() == 2
        assert "Missing argument 'SOURCE'. Name one, or give `source` in flowcheck.toml or pyproject.toml" in capsys.readouterr().err


def test_the_readme_describes_every_key() -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8").partition("### Settings")[2].partition("\n## ")[0]
    described = re.findall(r"`\[{0,2}([a-z-]+)\]{0,2}`", "".join(row.split("|")[1] for row in text.splitlines() if row.startswith("| `")))
    assert sorted(described) == sorted([*KEYS, PER_PATH, CONTRACTS])


def test_the_readme_describes_every_entry_of_a_contract() -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8").partition("### Named contracts")[2].partition("\n#")[0]
    described = re.findall(r"`([a-z-]+)`", "".join(row.split("|")[1] for row in text.splitlines() if row.startswith("| `")))
    assert sorted(described) == sorted(contract_settings.KEYS)


def test_the_settings_of_the_readme_are_read(here: Path) -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8").partition("### Settings")[2]
    settings(text.partition("```toml\n")[2].partition("```")[0])
    found = find_settings(str(here))
    assert found is not None
    assert len(found.ignores) == 2


def test_the_contracts_of_the_readme_are_read(here: Path) -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8").partition("### Named contracts")[2]
    settings(text.partition("```toml\n")[2].partition("```")[0])
    found = find_settings(str(here))
    assert found is not None
    assert [one.trained is None for one in found.contracts] == [False, True, False]
