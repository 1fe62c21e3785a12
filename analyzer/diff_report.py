"""The text of a diff: what changed, before and after. Nothing where nothing did."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .behaviour import behaviour
from .diff_groups import Group, grouped
from .difference import Parting, Row, open_part
from .diffing import Difference
from .feeds import NOT_SERVED, WRONG, Feed, FeedChange
from .judging import UNREADABLE
from .report import Detail, findings_report, side_text, tone_of
from .request import ids_text
from .results import Analysis, SourceFacts, Step
from .rule import Finding, Severity
from .text import Line, Span, Tone, line

_LABEL = 14


def diff_report(found: Difference, detail: Detail) -> Iterator[Line]:
    """The changed rows, under their titles."""
    if not found:
        return
    if not detail.quiet:
        yield line(_named(found.before.analysis.source), Span(" -> ", "dim"), _named(found.after.analysis.source))
    titles = {"changed": "Changed wirings", "added": "Added wirings", "removed": "Removed wirings"}
    for kind, title in titles.items():
        chosen = grouped([each for each in found.wirings if each.kind == kind])
        if chosen:
            yield from (line(), line(Span(title, "bold")))
        for group in chosen:
            yield from _changed(group) if kind == "changed" else _whole(group)
    yield from _feeds(found.feeds)
    yield from _findings("Findings that appeared", found.appeared, found.after.whole, detail)
    yield from _findings("Findings that went", found.gone, found.before.whole, detail, went=True)


def _named(source: SourceFacts) -> str:
    return f"{source.package} {source.version or '(version unknown)'} in {source.root}"


def _title(group: Group) -> Line:
    wiring = group.change.wiring
    proof = f": {group.change.proof}" if group.change.proof is not None else ""
    return line("  ", Span(", ".join(group.models), "bold"), f"  {wiring.flow} {wiring.setter}", Span(proof, "yellow"))


def _changed(group: Group) -> Iterator[Line]:
    change = group.change
    yield _title(group)
    for row in change.rows:
        yield from _row(row)
    if change.parting is not None:
        yield from _parting(change.parting)
    after = change.after
    if after is not None and after.reason is not None and open_part(after) and change.proof is not None:
        yield line(Span(f"    {'since':{_LABEL}}", "dim"), after.reason, f" ({after.reason_at})" if after.reason_at else "")


def _row(row: Row) -> Iterator[Line]:
    """On one line where there is room, else one below the other."""
    if len(row.before) == len(row.after) == 1 and len(row.before[0]) + len(row.after[0]) < 90:
        yield line(Span(_label(row.what), "dim"), _toned(row.before[0]), Span(" -> ", "dim"), _toned(row.after[0]))
        return
    for number, text in enumerate(row.before or ("nothing",)):
        yield line(Span(_label(row.what if number == 0 else ""), "dim"), "   ", _toned(text))
    for number, text in enumerate(row.after or ("nothing",)):
        yield line(Span(f"    {'':{_LABEL}}", "dim"), Span("-> " if number == 0 else "   ", "dim"), _toned(text))


def _label(text: str) -> str:
    """The left column; a label that is too long for it does not run into what follows."""
    return f"    {text:{_LABEL - 2}}  "


def _toned(text: str) -> Span:
    return Span(text, tone_of(text))


def _parting(parting: Parting) -> Iterator[Line]:
    for name, step, end in (("before", parting.before, parting.ends[0]), ("after", parting.after, parting.ends[1])):
        label = f"with ids {ids_text(parting.ids)}" if name == "before" else ""
        yield line(Span(_label(label), "dim"), Span(f"{name:7}", "dim"), step_text(step, end))


def step_text(step: Step | None, end: str) -> str:
    """A step with its place; where there is none, what it comes to."""
    return f"{step.before} -> {step.after}  {step.label}  {step.at}" if step is not None else f"no such step: {end}"


def _whole(group: Group) -> Iterator[Line]:
    yield _title(group)
    for fact in behaviour(group.change.wiring):
        if fact.label in ("convention", "default"):
            for text in fact.texts[:1]:
                yield line(Span(f"    {fact.label:{_LABEL}}", "dim"), _toned(text))
    more = f" and {len(group.setters) - 1} more" if len(group.setters) > 1 else ""
    yield line(Span(f"    {'setter':{_LABEL}}{group.setters[0]}{more}", "dim"))


def _feeds(changes: Sequence[FeedChange]) -> Iterator[Line]:
    if changes:
        yield from (line(), line(Span("Drafts fed differently", "bold")))
    for change in changes:
        verdicts = change.verdicts
        tone: Tone = "red" if verdicts[1] in WRONG else "plain"
        by = f" with {change.model}" if change.model is not None else ""
        yield line("  ", Span(change.name, "bold"), f"{by}: ", Span(" -> ".join(dict.fromkeys(verdicts)), tone))
        for name, feed in (("before", change.before), ("after", change.after)):
            yield line(Span(f"    {name:{_LABEL}}", "dim"), served_text(feed))
        if change.trained is not None:
            yield line(Span(f"    {'trained':{_LABEL}}", "dim"), side_text(change.trained, None))
        kept = change.after.kept if change.after is not None else None
        for number, hop in enumerate(kept.path if kept is not None else ()):
            yield line(Span(f"    {'path' if number == 0 else '':{_LABEL}}", "dim"), f"{hop.at}: {hop.label}")


def served_text(feed: Feed | None) -> str:
    """What a draft is fed; that nothing feeds it."""
    if feed is None:
        return NOT_SERVED
    if feed.comparison is None:
        return (feed.kept.reason if feed.kept is not None else None) or NOT_SERVED
    return side_text(feed.comparison.served, feed.comparison.default)


def _findings(title: str, findings: Sequence[Finding], analysis: Analysis, detail: Detail, *, went: bool = False) -> Iterator[Line]:
    """Those that appeared as a check tells them; those that went in a line each. Facts are counted, as in a check."""
    told = [each for each in findings if not is_folded(each, detail)]
    if told:
        yield from (line(), line(Span(title, "bold")))
        yield from (line("  ", str(each)) for each in told) if went else findings_report(told, detail, analysis, titled=False)
    counted = Counter(each.code for each in findings if is_folded(each, detail))
    if counted and not detail.quiet:
        text = ", ".join(f"{code} at {count} place{'' if count == 1 else 's'}" for code, count in sorted(counted.items()))
        yield from (line(), line(Span(f"{title}, facts to know: {text} (--verbose tells each)", "dim")))


def is_folded(finding: Finding, detail: Detail) -> bool:
    """Whether a fact is only counted: the rows of the wirings tell it too, or it is a fact about a place."""
    return finding.severity == Severity.INFO and not detail.verbose and finding.code != UNREADABLE
