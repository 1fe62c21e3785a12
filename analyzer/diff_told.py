"""What a change did, as the formats of findings tell it: what appeared and what has gone, and a notice for each wiring and draft."""
from __future__ import annotations

from collections.abc import Iterator

from .behaviour import behaviour
from .diff_groups import Group, grouped
from .difference import WiringChange
from .diffing import Difference
from .feeds import WRONG, FeedChange
from .results import Location, Step
from .rule import Finding, Hop, Severity
from .told import Notice, Told

WIRING, DRAFT = "wiring", "draft"
SUMMARIES = {WIRING: "A change did something to what a target class captures.", DRAFT: "A change feeds a draft differently."}


def told_of_difference(found: Difference) -> tuple[Told, ...]:
    """The new side, then the old one; of the new one nothing where nothing changed."""
    if not found:
        return (Told(found.after.whole, (), state="new", contracts=found.after.kept),)
    new = (*_wirings(found, "changed"), *_wirings(found, "added"), *_drafts(found))
    after = Told(found.after.whole, found.appeared, state="new", notices=new, contracts=found.after.kept)
    return after, Told(found.before.whole, found.gone, state="absent", notices=tuple(_wirings(found, "removed")))


def _wirings(found: Difference, kind: str) -> Iterator[Notice]:
    for group in grouped([each for each in found.wirings if each.kind == kind]):
        change, wiring = group.change, group.change.wiring
        step = change.parting.after if change.parting is not None else None
        told = Finding(
            WIRING, f"wiring-{kind}", Severity.INFO, message(group), wiring.at if step is None else step.at, flow=wiring.flow,
            model=group.models[0], path=_hops(change, new=True),
        )  # fmt: skip
        yield Notice(told, SUMMARIES[WIRING], _hops(change, new=False))


def message(group: Group) -> str:
    """A change in one sentence: whom it is about, and the first thing that is different."""
    change = group.change
    whom = f"{', '.join(group.models)} ({change.wiring.flow} {change.wiring.setter})"
    if change.kind != "changed":
        return f"{whom} is {change.kind}: {'; '.join(behaviour(change.wiring)[0].texts)}"
    rows = [f"{row.what}: {'; '.join(row.before) or 'nothing'} -> {'; '.join(row.after) or 'nothing'}" for row in change.rows]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{whom}: {f'{change.proof}: ' if change.proof is not None else ''}{rows[0] if rows else 'changed'}{more}"


def _hops(change: WiringChange, *, new: bool) -> tuple[Hop, ...]:
    """The derivation of the one side, up to where it parts from the other."""
    if change.parting is None:
        return ()
    steps = change.parting.paths[new][: change.parting.common + 1]
    return tuple(hop_of(each) for each in steps)


def hop_of(step: Step) -> Hop:
    return Hop(f"{step.label}: {step.before} -> {step.after}", step.at)


def _drafts(found: Difference) -> Iterator[Notice]:
    for change in found.feeds:
        before, after = change.verdicts
        fed = f"fed {served(change, new=False)} before, now {served(change, new=True)}"
        text = f"{change.name}: {' -> '.join(dict.fromkeys((before, after)))}: {fed}"
        severity = Severity.WARNING if after in WRONG else Severity.INFO
        told = Finding(DRAFT, "draft-fed-differently", severity, text, _place(change, found), flow=change.flow, model=change.model)
        yield Notice(told, SUMMARIES[DRAFT])


def served(change: FeedChange, *, new: bool) -> str:
    """What a draft is fed, in few words."""
    feed = change.after if new else change.before
    if feed is None or feed.comparison is None:
        return "nothing"
    points = feed.comparison.served.points
    guess = " (a guess)" if feed.comparison.default is not None else ""
    return feed.comparison.served.status if points is None else f"{', '.join(points) or 'nothing'}{guess}"


def _place(change: FeedChange, found: Difference) -> Location:
    """The draft's entry in its config, else the contract, else the root of the source."""
    for feed in (change.after, change.before):
        if feed is not None and feed.comparison is not None and feed.comparison.served.at is not None:
            return feed.comparison.served.at
        if feed is not None and feed.kept is not None:
            return feed.kept.contract.at
    return Location(found.after.analysis.source.root, 1)
