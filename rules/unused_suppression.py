"""A suppression that suppresses nothing.

What it finds
    A comment `# flowcheck: ignore[…]` that has no effect: it gives no reason, it names no rule or one that there is not, or there is
    nothing to suppress on its lines. A comment is about the line that it stands on; comment lines are about the line of code right below
    them, and above a decorator about what is decorated too. That there is nothing is told only of rules that were run, and only where
    this run would have found everything: of all flows and target classes, without configs and flags that narrow it. What needs a draft
    is never told to be unused, for another draft may need it.

Why it matters
    One that does not work leaves its finding in the report. One that nothing needs any more hides the next finding on its line.

Example
    A setter was mended, and the comment that excused it stayed.

Instead
    Take the comment out, or give the rule and the reason: `# flowcheck: ignore[FC210] the engine calls this once`.

What it cannot see
    Comments in files that have nothing to do with the flow, and in those of a trainer in which nothing is found. A finding in a config
    cannot be suppressed by a comment, since JSON has none: `per-path-ignores` and a baseline are for those.

Sources
    The comments of the source, as Python's tokenizer sees them.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis
from ..analyzer.surroundings import Surroundings, UselessSuppression


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each suppression, or for each rule that it names."""
    for useless in analysis.around.useless:
        yield Finding(RULE.code, RULE.name, RULE.severity, _message(useless), useless.at)


def _message(useless: UselessSuppression) -> str:
    match useless.wrong:
        case "no rule":
            return "this suppresses nothing, for it names no rule: write ignore[CODE] and the reason"
        case "no reason":
            return f"this suppresses nothing, for it gives no reason: write one behind ignore[{useless.rule}]"
        case "unknown rule":
            meant = f"; did you mean {useless.meant}?" if useless.meant is not None else ""
            return f"there is no rule {useless.rule!r}, so this does not suppress it{meant}"
        case "unused":
            return f"{useless.rule} finds nothing here that this could suppress"
        case _:
            assert_never(useless.wrong)


_AT = Location("engine/models/tulip.py", 31)


def _around(*useless: UselessSuppression) -> Analysis:
    return example_analysis(around=Surroundings(useless=useless))


RULE = Rule(
    code="FC903",
    name="unused-suppression",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "# flowcheck: ignore[FC210] called once, where FC210 finds nothing",
            _around(UselessSuppression(_AT, "unused", "FC210")),
            ("FC210 finds nothing here that this could suppress",),
        ),
        Example(
            "# flowcheck: ignore[FC210]",
            _around(UselessSuppression(_AT, "no reason", "FC210")),
            ("this suppresses nothing, for it gives no reason: write one behind ignore[FC210]",),
        ),
        Example(
            "# flowcheck: ignore[stale-sate] called once",
            _around(UselessSuppression(_AT, "unknown rule", "stale-sate", "stale-state")),
            ("there is no rule 'stale-sate', so this does not suppress it; did you mean stale-state?",),
        ),
        Example(
            "# flowcheck: ignore called once",
            _around(UselessSuppression(_AT, "no rule")),
            ("this suppresses nothing, for it names no rule: write ignore[CODE] and the reason",),
        ),
        Example("# flowcheck: ignore[FC210] called once, where FC210 finds something", _around()),
    ),
)
