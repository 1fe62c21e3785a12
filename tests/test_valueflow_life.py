"""The value flow through an engine that keeps the ids, hands them over later, and captures through what it hands into its layers."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_engine import ENGINE, KEY
from sources import plant

from flowcheck.analyzer.graph import FlowGraph, Node
from flowcheck.analyzer.pipeline import draw_graphs
from flowcheck.analyzer.request import Request

RUNNER = f'''\
import msgspec
from transformers import AutoConfig

from sglang.srt.models.registry import load


class Settings(msgspec.Struct, kw_only=True):
    use: bool = False
    ids: object = None


def resolve(*, server_args):
    settings = Settings()
    fill(settings=settings, server_args=server_args)
    return settings


def fill(*, settings, server_args):
    config = AutoConfig.from_pretrained(server_args.speculative_draft_model_path)
    settings.use = True
    settings.ids = config.{KEY}


def configure(*, model, use, ids):
    if use:
        if not hasattr(model, "set_eagle3_layers_to_capture"):
            raise ValueError("no setter")
        model.set_eagle3_layers_to_capture(ids)


class ModelRunner:
    def __init__(self, server_args, is_draft=False):
        self.server_args = server_args
        self.settings = resolve(server_args=server_args)
        self.model = load(server_args).model

    def prepare(self):
        configure(model=self.model, use=self.settings.use, ids=self.settings.ids)

    def forward(self, forward_batch):
        return self.model.forward(forward_batch.input_ids, forward_batch.positions, forward_batch)
'''
REGISTRY = '''\
from dataclasses import dataclass

from torch import nn


@dataclass
class Loaded:
    model: nn.Module


def load(server_args) -> Loaded: ...
'''
COLLECTOR = '''
class States(list):
    def capture(self, hidden, *, owned=False):
        self.append(hidden if owned else hidden.clone())


class Boundary:
    def prepare(self, hidden_states, **call):
        return self.read(hidden_states, **call)

    def read(self, hidden_states, capture=None):
        if capture is not None:
            capture(hidden_states)
        return hidden_states


def boundaries(*names):
    made = tuple(Boundary() for name in names)
    return made


def pack(states):
    if isinstance(states, torch.Tensor):
        return states
    if len(states) == 1:
        return states[0]
    return torch.cat(states, dim=-1)
'''
NORMS = '''
class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, hidden_states):
        return hidden_states * self.weight
'''
MADE_NORMS = '''        self.norms = None
        if getattr(config, "fc_norm", False):
            self.norms = nn.ModuleList([Norm(config.hidden_size) for _ in range(3)])
'''
APPLIED_NORMS = '''        if self.norms is not None:
            parts = hidden_states.chunk(3, dim=-1)
            hidden_states = torch.cat([norm(part) for norm, part in zip(self.norms, parts)], dim=-1)
'''


def changed(file: str, *edits: tuple[str, str]) -> str:
    text = ENGINE[file]
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


LATER = ENGINE | {"sglang/srt/model_runner.py": RUNNER, "sglang/srt/models/registry.py": REGISTRY}
TULIP = "sglang/srt/models/tulip.py"
IN_THE_LOOP = """\
            if i in self.layers_to_capture:  # at: test
                captured.append(hidden_states)  # at: capture
"""
BY_A_BOUNDARY = """\
    def forward(self, hidden_states, capture_output=None):
        return self.attention.prepare(hidden_states, capture=capture_output)
"""
HANDED = "capture_output=captured.capture if i in self.layers_to_capture else None"
HANDED_IN = LATER | {
    TULIP: changed(
        TULIP,
        ("class TulipLayer", COLLECTOR + "\n\nclass TulipLayer"),
        ("self.mlp = nn.Linear(config.hidden_size, config.hidden_size)", "self.attention, self.mlp = boundaries('a', 'm')"),
        ("    def forward(self, hidden_states):\n        return hidden_states + self.mlp(hidden_states)\n", BY_A_BOUNDARY),
        ("captured = []", "captured = States()"),
        (IN_THE_LOOP, ""),
        ("self.layers[i](hidden_states)", f"self.layers[i](hidden_states, {HANDED})"),
    ),
    "sglang/srt/layers/logits_processor.py": changed(
        "sglang/srt/layers/logits_processor.py",
        ("torch.cat(aux_hidden_states, dim=-1)", "pack(aux_hidden_states)"),
        ("from torch import nn\n", "from torch import nn\n\nfrom sglang.srt.models.tulip import pack\n"),
    ),
}
NORMED = LATER | {
    "sglang/srt/models/tulip_eagle3.py": changed(
        "sglang/srt/models/tulip_eagle3.py",
        ("\n\nclass TulipDraftModel", NORMS + "\n\nclass TulipDraftModel"),
        ("        self.fc = ", MADE_NORMS + "        self.fc = "),
        ("        hidden_states = self.fc(", APPLIED_NORMS + "        hidden_states = self.fc("),
    )
}


def drawn(folder: Path, files: dict[str, str], draft: dict[str, object] | None = None) -> FlowGraph:
    source = plant(folder / "tree", files)
    config = folder / "draft.json"
    config.write_text(json.dumps(draft))
    request = Request(str(source), models=("TulipForCausalLM",), layers=8, draft=str(config) if draft is not None else None)
    (graph,) = draw_graphs(request).graphs
    return graph


def main_labels(graph: FlowGraph) -> list[str]:
    """The main path: the labels of its places."""
    path = graph.main_path()
    assert path is not None
    return [path[0].source.label, *(edge.target.label for edge in path)]


def leads(graph: FlowGraph, *labels: str) -> bool:
    """Whether one way from a reader to the projection leads over places of these labels, in order."""
    reached: tuple[Node, ...] = graph.of_kind("reader")
    for label in labels:
        reached = tuple(node for node in graph.nodes if node.label == label and any(graph.reaches(each, node) for each in reached))
    return any(graph.reaches(node, end) for node in reached for end in graph.of_kind("consumer"))


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> FlowGraph:
    return drawn(tmp_path_factory.mktemp("later"), LATER)


class TestALife:
    """The constructor keeps the ids in an object; a method that others call hands them to a function, which calls the setter."""

    def test_the_way_leads_over_both(self, later: FlowGraph) -> None:
        labels = main_labels(later)
        assert labels[:6] == [f"read {KEY}", "Settings.ids", "return from resolve", "ModelRunner.settings", "self.settings.ids", "ids"]
        assert labels[-1] == "fc"

    def test_the_model_is_known_by_where_it_was_put(self, later: FlowGraph) -> None:
        assert leads(later, "layer_ids", "+ 1", "captured.append")

    def test_what_another_object_kept_is_not_handed_over(self, tmp_path: Path) -> None:
        files = LATER | {"sglang/srt/model_runner.py": RUNNER.replace("ids=self.settings.ids)", "ids=Settings().ids)")}
        assert drawn(tmp_path, files).main_path() is None


class TestACallback:
    """What captures is handed into the layers, as a method of a list that the layer's boundary calls."""

    def test_the_way_leads_through_it(self, tmp_path: Path) -> None:
        graph = drawn(tmp_path, HANDED_IN)
        assert leads(graph, "i in self.layers_to_capture", "capture_output", "capture", "self.append", "cat")
        assert graph.of_kind("capture")[0].symbol == "States.capture"

    def test_no_other_method_is_called_instead(self, tmp_path: Path) -> None:
        target = HANDED_IN[TULIP].replace("capture=capture_output", "capture=None")
        assert drawn(tmp_path, HANDED_IN | {TULIP: target}).main_path() is None

    def test_the_only_item_of_a_list_stands_beside_the_concatenation(self, tmp_path: Path) -> None:
        graph = drawn(tmp_path, HANDED_IN)
        assert leads(graph, "the only item") and leads(graph, "cat")
        assert not leads(graph, "the only item", "cat")


class TestNorms:
    """A draft's parts between the concatenation and its projection."""

    def test_they_are_on_the_way(self, tmp_path: Path) -> None:
        graph = drawn(tmp_path, NORMED)
        assert leads(graph, "cat", ".chunk", "part", "Norm", "cat")
        assert {edge.assumption for edge in graph.edges if edge.target.label == "Norm"} == {"draft-parts"}

    def test_the_drafts_config_says_whether_there_are_any(self, tmp_path: Path) -> None:
        graph = drawn(tmp_path, NORMED, {KEY: [1, 3], "hidden_size": 8, "vocab_size": 8})
        assert not leads(graph, "Norm")
        assert leads(graph, "hidden_states")

    def test_it_may_say_that_there_are(self, tmp_path: Path) -> None:
        assert leads(drawn(tmp_path, NORMED, {KEY: [1, 3], "hidden_size": 8, "vocab_size": 8, "fc_norm": True}), "Norm")
