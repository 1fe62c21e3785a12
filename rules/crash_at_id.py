"""This id raises at run time.

What it finds
    An id with which the forward or the setter raises an exception that the program does not raise itself: ``hidden + None`` before the
    first layer has made a residual, a list that is asked for a layer that it does not have. It is a fact to know of the ids at the
    edges, and an error where a draft at hand has such an id. What the program refuses with a ``raise`` of its own is told of such a draft
    alone.

Why it matters
    The server comes up, and the first forward fails. The exception names neither the id nor the config that it stands in.

Example
    Id -1, shifted to 0, means what enters the first layer, where ``residual`` is still None: ``hidden_states + residual`` raises.

Instead
    Capture the sum only where there is one, or refuse the id in the setter.

What it cannot see
    Exceptions of kernels and of libraries. An id that no layer meets, and that fails alone for want of any capture, is FC301.

Sources
    SGLang 0.5.9: id -1 raises in most models; pull request #32206 for an id behind the last layer.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.convention import setter_steps, some_names
from ..analyzer.fates import Fate, error_parts, fates, told
from ..analyzer.request import ids_text
from ..analyzer.results import Analysis, Clause, Comparison, Evaluation, Location, Missed, Side, Step, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each draft whose ids raise, and one for each place that raises, naming all that it hits."""
    for comparison in analysis.comparisons:
        missed = comparison.served.missed
        if missed is not None and missed.error is not None:
            yield _served(comparison, missed, missed.error)
    hit: dict[tuple[str, Location], list[tuple[Wiring, Fate]]] = {}
    for wiring in analysis.wirings:
        for fate in fates(wiring):
            if fate.kind == "raises":
                text, at = error_parts(fate.row.error or "")
                hit.setdefault((text, at or wiring.at), []).append((wiring, fate))
    for (text, at), found in hit.items():
        yield _known(text, at, found)


def _known(text: str, at: Location, found: list[tuple[Wiring, Fate]]) -> Finding:
    models, flows = [wiring.model for wiring, _ in found], {wiring.flow for wiring, _ in found}
    names = list(dict.fromkeys(fate.name for _, fate in found))
    return Finding(
        RULE.code,
        RULE.name,
        Severity.INFO,
        f"{some_names(models)}: {', '.join(names)} {'raises' if len(names) == 1 else 'raise'} {text}",
        at,
        flow=flows.pop() if len(flows) == 1 else None,
        model=models[0] if len(set(models)) == 1 else None,
        path=(*(Hop(each, place) for each, place in told(setter_steps(found[0][1].row))), Hop(f"raises {text}", at)),
    )


def _served(comparison: Comparison, missed: Missed, error: str) -> Finding:
    text, at = error_parts(error)
    served = comparison.served
    blamed = missed.raising
    whose = "" if not blamed else f": id {blamed[0]} does" if len(blamed) == 1 else f": ids {', '.join(map(str, blamed))} do"
    at = at or served.at or Location("", 1)
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"{comparison.model} raises {text} with ids {ids_text(served.ids)}{whose}",
        at,
        flow=comparison.flow,
        model=comparison.model,
        actual=text,
        path=(*hops(served, None), Hop(f"raises {text}", at)),
        draft=comparison.draft,
    )


_RAISING, _SETTER = Location("engine/tulip.py", 22), Location("engine/tulip.py", 40)
_TEXT = "TypeError: unsupported operand type(s) for +: 'Tensor' and 'NoneType'"


def _row(*ids: int, captured: tuple[str, ...] | None = None, refused: bool = False) -> Evaluation:
    steps = (Step("TulipModel.layers =", str(list(ids)), str(list(ids)), _SETTER),)
    error = f"{_TEXT} ({_RAISING})" if captured is None else None
    return Evaluation(ids, 6, ids, captured, error, "established", None, None, (), (), steps, refused=refused)


def _wiring(*, refused: bool = False) -> Analysis:
    rows, clauses = (_row(-1, refused=refused), _row(3, captured=("out:3",))), (Clause("id k", "out:k"),)
    beside = (_row(-1, 3),)
    return example_analysis(
        (Wiring("eagle3", "TulipForCausalLM", _SETTER, "set_layers", None, clauses, "established", None, None, (), rows, None, beside),)
    )


def _compared(missed: Missed | None) -> Analysis:
    served = Side(None, (-1, 3), "not established", "the engine raises", None, Location("draft/config.json", 7), missed=missed)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, None, 8),))


RULE = Rule(
    code="FC307",
    name="crash-at-id",
    severity=Severity.ERROR,
    page=__doc__,
    check=check,
    needs="draft",
    examples=(
        Example("nothing to add before the first layer", _wiring(), (f"TulipForCausalLM: id -1 raises {_TEXT}",)),
        Example(
            "a draft has the id",
            _compared(Missed((), (-1,), f"{_TEXT} ({_RAISING})")),
            (f"TulipForCausalLM raises {_TEXT} with ids -1,3: id -1 does",),
        ),
        Example("the setter refuses it", _wiring(refused=True)),
        Example("a draft with which nothing raises", _compared(None)),
    ),
)
