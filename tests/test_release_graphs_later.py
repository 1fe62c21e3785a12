"""The way of the ids in a later SGLang, where a module of its own reads them and a callback captures: in its source's places, our words."""
from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from conftest import Release
from releases import with_edit
from test_release_graphs import Cut, Place, at, first_lost

from flowcheck.analyzer.graph import FlowGraph
from flowcheck.analyzer.pipeline import draw_graphs
from flowcheck.analyzer.request import Request

pytestmark = [pytest.mark.release, pytest.mark.slow]

VERSION = "0.5.23"

READ = "srt/model_executor/model_runner_components/spec_aux_hidden_state.py"
SET = "srt/model_executor/model_runner_components/attention_backend_setup.py"

BEFORE = (
    Place(READ, 192, "the key is read into a field of a struct"),
    Place(READ, 81, "a function gives the struct back"),
    Place("srt/model_executor/model_runner.py", 597, "the runner keeps it"),
    Place("srt/model_executor/model_runner.py", 1112, "a method that others call hands the field to a function"),
    Place(SET, 44, "which takes it"),
    Place(SET, 61, "and calls the setter"),
)
LLAMA = (
    Place("srt/models/llama.py", 929, "the setter takes them"),
    Place("srt/models/llama.py", 941, "one is added, and they are kept on the inner model"),
)
CAPTURE = (
    Place("srt/models/llama.py", 492, "the loop asks whether the layer is among them"),
    Place("srt/models/llama.py", 491, "and hands a callback into it"),
    Place("srt/models/llama.py", 403, "the layer hands it to its boundary"),
    Place("srt/layers/layer_boundary/stage.py", 415, "which has it"),
    Place("srt/layers/aux_hidden_states.py", 26, "and calls it: captured"),
    Place("srt/models/llama.py", 505, "the inner model gives the captured states back"),
    Place("srt/models/llama.py", 621, "the outer model takes the pair apart"),
    Place("srt/layers/logits_processor.py", 545, "the logits processor takes them"),
    Place("srt/layers/aux_hidden_states.py", 102, "they are concatenated"),
    Place("srt/layers/logits_processor.py", 642, "they are a field of its output"),
)
WORKER = (
    Place("srt/model_executor/runner/eager_runner.py", 226, "the runner gives it back"),
    Place("srt/speculative/eagle_worker_v2.py", 1597, "the worker hands them to the draft's prefill"),
    Place("srt/speculative/eagle_worker_v2.py", 1010, "they are a field of the draft's input"),
    Place("srt/model_executor/forward_batch_info.py", 1117, "which is one of its batch"),
)
DRAFT = (
    Place("srt/models/llama_eagle3.py", 237, "the draft looks them up on its batch"),
    Place("srt/models/llama_eagle3.py", 247, "its projection takes them"),
)
NORMS = (
    Place("srt/models/llama_eagle3.py", 242, "they are taken apart"),
    Place("srt/models/llama_eagle3.py", 244, "a norm takes each"),
    Place("srt/models/llama_eagle3.py", 243, "they are put together again"),
    DRAFT[-1],
)
KIMI_DRAFT = (
    Place("srt/models/kimi_k25_eagle3.py", 285, "the draft looks them up on its batch"),
    Place("srt/models/kimi_k25_eagle3.py", 293, "its projection takes them"),
)
DFLASH = (
    Place("srt/speculative/dflash_utils.py", 657, "the key is read"),
    Place("srt/speculative/dflash_utils.py", 803, "into a field of the draft's settings"),
    Place("srt/speculative/dflash_utils.py", 573, "which are asked for the list"),
    Place(READ, 283, "it is a field of the struct"),
    Place("srt/model_executor/model_runner.py", 1114, "which the runner hands to a function"),
    Place(SET, 66, "that calls the setter"),
    Place("srt/models/llama.py", 943, "the setter takes them"),
    Place("srt/models/llama.py", 953, "one is added, and they are kept on the inner model"),
    *CAPTURE,
    Place("srt/speculative/dflash_worker_v2.py", 2409, "the worker hands them to what fills the draft's cache"),
    Place("srt/speculative/dflash_worker_v2.py", 1929, "which hands them to a method of the draft"),
    Place("srt/models/dflash.py", 842, "its projection takes them"),
)


@cache
def graph(source: Path, flow: str, model: str) -> FlowGraph:
    (found,) = draw_graphs(Request(str(source), flows=(flow,), models=(model,))).graphs
    return found


def llama(release: Release) -> FlowGraph:
    return graph(release(VERSION), "eagle3", "LlamaForCausalLM")


@pytest.mark.parametrize("draft", [DRAFT, (DRAFT[0], *NORMS), KIMI_DRAFT], ids=["llama", "norms", "kimi"])
def test_the_way_leads_over_all_places_in_order(draft: tuple[Place, ...], release: Release) -> None:
    assert first_lost(llama(release), (*BEFORE, *LLAMA, *CAPTURE, *WORKER, *draft)) is None


def test_it_arrives_in_all_phases_of_the_worker(release: Release) -> None:
    (phases,) = (each.phases for each in llama(release).coverage if each.what == "EAGLEWorkerV2")
    assert set(phases) == {"prefill", "verify", "draft-extend"}


def test_the_ids_reach_a_model_that_hands_them_on(release: Release) -> None:
    """To the inner model of Kimi-K2.5, by way of the language model's own setter."""
    handed = (
        Place("srt/models/kimi_k25.py", 929, "the setter takes them"),
        Place("srt/models/kimi_k25.py", 939, "and hands them to the language model's"),
        Place("srt/models/deepseek_v2.py", 3458, "which takes them"),
        Place("srt/models/deepseek_v2.py", 3471, "and adds one"),
    )
    assert first_lost(graph(release(VERSION), "eagle3", "KimiK25ForConditionalGeneration"), (*BEFORE, *handed)) is None


def test_the_way_of_dflash(release: Release) -> None:
    assert first_lost(graph(release(VERSION), "dflash", "LlamaForCausalLM"), DFLASH) is None


CUTS = {
    "the runner hands another field over": Cut(
        "sglang/srt/model_executor/model_runner.py", 1112, "config.eagle_aux_hidden_state_layer_ids", "config.is_dspark", LLAMA[0]
    ),
    "the layer does not hand the callback on": Cut("sglang/srt/models/llama.py", 403, "capture=capture_output", "capture=None", CAPTURE[3]),
}


@pytest.mark.parametrize("name", CUTS)
def test_nothing_arrives_behind_a_cut(name: str, release: Release, tmp_path: Path) -> None:
    cut = CUTS[name]
    drawn = graph(with_edit(release(VERSION), tmp_path, cut.file, cut.line, cut.old, cut.new), "eagle3", "LlamaForCausalLM")
    assert drawn.main_path() is None
    assert drawn.path(drawn.of_kind("reader"), at(drawn, cut.lost)) is None
