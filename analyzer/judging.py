"""What the rules find, less what the source's own comments suppress; and the suppressions that suppress nothing."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from .nearest import nearest
from .results import Analysis
from .rule import Finding, Rule, Severity, arranged, find, names_of
from .steps import task
from .suppressions import read_suppressions
from .surroundings import Suppression, UselessSuppression

By: TypeAlias = Literal["comment", "path", "baseline"]
UNUSED = "FC903"
"""The rule that is asked last."""
UNREADABLE = "FC902"
"""The one rule that finds something in a file that could not be read."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A finding that is not reported, with its consequences: what sets it aside, and the reason that this gives."""

    finding: Finding
    by: By
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What is reported, and what is not."""

    findings: tuple[Finding, ...]
    aside: tuple[SetAside, ...] = ()


def judge_all(analysis: Analysis, rules: Sequence[Rule], known: Sequence[Rule] | None = None) -> Judged:
    """What the ``rules`` find, but for what comments suppress; ``known`` are the rules that there are, also where others are not run."""
    with task("judge", "rules"):
        return _judged(analysis, rules, known or rules)


def _judged(analysis: Analysis, rules: Sequence[Rule], known: Sequence[Rule]) -> Judged:
    comments = _Comments(analysis, known)
    found = [finding for rule in rules for finding in rule.check(analysis)]
    own = {_key(each): each.severity for each in found}
    kept = [left for each in arranged(found) if (left := comments.without_suppressed(each, own)) is not None]
    told = replace(analysis, around=replace(analysis.around, useless=tuple(comments.useless(rules, found))))
    last = [each for rule in rules if rule.code == UNUSED for each in rule.check(told)]
    kept += [each for each in last if comments.without_suppressed(each, own) is not None]
    return Judged(arranged(kept), tuple(comments.aside))


@dataclass(slots=True)
class _Comments:
    """The suppressions of a source, each file read when a finding stands in it, and which of them were of use."""

    analysis: Analysis
    known: Sequence[Rule]
    aside: list[SetAside] = field(default_factory=list)
    used: set[tuple[Suppression, str]] = field(default_factory=set)
    files: dict[str, tuple[Suppression, ...]] = field(default_factory=dict)

    def of(self, file: str) -> tuple[Suppression, ...]:
        if file not in self.files:
            self.files[file] = read_suppressions(self.analysis.around.content(file), file) if file.endswith(".py") else ()
        return self.files[file]

    def without_suppressed(self, finding: Finding, own: dict[object, Severity]) -> Finding | None:
        """The finding without those of its consequences that are suppressed; None where it is so itself. It is as bad then as what is
        left of it."""
        comment = self.suppressing(finding)
        if comment is not None:
            self.aside.append(SetAside(finding, "comment", comment.reason))
            self.count(finding.consequences)
            return None
        inner = [self.without_suppressed(each, own) for each in finding.consequences]
        if all(left is each for left, each in zip(inner, finding.consequences, strict=True)):
            return finding
        left_over = tuple(each for each in inner if each is not None)
        severity = max(own.get(_key(finding), finding.severity), *(each.severity for each in left_over), Severity.INFO)
        return replace(finding, consequences=left_over, severity=severity)

    def count(self, consequences: Iterable[Finding]) -> None:
        """What goes with its cause makes use of its own comments too."""
        for each in consequences:
            self.suppressing(each)
            self.count(each.consequences)

    def suppressing(self, finding: Finding) -> Suppression | None:
        for comment in self.of(finding.at.file):
            if comment.reason and finding.at.line in comment.lines:
                for name in comment.rules:
                    rule = find(self.known, name)
                    if rule is not None and rule.code == finding.code:
                        self.used.add((comment, name))
                        return comment
        return None

    def useless(self, rules: Sequence[Rule], found: Iterable[Finding]) -> Iterator[UselessSuppression]:
        """What is wrong with suppressions in the files of the flow, and in those in which something was found."""
        files = {*self.analysis.around.commented, *(each.at.file for each in found)}
        unread = {each.at.file for each in self.analysis.not_established if each.what == "file" and each.at is not None}
        for comment in (each for file in sorted(files) for each in self.of(file)):
            judged = [rule for rule in rules if comment.at.file not in unread or rule.code == UNREADABLE]
            if not comment.rules:
                yield UselessSuppression(comment.at, "no rule")
            elif not comment.reason:
                yield UselessSuppression(comment.at, "no reason", ", ".join(comment.rules))
            for name in comment.rules:
                rule = find(self.known, name)
                if rule is None:
                    yield UselessSuppression(comment.at, "unknown rule", name, nearest(name, names_of(self.known)))
                elif comment.reason and (comment, name) not in self.used and self.would_be_found(rule, judged):
                    yield UselessSuppression(comment.at, "unused", name)

    def would_be_found(self, rule: Rule, rules: Sequence[Rule]) -> bool:
        """Whether this run would have found all that the rule can find."""
        return rule in rules and rule.code != UNUSED and rule.needs in self.analysis.around.covers


def _key(finding: Finding) -> object:
    return finding.code, finding.at, finding.column, finding.message, finding.flow, finding.model, finding.draft
