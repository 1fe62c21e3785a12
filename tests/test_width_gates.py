"""FC305: drafts that ask how wide their states are, and what hangs on the answer."""
from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest
from small_engine import DRAFT, ENGINE, KEY
from sources import plant

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.rule import Finding, Severity
from flowcheck.rules.shape_decides_semantics import check

FILE = "sglang/srt/models/tulip_eagle3.py"
PROJECT = "        hidden_states = self.fc(hidden_states)  # at: project\n"
METHODS = "    def project(self, states):\n        return self.fc(states)\n"
MADE = "        self.norm = nn.RMSNorm(config.hidden_size)\n"
CONFIG = {"architectures": ["TulipForCausalLMEagle3"], "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 1}
TARGET = {"architectures": ["TulipForCausalLM"], "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 8}


def draft(body: str, methods: str = "", made: str = "") -> str:
    """The draft of the small engine, with other code where it projects, other methods and other attributes."""
    made = MADE + "        self.config = config\n        self.hidden_size = config.hidden_size\n" + indent(made, " " * 8)
    return DRAFT.replace(PROJECT, indent(body, " " * 8)).replace(METHODS, indent(methods, "    ")).replace(MADE, made)


def found(folder: Path, text: str, ids: list[int] | None = None, size: int = 64) -> list[Finding]:
    """What is found in the tree alone, or with the configs of a target and of a draft that has these ids."""
    tree = plant(folder / "tree", {name: text.replace("is_draft", "is_draft_worker") for name, text in {**ENGINE, FILE: text}.items()})
    if ids is None:
        return list(check(analyze(Request(str(tree), ("eagle3",), judged=True))))
    (folder / "draft.json").write_text(json.dumps({**CONFIG, KEY: ids, "hidden_size": size}))
    (folder / "target.json").write_text(json.dumps(TARGET))
    named = {"draft": str(folder / "draft.json"), "target": str(folder / "target.json")}
    return list(check(analyze(Request(str(tree), ("eagle3",), judged=True, **named))))


def line_of(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


GATE = "if hidden_states.shape[-1] != embeds.shape[-1]:  # here\n    hidden_states = self.fc(hidden_states)\n"

DECIDES = {
    "the last axis": GATE,
    "the second of two axes": GATE.replace("[-1]", "[1]"),
    "size": GATE.replace(".shape[-1]", ".size(-1)"),
    "size with a name": GATE.replace(".shape[-1]", ".size(dim=-1)"),
    "an item of size": GATE.replace(".shape[-1]", ".size()[-1]"),
    "the shape but for the rows": GATE.replace("[-1]", "[1:]"),
    "the whole shape": GATE.replace("[-1]", ""),
    "turned around": "if embeds.shape[-1] != hidden_states.shape[-1]:  # here\n    hidden_states = self.fc(hidden_states)\n",
    "a number": GATE.replace("embeds.shape[-1]", "self.hidden_size"),
    "more than a number": GATE.replace("!= embeds.shape[-1]", "> self.hidden_size"),
    "a multiple": GATE.replace("!= embeds.shape[-1]", "== 3 * self.hidden_size"),
    "how often it fits": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "hidden_states.shape[-1] // self.hidden_size > 1"),
    "one of several": GATE.replace("!= embeds.shape[-1]", "in (192, 256)"),
    "as an int": GATE.replace("hidden_states.shape[-1]", "int(hidden_states.shape[-1])"),
    "the other polarity": """\
        if hidden_states.shape[-1] == embeds.shape[-1]:  # here
            pass
        else:
            hidden_states = self.fc(hidden_states)
        """,
    "not": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "not hidden_states.shape[-1] == embeds.shape[-1]"),
    "one of two conditions": GATE.replace("if hidden", "if self.fc is not None and hidden"),
    "an early return": """\
        if hidden_states.shape[-1] == embeds.shape[-1]:  # here
            return embeds + hidden_states
        hidden_states = self.fc(hidden_states)
        """,
    "an expression": "hidden_states = self.fc(hidden_states) if hidden_states.shape[-1] != embeds.shape[-1] else hidden_states  # here\n",
    "variables": """\
        width = hidden_states.shape[-1]
        wanted = embeds.shape[-1]
        wide = width != wanted  # here
        if wide:
            hidden_states = self.fc(hidden_states)
        """,
    "a shape that is taken apart": """\
        rows, width = hidden_states.shape
        if width != embeds.shape[-1]:  # here
            hidden_states = self.fc(hidden_states)
        """,
    "a flag": """\
        wide = False
        if hidden_states.shape[-1] != embeds.shape[-1]:  # here
            wide = True
        if wide:
            hidden_states = self.fc(hidden_states)
        """,
    "a walrus": """\
        if (width := hidden_states.shape[-1]) != embeds.shape[-1]:  # here
            hidden_states = self.fc(hidden_states[:, :width])
        """,
    "behind a norm": "hidden_states = self.norm(hidden_states)\n" + GATE,
    "before a norm": GATE.replace("self.fc(hidden_states)", "self.fc(self.norm(hidden_states))"),
    "a width that is told first": """\
        wide = hidden_states.shape[-1] != embeds.shape[-1]  # here
        hidden_states = self.norm(hidden_states)
        if wide:
            hidden_states = self.fc(hidden_states)
        """,
    "a choice": """\
        wide = True if hidden_states.shape[-1] != embeds.shape[-1] else False  # here
        if wide:
            hidden_states = self.fc(hidden_states)
        """,
    "with a message": GATE + "else:\n    print('not projected')\n",
}


@pytest.mark.parametrize("body", DECIDES.values(), ids=DECIDES)
def test_it_decides(tmp_path: Path, body: str) -> None:
    text = draft(body if not body.startswith(" ") else "\n".join(line[8:] for line in body.split("\n")))
    (one,) = found(tmp_path, text)
    assert one.severity is Severity.INFO
    assert one.at.line == line_of(text, "# here")
    assert one.path[-1].at.line == line_of(text, "self.fc(")


HELPERS = {
    "a function for the width": ("def of(self, states):\n    return states.shape[-1]\n", "self.of(hidden_states) != self.hidden_size"),
    "a function for the answer": (
        "def is_wide(self, states):\n    return states.shape[-1] != self.hidden_size\n",
        "self.is_wide(hidden_states)",
    ),
    "a function with two returns": (
        "def is_wide(self, states):\n    if states.shape[-1] == self.hidden_size:\n        return False\n    return True\n",
        "self.is_wide(hidden_states)",
    ),
    "a property for the other side": ("@property\ndef width(self):\n    return self.hidden_size\n", "hidden_states.size(-1) > self.width"),
}


@pytest.mark.parametrize(("methods", "test"), HELPERS.values(), ids=HELPERS)
def test_helpers(tmp_path: Path, methods: str, test: str) -> None:
    text = draft(f"if {test}:\n    hidden_states = self.fc(hidden_states)\n", methods)
    (one,) = found(tmp_path, text)
    assert one.at.line in (line_of(text, test), line_of(text, "states.shape") if "states.shape" in text else 0)


def test_a_helper_that_projects(tmp_path: Path) -> None:
    asked = "    if states.shape[-1] == embeds.shape[-1]:\n        return states\n"
    method = f"def merge(self, states, embeds):\n{asked}    return self.fc(states)\n"
    text = draft("hidden_states = self.merge(hidden_states, embeds)\n", method)
    (one,) = found(tmp_path, text)
    assert one.at.line == line_of(text, "states.shape[-1] ==")


def test_a_function_of_the_module(tmp_path: Path) -> None:
    text = draft("if is_wide(hidden_states, embeds):\n    hidden_states = self.fc(hidden_states)\n")
    helper = "\n\ndef is_wide(states, embeds):\n    return states.size(-1) != embeds.size(-1)\n"
    (one,) = found(tmp_path, text + helper)
    assert one.at.line == line_of(text + helper, "states.size(-1)")


DECIDES_NOTHING = {
    "no condition": "hidden_states = self.fc(hidden_states)\n",
    "another condition": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "self.fc is not None"),
    "the rows": GATE.replace("[-1]", "[0]"),
    "all but the width": GATE.replace("[-1]", "[:-1]"),
    "the rank": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "hidden_states.dim() == 2"),
    "how many axes": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "len(hidden_states.shape) == 2"),
    "no rows": GATE.replace("hidden_states.shape[-1] != embeds.shape[-1]", "hidden_states.shape[0] > 0"),
    "the width of something else": GATE.replace("hidden_states.shape[-1]", "embeds.shape[-1]").replace("!= embeds.shape[-1]", "!= 64"),
    "an assertion": "assert hidden_states.shape[-1] == 3 * self.hidden_size\nhidden_states = self.fc(hidden_states)\n",
    "a raise": "if hidden_states.shape[-1] != 192:\n    raise ValueError('width')\nhidden_states = self.fc(hidden_states)\n",
    "a raise elsewhere": GATE + "else:\n    raise ValueError('width')\n",
    "an assertion elsewhere": GATE + "else:\n    assert False, 'width'\n",
    "behind the projection": "hidden_states = self.fc(hidden_states)\n" + GATE.replace("self.fc(hidden_states)", "hidden_states * 2"),
    "another thing hangs on it": GATE.replace("self.fc", "self.norm") + "hidden_states = self.fc(hidden_states)\n",
    "which of two it is": GATE + "else:\n    hidden_states = self.fc(hidden_states.repeat(1, 3))\n",
}


@pytest.mark.parametrize("body", DECIDES_NOTHING.values(), ids=DECIDES_NOTHING)
def test_it_decides_nothing(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, draft(body)) == []


BITES = {
    "the embedding": GATE,
    "a number": GATE.replace("embeds.shape[-1]", "self.hidden_size"),
    "what the config says": GATE.replace("embeds.shape[-1]", "self.config.hidden_size"),
    "a multiple": GATE.replace("!= embeds.shape[-1]", "== 3 * self.hidden_size"),
    "one of two conditions": GATE.replace("if hidden", "if not forward_batch.is_idle() and hidden"),
}


@pytest.mark.parametrize("body", BITES.values(), ids=BITES)
class TestTheConfigsInHand:
    def test_one_point(self, tmp_path: Path, body: str) -> None:
        text = draft(body)
        (one,) = found(tmp_path, text, [5])
        assert one.severity is Severity.WARNING
        assert one.at.line == line_of(text, "# here")
        assert "served out:5 of TulipForCausalLM, 64 wide" in one.message

    def test_three_points(self, tmp_path: Path, body: str) -> None:
        (one,) = found(tmp_path, draft(body), [1, 3, 5])
        assert one.severity is Severity.INFO


QUIET = {
    "an answer that another may overrule": GATE.replace("if hidden", "if self.always or hidden"),
    "a width that is asserted": "assert hidden_states.shape[-1] in self.widths\n" + GATE,
    "a width that may be refused": GATE + "elif self.strict:\n    raise ValueError('width')\n",
    "what is computed": GATE.replace("hidden_states.shape[-1]", "hidden_states.shape[-1] // self.parts"),
    "embeddings that something was done to": "embeds = self.other(embeds)\n" + GATE,
}


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET)
def test_what_is_not_proved_to_bite(tmp_path: Path, body: str) -> None:
    assert [each.severity for each in found(tmp_path, draft(body, made="self.other = make_other(config)\n"), [5])] == [Severity.INFO]


def test_a_narrower_draft_is_projected(tmp_path: Path) -> None:
    assert [each.severity for each in found(tmp_path, draft(GATE), [5], size=32)] == [Severity.INFO]


def test_an_embedding_of_another_width(tmp_path: Path) -> None:
    text = draft(GATE).replace("nn.Embedding(config.vocab_size, config.hidden_size)", "nn.Embedding(config.vocab_size, 32)")
    assert [each.severity for each in found(tmp_path, text, [5])] == [Severity.INFO]
