"""A draft is fed the hidden states that it was trained on in another order.

What it finds
    The engine concatenates the same captured points as the trainer, but not in the same order.

Why it matters
    The width is the same, so nothing fails. ``fc`` multiplies each state with the weights that were learnt for another one.

Example
    The trainer keeps the order of its ids, [58, 2, 30]; the engine captures in the order of the layers.

Instead
    Train on ids in the order of the layers. Where the engine keeps the order of its ids, write them in the trainer's order; the help names
    them where evaluating them proved it.

What it cannot see
    Whether the trainer given is the one that made the weights.

Sources
    Loops over the layers capture in their order, comprehensions over ids in that of the ids.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.agreement import difference
from ..analyzer.results import Analysis, Comparison, Location, Side
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each target class that serves the trained points in another order."""
    for comparison in analysis.comparisons:
        served, trained = comparison.served, comparison.trained
        if trained is not None and difference(comparison) == "order":
            yield _finding(comparison, served, trained)


def _finding(comparison: Comparison, served: Side, trained: Side) -> Finding:
    actual, expected = ", ".join(served.points or ()), ", ".join(trained.points or ())
    suggested = comparison.suggested
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"served in the order {actual}, trained in the order {expected} ({trained.at})",
        served.at or trained.at or Location("", 1),
        flow=comparison.flow,
        model=comparison.model,
        expected=expected,
        actual=actual,
        path=hops(served, trained),
        help=None if suggested is None else f"ids {list(suggested)} make {comparison.model} keep the trained order",
        draft=comparison.draft,
    )


def _compared(points: tuple[str, ...]) -> Analysis:
    trained = Side(("out:58", "out:2", "out:30"), (58, 2, 30), "established", None, None, Location("trainer/features.py", 12))
    served = Side(points, (58, 2, 30), "established", None, None, Location("draft/config.json", 11))
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, trained, 7168),))


RULE = Rule(
    code="FC102",
    name="order-mismatch",
    severity=Severity.ERROR,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "ids that are not sorted",
            _compared(("out:2", "out:30", "out:58")),
            ("served in the order out:2, out:30, out:58, trained in the order out:58, out:2, out:30 (trainer/features.py:12)",),
        ),
        Example("the same order", _compared(("out:58", "out:2", "out:30"))),
    ),
    needs="draft",
)
