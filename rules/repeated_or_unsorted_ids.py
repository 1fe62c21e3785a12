"""Duplicates collapse, order is lost.

What it finds
    A draft whose list has an id twice, or ids that do not ascend, with a target that captures each layer once and in the order of the
    layers: fewer states arrive than there are ids, or they arrive in another order. What every target does with such lists stands in
    the table of wirings.

Why it matters
    ``fc`` has a slot for each id. With a state less it raises, and in another order each slot is multiplied with the weights of
    another one, of the same width.

Example
    The config says [58, 2, 30]; the loop over the layers captures out:2 first.

Instead
    Name each id once and in the order of the layers, for the trainer as for the engine.

What it cannot see
    Whether the draft was trained on the order of the layers, where no trainer is given. Where one is, and the order is all that
    differs, that is FC102.

Sources
    Loops over layers ask ``i in ids``, which has no order and counts nothing.
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..analyzer.agreement import agreement, difference
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Comparison, Location, Missed, Side
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each draft whose list is not what is captured, by number or by order."""
    for comparison in analysis.comparisons:
        if (what := _lost(comparison)) is not None:
            yield _finding(comparison, what)


def _lost(comparison: Comparison) -> str | None:
    """What the target makes of a list that is not one of ascending ids; None where nothing is lost, or another finding tells it."""
    served = comparison.served
    ids, points = served.ids or (), served.points or ()
    unreached = served.missed.unreached if served.missed is not None else ()
    if agreement(comparison) == "same" or not points:
        return None
    again = [k for k, count in Counter(ids).items() if count > 1 and k not in unreached]
    distinct = [k for k in dict.fromkeys(ids) if k not in unreached]
    if again and len(points) == len(distinct):
        named = f"id {again[0]} is" if len(again) == 1 else f"ids {', '.join(map(str, again))} are"
        return f"{named} captured once: {len(points)} states arrive for {len(ids)} ids"
    if len(points) != len(distinct) or difference(comparison) == "order":
        return None
    depths = [_depth(point) for point in points]
    if distinct != sorted(distinct) and depths == sorted(depths) and -2 not in depths:
        return "the order of the ids is lost: states arrive in the order of the layers"
    return None


def _depth(point: str) -> int:
    """How deep in the target a point lies; -2 where that is not told."""
    found = re.match(r"out:(\d+)", point)
    return int(found[1]) if found else -1 if point.startswith("embed") else -2


def _finding(comparison: Comparison, what: str) -> Finding:
    served = comparison.served
    points = ", ".join(served.points or ())
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"ids {ids_text(served.ids)}: {what}: {points}",
        served.at or Location("", 1),
        flow=comparison.flow,
        model=comparison.model,
        actual=points,
        path=hops(served, comparison.trained),
        help="name each id once, in the order of the layers",
        draft=comparison.draft,
    )


def _compared(ids: tuple[int, ...], *points: str, trained: tuple[str, ...] | None = None) -> Analysis:
    served = Side(points, ids, "established", None, None, Location("draft/config.json", 7), missed=None)
    side = None if trained is None else Side(trained, ids, "established", None, None, None)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, side, 8),))


def _beside_a_lost_one() -> Analysis:
    missed = Missed((9,), (), None)
    served = Side(("out:1", "out:3"), (1, 3, 9), "established", None, None, Location("draft/config.json", 7), missed=missed)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, None, 8),))


RULE = Rule(
    code="FC308",
    name="repeated-or-unsorted-ids",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    needs="draft",
    examples=(
        Example(
            "an id stands twice",
            _compared((1, 3, 3), "out:1", "out:3"),
            ("ids 1,3,3: id 3 is captured once: 2 states arrive for 3 ids: out:1, out:3",),
        ),
        Example(
            "ids that do not ascend",
            _compared((5, 1, 3), "out:1", "out:3", "out:5"),
            ("ids 5,1,3: the order of the ids is lost: states arrive in the order of the layers: out:1, out:3, out:5",),
        ),
        Example("the order of the list is kept", _compared((5, 1, 3), "out:5", "out:1", "out:3")),
        Example("trained in the order of the layers", _compared((5, 1), "out:1", "out:5", trained=("out:1", "out:5"))),
        Example("another id is lost", _beside_a_lost_one()),
    ),
)
