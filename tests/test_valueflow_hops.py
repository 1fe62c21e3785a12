"""The graph of the small engine: the kinds and order of its hops, the values on them, the worker's phases, the draft and its width."""
from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from flowed import Flowed, Puts, flowed
from small_engine import DRAFT, ENGINE, KEY
from sources import plant

from flowcheck.analyzer.graph import NodeKind
from flowcheck.analyzer.pipeline import draw_graphs
from flowcheck.analyzer.request import Request

PLACES = (
    "read", "keep", "hand over", "shift", "test", "capture", "give back", "take apart", "process", "concatenate", "output", "draft input",
    "forward batch", "look up", "project",
)  # fmt: skip
"""All that the way leads over, in order."""

CUTS: dict[str, str] = {
    "keep": "self.other = ids",
    "hand over": "self.model.set_eagle3_layers_to_capture(None)",
    "shift": "self.model.others = [k + 1 for k in layer_ids]",
    "test": "if i in self.others:",
    "capture": "self.others.append(hidden_states)",
    "give back": "return hidden_states, None",
    "take apart": "hidden_states, captured = self.model(input_ids, positions, forward_batch), None",
    "process": "return self.logits_processor(input_ids, hidden_states, self.lm_head, None)",
    "concatenate": "states = hidden_states",
    "output": "return LogitsProcessorOutput(next_token_logits=logits, hidden_states=None)",
    "forward batch": "return cls(input_ids=batch.input_ids, positions=batch.positions, spec_info=None)",
    "look up": "hidden_states = forward_batch.spec_info.verified_id",
    "project": "hidden_states = self.norm(hidden_states)",
}
"""For places through which all ways lead, the same line with an edit that leads nowhere."""


class TestTheWay:
    def test_it_leads_over_all_places_in_order(self) -> None:
        engine = flowed()
        assert engine.whole
        for place, following in pairwise(PLACES):
            assert engine.passes(place), place
            assert engine.leads(place, following), f"{place} -> {following}"

    def test_it_never_leads_back(self) -> None:
        """But to a line that calls, to which a result returns."""
        engine = flowed()
        for place, following in pairwise(PLACES):
            assert engine.leads(following, place) == (place == "process"), f"{following} -> {place}"

    def test_the_main_path_leads_from_the_reader_through_the_capture_to_the_consumer(self) -> None:
        path = flowed().graph.main_path()
        assert path is not None
        kinds = [path[0].source.kind, *(hop.target.kind for hop in path)]
        assert (kinds[0], kinds[-1]) == ("reader", "consumer")
        assert kinds.index("transform") < kinds.index("test") < kinds.index("capture") < kinds.index("field")

    @pytest.mark.parametrize("place", CUTS)
    def test_a_cut_anywhere_ends_it(self, place: str) -> None:
        assert not flowed({place: CUTS[place]}).whole

    @pytest.mark.parametrize("place", ["capture", "give back", "process", "output", "forward batch", "look up"])
    def test_a_cut_leaves_what_comes_before(self, place: str) -> None:
        engine = flowed({place: CUTS[place]})
        assert engine.leads("read", "test")
        assert not engine.at("project")

    @pytest.mark.parametrize("place", ["look up", "project"])
    def test_a_cut_in_the_draft_leaves_the_way_to_it(self, place: str) -> None:
        assert flowed({place: CUTS[place]}).leads("read", "draft input")

    @pytest.mark.parametrize(
        ("place", "kinds"),
        [
            ("read", {"reader", "variable"}),
            ("keep", {"attribute"}),
            ("hand over", {"argument"}),
            ("shift", {"variable", "transform", "attribute"}),
            ("test", {"test"}),
            ("capture", {"capture"}),
            ("give back", {"return"}),
            ("take apart", {"variable"}),
            ("concatenate", {"transform", "variable"}),
            ("output", {"field", "return"}),
            ("draft input", {"field", "attribute"}),
            ("look up", {"variable"}),
            ("project", {"argument", "consumer"}),
            ("width", {"width"}),
        ],
    )
    def test_the_kinds_of_places(self, place: str, kinds: set[NodeKind]) -> None:
        assert {node.kind for node in flowed().at(place)} == kinds

    def test_the_test_decides_the_capture(self) -> None:
        assert {hop.kind for hop in flowed().hops("capture")} == {"control"}

    def test_two_ways_through_one_method_are_two(self) -> None:
        """The target runs for the prefill and for the verification: what one captures is not what the other does."""
        first, second = flowed().at("capture")
        assert first.context != second.context
        assert not flowed().graph.reaches(first, second)
        assert not flowed().graph.reaches(second, first)


# --------------------------------------------------------------- what is lost


def lost(engine: Flowed) -> set[tuple[str, int]]:
    """What is not established, and the line."""
    return {(each.what, each.at.line) for each in engine.graph.not_established}


class TestLost:
    @pytest.mark.parametrize(
        ("place", "code", "what"),
        [
            ("give back", "from kernels import fuse\nreturn hidden_states, [fuse(captured[0])]", "fuse(…)"),
            ("shift", "from kernels import shift\nself.model.layers_to_capture = shift(layer_ids)", "shift(…)"),
            ("keep", "from kernels import thing\nthing().ids = ids", "ids ="),
            ("draft input", "self.ring.send(hidden_states)", "send(…)"),
        ],
    )
    def test_a_tracked_value_that_goes_where_it_is_not_followed(self, place: str, code: str, what: str) -> None:
        engine = flowed({place: code})
        assert (what, engine.places[place][1]) in lost(engine)

    def test_what_is_not_tracked_is_not_lost(self) -> None:
        code = "from kernels import fuse\nfuse(hidden_states)\nreturn hidden_states, captured"
        engine = flowed({"give back": code})
        assert engine.whole
        assert lost(engine) == set()

    def test_a_function_that_calls_itself(self) -> None:
        deep = "\ndef deep(ids, n):\n    return ids if n == 0 else deep(ids, n - 1)\n"
        engine = flowed({"keep": "self.ids = deep(ids, 2)", "sglang/srt/model_runner.py": deep})
        assert {what for what, _ in lost(engine)} == {"deep(…)"}

    def test_where_nobody_calls_the_setter_the_way_begins_in_it(self) -> None:
        engine = flowed({"hand over": "pass"})
        assert engine.leads("shift", "output")
        assert not engine.graph.of_kind("reader")

    def test_what_the_key_is_called_elsewhere_is_no_reader(self) -> None:
        assert not flowed({"read": f"self.{KEY} = [1]\nids = self.{KEY}"}).graph.of_kind("reader")


def test_the_same_tree_gives_the_same_graph(tmp_path: Path) -> None:
    asked = Request(str(plant(tmp_path, ENGINE)))
    (one,), (other,) = draw_graphs(asked).graphs, draw_graphs(asked).graphs
    assert [node.id for node in one.nodes] == [node.id for node in other.nodes]
    assert one.edges == other.edges
    assert len({node.id for node in one.nodes}) == len(one.nodes)


def test_a_graph_that_stands_has_no_dead_ends() -> None:
    graph = flowed({"keep": "self.ids = ids\nself.others = ids\nunused = ids"}).graph
    ends = graph.of_kind("consumer")
    assert all(any(graph.reaches(node, end) for end in ends) for node in graph.nodes)


# --------------------------------------------------------------------- values


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"architectures": ["TulipForCausalLMEagle3"], "hidden_size": 64, KEY: [4, 1, 2]}, indent=2))
    return path


def changes(engine: Flowed, place: str) -> set[tuple[str, str]]:
    return {(hop.before, hop.after) for hop in engine.hops(place) if hop.kind != "width"}


class TestValues:
    def test_the_key_is_an_entry_of_the_config_in_hand(self, draft: Path) -> None:
        (key,) = flowed(draft=draft).graph.of_kind("key")
        assert key.label == KEY
        assert key.at.file.endswith("config.json")
        assert draft.read_text().splitlines()[key.at.line - 1].strip().startswith(f'"{KEY}"')

    def test_without_a_config_there_is_no_key(self) -> None:
        assert flowed().graph.of_kind("key") == ()

    def test_with_another_key_in_the_config_there_is_none(self, draft: Path) -> None:
        draft.write_text(draft.read_text().replace(KEY, "layer_ids"))
        assert flowed(draft=draft).graph.of_kind("key") == ()

    def test_the_key_of_a_table(self, draft: Path) -> None:
        draft.write_text(json.dumps({"eagle_config": {KEY: [4, 1, 2]}}))
        (key,) = flowed({"read": f"ids = config.eagle_config['{KEY}']"}, draft=draft).graph.of_kind("key")
        assert key.label == f"eagle_config.{KEY}"

    def test_they_are_those_of_the_config(self, draft: Path) -> None:
        engine = flowed(draft=draft)
        assert changes(engine, "keep") == {("[4, 1, 2]", "[4, 1, 2]")}
        assert changes(engine, "hand over") == {("[4, 1, 2]", "[4, 1, 2]")}

    @pytest.mark.parametrize(
        ("code", "after"),
        [
            ("self.model.layers_to_capture = [k + 1 for k in layer_ids]", "[5, 2, 3]"),
            ("self.model.layers_to_capture = [k - 1 for k in layer_ids]", "[3, 0, 1]"),
            ("self.model.layers_to_capture = [1 + k for k in layer_ids]", "[5, 2, 3]"),
            ("self.model.layers_to_capture = [k * 2 for k in layer_ids]", "[8, 2, 4]"),
            ("self.model.layers_to_capture = sorted(layer_ids)", "[1, 2, 4]"),
            ("self.model.layers_to_capture = list(reversed(layer_ids))", "[2, 1, 4]"),
            ("self.model.layers_to_capture = sorted([k + 1 for k in layer_ids])", "[2, 3, 5]"),
            ("for k in layer_ids: self.model.layers_to_capture.append(k + 1)", "[5, 2, 3]"),
        ],
    )
    def test_a_transform_says_before_and_after(self, draft: Path, code: str, after: str) -> None:
        values = [(hop.before, hop.after) for hop in flowed({"shift": code}, draft=draft).hops("shift") if hop.target.kind == "transform"]
        assert values[0][0] == "[4, 1, 2]"
        assert values[-1][1] == after

    def test_the_captured_points_go_on(self, draft: Path) -> None:
        engine = flowed(draft=draft)
        for place in ("give back", "output", "draft input", "look up", "project"):
            assert changes(engine, place) == {("[out:1, out:2, out:4]", "[out:1, out:2, out:4]")}, place

    def test_the_capture_says_what_it_captures(self, draft: Path) -> None:
        assert changes(flowed(draft=draft), "capture") == {("", "[out:1, out:2, out:4]")}

    def test_without_ids_no_value_is_told(self) -> None:
        assert {(hop.before, hop.after) for hop in flowed().graph.edges} == {("", "")}

    def test_other_ids_in_place_of_the_config(self) -> None:
        assert changes(flowed(ids=(5, 2)), "project") == {("[out:2, out:5]", "[out:2, out:5]")}

    def test_a_shift_of_other_ids_says_before_and_after(self) -> None:
        assert ("[5, 2]", "[6, 3]") in changes(flowed(ids=(5, 2)), "shift")

    def test_other_ids_are_those_that_are_read(self) -> None:
        assert changes(flowed(ids=(5, 2)), "keep") == {("[5, 2]", "[5, 2]")}

    def test_ids_read_under_several_keys_are_not_mixed_up(self, draft: Path) -> None:
        draft.write_text(json.dumps({KEY: [4, 1, 2], "layer_ids": [7]}))
        code = f"ids = config.{KEY}\nothers = config.layer_ids"
        assert changes(flowed({"read": code, "keep": "self.ids = ids"}, draft=draft), "keep") == {("[4, 1, 2]", "[4, 1, 2]")}

    def test_what_replaces_a_missing_entry_is_not_read(self, draft: Path) -> None:
        draft.write_text(json.dumps({"hidden_size": 64}))
        assert not flowed({"read": f"ids = getattr(config, '{KEY}', None) or [1]"}, draft=draft).whole


# --------------------------------------------------------------------- worker

ONLY: dict[tuple[str, ...], Puts] = {
    ("prefill", "verify", "draft-extend"): {},
    ("prefill",): {"run the draft after decode": "pass"},
    ("verify", "draft-extend"): {"prefill": "self.forward_draft_extend(batch, None)"},
    (): {"prefill": "self.forward_draft_extend(batch, None)", "run the draft after decode": "pass"},
}


class TestWorker:
    @pytest.mark.parametrize("phases", ONLY, ids=lambda phases: ", ".join(phases) or "none")
    def test_the_phases_are_those_in_which_states_arrive(self, phases: tuple[str, ...]) -> None:
        assert flowed(ONLY[phases]).phases() == phases

    @pytest.mark.parametrize(
        "verified",
        [
            "batch.spec_info = DraftInput(hidden_states=None)",
            "batch.spec_info = DraftInput(hidden_states=output.next_token_logits)",
            "batch.spec_info = DraftInput(hidden_states=batch.input_ids, verified_id=output.hidden_states)",
            "batch.spec_info = DraftInput(hidden_states=output.hidden_states)\nbatch.spec_info = DraftInput()",
            "self.spec_info = DraftInput(hidden_states=output.hidden_states)",
        ],
    )
    def test_what_is_not_verified_does_not_arrive_after_it(self, verified: str) -> None:
        assert flowed({"verified": verified}).phases() == ("prefill",)

    def test_what_the_draft_answers_is_not_captured(self) -> None:
        """The draft's states go into the next turn of the draft; they are its own."""
        code = "output = self.draft_runner.forward(ForwardBatch.init_new(batch))\nbatch.spec_info = DraftInput(output.hidden_states)"
        assert flowed({"verified": code}).phases() == ("prefill",)

    def test_what_another_batch_holds_does_not_arrive(self) -> None:
        code = "other = ScheduleBatch(None, None)\nother.spec_info = DraftInput(output.hidden_states)\nbatch.spec_info = None"
        assert flowed({"verified": code}).phases() == ("prefill",)

    def test_a_worker_through_which_nothing_arrives_says_so(self) -> None:
        (coverage,) = flowed(ONLY[()]).graph.coverage
        (missing,) = coverage.missing
        assert missing.what == "EagleWorker"
        assert "TulipForCausalLMEagle3" in missing.reason

    def test_each_worker_is_told_by_itself(self) -> None:
        second = """
class SecondWorker(EagleWorker):
    def forward_batch_generation(self, batch: ScheduleBatch):
        output = self.forward_target_extend(batch)
        self.forward_draft_extend(batch, None)
        return output
"""
        engine = flowed({"sglang/srt/worker.py": second})
        assert engine.phases("EagleWorker") == ("prefill", "verify", "draft-extend")
        assert engine.phases("SecondWorker") == ()

    def test_without_a_worker_the_target_alone_is_followed(self) -> None:
        engine = flowed({"run the model": "return self.model.forward(forward_batch.positions)", "prefill": "pass"})
        assert engine.leads("read", "test")
        assert not engine.at("project")


# --------------------------------------------------------------------- target

WRAPPER = """
from torch import nn

from sglang.srt.models.tulip import TulipForCausalLM


class BouquetForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.tulip = TulipForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        return self.tulip(input_ids, positions, forward_batch)

    def set_eagle3_layers_to_capture(self, layer_ids):
        self.tulip.set_eagle3_layers_to_capture(layer_ids)


EntryClass = BouquetForCausalLM
"""
HEIR = """
from sglang.srt.models.tulip import TulipForCausalLM


class RoseForCausalLM(TulipForCausalLM):
    pass


EntryClass = RoseForCausalLM
"""
BOUQUET = "sglang/srt/models/bouquet.py"


class TestTarget:
    def test_a_model_around_another(self) -> None:
        engine = flowed({BOUQUET: WRAPPER}, model="BouquetForCausalLM")
        assert engine.whole
        assert engine.passes("shift")
        assert engine.passes("capture")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("capture(layer_ids)", "capture([1])"),
            ("self.tulip.set_eagle3_layers_to_capture(layer_ids)", "self.ids = layer_ids"),
            ("return self.tulip(input_ids, positions, forward_batch)", "return None"),
            ("return self.tulip(", "return self.other("),
        ],
    )
    def test_a_model_around_another_that_does_not_delegate(self, old: str, new: str) -> None:
        assert old in WRAPPER
        assert not flowed({BOUQUET: WRAPPER.replace(old, new)}, model="BouquetForCausalLM").whole

    def test_an_inherited_setter(self) -> None:
        assert flowed({BOUQUET: HEIR}, model="RoseForCausalLM").whole

    def test_a_setter_that_is_overridden(self) -> None:
        own = HEIR.replace("    pass", "    def set_eagle3_layers_to_capture(self, layer_ids):\n        self.ids = layer_ids")
        assert not flowed({BOUQUET: own}, model="RoseForCausalLM").whole
        assert flowed({BOUQUET: own}).whole

    def test_another_target_in_the_tree_is_another_graph(self) -> None:
        one = flowed({BOUQUET: WRAPPER})
        assert not any(node.at.file.endswith("bouquet.py") for node in one.graph.nodes)


# ---------------------------------------------------------------------- draft


def widths(engine: Flowed) -> set[str]:
    return {node.label for node in engine.graph.of_kind("width")}


def drafts(engine: Flowed) -> set[str]:
    """The draft models that consume captured states."""
    return {node.context.partition("draft:")[2].partition(".")[0] for node in engine.graph.of_kind("consumer")}


IMPORT = "from sglang.srt.models.tulip_eagle3 import TulipForCausalLMEagle3"


class TestDraft:
    def test_the_width_leads_to_the_projection(self) -> None:
        assert {(hop.source.label, hop.kind) for hop in flowed().hops("project") if hop.source.kind == "width"} == {
            ("config.hidden_size * 3", "width")
        }

    def test_it_is_led_back_to_what_it_is_made_of(self) -> None:
        code = "count = config.points\nself.size = config.hidden_size\nself.fc = nn.Linear(self.size * count, 8)"
        assert widths(flowed({"width": code})) == {"self.size * count", "config.points", "config.hidden_size"}

    def test_both_branches_of_what_it_is_made_of(self) -> None:
        code = """
            if config.wide:
                self.size = config.target_size
            else:
                self.size = config.hidden_size
            self.fc = nn.Linear(self.size * 3, 8)
        """
        assert widths(flowed({"width": code})) == {"self.size * 3", "config.target_size", "config.hidden_size"}

    @pytest.mark.parametrize("made", ["nn.Linear(in_features=config.wide, out_features=8)", "Fc(8, input_size=config.wide)"])
    def test_it_may_be_named(self, made: str) -> None:
        assert widths(flowed({"width": f"self.fc = {made}"})) == {"config.wide"}

    def test_that_of_another_projection_is_none_of_it(self) -> None:
        assert widths(flowed({"width": "self.fc = nn.Linear(config.wide, 8)\nself.other = nn.Linear(config.narrow, 8)"})) == {"config.wide"}

    def test_a_model_that_projects_more_than_the_states_is_no_draft_of_the_flow(self) -> None:
        engine = flowed({"project": "hidden_states = self.fc(torch.cat((embeds, hidden_states), dim=-1))"})
        assert engine.graph.of_kind("consumer", "width") == ()

    def test_the_draft_is_the_one_that_the_config_names(self, draft: Path) -> None:
        second = {"sglang/srt/models/rose_eagle3.py": DRAFT.replace("Tulip", "Rose")}
        assert drafts(flowed(second)) == {"TulipForCausalLMEagle3", "RoseForCausalLMEagle3"}
        assert drafts(flowed(second, draft=draft)) == {"TulipForCausalLMEagle3"}

    def test_a_draft_may_inherit_its_projection(self) -> None:
        heir = f"{IMPORT}\n\n\nclass RoseForCausalLMEagle3(TulipForCausalLMEagle3):\n    pass\n\n\nEntryClass = RoseForCausalLMEagle3\n"
        assert "RoseForCausalLMEagle3" in drafts(flowed({"sglang/srt/models/rose_eagle3.py": heir}))


@pytest.mark.parametrize(
    "code",
    ["hasattr(self)", "getattr(self)", "setattr(self)", "isinstance(self)", "len()", "next()", "dict(1)", "enumerate()", "[].pop()"],
)
def test_a_call_that_python_refuses_is_no_bug_of_ours(code: str) -> None:
    assert flowed({"read": f"{code}\nids = config.{KEY}"}).graph.nodes
