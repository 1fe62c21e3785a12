"""What modules keep: what their import does is done before all else, what functions reassign is found as the program left it."""
from __future__ import annotations

import pytest
from flow_comments import spoken
from test_some_configs import PLAIN, Analyse, analyse, answers, walk

__all__ = ["analyse"]
UNPROVED = ("not established",)


def sets_first(line: str) -> str:
    """The target class, whose setter runs a line before it keeps the ids."""
    return PLAIN.replace(
        "= M\n",
        f"""= M

    def set_eagle3_layers_to_capture(self, layer_ids=None):
        {line}
        super().set_eagle3_layers_to_capture(layer_ids)
""",
    )


def test_a_constant_is_what_it_was_at_import(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT in")
    assert answers(analyse(model + sets_first("N[0] = 1"), (3,))) in {("out:3",), UNPROVED}


def test_what_the_program_wrote_is_still_there_afterwards(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT + N[0] in")
    assert answers(analyse(model + sets_first("N[0] = 1"), (3,))) in {("out:2",), UNPROVED}


def test_each_run_finds_the_import_as_it_was(analyse: Analyse) -> None:
    model = "N = [0]\nAT_IMPORT = N[0]\n" + walk().replace("if i in", "if i + AT_IMPORT in")
    chosen = sets_first("N[0] = 1 if layer_ids and layer_ids[0] == 2 else 0")
    (wiring,) = analyse(model + chosen, (2,), (3,))
    first, second = (spoken(evaluation) for evaluation in wiring.evaluated)
    assert first in {("out:2",), UNPROVED} and second in {("out:3",), UNPROVED}


def test_an_import_that_changes_what_the_program_changed_is_not_established(analyse: Analyse) -> None:
    model = "N = [0]\n\ndef more():\n    N.append(1)\n    return 0\n\nLATE = more()\n" + walk().replace("if i in", "if i + LATE + N[1] in")
    assert answers(analyse(model + sets_first("N.append(0)"), (3,))) in {("out:2",), UNPROVED}


FLAG = """
SEEN = False


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        global SEEN
        self.first = not SEEN
        SEEN = True
"""
PARTS = """
    def __init__(self, config):
        super().__init__(config)
        self.parts = [Part(), Part()]
"""


@pytest.mark.parametrize(
    ("shift", "said"),
    [
        ("self.parts[1].first", "out:2"),
        ("(1 if self.parts[1].first else 0) + (0 if self.parts[0].first else 1)", "out:2"),
        ("(0 if self.parts[0].first else 1) + (1 if self.parts[1].first else 0)", "out:2"),
        ("SEEN", "out:1"),
        ("SEEN + self.parts[1].first", "out:1"),
        ("self.parts[1].first + SEEN", "out:1"),
    ],
)
def test_a_flag_that_parts_set(analyse: Analyse, shift: str, said: str) -> None:
    """Parts are made when they are needed, and as if they were made in time."""
    model = FLAG + walk().replace("class M(Stack):\n", "class M(Stack):" + PARTS + "\n").replace("if i in", f"if i + ({shift}) in")
    assert answers(analyse(model + PLAIN, (2,))) == (said,)


KEPT = """
KEPT = None


class Kept:
    def __init__(self):
        self.calls = 0


def kept():
    global KEPT
    if KEPT is None:
        KEPT = Kept()
    return KEPT
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kept().calls += 1", ["out:1", "out:2", "out:3"]),
        ("kept().calls = kept().calls + len(self.layers_to_capture)", ["out:1", "out:2", "out:3"]),
        ("kept()", ["out:2", "out:3", "out:4"]),
    ],
)
def test_what_is_made_on_first_use_begins_anew_in_each_run(analyse: Analyse, line: str, said: list[str]) -> None:
    forward = "        hidden_states, residual = self.embed_tokens"
    model = KEPT + walk().replace(forward, f"        {line}\n{forward}").replace("if i in", "if i + kept().calls in")
    (wiring,) = analyse(model + PLAIN, (2,), (3,), (4,))
    assert [spoken(evaluation) for evaluation in wiring.evaluated] == [(each,) for each in said]


LATE = """
N = [0]


def n():
    N[0] += 1
    return N[0] - 1


a = n()
K = n()
"""


@pytest.mark.parametrize(
    ("line", "shift"),
    [
        ("n()", "getattr(helpers, 'K', 0)"),
        ("n()", "K"),
    ],
)
def test_what_an_import_could_not_be_told_of_stays_so(analyse: Analyse, line: str, shift: str) -> None:
    model = "import sglang.srt.helpers as helpers\n" + walk().replace("if i in", f"if i + {shift} in")
    (wiring,) = analyse(model + sets_first(line), (2,), (4,), helpers=LATE)
    first, second = (spoken(evaluation) for evaluation in wiring.evaluated)
    assert first in {("out:1",), UNPROVED} and second in {("out:3",), UNPROVED}


def test_an_import_in_a_function_runs_then(analyse: Analyse) -> None:
    line = "N[0] = 1\n        from sglang.srt.late import K\n        self.model.k = K"
    model = walk().replace("if i in", "if i + self.k in")
    late = "from sglang.srt.helpers import N\nK = N[0]\n"
    assert answers(analyse(model + sets_first(line), (2,), helpers="N = [0]\n", late=late)) in {("out:1",), UNPROVED}


COUNT = """
N = 0


def bump():
    global N
    N += 1
    return N


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = bump()
"""


def test_parts_that_count_themselves(analyse: Analyse) -> None:
    """The first part is never needed, and counts."""
    stack = walk().replace("class M(Stack):\n", "class M(Stack):" + PARTS + "\n")
    model = COUNT + stack.replace("if i in", "if i + self.parts[1].s - 2 in")
    assert answers(analyse(model + PLAIN, (2,))) == ("out:2",)


LOGGED = """
import logging

LOGGED = False


class Inner:
    def __init__(self):
        global LOGGED
        if not LOGGED:
            LOGGED = True
            logging.getLogger(__name__).info("made once")


def inner():
    return Inner()
"""


@pytest.mark.parametrize(("reads", "said"), [("0", "out:2"), ("helpers.LOGGED", "out:1")])
def test_a_flag_by_which_something_is_logged_once(analyse: Analyse, reads: str, said: str) -> None:
    """It decides nothing, unless another module reads it."""
    part = "class Part(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = inner()\n"
    stack = walk().replace("class M(Stack):\n", "class M(Stack):" + PARTS + "\n")
    needed = f"if i + {reads} + 0 * (self.parts[1].inner is None) in"
    model = "import sglang.srt.helpers as helpers\n" + part + stack.replace("if i in", needed)
    assert answers(analyse(model + PLAIN, (2,), helpers=LOGGED)) == (said,)


CONTEXT = """
class Context:
    def __init__(self):
        self.asked = 0

    def exec(self):
        self.asked = self.asked + 1
        return self


CONTEXT = Context()


def get_exec():
    return CONTEXT.exec()


def rank():
    return CONTEXT.exec()
"""


@pytest.mark.parametrize(("call", "reads"), [("get_exec", "0"), ("rank", "late.CONTEXT.asked - 1")])
def test_what_is_logged_may_ask_what_the_flow_supposes(analyse: Analyse, call: str, reads: str) -> None:
    """What the flow answers runs nothing; a function of the tree may do anything, and did it when it should."""
    part = "class Part(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = inner()\n"
    stack = walk().replace("class M(Stack):\n", "class M(Stack):" + PARTS + "\n")
    needed = f"if i + {reads} + 0 * (self.parts[1].inner is None) in"
    model = "import sglang.srt.late as late\n" + part + stack.replace("if i in", needed)
    said = f'f"made once by {{{call}().name}}"'
    helpers = "from sglang.srt.late import get_exec, rank\n" + LOGGED.replace('"made once"', said)
    assert answers(analyse(model + PLAIN, (2,), helpers=helpers, late=CONTEXT)) in {("out:2",), UNPROVED}
