"""An attribute of a config that is not there is told as one that is false, where that comes to the same."""
from __future__ import annotations

from flowcheck.analyzer.alternatives import Answered, simplest
from flowcheck.analyzer.outcome import Outcome

A, THERE, B = "config.alone", "hasattr(config, 'alone')", "config.other"
ONE, TWO, THREE = Outcome(captured=("out:1",)), Outcome(captured=("out:2",)), Outcome(error="ValueError: no")


def told(*rows: Answered) -> list[tuple[dict[str, bool], Outcome]]:
    return sorted(simplest(list(rows)), key=lambda row: str(row))


def test_what_is_not_there_is_false_where_that_is_the_same() -> None:
    rows = told(({A: True, THERE: True}, THREE), ({A: False}, ONE), ({A: True, THERE: False}, ONE))
    assert rows == sorted([({A: True}, THREE), ({A: False}, ONE)], key=str)


def test_what_is_not_there_is_told_where_it_is_not() -> None:
    rows = told(({A: True, THERE: True}, THREE), ({A: False, THERE: True}, ONE), ({THERE: False}, TWO))
    assert ({THERE: False}, TWO) in rows
    assert len(rows) == 3


def test_the_value_of_what_is_not_there_is_moot() -> None:
    absent = [({A: True, THERE: False}, TWO), ({A: False, THERE: False}, TWO)]
    rows = told(({A: True, THERE: True}, THREE), ({A: False, THERE: True}, ONE), *absent)
    assert rows == sorted([({A: True}, THREE), ({A: False}, ONE), ({THERE: False}, TWO)], key=str)


def test_other_conditions_stay() -> None:
    rows = told(
        ({A: True, THERE: True}, THREE),
        ({A: False, B: True}, ONE),
        ({A: False, B: False}, TWO),
        ({A: True, THERE: False, B: True}, ONE),
        ({A: True, THERE: False, B: False}, TWO),
    )
    assert rows == sorted([({A: True}, THREE), ({A: False, B: True}, ONE), ({A: False, B: False}, TWO)], key=str)
