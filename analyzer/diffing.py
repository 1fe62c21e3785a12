"""``flowcheck diff``: both sides are checked in the same way, and what they say is held against each other."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol

from .checked import Asked, Checked, Judge, check_source
from .difference import Evaluate, WiringChange, changed_wirings
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
    sides = again(old.request, analyze), again(new.request, analyze)
    guessed = new.request.layers is None and new.request.target is None
    wirings = changed_wirings(before.analysis, after.analysis, sides, guessed=guessed)
    appeared, gone = changed_findings(found(before), found(after))
    return Difference(before, after, tuple(wirings), appeared, gone, tuple(changed_feeds(before, after)))


def found(checked: Checked) -> Found:
    """The findings of a side, of its contracts too."""
    return Found(checked.findings, checked.analysis.source, Symbols(checked.whole.around.content))


def again(request: Request, analyze: Analyzer) -> Evaluate:
    """Runs further id lists of wirings of this side: all lists for all of these classes in one run, so that it is read once."""

    def evaluate(wanted: Mapping[Wiring, tuple[Ids, ...]], layers: int | None) -> dict[Wiring, tuple[Evaluation, ...]]:
        if not wanted:
            return {}
        flows = () if request.flow_files else tuple(dict.fromkeys(each.flow for each in wanted))
        models = tuple(dict.fromkeys(each.model for each in wanted))
        lists = tuple(dict.fromkeys(chain.from_iterable(wanted.values())))
        asked = replace(
            request, flows=flows or request.flows, models=models, ids=lists, layers=layers or request.layers, judged=False, draft=None,
            more_drafts=(), train=None, train_config=None, train_engine=None, serve_args=None,
        )  # fmt: skip
        found = {(each.at, each.setter, each.flow, each.model): each.evaluated for each in analyze(asked).wirings}
        return {each: found.get((each.at, each.setter, each.flow, each.model), ()) for each in wanted}

    return evaluate
