"""The way of the ids in released SGLang: the places that it leads over, read in its source and in our own words."""
from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import Release
from releases import with_edit

from flowcheck.analyzer.graph import FlowGraph, Node
from flowcheck.analyzer.pipeline import draw_graphs
from flowcheck.analyzer.request import Request

pytestmark = pytest.mark.release

VERSION = "0.5.9"


class Place(NamedTuple):
    """Where the way leads over, and what happens there."""

    file: str
    line: int
    what: str


BEFORE = (
    Place("srt/model_executor/model_runner.py", 363, "the key is read and kept on the runner"),
    Place("srt/model_executor/model_runner.py", 623, "the ids are handed to the setter"),
)
LLAMA = (
    Place("srt/models/llama.py", 778, "the setter takes them"),
    Place("srt/models/llama.py", 790, "one is added, and they are kept on the inner model"),
    Place("srt/models/llama.py", 382, "the loop asks whether the layer is among them"),
    Place("srt/models/llama.py", 383, "what is about to enter the layer is captured"),
    Place("srt/models/llama.py", 405, "the inner model gives the captured states back"),
    Place("srt/models/llama.py", 522, "the outer model takes the pair apart"),
)
DEEPSEEK = (
    Place("srt/models/deepseek_v2.py", 2963, "the setter takes them"),
    Place("srt/models/deepseek_v2.py", 2975, "one is added, and they are kept on the inner model"),
    Place("srt/models/deepseek_v2.py", 2721, "the loop asks whether the layer is among them"),
    Place("srt/models/deepseek_v2.py", 2728, "what is about to enter the layer is captured"),
    Place("srt/models/deepseek_v2.py", 2778, "the inner model gives the captured states back"),
    Place("srt/models/deepseek_v2.py", 2924, "the outer model takes the pair apart"),
)
BEHIND = (
    Place("srt/layers/logits_processor.py", 292, "the logits processor takes them"),
    Place("srt/layers/logits_processor.py", 553, "they are concatenated"),
    Place("srt/layers/logits_processor.py", 349, "they are a field of its output"),
    Place("srt/speculative/eagle_worker.py", 299, "the worker hands them to the draft's prefill"),
    Place("srt/speculative/eagle_worker.py", 878, "they are a field of the draft's input"),
    Place("srt/models/llama_eagle3.py", 161, "the draft looks them up on its batch"),
    Place("srt/models/llama_eagle3.py", 163, "its projection takes them"),
)
WAYS = {"LlamaForCausalLM": (*BEFORE, *LLAMA, *BEHIND), "DeepseekV2ForCausalLM": (*BEFORE, *DEEPSEEK, *BEHIND)}


class Cut(NamedTuple):
    """An edit of one word after which nothing arrives at ``lost`` any more, and what comes before stays."""

    file: str
    line: int
    old: str
    new: str
    lost: Place


CUTS = {
    "the setter writes another attribute": Cut("sglang/srt/models/llama.py", 790, "layers_to_capture", "layers_to_grab", LLAMA[2]),
    "the draft reads another field": Cut("sglang/srt/models/llama_eagle3.py", 161, "info.hidden_states", "info.topk_p", BEHIND[-2]),
}


@cache
def graph(source: Path, model: str) -> FlowGraph:
    (found,) = draw_graphs(Request(str(source), models=(model,))).graphs
    return found


def at(drawn: FlowGraph, place: Place) -> list[Node]:
    return [node for node in drawn.nodes if node.at.line == place.line and node.at.file.endswith(f"/{place.file}")]


def first_lost(drawn: FlowGraph, places: tuple[Place, ...]) -> Place | None:
    """The first place of one way, which leads over each from where it came to the last; None where it leads over all."""
    reached = drawn.of_kind("reader")
    for place in places:
        reached = tuple(node for node in at(drawn, place) if any(drawn.reaches(source, node) for source in reached))
        if not reached:
            return place
    return None


@pytest.mark.parametrize("model", WAYS)
def test_the_way_leads_over_all_places_in_order(model: str, release: Release) -> None:
    assert first_lost(graph(release(VERSION), model), WAYS[model]) is None


@pytest.mark.parametrize("model", WAYS)
def test_it_arrives_in_all_phases_of_the_worker(model: str, release: Release) -> None:
    (phases,) = (each.phases for each in graph(release(VERSION), model).coverage if each.what == "EAGLEWorker")
    assert set(phases) == {"prefill", "verify", "draft-extend"}


@pytest.mark.parametrize("model", WAYS)
def test_nothing_leads_back(model: str, release: Release) -> None:
    """From the projection no value comes to where the ids are read."""
    drawn = graph(release(VERSION), model)
    assert not any(drawn.reaches(end, reader) for end in drawn.of_kind("consumer") for reader in drawn.of_kind("reader"))


@pytest.fixture(scope="module", params=CUTS)
def cut(request: pytest.FixtureRequest, release: Release, tmp_path_factory: pytest.TempPathFactory) -> tuple[Cut, FlowGraph]:
    """A cut, and the graph of the tree with it."""
    cut = CUTS[request.param]
    folder = tmp_path_factory.mktemp("cut")
    return cut, graph(with_edit(release(VERSION), folder, cut.file, cut.line, cut.old, cut.new), "LlamaForCausalLM")


def test_nothing_arrives_behind_a_cut(cut: tuple[Cut, FlowGraph]) -> None:
    _, drawn = cut
    assert drawn.main_path() is None
    assert drawn.path(drawn.of_kind("reader"), at(drawn, BEHIND[-1])) is None


def test_what_comes_before_a_cut_is_followed(cut: tuple[Cut, FlowGraph]) -> None:
    made, drawn = cut
    assert first_lost(drawn, WAYS["LlamaForCausalLM"]) == made.lost
