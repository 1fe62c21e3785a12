"""The conditions that a setter asks: their words, and how they were answered."""
from __future__ import annotations

import pytest
from interpreted import MODULE, machine_on, run

from flowcheck.analyzer.interpret.asking import Asking
from flowcheck.analyzer.interpret.names import module_name
from flowcheck.analyzer.results import Asked
from flowcheck.analyzer.values import Id


def asked(source: str, *ids: int) -> list[Asked]:
    """What ``f`` of the source asks when it is handed these ids."""
    machine = machine_on(source)
    module = machine.index.module(MODULE)
    assert module is not None
    handed = tuple(map(Id, ids))
    machine.asking = Asking(handed)
    with machine.in_module(module):
        machine.call(module_name(machine, module, "f"), (machine.new_list(handed),), {})
    return list(dict.fromkeys(machine.asking.conditions))


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("wanted[0] == 1", "ids[0] == 1"),
        ("max(wanted) >= 3", "max(ids) >= 3"),
        ("wanted[-1] - wanted[0] > 1", "ids[-1] - ids[0] > 1"),
        ("len(wanted) in (2, 3)", "len(ids) in (2, 3)"),
        ("wanted[1:] == [2, 3]", "ids[1:] == [2, 3]"),
        ("any(k > 2 for k in wanted)", "any(k > 2 for k in ids)"),
        ("not wanted", "not ids"),
        ("first == 1", "ids[0] == 1"),
        ("copied[0] == 1", "ids[0] == 1"),
        ("span > 1", "ids[-1] - ids[0] > 1"),
        ("span * 2 > 1", "(ids[-1] - ids[0]) * 2 > 1"),
        ("turned[0] == 1", "turned[0] == 1"),
        ("limit == 3", "limit == 3"),
    ],
)
def test_the_words(test: str, said: str) -> None:
    *_, only = asked(
        f"""
        def f(wanted, limit=3):
            first = wanted[0]
            span = wanted[-1] - wanted[0]
            copied = list(wanted)
            turned = [k + 1 for k in wanted]
            turned = turned[::-1]
            return 1 if {test} else 2
        """,
        1, 2, 3,
    )  # fmt: skip
    assert (only.text, only.written) == (said, test)


def test_a_comparison_is_asked_whatever_is_made_of_it() -> None:
    found = asked("def f(a):\n    return [k + (len(a) == 3) for k in a]", 1, 2, 3)
    assert [(each.text, each.answer) for each in found] == [("len(ids) == 3", True)]


def test_each_part_of_a_condition_is_asked() -> None:
    found = asked("def f(a):\n    if a and (a[0] == 1 or a[0] == 2):\n        return 1", 2)
    assert [(each.text, each.answer) for each in found] == [
        ("ids", True),
        ("ids[0] == 1", False),
        ("ids[0] == 2", True),
        ("ids[0] == 1 or ids[0] == 2", True),
        ("ids and (ids[0] == 1 or ids[0] == 2)", True),
    ]


@pytest.mark.parametrize(
    ("test", "turned"),
    [
        ("a[0] == 1", True),
        ("len(a) > 2", True),
        ("a", True),
        ("not a", True),
        ("a is None", False),
        ("isinstance(a, list)", False),
        ("b > 2", False),
    ],
)
def test_what_other_ids_may_answer_otherwise(test: str, turned: bool) -> None:
    (only,) = asked(f"def f(a, b=3):\n    if {test}:\n        return 1", 1)
    assert only.of_ids is turned


def test_a_method_that_sets_attributes_is_asked() -> None:
    source = """
        class Base:
            def __setattr__(self, name, value):
                object.__setattr__(self, name, value)

        class Quiet(Base):
            def __init__(self):
                self.kept, self.model = 1, 2

            def __setattr__(self, name, value):
                if name != "model":
                    super().__setattr__(name, value)

        def f():
            made = Quiet()
            made.more = 3
            return made.kept, made.more, hasattr(made, "model")
    """
    assert run(source) == (1, 3, False)
