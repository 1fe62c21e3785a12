"""How much of a run is proved: the wirings by status, and the reasons of those that are not established."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .results import Status, Wiring


@dataclass(frozen=True, slots=True)
class Reason:
    """Why so many wirings depend or are not established."""

    status: Status
    text: str
    wirings: int


@dataclass(frozen=True, slots=True)
class Proved:
    """The wirings of a run, counted. ``reasons`` has those that depend first, then the others, the most frequent first."""

    wirings: int
    established: int
    depends: int
    not_established: int
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        counts = (
            (self.established, "established"),
            (self.depends, "depends" if self.depends == 1 else "depend"),
            (self.not_established, "not established"),
        )
        states = ", ".join(f"{count} {name}" for count, name in counts if count)
        return f"{self.wirings} wiring{'' if self.wirings == 1 else 's'}{f': {states}' if states else ''}"


def proved(wirings: Iterable[Wiring]) -> Proved:
    """The counts of these wirings."""
    listed = list(wirings)
    status = Counter(wiring.status for wiring in listed)
    causes = Counter((wiring.status, cause(wiring)) for wiring in listed if wiring.status != "established")
    ordered = sorted(causes.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    reasons = tuple(Reason(each, text, count) for (each, text), count in ordered)
    return Proved(len(listed), status["established"], status["depends"], status["not established"], reasons)


def cause(wiring: Wiring) -> str:
    """What stands in the way: the reason, or the conditions that stay open."""
    if wiring.status == "not established":
        return wiring.reason or "no reason given"
    conditions = (condition for row in wiring.evaluated for answer in row.depends_on for condition in answer.conditions)
    return ", ".join(dict.fromkeys(condition.text for condition in conditions)) or "conditions that are not named"
