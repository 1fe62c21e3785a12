"""The rules about one draft against each other (one defect, one finding), and runs over several drafts and sources."""
from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from test_comparison import TARGET, TREE
from trained import HEAD, HOOKS, changed

from flowcheck.analyzer import cli
from flowcheck.analyzer.agreement import difference, verdict
from flowcheck.analyzer.drafts import find_drafts
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.json_report import schema
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis, Comparison, Location, Side
from flowcheck.analyzer.rule import Finding, Severity, judge
from flowcheck.analyzer.weights import WEIGHTS
from flowcheck.rules import RULES

KEY = "eagle_aux_hidden_state_layer_ids"


def draft(folder: Path, name: str, config: dict[str, object], columns: int | None = None) -> str:
    """A checkpoint: its config, and weights with as many columns."""
    home = folder / name
    home.mkdir(parents=True)
    (home / "config.json").write_text(json.dumps(config, indent=1))
    if columns is not None:
        header = json.dumps({"fc.weight": {"dtype": "F32", "shape": [16, columns], "data_offsets": [0, 64 * columns]}}).encode()
        (home / WEIGHTS).write_bytes(struct.pack("<Q", len(header)) + header)
    return name


def nested(*ids: int) -> dict[str, object]:
    return {"architectures": ["LlamaDraft"], "hidden_size": 16, "eagle_config": {KEY: list(ids)}}


def check(folder: Path, *drafts: str, trainer: str | None = HOOKS) -> Analysis:
    (folder / "target.json").write_text(json.dumps(TARGET))
    if trainer is not None:
        (folder / "trainer").mkdir(exist_ok=True)
        (folder / "trainer/features.py").write_text(trainer)
    train = None if trainer is None else "trainer"
    return analyze(Request(str(TREE), target="target.json", draft=drafts[0], train=train, more_drafts=drafts[1:]))


def loud(found: Analysis) -> list[Finding]:
    return [finding for finding in judge(found, RULES) if finding.severity > Severity.INFO]


def codes(finding: Finding) -> tuple[str, ...]:
    return (finding.code, *(each.code for each in finding.consequences))


# --------------------------------------------------------------------- stages

LAST = HEAD + """
def features(path, input_ids):
    model = AutoModelForCausalLM.from_pretrained(path)
    states = model(input_ids, output_hidden_states=True).hidden_states
    return torch.cat([states[2], states[4], states[-1]], dim=-1)
"""


def test_the_final_norm_is_a_stage_of_the_last_layer(here: Path) -> None:
    (finding,) = loud(check(here, draft(here, "d", nested(1, 3, 7)), trainer=LAST))
    assert (codes(finding), finding.severity) == (("FC103",), Severity.ERROR)
    assert (finding.actual, finding.expected) == ("out:1, out:3, out:7", "out:1, out:3, final")
    assert finding.at.file.endswith("deepseek_like.py"), "the ids are right: it is reported where the engine takes the state"
    assert "trainer/features.py" in finding.message and finding.help is None


def test_another_layer_is_no_stage(here: Path) -> None:
    (finding,) = loud(check(here, draft(here, "d", nested(1, 3, 6)), trainer=LAST))
    assert codes(finding) == ("FC101",)


def side(*points: str) -> Side:
    return Side(points, None, "established", None, None, Location("x.py", 1))


@pytest.mark.parametrize(
    ("served", "trained", "expected"),
    [
        (("out:1", "out:7"), ("out:1", "final"), "stage"),
        (("out:1", "out:6"), ("out:1", "final"), "point"),
        (("out:1/normed", "out:2"), ("out:1", "out:2"), "stage"),
        (("out:1/normed", "out:2"), ("out:2", "out:1"), "point"),
        (("embed", "out:2/unreduced"), ("embed", "out:2/before-injection"), "stage"),
        (("out:2", "out:1"), ("out:1", "out:2"), "order"),
        (("out:1",), ("out:1", "out:2"), "point"),
        (("out:1/scaled",), ("out:1",), None),
        (("final",), ("out:7/normed",), None),
        (("out:1",), ("out:1",), None),
    ],
)
def test_differences(served: tuple[str, ...], trained: tuple[str, ...], expected: str | None) -> None:
    assert difference(Comparison("eagle3", "M", side(*served), side(*trained), num_layers=8)) == expected


def test_without_a_layer_count_the_final_norm_is_of_no_layer() -> None:
    assert difference(Comparison("eagle3", "M", side("out:7"), side("final"))) == "point"


# --------------------------------------------------------------------- widths


def test_weights_that_take_another_number_of_points(here: Path) -> None:
    (finding,) = loud(check(here, draft(here, "d", nested(1, 3, 5), 64), trainer=None))
    assert (finding.code, finding.severity, finding.at) == ("FC104", Severity.ERROR, Location(f"d/{WEIGHTS}", 1))
    assert (finding.expected, finding.actual, finding.help) == ("64", "48", "fc takes 4 points of this target")
    assert "fc.weight of shape [16, 64]" in finding.message and "3 x 16 = 48: out:1, out:3, out:5" in finding.message


def test_weights_that_fit_say_nothing(here: Path) -> None:
    assert loud(check(here, draft(here, "d", nested(1, 3, 5), 48))) == []


def test_weights_that_the_trainer_at_hand_has_not_made(here: Path) -> None:
    """Served as many points as the weights count, and other than trained: the number that was trained is another one."""
    trainer = changed(HOOKS, ("(1, 3, 5)", "(1, 3)"))
    (finding,) = loud(check(here, draft(here, "d", nested(1, 3, 5), 48), trainer=trainer))
    assert codes(finding) == ("FC101", "FC104")
    assert finding.consequences[0].message.startswith("fc takes 48 features")
    assert "trained are 2 x 16 = 32: out:1, out:3" in finding.consequences[0].message


def test_a_point_that_is_never_reached_is_too_few(here: Path) -> None:
    """Two ids fall together or are not met: the constructor counts three."""
    (finding,) = loud(check(here, draft(here, "d", nested(1, 3, 8)), trainer=None))
    assert (finding.code, finding.expected, finding.actual) == ("FC301", "3 states", "out:1, out:3")
    (width,) = finding.consequences
    assert (width.code, width.expected, width.actual) == ("FC104", "48", "32")
    assert width.at.file.endswith("llama_draft.py")


def test_a_projection_that_is_not_told_is_a_note(here: Path) -> None:
    name = draft(here, "d", nested(1, 3, 5), 48)
    data = (here / name / WEIGHTS).read_bytes()
    (here / name / WEIGHTS).write_bytes(data.replace(b"fc.weight", b"xc.weight"))
    found = check(here, name)
    assert loud(found) == []
    assert any("no tensor is called so" in entry.reason for entry in found.not_established)


# ------------------------------------------------------------------- defaults


def test_a_default_that_is_not_what_was_trained(here: Path) -> None:
    top = {"architectures": ["LlamaDraft"], "hidden_size": 16, KEY: [1, 3, 5]}
    (finding,) = loud(check(here, draft(here, "d", top)))
    assert (codes(finding), finding.severity) == (("FC105", "FC101"), Severity.ERROR)
    assert (finding.actual, finding.expected) == ("out:1, out:3, out:4", "out:1, out:3, out:5")
    assert f"{KEY} = [1, 3, 5] at d/config.json:6 does not reach the setter" in finding.message
    assert finding.help is not None and finding.help.startswith(f"ids [1, 3, 5] under {KEY}, where ")
    assert finding.path[0].at == Location("d/config.json", 6)


def test_a_default_that_is_what_was_trained(here: Path) -> None:
    trainer = changed(HOOKS, ("(1, 3, 5)", "(1, 3, 4)"))
    found = check(here, draft(here, "d", {"architectures": ["LlamaDraft"], "hidden_size": 16}), trainer=trainer)
    assert [each for each in judge(found, RULES) if each.code == "FC105"] == []
    assert [verdict(each) for each in found.comparisons] == ["same"]


def test_a_default_and_no_training_side(here: Path) -> None:
    found = check(here, draft(here, "d", {"hidden_size": 16}), trainer=None)
    (finding,) = (each for each in judge(found, RULES) if each.code == "FC105")
    assert finding.severity == Severity.INFO
    assert finding.message.endswith("the right list is not decidable without the training side")
    assert [verdict(each) for each in found.comparisons] == ["undecidable"]


# ------------------------------------------------------- several of everything


def test_which_drafts_are_named(here: Path) -> None:
    for name in ("all/b", "all/a"):
        draft(here, name, nested(1))
    (here / "all/c.json").write_text("{}")
    (here / "all/model.safetensors.index.json").write_text("{}")
    (here / "all/.d.json").write_text("{}")
    (here / "all/e").mkdir()
    assert find_drafts(["all"]) == ("all/a", "all/b", "all/c.json")
    assert find_drafts(["all/a", "all", "x.json"]) == ("all/a", "all/b", "all/c.json", "x.json")
    with pytest.raises(BadInput, match="no drafts in it"):
        find_drafts(["all/e"])


def test_each_draft_has_a_verdict(here: Path) -> None:
    drafts = {
        "same": (nested(1, 3, 5), None), "other": (nested(1, 3, 6), None), "short": (nested(1, 3), None),
        "default": ({"hidden_size": 16}, None), "width": (nested(1, 3, 5), 32),
    }  # fmt: skip
    for name, (config, columns) in drafts.items():
        draft(here / "all", name, config, columns)
    found = check(here, "all")
    assert {each.draft: verdict(each) for each in found.comparisons} == {
        "all/default/config.json": "other", "all/other/config.json": "other", "all/same/config.json": "same",
        "all/short/config.json": "other", "all/width/config.json": "width",
    }  # fmt: skip
    told = {(each.draft, codes(each)) for each in loud(found)}
    assert told == {
        ("all/default/config.json", ("FC105", "FC101")), ("all/other/config.json", ("FC101",)), ("all/short/config.json", ("FC101",)),
        ("all/width/config.json", ("FC104",)),
    }  # fmt: skip


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


Capture = pytest.CaptureFixture[str]


def test_a_table_of_drafts(here: Path, capsys: Capture) -> None:
    check(here, draft(here / "all", "a", nested(1, 3, 5)) and "all/a", trainer=HOOKS)
    draft(here / "all", "b", {"hidden_size": 16})
    options = ("--target", "target.json", "--train", "trainer")
    assert run(str(TREE), "--draft", "all/a", "--draft", "all/b", *options) == 1
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines() if line.startswith("all/")]
    assert [(row[0], row[-1]) for row in rows] == [("all/a/config.json", "same"), ("all/b/config.json", "other")]
    assert "out:1, out:3, out:4 (default)" in out
    assert run(str(TREE), "--draft", "all", *options, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    verdicts = {each["draft"]: each["verdict"] for each in document["comparisons"]}
    assert verdicts == {"all/a/config.json": "same", "all/b/config.json": "other"}
    assert document["comparisons"][1]["default"]["key"] == KEY
    assert [each["draft"] for each in document["findings"] if each["severity"] != "info"] == ["all/b/config.json"]


def test_a_row_for_each_source(here: Path, capsys: Capture) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    check(here, draft(here, "d", nested(1, 3, 5)))
    changed_tree = here / "later"
    for path in TREE.rglob("*.py"):
        copy = changed_tree / path.relative_to(TREE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text("utf-8").replace("[layer_id + 1 for", "[layer_id for"), "utf-8")
    options = ("--draft", "d", "--target", "target.json", "--train", "trainer")
    assert run(str(TREE), "later", *options) == 1
    out = capsys.readouterr().out
    rows = [line for line in out.splitlines() if line.endswith((" same", " other"))]
    assert [row.rsplit(maxsplit=1)[1] for row in rows] == ["same", "other"]
    assert rows[0].split()[0].endswith("tree") and rows[1].split()[0] == "later"
    assert out.count(" FC101 ") == 1
    assert run(str(TREE), "later", *options, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("report-1"))
    assert set(document) == {"schema", "reports"} and document["schema"] == "flowcheck.report/1"
    assert [report["comparisons"][0]["verdict"] for report in document["reports"]] == ["same", "other"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "surprise": 1}, schema("report-1"))


def test_several_sources_without_a_draft(capsys: Capture) -> None:
    assert run(str(TREE), str(TREE), "--layers", "8", "--ignore", "FC202", "--quiet") == 0
    assert capsys.readouterr().out == ""
    assert run(str(TREE), str(TREE), "--layers", "8", "--ignore", "FC202") == 0
    assert capsys.readouterr().out.count("behaviour 1") == 2


def test_without_a_training_side_nothing_is_called_wrong(here: Path, capsys: Capture) -> None:
    check(here, draft(here, "d", nested(1, 3, 5)), trainer=None)
    assert run(str(TREE), "--draft", "d", "--target", "target.json") == 0
    out = capsys.readouterr().out
    assert "(ids 1,3,5, d/config.json:7)" in out
    assert "not known, so that the right list is not decidable" in out
