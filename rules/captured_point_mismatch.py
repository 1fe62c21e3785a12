"""A draft is fed other hidden states than it was trained on.

What it finds
    For the draft config at hand the engine captures, concatenates and feeds to ``fc`` other tensors of the target than the trainer did:
    another layer or the embedding. The same layers at another stage are FC103. Both sides are proved: the ids are followed through the
    engine's setter and its walk through the layers, and through the trainer's hooks or indices.

Why it matters
    The width is the same, so nothing fails and the text stays right. Each slot of ``fc`` sees a feature that it never saw, and the draft's
    proposals are rejected.

Example
    The config says [-1, 2, 30], and the engine captures embed, out:2, out:30. The trainer recorded layers 2, 30 and 58.

Instead
    Write ids that make this engine capture what was trained; the help names them where evaluating them proved it. Ids are numbers of a
    dialect: compare points, never ids.

What it cannot see
    Whether the trainer given is the one that made the weights, nor the ids of a run whose config is not given.

Sources
    NVIDIA-NeMo/Automodel issue 3082: drafts trained on layers that an engine cannot capture.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.agreement import difference
from ..analyzer.breach import parting
from ..analyzer.contract_file import SAID
from ..analyzer.results import Analysis, Comparison, Location, Side, Step
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each target class whose points are established on both sides and are others."""
    for comparison in analysis.comparisons:
        served, trained = comparison.served, comparison.trained
        if trained is not None and difference(comparison) == "point":
            yield _finding(comparison, served, trained)


def _finding(comparison: Comparison, served: Side, trained: Side) -> Finding:
    actual, expected = (", ".join(side.points or ()) or "nothing" for side in (served, trained))
    at = parting(comparison) or Location("", 1)
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"served {actual}, trained {expected}{_width(comparison)}: {_ids(served, trained)}",
        at,
        flow=comparison.flow,
        model=comparison.model,
        expected=expected,
        actual=actual,
        path=hops(served, trained),
        help=_help(comparison),
        draft=comparison.draft,
    )


def _width(comparison: Comparison) -> str:
    """The width that both have, which hides the mistake."""
    served, trained = comparison.served.points or (), comparison.trained.points if comparison.trained is not None else ()
    if comparison.hidden_size is None or trained is None or len(served) != len(trained):
        return ""
    return f", same width {len(served) * comparison.hidden_size}"


def _ids(served: Side, trained: Side) -> str:
    """Both id lists, each with its place."""
    own = "the default" if served.ids is None else f"ids {list(served.ids)}"
    unnamed = "the settings" if SAID in trained.assumptions else "the trainer's selection"
    other = unnamed if trained.ids is None else f"ids {list(trained.ids)}"
    return f"{own}{_at(served)} against {other}{_at(trained)}"


def _at(side: Side) -> str:
    return "" if side.at is None else f" at {side.at}"


def _help(comparison: Comparison) -> str | None:
    if comparison.suggested is None:
        return None
    return f"ids {list(comparison.suggested)} make {comparison.model} capture what was trained"


_ENTRY, _SETTER, _TRAINER = Location("draft/config.json", 11), Location("engine/tulip.py", 40), Location("trainer/features.py", 12)
_HOOK = Step("hook", "forward hook", "layer 2", _TRAINER)
_TRAINED = Side(("out:2", "out:30", "out:58"), (2, 30, 58), "established", None, None, _TRAINER, (), (_HOOK,))
_BEHIND = "out:2, out:30, out:58, same width 21504: ids [{}] at draft/config.json:11 against ids [2, 30, 58] at trainer/features.py:12"


def _compared(points: tuple[str, ...], ids: tuple[int, ...], suggested: tuple[int, ...] | None = None) -> Analysis:
    shifted = Step("+ 1", str(list(ids)), str([k + 1 for k in ids]), _SETTER)
    served = Side(points, ids, "established", None, None, _ENTRY, (), (shifted,))
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, _TRAINED, 7168, suggested),))


RULE = Rule(
    code="FC101",
    name="captured-point-mismatch",
    severity=Severity.ERROR,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "ids changed after training",
            _compared(("embed", "out:2", "out:30"), (-1, 2, 30), (2, 30, 58)),
            (f"served embed, out:2, out:30, trained {_BEHIND.format('-1, 2, 30')}",),
        ),
        Example(
            "the same ids in another dialect",
            _compared(("out:1", "out:29", "out:57"), (2, 30, 58), (3, 31, 59)),
            (f"served out:1, out:29, out:57, trained {_BEHIND.format('2, 30, 58')}",),
        ),
        Example("what was trained is served", _compared(("out:2", "out:30", "out:58"), (2, 30, 58))),
    ),
    needs="draft",
)
