"""The command line on bad input: one line on stderr and status 2; or, where the rest can be answered, the rest and an honest gap."""
from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from sources import plant, write_zip

from flowcheck.analyzer import cli
from flowcheck.analyzer.flows import flow

TREE = Path(__file__).resolve().parents[1] / "fixtures/llama-like/tree"
BROKEN = """class BrokenForCausalLM:
    def set_eagle3_layers_to_capture(self, layer_ids=None:
        pass


EntryClass = BrokenForCausalLM
"""
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def tree(here: Path) -> Path:
    """A copy of a small tree in the working directory, as ``tree``."""
    shutil.copytree(TREE, here / "tree")
    return here / "tree"


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def refused(capsys: Capture, *arguments: str) -> str:
    """The one line that a refusal is."""
    assert run(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("flowcheck: ")
    assert err.count("\n") == 1
    return err


def answered(capsys: Capture, *arguments: str) -> dict[str, list[dict[str, object]]]:
    assert run(*arguments, "--format", "json") == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, list[dict[str, object]]] = json.loads(out)
    return found


def statuses(found: dict[str, list[dict[str, object]]]) -> dict[object, object]:
    return {wiring["model"]: wiring["status"] for wiring in found["wirings"]}


class TestSources:
    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ("nope", "nope: no such file, folder or revision, nor an installed package with sglang in it"),
            ("", "'': not a path"),
            ("empty", "empty: the folder is empty"),
            ("other", "other: no package sglang or vllm in it"),
            ("broken.zip", "broken.zip: not an archive that can be read"),
            ("text.whl", "text.whl: not an archive that can be read"),
            ("plain.txt", "plain.txt: neither a folder nor an archive"),
        ],
    )
    def test_refused(self, here: Path, capsys: Capture, argument: str, message: str) -> None:
        (here / "empty").mkdir()
        plant(here, {"other/foo/a.py": "", "text.whl": "hi", "plain.txt": "hi"})
        (here / "broken.zip").write_bytes(b"PK\3\4 and no more")
        assert message in refused(capsys, argument)

    @pytest.mark.parametrize("argument", ["tree", "tree/sglang", "tree/sglang/srt", "tree/sglang/srt/models"])
    def test_above_at_and_below_the_package(self, tree: Path, capsys: Capture, argument: str) -> None:
        assert statuses(answered(capsys, argument)) == {"LlamaForCausalLM": "established"}

    def test_a_wheel_read_in_place(self, tree: Path, here: Path, capsys: Capture) -> None:
        files = {path.relative_to(tree).as_posix(): path.read_text("utf-8") for path in tree.rglob("*.py")}
        write_zip(here / "sglang-1.0-py3-none-any.whl", {**files, "sglang-1.0.dist-info/METADATA": "Name: sglang\nVersion: 1.0\n"})
        (wiring,) = answered(capsys, "wiring", "sglang-1.0-py3-none-any.whl", "--ids", "1")["wirings"]
        assert wiring["file"] == "sglang-1.0-py3-none-any.whl/sglang/srt/models/llama.py"

    def test_an_installed_package(self, tree: Path, here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(str(tree))
        assert statuses(answered(capsys, "sglang")) == {"LlamaForCausalLM": "established"}
        assert "sglang" not in sys.modules


class TestConfigs:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"num_hidden_layers": }', "c.json:1:23: a value is missing"),
            ("[]", "c.json:1:1: a config is a JSON object, this is a list"),
            ('{"num_hidden_layers": "eight"}', "num_hidden_layers must be a whole number from 1 to 10000, not the text 'eight'"),
            ('{"num_layers": true}', "c.json:1:2: num_layers must be a whole number from 1 to 10000, not true"),
            ('{"n_layer": 500000}', "n_layer must be a whole number from 1 to 10000, not 500000"),
            ('{"llm_config": {"num_hidden_layers": -1}}', "c.json:1:17: llm_config.num_hidden_layers must be a whole number"),
            ('{"architectures": "Llama"}', "architectures must be a list of class names, not the text 'Llama'"),
            ('{"a": 1, "a": 2}', "c.json:1:10: the key 'a' is there twice"),
        ],
    )
    @pytest.mark.usefixtures("tree")
    def test_refused(self, here: Path, capsys: Capture, text: str, message: str) -> None:
        (here / "c.json").write_text(text)
        assert message in refused(capsys, "tree", "--target", "c.json")

    @pytest.mark.usefixtures("tree")
    def test_no_config(self, capsys: Capture) -> None:
        assert "tree/config.json: no such file" in refused(capsys, "tree", "--target", "tree")

    @pytest.mark.usefixtures("tree")
    def test_a_config_of_a_class_that_is_not_there(self, here: Path, capsys: Capture) -> None:
        (here / "c.json").write_text('{\n"architectures": ["Other"]}')
        (gap,) = answered(capsys, "tree", "--target", "c.json")["not_established"]
        assert (gap["what"], gap["file"], gap["line"]) == ("Other", "c.json", 2)


class TestNames:
    @pytest.mark.parametrize("command", ["check", "wiring"])
    @pytest.mark.usefixtures("tree")
    def test_an_unknown_class(self, capsys: Capture, command: str) -> None:
        message = "tree: no target class 'Nope' with a setter of the flow; there are LlamaForCausalLM\n"
        assert refused(capsys, command, "tree", "--model", "Nope").endswith(message)

    @pytest.mark.usefixtures("tree")
    def test_an_unknown_flow(self, capsys: Capture) -> None:
        assert "no flow named 'nope': there is eagle3" in refused(capsys, "tree", "--flow", "nope")


class TestUnreadableFiles:
    def test_the_other_targets_are_answered(self, tree: Path, capsys: Capture) -> None:
        (tree / "sglang/srt/models/broken.py").write_text(BROKEN)
        found = answered(capsys, "tree")
        assert statuses(found) == {"LlamaForCausalLM": "established"}
        (finding,) = (each for each in found["findings"] if each["code"].startswith("FC9"))
        assert (finding["code"], finding["file"], finding["line"]) == ("FC902", "tree/sglang/srt/models/broken.py", 2)

    @pytest.mark.parametrize("name", ["models/blocks.py", "layers/layernorm.py"])
    def test_a_file_that_a_target_needs(self, tree: Path, capsys: Capture, name: str) -> None:
        path = tree / "sglang/srt" / name
        path.write_text(path.read_text("utf-8") + "def (\n")
        found = answered(capsys, "tree")
        assert "established" not in statuses(found).values()
        assert {finding["code"] for finding in found["findings"]} == {"FC901", "FC902"}
        assert f"tree/sglang/srt/{name}" in {gap["file"] for gap in found["not_established"]}

    def test_a_class_of_such_a_file_is_asked_for(self, tree: Path, capsys: Capture) -> None:
        (tree / "sglang/srt/models/llama.py").write_text(BROKEN)
        assert "there are none; tree/sglang/srt/models/llama.py:2 cannot be read" in refused(capsys, "tree", "--model", "LlamaForCausalLM")

    def test_nesting_without_end(self, tree: Path, capsys: Capture) -> None:
        path = tree / "sglang/srt/models/llama.py"
        deep = "        residual = None\n        depth = 1" + " + 1" * 5_000 + "\n"
        path.write_text(path.read_text("utf-8").replace("        residual = None\n", deep, 1))
        assert statuses(answered(capsys, "tree")) == {"LlamaForCausalLM": "not established"}


class TestFlowFiles:
    engine = (Path(flow.__file__).parent / "sglang.toml").read_text("utf-8")
    text = f'name = "eagle3"\nwords = ["set_eagle3_layers_to_capture"]\nsetters = ["set_eagle3_layers_to_capture"]\n{engine}'

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('name = "eagle3"', "name = ", "mine.toml: not TOML: "),
            ("setters = ", "setter = ", "mine.toml:3: there is no key setter; the nearest is setters"),
            ("blank_inputs = ", "blank_input = ", "mine.toml:10: there is no key blank_input; the nearest is blank_inputs"),
            ('words = ["set_eagle3_layers_to_capture"]', 'words = "set"', "mine.toml:2: words must be a list of texts"),
            ('"norm"', '"nrm"', "must be one of 'norm', 'fused-add-norm', 'norm-add-scale', 'pure', 'buffer'; the nearest is norm"),
            ('hidden = "hidden_states"', "", "mine.toml:13: the key sink.hidden is missing"),
        ],
    )
    @pytest.mark.usefixtures("tree")
    def test_refused(self, here: Path, capsys: Capture, old: str, new: str, message: str) -> None:
        assert old in self.text
        (here / "mine.toml").write_text(self.text.replace(old, new))
        assert message in refused(capsys, "tree", "--flow-file", "mine.toml")

    @pytest.mark.parametrize("name", ["nope.toml", "tree"])
    @pytest.mark.usefixtures("tree")
    def test_no_file(self, capsys: Capture, name: str) -> None:
        assert f"{name}: the flow file cannot be read: " in refused(capsys, "tree", "--flow-file", name)

    def test_a_fork_is_described_by_a_file(self, tree: Path, here: Path, capsys: Capture) -> None:
        (tree / "sglang").rename(tree / "fork")
        for path in tree.rglob("*.py"):
            text = path.read_text("utf-8")
            path.write_text(text.replace("sglang", "fork").replace("set_eagle3_layers_to_capture", "capture_layers"))
        own = 'name = "mine"\npackage = "fork"\nwords = ["capture_layers"]\nsetters = ["capture_layers"]\n'
        (here / "mine.toml").write_text(f'extends = "sglang"\n{own}')
        (wiring,) = answered(capsys, "wiring", "tree", "--flow-file", "mine.toml", "--ids", "2,1")["wirings"]
        assert (wiring["flow"], wiring["setter"], wiring["status"]) == ("mine", "capture_layers", "established")
