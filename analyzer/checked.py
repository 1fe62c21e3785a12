"""What a check finds in one source: of the source as a whole, and of the contracts that the settings name."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from .baseline import Book
from .contracts import Kept, NamedContract, apart, judge_contract, request_of
from .errors import BadInput
from .judging import Judged, SetAside
from .request import Request
from .results import Analysis, Location
from .rule import Finding, Severity, arranged

Analyze: TypeAlias = Callable[[Request], Analysis]
Judge: TypeAlias = Callable[[Analysis], Judged]


@dataclass(frozen=True, slots=True)
class Asked:
    """One source that is to be checked, and the contracts that are checked in it; ``alone``: nothing but these."""

    request: Request
    contracts: tuple[NamedContract, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class ContractRun:
    """What the request of a contract came to, and what is found of its draft."""

    contract: NamedContract
    analysis: Analysis
    judged: Judged

    @property
    def kept(self) -> Kept:
        return judge_contract(self.contract, self.analysis, self.judged)


@dataclass(frozen=True, slots=True)
class Checked:
    """One source: its analysis, what is found of it as a whole, and its contracts. Of one that is checked for contracts ``alone`` the
    analysis says no more than which source it is."""

    analysis: Analysis
    judged: Judged
    runs: tuple[ContractRun, ...] = ()
    alone: bool = False

    @property
    def kept(self) -> tuple[Kept, ...]:
        return tuple(run.kept for run in self.runs)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: of the source, then those of each contract."""
        return (*self.judged.findings, *(each for run in self.runs for each in run.judged.findings))

    @property
    def aside(self) -> tuple[SetAside, ...]:
        """All that is not reported, each once."""
        return tuple(dict.fromkeys((*self.judged.aside, *(each for run in self.runs for each in run.judged.aside))))

    def fails(self, least: Severity) -> bool:
        """Whether something is found that is as bad as this, or becomes of a contract."""
        found = (*(each.severity for each in self.findings), *(each.severity for each in self.kept))
        return any(each is not None and each >= least for each in found)

    @property
    def parts(self) -> Iterator[tuple[Analysis, Judged]]:
        """Each analysis with what is found in it."""
        yield self.analysis, self.judged
        yield from ((run.analysis, run.judged) for run in self.runs)

    @property
    def whole(self) -> Analysis:
        """The analysis, which also tells the texts that only the contracts have read."""
        parts = [analysis for analysis, _ in self.parts]

        def excerpt(at: Location) -> str | None:
            return next((text for one in parts if (text := one.excerpt(at)) is not None), None)

        def content(file: str) -> bytes:
            return next((text for one in parts if (text := one.around.content(file))), b"")

        return replace(self.analysis, excerpt=excerpt, around=replace(self.analysis.around, content=content))

    def without_known(self, book: Book) -> Checked:
        """The same without the findings of a baseline."""
        runs = tuple(replace(run, judged=book.without_known(run.analysis, run.judged)) for run in self.runs)
        return replace(self, judged=book.without_known(self.analysis, self.judged), runs=runs)


def asked_for(requests: Sequence[Request], contracts: Sequence[NamedContract], *, alone: bool) -> tuple[Asked, ...]:
    """Each source with its contracts: one that names no source is checked in all. Of a source that only a contract names, nothing but its
    contracts is told."""
    given = {request.source for request in requests}
    others = dict.fromkeys(one.source for one in contracts if one.source is not None and one.source not in given)
    asked = [Asked(each, tuple(one for one in contracts if one.source in (None, each.source)), alone) for each in requests]
    of_others = ((replace(requests[0], source=source), tuple(one for one in contracts if one.source == source)) for source in others)
    asked += [Asked(request, theirs, alone=True) for request, theirs in of_others]
    return tuple(each for each in asked if each.contracts or not each.alone)


def check_source(asked: Asked, analyze: Analyze, judge: Judge) -> Checked:
    """Check one source. What contracts bring to light of the engine is told once, and not again what they tell of a draft."""
    analysis = None if asked.alone else analyze(asked.request)
    judged = Judged(()) if analysis is None else judge(analysis)
    runs: list[ContractRun] = []
    rest: list[Judged] = []
    for contract in asked.contracts:
        found = analyze_contract(contract, asked.request, analyze)
        own, others = apart(judge(found))
        runs.append(ContractRun(contract, found, own))
        rest.append(others)
    if analysis is None:
        return Checked(without_results(runs[0].analysis), judged, tuple(runs), alone=True)
    return Checked(analysis, _once(judged, rest, [run.judged for run in runs]), tuple(runs))


def analyze_contract(contract: NamedContract, request: Request, analyze: Analyze) -> Analysis:
    """What comes of a contract's request. Bad input in it is told with the place of the contract."""
    try:
        return analyze(request_of(contract, request))
    except BadInput as error:
        raise BadInput(f"{contract.at}: contract {contract.name!r}: {error}") from error


def without_results(analysis: Analysis) -> Analysis:
    """An analysis that says which source it is of, and no more."""
    return Analysis(analysis.source, (), (), excerpt=analysis.excerpt)


def _once(judged: Judged, rest: Iterable[Judged], own: Iterable[Judged]) -> Judged:
    """What is found of a source as a whole: with the hazards of the engine that its contracts bring to light, and without what is told with
    them. Facts about a contract's target are facts about all targets, or are told with it."""
    told = [each for one in own for each in one.findings]
    findings = [each for each in judged.findings if not is_told(each, told)]
    aside = list(judged.aside)
    for one in rest:
        new = [each for each in one.findings if each.severity > Severity.INFO and not is_told(each, (*told, *findings))]
        findings = [*(each for each in findings if not is_told(each, new)), *new]
        aside += [each for each in one.aside if not is_told(each.finding, [known.finding for known in aside])]
    return Judged(arranged(findings), tuple(aside))


def is_told(finding: Finding, others: Iterable[Finding]) -> bool:
    """Whether one of the others says as much of the same place and the same draft; with a draft in hand a rule may word it otherwise."""
    return any(
        (each.code, each.at) == (finding.code, finding.at)
        and each.flow in (None, finding.flow)
        and each.model in (None, finding.model)
        and (finding.draft is None or each.draft == finding.draft)
        and each.severity >= finding.severity
        for each in others
    )
