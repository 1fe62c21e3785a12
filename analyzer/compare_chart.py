"""What a draft was trained on beside what it is served: both derivations step by step, and what comes to ``fc`` of each."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from .agreement import agree, doubt, verdict
from .breach import parting, taken_by
from .captions import short_place
from .chart import Chart, Frame, Link, Spot
from .contracts import WORDS
from .results import Comparison, Location, Side, Step

LEGEND = (
    "from where the ids come from to what fc is fed · red, double and labelled: where they part · what else is wrong on the way: "
    "flowcheck check"
)
MOST_VALUES = 6
"""Values of a hop that are told."""

Excerpt = Callable[[Location], str | None]


@dataclass(frozen=True, slots=True)
class Told:
    """One place of a derivation, however often the value comes by it, with what it becomes each time."""

    label: str
    at: Location
    values: tuple[str, ...]


def compare_chart(comparison: Comparison, trained: Side, excerpt: Excerpt) -> Chart:
    """Two columns, and between their ends whether each state is the same."""
    served = comparison.served
    parts = parting(comparison)
    left, right = _column("t", trained, excerpt), _column("s", served, excerpt, parts, trained)
    ends = [*zip_longest(left.ends, right.ends)]
    level = tuple((one, other) for one, other in ends if one is not None and other is not None)
    frames = (Frame("trained", "trained", left.spots, _ids(trained)), Frame("served", "served", right.spots, _ids(served)))
    between = tuple(_between(number, comparison, trained, *pair) for number, pair in enumerate(level))
    title = f"{comparison.flow} · {comparison.model} · trained beside served"
    links, below = (*left.links, *right.links, *between), left.below + right.below
    return Chart(title, frames, links, LEGEND, _verdict(comparison), below=below, level=level)


def _verdict(comparison: Comparison) -> str:
    """What the picture shows, in words."""
    found = verdict(comparison)
    if found in WORDS:
        return WORDS[found]
    if found == "same":
        return "served = trained"
    sides = (("served", comparison.served), ("trained", comparison.trained))
    lacking = next((word for word, side in sides if side is not None and side.points is None), None)
    return f"what is {lacking} is not established" if lacking is not None else doubt(comparison)


def _ids(side: Side) -> str:
    ids = "" if side.ids is None else f"ids {', '.join(map(str, side.ids))}"
    return " · ".join(text for text in (ids, "" if side.at is None else short_place(side.at)) if text)


# ------------------------------------------------------------------ one side


@dataclass(frozen=True, slots=True)
class Column:
    """One side: its boxes, the arrows between them, and the ids of those that stand for what arrives at ``fc``."""

    spots: tuple[Spot, ...]
    links: tuple[Link, ...]
    ends: tuple[str, ...]
    below: tuple[tuple[str, str], ...]


def _column(prefix: str, side: Side, excerpt: Excerpt, parts: Location | None = None, other: Side | None = None) -> Column:
    steps = [*told_steps(side.path)]
    spots = [_step(f"{prefix}{number}", told, excerpt(told.at)) for number, told in enumerate(steps)]
    last = tuple(_ends(prefix, side, other))
    chain = [*spots, last[0]]
    bad = next((number for number, told in enumerate(steps) if told.at == parts), None)
    # Of an entry the arrow that leaves it is marked, of a hop further on the one that leads there; of a place that is on no hop none is:
    # what arrives is marked then.
    marked = None if bad is None else max(bad - 1, 0)
    links = tuple(_link(f"{prefix}link{number}", *pair, bad=number == marked) for number, pair in enumerate(pairwise(chain)))
    below = tuple((one.id, other.id) for one, other in pairwise(last))
    return Column((*spots, *last), links, tuple(spot.id for spot in last), below)


def told_steps(path: Sequence[Step]) -> Iterator[Told]:
    """The hops of a derivation that say something: where it begins and ends, what makes another value, and what keeps one."""
    shown = [step for number, step in enumerate(path) if number in (0, len(path) - 1) or not _hands_on(step)]
    places: dict[tuple[str, Location], dict[str, None]] = {}
    for step in shown:
        label = f"key {step.before}" if step.label == "key" else step.label
        places.setdefault((label, step.at), {})[_value(step)] = None
    for (label, at), values in places.items():
        yield Told(label, at, tuple(values))


def _hands_on(step: Step) -> bool:
    return step.before == step.after and not step.label.endswith(" =")


def _value(step: Step) -> str:
    """What becomes of the value. Of a tensor its layer is told, but no stage, which the hop does not say; of an entry, and of what is
    kept, the value alone says all."""
    point = taken_by(step)
    if point is not None:
        layer = "the embedding" if point == "embed" else f"of layer {point.removeprefix('out:')}"
        return f"{layer} {step.after}" if step.label == "kept" else layer
    if step.before == step.after or step.label in ("key", "handed to the setter"):
        return step.after
    return f"{step.before} -> {step.after}"


def _step(name: str, told: Told, code: str | None) -> Spot:
    """One place: what happens, the values, and where it is."""
    more = len(told.values) - MOST_VALUES
    values = (*told.values[:MOST_VALUES], *([f"and {more} more"] * (more > 0)))
    hint = " · ".join((told.label, *([code.strip()] if code else []), str(told.at)))
    return Spot(name, "step", told.label.removesuffix(" ="), short_place(told.at), "", values, told.at, hint)


def _ends(prefix: str, side: Side, other: Side | None) -> Iterator[Spot]:
    """What arrives at ``fc``, one box for each state; else why that is not known."""
    wanted = other.points if other is not None else None
    if side.points is None:
        where = () if side.reason_at is None else (str(side.reason_at),)
        small = (side.reason or side.status, *where)
        yield Spot(f"{prefix}fc0", "open", side.status, "at fc", "", small, side.reason_at, " · ".join(small))
    elif not side.points:
        yield Spot(f"{prefix}fc0", "open", "nothing", "at fc", hint="no state arrives at fc")
    for number, point in enumerate(side.points or ()):
        bad = wanted is not None and (number >= len(wanted) or agree(point, wanted[number]) == "other")
        word = f"at fc, {number + 1} of {len(side.points or ())}"
        yield Spot(f"{prefix}fc{number}", "point", point, word, hint=point, emphasis="bad" if bad else "plain")


def _link(name: str, one: Spot, other: Spot, *, bad: bool) -> Link:
    after = one.small[-1] if one.small and one.kind == "step" else ""
    if bad:
        return Link(name, one.id, other.id, "data", ("differs",), (), "", after, "here it parts from what was trained", "bad")
    return Link(name, one.id, other.id, "data", after=after, emphasis="plain")


def _between(number: int, comparison: Comparison, trained: Side, one: str, other: str) -> Link:
    """Whether what arrives first is the same on both sides, and so on."""
    if trained.points is None or comparison.served.points is None or number >= min(len(trained.points), len(comparison.served.points)):
        return Link(f"pair{number}", one, other, "same", ("?",), hint="not established")
    served, wanted = comparison.served.points[number], trained.points[number]
    found = agree(served, wanted)
    hint = f"served {served}, trained {wanted}"
    if found == "other":
        return Link(f"pair{number}", one, other, "other", ("differs",), (), wanted, served, hint, "bad")
    return Link(f"pair{number}", one, other, "same", ("same" if found == "same" else "open",), (), wanted, served, hint)
