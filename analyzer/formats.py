"""The formats that a command offers which reports findings, but for text and json, which each command has its own way of."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from .check_comment import check_comment
from .concise import concise_report
from .github import github_commands
from .json_report import dumps
from .junit import Suite, junit_document, suite
from .report import Detail
from .rule import Rule, Severity
from .sarif import sarif_log
from .text import paint
from .told import Told
from .verdicts import names


def renderers(
    told: Sequence[Told], rules: Sequence[Rule], least: Severity, detail: Detail
) -> Mapping[str, Callable[[bool], str]]:
    """How each format says this. ``rules`` are those that were run; from the severity ``least`` on a finding is a failure.

    What was set aside, and what has gone, is in SARIF with all details only: code scanning passes over suppressions and states, and would
    open an alert for each.
    """
    return {
        "concise": lambda colour: paint(concise_report(told, detail), colour),
        "github": lambda _: github_commands(told, detail),
        "sarif": lambda _: dumps(sarif_log(told if detail.verbose else _present(told), rules)),
        "markdown": lambda _: check_comment(told, detail),
        "junit": lambda _: junit_document(_suites(told, least)),
    }


def _present(told: Sequence[Told]) -> list[Told]:
    return [replace(each, aside=(), findings=() if each.state == "absent" else each.findings) for each in told]


def _suites(told: Sequence[Told], least: Severity) -> list[Suite]:
    titles = names([each.analysis for each in told])
    return [suite(each, title, least) for each, title in zip(told, titles, strict=True)]
