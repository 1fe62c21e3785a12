"""What each reader of a key gets from the configs in hand, and where the value goes."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from small_engine import ENGINE, KEY
from sources import plant

from flowcheck.analyzer.cli import main
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.json_report import dumps, schema
from flowcheck.analyzer.pipeline import trace
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.trace_json import trace_document
from flowcheck.analyzer.trace_report import trace_report
from flowcheck.analyzer.traces import Reader, Trace

ROOT = Path(__file__).resolve().parents[1]
DRAFT_FILE, TARGET_FILE = "sglang/srt/models/tulip_eagle3.py", "sglang/srt/models/tulip.py"
DRAFT_LINE = "        self.norm = nn.RMSNorm(config.hidden_size)\n"
TARGET_LINE = "        self.mlp = nn.Linear(config.hidden_size, config.hidden_size)\n"
DRAFT = {"architectures": ["TulipForCausalLMEagle3"], "hidden_size": 8}
TARGET = {"architectures": ["TulipForCausalLM"], "hidden_size": 8, "num_hidden_layers": 4}


def traced(
    folder: Path, key: str, *, draft: str = "", target: str = "", top: str = "", configs: dict[str, dict[str, object]] | None = None,
    trainer: str | None = None,
) -> Trace:  # fmt: skip
    """The small engine with these statements in the constructors of the draft and of the target's layer, and the configs in hand."""
    files = dict(ENGINE)
    for file, line, body in ((DRAFT_FILE, DRAFT_LINE, draft), (TARGET_FILE, TARGET_LINE, target)):
        files[file] = top + files[file].replace(line, line + "".join(f"        {each}\n" for each in body.splitlines()))
    source = plant(folder / "tree", files)
    paths: dict[str, str] = {}
    for role, values in (configs or {}).items():
        (folder / f"{role}.json").write_text(json.dumps(values))
        paths[role] = str(folder / f"{role}.json")
    if trainer is not None:
        plant(folder / "trainer", {"rope.py": trainer})
    train = None if trainer is None else str(folder / "trainer")
    return trace(Request(str(source), draft=paths.get("draft"), target=paths.get("target"), train=train), key)


def in_draft(folder: Path, body: str, key: str = "rope_theta", top: str = "", **entries: object) -> list[Reader]:
    """The readers in the draft's constructor."""
    return list(traced(folder, key, draft=body, top=top, configs={"draft": DRAFT | entries}).readers)


def only(readers: list[Reader]) -> Reader:
    (reader,) = readers
    return reader


HELPER = "def _cfg_get(config, key, default=None):\n    return getattr(config, key, default)\n\n\n"


class TestStatus:
    @pytest.mark.parametrize(
        "body",
        [
            "self.theta = config.rope_theta",
            'self.theta = getattr(config, "rope_theta", 5)',
            'self.theta = config.get("rope_theta", 5)',
            'self.theta = _cfg_get(config, "rope_theta", 5)',
            'self.theta = _cfg_get(config, key="rope_theta")',
        ],
    )
    def test_an_entry_at_the_top(self, tmp_path: Path, body: str) -> None:
        got = only(in_draft(tmp_path, body, top=HELPER, rope_theta=77)).best
        assert (got.role, got.entry, got.status, got.value) == ("draft", "rope_theta", "read", 77)

    @pytest.mark.parametrize(
        "body",
        [
            'self.theta = config.rope_parameters["rope_theta"]',
            'self.theta = config.rope_parameters.get("rope_theta", 5)',
            'table = getattr(config, "rope_parameters", None)\nself.theta = table["rope_theta"] if table is not None else 3',
            "self.theta = config.rope_parameters.rope_theta",
        ],
    )
    def test_a_nested_entry(self, tmp_path: Path, body: str) -> None:
        got = only(in_draft(tmp_path, body, rope_parameters={"rope_theta": 1e6})).best
        assert (got.entry, got.status, got.value) == ("rope_parameters.rope_theta", "read", 1e6)

    @pytest.mark.parametrize(
        ("body", "default", "value"),
        [
            ('self.theta = getattr(config, "rope_theta", 10000)', "10000", 10000),
            ('self.theta = getattr(config, "rope_theta", None)', "None", None),
            ('self.theta = _cfg_get(config, "rope_theta", 1e4)', "10000.0", 10000.0),
            ('self.theta = _cfg_get(config, "rope_theta")', "None", None),
            ('self.theta = config.rope_parameters.get("rope_theta", [1, 2])', "[1, 2]", [1, 2]),
        ],
    )
    def test_a_default_in_place_of_a_missing_one(self, tmp_path: Path, body: str, default: str, value: object) -> None:
        reader = only(in_draft(tmp_path, body, top=HELPER, rope_parameters={"other": 1}))
        assert (reader.mention.default, reader.best.status, reader.best.value) == (default, "default", value)

    def test_a_miss_that_raises(self, tmp_path: Path) -> None:
        got = only(in_draft(tmp_path, 'self.theta = config.rope_parameters["rope_theta"]', rope_parameters={"other": 1})).best
        assert (got.status, got.value) == ("never", None)
        assert got.reason == "the draft's config has no rope_parameters.rope_theta, and a miss raises"

    def test_an_attribute_that_the_file_lacks_may_be_its_class_s(self, tmp_path: Path) -> None:
        got = only(in_draft(tmp_path, "self.theta = config.rope_theta")).best
        assert got.status == "never"
        assert "the draft's config has no rope_theta: it is what the program or the config's class makes it" in (got.reason or "")

    def test_a_branch_that_is_not_taken(self, tmp_path: Path) -> None:
        body = 'if config.flat:\n    self.theta = config.rope_theta\nelse:\n    self.theta = config.rope_parameters["rope_theta"]'
        flat, nested = in_draft(tmp_path, body, flat=False, rope_theta=1, rope_parameters={"rope_theta": 2})
        assert (flat.best.status, flat.best.reason) == ("never", "no run with the configs in hand comes here")
        assert (nested.best.status, nested.best.value) == ("read", 2)

    def test_without_configs_nothing_is_read(self, tmp_path: Path) -> None:
        told = traced(tmp_path, "rope_theta", draft='self.theta = getattr(config, "rope_theta", 3)')
        assert [(each.best.status, each.best.reason) for each in told.readers] == [("never", "no config is in hand")]
        assert [edge.target.label for edge in told.graph.edges] == ["TulipDraftModel.theta"]

    def test_each_config_has_its_value(self, tmp_path: Path) -> None:
        body = 'self.theta = config.rope_theta'
        configs = {"draft": DRAFT | {"rope_theta": 1}, "target": TARGET | {"rope_theta": 2}}
        told = traced(tmp_path, "rope_theta", draft=body, target=body, configs=configs)
        assert [(each.mention.symbol, each.best.role, each.best.value) for each in told.readers] == [
            ("TulipLayer.__init__", "target", 2), ("TulipDraftModel.__init__", "draft", 1)
        ]  # fmt: skip

    def test_a_lookup_that_does_not_name_the_key(self, tmp_path: Path) -> None:
        top = "def ask(config, name):\n    return config[name]\n\n\n"
        body = 'self.a = ask(config, "_".join(["rope", "theta"]))\nself.b = ask(config, f"rope_{config.kind}")\nself.c = config.rope_theta'
        readers = in_draft(tmp_path, body, top=top, rope_theta=4, kind="theta")
        assert [(each.mention.lookup, each.best.value) for each in readers] == [("config.rope_theta", 4)]

    def test_a_key_of_the_flow(self, tmp_path: Path) -> None:
        told = traced(tmp_path, KEY, configs={"draft": DRAFT | {KEY: [1, 2]}, "target": TARGET})
        reader = only(list(told.readers))
        assert (reader.best.status, reader.best.value) == ("read", [1, 2])
        assert "layer_ids" in [edge.target.label for edge in told.graph.edges]

    def test_a_config_class_of_the_tree(self, tmp_path: Path) -> None:
        top = 'class TulipConfig:\n    model_type = "tulip"\n\n    def __init__(self, rope_theta=9):\n        pass\n\n\n'
        configs: dict[str, dict[str, object]] = {"target": TARGET | {"text_config": {"model_type": "tulip", "rope_theta": 6}}}
        told = [each for each in traced(tmp_path, "rope_theta", top=top, configs=configs).readers if "tulip.py" in each.mention.at.file]
        got = only(told).best
        assert (got.entry, got.status, got.value) == ("text_config.rope_theta", "read", 6)
        assert got.reason == "supposed: made of what says model_type 'tulip'"

    def test_a_trainer(self, tmp_path: Path) -> None:
        trainer = 'class Rotary:\n    def __init__(self, config):\n        self.base = getattr(config, "rope_theta", 10000)\n'
        told = traced(tmp_path, "rope_theta", configs={"draft": DRAFT | {"rope_parameters": {"rope_theta": 1}}}, trainer=trainer)
        got = only(list(told.readers)).best
        assert (got.role, got.status, got.value) == ("draft", "default", 10000)
        assert "supposed" in (got.reason or "")
        assert [edge.target.label for edge in told.graph.edges] == ["Rotary.base"]


class TestWhereItGoes:
    def test_through_calls_and_attributes(self, tmp_path: Path) -> None:
        top = "def scaled(value):\n    return value * 2\n\n\n"
        body = "theta = config.rope_theta\nself.theta = scaled(theta)\nif self.theta > 3:\n    self.large = True"
        told = traced(tmp_path, "rope_theta", draft=body, top=top, configs={"draft": DRAFT | {"rope_theta": 4}})
        hops = [(edge.source.label, edge.target.kind, edge.target.label) for edge in told.graph.edges]
        assert ("read rope_theta", "variable", "theta") in hops
        assert ("theta", "argument", "theta") in hops
        assert ("theta", "parameter", "value") in hops
        assert [kind for _, kind, _ in hops].count("test") == 1
        assert any(edge.change == "4 -> 8" for edge in told.graph.edges)

    def test_a_part_of_a_table(self, tmp_path: Path) -> None:
        body = 'scaling = config.rope_scaling\nself.factor = scaling["factor"]'
        told = traced(tmp_path, "rope_scaling", draft=body, configs={"draft": DRAFT | {"rope_scaling": {"factor": 8}}})
        assert "TulipDraftModel.factor" in [edge.target.label for edge in told.graph.edges]

    def test_readers_of_other_keys_have_no_part_in_it(self, tmp_path: Path) -> None:
        configs: dict[str, dict[str, object]] = {"draft": DRAFT | {"rope_theta": 4, KEY: [1]}}
        told = traced(tmp_path, "rope_theta", draft="self.theta = config.rope_theta", configs=configs)
        assert {node.label for node in told.graph.of_kind("reader")} == {"read rope_theta"}


class TestDocument:
    def document(self, told: Trace) -> dict[str, object]:
        loaded: dict[str, object] = json.loads(dumps(trace_document(told)))
        jsonschema.validate(loaded, schema("trace-1"))
        return loaded

    def test_it_fits_its_schema(self, tmp_path: Path) -> None:
        body = 'self.theta = getattr(config, "rope_theta", 3)\nself.has = hasattr(config, "rope_theta")'
        told = traced(tmp_path, "rope_theta", draft=body, target=body, configs={"draft": DRAFT | {"rope_theta": 1.5}, "target": TARGET})
        document = self.document(told)
        assert document["schema"] == "flowcheck.trace/1"
        readers = document["readers"]
        assert isinstance(readers, list)
        assert [(each["status"], each["value"], each["default"]) for each in readers] == [("default", 3, "3"), ("read", 1.5, "3")]
        nodes, edges = document["nodes"], document["edges"]
        assert isinstance(nodes, list) and isinstance(edges, list)
        assert {each[end] for each in edges for end in ("source", "target")} <= {each["id"] for each in nodes}
        assert all(set(each["nodes"]) <= {node["id"] for node in nodes} and each["nodes"] for each in readers)

    def test_it_fits_where_there_is_nothing(self, tmp_path: Path) -> None:
        assert self.document(traced(tmp_path, "no_such_key"))["readers"] == []

    def test_the_schema_is_valid_and_closed(self, tmp_path: Path) -> None:
        shipped = schema("trace-1")
        jsonschema.Draft202012Validator.check_schema(shipped)
        with pytest.raises(jsonschema.ValidationError, match="surprise"):
            jsonschema.validate({**trace_document(traced(tmp_path, "no_such_key")), "surprise": 1}, shipped)


def text_of(told: Trace, detail: Detail | None = None) -> str:
    return "\n".join("".join(span.text for span in each) for each in trace_report(told, detail or Detail()))


class TestReport:
    def test_no_reader(self, tmp_path: Path) -> None:
        told = traced(tmp_path, "no_such_key")
        assert "no_such_key  no reader: no expression in 8 files looks it up" in text_of(told)

    def test_readers_with_their_values_and_hops(self, tmp_path: Path) -> None:
        body = 'self.theta = getattr(config, "rope_theta", 3)'
        configs: dict[str, dict[str, object]] = {"draft": DRAFT | {"rope_theta": 7}, "target": TARGET}
        text = text_of(traced(tmp_path, "rope_theta", draft=body, target=body, configs=configs))
        assert "rope_theta  2 readers: 1 read, 1 default" in text
        assert 'getattr(config, "rope_theta", 3)  read 7  draft: rope_theta' in text
        assert 'getattr(config, "rope_theta", 3)  default 3  target: rope_theta' in text
        assert "field  TulipDraftModel.theta" in text

    def test_a_key_is_one_name(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="give the name of one entry"):
            traced(tmp_path, "rope_parameters.rope_theta")


class TestCommandLine:
    def run(self, *arguments: str) -> int:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert isinstance(ended.value.code, int)
        return ended.value.code

    def test_text_json_and_pictures(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        traced(tmp_path, "x", draft="self.theta = config.rope_theta", configs={"draft": DRAFT | {"rope_theta": 7}})
        monkeypatch.chdir(tmp_path)
        assert self.run("trace", "tree", "rope_theta", "--draft", "draft.json", "--format", "json", "-o", "t.dot", "-o", "t.mmd") == 0
        document = json.loads(capsys.readouterr().out)
        assert [(each["file"], each["status"], each["value"]) for each in document["readers"]] == [(f"tree/{DRAFT_FILE}", "read", 7)]
        assert "read rope_theta" in (tmp_path / "t.dot").read_text("utf-8")
        assert "no unbroken way" not in (tmp_path / "t.dot").read_text("utf-8")
        assert "flowchart" in (tmp_path / "t.mmd").read_text("utf-8")

    def test_no_reader_is_no_error(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        source = plant(tmp_path / "tree", ENGINE)
        assert self.run("trace", str(source), "no_such_key") == 0
        assert "no reader" in capsys.readouterr().out

    @pytest.mark.parametrize("key", ["", "a-b", "a b"])
    def test_what_is_no_key(self, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.run("trace", str(plant(tmp_path / "tree", ENGINE)), key) == 2
        assert "is no key" in capsys.readouterr().err

    def test_the_same_input_gives_the_same_output(self, tmp_path: Path) -> None:
        traced(tmp_path, KEY, draft=f"self.n = len(config.{KEY})", configs={"draft": DRAFT | {KEY: [1, 2]}, "target": TARGET})
        named = ["--draft", "draft.json", "--target", "target.json", "--format=json"]
        command = [sys.executable, "-m", "flowcheck", "trace", "tree", KEY, *named]
        told = {
            subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, env={"PYTHONHASHSEED": seed}).stdout
            for seed in ("1", "2", "3")
        }
        assert len(told) == 1

    def test_the_example_of_the_readme(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        text = (ROOT / "README.md").read_text("utf-8")
        shown = re.search(r"^\$ (flowcheck trace .+)\n((?:.*\n)+?)```", text, re.MULTILINE)
        assert shown is not None
        monkeypatch.chdir(ROOT / "fixtures/ids-changed-after-training")
        assert self.run(*shown[1].split()[1:]) == 0
        assert capsys.readouterr().out == shown[2]
