"""Comments that suppress findings, as somebody uses them who has to live with a finding; and what is said of those that are of no use."""
from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from flowcheck.analyzer import cli
from flowcheck.analyzer.suppressions import read_suppressions

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
Capture = pytest.CaptureFixture[str]
MARKS = Path("tree/sglang/srt/models/marks.py")
RUNNER = "tree/sglang/srt/model_executor/model_runner.py"
STALE = "self.model.layers[k]._is_layer_to_capture = True"


@pytest.fixture
def tree(here: Path) -> Path:
    """One setter that only ever sets marks, in the working directory as ``tree``."""
    shutil.copytree(FIXTURES / "suppressed-findings/tree", here / "tree")
    text = MARKS.read_text("utf-8")
    begin, rest = text.split("class OnTheLineForCausalLM", 1)
    one = "class OnTheLineForCausalLM" + rest.split("\n\n\n")[0]
    MARKS.write_text(begin + one.split("  # flowcheck:")[0] + "\n\n\nEntryClass = OnTheLineForCausalLM\n", "utf-8")
    return here / "tree"


def excuse(comment: str, *, above: bool = False) -> None:
    """Put a comment on the line of the finding, or above it."""
    text = MARKS.read_text("utf-8")
    MARKS.write_text(text.replace(STALE, f"{comment}\n            {STALE}" if above else f"{STALE}  {comment}"), "utf-8")


def check(capsys: Capture, *options: str) -> tuple[list[str], dict[str, int], int]:
    """The findings as ``CODE line`` with the message of FC903, the summary, and the exit status."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["check", "tree", "--format", "json", "--ignore", "FC301,FC303,FC307", *options])
    report = json.loads(capsys.readouterr().out)
    told = [f"{found['code']} {found['message']}" if found["code"] == "FC903" else found["code"] for found in report["findings"]]
    return told, report["summary"], int(str(ended.value.code))


@pytest.mark.usefixtures("tree")
class TestSuppressing:
    def test_without_a_comment(self, capsys: Capture) -> None:
        found, summary, status = check(capsys)
        assert (found, summary["suppressed"], status) == (["FC210"], 0, 1)

    @pytest.mark.parametrize(
        "comment",
        [
            "# flowcheck: ignore[FC210] called once",
            "#flowcheck:ignore[stale-state] called once",
            "# flowcheck: ignore[ FC901 , fc210 ]: called once, see #12",
            "# type: ignore  # flowcheck: ignore[FC210] called once  # noqa: E501",
        ],
    )
    @pytest.mark.parametrize("above", [False, True], ids=["on the line", "above"])
    def test_a_comment_with_a_reason(self, capsys: Capture, comment: str, above: bool) -> None:
        excuse(comment, above=above)
        found, summary, status = check(capsys)
        assert (found, summary["suppressed"], status) == ([], 1, 0)

    @pytest.mark.parametrize("reason", ["", " --", "  # noqa"])
    def test_without_a_reason_it_does_nothing(self, capsys: Capture, reason: str) -> None:
        excuse(f"# flowcheck: ignore[FC210]{reason}")
        found, summary, status = check(capsys)
        assert found == ["FC210", "FC903 this suppresses nothing, for it gives no reason: write one behind ignore[FC210]"]
        assert (summary["suppressed"], status) == (0, 1)

    def test_another_rule(self, capsys: Capture) -> None:
        excuse("# flowcheck: ignore[FC211] called once")
        found, _, status = check(capsys)
        assert (found, status) == (["FC210", "FC903 FC211 finds nothing here that this could suppress"], 1)

    def test_a_rule_that_there_is_not(self, capsys: Capture) -> None:
        excuse("# flowcheck: ignore[stale-stat] called once")
        assert check(capsys)[0] == ["FC210", "FC903 there is no rule 'stale-stat', so this does not suppress it; did you mean stale-state?"]

    @pytest.mark.parametrize("comment", ["# flowcheck: ignore called once", "# flowcheck: ignore[] called once"])
    def test_no_rule(self, capsys: Capture, comment: str) -> None:
        excuse(comment)
        assert check(capsys)[0] == ["FC210", "FC903 this suppresses nothing, for it names no rule: write ignore[CODE] and the reason"]

    def test_a_blank_line_parts_it_from_the_code(self, capsys: Capture) -> None:
        excuse("# flowcheck: ignore[FC210] called once\n", above=True)
        assert check(capsys)[0] == ["FC210", "FC903 FC210 finds nothing here that this could suppress"]

    def test_it_is_told_with_all_details(self, capsys: Capture) -> None:
        excuse("# flowcheck: ignore[FC210] called once")
        with pytest.raises(SystemExit):
            cli.main(["tree", "--verbose", "--ignore", "FC301,FC303,FC307"])
        out = capsys.readouterr().out
        assert "Set aside: 1 suppressed\n  tree/sglang/srt/models/marks.py:25: warning FC210 " in out
        assert "[comment: called once]" in out
        assert "Findings" not in out

    def test_what_is_suppressed_is_in_the_document(self, capsys: Capture) -> None:
        excuse("# flowcheck: ignore[FC210] called once")
        with pytest.raises(SystemExit):
            cli.main(["tree", "--format", "json"])
        (aside,) = json.loads(capsys.readouterr().out)["set_aside"]
        assert (aside["by"], aside["reason"], aside["finding"]["code"]) == ("comment", "called once", "FC210")

    def test_a_broken_file(self, capsys: Capture) -> None:
        """What stands before the place where it breaks counts; nothing crashes."""
        MARKS.write_text("# flowcheck: ignore[FC902] being rewritten\n\nEntryClass = 1\ndef set_dflash_layers_to_capture(\n", "utf-8")
        assert check(capsys)[0] == ["FC902", "FC903 FC902 finds nothing here that this could suppress"]
        MARKS.write_text("EntryClass = 1\ndef set_dflash_layers_to_capture(  # flowcheck: ignore[FC902] being rewritten\n", "utf-8")
        found, summary, _ = check(capsys)
        assert (found, summary["suppressed"]) == ([], 1)

    def test_of_what_is_not_read_nobody_knows_what_it_would_find(self, capsys: Capture) -> None:
        MARKS.write_text(f"{MARKS.read_text('utf-8')}\nx = 1  # flowcheck: ignore[FC210] called once\ndef broken(\n", "utf-8")
        assert check(capsys)[0] == ["FC902"]

    def test_several_on_a_line(self, capsys: Capture) -> None:
        """Each has a reason of its own."""
        excuse("# flowcheck: ignore[FC208] set once  # flowcheck: ignore[FC210] called once")
        found, summary, _ = check(capsys)
        assert (found, summary["suppressed"]) == (["FC903 FC208 finds nothing here that this could suppress"], 1)
        excuse("# flowcheck: ignore[FC210]  # flowcheck: ignore[FC210] called once")
        assert check(capsys)[1]["suppressed"] == 1


@pytest.mark.usefixtures("tree")
class TestUnused:
    def left_over(self) -> None:
        """A comment where nothing is found."""
        text = MARKS.read_text("utf-8")
        MARKS.write_text(text.replace(STALE, f"{STALE}  # flowcheck: ignore[FC210, FC105, FC208] called once"), "utf-8")
        MARKS.write_text(MARKS.read_text("utf-8").replace("for k in layer_ids:", "for k in ():"), "utf-8")

    def test_it_is_told_of_what_needs_no_draft(self, capsys: Capture) -> None:
        self.left_over()
        found, _, status = check(capsys)
        unused = "finds nothing here that this could suppress"
        assert [each for each in found if "FC903" in each] == [f"FC903 FC208 {unused}", f"FC903 FC210 {unused}"]
        assert status == 0 or "FC211" in found

    @pytest.mark.parametrize(
        "options",
        [["--ignore", "FC210,FC208"], ["--select", "FC901,FC903"], ["--model", "OnTheLineForCausalLM"], ["--flow", "dflash"]],
    )
    def test_it_is_not_told_where_it_may_be_of_use(self, capsys: Capture, options: list[str]) -> None:
        self.left_over()
        assert not any("FC903" in each for each in check(capsys, *options)[0])

    def test_a_suppression_of_the_suppression(self, capsys: Capture) -> None:
        self.left_over()
        MARKS.write_text(MARKS.read_text("utf-8").replace("FC105, FC208]", "FC903]"), "utf-8")
        assert not any("FC903" in each for each in check(capsys)[0])


class TestConsequences:
    """The entry stands elsewhere, so that a default is in effect: FC105 is told in FC201."""

    @pytest.fixture
    def case(self, here: Path) -> Path:
        shutil.copytree(FIXTURES / "except-hides-a-key", here / "case")
        return here / "case"

    def given(self, case: Path) -> list[str]:
        configs = ["--draft", str(case / "configs/at_the_top.json"), "--target", str(case / "configs/target.json")]
        return [*configs, "--train", str(case / "tree/draft_training")]

    def found(self, case: Path, capsys: Capture) -> list[tuple[str, str, list[str]]]:
        """The loud findings with how bad they are and their consequences."""
        with pytest.raises(SystemExit):
            cli.main([str(case / "tree"), *self.given(case), "--format", "json"])
        found = [each for each in json.loads(capsys.readouterr().out)["findings"] if each["severity"] != "info"]
        return [(each["code"], each["severity"], [inner["code"] for inner in each["consequences"]]) for each in found]

    def comment(self, file: Path, code: str, text: str) -> None:
        lines = file.read_text("utf-8").splitlines()
        place = next(number for number, one in enumerate(lines) if text in one)
        lines[place] = f"{lines[place].split('  #')[0]}  # flowcheck: ignore[{code}] known"
        file.write_text("\n".join(lines) + "\n", "utf-8")

    def test_they_go_with_what_is_suppressed(self, case: Path, capsys: Capture) -> None:
        assert self.found(case, capsys) == [("FC201", "error", ["FC105"]), ("FC202", "warning", [])]
        self.comment(case / RUNNER, "FC201", 'eagle_config["eagle_aux')
        assert self.found(case, capsys) == [("FC202", "warning", [])]

    def test_without_them_a_finding_is_as_bad_as_it_is_by_itself(self, case: Path, capsys: Capture) -> None:
        self.comment(case / RUNNER, "FC105", 'eagle_config["eagle_aux')
        assert self.found(case, capsys) == [("FC201", "warning", []), ("FC202", "warning", [])]

    def test_in_a_trainer(self, case: Path, capsys: Capture) -> None:
        """The place of the FC101 inside the FC105."""
        self.comment(case / "tree/draft_training/features.py", "FC101", "register_forward_hook")
        with pytest.raises(SystemExit):
            cli.main([str(case / "tree"), *self.given(case), "--format", "json"])
        (aside,) = json.loads(capsys.readouterr().out)["set_aside"]
        assert aside["finding"]["code"] == "FC101"


class TestReading:
    def read(self, text: str) -> list[tuple[int, tuple[int, ...], tuple[str, ...], str]]:
        return [(each.at.line, each.lines, each.rules, each.reason) for each in read_suppressions(text.encode(), "a.py")]

    def test_a_text_is_no_comment(self) -> None:
        assert self.read('x = "# flowcheck: ignore[FC210] no"\ny = """\n# flowcheck: ignore[FC210] no\n"""\n') == []

    def test_other_words_are_none(self) -> None:
        assert self.read("# flowcheck: ignored[FC210] no\n# flowcheck: off\n# see flowcheck: it ignores this\n") == []

    def test_above_decorators(self) -> None:
        text = "# flowcheck: ignore[FC210] why\n@one(\n    1,\n)\n@two\ndef f():\n    pass\n"
        assert self.read(text) == [(1, (1, 2, 5, 6), ("FC210",), "why")]

    def test_in_a_call(self) -> None:
        assert self.read("f(\n    # flowcheck: ignore[FC210] why\n    a,\n)\n") == [(2, (2, 3), ("FC210",), "why")]

    def test_at_the_end(self) -> None:
        assert self.read("x = 1\n# flowcheck: ignore[FC210] why") == [(2, (2,), ("FC210",), "why")]

    @pytest.mark.parametrize(
        "content",
        [
            b"# flowcheck: ignore[FC1] \xff\n",
            b"# coding: nothing\n# flowcheck: ignore[FC1] a\n",
            b"x = '''\n# flowcheck: ignore\n",
            b"\0flowcheck:",
        ],
    )
    def test_what_cannot_be_read_has_none(self, content: bytes) -> None:
        assert read_suppressions(content, "a.py") == ()

    def test_line_ends_count_as_pythons(self) -> None:
        assert self.read("x = 1\r\ny = '\x0c'\rz = 1  # flowcheck: ignore[FC210] why\n") == [(3, (3,), ("FC210",), "why")]
