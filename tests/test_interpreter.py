"""The machine by example: exact programs give what Python gives, unknown conditions are followed both ways and joined."""
from __future__ import annotations

import re
import sys
from contextlib import suppress
from types import ModuleType
from unittest.mock import patch

import pytest
from interpreted import run
from small_programs import PROGRAMS

from flowcheck.analyzer.interpret.signals import GiveUp, NeedDecision, Raised

GAPS = {
    "f-strings with a format": "not known: no format is applied",
    "f-strings with a conversion": "not known: no conversion is applied",
    "divmod": "not known",
    "slice assignment": "not known",
    "a set in a set": "not known",
    "sorted by a key": "not known",
    "max of texts": "not known",
    "an iterator sees what is appended later": "not known: what an iterator walks has changed",
    "a generator expression looks at its names late": "not known: what a generator reads has changed when it is walked",
    "a view of a dict sees later keys": "not known: a view of a dict that has changed",
    "a dict must not grow while it is walked": "not known: a dict that changes its size while it is walked",
}
"""Programs of which the machine does not know the answer, or knows a wrong one, and why."""


def by_python(source: str) -> object:
    module = ModuleType("example")
    with patch.dict(sys.modules, example=module):
        exec(compile(source, "example", "exec"), module.__dict__)  # noqa: S102 - a text of this project
        return module.f()


def marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(strict=True, reason=GAPS[name])] if name in GAPS else []


@pytest.mark.parametrize("source", [pytest.param(text, id=name, marks=marks(name)) for name, text in PROGRAMS.items()])
def test_as_python(source: str) -> None:
    assert run(source) == by_python(source)


@pytest.mark.parametrize("text", ["f'{n:03}'", "f'{n!r}'", "f'{n=}'", "'%03d' % n", "format(n, '03')"])
def test_no_text_is_claimed_of_a_format(text: str) -> None:
    with suppress(GiveUp, NeedDecision):
        found = run(f"def f(n):\n    return {text}", 4)
        assert found == by_python(f"n = 4\ndef f():\n    return {text}") or re.fullmatch(r"<[^<>]+>", str(found)), found


# -------------------------------------------------------- unknown conditions


def test_a_join_keeps_both() -> None:
    assert run("def f(c):\n    return 1 if c else 2", "?c") == {"c": (1, 2)}


def test_a_comprehension_is_made_for_either_thing_that_it_walks() -> None:
    source = "def f(c):\n    d = {'a': 1} if c else {'b': 2, 'z': 0}\n    return [k for k in d]"
    assert run(source, "?c") == {"c": (["a"], ["b", "z"])}


SPREAD = "def g(a=5, b=6):\n    return a, b\n\n\ndef f(c):\n    d = {'a': 1} if c else %s\n    return g(%s)"


def test_a_keyword_that_is_given_by_a_condition_has_its_default_else() -> None:
    assert run(SPREAD % ("{'b': 2}", "**d"), "?c") == ({"c": (1, 5)}, {"c": (6, 2)})


@pytest.mark.parametrize("given", ["a=3, **d", "3, **d"])
def test_a_keyword_that_may_be_given_twice_asks(given: str) -> None:
    """One answer raises TypeError, the other goes on with what was given first."""
    with pytest.raises(NeedDecision):
        run(SPREAD % ("{}", given), "?c")


def test_a_keyword_without_a_default_asks() -> None:
    with pytest.raises(NeedDecision):
        run("def g(a):\n    return a\n\n\ndef f(c):\n    d = {'a': 1} if c else {}\n    return g(**d)", "?c")


def test_a_truth_of_many_conditions_is_followed_both_ways() -> None:
    found = run("def f(*c):\n    return 1 if any(c) else 2", *(f"?c{k}" for k in range(40)))
    assert isinstance(found, dict)
    assert list(found.values()) == [(1, 2)]


def test_a_join_of_equals_is_one_value() -> None:
    assert run("def f(c):\n    x = 3\n    if c:\n        x = 3\n    return x", "?c") == 3


def test_one_unknown_has_one_answer() -> None:
    source = """
    def f(c):
        x = 1 if c else 2
        if c:
            return x
        return x * 10
    """
    assert run(source, "?c") == {"c": (1, 20)}


def test_what_follows_a_condition_is_part_of_it() -> None:
    source = """
    def f(c):
        x = 1 if c else 2
        y = 1 if c else 2
        return x == y
    """
    assert run(source, "?c") is True


def test_not_is_the_opposite() -> None:
    source = """
    def f(c):
        a = 1 if c else 2
        b = 2 if not c else 1
        return a - b
    """
    assert run(source, "?c") == 0


def test_an_early_return_takes_the_rest_with_it() -> None:
    source = """
    def f(c):
        out = []
        if c:
            return out
        out.append(1)
        return out
    """
    assert run(source, "?c") == {"c": ([], [1])}


def test_a_break_under_an_unknown_condition() -> None:
    source = """
    def f(c):
        n = 0
        for i in range(3):
            if i == 1 and c:
                break
            n += 1
        return n
    """
    assert run(source, "?c") == {"c": (1, 3)}


def test_a_continue_under_an_unknown_condition() -> None:
    source = """
    def f(c):
        n = 0
        for i in range(3):
            if c:
                continue
            n += i
        return n
    """
    assert run(source, "?c") == {"c": (0, 3)}


def test_writes_of_either_side_are_joined() -> None:
    source = """
    class A:
        x = 0
    def f(c):
        a, d = A(), {}
        if c:
            a.x = 1
            d["k"] = 1
        else:
            a.x = 2
            d["k"] = 1
        return a.x, d["k"]
    """
    assert run(source, "?c") == ({"c": (1, 2)}, 1)


def test_and_or_stop_where_they_must() -> None:
    source = """
    def f(c):
        log = []
        c and log.append(1)
        False and log.append(2)
        True or log.append(3)
        return log
    """
    assert run(source, "?c") == {"c": ([1], [])}


def test_a_chain_of_ands_is_false_wherever_it_stops() -> None:
    """One part of it is false, and before it is asked more than is followed way by way."""
    source = """
    def few(c):
        return c.names is not None and c.names[0] in ["one", "two", "three"] and getattr(c, "top", None) is not None

    class Context:
        def start(self, x, rank, few):
            self.allowed = x.flag_that_is_open and rank is not None and not few and 1 > 1 and not x.wide and x.other != "deep"

        def use(self, x):
            return self.allowed and x.mode.is_new() and not x.mode.is_old() and x.ids is not None and not x.twice

    def f(x):
        context = Context()
        context.start(x, x.rank if hasattr(x, "rank") else None, few(x))
        context.on = context.use(x)
        return "on" if context.on else "off"
    """
    assert run(source, "?x") == "off"


def test_any_and_all_of_unknowns() -> None:
    assert run("def f(c):\n    return any([c, True]), all([c, False])", "?c") == (True, False)


def test_a_dict_of_equals_by_an_unknown_key() -> None:
    assert run("def f(k):\n    return {'a': 1, 'b': 1}[k]", "?k") == 1


def test_two_unknowns_are_told_apart() -> None:
    found = run("def f(a, b):\n    return (1 if a else 2), (1 if b else 2)", "?a", "?b")
    assert found == ({"a": (1, 2)}, {"b": (1, 2)})


def test_a_raise_under_an_unknown_condition_is_not_taken() -> None:
    assert run("def f(c):\n    if c:\n        raise ValueError('x')\n    return 5", "?c") == 5


def test_a_raise_on_both_sides_is_one() -> None:
    with pytest.raises(Raised) as caught:
        run("def f(c):\n    if c:\n        raise ValueError('x')\n    raise ValueError('y')", "?c")
    assert (caught.value.kind, caught.value.certain) == ("ValueError", True)


def test_the_second_of_two_guards_is_marked_as_one() -> None:
    """The first one is passed over, so the second is an answer only where no guard was: see ``raised_outcome``."""
    with pytest.raises(Raised) as caught:
        run("def f(c):\n    if c:\n        raise ValueError('x')\n    raise TypeError('y')", "?c")
    assert (caught.value.kind, caught.value.explicit) == ("TypeError", True)


def test_a_caught_raise_under_an_unknown_condition_asks_for_its_answer() -> None:
    source = """
    def f(c):
        try:
            if c:
                raise ValueError("x")
            return 1
        except ValueError:
            return 2
    """
    with pytest.raises(NeedDecision) as caught:
        run(source, "?c")
    assert caught.value.condition.key == "c"


# ------------------------------------------------------- errors of the program


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("1 + None", "TypeError"),
        ("None + 1", "TypeError"),
        ("[] + (1,)", "TypeError"),
        ("len(3)", "TypeError"),
        ("None[0]", "TypeError"),
        ("(1)()", "TypeError"),
        ("[1][3]", "IndexError"),
        ("(1,)[-2]", "IndexError"),
        ("{}['a']", "KeyError"),
        ("None.x", "AttributeError"),
        ("nothing_of_that_name", "NameError"),
        ("int('x')", "ValueError"),
        ("1 // 0", "ZeroDivisionError"),
        ("max([])", "ValueError"),
        ("next(iter([]))", "StopIteration"),
        ("(lambda a: a)()", "TypeError"),
        ("(lambda a: a)(1, 2)", "TypeError"),
        ("(lambda a: a)(b=1)", "TypeError"),
        ("[x for x in None]", "TypeError"),
        ("1 < 'a'", "TypeError"),
        ("[].index(3)", "ValueError"),
        ("[].remove(3)", "ValueError"),
        ("[].pop()", "IndexError"),
        ("{}.pop('a')", "KeyError"),
    ],
)
def test_exact_operands_raise_as_in_python(body: str, kind: str) -> None:
    with pytest.raises(Raised) as caught:
        run(f"def f():\n    return {body}")
    assert caught.value.kind == kind


OPEN = [
    "x + 1", "x[0]", "x.y", "x()", "len(x)", "{}.get(x)", "x < 3", "[1, 2][x]", "{'a': 1}[x]", "int(x)", "[y for y in x]", "sorted(x)",
]


@pytest.mark.parametrize("body", OPEN)
def test_nothing_is_claimed_of_an_unknown(body: str) -> None:
    with suppress(GiveUp, NeedDecision):
        assert run(f"def f(x):\n    return {body}", "?x") is not None
