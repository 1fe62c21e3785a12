"""The ways that a finding is about as a small Mermaid picture: side by side, with what each comes to."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .escape import clipped, mermaid_text
from .rule import Finding, Hop

MOST_HOPS = 8
"""Boxes of one way."""
LONGEST_LABEL = 70
COLOURS = ("#dcebf9", "#d9f0e4", "#fff2cc")
"""Of the ways, in order."""
END_COLOUR = "#f8d7da"


@dataclass(frozen=True, slots=True)
class Way:
    """Hops in order; ``comes_to`` is what arrives at their end."""

    title: str
    hops: tuple[Hop, ...]
    comes_to: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A hop that is shown, and how many before it are not."""

    hop: Hop
    skipped: int = 0


def ways_of(found: Finding) -> tuple[Way, ...]:
    """The ways of a finding: of what is served and of what was trained, or the one that it has."""
    trained = tuple(hop for hop in found.path if hop.side == "trained")
    others = tuple(hop for hop in found.path if hop.side != "trained")
    sides = any(hop.side is not None for hop in found.path)
    ways = (
        Way("served" if sides else "", others, (found.actual or "") if sides else ""),
        Way("trained", trained, found.expected or ""),
    )
    return tuple(way for way in ways if way.hops)


def abridged(hops: Sequence[Hop], most: int) -> list[Shown]:
    """The first hop, the last, and those that make something else of the value; of too many those at both ends."""
    last = len(hops) - 1
    kept = [number for number, hop in enumerate(hops) if number in (0, last) or not hands_on(hop)]
    if len(kept) > most:
        kept = [*kept[: most // 2], *kept[most // 2 - most :]]
    return [Shown(hops[number], number - before - 1) for before, number in zip((-1, *kept), kept, strict=False)]


def hands_on(hop: Hop) -> bool:
    """Whether the label says that the value is what it was: ``argument ids: [2, 30] -> [2, 30]``."""
    before, arrow, after = hop.text.rpartition(" -> ")
    return bool(arrow) and before.endswith(f": {after}")


def diagram(ways: Sequence[Way], end: str) -> str:
    """The ways as the text of a Mermaid flow chart; they meet in a box that says ``end``."""
    return "".join(f"{line}\n" for line in _lines(ways, end))


def _lines(ways: Sequence[Way], end: str) -> Iterator[str]:
    yield "flowchart TB"
    for number, way in enumerate(ways):
        if way.title:
            yield f"  subgraph way{number}[{_quoted(way.title)}]"
        shown = abridged(way.hops, MOST_HOPS)
        for index, each in enumerate(shown):
            yield f"    w{number}n{index}[{_quoted(*_texts(each.hop))}]:::way{number}"
        for index, each in enumerate(shown[1:], 1):
            skipped = f"{each.skipped} hop{'' if each.skipped == 1 else 's'}"
            line = f"-.->|{_quoted(skipped)}|" if each.skipped else "-->"
            yield f"    w{number}n{index - 1} {line} w{number}n{index}"
        if way.title:
            yield "  end"
        yield f"  w{number}n{len(shown) - 1} -->{f'|{_quoted(way.comes_to)}|' if way.comes_to else ''} finding"
    yield f"  finding([{_quoted(end)}]):::found"
    yield from (f"  classDef way{number} {_look(COLOURS[number % len(COLOURS)])}" for number in range(len(ways)))
    yield f"  classDef found {_look(END_COLOUR)}"


def _texts(hop: Hop) -> Iterator[str]:
    """The lines of a box: what happens, what comes of it, and where."""
    what, arrow, after = hop.text.rpartition(" -> ")
    yield from (what, f"-> {after}") if arrow else (after,)
    yield f"{hop.at.file.rpartition('/')[2]}:{hop.at.line}"


def _quoted(*texts: str) -> str:
    return '"' + "<br/>".join(mermaid_text(clipped(text, LONGEST_LABEL)) for text in texts) + '"'


def _look(colour: str) -> str:
    return f"fill:{colour},stroke:#5f6368,color:#222222"
