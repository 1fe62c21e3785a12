"""The JSON documents hold what the design says, and their schemas hold them."""
from __future__ import annotations

import json
from dataclasses import replace

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from results_examples import OPEN_SIDE, analysis, comparison, depending, evaluation, raising, unknown_wiring, unproved, wiring

from flowcheck.analyzer.json_report import Object, dumps, report_document, schema, wiring_document
from flowcheck.analyzer.results import Analysis, Evaluation, Location, NotEstablished
from flowcheck.analyzer.rule import Finding, Hop, Severity, judge
from flowcheck.rules import RULES

PLACE = Location("engine/llama.py", 12)
KEY_ERROR = "KeyError: 'x' (engine/llama.py:50)"
EVERYTHING = analysis(
    wiring(),
    wiring("Mixed", evaluated=(depending((1,), "ready", ("out:1",), KEY_ERROR), unproved(None, "unknown", PLACE))),
    unknown_wiring(),
    not_established=(NotEstablished("file", "invalid syntax", Location("engine/x.py", 3)),),
    comparisons=(comparison(), comparison(trained=None), comparison(trained=OPEN_SIDE), replace(comparison(), suggested=(1, 2))),
)


def rendered(document: Object, name: str) -> dict[str, object]:
    """The document after a round through text, held against its schema."""
    loaded: dict[str, object] = json.loads(dumps(document))
    jsonschema.validate(loaded, schema(name))
    return loaded


@pytest.mark.parametrize("found", [analysis(), analysis(wiring()), EVERYTHING], ids=["nothing", "one", "everything"])
def test_documents_fit_their_schemas(found: Analysis) -> None:
    assert rendered(wiring_document(found), "wiring-1")["schema"] == "flowcheck.wiring/1"
    assert rendered(report_document(found, judge(found, RULES)), "report-1")["schema"] == "flowcheck.report/1"


@pytest.mark.parametrize("name", ["wiring-1", "report-1"])
def test_schemas_are_valid_and_closed(name: str) -> None:
    shipped = schema(name)
    jsonschema.Draft202012Validator.check_schema(shipped)
    with pytest.raises(jsonschema.ValidationError, match="surprise"):
        jsonschema.validate({**wiring_document(analysis()), "surprise": 1}, shipped)


def test_a_comparison_holds_both_sides() -> None:
    document = rendered(report_document(analysis(wiring(), comparisons=(comparison(trained=OPEN_SIDE),)), ()), "report-1")
    (row,) = document["comparisons"]  # type: ignore[misc]
    assert (row["model"], row["hidden_size"], row["suggested_ids"]) == ("LlamaForCausalLM", 16, None)
    assert (row["served"]["captured"], row["served"]["ids"], row["served"]["line"]) == (["out:0", "out:2"], [0, 2], 7)
    assert (row["trained"]["captured"], row["trained"]["file"]) == (None, None)
    assert row["trained"]["reason"] == "no model that is known (trainer/features.py:3)"


def test_the_legend_has_what_the_sides_assume() -> None:
    document = rendered(report_document(analysis(comparisons=(comparison(),)), ()), "report-1")
    assert [row["name"] for row in document["assumptions"]] == ["recorded-files", "single-rank"]  # type: ignore[union-attr, index]


def answer(row: dict[str, object]) -> dict[str, object]:
    """The fields of an evaluation that hold its answer."""
    return {name: row[name] for name in ("ids", "captured", "error", "status", "reason", "depends_on")}


def evaluated(*rows: Evaluation) -> list[dict[str, object]]:
    """The rows as the document gives them."""
    found = analysis(wiring(evaluated=rows))
    document = json.loads(dumps(wiring_document(found)))
    listed: list[dict[str, object]] = document["wirings"][0]["evaluated"]
    return listed


def test_the_default_has_no_ids() -> None:
    (row,) = evaluated(evaluation(None, "out:0", "out:1"))
    assert answer(row) == {
        "ids": None, "captured": ["out:0", "out:1"], "error": None, "status": "established", "reason": None, "depends_on": [],
    }  # fmt: skip


def test_an_exception_leaves_nothing_captured() -> None:
    (row,) = evaluated(raising((-1,), "TypeError: hidden + None (engine/llama.py:41)"))
    assert row["captured"] is None
    assert row["error"] == "TypeError: hidden + None (engine/llama.py:41)"
    assert row["status"] == "established"


def test_an_answer_that_depends_holds_both_results() -> None:
    (row,) = evaluated(depending((1,), "ready", ("out:1",), KEY_ERROR))
    condition = {"text": "ready", "file": "engine/llama.py", "line": 33}
    assert row["captured"] is None
    assert row["depends_on"] == [
        {"conditions": [{**condition, "value": True}], "captured": ["out:1"], "error": None, "reason": None},
        {"conditions": [{**condition, "value": False}], "captured": None, "error": KEY_ERROR, "reason": None},
    ]


def test_a_reason_carries_its_place() -> None:
    (row,) = evaluated(unproved((1,), "unknown", PLACE))
    assert (row["status"], row["reason"], row["captured"]) == ("not established", "unknown (engine/llama.py:12)", None)


def test_only_established_points_are_given_as_captured() -> None:
    (row,) = evaluated(replace(evaluation((1,), "out:1"), status="not established", reason="perhaps"))
    assert row["captured"] is None


def test_a_derivation_is_given_hop_by_hop() -> None:
    (row,) = evaluated(evaluation((0, 2), "out:0", "out:2"))
    assert row["path"] == [{"label": "+ 1", "before": "[0, 2]", "after": "[1, 3]", "file": "engine/llama.py", "line": 70}]


def test_a_wiring_names_its_places_and_assumptions() -> None:
    document = json.loads(dumps(wiring_document(analysis(wiring(), wiring("Other")))))
    first = document["wirings"][0]
    assert (first["file"], first["line"], first["setter"]) == ("engine/llama.py", 70, "set_layers")
    assert first["forward"] == {"class": "LlamaModel", "file": "engine/llama.py", "line": 30}
    assert first["convention"][1] == {"when": "id k", "captures": "out:k"}
    assert first["assumptions"] == ["single-rank"]
    assert document["assumptions"] == [{"name": "single-rank", "text": "One rank holds every layer."}]


def test_a_finding_holds_its_consequences() -> None:
    symptom = Finding("FC101", "captured-point-mismatch", Severity.ERROR, "differs", PLACE, expected="out:2", actual="out:1")
    hops = (Hop("call", PLACE),)
    cause = Finding("FC208", "reset-by-later-call", Severity.WARNING, "set again", PLACE, 5, path=hops, consequences=(symptom,))
    document = rendered(report_document(analysis(wiring()), (cause,)), "report-1")
    (found,) = json.loads(json.dumps(document["findings"]))
    assert (found["severity"], found["column"], found["path"]) == ("warning", 5, [{"file": "engine/llama.py", "line": 12, "label": "call"}])
    assert [(inner["code"], inner["expected"], inner["actual"]) for inner in found["consequences"]] == [("FC101", "out:2", "out:1")]


def test_the_summary_counts() -> None:
    document = rendered(report_document(EVERYTHING, judge(EVERYTHING, RULES)), "report-1")
    assert document["summary"] == {
        "wirings": 3, "established": 2, "depends": 0, "not_established": 1, "error": 0, "warning": 1, "info": 4,
        "suppressed": 0, "ignored_by_path": 0, "in_baseline": 0, "gone_from_baseline": 0,
    }  # fmt: skip


def test_the_text_is_ascii_so_that_no_name_drives_a_terminal() -> None:
    text = dumps(wiring_document(analysis(wiring("E\x1b[31m\u202e\x9b\udcff"))))
    assert text.isascii()
    assert "\x1b" not in text
