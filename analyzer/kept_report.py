"""The text of a check that has contracts: what is found of the source, then a line for each contract, and why one is not kept."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .checked import Checked
from .contracts import Kept, Status
from .report import Detail, check_report, finding_report, side_text, source_line, sources_report
from .results import Analysis, Location
from .rule import Finding, Severity
from .text import Line, Span, Tone, line
from .verdicts import names

_TONES: Mapping[Status, Tone] = {"kept": "bold", "broken": "red", "not established": "yellow"}
_LABEL = 9
UNPROVED = "FC901"
"""The rule that says of an open side what the contract says too."""


def checked_report(checked: Sequence[Checked], detail: Detail) -> Iterator[Line]:
    """What is found of each source, and the contracts. Where there are some, the table of wirings is for those who want all details."""
    with_contracts = any(each.runs for each in checked)
    brief = replace(detail, brief=with_contracts and not detail.verbose)
    told = [(each.analysis, each.judged.findings) for each in checked if not each.alone]
    yield from check_report(*told[0], brief) if len(told) == 1 else sources_report(told, brief) if told else ()
    if not detail.quiet:
        yield from (source_line(each.analysis.source) for each in checked if each.alone)
    if with_contracts:
        yield from _contracts_report(checked, detail)


def _contracts_report(checked: Sequence[Checked], detail: Detail) -> Iterator[Line]:
    """A line for each contract, with what there is to say of it; in the end how many are kept."""
    sources = names([each.analysis for each in checked])
    rows = [(source, run.analysis, run.kept) for source, each in zip(sources, checked, strict=True) for run in each.runs]
    yield from () if detail.quiet else (line(),)
    told: set[tuple[str, Location, str]] = set()
    for source, analysis, kept in rows:
        if not detail.quiet or kept.status != "kept" or _loud(kept):
            yield from _contract_report(kept, f"  in {source}" if len(checked) > 1 else "", detail)
            yield from _all_findings(kept, detail, analysis) if detail.verbose else _findings(kept, analysis, told)
    if not detail.quiet:
        counts = Counter(kept.status for _, _, kept in rows)
        yield line(Span("Contracts", "bold"), ": ", ", ".join(f"{counts[status]} {status}" for status in _TONES))


def _contract_report(kept: Kept, source: str, detail: Detail) -> Iterator[Line]:
    """The line of a contract, and the two sides and the path where it is not kept."""
    known = " (set aside)" if kept.is_set_aside else ""
    yield line(Span(f"{kept.status.upper()} {kept.contract.name}", _TONES[kept.status]), Span(f"{source}{known}", "dim"))
    if detail.verbose and kept.contract.description:
        yield line("  ", Span(" ".join(kept.contract.description.split()), "dim"))
    if kept.status != "kept" or detail.verbose:
        yield from _sides(kept)
    for number, hop in enumerate(kept.path):
        yield _labelled("path" if number == 0 else "", f"{hop.at}: {hop.label}")


def _all_findings(kept: Kept, detail: Detail, analysis: Analysis) -> Iterator[Line]:
    for finding in kept.findings:
        yield from finding_report(finding, detail, "  ", analysis)


def _findings(kept: Kept, analysis: Analysis, told: set[tuple[str, Location, str]]) -> Iterator[Line]:
    """What is wrong with the draft, without the way that is told already. ``told`` is what was found of other drafts in the same words."""
    again: list[Finding] = []
    for finding in _loud(kept):
        if (key := (finding.code, finding.at, finding.message)) in told:
            again.append(finding)
        else:
            told.add(key)
            yield from finding_report(finding, Detail(quiet=True), "  ", analysis)
    if again:
        yield _labelled("as above", ", ".join(f"{each.code} {each.at}" for each in again))


def _sides(kept: Kept) -> Iterator[Line]:
    """What is served, and what was trained; of what is not established the one reason."""
    if kept.comparison is not None:
        served, trained, default = kept.comparison.served, kept.comparison.trained, kept.comparison.default
        for label, side, guess in (("served", served, default), ("trained", trained, None)):
            if side is not None and (side.points is not None or kept.status == "broken"):
                yield _labelled(label, side_text(side, guess))
    if kept.status == "not established":
        yield _labelled("since", kept.reason or "")


def _labelled(label: str, text: str) -> Line:
    return line(Span(f"  {label:{_LABEL}}", "dim"), text)


def _loud(kept: Kept) -> list[Finding]:
    """What is found beside that a side is not established."""
    loud = [each for each in kept.findings if each.severity > Severity.INFO and each.code != UNPROVED]
    return [replace(each, consequences=tuple(one for one in each.consequences if one.code != UNPROVED)) for each in loud]
