"""What is told while a run goes on, and after it: a bar on a terminal alone, and a table of times. stdout is the same with either."""
from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flowcheck.analyzer import watching
from flowcheck.analyzer.steps import Task, task, watched_by
from flowcheck.analyzer.text import paint
from flowcheck.analyzer.timings import STEPS, Moment, Stopwatch

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "ids-changed-after-training"
SERVED = ("tree/sglang", "--draft", "configs/bad.json", "--target", "configs/target.json")
CHECK = (sys.executable, "-m", "flowcheck", "check", *SERVED)
TOLD = ("CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
PLAIN = {name: value for name, value in os.environ.items() if name not in TOLD}

posix = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


def on_a_terminal(*arguments: str, **environment: str) -> tuple[bytes, str, int]:
    """A run with a terminal for stderr alone: what is on stdout, what the terminal was sent, and the status."""
    import pty

    leader, follower = pty.openpty()
    run = subprocess.Popen(
        [*CHECK, *arguments], cwd=FIXTURE, stdin=follower, stdout=subprocess.PIPE, stderr=follower,
        env={**PLAIN, "TERM": "xterm", "COLUMNS": "120", **environment},
    )  # fmt: skip
    os.close(follower)
    sent = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        sent += part
    out, _ = run.communicate()
    os.close(leader)
    return out, sent.decode(), run.returncode


@pytest.fixture(scope="module")
def piped() -> subprocess.CompletedProcess[bytes]:
    """A run without a terminal."""
    return subprocess.run(CHECK, cwd=FIXTURE, capture_output=True, check=False, env={**PLAIN, "TERM": "xterm", "FORCE_COLOR": "1"})


def without_marks(sent: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent)


@posix
class TestBar:
    def test_a_terminal_shows_what_is_done_and_keeps_nothing(self, piped: subprocess.CompletedProcess[bytes]) -> None:
        out, sent, status = on_a_terminal()
        assert status == piped.returncode
        assert out == piped.stdout
        assert "target classes" in without_marks(sent)
        assert re.search(r"1 of 1 .*KimiLikeForConditionalGeneration", without_marks(sent))
        assert "configs/bad.json" in without_marks(sent)
        assert sent.endswith("\x1b[2K"), "the last that is sent takes the line away"
        assert "\x1b[?25l" not in sent, "the cursor is never hidden"

    def test_a_pipe_gets_nothing(self, piped: subprocess.CompletedProcess[bytes]) -> None:
        assert piped.stderr == b""
        assert b"\x1b" not in piped.stdout

    @pytest.mark.parametrize(
        ("arguments", "environment"),
        [(("--quiet",), {}), ((), {"TERM": "dumb"}), ((), {"CI": "true"})],
        ids=["quiet", "dumb", "ci"],
    )
    def test_there_is_none(self, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
        _, sent, _ = on_a_terminal(*arguments, **environment)
        assert sent == ""

    def test_what_is_interrupted_leaves_a_clean_line(self) -> None:
        """The run is told to stop as soon as the bar is there."""
        import pty
        import signal

        leader, follower = pty.openpty()
        run = subprocess.Popen(CHECK, cwd=FIXTURE, stdout=subprocess.DEVNULL, stderr=follower, env={**PLAIN, "TERM": "xterm"})
        os.close(follower)
        sent = b""
        while b"target classes" not in sent:
            sent += os.read(leader, 65536)
        run.send_signal(signal.SIGINT)
        while True:
            try:
                sent += os.read(leader, 65536)
            except OSError:
                break
        os.close(leader)
        assert run.wait() == 130
        assert b"Traceback" not in sent
        assert sent.rstrip().endswith(b"\x1b[2K")


class Spy:
    """A bar that remembers what it is shown."""

    def __init__(self, since: float = 0) -> None:
        self.shown: list[str] = []

    def show(self, task: Task) -> None:
        self.shown.append(task.name)

    def hide(self) -> None:
        self.shown.append("hidden")


class TestPatience:
    def test_a_quick_run_shows_nothing(self) -> None:
        bar = watching.PatientBar()
        with watched_by([bar]), task("run", "target classes", "A", 1, 2):
            pass
        assert bar._bar is None

    def test_the_innermost_task_with_words_is_shown_and_the_outer_one_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from flowcheck.analyzer import progress

        spy = Spy()
        monkeypatch.setattr(progress, "Bar", lambda since: spy)
        monkeypatch.setattr(watching, "PATIENCE", 0)
        inner = task("run", "target classes", "inner", 1, 2)
        with watched_by([watching.PatientBar()]), task("run", "trainer", "outer"), inner, task("lower"):
            pass
        assert spy.shown == ["outer", "inner", "outer", "hidden"]

    @posix
    def test_names_are_text_and_nothing_else(self) -> None:
        """Neither the markup of rich nor what drives a terminal."""
        from rich.console import Console

        from flowcheck.analyzer.escape import terminal
        from flowcheck.analyzer.progress import line_on

        screen = Console(width=120, force_terminal=True, record=True, file=io.StringIO())
        line = line_on(screen)
        line.add_task("", total=2, doing="target classes", count="1 of 2", name=terminal("[red]x[/red]\x1b[2J :smile:"))
        screen.print(line.get_renderable())
        assert "[red]x[/red]\\x1b[2J :smile:" in screen.export_text()


class TestTimings:
    def test_the_table_adds_up_and_stdout_is_the_same(self, piped: subprocess.CompletedProcess[bytes]) -> None:
        run = subprocess.run([*CHECK, "--timings"], cwd=FIXTURE, capture_output=True, check=False, env=PLAIN)
        assert run.stdout == piped.stdout
        table = run.stderr.decode()
        rows = {name: (float(wall), float(cpu)) for name, wall, cpu in re.findall(r"^(\w+) +([\d.]+) +([\d.]+)$", table, re.MULTILINE)}
        assert list(rows) == [*STEPS, "rest", "total"]
        for clock in (0, 1):
            parts = sum(round(rows[name][clock] * 1000) for name in (*STEPS, "rest"))
            assert parts == round(rows["total"][clock] * 1000)
            assert min(rows[name][clock] for name in rows) >= 0
        assert rows["run"][1] > 0 and rows["lower"][1] > 0 and rows["index"][1] > 0
        assert re.search(r"^slowest target classes\n +[\d.]+ +[\d.]+  KimiLikeForConditionalGeneration$", table, re.MULTILINE)
        assert "files listed 15" in table
        assert "target classes 1, evaluations" in table
        assert re.search(r"files parsed \d+, functions lowered [1-9]\d*", table)

    def test_a_step_in_another_is_counted_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = iter([0.0, 1.0, 3.0, 7.0, 15.0, 31.0])  # begun, run, lower, lowered, ran, told
        monkeypatch.setattr("flowcheck.analyzer.timings.now", lambda: Moment(*[next(clock)] * 2))
        watch = Stopwatch()
        with watched_by([watch]), task("run", "target classes", "A", 1, 1), task("lower"):
            pass
        lines = paint(watch.report(None), colour=False).splitlines()
        assert [line.split()[:2] for line in lines if line.startswith(("run", "lower", "rest", "total"))] == [
            ["lower", "4.000"], ["run", "10.000"], ["rest", "17.000"], ["total", "31.000"],
        ]  # fmt: skip
        assert any(line.split() == ["14.000", "14.000", "A"] for line in lines), "a class with all that is done for it"

    def test_nothing_is_told_of_what_could_not_be_done(self) -> None:
        command = [sys.executable, "-m", "flowcheck", "no/such/folder", "--timings"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 2
        assert run.stderr.count("\n") == 1


def test_without_a_watcher_a_task_costs_next_to_nothing() -> None:
    began = time.perf_counter()
    for _ in range(1000):
        with task("lower"):
            pass
    assert time.perf_counter() - began < 0.5, "a run has some thousand of them"
