"""Values that hang on conditions: under every answer they are what they were, and no condition is asked twice on a way down."""
from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from flowcheck.analyzer.interpret.phis import NOT, alternatives, conditions, map_shared, phi
from flowcheck.analyzer.values import Phi, Unknown, Value

NAMES = ("a", "b", "c")
ASKED = st.sampled_from([Unknown(prefix + name, "given by the test") for name in NAMES for prefix in ("", NOT)])
ANSWERS = [dict(zip(NAMES, each, strict=True)) for each in product((True, False), repeat=len(NAMES))]


def answer(condition: Unknown, answers: dict[str, bool]) -> bool:
    key = condition.key
    return not answers[key.removeprefix(NOT)] if key.startswith(NOT) else answers[key]


def under(value: Value, answers: dict[str, bool]) -> Value:
    while isinstance(value, Phi):
        value = value.if_true if answer(value.condition, answers) else value.if_false
    return value


def ways(value: Value, asked: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(value, Phi):
        return [asked]
    down = (*asked, value.condition.key.removeprefix(NOT))
    return ways(value.if_true, down) + ways(value.if_false, down)


def built(steps: list[tuple[Unknown, int, int]]) -> Value:
    """A value that is made step by step of two that were made before, so that parts are shared."""
    made: list[Value] = [0, 1, 2]
    for condition, one, other in steps:
        made.append(phi(condition, made[one % len(made)], made[other % len(made)]))
    return made[-1]


Steps = list[tuple[Unknown, int, int]]
STEPS = st.lists(st.tuples(ASKED, st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=12)


@given(STEPS, ASKED, STEPS)
def test_a_choice_is_what_its_sides_are(first: Steps, asked: Unknown, second: Steps) -> None:
    one, other = built(first), built(second)
    made = phi(asked, one, other)
    for answers in ANSWERS:
        assert under(made, answers) == under(one if answer(asked, answers) else other, answers)


@given(STEPS)
def test_no_condition_is_asked_twice_on_a_way(steps: Steps) -> None:
    assert all(len(set(way)) == len(way) for way in ways(built(steps)))


@given(STEPS)
def test_an_operation_is_applied_to_each_alternative(steps: Steps) -> None:
    value = built(steps)
    doubled = map_shared(value, lambda each: (each, each), {})
    assert all(under(doubled, answers) == (under(value, answers),) * 2 for answers in ANSWERS)
    assert {under(value, answers) for answers in ANSWERS} == set(alternatives(value))


def test_a_stack_that_is_joined_layer_after_layer_stays_small() -> None:
    """Sixty layers that hang on three conditions, each of them in every layer."""
    asked = [Unknown(name, "given by the test") for name in NAMES]
    value: Value = "start"
    for layer in range(60):
        for condition in asked:
            value = phi(condition, value, f"{layer}")
    assert len(ways(value)) <= 2 ** len(NAMES)
    assert {each.key for each in conditions(value)} <= set(NAMES)
