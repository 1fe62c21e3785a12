"""The formats that editors, forges and CI servers read: what a line, an annotation and a test case say, and that no name breaks out."""
from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from results_examples import analysis, unknown_wiring, wiring
from told_examples import CHANGED, EDGE, FACT, HOSTILE, MISMATCH, SETTER, STALE, hostile, told

from flowcheck.analyzer import cli
from flowcheck.analyzer.concise import concise_report
from flowcheck.analyzer.escape import terminal
from flowcheck.analyzer.formats import renderers
from flowcheck.analyzer.github import github_commands
from flowcheck.analyzer.judging import SetAside
from flowcheck.analyzer.junit import Case, Suite, junit_document, suite
from flowcheck.analyzer.options import FORMATS, REPORT_FORMATS
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis, Location
from flowcheck.analyzer.rule import Severity
from flowcheck.analyzer.text import paint
from flowcheck.analyzer.told import Told
from flowcheck.rules import RULES

PLAIN, VERBOSE = Detail(), Detail(verbose=True)
COMMAND = re.compile(r"::(error|warning|notice) (?P<properties>[^:]*)::(?P<message>.*)")


def concise(*each: Told, detail: Detail = PLAIN) -> list[str]:
    return paint(concise_report(each, detail), False).splitlines()


class TestConcise:
    def test_one_line_a_finding_the_worst_first(self) -> None:
        assert concise(told(FACT, STALE, MISMATCH)) == [
            "drafts/a.json:4:3: error FC101 served out:1, trained out:2: ids [1] at drafts/a.json:4",
            "engine/llama.py:70:1: warning FC210 marks are never taken back",
            "engine/llama.py:70:1: info FC309 its siblings shift",
        ]

    def test_what_the_table_of_wirings_tells_is_told_with_all_details(self) -> None:
        assert concise(told(EDGE)) == []
        assert concise(told(EDGE), detail=VERBOSE) == ["engine/llama.py:70:1: info FC301 id L is captured by no layer"]

    def test_nothing_found_is_nothing_said(self) -> None:
        assert concise(told()) == []

    def test_notices_are_told_like_findings(self) -> None:
        assert concise(told(notices=(CHANGED,))) == ["engine/llama.py:70:1: info wiring-changed id k: out:k -> out:k-1"]

    def test_a_comparison_says_what_has_gone(self) -> None:
        assert concise(replace(told(STALE), state="absent")) == ["engine/llama.py:70:1: gone FC210 marks are never taken back"]
        assert concise(replace(told(STALE), state="new")) == ["engine/llama.py:70:1: warning FC210 marks are never taken back"]

    def test_a_file_of_a_revision_is_told_as_it_is_in_the_work_tree(self) -> None:
        assert concise(revised()) == ["engine/llama.py:70:1: warning FC210 marks are never taken back"]


def revised() -> Told:
    """A finding in a revision that is called main."""
    found = told(replace(STALE, at=Location(f"main:{SETTER.file}", SETTER.line)))
    return replace(found, analysis=replace(found.analysis, source=replace(found.analysis.source, root="main:engine", revision="main")))


class TestGitHub:
    def test_an_annotation_has_a_place_a_title_and_the_ways(self) -> None:
        text = github_commands([told(MISMATCH)], PLAIN)
        assert text == (
            "::error file=drafts/a.json,line=4,col=3,title=FC101 captured-point-mismatch"
            "::served out:1, trained out:2: ids [1] at drafts/a.json:4"
            "%0Adrafts/a.json:4: served: key: ids -> [1]"
            "%0A(1 more hop)"
            "%0Aengine/llama.py:70: served: + 1: [1] -> [2]"
            "%0Atrainer/hooks.py:20: trained: hook: forward hook -> layer 2"
            "%0Atrainer/hooks.py:20: trained: concatenated: 1 parts -> out:2"
            "%0Ahelp: ids [2] make it capture what was trained\n"
        )

    def test_levels_the_worst_first_whichever_source_it_is_of(self) -> None:
        text = github_commands([told(FACT, STALE), told(MISMATCH, notices=(CHANGED,))], PLAIN)
        assert re.findall(r"^::(\w+)", text, re.MULTILINE) == ["error", "warning", "notice", "notice"]

    def test_a_revision_is_no_part_of_the_file(self) -> None:
        assert "file=engine/llama.py," in github_commands([revised()], PLAIN)

    def test_what_has_gone_has_no_line_to_stand_beside(self) -> None:
        assert github_commands([replace(told(STALE), state="absent")], PLAIN) == ""

    def test_a_finding_without_a_file_is_an_annotation_of_the_run(self) -> None:
        assert github_commands([told(replace(STALE, at=Location("", 1)))], PLAIN).startswith("::warning title=FC210 stale-state::")

    def test_how_many_github_will_not_show(self) -> None:
        lines = github_commands([told(*[replace(STALE, message=str(number)) for number in range(12)])], PLAIN).splitlines()
        assert len(lines) == 13
        assert lines[-1] == "flowcheck: GitHub shows 10 annotations of each level; in this log alone: 2 more warnings"
        assert len(github_commands([told(*[STALE] * 10)], PLAIN).splitlines()) == 10

    @pytest.mark.parametrize("text", HOSTILE)
    def test_a_hostile_name_is_text(self, text: str) -> None:
        lines = github_commands([hostile(text)], VERBOSE).splitlines()
        assert len(lines) == 2
        for line, message in zip(lines, (text, f"x {text} x"), strict=True):
            found = COMMAND.fullmatch(line)
            assert found is not None
            properties = [each.partition("=") for each in found["properties"].split(",")]
            assert [name for name, *_ in properties] == ["file", "line", "col", "title"]
            assert decoded(properties[0][2]) == terminal(f"{text}/{text}.py")
            assert decoded(found["message"]).split("\n")[0] == terminal(message)


def decoded(text: str) -> str:
    """What the runner makes of a value."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def junit(*suites: Suite) -> ET.Element:
    return ET.fromstring(junit_document(suites))


def outcomes(root: ET.Element) -> dict[str, str]:
    """What each case comes to."""
    cases = root.iter("testcase")
    return {case.attrib["name"]: next((each.tag for each in case if each.tag in ("failure", "skipped")), "passed") for case in cases}


class TestJunit:
    def test_a_case_for_each_wiring_and_each_finding(self) -> None:
        aside = SetAside(replace(STALE, model="Kept"), "baseline", "known.json")
        found = junit(suite(told(MISMATCH, STALE, FACT, aside=(aside,)), "engine 1.0", Severity.WARNING))
        assert outcomes(found) == {
            "LlamaForCausalLM.set_layers": "passed",
            "TulipForCausalLM.set_layers": "skipped",
            "FC101 drafts/a.json eagle_config.ids eagle3 LlamaForCausalLM drafts/a.json": "failure",
            "FC210 engine/llama.py LlamaForCausalLM.set_layers": "failure",
            "FC309 engine/llama.py LlamaForCausalLM.set_layers": "passed",
            "FC210 engine/llama.py LlamaForCausalLM.set_layers Kept": "skipped",
        }
        counts = {"name": "engine 1.0", "tests": "6", "failures": "2", "errors": "0", "skipped": "2"}
        assert found[0].attrib == counts
        assert found.attrib == {**counts, "name": "flowcheck"}

    def test_failures_are_those_that_the_run_fails_on(self) -> None:
        for least, tag in ((Severity.ERROR, "passed"), (Severity.WARNING, "failure")):
            found = outcomes(junit(suite(told(STALE), "x", least)))
            assert found["FC210 engine/llama.py LlamaForCausalLM.set_layers"] == tag

    def test_a_failure_tells_all_of_the_finding(self) -> None:
        failure = next(junit(suite(told(MISMATCH), "x", Severity.ERROR)).iter("failure"))
        assert failure.attrib == {"type": "FC101", "message": f"error: {MISMATCH.message}"}
        assert "engine/llama.py:70: served: + 1: [1] -> [2]\n" in (failure.text or "")

    def test_names_are_apart_and_stay_while_lines_move(self) -> None:
        moved = replace(STALE, at=Location(SETTER.file, 69))
        names = list(outcomes(junit(suite(told(STALE, moved), "x", Severity.ERROR))))[2:]
        assert names == ["FC210 engine/llama.py LlamaForCausalLM.set_layers #2", "FC210 engine/llama.py LlamaForCausalLM.set_layers"]
        twins = Told(analysis(wiring(), wiring()), ())
        assert list(outcomes(junit(suite(twins, "x", Severity.ERROR)))) == ["LlamaForCausalLM.set_layers", "LlamaForCausalLM.set_layers #2"]

    def test_others_add_suites_of_their_own(self) -> None:
        broken = Case("contract", "kimi", "failed", "BROKEN", "contract", "served out:1", Location("contracts/kimi.json", 3))
        found = junit(suite(told(), "engine", Severity.ERROR), Suite("contracts", (Case("contract", "llama"), broken)))
        assert outcomes(found)["llama"] == "passed"
        (case,) = (each for each in found.iter("testcase") if each.attrib["name"] == "kimi")
        assert case.attrib == {"classname": "contract", "name": "kimi", "file": "contracts/kimi.json", "line": "3"}
        assert case[0].attrib == {"message": "BROKEN", "type": "contract"}

    @pytest.mark.parametrize("text", HOSTILE)
    def test_a_hostile_name_is_text(self, text: str) -> None:
        found = junit(suite(hostile(text), text, Severity.WARNING))
        name, first, second = map(terminal, (text, f"error: {text}", f"error: x {text} x"))
        assert {each.tag for each in found.iter()} == {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"}
        assert found[0].attrib["name"] == name
        assert [each.attrib["message"] for each in found.iter("failure")] == [first, second]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        ("  ::error::x", r"  \x3a:error::x"),
        ("##[add-mask]x ##vso[a]", r"#\x23[add-mask]x #\x23vso[a]"),
        ("x[:, ::2]  ## a [comment]", "x[:, ::2]  ## a [comment]"),
    ],
)
def test_a_runner_finds_no_commands_in_its_log(text: str, shown: str) -> None:
    assert terminal(text) == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_moves_no_terminal_and_no_runner(text: str) -> None:
    """On stdout, which may be the log of a job."""
    each = hostile(text)
    written = {name: render(False) for name, render in renderers([each], RULES, Severity.WARNING, VERBOSE).items()}
    assert set(written) == {"concise", "github", "sarif", "markdown", "junit"}
    for name, output in written.items():
        lines = output.split("\n")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028\udc80-\udcff]", output), name
        assert not re.search(r"##\w*\[", output), name
        assert name == "github" or not any(line.lstrip().startswith("::") for line in lines), name
    assert len(written["concise"].splitlines()) == 2


def test_the_readme_has_them_all() -> None:
    text = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")
    table = text.partition("| format | of | content |")[2].partition("\n\n")[0]
    rows = [tuple(cell.strip(" `") for cell in row.split("|")[1:3]) for row in table.splitlines()[2:]]
    assert rows == [(name, "all" if name in FORMATS else "check") for name in REPORT_FORMATS]


class TestCommand:
    """The options of ``flowcheck check``."""

    @pytest.fixture(autouse=True)
    def _answered(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def analyze(_: Request) -> Analysis:
            return analysis(wiring(), unknown_wiring())

        monkeypatch.setattr(cli, "pipeline", lambda: analyze)

    @staticmethod
    def run(arguments: Sequence[str]) -> int:
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        return int(str(ended.value.code))

    def test_several_at_once_each_to_its_file_and_one_on_stdout(self, capsys: pytest.CaptureFixture[str]) -> None:
        files = {"sarif": "out.sarif", "markdown": "comment.md", "junit": "tests.xml", "json": "report.json"}
        given = [part for name, file in files.items() for part in ("--output-format", f"{name}:{file}")]
        assert self.run(["check", "x", *given, "--format", "concise"]) == 0
        assert capsys.readouterr().out.startswith("engine/tulip.py:9:1: info FC901 ")
        assert json.loads(Path("out.sarif").read_text("utf-8"))["version"] == "2.1.0"
        assert Path("comment.md").read_text("utf-8").startswith("<!-- flowcheck -->\n")
        assert ET.parse("tests.xml").getroot().tag == "testsuites"
        assert json.loads(Path("report.json").read_text("utf-8"))["schema"] == "flowcheck.report/1"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["check", "x", "--format", "xml"], "unknown format 'xml'; there are text, concise, json, sarif, github, markdown, junit"),
            (["wiring", "x", "--format", "sarif"], "sarif is no format of this command; there are text, json"),
            (["check", "x", "--output-format", "sarif:a", "--output-format", "junit:a"], "two results for a"),
        ],
    )
    def test_what_is_not_there_is_one_line(self, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
        assert self.run(arguments) == 2
        assert message in capsys.readouterr().err

    def test_the_file_of_settings_may_name_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("flowcheck.toml").write_text('output-format = ["sarif:out.sarif", "github"]\n')
        assert self.run(["check", "x"]) == 0
        assert capsys.readouterr().out.startswith("::notice file=engine/tulip.py,line=9,col=1,title=FC901 not-established::")
        assert Path("out.sarif").exists()

    def test_the_same_input_gives_the_same_bytes(self, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("concise", "sarif", "github", "markdown", "junit"):
            outputs = set()
            for _ in range(2):
                self.run(["check", "x", "--format", name, "--verbose"])
                outputs.add(capsys.readouterr().out)
            assert len(outputs) == 1
