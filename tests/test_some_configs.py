"""What is proved for some configs, of models without a consumer, of what a program insists on, and what is asked again and again."""
from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from flow_comments import spoken

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Ids, Request
from flowcheck.analyzer.results import Wiring

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
HEAD = '''
import os
import torch
from torch import nn
from sglang.srt.models.blocks import CausalLM, DecoderLayer, Stack
from sglang.srt.helpers import *


class Setter:
    def set_eagle3_layers_to_capture(self, layer_ids=None):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = [2] if layer_ids is None else [k + 1 for k in layer_ids]
'''
WALK = '''
class M(Stack):
    def forward(self, input_ids, positions, forward_batch):
        hidden_states, residual = self.embed_tokens(input_ids), None
        aux_hidden_states = []
        for i, layer in enumerate(self.layers):
            if i in self.layers_to_capture{test}:
                aux_hidden_states.append(hidden_states if residual is None else hidden_states + residual)
{also}
            hidden_states, residual = layer(positions, hidden_states, forward_batch, residual)
        hidden_states, _ = self.norm(hidden_states, residual)
        return hidden_states, aux_hidden_states
'''
PLAIN = '''
class X(Setter, CausalLM):
    stack_class = M


EntryClass = X
'''
Analyse = Callable[..., list[Wiring]]


def walk(test: str = "", also: str = "pass") -> str:
    return WALK.format(test=test, also=" " * 12 + also)


@pytest.fixture
def analyse(tmp_path: Path) -> Analyse:
    """The wirings of a tree of 7 layers with one more model; ``helpers`` and ``late`` are modules outside of the models' folder."""

    def run(model: str, *ids: Ids, helpers: str = "", late: str = "", flows: tuple[str, ...] = ("eagle3",)) -> list[Wiring]:
        shutil.copytree(FIXTURES / "llama-like/tree", tmp_path / "tree")
        models = tmp_path / "tree/sglang/srt/models"
        for path in models.glob("*.py"):
            if path.name != "blocks.py":
                path.unlink()
        (models.parent / "helpers.py").write_text(helpers, "utf-8")
        (models.parent / "late.py").write_text(late, "utf-8")
        (models / "x.py").write_text(HEAD + model, "utf-8")
        return list(analyze(Request(str(tmp_path / "tree"), flows, ids=ids or None)).wirings)

    return run


def answers(wirings: list[Wiring]) -> tuple[str, ...]:
    (wiring,) = wirings
    return spoken(wiring.evaluated[0])


MIXING = '''
class Mixing(DecoderLayer):
    def forward(self, positions, hidden_states, forward_batch, residual):
        rows = torch.softmax(hidden_states if residual is None else hidden_states @ residual, dim=-1)
        return self.mlp(rows), torch.sigmoid(rows)


class M2(M):
    layer_class = Mixing


class X(Setter, CausalLM):
    stack_class = M

    def __init__(self, config):
        super().__init__(config)
        if {mixes}:
            self.model = M2(config)


EntryClass = X
'''


class TestSomeConfigs:
    def test_what_is_proved_for_one_config_is_told_and_what_is_not_for_the_other(self, analyse: Analyse) -> None:
        (wiring,) = analyse(walk() + MIXING.format(mixes="config.mixes"), (2,))
        (row,) = wiring.evaluated
        assert spoken(row) == ("not established", "out:2")
        told = {each.reason is None: [(c.text, c.value) for c in each.conditions] for each in row.depends_on}
        assert told == {True: [("config.mixes", False)], False: [("config.mixes", True)]}

    def test_nothing_is_told_by_what_no_config_says(self, analyse: Analyse) -> None:
        assert answers(analyse(walk() + MIXING.format(mixes="(torch.ones(2).sum() > 0)"), (2,))) == ("not established",)

    def test_what_is_proved_for_no_config_is_not_established(self, analyse: Analyse) -> None:
        assert answers(analyse(walk() + MIXING.format(mixes="(config.mixes or True)"), (2,))) == ("not established",)

    def test_a_config_that_the_model_is_not_built_for_is_no_answer(self, analyse: Analyse) -> None:
        model = """
class X(Setter, CausalLM):
    stack_class = M

    def __init__(self, config):
        super().__init__(config)
        self.config = config
        if config.x:
            raise ValueError
"""
        told = answers(analyse(walk().replace("if i in", "if i + (1 if self.config.x else 0) in") + model + "\n\nEntryClass = X\n", (2,)))
        assert "out:1" not in told

    def test_a_convention_says_it(self, analyse: Analyse) -> None:
        (wiring,) = analyse(walk() + MIXING.format(mixes="config.mixes"))
        clauses = [(clause.when, clause.captures) for clause in wiring.convention if clause.when.startswith("id k")]
        assert clauses == [("id k if config.mixes", "not established"), ("id k if not (config.mixes)", "out:k")]


POOLED = '''
class X(Setter, nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = M(config)
        self.head = {head}

    def forward(self, input_ids: torch.Tensor, positions: torch.Tensor, forward_batch):
        hidden_states, aux_hidden_states = self.model(input_ids, positions, forward_batch)
        {end}


EntryClass = X
'''


class TestNoConsumer:
    def test_a_model_without_one_captures_nothing(self, analyse: Analyse) -> None:
        model = POOLED.format(head="nn.Linear(8, 8)", end="return self.head(hidden_states)")
        assert answers(analyse(walk() + model, (2,))) == ("nothing",)

    @pytest.mark.parametrize(
        ("head", "end"),
        [
            ("getattr(helpers, config.head)(config)", "self.head.finish((input_ids, hidden_states, None, None, aux_hidden_states))"),
            ("make(config)", "self.head(Pack(hidden_states, aux_hidden_states))"),
            ("make(config)", "self.head([hidden_states, *aux_hidden_states])"),
            ("None", "forward_batch.finish((hidden_states, aux_hidden_states))"),
            ("None", "finish(self, hidden_states, aux_hidden_states)"),
            ("None", "torch.ops.sglang.finish(hidden_states, aux_hidden_states)"),
            ("Outside(config)", "self.head(input_ids, hidden_states, None, forward_batch, aux_hidden_states)"),
            ("config.head_class(config)", "self.head.run((hidden_states, aux_hidden_states))"),
        ],
    )
    def test_what_is_not_entered_may_be_one(self, analyse: Analyse, head: str, end: str) -> None:
        helpers = """
from torch import nn
from sglang.srt.layers.logits_processor import LogitsProcessor

class Head(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = LogitsProcessor(config)

    def finish(self, packed):
        return self.inner(*packed)
"""
        top = """
import sglang.srt.helpers as helpers
from somewhere import Base, finish, make

class Pack:
    def __init__(self, *held):
        self.held = held

class Outside(Base):
    pass
"""
        model = top + walk() + POOLED.format(head=head, end="return " + end)
        assert answers(analyse(model, (2,), helpers=helpers)) == ("not established",)

    def test_one_that_is_made_when_it_is_needed(self, analyse: Analyse) -> None:
        helpers = """
from sglang.srt.layers.logits_processor import LogitsProcessor

KEPT = None

def kept():
    return KEPT

def keep(config):
    global KEPT
    KEPT = LogitsProcessor(config)
"""
        end = """if kept() is None:
            raise RuntimeError("nothing is kept")
        return kept()(input_ids, hidden_states, None, forward_batch, aux_hidden_states)"""
        assert answers(analyse(walk() + POOLED.format(head="None", end=end), (2,), helpers=helpers)) != ("nothing",)

    PARTS = """
    {static}
    def parts({own}config):
        try:
            parts = []
            for each in json.load(open(config.path)):
                if each.get("bias") not in (None, False):
                    raise ValueError
                parts.append(nn.Linear(each["wide"], 8))
            return {made} if parts else None
        except ValueError:
            return None
"""

    @pytest.mark.parametrize(
        ("static", "made", "said"),
        [
            ("@staticmethod", "LogitsProcessor(config)", "not established"),
            ("", "self.kept(config)", "not established"),
        ],
    )
    def test_what_is_made_by_a_method(self, analyse: Analyse, static: str, made: str, said: str) -> None:
        """What a constructor's statement makes that is passed over may be a consumer, by whatever method it is made."""
        top = "import json\nfrom sglang.srt.layers.logits_processor import LogitsProcessor\n"
        method = self.PARTS.format(static=static, own="" if static else "self, ", made=made)
        end = "return hidden_states if self.head is None else self.head(input_ids, hidden_states, None, None, aux_hidden_states)"
        model = POOLED.format(head="self.parts(config)", end=end) + method
        model = model.replace("EntryClass = X\n", "") + "\n    def kept(self, config):\n        return LogitsProcessor(config)\n"
        assert answers(analyse(top + walk() + model + "\n\nEntryClass = X\n", (2,))) == (said,)

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ("pooled = [x[..., :n] for x, n in zip(pooled, forward_batch.sizes)]", "nothing"),
            ("pooled = [x for x, n in zip(aux_hidden_states, forward_batch.sizes)]", "not established"),
            ("pooled = [take(x, n) for x, n in zip(pooled, forward_batch.sizes)]", "not established"),
            (
                "pooled = [x for x in zip(pooled, forward_batch.sizes)]\n        pooled.append(aux_hidden_states)",
                "not established",
            ),
            ("forward_batch.kept = aux_hidden_states\n        pooled = [x for x in forward_batch.more]", "not established"),
        ],
    )
    def test_a_list_of_unknown_length(self, analyse: Analyse, lines: str, said: str) -> None:
        """What is made of tensors that nothing captured is no captured state, however many there are."""
        top = "from somewhere import make_head\nKEPT = []\n\n\ndef take(x, n):\n    return KEPT\n"
        end = f"pooled = torch.relu(hidden_states)\n        {lines}\n        return self.head(pooled)"
        model = POOLED.format(head="make_head(config)", end=end)
        assert answers(analyse(top + walk() + model, (2,))) == (said,)

    def test_a_tensor_as_an_index_of_a_tuple(self, analyse: Analyse) -> None:
        """A tensor of one integer is an index; any other raises."""
        end = "index = torch.zeros_like(positions)\n        index[1:] += 1\n        return (hidden_states, aux_hidden_states)[index]"
        model = POOLED.format(head="None", end=end)
        assert answers(analyse(walk() + model, (2,))) == ("nothing", "raises TypeError")

    def test_two_tensors_as_indices(self, analyse: Analyse) -> None:
        end = """a, b = [True, False][input_ids], [True, False][positions]
        return self.head(input_ids, hidden_states, None, forward_batch, aux_hidden_states if a == b else [])"""
        top = "from sglang.srt.layers.logits_processor import LogitsProcessor\n"
        said = answers(analyse(top + walk() + POOLED.format(head="LogitsProcessor(config)", end=end), (2,)))
        assert said == ("not established",) or {"nothing", "out:2"} <= set(said)

    def test_something_unknown_may_be_one(self, analyse: Analyse) -> None:
        end = "return self.head(input_ids, hidden_states, None, forward_batch, aux_hidden_states)"
        model = "from somewhere import make_head\n" + POOLED.format(head="make_head(config)", end=end)
        assert answers(analyse(walk() + model, (2,))) == ("not established",)

    def test_one_that_is_made_may_be_called(self, analyse: Analyse) -> None:
        head = "LogitsProcessor(config) if config.generates else nn.Linear(8, 8)"
        end = "return self.head(input_ids, hidden_states, None, forward_batch, aux_hidden_states)"
        model = "from sglang.srt.layers.logits_processor import LogitsProcessor\n" + POOLED.format(head=head, end=end)
        assert answers(analyse(walk() + model, (2,))) != ("nothing",)


ROUNDS = '''
class M(Stack):
    def forward(self, input_ids, positions, forward_batch):
        hidden_states, residual = self.embed_tokens(input_ids), None
        aux_hidden_states = []
        for number in range({rounds}):
            for i, layer in enumerate(self.layers):
                if number * len(self.layers) + i in self.layers_to_capture:
                    aux_hidden_states.append(hidden_states if residual is None else hidden_states + residual)
                hidden_states, residual = layer(positions, hidden_states, forward_batch, residual)
        hidden_states, _ = self.norm(hidden_states, residual)
        return hidden_states, aux_hidden_states
'''


class TestRounds:
    def test_layers_that_run_in_a_loop_of_unknown_length_may_run_once(self, analyse: Analyse) -> None:
        (wiring,) = analyse(ROUNDS.format(rounds="self.config.rounds") + PLAIN, (2,))
        (row,) = wiring.evaluated
        assert spoken(row) == ("not established", "out:2")
        once = [[(c.text, c.value) for c in each.conditions] for each in row.depends_on if each.reason is None]
        assert once == [[("(config.rounds == 1)", True)]]

    def test_once_is_once(self, analyse: Analyse) -> None:
        assert answers(analyse(ROUNDS.format(rounds="1") + PLAIN, (2,))) == ("out:2",)

    def test_twice_is_not_followed(self, analyse: Analyse) -> None:
        assert answers(analyse(ROUNDS.format(rounds="2") + PLAIN, (2,))) == ("not established",)


NOT_THERE = {
    "a base and its heir": """
class Base:
    n = 0

class C(Base):
    pass

def seen():
    return C.n

def step(i):
    if i == 0:
        Base.n = 0
    if i == 3:
        C.n = 1
""",
    "a module": """
import sglang.srt.utils as state

def seen():
    return getattr(state, "n", 0)

def step(i):
    if i == 3:
        state.n = 1
""",
    "an heir's object": """
class A:
    n = 0

class B(A):
    pass

O = B()

def seen():
    return O.n

def step(i):
    if i == 3:
        B.n = 1
""",
    "an heir's method": """
class C:
    def n(self):
        return 0

class D(C):
    pass

def seen():
    return D().n()

def step(i):
    if i == 3:
        D.n = lambda self: 1
""",
    "a name": """
def seen():
    try:
        return N
    except NameError:
        return 0

def step(i):
    global N
    if i == 3:
        N = 1
""",
}


class TestAskedAgain:
    """A helper that answered once is not believed when what it read has changed."""

    @pytest.mark.parametrize(
        "helpers",
        [
            "COUNT = {'n': 0}\ndef seen():\n    return COUNT['n']\ndef bump():\n    COUNT['n'] += 1\n",
            "COUNT = [0]\ndef seen():\n    return len(COUNT) - 1\ndef bump():\n    COUNT.append(1)\n",
            "N = 0\ndef seen():\n    return N\ndef bump():\n    global N\n    N += 1\n",
            "class C:\n    n = 0\ndef seen():\n    return C.n\ndef bump():\n    C.n += 1\n",
            "class C:\n    def __init__(self):\n        self.n = 0\nO = C()\ndef seen():\n    return O.n\ndef bump():\n    O.n += 1\n",
            "class C:\n    def n(self):\n        return 0\ndef seen():\n    return C().n()\ndef bump():\n    C.n = lambda self: 1\n",
        ],
        ids=["a dict", "a list", "a variable", "a class", "an object", "a method"],
    )
    def test_what_was_read_has_changed(self, analyse: Analyse, helpers: str) -> None:
        model = walk(" and seen() == 0", "bump() if i == 3 else seen()") + PLAIN
        assert answers(analyse(model, (1, 2, 4), helpers=helpers)) in {("out:1, out:2",), ("not established",)}

    @pytest.mark.parametrize("helpers", NOT_THERE.values(), ids=NOT_THERE)
    def test_what_was_not_there_is_there(self, analyse: Analyse, helpers: str) -> None:
        model = walk(" and seen() == 0", "step(i)") + PLAIN
        (wiring,) = analyse(model, (2,), (1, 2, 4), (2, 3, 4), (1, 2), helpers=helpers)
        told = [spoken(row) for row in wiring.evaluated]
        right = [("out:2",), ("out:1, out:2",), ("out:2",), ("out:1, out:2",)]
        assert all(one in {other, ("not established",)} for one, other in zip(told, right, strict=True)), told

    def test_a_class_that_was_written_to_in_the_setter(self, analyse: Analyse) -> None:
        setter = """
    def set_eagle3_layers_to_capture(self, layer_ids=None):
        Flags.shift = 1
        super().set_eagle3_layers_to_capture(layer_ids)
"""
        model = walk(" and shifted() == 1") + PLAIN.replace("stack_class = M\n", "stack_class = M\n" + setter)
        helpers = "class Flags:\n    shift = 0\n\n\ndef shifted():\n    return Flags.shift\n"
        assert answers(analyse(model, (2,), helpers=helpers)) in {("out:2",), ("not established",)}


class TestPartsOfTensors:
    def test_a_view_of_unknown_shape_is_a_tensor(self, analyse: Analyse) -> None:
        model = walk("", "assert hidden_states.reshape(*forward_batch.sizes) is not None") + PLAIN
        assert answers(analyse(model, (2,))) == ("out:2",)

    @pytest.mark.parametrize("method", ["copy_", "add_", "index_copy_", "zero_"])
    def test_a_write_with_unknown_arguments_may_write_anything(self, analyse: Analyse, method: str) -> None:
        model = walk("", f"hidden_states.{method}(*forward_batch.sizes)") + PLAIN
        assert answers(analyse(model, (-1, 2))) == ("not established",)


class TestLayers:
    @pytest.mark.parametrize("place", ["self.model.layers[3] = Other(config, 3)", "self.model.layers[-4] = Other(config, 3)"])
    def test_one_that_is_replaced(self, analyse: Analyse, place: str) -> None:
        model = f"""
class Other(DecoderLayer):
    pass


class X(Setter, CausalLM):
    stack_class = M

    def __init__(self, config):
        super().__init__(config)
        {place}


EntryClass = X
"""
        (wiring,) = analyse(walk() + model, (2,), (3,), (2, 3, 4))
        assert [spoken(row) for row in wiring.evaluated] == [("out:2",), ("out:3",), ("out:2, out:3, out:4",)]


class TestFlows:
    def test_flows_that_share_a_class_keep_their_setters_apart(self, analyse: Analyse) -> None:
        other = """
    def set_dflash_layers_to_capture(self, layer_ids):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = list(layer_ids)
"""
        model = walk() + PLAIN.replace("stack_class = M\n", "stack_class = M\n" + other)
        wirings = analyse(model, (3,), (1, 2), flows=("eagle3", "dflash"))
        found = {wiring.flow: [spoken(row) for row in wiring.evaluated] for wiring in wirings}
        assert found == {"eagle3": [("out:3",), ("out:1, out:2",)], "dflash": [("out:2",), ("out:0, out:1",)]}

    def test_flows_that_share_a_class_do_not_meet_in_its_modules(self, analyse: Analyse) -> None:
        other = """
    def set_eagle3_layers_to_capture(self, layer_ids=None):
        N[0] = 1
        super().set_eagle3_layers_to_capture(layer_ids)

    def set_dflash_layers_to_capture(self, layer_ids):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = [k + 1 for k in layer_ids]
"""
        model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT in") + PLAIN.replace("= M\n", "= M\n" + other)
        found = {wiring.flow: spoken(wiring.evaluated[0]) for wiring in analyse(model, (3,), flows=("eagle3", "dflash"))}
        assert found["dflash"] in {("out:3",), ("not established",)}

    def test_lists_that_are_not_tried_say_so(self, analyse: Analyse) -> None:
        (wiring,) = analyse(ROUNDS.format(rounds="2") + PLAIN)
        last = next(row for row in wiring.evaluated if row.ids == (5,))
        assert last.status == "not established"
        assert "not tried" in (last.reason or "")
