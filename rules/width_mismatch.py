"""What a draft is fed is not as wide as what its fc takes.

What it finds
    The number of captured points, times the width of one hidden state of the target, is not the input width of the projection. That width
    is read from the weights beside the draft's config (the header of the safetensors file), and from what the draft's constructor
    makes of the config.

Why it matters
    The engine raises at the first forward, or a shape that happens to fit on another way decides that ``fc`` is left out.

Example
    The config names three ids, one of which no layer ever meets, so that two states are captured; ``fc.weight`` has 3 x 7168 columns.

Instead
    Give the draft as many points as it was trained on; where the config's list is short or long, that is what the weights count.

What it cannot see
    Which points the weights were trained on: a width counts them, and nothing more. Weights that are packed, or in another format.

Sources
    vllm-project/vllm issue 54526 and vllm-project/speculators issue 1065: the width and the capture read the list at different places.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.agreement import misfits
from ..analyzer.results import Analysis, Comparison, Location, Side, Width
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each target class whose points do not fit, or whose draft was not trained on as many as its weights count."""
    for comparison in analysis.comparisons:
        wrong = misfits(comparison)
        if wrong:
            yield _finding(comparison, "served", comparison.served, wrong)
        elif (stored := _untrained(comparison)) is not None and comparison.trained is not None:
            yield _finding(comparison, "trained", comparison.trained, (stored,))


def _untrained(comparison: Comparison) -> Width | None:
    """The weights, where they are not as wide as what the trainer at hand trains."""
    stored, trained, size = comparison.weights, comparison.trained, comparison.hidden_size
    if stored is None or size is None or trained is None or trained.points is None:
        return None
    return stored if stored.features != len(trained.points) * size else None


def _finding(comparison: Comparison, word: str, side: Side, wrong: tuple[Width, ...]) -> Finding:
    points, size = side.points or (), comparison.hidden_size or 0
    takes = " and ".join(f"{width.features} features ({width.text}, {width.at})" for width in wrong)
    fed = f"{len(points)} x {size} = {len(points) * size}: {', '.join(points) or 'nothing'}"
    place = "" if side.at is None else f" ({side.at})"
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"fc takes {takes}, {word} are {fed}{place}",
        wrong[0].at,
        flow=comparison.flow,
        model=comparison.model,
        expected=str(wrong[0].features),
        actual=str(len(points) * size),
        path=(*(Hop(f"{word}: {step}", step.at) for step in side.path), *(Hop(f"fc: {width.text}", width.at) for width in wrong)),
        help=_help(wrong[0], size),
        draft=comparison.draft,
    )


def _help(width: Width, size: int) -> str | None:
    """How many points the width counts, where it counts whole ones."""
    return f"fc takes {width.features // size} points of this target" if size and width.features % size == 0 else None


_CONFIG = Location("draft/config.json", 11)
_WEIGHTS = Width(21504, "fc.weight of shape [7168, 21504]", Location("draft/model.safetensors", 1))
_MADE = Width(14336, "config.hidden_size * 2", Location("engine/tulip_draft.py", 9))
_TAKES = "fc takes 21504 features (fc.weight of shape [7168, 21504], draft/model.safetensors:1)"

_SERVED = "served are 3 x 7168 = 21504: out:2, out:30, out:58 (draft/config.json:11)"
_TRAINED = Side(("out:2", "out:30"), None, "established", None, None, Location("trainer/run.py", 7))


def _compared(points: tuple[str, ...], made: tuple[Width, ...] = (), trained: Side | None = None) -> Analysis:
    served = Side(points, (2, 30), "established", None, None, _CONFIG)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, trained, 7168, widths=made, weights=_WEIGHTS),))


RULE = Rule(
    code="FC104",
    name="width-mismatch",
    severity=Severity.ERROR,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "two points for three",
            _compared(("out:2", "out:30")),
            (f"{_TAKES}, served are 2 x 7168 = 14336: out:2, out:30 (draft/config.json:11)",),
        ),
        Example(
            "the constructor counts otherwise",
            _compared(("out:2", "out:30", "out:58"), (_MADE,)),
            (f"fc takes 14336 features (config.hidden_size * 2, engine/tulip_draft.py:9), {_SERVED}",),
        ),
        Example(
            "weights of another training",
            _compared(("out:2", "out:30", "out:58"), (), _TRAINED),
            (f"{_TAKES}, trained are 2 x 7168 = 14336: out:2, out:30 (trainer/run.py:7)",),
        ),
        Example("as wide as it is fed", _compared(("out:2", "out:30", "out:58"))),
    ),
    needs="draft",
)
