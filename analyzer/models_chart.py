"""The target classes of a tree by what they capture: one box for each convention, in a frame for each flow."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .behaviour import Block, Fact, blocks, condition_places
from .chart import Chart, Frame, Spot
from .results import SourceFacts, Status, Wiring

LEGEND = "one box a convention, with its target classes · dashed: it depends, or is not established"
WIDE = 84
MOST_LINES = 24
LONGEST_FACTS = 240
_PLACE = re.compile(r" \([^()]*:\d+\)$")
_ORDER: tuple[Status, ...] = ("established", "depends", "not established")

Key = tuple[Status, tuple[str, ...]]
"""What brings target classes together: how far the convention is proved, and the convention."""


def models_chart(source: SourceFacts, wirings: Sequence[Wiring]) -> Chart:
    """All wirings of a run, flow by flow."""
    flows = dict.fromkeys(wiring.flow for wiring in wirings)
    frames: list[Frame] = []
    for flow in flows:
        own = [wiring for wiring in wirings if wiring.flow == flow]
        frames.append(_frame(flow, own, sum(len(frame.spots) for frame in frames)))
    ids = [spot.id for frame in frames for spot in frame.spots]
    open_ones = sum(wiring.status != "established" for wiring in wirings)
    notice = "no target class" if not wirings else f"{open_ones} of {len(wirings)} wirings depend or are not established" if open_ones else ""
    title = " ".join((source.package, *([source.version] if source.version else []), "· what target classes capture"))
    return Chart(title, tuple(frames), (), LEGEND, notice, below=tuple(pairwise(ids)), wide=WIDE)


def _frame(flow: str, wirings: Sequence[Wiring], first: int) -> Frame:
    groups: dict[Key, list[Block]] = {}
    for block in blocks(wirings):
        groups.setdefault(_key(block), []).append(block)
    ordered = sorted(groups.items(), key=lambda group: (_ORDER.index(group[0][0]), -sum(map(_size, group[1]))))
    spots = tuple(_group(f"n{number}", *group) for number, group in enumerate(ordered, first))
    count = len(dict.fromkeys(wiring.model for wiring in wirings))
    return Frame(f"flow{first}", flow, spots, f"{count} target class{'es' * (count != 1)}")


def _key(block: Block) -> Key:
    """What is not established comes together whatever is missing: the box tells of each why."""
    wiring = block.members[0].wiring
    if wiring.status == "not established":
        return wiring.status, ()
    return wiring.status, tuple(_PLACE.sub("", text) for text in block.facts[0].texts)


def _size(block: Block) -> int:
    return sum(len(member.models) for member in block.members)


def _group(name: str, key: Key, alike: Sequence[Block]) -> Spot:
    """One convention: how many have it, their names, and in what they differ at the ids at the edges."""
    status, texts = key
    count = sum(map(_size, alike))
    word = f"{count} target class{'es' * (count != 1)}" + (f" · {status}" if status != "established" else "")
    lines = [*_open_lines(alike)] if status == "not established" else [*_lines(alike, status)]
    more = [f"and {len(lines) - MOST_LINES} lines more: see flowcheck wiring"] * (len(lines) > MOST_LINES)
    wiring = alike[0].members[0].wiring
    title = "; ".join(texts) or "what is captured is not established"
    hint = f"{title} · {', '.join(_names(alike))}"
    kind = "group" if status == "established" else "open"
    return Spot(name, kind, title, word, "", (*lines[:MOST_LINES], *more), wiring.at, hint, "plain")


def _names(alike: Sequence[Block]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(model for block in alike for member in block.members for model in member.models))


def _lines(alike: Sequence[Block], status: Status) -> Iterator[str]:
    """The names of those that behave alike, and what is so of them only."""
    for block in alike:
        yield ", ".join(sorted(_names([block])))
        told = [f"{fact.label}: {', '.join(_PLACE.sub('', text) for text in fact.texts)}" for fact in _own(block, alike)]
        if told:
            yield f"    {_short('; '.join(told))}"
        if status == "depends":
            asked = dict.fromkeys(place for member in block.members for place in condition_places(member.wiring))
            yield f"    asks {_short(', '.join(asked))}" if asked else "    on what is told by flowcheck wiring"


def _own(block: Block, alike: Sequence[Block]) -> tuple[Fact, ...]:
    """The facts of a block that another block does not have."""
    return tuple(fact for fact in block.facts[1:] if any(fact not in other.facts for other in alike))


def _open_lines(alike: Sequence[Block]) -> Iterator[str]:
    """Of each class why it is not established, and where."""
    for block in alike:
        for member in block.members:
            wiring = member.wiring
            where = f" ({wiring.reason_at})" if wiring.reason_at is not None else ""
            yield f"{', '.join(member.models)}: {_short(wiring.reason or 'no reason given')}{where}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FACTS else f"{text[: LONGEST_FACTS - 1]}…"
