"""The target classes of a tree by what they capture: one box for each convention, in a frame for each flow."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from .behaviour import behaviour
from .chart import Chart, Frame, Spot
from .results import SourceFacts, Wiring

LEGEND = "one box a convention · dashed: it depends, or is not established · ids at the edges and the default: flowcheck wiring"
WIDE = 84
LONGEST_OWN = 140
_PLACE = re.compile(r" \([^()]*:\d+\)$")

Family: TypeAlias = Literal["captures", "raises", "depends", "not established"]
FAMILIES: tuple[Family, ...] = get_args(Family)
TITLES: dict[Family, str] = {
    "raises": "id k raises", "depends": "what is captured depends", "not established": "what is captured is not established",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """Target classes that come in one box: of those that capture all with the same convention, else with what is so of each."""

    family: Family
    title: str
    wirings: tuple[Wiring, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(wiring.model for wiring in self.wirings))


def models_chart(source: SourceFacts, wirings: Sequence[Wiring]) -> Chart:
    """All wirings of a run, flow by flow."""
    flows = dict.fromkeys(wiring.flow for wiring in wirings)
    frames: list[Frame] = []
    for flow in flows:
        own = [wiring for wiring in wirings if wiring.flow == flow]
        frames.append(_frame(flow, own, sum(len(frame.spots) for frame in frames)))
    ids = [spot.id for frame in frames for spot in frame.spots]
    open_ones = sum(wiring.status != "established" for wiring in wirings)
    told = f"{open_ones} of {len(wirings)} wirings depend or are not established" if open_ones else ""
    notice = told if wirings else "no target class"
    title = " ".join((source.package, *([source.version] if source.version else []), "· what target classes capture"))
    return Chart(title, tuple(frames), (), LEGEND, notice, below=tuple(pairwise(ids)), wide=WIDE)


def _frame(flow: str, wirings: Sequence[Wiring], first: int) -> Frame:
    spots = tuple(_spot(f"n{number}", group) for number, group in enumerate(groups_of(wirings), first))
    count = len(dict.fromkeys(wiring.model for wiring in wirings))
    return Frame(f"flow{first}", flow, spots, _counted(count))


def groups_of(wirings: Sequence[Wiring]) -> tuple[Group, ...]:
    """The wirings of one flow by convention, the most common first; what raises, depends, or is not established each by itself."""
    found: dict[tuple[Family, str], list[Wiring]] = {}
    for wiring in wirings:
        family = family_of(wiring)
        found.setdefault((family, TITLES.get(family) or convention_of(wiring)), []).append(wiring)
    groups = (Group(family, title, tuple(group)) for (family, title), group in found.items())
    return tuple(sorted(groups, key=lambda group: (FAMILIES.index(group.family), -len(group.names))))


def family_of(wiring: Wiring) -> Family:
    if wiring.status != "established":
        return wiring.status
    return "raises" if convention_of(wiring).startswith("id k raises ") else "captures"


def convention_of(wiring: Wiring) -> str:
    """What a wiring does with ids, without the places where it does so."""
    return "; ".join(_PLACE.sub("", text) for text in behaviour(wiring)[0].texts)


def _counted(count: int) -> str:
    return f"{count} target class{'es' * (count != 1)}"


def _spot(name: str, group: Group) -> Spot:
    """One box: how many classes, the convention, and their names; where they differ, each with its own."""
    lines: tuple[str, ...] = (", ".join(sorted(group.names)),)
    if group.family != "captures":
        apart: dict[str, list[str]] = {}
        for wiring in group.wirings:
            apart.setdefault(_own(group.family, wiring), []).append(wiring.model)
        lines = tuple(f"{', '.join(sorted(dict.fromkeys(models)))}: {text}" for text, models in apart.items())
    hint = f"{group.title} · {', '.join(group.names)}"
    at, count = group.wirings[0].at, _counted(len(group.names))
    if group.family in ("captures", "raises"):
        return Spot(name, "group", group.title, count, "", lines, at, hint, "main")
    return Spot(name, "open", group.title, count, "", lines, at, hint)


def _own(family: Family, wiring: Wiring) -> str:
    """What is so of one wiring: what it raises, on what it hangs, or why it is open."""
    if family == "not established":
        where = f" ({wiring.reason_at})" if wiring.reason_at is not None else ""
        return f"{_short(wiring.reason or 'no reason given')}{where}"
    told = _short(convention_of(wiring).removeprefix("id k ").removeprefix("captures "))
    asked = dict.fromkeys(condition.text for row in wiring.evaluated for answer in row.depends_on for condition in answer.conditions)
    return f"{told}, by {_short(', '.join(asked))}" if asked else told


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_OWN else f"{text[: LONGEST_OWN - 1]}…"
