"""Which files were read, and why: in JSON always, in text with --verbose."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from flowcheck.analyzer import cli
from flowcheck.analyzer.files_report import files_report
from flowcheck.analyzer.json_report import schema
from flowcheck.analyzer.reasons import FileRead, found_in
from flowcheck.analyzer.text import paint

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "ids-changed-after-training"
MODELS = "tree/sglang/srt/models"
CONFIGS = ("--draft", "configs/bad.json", "--target", "configs/target.json")
RUNS = {
    "report": ("check", "tree/sglang", *CONFIGS, "--train", "tree/draft_training"),
    "wiring": ("wiring", "tree/sglang", "--ids", "2", "--layers", "4"),
    "graph": ("graph", "tree/sglang", *CONFIGS),
    "trace": ("trace", "tree/sglang", "eagle_aux_hidden_state_layer_ids", *CONFIGS),
}


@pytest.fixture(autouse=True)
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURE)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit):
        cli.main(arguments)
    return capsys.readouterr().out


def reasons(capsys: pytest.CaptureFixture[str], kind: str) -> dict[str, str]:
    document = json.loads(told(capsys, *RUNS[kind], "--format", "json"))
    Draft202012Validator(schema(f"{kind}-1")).validate(document)
    files = [each["file"] for each in document["files"]]
    assert files == sorted(set(files))
    return {each["file"]: each["reason"] for each in document["files"]}


def test_each_file_of_a_check_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """A word of the setter, an import with its line, the configs, the trainer's own."""
    found = reasons(capsys, "report")
    assert found[f"{MODELS}/deepseek_like.py"] == "contains the setter's word set_eagle3_layers_to_capture"
    imported = found["tree/sglang/srt/layers/layernorm.py"]
    file, line = imported.removeprefix("imported at ").split(":")
    assert "layernorm" in (FIXTURE / file).read_text("utf-8").splitlines()[int(line) - 1]
    assert found["configs/bad.json"] == "a draft's config"
    assert found["configs/target.json"] == "the target's config"
    assert found["tree/draft_training/extract.py"].startswith(("contains ", "mentions "))
    assert not any("asked for by a run" in reason for reason in found.values())


@pytest.mark.parametrize("kind", ["wiring", "graph", "trace"])
def test_the_other_commands_say_it_too(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = reasons(capsys, kind)
    assert found[f"{MODELS}/kimi_like.py"] == "contains the setter's word set_eagle3_layers_to_capture"
    if kind == "trace":
        assert found[f"{MODELS}/llama_draft.py"] == "contains the key eagle_aux_hidden_state_layer_ids"


@pytest.mark.parametrize("kind", ["wiring", "graph", "trace"])
def test_text_says_it_to_those_who_want_all(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    verbose = told(capsys, *RUNS[kind], "--verbose")
    section = verbose.partition("Files read: ")[2]
    assert f"\n  {MODELS}/\n    deepseek_like.py  contains the setter's word set_eagle3_layers_to_capture\n" in section
    assert "Files read" not in told(capsys, *RUNS[kind])


def test_files_stand_below_their_folders_and_are_text() -> None:
    files = [FileRead("b/x.py", "contains y"), FileRead("a.py", "imported at b/x.py:1\x1b[2J"), FileRead("b/long_name.py", "defines C")]
    assert paint(files_report(files), colour=False).splitlines() == [
        "", "Files read: 3", "  ./", "    a.py  imported at b/x.py:1\\x1b[2J",
        "  b/", "    long_name.py  defines C", "    x.py          contains y",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "of_what", "text"),
    [
        ("set_layers", "the setter's word", "contains the setter's word set_layers"),
        ("class Llama", "", "defines Llama"),
        ("def helper(", "", "defines helper"),
        ("build(", "", "mentions build()"),
        (".fc", "", "contains .fc"),
    ],
)
def test_a_search_says_what_it_looked_for(word: str, of_what: str, text: str) -> None:
    assert found_in(word, of_what) == text


QUIET = {
    "check": (RUNS["report"], "sglang (version unknown)", "FC101"),
    "wiring": (RUNS["wiring"], "sglang (version unknown)", "out:2"),
    "graph": (RUNS["graph"], "Assumptions used", "capture"),
    "trace": (RUNS["trace"], "sglang (version unknown)", "2 readers"),
    "contract": (("contract", "tree/draft_training", "--ids", "2", "--layers", "4"), "draft_training (version unknown)", "StateRecorder"),
}


@pytest.mark.parametrize("command", QUIET)
def test_quiet_is_the_bare_result(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No header and no legend, and what is left stands in the whole answer too."""
    arguments, header, result = QUIET[command]
    whole, quiet = told(capsys, *arguments), told(capsys, *arguments, "--quiet")
    assert header in whole
    assert header not in quiet
    assert len(quiet) < len(whole)
    assert result in quiet
