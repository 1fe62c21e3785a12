"""``flowcheck diff``: both sides are checked in the same way, and what they say is held against each other."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from .checked import Asked, Checked, Judge, check_source
from .difference import WiringChange, changed_wirings
from .feeds import FeedChange, changed_feeds
from .finding_changes import Found, changed_findings
from .memory import collect
from .request import Ids, Request
from .results import Analysis, Evaluation, Wiring
from .rule import Finding
from .symbols import Symbols


class Analyzer(Protocol):
    """Runs requests, and knows what the last ones read."""

    def __call__(self, request: Request) -> Analysis: ...
    def would_repeat(self, source: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change did. ``before`` and ``after`` are what both sides come to. ``appeared`` are findings of the new side, ``gone`` such of
    the old one."""

    before: Checked
    after: Checked
    wirings: tuple[WiringChange, ...] = ()
    appeared: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    feeds: tuple[FeedChange, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(self.wirings or self.appeared or self.gone or self.feeds)


def difference(old: Asked, new: Asked, analyze: Analyzer, judge: Judge) -> Difference:
    """The new side first. The old one is not run where all that was read of the new one stands in it too: it would come to the same."""
    after = check_source(new, analyze, judge)
    if analyze.would_repeat(old.request.source):
        return Difference(after, after)
    collect()  # what the interpreter built of one side is of no use to the other
    before = check_source(old, analyze, judge)
    wirings = changed_wirings(before.analysis, after.analysis, (again(old.request, analyze), again(new.request, analyze)))
    appeared, gone = changed_findings(found(before), found(after))
    return Difference(before, after, tuple(wirings), appeared, gone, tuple(changed_feeds(before, after)))


def found(checked: Checked) -> Found:
    """The findings of a side, of its contracts too."""
    return Found(checked.findings, checked.analysis.source, Symbols(checked.whole.around.content))


def again(request: Request, analyze: Analyzer) -> Callable[[Wiring, Sequence[Ids]], tuple[Evaluation, ...]]:
    """Runs further id lists of a wiring of this side."""

    def evaluate(wiring: Wiring, ids: Sequence[Ids]) -> tuple[Evaluation, ...]:
        asked = replace(
            request, flows=(wiring.flow,) if not request.flow_files else (), models=(wiring.model,), ids=tuple(ids), judged=False,
            draft=None, more_drafts=(), train=None, train_config=None, train_engine=None, serve_args=None,
        )  # fmt: skip
        same = [each for each in analyze(asked).wirings if (each.at, each.setter, each.flow) == (wiring.at, wiring.setter, wiring.flow)]
        return same[0].evaluated if same else ()

    return evaluate
