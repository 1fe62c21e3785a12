"""What a check came to, as it is told in every format: the findings of the source and of its contracts, and which of these are kept."""
from __future__ import annotations

from collections.abc import Iterator

from .checked import Checked
from .contracts import Kept
from .rule import Finding, Severity
from .told import Notice, State, Told

SUMMARY = "A contract of the settings is not kept."


def told_of(checked: Checked, state: State | None = None) -> Told:
    """All that is found in one source."""
    return Told(checked.whole, checked.findings, checked.aside, state, tuple(unheard(checked)), checked.kept)


def unheard(checked: Checked) -> Iterator[Notice]:
    """Contracts that are not kept, and of which no finding says so."""
    for kept in checked.kept:
        if kept.severity is not None and not any(each.severity > Severity.INFO for each in kept.findings):
            yield Notice(finding_of(kept, kept.severity), SUMMARY)


def finding_of(kept: Kept, severity: Severity) -> Finding:
    """A contract that is not kept, told as a finding is."""
    compared = kept.comparison
    return Finding(
        "contract", kept.status.replace(" ", "-"), severity, f"contract {kept.contract.name} is {kept.status}: {kept.reason}",
        kept.contract.at, flow=None if compared is None else compared.flow, model=None if compared is None else compared.model,
        path=kept.path, draft=kept.contract.draft,
    )  # fmt: skip
