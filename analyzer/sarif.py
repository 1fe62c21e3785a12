"""The findings as SARIF 2.1.0, for code scanning and other tools that gather results."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version

from .escape import terminal
from .json_report import Json, Object
from .judging import UNREADABLE
from .results import SourceFacts
from .rule import Rule
from .sarif_places import BASE, Places, message_text
from .sarif_results import results
from .sarif_rules import notice_descriptors, rule_descriptor
from .told import Told

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NOT_ESTABLISHED = "FC901"

_SEMANTIC = re.compile(r"\d+\.\d+\.\d+")


def sarif_log(told: Sequence[Told], rules: Sequence[Rule]) -> Object:
    """One run for each source, for a run has one root and code scanning takes one for each category; both sides of a comparison are one."""
    groups = [list(told)] if any(each.state is not None for each in told) else [[each] for each in told]
    categories = list(_categories([group[0].analysis.source for group in groups]))
    runs: list[Json] = [
        {**_run(group, rules), **({"automationDetails": {"id": category}} if len(groups) > 1 else {})}
        for group, category in zip(groups, categories, strict=True)
    ]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": runs}


def _categories(sources: Sequence[SourceFacts]) -> Iterator[str]:
    """By what code scanning tells the runs apart: what is before the last slash. Of one run alone the user says it, if anybody."""
    taken: set[str] = set()
    for source in sources:
        name, number = terminal(source.root), 1
        while name in taken:
            name, number = f"{terminal(source.root)} {number + 1}", number + 1
        taken.add(name)
        yield f"flowcheck/{name}/"


def _run(group: Sequence[Told], rules: Sequence[Rule]) -> Object:
    notices = [notice for each in group for notice in each.notices]
    descriptors = [*(rule_descriptor(rule) for rule in rules), *notice_descriptors(notices)]
    indices = {str(each["id"]): number for number, each in enumerate(descriptors)}
    suppressible = any(each.aside for each in group)
    found: list[Json] = [result for each in group for result in results(each, indices, suppressible=suppressible)]
    notes: list[Json] = [note for each in group for note in _notifications(each, indices)]
    return {
        "tool": {"driver": {"name": "flowcheck", **_version(), "rules": descriptors}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "originalUriBaseIds": {BASE: {"description": {"text": "The working directory of the run."}}},
        "columnKind": "unicodeCodePoints",
        "results": found,
        "properties": {"sources": [_source(each.analysis.source) for each in group]},
    }


def _version() -> Object:
    installed = version("flowcheck")
    semantic = _SEMANTIC.match(installed)
    return {"version": installed, **({"semanticVersion": semantic.group()} if semantic else {})}


def _source(source: SourceFacts) -> Object:
    known = {"root": source.root, "package": source.package, "version": source.version, "revision": source.revision}
    texts: Object = {name: terminal(text) for name, text in known.items() if text is not None}
    return {**texts, "files": source.files, "read": source.read}


def _notifications(told: Told, indices: dict[str, int]) -> Iterator[Object]:
    """What could not be proved or read, of a source that is there."""
    places = Places(told.analysis)
    for entry in told.analysis.not_established if told.state != "absent" else ():
        code = UNREADABLE if entry.what == "file" else NOT_ESTABLISHED
        rule: Object = {"associatedRule": {"id": code, "index": indices[code]}} if code in indices else {}
        yield {
            "level": "warning" if entry.what == "file" else "note",
            "message": {"text": message_text(f"{entry.what}: {entry.reason}")},
            "locations": [places.at(entry.at)],
            **rule,
        }
