"""No iteration ever captures this id.

What it finds
    An id that the setter takes and that no layer meets: the forward comes to its end without it, and one state less is concatenated. It is
    a fact to know of the ids at the edges. Where a draft at hand has such an id it is a warning, and an error where what arrives is proved
    to be other than what was trained, or not as wide as what ``fc`` takes.

Why it matters
    ``fc`` is made for as many states as the config has ids. With one less it raises, or a shape that happens to fit lets it be left out.

Example
    A loop that captures what enters each layer ends at L - 1: the id of what leaves the last layer, shifted to L, is never met.

Instead
    Capture after the loop too, or refuse ids that are out of reach in the setter.

What it cannot see
    Whether somebody would ever ask for the id, where no draft is given.

Sources
    SGLang issues #32226 and #32204; vLLM pull requests #46788 and #48152, for the last layer of one model.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.agreement import agreement, misfits
from ..analyzer.convention import setter_steps, some_names
from ..analyzer.fates import Fate, collected_at, error_parts, fates, tested_at, told
from ..analyzer.results import Analysis, Clause, Comparison, Evaluation, Location, Missed, Side, Step, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each draft with such ids, and one for each place that would capture others, naming all that it passes over."""
    in_hand = [_served(comparison, missed) for comparison in analysis.comparisons if (missed := _missed(comparison)) is not None]
    yield from in_hand
    served = {(each.flow, each.model, each.at) for each in in_hand}
    hit: dict[Location, list[tuple[Wiring, Fate]]] = {}
    for wiring in analysis.wirings:
        for fate in fates(wiring):
            if fate.kind == "unreached" and (wiring.flow, wiring.model, _place(wiring, fate)) not in served:
                hit.setdefault(_place(wiring, fate), []).append((wiring, fate))
    for at, found in hit.items():
        yield _known(at, found)


def _missed(comparison: Comparison) -> Missed | None:
    """The ids of a draft that are not met, unless it was trained without them."""
    missed = comparison.served.missed
    return missed if missed is not None and missed.unreached and agreement(comparison) != "same" else None


def _place(wiring: Wiring, fate: Fate) -> Location:
    """The loop that would have to meet the id; else where others are captured."""
    loops = fate.good.loops
    end = loops[-1 if fate.number > (fate.good.ids or (0,))[0] else 0] if loops else None
    return end or tested_at(fate.good) or collected_at(fate.good) or wiring.at


def _known(at: Location, found: list[tuple[Wiring, Fate]]) -> Finding:
    first = found[0][1]
    names = list(dict.fromkeys(fate.name for _, fate in found))
    models, flows = [wiring.model for wiring, _ in found], {wiring.flow for wiring, _ in found}
    stored = first.row.layers_to_capture
    kept = f" ({list(stored)} is kept)" if stored is not None and stored != first.row.ids else ""
    one = len(names) == 1
    raises = "it raises" if one else f"{first.name} raises"
    alone = f"; alone {raises} {error_parts(first.row.error)[0]}" if first.row.error is not None else ""
    return Finding(
        RULE.code,
        RULE.name,
        Severity.INFO,
        f"{some_names(models)}: {', '.join(names)} {'is' if one else 'are'} captured by no layer{kept if one else ''}{alone}",
        at,
        flow=flows.pop() if len(flows) == 1 else None,
        model=models[0] if len(set(models)) == 1 else None,
        path=_way(first.row, first.good.loops, tested_at(first.good)),
    )


def _way(row: Evaluation, loops: tuple[Location, ...], tested: Location | None) -> tuple[Hop, ...]:
    return (*(Hop(text, at) for text, at in told(setter_steps(row))), *_round(loops, tested))


def _round(loops: tuple[Location, ...], tested: Location | None) -> Iterator[Hop]:
    yield from (Hop("walks the layers", at) for at in loops)
    if tested is not None:
        yield Hop("looks for the number of a layer in the list", tested)


def _served(comparison: Comparison, missed: Missed) -> Finding:
    served, lost = comparison.served, missed.unreached
    ids = dict.fromkeys(served.ids or ())
    named = f"id {lost[0]} is" if len(lost) == 1 else f"ids {', '.join(map(str, lost))} are"
    points = served.points
    if points is None:
        count = f"{len(ids) - len(lost)} of {len(ids)} ids" if not missed.raising else f"at most {len(ids) - len(lost)} of {len(ids)} ids"
        arrives = f"{count} can be captured, and {_raised(missed)}"
    else:
        size = comparison.hidden_size
        width = f", {len(points)} x {size} = {len(points) * size} wide rather than {len(ids) * size}" if size is not None else ""
        arrives = f"{len(points)} of {len(ids)} states arrive{width}: {', '.join(points) or 'none'}"
    sure = points is None or agreement(comparison) == "other" or misfits(comparison)
    at = missed.loops[-1 if max(lost) >= max(ids) else 0] if missed.loops else missed.tested or served.at or Location("", 1)
    return Finding(
        RULE.code,
        RULE.name,
        Severity.ERROR if sure else RULE.severity,
        f"{named} captured by no layer of {comparison.model}{_of(comparison)}: {arrives}",
        at,
        flow=comparison.flow,
        model=comparison.model,
        expected=f"{len(ids)} states",
        actual=None if points is None else ", ".join(points) or "nothing",
        path=(*hops(served, None), *_round(missed.loops, missed.tested)),
        help="capture after the last layer too, or serve the draft with ids that are met",
        draft=comparison.draft,
    )


def _of(comparison: Comparison) -> str:
    return "" if comparison.num_layers is None else f", which has {comparison.num_layers}"


def _raised(missed: Missed) -> str:
    return f"the forward raises {missed.error}" if missed.error is not None else "nothing is served"


_LOOP, _TEST = Location("engine/tulip.py", 20), Location("engine/tulip.py", 21)
_SETTER, _ENTRY = Location("engine/tulip.py", 40), Location("draft/config.json", 7)
_UNPACK = "ValueError: too many values to unpack (expected 2) (engine/tulip.py:33)"


def _row(k: int, *points: str, error: str | None = None, beside: int | None = None) -> Evaluation:
    ids = (k,) if beside is None else (beside, k)
    kept, found = Step("TulipModel.layers =", str([k]), str([k + 1]), _SETTER), Step("tested", "4", "4 is in the list", _TEST)
    path = (kept, found) if points else (kept,)
    captured = None if error is not None else points
    return Evaluation(ids, 6, (k + 1,), captured, error, "established", None, None, (), (), path, loops=(_LOOP,))


def _wiring(last: Evaluation, *beside: Evaluation) -> Analysis:
    rows, clauses = (_row(3, "out:3"), last), (Clause("id k", "out:k"),)
    wiring = Wiring("eagle3", "TulipForCausalLM", _SETTER, "set_layers", None, clauses, "established", None, None, (), rows, None, beside)
    return example_analysis((wiring,))


def _compared(*points: str, trained: tuple[str, ...] | None = None, missed: tuple[int, ...] = (6,)) -> Analysis:
    lost = Missed(missed, (), None, (_LOOP,), _TEST) if missed else None
    served = Side(points, (1, 3, 6), "established", None, None, _ENTRY, missed=lost)
    side = None if trained is None else Side(trained, (1, 3, 6), "established", None, None, None)
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, side, 8, num_layers=6),))


_LOST = "id 6 is captured by no layer of TulipForCausalLM, which has 6: 2 of 3 states arrive, 2 x 8 = 16 wide rather than 24: out:1, out:3"

RULE = Rule(
    code="FC301",
    name="unreachable-id",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    needs="draft",
    examples=(
        Example("a loop ends before it", _wiring(_row(6)), ("TulipForCausalLM: id L = 6 is captured by no layer ([7] is kept)",)),
        Example(
            "it is passed over beside another one, and raises alone",
            _wiring(_row(6, error=_UNPACK), _row(6, "out:3", beside=3)),
            (
                f"TulipForCausalLM: id L = 6 is captured by no layer ([7] is kept); alone it raises {_UNPACK.partition(' (engine')[0]}",
            ),
        ),
        Example("a draft has it", _compared("out:1", "out:3"), (_LOST,)),
        Example("a draft has it, and was trained with it", _compared("out:1", "out:3", trained=("out:1", "out:3", "out:5")), (_LOST,)),
        Example("every id is met", _wiring(_row(5, "out:5"))),
        Example("a draft of which every id is met", _compared("out:1", "out:3", "out:5", missed=())),
    ),
)
