"""The views of ``flowcheck graph``, of the small engine of the story and of its draft that was shipped with other ids."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowcheck.analyzer.cli import main

STORY = Path(__file__).resolve().parents[1] / "fixtures/ids-changed-after-training"
CONFIGS = ("--draft", "configs/bad.json", "--target", "configs/target.json")


def run(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(["graph", "tree/sglang", *arguments])
    return ended.value.code


@pytest.fixture(autouse=True)
def _at_the_story(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STORY)


def drawn(folder: Path, *arguments: str, ending: str = "dot") -> str:
    file = folder / f"picture.{ending}"
    assert run(*arguments, "-o", str(file)) == 0
    return file.read_text("utf-8")


def test_the_pipeline_has_a_box_for_each_component(tmp_path: Path) -> None:
    picture = drawn(tmp_path, *CONFIGS, "--view", "pipeline")
    for component in ("ModelRunner", "LogitsProcessor", "EagleWorker", "DraftInput", "ForwardBatch", "LlamaDraftModel"):
        assert f"<b>{component}</b>" in picture
    assert picture.count("embed, out:2, out:30") >= 6  # over the arrows behind the capture
    assert "+ 1: [2, 30] -&gt; [3, 31] (line 104)" in picture


def test_a_path_shows_the_code_of_its_hops(tmp_path: Path) -> None:
    picture = drawn(tmp_path, *CONFIGS, "--view", "path", ending="mmd")
    assert "self.model.layers_to_capture" in picture
    assert "deepseek_like.py" in picture


def test_both_sides_part_at_the_ids(tmp_path: Path) -> None:
    picture = drawn(tmp_path, *CONFIGS, "--train", "tree/draft_training", "--view", "compare")
    assert "other hidden states are served than were trained" in picture
    assert picture.count("differs") >= 4  # the ids, and each of the three states at fc: a word beside the colour


def test_sides_that_agree_say_so(tmp_path: Path) -> None:
    configs = ("--draft", "configs/good.json", "--target", "configs/target.json")
    picture = drawn(tmp_path, *configs, "--train", "tree/draft_training", "--view", "compare")
    assert "served = trained" in picture
    assert "differs" not in picture


def test_models_are_grouped_by_what_an_id_captures(tmp_path: Path) -> None:
    picture = drawn(tmp_path, "--view", "models", ending="mmd")
    assert "KimiLikeForConditionalGeneration" in picture
    assert "id k captures out:k" in picture


@pytest.mark.parametrize("view", ["pipeline", "path", "flow", "models"])
def test_the_same_input_gives_the_same_bytes(view: str, tmp_path: Path) -> None:
    told = []
    for seed in ("1", "2"):
        file = tmp_path / f"{seed}.dot"
        command = [sys.executable, "-m", "flowcheck", "graph", "tree/sglang", *CONFIGS, "--view", view, "-o", str(file)]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
        told.append(file.read_bytes())
    assert told[0] == told[1]


@pytest.mark.parametrize(("arguments", "said"), [
    (("--view", "compare"), "give its config with --draft"),
    ((*CONFIGS, "--view", "compare"), "nothing says what configs/bad.json was trained on"),
    ((*CONFIGS, "--view", "sideways"), "sideways"),
])  # fmt: skip
def test_what_a_view_lacks_is_said_in_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments, "-o", str(tmp_path / "x.dot")) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
