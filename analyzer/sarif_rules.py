"""The rules as SARIF describes them, their pages as help."""
from __future__ import annotations

from collections.abc import Iterable, Iterator

from .json_report import Object
from .rule import Rule, Severity
from .told import Notice

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
LONGEST = 1024
"""Characters of a description that GitHub shows."""
TAGS = ("correctness", "speculative-decoding")

_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def rule_descriptor(rule: Rule) -> Object:
    """A rule with its page. What it finds is proved, so that its precision is very high."""
    sections = dict(_sections(rule.page))
    markdown = "\n\n".join((rule.summary, *(f"## {title}\n\n{text}" for title, text in sections.items() if title)))
    full = " ".join(sections.get("What it finds", rule.summary).split())
    return {
        **_named(rule.code, rule.name, rule.summary),
        "fullDescription": {"text": full if len(full) <= LONGEST else full[: LONGEST - 1] + "…"},
        "help": {"text": rule.page.strip(), "markdown": markdown},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": list(TAGS), "precision": "very-high", "problem.severity": _PROBLEMS[rule.severity]},
    }


def notice_descriptors(notices: Iterable[Notice]) -> Iterator[Object]:
    """What notices are told under, each once."""
    for notice in {each.told.code: each for each in notices}.values():
        summary = {"text": notice.summary}
        yield {
            **_named(notice.told.code, notice.told.rule, notice.summary),
            "fullDescription": summary,
            "help": summary,
            "defaultConfiguration": {"level": LEVELS[notice.told.severity]},
            "properties": {"tags": list(TAGS), "precision": "very-high", "problem.severity": _PROBLEMS[notice.told.severity]},
        }


def _named(code: str, name: str, summary: str) -> Object:
    return {"id": code, "name": "".join(word.capitalize() for word in name.split("-")), "shortDescription": {"text": summary}}


def _sections(page: str) -> Iterator[tuple[str, str]]:
    """The headings of a page with what stands below each; the summary has none."""
    title, lines = "", list[str]()
    for text in page.strip().splitlines():
        if text and not text.startswith(" ") and lines:
            yield title, "\n".join(lines).strip()
            title, lines = text, []
        else:
            lines.append(text.strip())
    yield title, "\n".join(lines).strip()
