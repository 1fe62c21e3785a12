"""An answer that depends names the conditions on which it hangs, and no others."""
from __future__ import annotations

from flowcheck.analyzer.alternatives import simplest
from flowcheck.analyzer.outcome import Outcome

ONE, OTHER = Outcome(captured=("out:1",)), Outcome(error="KeyError: 'x' (a.py:1)")


def told(*rows: tuple[dict[str, bool], Outcome]) -> list[tuple[dict[str, bool], Outcome]]:
    return simplest(list(rows))


def test_a_condition_that_decides_stays() -> None:
    rows = [({"a": True}, ONE), ({"a": False}, OTHER)]
    assert told(*rows) == rows


def test_a_condition_that_decides_nothing_goes() -> None:
    rows = [({"idle": i, "a": a}, ONE if a else OTHER) for i in (True, False) for a in (True, False)]
    assert told(*rows) == [({"a": True}, ONE), ({"a": False}, OTHER)]


def test_a_condition_that_was_asked_under_another_stays_where_it_counts() -> None:
    found = told(({"a": False}, ONE), ({"a": True, "b": True}, OTHER), ({"a": True, "b": False}, ONE))
    assert found == [({"a": False}, ONE), ({"a": True, "b": True}, OTHER), ({"b": False}, ONE)]


def test_a_condition_on_which_one_answer_hangs_is_not_lost() -> None:
    rows = [({"a": True}, ONE), ({"a": False, "b": True}, OTHER), ({"a": False, "b": False}, Outcome(captured=()))]
    assert told(*rows) == rows
