"""One id list in two releases: what the ids [2, 30, 58] capture in SGLang 0.5.9 and in 0.5.16, for a DeepSeek-V3 target of 61 layers.

The setter of DeepSeek's models added one to every id; since 0.5.13 it adds one only if the first id is 1. The list is the same, and each
slot of ``fc`` gets the output of the layer before.
"""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Release
from flow_comments import spoken

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request

pytestmark = pytest.mark.release

TARGET = {
    "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168,
    "vocab_size": 129280, "intermediate_size": 18432, "moe_intermediate_size": 2048, "hidden_act": "silu", "rms_norm_eps": 1e-06,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "n_group": 8,
    "topk_group": 4, "topk_method": "noaux_tc", "scoring_func": "sigmoid", "norm_topk_prob": True, "routed_scaling_factor": 2.5,
    "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "rope_theta": 10000, "max_position_embeddings": 163840, "attention_bias": False,
    "tie_word_embeddings": False, "num_nextn_predict_layers": 1,
}  # fmt: skip
"""What the config of DeepSeek-V3 says of the model's shape."""

FACTS = {
    "0.5.9": {(2, 30, 58): "out:2, out:30, out:58", (1, 29, 57): "out:1, out:29, out:57"},
    "0.5.16": {(2, 30, 58): "out:1, out:29, out:57", (1, 29, 57): "out:1, out:29, out:57"},
}


@pytest.mark.parametrize("version", FACTS)
def test_one_list_in_two_releases(version: str, release: Release, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TARGET))
    wheel, asked = release(version), tuple(FACTS[version])
    (wiring,) = analyze(Request(str(wheel), ("eagle3",), target=str(tmp_path), ids=asked)).wirings
    assert wiring.model == "DeepseekV3ForCausalLM"
    assert {each.ids: spoken(each) for each in wiring.evaluated} == {ids: (says,) for ids, says in FACTS[version].items()}
