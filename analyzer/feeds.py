"""Which drafts a change feeds differently."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .agreement import verdict
from .results import Comparison

NOTHING_WRONG = ("same", "not established", "undecidable")


@dataclass(frozen=True, slots=True)
class Feed:
    """What one target class feeds a draft; ``name`` is that of the draft, or of the contract that is about it."""

    name: str
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class FeedChange:
    """A draft that is fed differently by one target class, or is fed by it on one side only."""

    name: str
    flow: str
    model: str
    before: Comparison | None
    after: Comparison | None

    @property
    def breaks(self) -> bool:
        """Whether what was not wrong before is proved wrong now."""
        now = self.after is not None and verdict(self.after) not in NOTHING_WRONG
        return now and (self.before is None or verdict(self.before) in NOTHING_WRONG)


def changed_feeds(before: Sequence[Feed], after: Sequence[Feed]) -> Iterator[FeedChange]:
    """The drafts that are fed differently, in the order of the new side, then those that are fed no more."""
    old, new = ({(each.name, each.comparison.flow, each.comparison.model): each.comparison for each in side} for side in (before, after))
    for key in dict.fromkeys((*new, *old)):
        one, other = old.get(key), new.get(key)
        if one is None or other is None or fed(one) != fed(other):
            yield FeedChange(*key, one, other)


def fed(comparison: Comparison) -> tuple[object, ...]:
    """What the draft is fed with, whether by a guess, and whether that is right."""
    return comparison.served.points, comparison.default is not None, verdict(comparison)
