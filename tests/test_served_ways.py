"""What is established to be served, however the states are handled on their way, each beside a way that mixes them up."""
from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest
from flowed import changed
from small_engine import KEY
from sources import plant

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request

IDS = {KEY: [1, 3, 5], "architectures": ["TulipForCausalLMEagle3"], "hidden_size": 16, "vocab_size": 64}


def served(here: Path, puts: dict[str, str], **config: object) -> tuple[str, str]:
    """The status of what is served to a draft of the small engine with other code in some places, and why it is no other."""
    (here / "draft.json").write_text(json.dumps({name: value for name, value in {**IDS, **config}.items() if value is not None}))
    files = {name: text.replace("is_draft", "is_draft_worker") for name, text in changed(puts).items()}  # what the flow takes to be false
    source = str(plant(here / "engine", files))
    (found,) = analyze(Request(source, models=("TulipForCausalLM",), layers=8, draft=str(here / "draft.json"))).comparisons
    return found.served.status, found.served.reason or ""


PRUNED = """
rows, start = [[] for _ in aux_hidden_states], 0
lists = [[] for _ in aux_hidden_states]
for end in input_ids:
    for place, state in enumerate(aux_hidden_states):
        lists[place].append(state[start:end])
    start = end
states = torch.cat([torch.cat(each) for each in lists], dim=-1)
"""
PACKED = """
packed = isinstance(aux_hidden_states, torch.Tensor)
lists = None
if aux_hidden_states is not None:
    lists = [] if packed else [[] for _ in aux_hidden_states]
for end in input_ids:
    if lists is not None:
        if packed:
            lists.append(aux_hidden_states[:end])
        else:
            for place, state in enumerate(aux_hidden_states):
                lists[place].append(state[:end])
states = torch.cat(lists) if packed else torch.cat([torch.cat(each) for each in lists], dim=-1)
"""


class TestRows:
    """Rows that are chosen sequence by sequence."""

    @pytest.mark.parametrize("code", [PRUNED, PACKED], ids=["a list for each state", "or one for all that is packed"])
    def test_each_state_keeps_its_own(self, here: Path, code: str) -> None:
        assert served(here, {"concatenate": dedent(code)}) == ("established", "")

    @pytest.mark.parametrize(
        ("told", "instead"),
        [
            ("lists[place].append", "lists[0].append"),
            ("lists[place].append", "lists[place - 1].append"),
            ("lists[place].append(state[start:end])", "lists[place].append(hidden_states[start:end])"),
            ("lists[place].append(state[start:end])", "lists[place].append(state[place:end])"),
            ("lists[place].append(state[start:end])", "lists[place].append(state[:, start:end])"),
            ("    start = end\n", "    start = end\n    lists.reverse()\n"),
            ("    start = end\n", "    start = end\n    lists[0].append(state)\n"),
            ("in enumerate(aux_hidden_states)", "in enumerate(aux_hidden_states[::-1])"),
            ("in enumerate(aux_hidden_states)", "in enumerate(aux_hidden_states, 1)"),
            ("        lists[place]", "        if place == end:\n            continue\n        lists[place]"),
            ("for each in lists]", "for each in lists[1:]]"),
            ("for each in lists]", "for each in reversed(lists)]"),
            ("[torch.cat(each) for each in lists]", "[torch.cat(lists[0]) for each in lists]"),
            ("start = [[] for", "start = [[] for"),
        ],
    )  # fmt: skip
    def test_another_list_is_no_proof(self, here: Path, told: str, instead: str) -> None:
        assert told in PRUNED
        status, _ = served(here, {"concatenate": dedent(PRUNED.replace(told, instead))})
        assert (status == "established") == (told == instead)

    def test_what_is_packed_in_another_way(self, here: Path) -> None:
        """The flag says something else when the rows are put in."""
        code = PACKED.replace("    if lists is not None:\n", "    packed = end\n    if lists is not None:\n")
        assert served(here, {"concatenate": dedent(code)})[0] == "not established"


class TestLists:
    """What happens to a list counts where what it holds goes to the projection."""

    def test_one_that_is_for_something_else(self, here: Path) -> None:
        code = "names = []\nfor each in aux_hidden_states:\n    names.extend(lm_head * 2)\nstates = torch.cat(aux_hidden_states, dim=-1)"
        assert served(here, {"concatenate": code}) == ("established", "")

    @pytest.mark.parametrize("change", ["reverse()", "sort()", "remove(hidden_states)", "extend(hidden_states * 2)"])
    def test_that_of_the_states(self, here: Path, change: str) -> None:
        code = f"kept = [each for each in aux_hidden_states]\nkept.{change}\nstates = torch.cat(kept, dim=-1)"
        status, reason = served(here, {"concatenate": code})
        assert status == "not established"
        assert change.partition("(")[0] in reason

    def test_a_tensor_has_methods_that_no_list_has(self, here: Path) -> None:
        code = "some = aux_hidden_states if lm_head else [hidden_states]\nsome.new_zeros(3)\nstates = torch.cat(aux_hidden_states, dim=-1)"
        assert served(here, {"concatenate": code}) == ("established", "")

    @pytest.mark.parametrize(("more", "status"), [("[8]", "established"), ("self.ids", "not established")])
    def test_what_the_setter_was_given(self, here: Path, more: str, status: str) -> None:
        """A list that is changed behind the setter: the model may have kept it as it is."""
        puts = {
            "read": f'ids = getattr(config, "{KEY}", [1, 3])',
            "hand over": f"self.model.set_eagle3_layers_to_capture(self.ids)\nmore = {more}\nmore.extend(self.server_args)",
        }
        assert served(here, puts, **{KEY: None})[0] == status


class TestChosen:
    """Which states are taken may hang on something."""

    @pytest.mark.parametrize(("test", "status"), [("is not None", "established"), ("in input_ids", "not established")])
    def test_by_a_condition(self, here: Path, test: str, status: str) -> None:
        code = f"states = torch.cat([each for each in aux_hidden_states if each {test}], dim=-1)"
        assert served(here, {"concatenate": code})[0] == status


class TestModel:
    """The engine writes to the model."""

    @pytest.mark.parametrize(
        ("told", "instead"),
        [("", ""), ("model.model", "model.lm_head"), ("Rose", "Tulip"), ("self.model.model =", "self.model.logits_processor =")],
    )
    def test_a_part_that_is_there(self, here: Path, told: str, instead: str) -> None:
        helper = """
        def inner(model):
            if model.__class__.__name__ == "RoseForCausalLM":
                return model.rose
            return model.model
        """
        code = "self.model.set_eagle3_layers_to_capture(self.ids)\nself.model.model = inner(self.model)"
        runner = "sglang/srt/model_runner.py"
        puts = {"hand over": code, runner: dedent(helper)}
        where = "hand over" if told.startswith("self") else runner
        status, _ = served(here, puts | {where: puts[where].replace(told, instead)})
        assert status == ("not established" if told else "established")


@pytest.mark.parametrize(
    ("index", "status"),
    [("lm_head.to(torch.long)", "established"), ("..., lm_head.to(torch.long)", "not established"), (":, lm_head", "not established")],
)
def test_rows_by_an_index_that_is_made(here: Path, index: str, status: str) -> None:
    code = f"states = torch.cat(aux_hidden_states, dim=-1)[{index}]"
    assert served(here, {"concatenate": code})[0] == status
