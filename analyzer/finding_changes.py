"""Which findings a change brought, and which have gone. One that has only moved is neither."""
from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from .results import SourceFacts
from .rule import Finding
from .symbols import Symbols

_PLACE = re.compile(r"\S+:\d+")
_OWNER = re.compile(r"\b\w+\.(?=\w)")
"""What an attribute is of: ``self`` may be ``runner`` where the code has moved to."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one side found."""

    findings: Sequence[Finding]
    source: SourceFacts
    symbols: Symbols


def changed_findings(before: Found, after: Found) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that appeared, or became worse, and those that went. They are matched by rule, place (the file and the symbol in it),
    flow, target class, draft and what is expected and actual; then by what they say, for a finding that has moved says the same; then, if
    no draft is concerned, by rule and place alone: it may be about more target classes, or fewer."""
    left, known = list(after.findings), list(before.findings)
    for key in (_in_place, _as_told, _there):
        left, known = _unmatched(left, known, key, before, after)
    return tuple(left), tuple(known)


def _unmatched(
    appeared: Sequence[Finding], gone: Sequence[Finding], key: Callable[[Finding, Found], Hashable], before: Found, after: Found
) -> tuple[list[Finding], list[Finding]]:
    waiting: dict[Hashable, list[Finding]] = defaultdict(list)
    for finding in gone:
        waiting[key(finding, before)].append(finding)
    new = []
    for finding in appeared:
        old = next((each for each in waiting[key(finding, after)] if each.severity >= finding.severity), None)
        if old is None:
            new.append(finding)
        else:
            waiting[key(finding, after)].remove(old)
    kept = [each for olds in waiting.values() for each in olds]
    return new, [finding for finding in gone if any(each is finding for each in kept)]


def _in_place(finding: Finding, side: Found) -> Hashable:
    return _whom(finding), inside(finding.at.file, side.source), side.symbols.at(finding.at)


def _as_told(finding: Finding, _: Found) -> Hashable:
    return _whom(finding), _OWNER.sub("", _PLACE.sub("", finding.message))


def _there(finding: Finding, side: Found) -> Hashable:
    if finding.draft is not None:
        return id(finding)
    return finding.code, finding.flow, inside(finding.at.file, side.source), side.symbols.at(finding.at)


def _whom(finding: Finding) -> Hashable:
    return finding.code, finding.flow, finding.model, finding.draft, finding.expected, finding.actual


def inside(file: str, source: SourceFacts) -> str:
    """A printed path as seen from what holds the package; that of another file as it is."""
    return file.removeprefix(source.root).lstrip("/") if file.startswith(source.root) else file
