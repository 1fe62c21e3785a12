"""The findings as commands to the runner of a GitHub workflow, which shows them beside the lines of a pull request."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .escape import terminal
from .path_diagram import abridged, ways_of
from .report import Detail, is_folded
from .results import SourceFacts
from .rule import Finding, Severity
from .told import Told, plain_path

MOST = 10
"""Annotations of one level that GitHub shows of a step, the first ones; the others stay in its log."""
MOST_HOPS = 8
"""Hops of one way in an annotation: it is to be read beside a line."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github_commands(told: Sequence[Told], detail: Detail) -> str:
    """A command for each finding, the worst first, for GitHub shows only so many; then how many it will not show."""
    found = [(one, each) for each in told for one in each.present if not is_folded(one, detail)]
    found.sort(key=lambda item: -item[0].severity)
    lines = [_command(one, each.analysis.source) for one, each in found]
    return "".join(f"{line}\n" for line in (*lines, *_beyond(one for one, _ in found)))


def _beyond(findings: Iterator[Finding]) -> Iterator[str]:
    counts = Counter(_LEVELS[each.severity] for each in findings)
    over = [f"{count - MOST} more {level}{'s' if count - MOST > 1 else ''}" for level, count in counts.items() if count > MOST]
    if over:
        yield f"flowcheck: GitHub shows {MOST} annotations of each level; in this log alone: {', '.join(over)}"


def _command(found: Finding, source: SourceFacts) -> str:
    place = {"file": plain_path(found.at.file, source), "line": str(found.at.line), "col": str(found.column)} if found.at.file else {}
    properties = {**place, "title": f"{found.code} {found.rule}"}
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_LEVELS[found.severity]} {shown}::{'%0A'.join(map(_data, _texts(found)))}"


def _texts(found: Finding) -> Iterator[str]:
    """The lines of an annotation: the message, the path of what is more than a fact, what follows from it, and the help."""
    yield found.message
    for way in ways_of(found) if found.severity > Severity.INFO else ():
        for shown in abridged(way.hops, MOST_HOPS):
            if shown.skipped:
                yield f"({shown.skipped} more hop{'' if shown.skipped == 1 else 's'})"
            yield f"{shown.hop.at}: {shown.hop.label}"
    yield from (f"so {each.severity} {each.code} {each.message}" for each in found.consequences)
    if found.help is not None:
        yield f"help: {found.help}"


def _data(text: str) -> str:
    return terminal(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
