"""Flow files: the schema and the program agree on what one is, and what one names must be in the tree."""
from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest

from flowcheck.analyzer.cli import main
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.flows.flow import ENGINES, built_in_text, inherit, load_flow, load_flow_file, read_flow
from flowcheck.analyzer.flows.shape import flow_shape, read_schema
from flowcheck.analyzer.library.streams import OPERATIONS
from flowcheck.analyzer.library.tables import Library
from flowcheck.analyzer.opening import choose_flows
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request

ROOT = Path(__file__).resolve().parents[1]
CASE = ROOT / "fixtures/engine-of-ones-own"
TEXT = (CASE / "kiln.toml").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")

WRONG = [
    ('name = "glaze"', "", "the key name is missing"),
    ("words = ", "word = ", "there is no key word; the nearest is words"),
    ('setters = ["tap_layers"]', "setters = []", "setters must be a list of texts: it is empty"),
    ('entry = "MODELS"', "entry = 3", "entry must be a text"),
    ("captured_item = 1", "", "the key sink.captured_item is missing"),
    ("captured_item = 1", "captured_item = -1", "sink.captured_item must be at least 0"),
    ("captured_item = 1", "captured_items = 1", "there is no key sink.captured_items; the nearest is captured_item"),
    ('projections = ["mix"]', 'projection = ["mix"]', "there is no key pipeline.projection; the nearest is projections"),
    ('base = "target"', 'base = "verifier"', "pipeline.paths.base must be one of 'draft', 'target'"),
    ("ranks = 1", "ranks = [1]", "assumption.calls.ranks must be a number, a text, true or false"),
    ('name = "one-rank"', "", "the key assumption.name is missing"),
]
ABSENT = [
    ('setters = ["tap_layers"]', 'setters = ["tap_layer"]', "kiln.toml:5: setters names 'tap_layer': no function or method", "tap_layers"),
    ('words = ["tap_layers"]', 'words = ["tap_layerz"]', "kiln.toml:4: words names 'tap_layerz'", "tap_layers"),
    ('entry = "MODELS"', 'entry = "MODEL"', "kiln.toml:6: entry names 'MODEL': no variable of a module", "MODELS"),
    ('package = "kiln"', 'package = "klin"', "kiln.toml:3: package names 'klin'", "kiln"),
    ('keys = ["tapped_layers"]', 'keys = ["taped_layers"]', "kiln.toml:15: pipeline.keys names 'taped_layers'", "tapped_layers"),
    ('projections = ["mix"]', 'projections = ["mixx"]', "kiln.toml:17: pipeline.projections names 'mixx': no attribute", "mix"),
    ('worker_methods = ["run"]', 'worker_methods = ["rum"]', "kiln.toml:16: pipeline.worker_methods names 'rum'", "run"),
    ('step = ["run"]', 'step = ["runs"]', "kiln.toml:22: pipeline.phases.step names 'runs'", "run"),
    ('base = "target"', 'bases = "target"', "kiln.toml:19: pipeline.paths names 'bases'", "base"),
    ('layer_counts = ["depth"]', 'layer_counts = ["dept"]', "kiln.toml:7: layer_counts names 'dept'", "depth"),
    ('["tokens"]', '["token"]', "kiln.toml:8: tensor_inputs names 'token'", "tokens"),
    ("ranks = 1", "rank = 1", "kiln.toml:28: assumption.calls names 'rank'", "ranks"),
    ('["sum_over_ranks"]', '["sum_over_rank"]', "kiln.toml:30: assumption.identities names 'sum_over_rank'", "sum_over_ranks"),
]
ADDED = [
    ('[stages]\nends = ["taps", "tapz"]', "kiln.toml:33: stages.ends names 'tapz': no attribute", "taps"),
    ('[stages]\nhanded = ["token"]', "kiln.toml:33: stages.handed names 'token': nothing", "tokens"),
    ('[stages]\nflags = ["depths"]', "kiln.toml:33: stages.flags names 'depths': nothing", "depth"),
    ('[stages.first]\n"tokens.widht" = 1', "kiln.toml:33: stages.first names 'widht' in 'tokens.widht': nothing", "width"),
    ('[stages.last]\n"groop.last" = 1', "kiln.toml:33: stages.last names 'groop' in 'groop.last'", "group"),
    ('[[detour]]\nname = "a"\ntext = "b"\nopaque = ["guesses"]', "kiln.toml:35: detour.opaque names 'guesses': no function", "guess"),
    ('[[detour]]\nname = "a"\ntext = "b"\n[detour.values]\n"token.x" = 1', "kiln.toml:36: detour.values names 'token' in", "tokens"),
    ('[kernels]\n"kiln.rank.ranks" = "pure"', "kiln.toml:33: kernels names 'kiln.rank.ranks': rank is not there in kiln", "ranks"),
    ('[kernels]\n"torch.cta" = "pure"', "kiln.toml:33: kernels names 'cta' in 'torch.cta': nothing", "cat"),
]
"""What is said behind the rest; a second assumption tells of an object called ``group``."""
GROUP = '[[assumption]]\nname = "group"\ntext = "one"\n[assumption.values]\n"*.taps" = "@group"\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1)
    return error


def built_in() -> Iterator[tuple[str, str]]:
    yield from ((engine, name) for engine, flows in ENGINES.items() for name in flows)


class TestSchema:
    @pytest.mark.parametrize("file", [*ENGINES, *(file for flows in ENGINES.values() for file in flows.values())])
    def test_what_comes_along_fits_it(self, file: str) -> None:
        table = tomllib.loads(built_in_text(file))
        schema = read_schema()
        jsonschema.validate(inherit(table), schema if file not in ENGINES else {**schema, "anyOf": [{}]})

    @pytest.mark.parametrize(("old", "new", "message"), WRONG, ids=[message for *_, message in WRONG])
    def test_both_refuse_the_same(self, old: str, new: str, message: str) -> None:
        assert old in TEXT
        text = TEXT.replace(old, new)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text), read_schema())
        with pytest.raises(BadInput, match=re.escape(message)):
            read_flow(text, "kiln.toml")

    def test_both_take_the_whole_one(self) -> None:
        jsonschema.validate(tomllib.loads(TEXT), read_schema())
        assert read_flow(TEXT, "kiln.toml").name == "glaze"

    def test_a_consumer_of_another_kind_stands_by_itself(self) -> None:
        flow = read_flow('extends = "eagle3"\n[sink]\nhidden_item = 1\ncaptured_item = 0\n', "mine.toml")
        assert flow.sink.returned == (1, 0)

    def test_part_of_a_table_is_taken_over(self) -> None:
        sink = read_flow('extends = "eagle3"\n[sink]\nclass = "Head"\n', "mine.toml").sink
        assert (sink.cls, sink.method) == ("Head", load_flow("eagle3").sink.method)


class TestText:
    @pytest.mark.parametrize(
        ("old", "new", "line"),
        [
            ("words = ", "wrods = ", 4),
            ("captured_item = 1", 'captured_item = "1"', 12),
            ("captured_item = 1", "", 10),
            ("captured_item = 1", "captured_item = 0", 12),
            ('base = "target"', 'base = "verifier"', 19),
            ("ranks = 1", "ranks = [1]", 28),
            ('package = "kiln"', 'package = "../kiln"', 3),
            ('name = "glaze"', 'name = "glaze"\nextends = "eagle"', 3),
        ],
    )
    def test_the_line_is_told(self, old: str, new: str, line: int) -> None:
        assert old in TEXT
        with pytest.raises(BadInput, match=rf"^kiln\.toml:{line}: "):
            read_flow(TEXT.replace(old, new, 1), "kiln.toml")

    def test_the_second_of_several_tables(self) -> None:
        with pytest.raises(BadInput, match=r"^kiln\.toml:35: there is no key assumption\.nmae; the nearest is name"):
            read_flow(f'{TEXT}\n[[assumption]]\nname = "a"\ntext = "b"\nnmae = "c"\n', "kiln.toml")

    def test_kernels_and_operations_are_those_that_there_are(self) -> None:
        shape = flow_shape(whole=False).properties
        kernels, operations = shape["kernels"].other, shape["boundaries"].properties["operations"].other
        assert kernels is not None
        assert operations is not None
        assert set(operations.choices) == set(OPERATIONS)
        for word in kernels.choices:
            assert Library({"fabric.norm": word}).kernel("fabric.norm") is not None

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b'name = "\xff"', "cannot be read"),
            (b"a = " + b"[" * 5_000 + b"]" * 5_000, "mine.toml:1: there is no key a"),
            (b"k" * 100_000 + b" = 1", "…"),
            (b"#" * 2_000_000, "larger than 1 MiB"),
            (b'extends = "mine.toml"', "mine.toml:1: extends names 'mine.toml'"),
            (b"", "mine.toml:1: the key name is missing"),
        ],
        ids=["encoding", "deep", "long", "large", "itself", "empty"],
    )
    def test_hostile_files(self, here: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str) -> None:
        (here / "mine.toml").write_bytes(content)
        error = refused(capsys, "wiring", str(CASE / "tree"), "--flow-file", "mine.toml")
        assert message in error
        assert len(error) < 2_000

    def test_what_is_no_file(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        os.mkfifo("pipe")
        assert "it is a folder" in refused(capsys, "wiring", str(CASE / "tree"), "--flow-file", str(here))
        assert "it is no regular file" in refused(capsys, "wiring", str(CASE / "tree"), "--flow-file", "pipe")

    def test_a_file_of_windows(self, here: Path) -> None:
        (here / "kiln.toml").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
        assert load_flow_file("kiln.toml").name == "glaze"


HEIRS = {
    "a_models.py": "from torch import nn\nfrom kiln.z_mixin import Taps as T\nfrom kiln.clay import ClayModel\n\n"
    "class Body(nn.Module):\n    forward = ClayModel.forward\n    __init__ = ClayModel.__init__\n\n"
    "class Plain(nn.Module, T):\n    def __init__(self, config):\n        super().__init__()\n        self.body = Body(config)\n"
    "    def forward(self, tokens):\n        return self.body(tokens)\n\n"
    "class Shifted(Plain):\n    def tap_layers(self, layers):\n        self.body.taps = {k + 1 for k in layers}\n",
    "z_mixin.py": "class Taps:\n    def tap_layers(self, layers):\n        self.body.taps = set(layers)\n",
}  # fmt: skip


class TestTargets:
    def test_a_setter_may_come_from_a_file_that_is_read_later(self, here: Path) -> None:
        """Without a variable that lists the targets; the first file has a setter of its own, and a class that inherits one."""
        shutil.copytree(CASE / "tree", here / "tree")
        for name, text in HEIRS.items():
            (here / "tree/kiln" / name).write_text(text)
        (here / "kiln.toml").write_text(TEXT.replace('entry = "MODELS"', ""))
        found = analyze(Request("tree", flow_file="kiln.toml", layers=8, ids=((2,),)))
        assert {wiring.model for wiring in found.wirings} == {"ClayModel", "Plain", "Shifted"}


class TestTree:
    @pytest.mark.parametrize(("old", "new", "message", "near"), ABSENT, ids=[message.split()[1] for *_, message, _ in ABSENT])
    def test_what_is_not_there(self, here: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str, near: str) -> None:
        assert old in TEXT
        (here / "kiln.toml").write_text(TEXT.replace(old, new))
        error = refused(capsys, "wiring", str(CASE / "tree"), "--flow-file", "kiln.toml")
        assert error.startswith(f"flowcheck: {message}")
        assert error.endswith(f"the nearest is {near}\n")

    @pytest.mark.parametrize(("added", "message", "near"), ADDED, ids=[message.partition(" names ")[0] for _, message, _ in ADDED])
    def test_what_is_not_there_of_other_ways(
        self, here: Path, capsys: pytest.CaptureFixture[str], added: str, message: str, near: str
    ) -> None:
        (here / "kiln.toml").write_text(f"{TEXT}\n{added}\n{GROUP}")
        error = refused(capsys, "wiring", str(CASE / "tree"), "--flow-file", "kiln.toml")
        assert error.startswith(f"flowcheck: {message}")
        assert near in error

    def test_one_of_several_names_that_configs_may_use(self, here: Path) -> None:
        (here / "kiln.toml").write_text(TEXT.replace('layer_counts = ["depth"]', 'layer_counts = ["num_layers", "depth"]'))
        assert analyze(Request(str(CASE / "tree"), flow_file="kiln.toml", layers=8, ids=((2,),))).wirings[0].status == "established"

    @pytest.mark.parametrize(
        ("added", "message"),
        [
            ('[sink]\nclass = "LogitProcessor"\n', "mine.toml:3: sink.class names 'LogitProcessor': no class"),
            ('[sink]\nmethod = "forwards"\n', "sink.method names 'forwards': LogitsProcessor has none; the nearest is forward"),
            ('[sink]\ncaptured = "aux_state"\n', "mine.toml:3: sink.captured names 'aux_state': no parameter of LogitsProcessor.forward"),
            (
                '[kernels]\n"sglang.srt.layers.layernorm.RMSNrm" = "norm"\n',
                "mine.toml:3: kernels names 'sglang.srt.layers.layernorm.RMSNrm': RMSNrm is not there in sglang.srt.layers.layernorm; the",
            ),
        ],
    )
    def test_what_another_flow_does_not_say(self, here: Path, capsys: pytest.CaptureFixture[str], added: str, message: str) -> None:
        (here / "mine.toml").write_text(f'extends = "eagle3"\n{added}')
        assert message in refused(capsys, "wiring", str(ROOT / "fixtures/llama-like/tree"), "--flow-file", "mine.toml")

    def test_what_is_taken_over_is_not_asked_for(self, here: Path) -> None:
        """A tree of one file has neither workers nor kernels."""
        (here / "mine.toml").write_text('extends = "eagle3"\nname = "mine"\n')
        found = analyze(Request(str(ROOT / "fixtures/llama-like/tree"), flow_file="mine.toml", layers=8, ids=((2,),)))
        assert {wiring.flow for wiring in found.wirings} == {"mine"}


class TestChoosing:
    @pytest.mark.parametrize(("engine", "name"), list(built_in()))
    def test_each_engine_has_its_flows(self, here: Path, engine: str, name: str) -> None:
        (here / "tree" / engine).mkdir(parents=True)
        (here / "tree" / engine / "__init__.py").touch()
        for source in ("tree", f"tree/{engine}"):
            (flow,) = choose_flows(Request(source, flows=(name,)))
            assert (flow.name, flow.package) == (name, engine)

    def test_a_flow_of_another_engine(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "vllm").mkdir()
        (here / "vllm/__init__.py").touch()
        assert "no flow named 'dflash': of vllm there is eagle3" in refused(capsys, "wiring", ".", "--flow", "dflash")

    def test_a_package_inside_a_folder_that_is_called_like_another(self, here: Path) -> None:
        (here / "sglang/work/vllm").mkdir(parents=True)
        (here / "sglang/work/vllm/__init__.py").touch()
        (flow,) = choose_flows(Request("sglang/work"))
        assert flow.package == "vllm"

    def test_none_is_there(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "engine").mkdir()
        (here / "engine/__init__.py").touch()
        assert "engine: no package sglang or vllm in it" in refused(capsys, "wiring", "engine")

    def test_several_files(self, here: Path) -> None:
        paths = [str(here / f"{name}.toml") for name in ("one", "two")]
        for path in paths:
            Path(path).write_text(TEXT.replace('name = "glaze"', f'name = "{Path(path).stem}"'))
        found = analyze(Request(str(CASE / "tree"), flow_file=paths[0], more_flow_files=(paths[1],), layers=4, ids=((1,),)))
        assert [(wiring.flow, wiring.evaluated[0].captured) for wiring in found.wirings] == [("one", ("out:0",)), ("two", ("out:0",))]

    def test_two_files_of_one_name(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        named = [part for name in ("one.toml", "two.toml") for part in ("--flow-file", name)]
        for name in ("one.toml", "two.toml"):
            (here / name).write_text(TEXT)
        assert "another flow file describes the flow 'glaze' too" in refused(capsys, "wiring", str(CASE / "tree"), *named)


def test_the_example_of_the_readme_is_the_fixtures() -> None:
    assert f"```toml\n{TEXT}```" in README


def test_what_the_readme_says_of_it_is_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = re.search(r"\$ cd (fixtures/engine-of-ones-own) && flowcheck (.*)\n(?s:(.+?))```", README)
    assert found is not None
    monkeypatch.chdir(ROOT / found[1])
    with pytest.raises(SystemExit) as ended:
        main(found[2].split())
    told = capsys.readouterr().out.splitlines()
    assert ended.value.code == 0
    assert [line for line in found[3].splitlines() if line not in told and line.strip() != "…"] == []
