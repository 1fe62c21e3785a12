"""A draft is fed the layers that it was trained on, at another stage.

What it finds
    Engine and trainer take the same layers in the same order, but not the same tensor of each: one takes the whole residual stream, the
    other the last branch without the residual, a normed state, a sum before all ranks have added their part, or what a layer hands on
    before something else is added. The final norm counts as a stage of what the last layer puts out.

Why it matters
    Number and width are the same, and so are the ids: a comparison of ids, by whatever dialect, finds nothing. ``fc`` sees other numbers
    than those that it was trained on.

Example
    The trainer takes ``hidden_states[-1]``, which has been through the final norm; the engine captures the output of the last layer.

Instead
    Capture on both sides the same tensor of the layer. No id list mends it, unless the help names one.

What it cannot see
    Which of both sides is the one to change. Two stages of one name need not be one tensor: that is *not established*.

Sources
    transformers 4.57.1 and 5.8.1: the last entry of ``hidden_states`` is normed. SGLang 0.5.9, models/llama.py line 383: what a layer
    hands on and the residual are added where a state is captured, and nowhere else.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.agreement import agree, difference
from ..analyzer.results import Analysis, Comparison, Location, Side, Step
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each target class that serves the trained layers at another stage."""
    for comparison in analysis.comparisons:
        if comparison.trained is not None and difference(comparison) == "stage":
            yield _finding(comparison, comparison.served, comparison.trained)


def _finding(comparison: Comparison, served: Side, trained: Side) -> Finding:
    actual, expected = ", ".join(served.points or ()), ", ".join(trained.points or ())
    pairs = zip(served.points or (), trained.points or (), strict=True)
    first, wanted = next(pair for pair in pairs if agree(*pair) == "other")
    suggested = comparison.suggested
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"served {actual}, trained {expected}: {_made(first, served)} is not {_made(wanted, trained)}",
        _last(served) or _last(trained) or Location("", 1),
        flow=comparison.flow,
        model=comparison.model,
        expected=expected,
        actual=actual,
        path=hops(served, trained),
        help=None if suggested is None else f"ids {list(suggested)} make {comparison.model} capture what was trained",
        draft=comparison.draft,
    )


def _made(point: str, side: Side) -> str:
    at = _last(side)
    return point if at is None else f"{point} of {at}"


def _last(side: Side) -> Location | None:
    """Where the states are taken, as far as it is known: the last hop."""
    return side.path[-1].at if side.path else side.at


def _side(points: tuple[str, ...], file: str, line: int) -> Side:
    taken = Step("append", "a state", "in the list", Location(file, line))
    return Side(points, (2, 30), "established", None, None, Location("draft/config.json", 11), (), (taken,))


def _compared(served: tuple[str, ...], trained: tuple[str, ...]) -> Analysis:
    sides = _side(served, "engine/tulip.py", 40), _side(trained, "trainer/features.py", 12)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", *sides, 7168, num_layers=31),))


_BARE = ("out:2/no-residual", "out:30/no-residual")
_ALL = ", ".join(_BARE)

RULE = Rule(
    code="FC103",
    name="stage-mismatch",
    severity=Severity.ERROR,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "the residual is left out",
            _compared(_BARE, ("out:2", "out:30")),
            (f"served {_ALL}, trained out:2, out:30: {_BARE[0]} of engine/tulip.py:40 is not out:2 of trainer/features.py:12",),
        ),
        Example(
            "the last state of transformers is normed",
            _compared(("out:2", "out:30"), ("out:2", "final")),
            ("served out:2, out:30, trained out:2, final: out:30 of engine/tulip.py:40 is not final of trainer/features.py:12",),
        ),
        Example("another layer is another defect", _compared(("out:2", "out:29"), ("out:2", "final"))),
        Example("the same tensors", _compared(("out:2", "out:30"), ("out:2", "out:30"))),
    ),
    needs="draft",
)
