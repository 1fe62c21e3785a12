"""What ``flowcheck contract`` says: the text that a person reads, and the document."""
from __future__ import annotations

import json
from dataclasses import replace

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from contract_examples import (
    ENGINE,
    EXPORT,
    LAYERS,
    LISTED,
    SELECTION,
    SOURCE,
    contract,
    dropping,
    open_row,
    raising_row,
    recorded,
    row,
    training,
    unknown_training,
)
from results_examples import depending

from flowcheck.analyzer.contract_json import contract_document, file_text
from flowcheck.analyzer.contract_report import contract_report
from flowcheck.analyzer.json_report import dumps, schema
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.results import Clause, ContractAnalysis, Location, NotEstablished, TrainedList, Training
from flowcheck.analyzer.text import paint

PLAIN, QUIET, VERBOSE = Detail(), Detail(quiet=True), Detail(verbose=True)
WHOLE = replace(training(), sources=(SOURCE,), exports=(EXPORT,), engine=replace(ENGINE, setter="set_layers"))
EVERY_ID = (row(None, "out:1", "out:15", "out:28"), *(row((k,), f"out:{k}") for k in range(LAYERS - 1)))


def told(*trainings: Training, by_ids: bool = True, detail: Detail = PLAIN) -> str:
    return paint(contract_report(contract(*trainings), by_ids, detail), False)


def shown(text: str, label: str) -> list[str]:
    """The texts behind a label, the lines that continue it included."""
    lines = text.splitlines()
    start = next(number for number, one in enumerate(lines) if one.startswith(f"  {label} "))
    rest = [one.strip() for one in lines[start + 1 :]]
    count = next((number for number, one in enumerate(lines[start + 1 :]) if not one.startswith(" " * 17)), len(rest))
    return [lines[start].removeprefix(f"  {label}").strip(), *rest[:count]]


class TestText:
    def test_one_list_of_ids(self) -> None:
        assert told(WHOLE) == """\
trainer 0.1.0 in .: 9 files, 4 read
1 selection for a target of 32 layers, hidden size 4096: 1 established

eagle3  OnlineModel.prepare  trainer/model.py:88
  convention     id k trains out:k
  order          as the ids
  ids 2,15,28    out:2, out:15, out:28
  ids from       command line --layer-ids, default [1, 15, 28] (trainer/train.py:12)
  exports        eagle_aux_hidden_state_layer_ids: id + 1 (trainer/export.py:40)
  engine         sglang 0.5.9, asked for at trainer/pyproject.toml:7; set_layers of LlamaForCausalLM, read in sglang 0.5.9
  assumes        transformers-model, samples

Assumptions used
  samples             All samples are treated alike.
  transformers-model  What transformers loads is the frozen target.
"""

    def test_little_is_said_where_little_is_wanted(self) -> None:
        assert told(training(), detail=QUIET) == """\

eagle3  OnlineModel.prepare  trainer/model.py:88
  convention     id k trains out:k
  order          as the ids
  ids 2,15,28    out:2, out:15, out:28
"""

    def test_what_is_recorded_and_does_not_reach_fc(self) -> None:
        text = told(training(dropping((2, 31), ("out:2", "out:31"), "out:2")))
        assert shown(text, "ids 2,31") == ["out:2, out:31", "not in fc: out:31"]

    def test_fc_in_another_order(self) -> None:
        text = told(training(dropping((2, 1), ("out:2", "out:1"), "out:1", "out:2")))
        assert shown(text, "ids 2,1") == ["out:2, out:1", "fc gets out:1, out:2"]

    def test_recorded_for_certain_and_fed_perhaps(self) -> None:
        text = told(training(TrainedList(recorded((3,), "out:3"), None, "torch.roll may change it", SELECTION)))
        assert shown(text, "ids 3") == [
            "out:3",
            "not established: what of this reaches fc: torch.roll may change it (trainer/model.py:88)",
        ]

    def test_a_list_at_which_the_trainer_raises(self) -> None:
        text = told(training(raising_row((99,), "IndexError: list index out of range (trainer/model.py:88)")))
        assert shown(text, "ids 99") == ["raises IndexError: list index out of range (trainer/model.py:88)"]

    def test_an_answer_that_depends(self) -> None:
        hanging = TrainedList(depending((1,), "norm", ("out:1",), "KeyError: 1 (trainer/a.py:4)"), None, "it depends on norm")
        text = told(replace(training(hanging), status="depends", reason="it depends on norm"))
        assert shown(text, "status") == ["depends: it depends on norm"]
        assert shown(text, "ids 1")[0] == "depends: out:1 where `norm` is true (engine/llama.py:33)"

    def test_a_reason_is_given_once(self) -> None:
        text = told(unknown_training("make_blocks is not in the tree"))
        assert text.count("not established: make_blocks is not in the tree (trainer/model.py:88)") == 1
        assert "order" not in text
        assert told(replace(unknown_training("no layers"), evaluated=())).count("not established: no layers (trainer/model.py:88)") == 1

    def test_a_run_over_every_id_tells_the_convention_the_default_and_what_differs(self) -> None:
        text = told(training(*EVERY_ID, dropping((31,), ("out:31",))), by_ids=False)
        assert shown(text, "default") == ["out:1, out:15, out:28"]
        assert shown(text, "ids 31") == ["out:31", "not in fc: out:31"]
        assert "ids 5" not in text
        assert "ids 5 " in told(training(*EVERY_ID), by_ids=False, detail=VERBOSE)

    def test_an_end_to_what_differs(self) -> None:
        text = told(training(*(dropping((k,), (f"out:{k}",)) for k in range(20))), by_ids=False)
        assert "and 8 more id lists; --verbose shows all" in text

    def test_an_open_answer_is_never_hidden_behind_a_convention(self) -> None:
        text = told(training(*EVERY_ID, open_row((31,), "the last layer is not known")), by_ids=False)
        assert shown(text, "ids 31") == ["not established: the last layer is not known (trainer/model.py:88)"]

    def test_clauses(self) -> None:
        text = told(replace(training(), convention=(Clause("id -1", "raises IndexError"), Clause("id k", "out:k-1"))))
        assert shown(text, "convention") == ["id -1 raises IndexError", "id k trains out:k-1"]

    def test_an_engine_that_was_not_read(self) -> None:
        text = told(replace(unknown_training("its engine is needed"), engine=replace(ENGINE, version=None, model=None, pinned=None)))
        (engine,) = shown(text, "engine")
        assert engine == "sglang, of any version; set_eagle3_layers_to_capture: what that captures stands in the engine (--engine, --model)"

    def test_the_derivation(self) -> None:
        assert "[2, 15, 28] --(hidden_states[k + 1], trainer/model.py:88)--> out:2, out:15, out:28" in told(WHOLE, detail=VERBOSE)

    def test_nothing_is_selected(self) -> None:
        gap = NotEstablished("selections", "no function asks for hidden states", Location("trainer", 1))
        text = paint(contract_report(contract(not_established=(gap,)), True, PLAIN), False)
        assert "0 selections for a target of 32 layers, hidden size 4096: nothing\n" in text
        assert text.endswith("Not established\n  trainer:1: selections: no function asks for hidden states\n")

    def test_no_name_drives_the_terminal(self) -> None:
        text = told(replace(WHOLE, symbol="\x1b[31mf\u202e", sources=(replace(SOURCE, text="a\nb"),)))
        assert "\\x1b[31mf\\u202e" in text
        assert "command line a\\nb" in text


EVERYTHING = contract(
    WHOLE, unknown_training(), training(*EVERY_ID, dropping((31,), ("out:31",)), raising_row((99,), "IndexError: (a.py:1)")),
    replace(training(TrainedList(depending((1,), "norm", ("out:1",), "KeyError: 1 (a.py:4)"), None)), order="layers"),
    not_established=(NotEstablished("file", "invalid syntax", Location("trainer/x.py", 3)),),
)  # fmt: skip


class TestDocument:
    @pytest.mark.parametrize("found", [contract(), contract(WHOLE, hidden_size=None), EVERYTHING], ids=["nothing", "one", "everything"])
    def test_it_fits_its_schema(self, found: ContractAnalysis) -> None:
        jsonschema.validate(json.loads(dumps(contract_document(found))), schema("contract-1"))
        jsonschema.validate(json.loads(file_text(found)), schema("contract-1"))

    def test_the_schema_is_valid_and_closed(self) -> None:
        jsonschema.Draft202012Validator.check_schema(schema("contract-1"))
        with pytest.raises(jsonschema.ValidationError, match="surprise"):
            jsonschema.validate({**contract_document(contract()), "surprise": 1}, schema("contract-1"))

    def test_a_selection(self) -> None:
        document = json.loads(dumps(contract_document(contract(WHOLE))))
        assert (document["schema"], document["num_layers"], document["hidden_size"]) == ("flowcheck.contract/1", 32, 4096)
        (found,) = document["trainings"]
        assert (found["flow"], found["symbol"], found["file"], found["line"]) == ("eagle3", "OnlineModel.prepare", "trainer/model.py", 88)
        assert (found["order"], found["status"], found["reason"]) == ("ids", "established", None)
        assert found["sources"] == [
            {"kind": "command line", "text": "--layer-ids", "file": "trainer/train.py", "line": 12, "default": "[1, 15, 28]"},
        ]
        assert found["exports"] == [{"key": EXPORT.key, "mapping": "id + 1", "file": "trainer/export.py", "line": 40}]
        assert found["engine"] == {
            "name": "sglang", "setter": "set_layers", "pinned": "0.5.9", "file": "trainer/pyproject.toml", "line": 7,
            "version": "0.5.9", "model": "LlamaForCausalLM",
        }  # fmt: skip

    def test_what_is_recorded_is_one_thing_and_what_reaches_fc_another(self) -> None:
        document = json.loads(dumps(contract_document(contract(training(dropping((2, 31), ("out:2", "out:31"), "out:2"))))))
        (found,) = document["trainings"][0]["evaluated"]
        assert (found["captured"], found["fc"], found["fc_reason"]) == (["out:2", "out:31"], ["out:2"], None)

    def test_why_fc_is_open(self) -> None:
        unfed = TrainedList(recorded((3,), "out:3"), None, "who knows", SELECTION)
        document = json.loads(dumps(contract_document(contract(training(unfed)))))
        (found,) = document["trainings"][0]["evaluated"]
        assert (found["captured"], found["fc"], found["fc_reason"]) == (["out:3"], None, "who knows (trainer/model.py:88)")

    def test_fc_is_given_only_where_what_is_recorded_is_proved(self) -> None:
        rows = (
            replace(LISTED, evaluation=replace(LISTED.evaluation, status="not established", reason="perhaps")),
            replace(LISTED, evaluation=replace(LISTED.evaluation, captured=None, error="KeyError: 1 (a.py:3)")),
        )
        document = json.loads(dumps(contract_document(contract(training(*rows)))))
        assert [found["fc"] for found in document["trainings"][0]["evaluated"]] == [None, None]
