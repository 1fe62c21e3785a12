"""Other ways through a forward: layers on two ranks, and what is supposed not to run. What rules say of them, and when they say nothing."""
from __future__ import annotations

from pathlib import Path

import pytest
from small_engine import ENGINE
from sources import plant

from flowcheck.analyzer.options import read_serve_args
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.rule import Finding, judge
from flowcheck.rules import RULES

LOOP = "        for i in range(len(self.layers)):\n"
SHARED = "        for i in range(self.start_layer, self.end_layer):\n"
TAKEN = "            hidden_states = pp_proxy_tensors['hidden_states']\n"
TEST = "if i in self.layers_to_capture:"
MADE = "        self.layers_to_capture = []\n"
MODEL = "def forward(self, input_ids, positions, forward_batch"
WHOLE = "def forward(self, input_ids: torch.Tensor, positions: torch.Tensor, forward_batch"
PROXIES = ", pp_proxy_tensors=None"
RANKS = (
    (MADE, f"{MADE}        self.start_layer, self.end_layer = 0, config.num_hidden_layers\n"),
    (f"{MODEL}):\n        hidden_states = self.embed_tokens(input_ids)\n        captured = []\n", f"""\
{MODEL}{PROXIES}):
        captured = []
        if pp_proxy_tensors is None:
            hidden_states = self.embed_tokens(input_ids)
        else:
{TAKEN}"""),
    ("        return hidden_states, captured", """\
        if self.end_layer < len(self.layers):
            return {'hidden_states': hidden_states}
        return hidden_states, captured"""),
    (WHOLE, f"{WHOLE}{PROXIES}"),
    ("hidden_states, captured = self.model(input_ids, positions, forward_batch)", """\
hidden_states = self.model(input_ids, positions, forward_batch, pp_proxy_tensors)
        if isinstance(hidden_states, dict):
            return hidden_states
        hidden_states, captured = hidden_states"""),
    (LOOP, SHARED),
)  # fmt: skip
"""Two ranks share the layers; the first hands on what enters the second."""
ARGS = "from dataclasses import dataclass\n\n\n@dataclass\nclass ServerArgs:\n    model_path: str\n    pp_size: int = 1\n"


def found(folder: Path, *edits: tuple[str, str], flags: str | None = None) -> list[Finding]:
    """What the rules about other ways say of the small engine with another target."""
    (name,) = [name for name, text in ENGINE.items() if "class TulipForCausalLM(" in text]
    target = ENGINE[name]
    for old, new in edits:
        assert old in target, old
        target = target.replace(old, new)
    source = plant(folder / "tree", ENGINE | {name: target, "sglang/srt/server_args.py": ARGS})
    analysis = analyze(Request(str(source), ("eagle3",), layers=8, judged=True, serve_args=read_serve_args(flags)))
    return [each for each in judge(analysis, RULES) if each.code in ("FC304", "FC306", "FC311")]


class TestRanks:
    def test_one_rank_alone_says_nothing(self, tmp_path: Path) -> None:
        assert found(tmp_path) == []

    def test_a_rank_that_hands_on_its_states_alone(self, tmp_path: Path) -> None:
        (lost,) = found(tmp_path, *RANKS)
        assert (lost.code, str(lost.severity)) == ("FC306", "info")
        assert "id 2 captures out:2 on one rank" in lost.message
        line = Path(lost.at.file).read_text("utf-8").splitlines()[lost.at.line - 1]
        assert line.strip() == "if self.end_layer < len(self.layers):"

    @pytest.mark.parametrize(("flags", "severity"), [("--pp-size 2", "warning"), ("--pp-size 1", "info"), ("--model-path x", "info")])
    def test_the_launch_flags_say_how_bad_it_is(self, tmp_path: Path, flags: str, severity: str) -> None:
        (lost,) = found(tmp_path, *RANKS, flags=flags)
        assert (lost.code, str(lost.severity)) == ("FC306", severity)

    def test_a_rank_that_hands_them_on_too(self, tmp_path: Path) -> None:
        on = ("return {'hidden_states': hidden_states}", "return {'hidden_states': hidden_states, 'captured': captured}")
        back = (TAKEN, f"{TAKEN}            captured = pp_proxy_tensors['captured']\n")
        assert found(tmp_path, *RANKS, on, back) == []

    @pytest.mark.parametrize(
        ("loop", "index"),
        [
            ("enumerate(self.layers[self.start_layer : self.end_layer])", "i, layer"),
            ("range(self.end_layer - self.start_layer)", "i"),
            ("enumerate(self.layers[k] for k in range(self.start_layer, self.end_layer))", "i, layer"),
        ],
    )
    def test_an_index_that_counts_from_zero_on_each(self, tmp_path: Path, loop: str, index: str) -> None:
        walk = (SHARED, f"        for {index} in {loop}:\n")
        layer = ("hidden_states = self.layers[i](hidden_states)", "hidden_states = self.layers[self.start_layer + i](hidden_states)")
        (relative,) = found(tmp_path, *RANKS, walk, layer)
        assert (relative.code, str(relative.severity)) == ("FC304", "warning")
        assert Path(relative.at.file).read_text("utf-8").splitlines()[relative.at.line - 1].strip() == f"for {index} in {loop}:"

    def test_a_second_rank_that_is_not_understood(self, tmp_path: Path) -> None:
        unknown = (TAKEN, "            hidden_states = receive(forward_batch)\n")
        assert found(tmp_path, *RANKS, unknown) == []


class TestDetours:
    OVERLAP = (LOOP, "        layers = range(0 if forward_batch.can_run_tbo else len(self.layers))\n        for i in layers:\n")

    def test_batches_that_overlap_run_no_layer_that_captures(self, tmp_path: Path) -> None:
        (way,) = found(tmp_path, self.OVERLAP)
        assert (way.code, str(way.severity)) == ("FC311", "warning")
        assert "where two-batch overlap runs ids 1,4,6 capture nothing" in way.message
        assert "can_run_tbo" in Path(way.at.file).read_text("utf-8").splitlines()[way.at.line - 1]

    def test_they_capture_as_well(self, tmp_path: Path) -> None:
        both = "        step = 1 if forward_batch.can_run_tbo else 0\n        for i in range(0 * step, len(self.layers)):\n"
        assert found(tmp_path, (LOOP, both)) == []

    def test_a_batch_on_which_it_hangs(self, tmp_path: Path) -> None:
        (way,) = found(tmp_path, (TEST, f"{TEST[:-1]} and forward_batch.is_decode():"))
        assert (way.code, str(way.severity)) == ("FC311", "warning")
        assert "forward_batch.is_decode() is false" in way.message

    def test_a_config_on_which_it_hangs_is_another_model(self, tmp_path: Path) -> None:
        kept = (MADE, f"{MADE}        self.config = config\n")
        (way,) = found(tmp_path, kept, (TEST, f"{TEST[:-1]} and self.config.captures:"))
        assert (way.code, str(way.severity)) == ("FC311", "info")
