"""How much of a run is proved, and why the rest is not."""
from __future__ import annotations

from dataclasses import replace

from results_examples import analysis, depending, unknown_wiring, wiring

from flowcheck.analyzer.coverage import Reason, proved
from flowcheck.analyzer.json_report import wiring_document
from flowcheck.analyzer.report import Detail, wiring_report
from flowcheck.analyzer.results import Wiring
from flowcheck.analyzer.text import paint


def open_wiring(text: str, *more: str) -> Wiring:
    """A wiring that depends on conditions."""
    rows = tuple(depending((number,), each, ("out:1",), "KeyError: 'x' (a.py:1)") for number, each in enumerate((text, *more)))
    return replace(wiring(evaluated=rows), status="depends")


def test_all_are_counted() -> None:
    counted = proved([wiring(), wiring("Other"), open_wiring("ready"), unknown_wiring()])
    assert str(counted) == "4 wirings: 2 established, 1 depends, 1 not established"
    assert (counted.wirings, counted.established, counted.depends, counted.not_established) == (4, 2, 1, 1)


def test_nothing_has_no_counts() -> None:
    assert str(proved([])) == "0 wirings"
    assert proved([wiring()]).reasons == ()


def test_reasons_are_grouped_the_most_frequent_first() -> None:
    lost = [unknown_wiring("A", "no loop"), unknown_wiring("B", "no list"), unknown_wiring("C", "no list")]
    assert proved(lost).reasons == (Reason("not established", "no list", 2), Reason("not established", "no loop", 1))


def test_what_depends_is_grouped_by_its_conditions() -> None:
    found = proved([open_wiring("ready"), open_wiring("ready", "large"), open_wiring("ready"), unknown_wiring()])
    told = [(reason.text, reason.wirings) for reason in found.reasons]
    assert told == [("ready", 2), ("ready, large", 1), ("make_blocks is not in the tree", 1)]


def test_the_report_begins_with_it() -> None:
    found = analysis(wiring(), open_wiring("ready"), open_wiring("ready"), unknown_wiring())
    text = paint(wiring_report(found, (), False, Detail()), False)
    assert text.splitlines()[1:4] == [
        "4 wirings: 1 established, 2 depend, 1 not established",
        "  2 depend on ready",
        "  1 not established since make_blocks is not in the tree",
    ]


def test_the_document_has_it() -> None:
    assert wiring_document(analysis(wiring(), unknown_wiring()))["coverage"] == {
        "wirings": 2, "established": 1, "depends": 0, "not_established": 1,
        "reasons": [{"status": "not established", "reason": "make_blocks is not in the tree", "wirings": 1}],
    }  # fmt: skip
