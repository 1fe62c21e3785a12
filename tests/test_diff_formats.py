"""What a diff looks like in each format, and contracts of the settings on both sides."""
from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from scratch_repository import DRAFT, SERVED, TARGET, Repository, make_repository

from flowcheck.analyzer import cli

Capture = pytest.CaptureFixture[str]
FILES = {"concise": "out.txt", "json": "out.json", "sarif": "out.sarif", "github": "out.github", "markdown": "out.md", "junit": "out.xml"}
CONTRACT = f"""\
[tool.flowcheck]
source = "python"

[[tool.flowcheck.contracts]]
name = "kimi-eagle3"
draft = "{DRAFT}"
target = "drafts/target.json"
trained = ["out:2", "out:30", "out:58"]
"""


@pytest.fixture
def repository(here: Path) -> Repository:
    return make_repository(here)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        cli.main(("diff", *arguments))
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def outputs() -> tuple[str, ...]:
    return tuple(each for name, file in FILES.items() for each in ("--output-format", f"{name}:{file}"))


def test_all_formats_at_once(repository: Repository, capsys: Capture) -> None:
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    assert run("HEAD", *SERVED, *outputs()) == 1
    assert capsys.readouterr().out == "", "each has a file of its own"
    told = {name: Path(file).read_text("utf-8") for name, file in FILES.items()}
    line = next(number for number, text in enumerate(Path(TARGET).read_text("utf-8").split("\n"), 1) if "[layer_id for" in text)

    assert f"{TARGET}:{line}:1: info wiring KimiLikeForConditionalGeneration" in told["concise"]
    assert f"::notice file={TARGET},line={line},col=1,title=wiring wiring-changed::" in told["github"]
    assert "::error file=drafts/kimi-eagle3/config.json,line=10" in told["github"]

    comment = told["markdown"]
    assert "1 wiring changed; 1 draft fed differently; 1 error appeared" in comment
    assert "| <code>id k captures out:k</code> | <code>id k captures out:k-1</code> |" in comment
    assert "same → **other**" in comment
    assert "```mermaid" in comment
    assert f"deepseek_like.py:{line}" in comment.partition("```mermaid")[2].partition("```")[0], "the picture has the transform"

    results = json.loads(told["sarif"])["runs"][0]["results"]
    states = {each["ruleId"]: each["baselineState"] for each in results if each.get("level") != "note" or each["ruleId"] == "wiring"}
    assert states == {"FC101": "new", "wiring": "new", "draft": "new"}
    places = [hit["physicalLocation"]["artifactLocation"]["uri"] for each in results for hit in each["locations"]]
    assert not [place for place in places if ":" in place or place.startswith("/")], "as in the work tree, not as in a revision"

    failures = [case.get("classname") for case in ET.fromstring(told["junit"]).iter("testcase") if case.find("failure") is not None]
    assert "finding.captured-point-mismatch" in failures


def test_nothing_in_any_format_where_nothing_changed(repository: Repository, capsys: Capture) -> None:
    assert run("HEAD", *outputs()) == 0
    assert {name: Path(FILES[name]).read_text("utf-8") for name in ("concise", "github", "markdown")} == dict.fromkeys(
        ("concise", "github", "markdown"), ""
    )
    (only,) = json.loads(Path(FILES["sarif"]).read_text("utf-8"))["runs"]
    assert only["results"] == []


def test_a_contract_of_the_settings_is_broken(repository: Repository, capsys: Capture) -> None:
    Path("pyproject.toml").write_text(CONTRACT, "utf-8")
    assert (run("HEAD"), capsys.readouterr().out) == (0, "")
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    assert run("HEAD") == 1
    told = capsys.readouterr().out
    assert "kimi-eagle3 with KimiLikeForConditionalGeneration: kept -> broken" in told
    assert "trained       out:2, out:30, out:58" in told
    assert "path " in told, "the shortest path that breaks it"
    repository.commit()
    assert run("HEAD~1..HEAD", "--contract", "kimi-eagle3", "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["wirings"], document["drafts"][0]["verdict"]) == ([], {"before": "kept", "after": "broken"})
    assert run("HEAD..HEAD~1", "--contract", "kimi-eagle3") == 0, "what is mended fails nothing"
    assert "broken -> kept" in capsys.readouterr().out


def test_names_of_the_source_stay_text(repository: Repository, capsys: Capture) -> None:
    """What a stranger calls a class or a file cannot end a cell, a fold, a picture or a command."""
    evil = 'Évil<script>`|::error::%0A"'
    embedding = "        self.model.capture_embedding"
    repository.change(TARGET, embedding, f"        raise ValueError({evil!r})\n{embedding}")
    run("HEAD", *outputs())
    told = {name: Path(FILES[name]).read_text("utf-8") for name in ("markdown", "github")}
    assert "Évil" in told["markdown"]
    assert "Évil" in told["github"]
    assert "<script>" not in told["markdown"]
    assert all(line.startswith(("::notice file=", "flowcheck: ")) for line in told["github"].splitlines()), told["github"]
