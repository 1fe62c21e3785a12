"""The baseline: a file of findings that are known, so that only new ones are reported.

An entry names a finding by its rule, its file and its symbol, and by the flow, the target class and the draft that it is about, with how
often it is there. Lines are not in it: what moves stays known. A file of the engine is named from its package on, so that it stays known in
a copy, in an archive and in another version; paths of others are relative to the folder of the baseline.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .json_file import Node, Wanted, read_json
from .judging import Judged, SetAside
from .layout import printed_path
from .paths import relative
from .results import Analysis, SourceFacts
from .rule import Finding, Rule, Severity
from .symbols import Symbols

SCHEMA = "flowcheck.baseline/1"
WANTED = Wanted("baseline", "the file that --write-baseline wrote", "write it anew with --write-baseline")
MOST_FINDINGS = 1_000_000
FIELDS = ("code", "rule", "severity", "file", "symbol", "flow", "model", "draft", "count")


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a finding wherever its line is. ``file`` is seen from what holds the engine's package, or, as ``draft``, from the
    folder of the baseline."""

    code: str
    file: str
    symbol: str
    flow: str | None
    model: str | None
    draft: str | None

    def order(self) -> tuple[str, ...]:
        return self.file, self.symbol, self.code, self.flow or "", self.model or "", self.draft or ""


@dataclass(frozen=True, slots=True)
class Known:
    """How often a finding is known, and how bad it was at worst: what has become worse is new."""

    count: int
    severity: Severity


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of a baseline; ``shown`` is how its file is printed, ``folder`` where it lies."""

    shown: str
    folder: str
    entries: dict[Key, Known]


@dataclass(slots=True)
class Book:
    """A baseline and what is left of its entries while findings are struck off."""

    baseline: Baseline
    left: dict[Key, int] = field(init=False)

    def __post_init__(self) -> None:
        self.left = {key: known.count for key, known in self.baseline.entries.items()}

    def without_known(self, analysis: Analysis, judged: Judged) -> Judged:
        """The findings but for those that are known."""
        symbols, kept, aside = Symbols(analysis.around.content), [], list(judged.aside)
        for finding in judged.findings:
            key = key_of(finding, analysis.source, symbols, self.baseline.folder)
            if self.left.get(key, 0) and finding.severity <= self.baseline.entries[key].severity:
                self.left[key] -= 1
                aside.append(SetAside(finding, "baseline", self.baseline.shown))
            else:
                kept.append(finding)
        return Judged(tuple(kept), tuple(aside))

    def gone(self, analyses: Sequence[Analysis], rules: Sequence[Rule]) -> int:
        """How many entries, of those that these runs could have met, are not found as often any more."""
        runs = [_Run(each, self.baseline.folder) for each in analyses]
        needs = {rule.code: rule for rule in rules}
        return sum(1 for key, left in self.left.items() if left and any(run.could_meet(key, needs.get(key.code)) for run in runs))


@dataclass(slots=True)
class _Run:
    """What one run looked at."""

    analysis: Analysis
    folder: str

    def could_meet(self, key: Key, rule: Rule | None) -> bool:
        analysis = self.analysis
        if rule is None:
            return False
        if key.draft is None:
            whole = rule.needs in analysis.around.covers or {"source", "launch"} <= set(analysis.around.covers)
            return whole and key.file.partition("/")[0] == analysis.source.package
        drafts = {relative(draft, self.folder) for draft in analysis.around.drafts}
        flows = {wiring.flow for wiring in analysis.wirings}
        models = {wiring.model for wiring in analysis.wirings}
        return key.draft in drafts and key.flow in (None, *flows) and key.model in (None, *models)


def key_of(finding: Finding, source: SourceFacts, symbols: Symbols, folder: str) -> Key:
    """By what a baseline knows a finding."""
    draft = None if finding.draft is None else relative(finding.draft, folder)
    inside = relative(finding.at.file, source.root)
    file = inside if inside.partition("/")[0] == source.package else relative(finding.at.file, folder)
    return Key(finding.code, file, symbols.at(finding.at), finding.flow, finding.model, draft)


def baseline_text(judged: Iterable[tuple[Analysis, Judged]], file: str) -> tuple[str, int]:
    """The text of a baseline of these findings that is to lie in ``file``, and how many they are."""
    folder = os.path.dirname(os.path.abspath(file))
    known: dict[Key, Known] = {}
    names: dict[str, str] = {}
    for analysis, one in judged:
        symbols = Symbols(analysis.around.content)
        for finding in one.findings:
            key = key_of(finding, analysis.source, symbols, folder)
            before = known.get(key, Known(0, finding.severity))
            known[key] = Known(before.count + 1, max(before.severity, finding.severity))
            names[finding.code] = finding.rule
    lines = [json.dumps(_entry(key, known[key], names[key.code])) for key in sorted(known, key=Key.order)]
    entries = ",".join(f"\n  {each}" for each in lines)
    return f'{{\n "schema": "{SCHEMA}",\n "entries": [{entries}\n ]\n}}\n', sum(each.count for each in known.values())


def _entry(key: Key, known: Known, rule: str) -> dict[str, str | int | None]:
    values = key.code, rule, str(known.severity), key.file, key.symbol, key.flow, key.model, key.draft, known.count
    return dict(zip(FIELDS, values, strict=True))


def read_baseline(argument: str) -> Baseline:
    """The baseline in a file; BadInput, in one line with the place, where it is not sound."""
    shown = printed_path(os.path.abspath(argument), keep_absolute=os.path.isabs(argument)) if "\0" not in argument else argument
    document = read_json(argument, shown, WANTED)
    root = Node(shown, WANTED, document, document.value)
    root.member("schema").one_of((SCHEMA,))
    _closed(root, ("schema", "entries"))
    entries: dict[Key, Known] = {}
    for key, known, node in map(_read, root.member("entries").entries()):
        if key in entries:
            node.refuse("is there twice")
        entries[key] = known
    return Baseline(shown, os.path.dirname(os.path.abspath(argument)), entries)


def _read(node: Node) -> tuple[Key, Known, Node]:
    _closed(node, FIELDS)
    severity = node.member("severity").one_of(tuple(map(str, Severity)))
    whom = [node.member(name).text_or_none() for name in ("flow", "model", "draft")]
    node.member("rule").text()
    key = Key(*(node.member(name).text() for name in ("code", "file", "symbol")), *whom)
    return key, Known(node.member("count").number(1, MOST_FINDINGS), next(each for each in Severity if str(each) == severity)), node


def _closed(node: Node, names: Sequence[str]) -> None:
    unknown: Iterator[str] = (name for name in (node.value if isinstance(node.value, dict) else ()) if name not in names)
    for name in unknown:
        node.refuse(f"has an entry {name!r}, which is none of a baseline")
