"""Which drafts a change feeds differently, and which contracts it breaks."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .agreement import verdict
from .checked import Checked
from .contracts import Kept
from .results import Comparison, Side
from .rule import Severity

WRONG = ("other", "order", "stage", "width", "broken")
"""Verdicts that are proved wrong."""
NOT_SERVED = "not served"


@dataclass(frozen=True, slots=True)
class Feed:
    """What a draft is fed by one target class, or by those that a contract is about: ``kept`` is there where it is one's. ``comparison`` is
    None where nothing is compared."""

    comparison: Comparison | None
    kept: Kept | None = None

    @property
    def verdict(self) -> str:
        """Whether the draft is fed what it was trained on, in a word."""
        if self.kept is not None:
            return self.kept.status
        return verdict(self.comparison) if self.comparison is not None else NOT_SERVED

    @property
    def fed(self) -> tuple[object, ...]:
        """What the draft is fed with, whether by a guess, and whether that is right."""
        one = self.comparison
        return self.verdict, *(() if one is None else (one.served.points, one.default is not None))


@dataclass(frozen=True, slots=True)
class FeedChange:
    """A draft that is fed differently, or on one side only; ``name`` is that of its config, or of the contract."""

    name: str
    flow: str | None
    model: str | None
    before: Feed | None
    after: Feed | None

    @property
    def verdicts(self) -> tuple[str, str]:
        before, after = (NOT_SERVED if each is None else each.verdict for each in (self.before, self.after))
        return before, after

    @property
    def breaks(self) -> bool:
        """Whether what was not wrong before is proved wrong now."""
        before, after = self.verdicts
        return after in WRONG and before not in WRONG

    @property
    def trained(self) -> Side | None:
        """What the draft was trained on, where that is known."""
        sides = [each.comparison.trained for each in (self.after, self.before) if each is not None and each.comparison is not None]
        return next((each for each in sides if each is not None), None)


def changed_feeds(before: Checked, after: Checked) -> Iterator[FeedChange]:
    """The drafts that are fed differently, in the order of the new side, then those that are fed no more."""
    old, new = feeds(before), feeds(after)
    for key in dict.fromkeys((*new, *old)):
        one, other = old.get(key), new.get(key)
        if one is None or other is None or one.fed != other.fed:
            about = next((each.comparison for each in (other, one) if each is not None and each.comparison is not None), None)
            flow, model = (None, None) if about is None else (about.flow, about.model)
            yield FeedChange(key[0], flow, model, one, other)


def feeds(checked: Checked) -> dict[tuple[str, ...], Feed]:
    """What is fed by each target class to each draft that was given, and what each contract comes to."""
    given: dict[tuple[str, ...], Feed] = {(each.draft or "", each.flow, each.model): Feed(each) for each in checked.analysis.comparisons}
    given.update(((each.contract.name,), Feed(each.comparison, each)) for each in checked.kept)
    return given


def worse(changes: Sequence[FeedChange]) -> Iterator[Severity]:
    """How bad the contracts are that have changed for the worse."""
    for change in changes:
        now, was = (None if feed is None or feed.kept is None else feed.kept.severity for feed in (change.after, change.before))
        if now is not None and (was is None or now > was):
            yield now
