"""One line for each finding, in the form that editors and other tools parse: place, severity, code, message."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from .report import SEVERITY_TONES, Detail, is_folded
from .rule import Finding
from .text import Line, Span, line
from .told import Told, plain_path


def concise_report(told: Sequence[Told], detail: Detail) -> Iterator[Line]:
    """The lines, source by source, the worst first. What has gone is told as such, at its old place."""
    for each in told:
        for found in each.present:
            if not is_folded(found, detail):
                yield _line(found, plain_path(found.at.file, each.analysis.source), str(found.severity))
        for found in each.findings if each.state == "absent" else ():
            if not is_folded(found, detail):
                yield _line(found, found.at.file, "gone")


def _line(found: Finding, file: str, word: str) -> Line:
    place = f"{file}:{found.at.line}:{found.column}: "
    return line(place, Span(word, "dim" if word == "gone" else SEVERITY_TONES[found.severity]), f" {found.code} {found.message}")
