"""What is told of a source, in whatever format: what was found in it, what was set aside, and what else there is to say."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .contracts import Kept
from .judging import By, SetAside
from .results import Analysis, SourceFacts
from .rule import Finding, Hop, Severity

State: TypeAlias = Literal["new", "absent", "unchanged"]
"""Of what is told in a comparison of two sources: whether it is only in the new one, only in the old one, or in both."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is told as a finding is and that no rule found: what a change did to a wiring, say. The ``code`` and the ``rule`` of ``told``
    are its own, ``summary`` says in a sentence what is told under them. ``related`` are places beside its path: those of the other side."""

    told: Finding
    summary: str
    related: tuple[Hop, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one source. ``state`` is there where it is one side of a comparison; ``contracts`` are those that were checked."""

    analysis: Analysis
    findings: tuple[Finding, ...]
    aside: tuple[SetAside, ...] = ()
    state: State | None = None
    notices: tuple[Notice, ...] = ()
    contracts: tuple[Kept, ...] = ()

    @property
    def present(self) -> tuple[Finding, ...]:
        """What there is to do something about, the worst first: nothing, where it has gone."""
        found = () if self.state == "absent" else (*(each.told for each in self.notices), *self.findings)
        return tuple(sorted(found, key=lambda each: -each.severity))


def plain_path(file: str, source: SourceFacts) -> str:
    """A printed path without the git revision that it is of: where the file is in the work tree."""
    return file if source.revision is None else file.removeprefix(f"{source.revision}:")


def counted(findings: Iterable[Finding]) -> str:
    """How many there are of each severity: ``1 error, 2 warnings``."""
    found = Counter(each.severity for each in findings)
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "fact to know"}
    plural = {"fact to know": "facts to know"}
    told = ((found[severity], word) for severity, word in words.items())
    return ", ".join(f"{count} {word if count == 1 else plural.get(word, f'{word}s')}" for count, word in told if count)


def aside_text(aside: Iterable[SetAside]) -> str:
    """How many were set aside by what: ``1 suppressed, 2 in the baseline``."""
    found = Counter(each.by for each in aside)
    words: dict[By, str] = {"comment": "suppressed", "path": "ignored by path", "baseline": "in the baseline"}
    return ", ".join(f"{found[by]} {word}" for by, word in words.items() if found[by])
