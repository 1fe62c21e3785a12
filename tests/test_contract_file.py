"""The contract that a trainer ships with a draft: written by ``flowcheck contract -o``, read by ``flowcheck check --train``."""
from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from contract_examples import (
    ELSEWHERE,
    ENGINE,
    EXPORT,
    LAYERS,
    LISTED,
    LOADED,
    SAMPLES,
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
from hypothesis import given
from hypothesis import strategies as st

from flowcheck.analyzer.contract_file import BELIEVED, contract_side, is_contract, read_contract_file, read_contract_text
from flowcheck.analyzer.contract_json import contract_document, file_text
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.json_report import dumps
from flowcheck.analyzer.results import Location, Side, TrainedList, Training

Json = dict[str, "object"]


def read(*trainings: Training, flow: str = "eagle3", layers: int | None = LAYERS, hidden_size: int | None = 4096) -> Side:
    """What a contract with these selections says for a target."""
    return contract_side(read_contract_text(file_text(contract(*trainings)), "draft/contract.json"), flow, layers, hidden_size)


def reason(side: Side) -> str:
    assert (side.points, side.ids) == (None, None)
    assert side.status != "established"
    return side.reason or ""


class TestRoundTrip:
    def test_what_was_trained_comes_back(self) -> None:
        side = read(training())
        assert (side.points, side.ids, side.status, side.reason) == (("out:2", "out:15", "out:28"), (2, 15, 28), "established", None)
        assert side.assumptions == (BELIEVED, SAMPLES, LOADED)

    def test_with_its_line_in_the_contract_and_its_place_in_the_trainer(self) -> None:
        text = file_text(contract(training()))
        line = 1 + text.splitlines().index('          "fc": ["out:2", "out:15", "out:28"],')
        side = read(training())
        assert side.at == Location("draft/contract.json", line)
        assert [step.at for step in side.path] == [side.at, SELECTION]
        assert [(step.label, step.before) for step in side.path] == [
            ("the contract", "ids 2,15,28"),
            ("recorded of trainer 0.1.0", "OnlineModel.prepare"),
        ]

    def test_only_what_reaches_fc_counts(self) -> None:
        assert read(training(dropping((2, 31), ("out:2", "out:31"), "out:2"))).points == ("out:2",)

    def test_the_engine_that_the_trainer_was_read_with_is_named(self) -> None:
        side = read(replace(training(), engine=ENGINE))
        assert side.path[-1].label == "recorded of trainer 0.1.0 with sglang 0.5.9"

    def test_what_is_printed_can_be_read_too(self) -> None:
        printed = read_contract_text(dumps(contract_document(contract(training()))), "out.json")
        assert contract_side(printed, "eagle3", LAYERS, None).points == ("out:2", "out:15", "out:28")

    def test_the_default_is_a_list_too(self) -> None:
        side = read(training(row(None, "out:1", "out:15")))
        assert (side.points, side.ids, side.path[0].before) == (("out:1", "out:15"), None, "ids default")

    def test_stages_are_kept(self) -> None:
        points = ("embed", "out:3/no-residual", "final")
        assert read(training(row((0,), *points))).points == points

    @pytest.mark.parametrize("root", ["/home/me/work", "../../me", "..", "."])
    def test_the_file_names_no_folder_of_the_machine(self, root: str) -> None:
        inside = "" if root == "." else f"{root}/"
        here = Location(f"{inside}trainer/model.py", 88)
        found = training(open_row((1,), f"open at {inside}trainer/a.py:3", here), LISTED, at=here)
        sources = (replace(SOURCE, at=Location("/home/me/run.json", 2)), replace(SOURCE, at=Location("../run.json", 2)))
        engine = replace(ENGINE, pinned_at=Location(f"{inside}trainer/pyproject.toml", 7))
        analysis = contract(replace(found, sources=sources, exports=(replace(EXPORT, at=here),), engine=engine))
        text = file_text(replace(analysis, source=replace(analysis.source, root=root)))
        assert "/me" not in text and ".." not in text
        (one,) = json.loads(text)["trainings"]
        assert one["evaluated"][0]["reason"] == "open at trainer/a.py:3 (trainer/model.py:88)"
        assert [each["file"] for each in (one, one["exports"][0], one["engine"])] == [
            "trainer/model.py", "trainer/model.py", "trainer/pyproject.toml",
        ]  # fmt: skip
        assert [each["file"].removeprefix("../") for each in one["sources"]] == ["run.json", "run.json"]
        assert json.loads(text)["source"]["root"] == "."

    def test_it_is_small(self) -> None:
        assert len(file_text(contract(training()))) < 2500
        assert json.loads(file_text(contract(training())))["trainings"][0]["evaluated"][0]["path"] == []


class TestNotEstablished:
    def test_another_number_of_layers(self) -> None:
        assert reason(read(training(), layers=61)) == "the contract is for a target with 32 layers, this one has 61"

    def test_an_unknown_number_of_layers(self) -> None:
        assert reason(read(training(), layers=None)).startswith("how many layers the target has is not known")

    def test_another_hidden_size(self) -> None:
        assert reason(read(training(), hidden_size=7168)) == "the contract is for a target with hidden size 4096, this one has 7168"
        assert read(training(), hidden_size=None).points is not None

    def test_another_flow(self) -> None:
        assert reason(read(training(), flow="dflash")) == "the contract is for eagle3, not for dflash"
        assert reason(read()) == "the contract is for no flow, not for eagle3"

    def test_each_flow_has_its_own(self) -> None:
        both = training(), training(row((5,), "out:5"), flow="dflash")
        assert read(*both).points == ("out:2", "out:15", "out:28")
        assert read(*both, flow="dflash").points == ("out:5",)

    def test_selections_that_agree(self) -> None:
        side = read(training(), training(at=ELSEWHERE))
        assert (side.points, side.ids) == (("out:2", "out:15", "out:28"), (2, 15, 28))
        shifted = training(row((3, 16, 29), "out:2", "out:15", "out:28"))
        assert (read(training(), shifted).points, read(training(), shifted).ids) == (("out:2", "out:15", "out:28"), None)

    def test_selections_that_disagree_are_both_named(self) -> None:
        other = training(row((2, 15, 28), "out:1", "out:14", "out:27"), at=ELSEWHERE)
        assert reason(read(training(), other)) == (
            "the trainer has more than one selection in the contract: out:2, out:15, out:28 (trainer/model.py:88) "
            "and out:1, out:14, out:27 (trainer/other.py:5)"
        )

    def test_one_open_selection_is_an_assumption(self) -> None:
        side = read(training(), unknown_training("who knows"))
        assert side.points == ("out:2", "out:15", "out:28")
        assert "other-selections" in {assumption.name for assumption in side.assumptions}

    @pytest.mark.parametrize(
        ("found", "said"),
        [
            (training(TrainedList(recorded((3,), "out:3"), None, "it may be rolled", ELSEWHERE)), "it may be rolled (trainer/o"),
            (training(TrainedList(recorded((3,), "out:3"), None)), "the contract gives no reason"),
            (training(raising_row((99,), "IndexError: 99 (trainer/model.py:88)")), "the trainer raises IndexError: 99 (trainer/"),
            (training(row((), *())), "nothing reaches fc, the contract says"),
            (replace(training(), status="not established", reason="one way is open"), "one way is open"),
            (replace(training(), evaluated=()), "the contract has no list of ids"),
            (replace(training(), evaluated=(), reason="no layers"), "no layers"),
            (training(row((1,), "out:1"), row((2,), "out:2")), "the contract has 2 lists of ids, and which of them the draft"),
        ],
    )
    def test_why(self, found: Training, said: str) -> None:
        assert reason(read(found)).startswith(said)

    def test_what_depends_stays_so(self) -> None:
        hanging = replace(recorded((1,)), captured=None, status="depends")
        side = read(replace(training(TrainedList(hanging, None)), status="depends"))
        assert (side.status, side.reason) == ("depends", "it depends on a condition of the trainer")


def broken(change: Callable[[Json], object]) -> str:
    """The text of a contract in which something was changed."""
    document: Json = json.loads(file_text(contract(replace(training(), engine=ENGINE))))
    change(document)
    return json.dumps(document, indent=1)


def put(*path: str | int, value: object) -> Callable[[Json], object]:
    def change(document: Json) -> None:
        holder: object = document
        for key in path[:-1]:
            holder = holder[key]  # type: ignore[index]
        holder[path[-1]] = value  # type: ignore[index]

    return change


def drop(*path: str | int) -> Callable[[Json], object]:
    def change(document: Json) -> None:
        holder: object = document
        for key in path[:-1]:
            holder = holder[key]  # type: ignore[index]
        del holder[path[-1]]  # type: ignore[attr-defined]

    return change


TRAINING = ("trainings", 0)
ROW = (*TRAINING, "evaluated", 0)
POINT = "must be a captured point: embed, out:k or final, and out:k/STAGE of a part, not "


class TestBroken:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", ":1:1: a value is missing"),
            ("[]", ":1:1: the contract must be an object, not a list"),
            ("{}", ":1:1: the contract has no 'schema'"),
            ('{"schema": "flowcheck.wiring/1"}', ":1:2: schema must be flowcheck.contract/1, not the text 'flowcheck.wiring/1'"),
            ('{"schema": 1}', ":1:2: schema must be a text, not 1"),
            ('{"schema": "flowcheck.contract/1",\n "schema": ""}', ":2:2: the key 'schema' is there twice, first in line 1"),
            ('{"schema": NaN}', "NaN is not a JSON number"),
            ('{"a":' * 100_000, "nested deeper than 64 levels"),
            (b'{"a": "\xff"}', ":1:8: not UTF-8; save the contract in that encoding"),
            ('{"schema": "' + "x" * 20_000 + '"}', "schema is longer than 10000 characters"),
        ],
    )
    def test_what_is_no_contract(self, text: str | bytes, said: str, here: Path) -> None:
        (here / "contract.json").write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(BadInput) as refused:
            read_contract_file("contract.json")
        assert str(refused.value).startswith("contract.json:")
        assert said in str(refused.value)
        assert len(str(refused.value)) < 300 and str(refused.value).isprintable()

    def test_a_contract_of_another_version(self) -> None:
        with pytest.raises(BadInput) as refused:
            read_contract_text('{\n "schema": "flowcheck.contract/2"}', "c.json")
        assert str(refused.value) == (
            "c.json:2:2: is of schema flowcheck.contract/2; this flowcheck reads flowcheck.contract/1: update flowcheck, or write the "
            "contract again"
        )

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (drop("source"), "the contract has no 'source'"),
            (put("source", value=None), "source must be an object, not null"),
            (put("num_layers", value=True), "num_layers must be a whole number from 1 to 10000, not true"),
            (put("hidden_size", value="4096"), "hidden_size must be a whole number from 1 to 10000000, not the text '4096'"),
            (put("trainings", value={}), "trainings must be a list, not an object"),
            (drop(*TRAINING, "flow"), "trainings.0 has no 'flow'"),
            (put(*TRAINING, "line", value=0), "trainings.0.line must be a whole number from 1 to"),
            (put(*TRAINING, "order", value="both"), "trainings.0.order must be one of ids, layers, not the text 'both'"),
            (put(*TRAINING, "status", value="sure"), "trainings.0.status must be one of established, depends, not established, not the"),
            (put(*TRAINING, "status", value=[]), "trainings.0.status must be one of"),
            (put(*TRAINING, "reason", value=3), "trainings.0.reason must be a text, not 3"),
            (put(*TRAINING, "engine", value=[]), "trainings.0.engine must be an object, not a list"),
            (put(*TRAINING, "engine", "version", value=5), "trainings.0.engine.version must be a text, not 5"),
            (put(*TRAINING, "assumptions", value=["luck"]), "assumptions.0 is 'luck', which the assumptions at the end do not describe"),
            (put("assumptions", value=[{"name": "luck"}]), "assumptions.0 has no 'text'"),
            (drop(*ROW, "fc"), "trainings.0.evaluated.0 has no 'fc'"),
            (put(*ROW, "fc", value="out:2"), "fc must be a list, not the text 'out:2'"),
            (put(*ROW, "fc", 1, value="out:x"), POINT + "the text 'out:x'"),
            (put(*ROW, "fc", 1, value="out:٣"), POINT),
            (put(*ROW, "fc", 1, value="out:2/mine"), POINT),
            (put(*ROW, "fc", 1, value="out:2\n"), POINT),
            (put(*ROW, "fc", 1, value="out:32"), "fc.1 is out:32, and the target has 32 layers"),
            (put(*ROW, "fc", value=["embed"] * 1001), "fc has 1001 points; at most 1000"),
            (put(*ROW, "captured", 0, value=7), "captured.0 must be a text, not 7"),
            (put(*ROW, "ids", 0, value=2.0), "ids.0 must be a whole number from -999999 to 999999, not 2.0"),
            (put(*ROW, "ids", 0, value=10**50), "ids.0 must be a whole number"),
            (put(*ROW, "status", value="depends"), "fc must be null where the status is 'depends'"),
            (put(*ROW, "error", value="KeyError: 1"), "fc must be null where the trainer raises"),
            (put(*ROW, "fc_reason", value=[]), "fc_reason must be a text, not a list"),
        ],
    )
    def test_a_field_of_a_wrong_kind(self, change: Callable[[Json], object], said: str) -> None:
        with pytest.raises(BadInput) as refused:
            read_contract_text(broken(change), "c.json")
        assert said in str(refused.value)
        assert str(refused.value).startswith("c.json:")
        assert str(refused.value).endswith("; write it again with `flowcheck contract`")

    def test_fields_that_are_not_known_yet_are_no_error(self) -> None:
        found = read_contract_text(broken(put(*ROW, "surprise", value={"a": [1]})), "c.json")
        assert contract_side(found, "eagle3", LAYERS, None).points == ("out:2", "out:15", "out:28")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8"))
    | st.sampled_from(["embed", "out:5", "established", "depends", "layers", "samples"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["flow", "fc", "name", "text", "line"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
PLACES = st.sampled_from([
    ("schema",), ("source",), ("source", "package"), ("source", "version"), ("hidden_size",), ("trainings",), TRAINING, ("assumptions",),
    *((*TRAINING, key) for key in ("flow", "symbol", "file", "line", "order", "status", "reason", "assumptions", "evaluated", "engine")),
    ROW, *((*ROW, key) for key in ("ids", "num_layers", "captured", "error", "status", "reason", "assumptions", "fc", "fc_reason")),
    (*ROW, "fc", 0), (*ROW, "ids", 0), (*TRAINING, "engine", "name"), ("assumptions", 0), (*TRAINING, "assumptions", 0),
])  # fmt: skip


@given(PLACES, ANYTHING)
def test_whatever_stands_in_it_is_read_or_refused(path: tuple[str | int, ...], value: object) -> None:
    """And what is read is only established where the contract holds points."""
    said = ""
    try:
        found = read_contract_text(broken(put(*path, value=value)), "c.json")
    except BadInput as refused:
        said = str(refused)
    if said:
        assert said.startswith("c.json:") and said.isprintable()
        return
    side = contract_side(found, "eagle3", LAYERS, 4096)
    assert (side.points is not None) == (side.status == "established")
    assert side.points is None or path[:4] == ROW or side.points == ("out:2", "out:15", "out:28")


class TestWhatIsAContract:
    def test_a_json_file_is_one_and_a_folder_with_one_is_a_trainer(self, here: Path) -> None:
        (here / "contract.json").write_text("{}")
        (here / "folder.json").mkdir()
        assert is_contract("contract.json")
        assert not is_contract("folder.json") and not is_contract(".") and not is_contract("none.json") and not is_contract("a\0.json")
