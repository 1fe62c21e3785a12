"""What a shell is offered where a line goes on, asked as shells ask; nothing is analysed for it."""
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("flowcheck")
CHECKED = ("--draft", "--target", "--train", "--baseline")


def ask(line: str, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """The line as bash hands it on, with the cursor at its end."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_FLOWCHECK_COMPLETE": "complete_bash", **environment}
    code = "import sys; from flowcheck.analyzer import cli; cli.main()"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **asked}
    )


def offered(line: str, folder: Path | None = None) -> list[str]:
    done = ask(line, folder)
    assert done.stderr == ""
    return done.stdout.split()


def test_a_line_begins_with_a_command_or_an_option_of_check() -> None:
    assert offered("flowcheck ") == ["check", "wiring", "graph", "diff", "trace", "contract", "rules", "explain"]
    assert offered("flowcheck co") == ["contract"]
    assert offered("flowcheck --dr") == ["--draft"]


@pytest.mark.parametrize("line", ["flowcheck sglang/ --", "flowcheck check sglang/ --", "flowcheck --layers 3 sglang/ --"])
def test_the_bare_form_goes_on_as_check_does(line: str) -> None:
    assert set(CHECKED) <= set(offered(line))
    assert "--merge-base" not in offered(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("flowcheck sglang/ --flow ", ["eagle3", "dflash", "dspark"]),
        ("flowcheck --flow ea", ["eagle3"]),
        ("flowcheck sglang/ --fail-on ", ["info", "warning", "error"]),
        ("flowcheck wiring x --format ", ["text", "json"]),
        ("flowcheck x --output-format sa", ["sarif"]),
        ("flowcheck explain FC90", ["FC901", "FC902", "FC903"]),
        ("flowcheck explain stage", ["stage-mismatch"]),
        ("flowcheck x --select FC101,FC90", ["FC101,FC901", "FC101,FC902", "FC101,FC903"]),
        ("flowcheck diff a b --ignore FC903", ["FC903"]),
        ("flowcheck wiring x --ids ", ["default"]),
        ("flowcheck graph x --view p", ["pipeline", "path"]),
        ("flowcheck trace x eagle", ["eagle_aux_hidden_state_layer_ids"]),
    ],
)
def test_values_are_offered(line: str, words: list[str]) -> None:
    assert offered(line) == words


def test_contracts_are_those_of_the_settings(tmp_path: Path) -> None:
    assert offered("flowcheck --contract ", tmp_path) == []
    text = '[[contracts]]\nname = "kimi"\ndraft = "d"\ntarget = "t"\ntrained = ["out:1"]\n'
    (tmp_path / "flowcheck.toml").write_text(text, "utf-8")
    assert offered("flowcheck --contract ", tmp_path) == ["kimi"]
    (tmp_path / "flowcheck.toml").write_text("[[contracts", "utf-8")
    assert offered("flowcheck --contract ", tmp_path) == []


@pytest.mark.parametrize("line", ["flowcheck sgl", "flowcheck check sgl", "flowcheck wiring ", "flowcheck x --draft "])
def test_files_are_left_to_the_shell(line: str) -> None:
    assert offered(line) == []


def test_the_settings_are_not_read_for_it(tmp_path: Path) -> None:
    (tmp_path / "flowcheck.toml").write_text("no settings at all", "utf-8")
    assert "--draft" in offered("flowcheck sglang/ --dr", tmp_path)


def test_no_heavy_library_is_imported() -> None:
    code = (
        "import sys; from flowcheck.analyzer import cli\n"
        "try: cli.main([])\n"
        "except SystemExit: print([m for m in ('libcst', 'networkx', 'graphviz', 'flowcheck.analyzer.pipeline') if m in sys.modules])"
    )
    asked = {"COMP_WORDS": "flowcheck x --select FC90", "COMP_CWORD": "3", "_FLOWCHECK_COMPLETE": "complete_bash"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **asked})
    assert done.stdout.splitlines() == ["FC901", "FC902", "FC903", "[]"]


@pytest.mark.parametrize(
    ("shell", "environment", "expected"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "flowcheck x --fail-on i"}, '"info":"and what is worse"'),
        ("fish", {"_TYPER_COMPLETE_ARGS": "flowcheck x --fail-on i", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "info\tand what is worse"),
        ("powershell", {"_TYPER_COMPLETE_ARGS": "flowcheck x --fail-on i", "_TYPER_COMPLETE_WORD_TO_COMPLETE": "i"}, "info:::and what"),
    ],
)
def test_other_shells_ask_in_their_own_ways(shell: str, environment: dict[str, str], expected: str) -> None:
    done = ask("", None, **{**environment, "_FLOWCHECK_COMPLETE": f"complete_{shell}"})
    assert expected in done.stdout


def script(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """A run in an empty home, for a shell that is named: which one started the tests does not matter."""
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(home), "USERPROFILE": str(home)}
    command = [sys.executable, "-m", "flowcheck", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **named})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_is_shown_and_nothing_is_written(shell: str, tmp_path: Path) -> None:
    done = script("--show-completion", shell, home=tmp_path)
    assert done.returncode == 0
    assert "_FLOWCHECK_COMPLETE" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_it_is_installed_where_that_is_asked_for(tmp_path: Path) -> None:
    done = script("--install-completion", "bash", home=tmp_path)
    assert done.returncode == 0
    assert "flowcheck.sh" in (tmp_path / ".bashrc").read_text("utf-8")
    assert "_flowcheck_completion" in (tmp_path / ".bash_completions/flowcheck.sh").read_text("utf-8")


@pytest.mark.skipif(shutil.which("bash") is None or not PROGRAM.exists(), reason="needs bash, and the program beside Python")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("flowcheck tree/ --dr", ["--draft"]),
        ("flowcheck explain FC90", ["FC901", "FC902", "FC903"]),
        ("flowcheck exp", ["explain"]),
        ("flowcheck wiring fi", []),
    ],
)
def test_bash_completes(line: str, words: list[str], tmp_path: Path) -> None:
    """The script is sourced, and the function that it binds is called as bash does when the key is hit."""
    (tmp_path / "completion.sh").write_text(script("--show-completion", "bash", home=tmp_path).stdout, "utf-8")
    typed = shlex.join(line.split(" "))
    lines = [
        "source ./completion.sh", f"COMP_WORDS=({typed})", "COMP_CWORD=$((${#COMP_WORDS[@]}-1))",
        "bound=$(complete -p flowcheck)", '[[ $bound == *"-o default"* ]] || exit 3',
        "_flowcheck_completion flowcheck", 'printf "%s\\n" "${COMPREPLY[@]}"',
    ]  # fmt: skip
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "--norc", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment)
    assert done.stdout.split() == words
