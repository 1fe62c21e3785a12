"""A baseline: what is known is not reported again, what is new is, and what is gone is told."""
from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from results_examples import analysis

from flowcheck.analyzer import cli
from flowcheck.analyzer.baseline import Book, baseline_text, read_baseline
from flowcheck.analyzer.json_report import schema
from flowcheck.analyzer.judging import Judged
from flowcheck.analyzer.results import Location
from flowcheck.analyzer.rule import Finding, Severity
from flowcheck.analyzer.surroundings import Surroundings
from flowcheck.analyzer.symbols import Symbols

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
Capture = pytest.CaptureFixture[str]
MARKS = Path("proj/tree/sglang/srt/models/marks.py")
STALE = "            self.model.layers[k]._is_layer_to_capture = True"
CHECK = ("proj/tree", "--select", "FC210")


@pytest.fixture(autouse=True)
def tree(here: Path) -> None:
    """A tree with three findings of FC210, below ``proj``."""
    shutil.copytree(FIXTURES / "suppressed-findings", here / "proj")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def told(capsys: Capture, *arguments: str) -> tuple[list[str | None], dict[str, int], int]:
    """The target classes of the findings, the summary, and the exit status."""
    status = run(*arguments, "--format", "json")
    report = json.loads(capsys.readouterr().out)
    return [found["model"] for found in report["findings"]], report["summary"], status


def write(capsys: Capture, *arguments: str) -> Path:
    assert run(*arguments, "--write-baseline", "--baseline", "proj/known.json") == 0
    capsys.readouterr()
    return Path("proj/known.json")


def test_what_is_known_is_not_reported_again(capsys: Capture) -> None:
    assert run(*CHECK) == 1
    capsys.readouterr()
    write(capsys, *CHECK)
    found, summary, status = told(capsys, *CHECK, "--baseline", "proj/known.json")
    assert (found, summary["in_baseline"], summary["gone_from_baseline"], status) == ([], 3, 0, 0)


def test_it_is_written_beside_where_one_is_and_said_so(here: Path, capsys: Capture) -> None:
    assert run(*CHECK, "--write-baseline") == 0
    out, err = capsys.readouterr()
    assert err == (
        "flowcheck: 3 findings written to .flowcheck-baseline.json; --baseline .flowcheck-baseline.json leaves them out from now on\n"
    )
    assert out.endswith("\nSet aside: 2 suppressed, 3 in the baseline\n")
    assert (here / ".flowcheck-baseline.json").is_file()


def test_its_entries(capsys: Capture) -> None:
    written = json.loads(write(capsys, *CHECK).read_text("utf-8"))
    jsonschema.validate(written, schema("baseline-1"))
    assert [(each["code"], each["file"], each["symbol"], each["model"], each["count"]) for each in written["entries"]] == [
        ("FC210", "sglang/srt/models/marks.py", f"{model}.set_dflash_layers_to_capture", model, 1)
        for model in ("InATextForCausalLM", "MisspeltForCausalLM", "NoReasonForCausalLM")
    ]


def test_it_is_the_same_from_anywhere(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    first = write(capsys, *CHECK).read_bytes()
    monkeypatch.chdir("proj")
    assert run("tree", "--select", "FC210", "--write-baseline", "--baseline", "known.json") == 0
    capsys.readouterr()
    assert Path("known.json").read_bytes() == first
    monkeypatch.chdir("tree/sglang")
    found, summary, _ = told(capsys, "..", "--select", "FC210", "--baseline", "../../known.json")
    assert (found, summary["in_baseline"]) == ([], 3)


def test_it_is_the_same_for_a_copy_and_an_archive(here: Path, capsys: Capture) -> None:
    write(capsys, *CHECK)
    shutil.copytree(here / "proj/tree", here / "elsewhere/next")
    shutil.make_archive("tree", "zip", here / "proj/tree")
    for source in ("elsewhere/next", "tree.zip"):
        found, summary, _ = told(capsys, source, *CHECK[1:], "--baseline", "proj/known.json")
        assert (found, summary["in_baseline"], summary["gone_from_baseline"]) == ([], 3, 0)


def test_what_moves_stays_known(capsys: Capture) -> None:
    write(capsys, *CHECK)
    text = MARKS.read_text("utf-8").replace("for k in layer_ids:", "# moved\n        for k in layer_ids:")
    MARKS.write_text(f'"""A new line."""\n\n\n{text}')
    found, summary, _ = told(capsys, *CHECK, "--baseline", "proj/known.json")
    assert (found, summary["in_baseline"], summary["gone_from_baseline"]) == ([], 3, 0)


def test_the_same_fault_elsewhere_is_new(capsys: Capture) -> None:
    write(capsys, *CHECK)
    MARKS.write_text(MARKS.read_text("utf-8").replace("# flowcheck: ignore[FC210] the runner calls this once", "# no comment"))
    found, summary, status = told(capsys, *CHECK, "--baseline", "proj/known.json")
    assert (found, summary["in_baseline"], status) == (["OnTheLineForCausalLM"], 3, 1)


def test_a_second_one_in_the_same_function_is_new() -> None:
    one = Finding("FC210", "stale-state", Severity.WARNING, "a", Location("a.py", 3), flow="eagle3", model="A")
    found, content = analysis(), Surroundings(lambda _: b"class A:\n def f(self):\n  x\n  y\n")
    found = replace(found, around=content)
    Path("known.json").write_text(baseline_text([(found, Judged((one,)))], "known.json")[0])
    book = Book(read_baseline("known.json"))
    second = replace(one, at=Location("a.py", 4))
    assert book.without_known(found, Judged((one, second))).findings == (second,)


def test_what_has_become_worse_is_new(capsys: Capture) -> None:
    file = write(capsys, *CHECK)
    file.write_text(file.read_text("utf-8").replace('"severity": "warning"', '"severity": "info"', 1))
    assert len(told(capsys, *CHECK, "--baseline", "proj/known.json")[0]) == 1


class TestGone:
    def mend(self) -> None:
        text = MARKS.read_text("utf-8")
        MARKS.write_text(text.replace("    InATextForCausalLM,\n", ""))

    def test_it_is_told(self, capsys: Capture) -> None:
        write(capsys, *CHECK)
        self.mend()
        assert run(*CHECK, "--baseline", "proj/known.json") == 0
        assert capsys.readouterr().out.endswith("1 entry of the baseline is gone: write it anew with --write-baseline\n")

    @pytest.mark.parametrize("narrowed", [("--model", "NoReasonForCausalLM"), ("--ignore", "FC210"), ("--flow", "dflash")])
    def test_what_this_run_cannot_find_is_not_gone(self, capsys: Capture, narrowed: tuple[str, str]) -> None:
        write(capsys, *CHECK)
        self.mend()
        assert told(capsys, *CHECK, *narrowed, "--baseline", "proj/known.json")[1]["gone_from_baseline"] == 0


class TestDrafts:
    """A finding that is about a draft is known for that draft, and one in a config by its keys."""

    CASE = "ids-changed-after-training"

    def arguments(self, draft: str) -> list[str]:
        configs = ["--target", "case/configs/target.json", "--draft", f"case/configs/{draft}"]
        return ["case/tree/sglang", *configs, "--train", "case/tree/draft_training"]

    def test_an_entry_of_a_config(self, here: Path, capsys: Capture) -> None:
        shutil.copytree(FIXTURES / self.CASE, here / "case")
        file = write(capsys, *self.arguments("bad.json"))
        (entry,) = (each for each in json.loads(file.read_text("utf-8"))["entries"] if each["draft"])
        assert (entry["code"], entry["file"], entry["draft"]) == ("FC101", "../case/configs/bad.json", "../case/configs/bad.json")
        assert entry["symbol"] == "eagle_config.eagle_aux_hidden_state_layer_ids"
        assert told(capsys, *self.arguments("bad.json"), "--baseline", str(file))[2] == 0

    def test_another_draft_is_new_and_the_known_one_not_gone(self, here: Path, capsys: Capture) -> None:
        shutil.copytree(FIXTURES / self.CASE, here / "case")
        file = write(capsys, *self.arguments("bad.json"))
        shutil.copy(here / "case/configs/bad.json", here / "case/configs/other.json")
        found, summary, status = told(capsys, *self.arguments("other.json"), "--baseline", str(file))
        assert (len(found), summary["gone_from_baseline"], status) == (1, 0, 1)


class TestBadFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "known.json:1:1: a value is missing"),
            ("[]", "the baseline must be an object, not a list; write it anew with --write-baseline"),
            ("{}", "the baseline has no 'schema'"),
            ('{"schema": "flowcheck.baseline/2", "entries": []}', "schema must be one of flowcheck.baseline/1"),
            ('{"schema": "flowcheck.baseline/1", "entries": [], "more": 1}', "has an entry 'more', which is none of a baseline"),
            ('{"schema": "flowcheck.baseline/1", "entries": [{"code": 3}]}', "entries.0 has no 'severity'"),
        ],
    )
    def test_one_line(self, capsys: Capture, text: str, message: str) -> None:
        Path("known.json").write_text(text)
        assert run(*CHECK, "--baseline", "known.json") == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert message in err

    def test_an_entry_twice(self, capsys: Capture) -> None:
        file = write(capsys, *CHECK)
        known = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps({**known, "entries": known["entries"][:1] * 2}))
        assert run(*CHECK, "--baseline", str(file)) == 2
        assert "entries.1 is there twice" in capsys.readouterr().err

    @pytest.mark.skipif(os.name != "posix", reason="needs a folder that cannot be written")
    def test_where_it_cannot_be_written(self, capsys: Capture) -> None:
        assert run(*CHECK, "--write-baseline", "--baseline", "no/such/known.json") == 2
        assert "cannot write no/such/known.json" in capsys.readouterr().err


class TestSymbols:
    def name(self, text: str, line: int, file: str = "a.py") -> str:
        return Symbols(lambda _: text.encode()).at(Location(file, line))

    def test_of_python(self) -> None:
        text = "x = 1\nclass A:\n    @d\n    def f(self):\n        if x:\n            def g(): pass\n    y = 2\n"
        assert [self.name(text, line) for line in range(1, 8)] == ["", "A", "A.f", "A.f", "A.f", "A.f.g", "A"]

    def test_of_a_config(self) -> None:
        text = '{\n "a": 1,\n "b": {\n  "c": [\n   1,\n   2\n  ]\n }\n}\n'
        assert [self.name(text, line, "a.json") for line in range(1, 7)] == ["", "a", "b", "b.c", "b.c", "b.c"]

    @pytest.mark.parametrize("file", ["a.py", "a.json", "a.bin"])
    def test_of_what_cannot_be_read(self, file: str) -> None:
        assert self.name("def f(:\n", 1, file) == ""
