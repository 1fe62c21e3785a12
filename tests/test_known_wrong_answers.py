"""Answers that are known to be wrong, each as the test that will pass once it is mended: strict, so that none is mended unseen."""
from __future__ import annotations

import pytest
from flow_comments import spoken
from test_some_configs import PLAIN, Analyse, analyse, answers, walk

__all__ = ["analyse"]
UNPROVED = ("not established",)
INIT = """
    def __init__(self, config):
        super().__init__(config)
"""


def made(lines: str) -> str:
    """The target class with these lines in its constructor."""
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    return PLAIN.replace("stack_class = M\n", "stack_class = M\n" + INIT + body)


@pytest.mark.xfail(strict=True, reason="what is written to an unknown object under an open condition is taken for true otherwise too")
def test_an_attribute_of_a_config_that_is_set_by_a_condition(analyse: Analyse) -> None:
    model = walk().replace("if i in", "if i + (1 if self.config.x else 0) in") + made("if config.y:\n    config.x = True")
    assert answers(analyse(model, (2,))) in {("out:1", "out:2"), UNPROVED}


@pytest.mark.xfail(strict=True, reason="a raise that a constructor catches itself is taken for a guard")
def test_a_raise_that_a_constructor_catches(analyse: Analyse) -> None:
    lines = "try:\n    if config.x:\n        raise ValueError\n    self.model.shift = 1\nexcept ValueError:\n    self.model.shift = 0"
    model = walk().replace("if i in", "if i + self.shift in") + made(lines)
    assert answers(analyse(model, (2,))) in {("out:1", "out:2"), UNPROVED}


@pytest.mark.xfail(strict=True, reason="a constructor that is postponed and never needed does not do what it does besides")
def test_a_part_that_counts_itself(analyse: Analyse) -> None:
    part = """
N = [0]


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.register()

    def register(self):
        N[0] += 1
"""
    model = part + walk().replace("if i in", "if i + N[0] in") + made("self.part = Part()")
    assert answers(analyse(model, (2,))) in {("out:1",), UNPROVED}


@pytest.mark.xfail(strict=True, reason="a statement of a module that binds no name that is needed does not do what it does besides")
def test_a_statement_of_a_module_that_counts(analyse: Analyse) -> None:
    module = "N = [0]\n\n\ndef n():\n    N[0] += 1\n    return N[0] - 1\n\n\na = n()\nK = n()\n"
    assert answers(analyse(module + walk().replace("if i in", "if i + K in") + PLAIN, (2,))) in {("out:1",), UNPROVED}


@pytest.mark.xfail(strict=True, reason="a variable that was None holds what it is given from then on, whichever run it was")
def test_a_variable_that_is_given_its_value_by_some_ids(analyse: Analyse) -> None:
    module = "N = None\n\n\ndef once():\n    global N\n    if N is None:\n        N = 1\n\n"
    setter = """
    def set_eagle3_layers_to_capture(self, layer_ids=None):
        if 2 in layer_ids:
            once()
        super().set_eagle3_layers_to_capture(layer_ids)
"""
    model = module + walk().replace("if i in", "if i + (N or 0) in") + PLAIN.replace("= M\n", "= M\n" + setter)
    (wiring,) = analyse(model, (2,), (4,))
    assert spoken(wiring.evaluated[1]) in {("out:4",), UNPROVED}


def test_the_head_of_these_models_is_right(analyse: Analyse) -> None:
    assert answers(analyse(walk() + made("self.part = None"), (2,))) == ("out:2",)
