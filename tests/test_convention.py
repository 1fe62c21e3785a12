"""A convention that hangs on the ids is told with the condition; nothing is claimed but what was evaluated."""
from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from results_examples import evaluation

from flowcheck.analyzer.behaviour import behaviour, condition_places
from flowcheck.analyzer.convention import convention, effect, told_apart
from flowcheck.analyzer.json_report import clause_object
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Ids, Request
from flowcheck.analyzer.results import Asked, Clause, Evaluation, Location, Wiring

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ASKED = Location("engine/llama.py", 20)


@cache
def wirings(case: str) -> dict[str, Wiring]:
    """The bare run of a fixture, by target class."""
    return {wiring.model: wiring for wiring in analyze(Request(str(FIXTURES / case / "tree"))).wirings}


def told(wiring: Wiring) -> tuple[str, ...]:
    """The convention as the report tells it."""
    return next(fact.texts for fact in behaviour(wiring) if fact.label == "convention")


SHIFTS = {
    "LargestForCausalLM": "id k captures out:k-1 if max(ids) == num_layers, else out:k",
    "CountForCausalLM": "id k captures out:k-1 if len(ids) == 5, else out:k",
    "CopyForCausalLM": "id k captures out:k-1 if ids[0] == 2, else out:k",
    "MethodForCausalLM": "id k captures out:k if self.is_old(ids), else out:k-1",
    "EachForCausalLM": "id k captures out:k if val < 3, else out:k-1",
    "TwiceForCausalLM": "id k captures out:k if ids[0] == 1, out:k-2 if ids[0] == 2, else out:k-1",
    "CheckedForCausalLM": "id k captures out:k",
    "OpenForCausalLM": "id k captures out:k if not (sum(ids) == 1000)",
}


@pytest.mark.parametrize("model", SHIFTS)
def test_what_the_ids_decide(model: str) -> None:
    assert told(wirings("ids-decide-shift")[model]) == (SHIFTS[model],)


def test_a_comparison_decides_where_it_is_a_number() -> None:
    assert told(wirings("ids-decide")["NumberForCausalLM"])[0] == "id k captures out:k if len(ids) == 3, else out:k-1"


def test_the_first_id_decides() -> None:
    (wiring,) = wirings("first-id-decides").values()
    assert told(wiring) == ("id k captures out:k if ids[0] == 1, else out:k-1",)
    assert [place.rpartition("/")[2] for place in condition_places(wiring)] == ["heuristic.py:37"]


def test_the_document_holds_the_condition_and_its_place() -> None:
    (wiring,) = wirings("first-id-decides").values()
    first, other = (clause_object(clause) for clause in wiring.convention[:2])
    assert (first["when"], first["captures"]) == ("id k if ids[0] == 1", "out:k")
    assert (other["when"], other["captures"]) == ("id k if not (ids[0] == 1)", "out:k-1")
    (condition,) = first["conditions"]  # type: ignore[misc, union-attr]
    assert (condition["text"], condition["line"], condition["value"]) == ("ids[0] == 1", 37, True)  # type: ignore[call-overload, index]
    assert set(clause_object(wiring.convention[2])) == {"when", "captures"}


def test_both_answers_are_evaluated_with_the_same_id() -> None:
    (wiring,) = wirings("first-id-decides").values()
    answers = {row.ids: row.captured for row in wiring.evaluated}
    assert answers[1, 2] == ("out:1", "out:2")
    assert answers[2, 1] == ("out:0", "out:1")


def test_a_setter_that_asks_nothing_is_run_with_no_more_lists() -> None:
    assert len(wirings("llama-like")["LlamaForCausalLM"].evaluated) == 1 + 9 + 2


@pytest.mark.parametrize(
    ("ids", "captured", "says"),
    [
        ((1, 3), ("out:1", "out:3"), "out:k"),
        ((3, 1), ("out:0", "out:2"), "out:k-1"),
        ((1, 1), ("out:2",), "out:k+1"),
        ((0, 2), ("embed", "out:1"), "out:k-1"),
        ((1, 3), ("out:1/no-residual", "out:3/no-residual"), "out:k/no-residual"),
        ((1, 3), ("out:1", "out:3/normed"), None),
        ((1, 2, 3), ("out:1", "out:3"), None),
        ((1,), ("final",), None),
        ((), (), None),
        (None, ("out:1",), None),
    ],
)
def test_what_a_list_says_of_any_id(ids: Ids, captured: tuple[str, ...], says: str | None) -> None:
    assert effect(evaluation(ids, *captured)) == says


def asked(row: Evaluation, **answers: bool) -> Evaluation:
    """The evaluation, with conditions that the setter asked of the ids."""
    conditions = tuple(Asked(text, text, ASKED, column, answer, True) for column, (text, answer) in enumerate(answers.items()))
    return replace(row, asked=conditions)


def clauses(*rows: Evaluation) -> list[tuple[str, str]]:
    return [(clause.when, clause.captures) for clause in convention(rows, 4)]


def test_a_condition_that_decides_nothing_is_not_told() -> None:
    rows = (asked(evaluation((1,), "out:1"), small=True), asked(evaluation((2,), "out:2"), small=False))
    assert clauses(*rows) == [("id k", "out:k")]


def test_lists_that_no_condition_tells_apart_leave_what_single_ids_do() -> None:
    rows = (evaluation((1,), "out:1"), evaluation((2,), "out:2"), evaluation((1, 2), "out:0", "out:1"))
    assert clauses(*rows) == [("id k alone", "out:k")]


def test_ids_that_no_condition_tells_apart_are_told_one_by_one() -> None:
    assert clauses(evaluation((1,), "out:0"), evaluation((2,), "out:2")) == [("id 1", "out:0"), ("id 2", "out:2")]


def test_ids_that_all_capture_nothing_share_a_clause() -> None:
    assert clauses(evaluation((1,)), evaluation((2,))) == [("id k", "nothing")]


def test_what_was_answered_one_way_only_limits_the_convention() -> None:
    rows = (asked(evaluation((1,), "out:1"), rare=False), asked(evaluation((2,), "out:2"), rare=False))
    assert clauses(*rows) == [("id k if not (rare)", "out:k")]


def test_nothing_more_is_run_where_nothing_is_known() -> None:
    open_row = replace(evaluation((1,)), captured=None, status="not established")

    def evaluate(ids: Ids) -> Evaluation:
        raise AssertionError(ids)

    assert told_apart(evaluate, [asked(open_row, first=True)], 4) == (asked(open_row, first=True),)


def test_clauses_without_conditions_are_as_they_were() -> None:
    assert clause_object(Clause("id k", "out:k")) == {"when": "id k", "captures": "out:k"}


CAREFUL = "config.block_type == 'sequential'"


def test_a_condition_of_the_tree_is_told_with_both_results() -> None:
    wiring = wirings("layer-families")["CarelessForCausalLM"]
    raises = "raises TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'"
    assert told(wiring) == (f"id k captures out:k if {CAREFUL}, else {raises}",)
    assert [place.rpartition("/")[2] for place in condition_places(wiring)] == ["families.py:19"]


@pytest.mark.parametrize(("config", "says"), [("whole", "id k captures out:k"), ("encoder", "id k raises AttributeError")])
def test_a_config_decides_what_the_tree_leaves_open(config: str, says: str) -> None:
    tree, target = FIXTURES / "encoder-only/tree", FIXTURES / f"encoder-only/configs/{config}.json"
    (wiring,) = analyze(Request(str(tree), target=str(target))).wirings
    assert wiring.status == "established"
    assert told(wiring)[0].startswith(says)
