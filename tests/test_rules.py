"""A rule's examples are its tests, and its page has the headings that every page has."""
from __future__ import annotations

from collections.abc import Iterator

import pytest
from results_examples import analysis, evaluation, unknown_wiring, unproved, wiring

from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.results import Analysis, Location, NotEstablished
from flowcheck.analyzer.rule import Example, Finding, Rule, Severity, chosen, judge, named, severity
from flowcheck.rules import RULES

EXAMPLES = [pytest.param(rule, example, id=f"{rule.code}: {example.title}") for rule in RULES for example in rule.examples]
HEADINGS = ["What it finds", "Why it matters", "Example", "Instead", "What it cannot see", "Sources"]


def findings(found: Analysis) -> list[Finding]:
    """What the rules find."""
    return list(judge(found, RULES))


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_examples(rule: Rule, example: Example) -> None:
    found = list(rule.check(example.analysis))
    assert tuple(finding.message for finding in found) == example.messages
    assert all((finding.code, finding.rule) == (rule.code, rule.name) for finding in found)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_pages(rule: Rule) -> None:
    lines = rule.page.strip().splitlines()
    assert [text for text in lines[1:] if text and not text.startswith(" ")] == HEADINGS
    assert lines[0].endswith(".")
    assert any(example.messages for example in rule.examples)
    assert any(not example.messages for example in rule.examples)


def test_codes_and_names_are_unique_and_in_order() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_targets_that_fail_for_one_cause_share_a_finding() -> None:
    (found,) = findings(analysis(unknown_wiring("A"), unknown_wiring("B"), wiring(evaluated=())))
    assert found.message == "A, B are not established: make_blocks is not in the tree"
    assert (str(found.at), found.flow, found.model, found.severity) == ("engine/tulip.py:9", "eagle3", None, Severity.INFO)


def test_id_lists_that_fail_are_named() -> None:
    place = Location("engine/llama.py", 12)
    rows = (evaluation((0,), "out:0"), *(unproved((k,), "unknown bound", place) for k in range(1, 6)))
    (found,) = findings(analysis(wiring(evaluated=rows)))
    assert found.message == "LlamaForCausalLM (ids 1 · 2 · 3 and 2 more) is not established: unknown bound"
    assert (found.model, found.at) == ("LlamaForCausalLM", place)


def test_a_cause_that_a_wiring_tells_is_not_told_again() -> None:
    same = NotEstablished("TulipForCausalLM", "make_blocks is not in the tree", Location("engine/tulip.py", 9))
    assert len(findings(analysis(unknown_wiring(), not_established=(same,)))) == 1


def test_an_unreadable_file_is_no_unproved_wiring() -> None:
    entry = NotEstablished("file", "invalid syntax", Location("engine/x.py", 3))
    assert [found.code for found in findings(analysis(not_established=(entry,)))] == ["FC902"]


def test_rules_go_by_code_and_by_name() -> None:
    assert named(RULES, "FC901") is named(RULES, "not-established") is named(RULES, "fc901")


def test_select_and_ignore() -> None:
    assert [rule.code for rule in chosen(RULES, ["FC901,unreadable-file"], ["FC902"])] == ["FC901"]
    assert chosen(RULES, [], []) == RULES


def test_the_beginning_of_a_code_is_a_family() -> None:
    assert {rule.code[:3] for rule in chosen(RULES, ["FC2"], [])} == {"FC2"}
    assert [rule.code for rule in chosen(RULES, ["fc10, FC901"], ["FC101"])] == ["FC102", "FC103", "FC104", "FC105", "FC901"]
    assert chosen(RULES, ["FC"], []) == RULES


def test_the_nearest_name_is_told() -> None:
    with pytest.raises(BadInput, match=r"unknown rule 'stale-sate'; did you mean 'stale-state'\?"):
        named(RULES, "stale-sate")


def test_unknown_names_are_bad_input() -> None:
    with pytest.raises(BadInput, match="unknown rule 'FC000'"):
        chosen(RULES, [], ["FC000"])
    with pytest.raises(BadInput, match="unknown severity 'fatal'"):
        severity("fatal")


def test_the_worst_comes_first() -> None:
    place = Location("a.py", 1)
    levels = (Severity.INFO, Severity.ERROR, Severity.WARNING)

    def every(_: Analysis) -> Iterator[Finding]:
        return (Finding("FC999", "example", level, "", place) for level in levels)

    rule = Rule("FC999", "example", Severity.INFO, "Page.", every, ())
    assert [found.severity for found in judge(analysis(), [rule])] == [Severity.ERROR, Severity.WARNING, Severity.INFO]
