"""The text of a check that has contracts: what is found of the source, then a line for each contract, and why one is not kept."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from .checked import Checked
from .contracts import Kept, Status
from .report import Detail, check_report, finding_report, side_text, source_line, sources_report
from .results import Analysis
from .rule import Severity
from .text import Line, Span, Tone, line
from .verdicts import names

_TONES: Mapping[Status, Tone] = {"kept": "bold", "broken": "red", "not established": "yellow"}
_LABEL = 8
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
    for source, analysis, kept in rows:
        if not detail.quiet or kept.status != "kept" or _loud(kept):
            yield from _contract_report(kept, analysis, f"  in {source}" if len(checked) > 1 else "", detail)
    if not detail.quiet:
        counts = Counter(kept.status for _, _, kept in rows)
        yield line(Span("Contracts", "bold"), ": ", ", ".join(f"{counts[status]} {status}" for status in _TONES))


def _contract_report(kept: Kept, analysis: Analysis, source: str, detail: Detail) -> Iterator[Line]:
    known = " (set aside)" if kept.is_set_aside else ""
    yield line(Span(f"{kept.status.upper()} {kept.contract.name}", _TONES[kept.status]), Span(f"{source}{known}", "dim"))
    if detail.verbose and kept.contract.description:
        yield line("  ", Span(" ".join(kept.contract.description.split()), "dim"))
    if kept.status != "kept" or detail.verbose:
        yield from _sides(kept)
    for number, hop in enumerate(kept.path):
        yield _labelled("path" if number == 0 else "", f"{hop.at}: {hop.label}")
    told = [each for each in kept.findings if detail.verbose or (each.severity > Severity.INFO and each.code != UNPROVED)]
    for finding in told:
        yield from finding_report(finding, detail if detail.verbose else Detail(quiet=True), "  ", analysis)


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


def _loud(kept: Kept) -> bool:
    return any(each.severity > Severity.INFO for each in kept.findings)
