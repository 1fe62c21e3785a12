"""``flowcheck diff``: both sides are analysed in the same way, and what they say is held against each other."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from .difference import WiringChange, changed_wirings
from .feeds import Feed, FeedChange, changed_feeds
from .finding_changes import Found, changed_findings
from .judging import Judged
from .memory import collect
from .request import Ids, Request
from .results import Analysis, Evaluation, Wiring
from .rule import Finding
from .symbols import Symbols

Analyze: TypeAlias = Callable[[Request], Analysis]
Judge: TypeAlias = Callable[[Analysis], Judged]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change did. ``before`` and ``after`` are the analyses of both sides. ``appeared`` are findings of the new side, ``gone`` such
    of the old one."""

    before: Analysis
    after: Analysis
    wirings: tuple[WiringChange, ...] = ()
    appeared: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    feeds: tuple[FeedChange, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(self.wirings or self.appeared or self.gone or self.feeds)


def difference(old: Request, new: Request, analyze: Analyze, judge: Judge) -> Difference:
    """Both sides one after the other, and what is different."""
    before = analyze(old)
    collect()  # what the interpreter built of one side is of no use to the other
    after = analyze(new)
    wirings = changed_wirings(before, after, (again(old, analyze), again(new, analyze)))
    judged = [Found(judge(each).findings, each.source, Symbols(each.around.content)) for each in (before, after)]
    appeared, gone = changed_findings(*judged)
    return Difference(before, after, tuple(wirings), appeared, gone, tuple(changed_feeds(feeds(before), feeds(after))))


def feeds(analysis: Analysis) -> list[Feed]:
    return [Feed(each.draft or "", each) for each in analysis.comparisons]


def again(request: Request, analyze: Analyze) -> Callable[[Wiring, Sequence[Ids]], tuple[Evaluation, ...]]:
    """Runs further id lists of a wiring of this side."""

    def evaluate(wiring: Wiring, ids: Sequence[Ids]) -> tuple[Evaluation, ...]:
        asked = replace(
            request, flows=(wiring.flow,) if not request.flow_files else (), models=(wiring.model,), ids=tuple(ids), judged=False,
            draft=None, more_drafts=(), train=None, train_config=None, train_engine=None, serve_args=None,
        )  # fmt: skip
        found = [each for each in analyze(asked).wirings if (each.at, each.setter, each.flow) == (wiring.at, wiring.setter, wiring.flow)]
        return found[0].evaluated if found else ()

    return evaluate
