"""The pages that ``--help`` prints: their width, their headings, and that each example in them does what it says."""
from __future__ import annotations

import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from example_folder import make_folder

from flowcheck.analyzer import cli
from flowcheck.analyzer.help_texts import FIRST, PAGES
from flowcheck.analyzer.manual import OTHERS, WORD

EXAMPLES = {command: None for pairs in (FIRST, *(page.examples for page in PAGES.values())) for _, command in pairs}
HEADINGS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO")
GROUPS = ("Source", "Draft and training", "What is evaluated", "Findings", "Output", "Settings")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def page(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(*arguments, "--help") == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("examples"))


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_example_runs(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """None is refused; what is written goes where the example says."""
    program, *arguments = shlex.split(command)
    assert program == "flowcheck"
    monkeypatch.chdir(folder)
    status = run(*arguments)
    out, err = capsys.readouterr()
    judges = arguments[0] not in PAGES or arguments[0] in ("check", "diff")
    assert status in ((0, 1) if judges else (0,)), err
    files = [file.rpartition(":")[2] for option, file in pairwise(arguments) if option in ("-o", "--output-format")]
    assert [file for file in files if not (folder / file).is_file()] == []
    assert out or files or arguments[:2] == ["diff", "HEAD"], "what nothing changes prints nothing"


def test_the_page_of_check_has_what_a_manual_has(capsys: pytest.CaptureFixture[str]) -> None:
    text = page(capsys, "check")
    found = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert [line for line in found if not line.startswith("OPTIONS: ")] == list(HEADINGS)
    assert [line.removeprefix("OPTIONS: ") for line in found if line.startswith("OPTIONS: ")] == list(GROUPS)
    told = " ".join(text.split())
    assert "three outcomes. ESTABLISHED: proved" in told
    assert "flowcheck.toml, pyproject.toml" in text and ".flowcheck-baseline.json" in text and "contract.json" in text
    assert re.search(r"^  1  something was", text, re.MULTILINE)


@pytest.mark.parametrize("command", PAGES)
def test_each_command_has_examples_and_a_place_for_each_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = page(capsys, command)
    assert f"flowcheck {command} - {PAGES[command].summary}" in " ".join(text.split())
    assert "\nEXAMPLES\n" in text
    assert f"OPTIONS: {OTHERS}" not in text
    options = [each for param in typer.main.get_command(cli.app).commands[command].params for each in param.opts if each.startswith("--")]
    assert [option for option in options if not re.search(rf"^  (-\w, )?{option}\b", text, re.MULTILINE)] == []


@pytest.mark.parametrize("columns", [20, 40, 63, 64, 80, 100, 300])
@pytest.mark.parametrize("arguments", [(), *((name,) for name in PAGES)], ids=lambda each: " ".join(each) or "all")
def test_no_line_is_wider_than_the_terminal(
    arguments: tuple[str, ...], columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    widest = min(max(columns, 40), 100)
    text = page(capsys, *arguments)
    assert max(map(len, text.splitlines())) <= widest
    told = re.sub(r" \\\n +", " ", text)
    pairs = PAGES[arguments[0]].examples if arguments else FIRST
    assert [command for _, command in pairs if f"    {command}\n" not in told] == [], "a shell takes what is wrapped"


def test_the_first_page_has_a_line_for_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = page(capsys)
    assert [name for name, page in PAGES.items() if not re.search(rf"^  {name} +{re.escape(page.summary)}$", text, re.MULTILINE)] == []
    assert all(f"    {command.partition(' --')[0]}" in text for _, command in FIRST)
    assert "flowcheck explain FC101" in text.partition("WHERE TO GO NEXT")[2]


def test_a_command_is_broken_between_options_and_never_within_quotation_marks() -> None:
    assert WORD.findall('flowcheck a -q --serve-args "--x 1 --y" --ids=-1,2 -o b.svg') == [
        "flowcheck", "a", "-q", '--serve-args "--x 1 --y"', "--ids=-1,2", "-o b.svg",
    ]  # fmt: skip


def test_the_pages_need_neither_the_analysis_nor_colours() -> None:
    code = (
        "import sys; from flowcheck.analyzer import cli\n"
        "try: cli.main(['check', '--help', '--isolated'])\n"
        "except SystemExit: print([m for m in ('rich', 'libcst', 'networkx', 'flowcheck.analyzer.rule') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "\x1b" not in done.stdout


def test_an_unknown_option_says_which_is_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sglang/", "--drafft", "x") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("flowcheck: No such option")
    assert "--draft" in err
