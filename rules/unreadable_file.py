"""A file of the flow could not be read.

What it finds
    A Python file that names the flow, or that a call of the flow reaches, and that could not be decoded or parsed.

Why it matters
    What the file defines is unknown to the analysis. A target class in it is missing from the table of wirings.

Example
    A merge left conflict markers in a model file, so it does not parse.

Instead
    Mend the file. If it needs a newer grammar than the Python that runs flowcheck, run flowcheck under a newer Python.

What it cannot see
    Files that neither name the flow nor are reached by it are not opened, so nothing is said about them.

Sources
    The grammar of the Python that runs flowcheck, and libcst's where that one fails.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.results import Analysis, Location, NotEstablished
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each file that could not be read."""
    for entry in analysis.not_established:
        if entry.what == "file":
            yield Finding(RULE.code, RULE.name, RULE.severity, f"this file could not be read: {entry.reason}", entry.at)


_BAD = example_analysis(not_established=(NotEstablished("file", "invalid syntax", Location("engine/models/tulip.py", 7)),))

RULE = Rule(
    code="FC902",
    name="unreadable-file",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    examples=(
        Example("conflict markers in a model file", _BAD, ("this file could not be read: invalid syntax",)),
        Example("every file parses", example_analysis()),
    ),
)
