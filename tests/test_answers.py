"""Whole answers for setters of a few lines, and that neither the company of other id lists nor summaries of layers change one."""
from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import indent

import pytest
from flow_comments import claims, spoken

from flowcheck.analyzer.interpret import layers as walk
from flowcheck.analyzer.interpret.machine import Machine
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Ids, Request
from flowcheck.analyzer.values import Instance, Value

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
NOT_ESTABLISHED = ("not established",)
MODEL = '''
from sglang.srt.models.blocks import CausalLM, Stack


class M(Stack):
    def forward(self, input_ids, positions, forward_batch):
        hidden_states, residual = self.embed_tokens(input_ids), None
        aux_hidden_states = []
        for i, layer in enumerate(self.layers):
            if i in self.layers_to_capture:
                aux_hidden_states.append(hidden_states if residual is None else hidden_states + residual)
            hidden_states, residual = layer(positions, hidden_states, forward_batch, residual)
        hidden_states, _ = self.norm(hidden_states, residual)
        return hidden_states, aux_hidden_states


class X(CausalLM):
    stack_class = M

    def set_eagle3_layers_to_capture(self, layer_ids=None):
        self.capture_aux_hidden_states = True
        wanted = []
%s
        self.model.layers_to_capture = wanted


EntryClass = X
'''
Answers = dict[tuple[str, str, Ids], tuple[str, ...]]
Ask = Callable[..., tuple[str, ...]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """What is captured of 8 layers where these lines of the setter say what is wanted; ``before`` stands above the classes,
    ``elsewhere`` in a module outside of the models' folder."""

    def answer(lines: str, *ids: int, before: str = "", elsewhere: str = "") -> tuple[str, ...]:
        shutil.copytree(FIXTURES / "llama-like/tree", tmp_path / "tree")
        models = tmp_path / "tree/sglang/srt/models"
        for path in models.glob("*.py"):
            if path.name != "blocks.py":
                path.unlink()
        (models.parent / "elsewhere.py").write_text(elsewhere, "utf-8")
        (models / "x.py").write_text(before + MODEL % indent(lines, " " * 8), "utf-8")
        (wiring,) = analyze(Request(str(tmp_path / "tree"), layers=8, ids=(ids,))).wirings
        return spoken(wiring.evaluated[0])

    return answer


class TestSetters:
    def test_a_generator_is_used_up(self, ask: Ask) -> None:
        assert ask("wanted = (k + 1 for k in layer_ids)", 1, 3) == ("nothing",)

    def test_a_generator_that_is_met_at_once_goes_on(self, ask: Ask) -> None:
        assert ask("wanted = (k + 1 for k in layer_ids)", -1, 0, 1) == ("embed/overwritten, out:0, out:1",)

    def test_an_iterator_is_used_up(self, ask: Ask) -> None:
        assert ask("wanted = iter([k + 1 for k in layer_ids])", 1, 3) == ("nothing",)

    def test_a_caught_raise_under_an_open_condition_splits(self, ask: Ask) -> None:
        lines = """\
try:
    if self.config.strict:
        raise ValueError("x")
    wanted = [k + 1 for k in layer_ids]
except ValueError:
    wanted = [k + 2 for k in layer_ids]"""
        assert ask(lines, 1, 3) == ("out:1, out:3", "out:2, out:4")

    def test_of_two_guards_neither_is_an_answer(self, ask: Ask) -> None:
        lines = "if self.config.strict:\n    raise ValueError('x')\nraise TypeError('y')"
        assert ask(lines, 1) in (NOT_ESTABLISHED, ("raises TypeError", "raises ValueError"))

    def test_a_guard_before_a_raise_is_taken_to_hold_where_other_ids_get_through(self, ask: Ask) -> None:
        lines = "if self.config.strict:\n    raise ValueError('x')\nif 1 in layer_ids:\n    raise TypeError('y')\nwanted = list(layer_ids)"
        assert ask(lines, 1) in (("raises TypeError",), ("raises TypeError", "raises ValueError"))

    CHECKED = "from sglang.srt.elsewhere import Check\n"

    def test_what_an_object_of_this_run_raises_about_itself_is_certain(self, ask: Ask) -> None:
        check = """\
class Check:
    def __init__(self, ids):
        self.ids = ids

    def all_there(self):
        if 1 in self.ids:
            raise RuntimeError("not that one")
        return self.ids
"""
        lines = "wanted = Check(layer_ids).all_there()"
        assert ask(lines, 1, before=self.CHECKED, elsewhere=check) == ("raises RuntimeError",)

    @pytest.mark.parametrize(("head", "given", "test"), [("", "", "STARTED is None"), (", state", "STARTED", "state is None")])
    def test_what_it_raises_about_a_state_of_elsewhere_is_not(self, ask: Ask, head: str, given: str, test: str) -> None:
        check = f"""\
STARTED = None


def start():
    global STARTED
    STARTED = 1


class Check:
    def __init__(self, ids):
        self.ids = ids

    def all_there(self{head}):
        if {test}:
            raise RuntimeError("not started")
"""
        lines = f"Check(layer_ids).all_there({given})\nwanted = list(layer_ids)"
        before = "from sglang.srt import elsewhere\n" + self.CHECKED
        lines = lines.replace("(STARTED)", "(elsewhere.STARTED)")
        assert ask(lines, 1, before=before, elsewhere=check) == NOT_ESTABLISHED

    def test_a_default_is_made_once(self, ask: Ask) -> None:
        before = "def add(ids, seen=[]):\n    seen.extend(k + 1 for k in ids)\n    return seen\n"
        assert ask("add(layer_ids)\nwanted = add([4])", 1, before=before) == ("out:1, out:4",)

    @pytest.mark.parametrize("call", ["change(layer_ids)", "change(x=layer_ids)", "change(*[layer_ids])"])
    def test_an_unmodelled_function_may_change_the_ids(self, ask: Ask, call: str) -> None:
        assert ask(f"elsewhere.{call}\nwanted = [k + 1 for k in layer_ids]", 1, 3, before="import elsewhere\n") == NOT_ESTABLISHED

    @pytest.mark.parametrize("call", ["change([layer_ids])", "change(x={'ids': layer_ids})", "change((0, layer_ids))"])
    def test_an_unmodelled_function_may_change_the_ids_inside_of_something(self, ask: Ask, call: str) -> None:
        assert ask(f"elsewhere.{call}\nwanted = [k + 1 for k in layer_ids]", 1, 3, before="import elsewhere\n") == NOT_ESTABLISHED

    @pytest.mark.parametrize("text", ["f'{k:02}' == '01'", "f'{k!r}' == '1'"])
    def test_a_text_with_a_format_is_not_known(self, ask: Ask, text: str) -> None:
        assert ask(f"wanted = [k + 1 for k in layer_ids if {text}]", 1, 3) != ("nothing",)

    def test_a_list_is_appended_to_while_it_is_walked(self, ask: Ask) -> None:
        lines = "wanted = [k + 1 for k in layer_ids]\nfor k in wanted:\n    if k < 5:\n        wanted.append(k + 1)"
        assert ask(lines, 2) == ("out:2, out:3, out:4",)


# --------------------------------------------------- summaries and company

CASES = (
    "llama-like",
    "marks-into-layer",
    "collector-into-layer",
    "written-in-place",
    "partial-streams",
    "set-of-ids",
    "open-condition",
    "layer-families",
)
LAYERS = 8


def of(case: str, lists: tuple[Ids, ...]) -> Answers:
    found = analyze(Request(str(FIXTURES / case / "tree"), layers=LAYERS, ids=lists))
    return {(w.model, w.setter, each.ids): spoken(each) for w in found.wirings for each in w.evaluated}


@cache
def lists_of(case: str) -> tuple[Ids, ...]:
    """The id lists of the claims, and some more of every kind."""
    claimed = [claim.ids for path in sorted((FIXTURES / case / "tree").rglob("*.py")) for claim in claims(path)]
    return tuple(dict.fromkeys([*claimed, (2, 1), (1, 2), (-1,), (0, 3, 6), (7,), (5, 5), None]))


@cache
def alone(case: str) -> Answers:
    """Each list in a run of its own."""
    return {key: said for ids in lists_of(case) for key, said in of(case, (ids,)).items()}


@pytest.mark.parametrize("case", CASES)
class TestCompany:
    @pytest.mark.parametrize("seed", range(3))
    def test_other_lists_in_the_run_change_no_answer(self, case: str, seed: int) -> None:
        lists = list(lists_of(case))
        random.Random(seed).shuffle(lists)
        assert of(case, tuple(lists)) == alone(case)

    def test_summaries_change_no_answer(self, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
        ran: list[Instance] = []

        def just_run(_m: Machine, layer: Instance, _a: tuple[Value, ...], _k: dict[str, Value], run: Callable[[], Value]) -> Value:
            ran.append(layer)
            return run()

        monkeypatch.setattr(walk, "summarised", just_run)
        assert of(case, lists_of(case)) == alone(case)
        assert ran
