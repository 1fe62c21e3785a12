"""The run as JUnit's XML, which CI servers show as tests: a case for each wiring and one for each finding."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from xml.etree import ElementTree as ET

from .contracts import Kept
from .escape import terminal
from .fingerprints import identities
from .location import Location
from .results import Wiring
from .rule import Finding, Severity
from .symbols import Symbols
from .told import Told

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test case. ``kind`` sorts failures, ``text`` tells more than the message."""

    group: str
    name: str
    outcome: Outcome = "passed"
    message: str = ""
    kind: str = ""
    text: str = ""
    at: Location | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Test cases of one source."""

    name: str
    cases: tuple[Case, ...]


def suite(told: Told, name: str, least: Severity) -> Suite:
    """The wirings of a source, its findings, and what was set aside. Findings from ``least`` on are failures, as they are of the run."""
    wirings = [_wiring(each) for each in told.analysis.wirings]
    contracts = [_contract(each, least) for each in told.contracts]
    return Suite(name, tuple(_apart([*wirings, *contracts, *_findings(told, least)])))


def junit_document(suites: Sequence[Suite]) -> str:
    """The document. There are no times in it: the same input gives the same output."""
    root = ET.Element("testsuites", {"name": "flowcheck", **_counts(case for each in suites for case in each.cases)})
    for each in suites:
        element = ET.SubElement(root, "testsuite", {"name": terminal(each.name), **_counts(each.cases)})
        for case in each.cases:
            _add(element, case)
    ET.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(root, encoding='unicode')}\n"


def _add(parent: ET.Element, case: Case) -> None:
    place = {} if case.at is None else {"file": terminal(case.at.file), "line": str(case.at.line)}
    element = ET.SubElement(parent, "testcase", {"classname": terminal(case.group), "name": terminal(case.name), **place})
    said = {"message": terminal(case.message)} if case.message else {}
    text = "\n".join(map(terminal, case.text.split("\n")))
    if case.outcome == "failed":
        ET.SubElement(element, "failure", {**said, "type": terminal(case.kind)}).text = text
    elif case.outcome == "skipped":
        ET.SubElement(element, "skipped", said)
    if case.outcome != "failed" and text:
        ET.SubElement(element, "system-out").text = text


def _wiring(wiring: Wiring) -> Case:
    """What is not established is no failure: a finding says so where that matters."""
    group, name = f"wiring.{wiring.flow}", f"{wiring.model}.{wiring.setter}"
    if wiring.status == "not established":
        where = f" ({wiring.reason_at})" if wiring.reason_at is not None else ""
        return Case(group, name, "skipped", f"not established: {wiring.reason or 'nothing was run'}{where}", at=wiring.at)
    text = "\n".join((wiring.status, *(f"{clause.when} captures {clause.captures}" for clause in wiring.convention)))
    return Case(group, name, text=text, at=wiring.at)


def _contract(kept: Kept, least: Severity) -> Case:
    """A contract that is set aside is no failure."""
    contract = kept.contract
    text = "\n".join(f"{hop.at}: {hop.label}" for hop in kept.path)
    if kept.severity is None or kept.severity < least:
        return Case("contract", contract.name, text=text, at=contract.at)
    return Case("contract", contract.name, "failed", f"{kept.status}: {kept.reason}", kept.status, text, contract.at)


def _findings(told: Told, least: Severity) -> Iterator[Case]:
    set_aside = [each.finding for each in told.aside]
    findings = [*told.present, *set_aside]
    named = identities(findings, told.analysis.source, Symbols(told.analysis.around.content))
    aside = [*(None for _ in told.present), *told.aside]
    for found, identity, by in zip(findings, named, aside, strict=True):
        group, name = f"finding.{found.rule}", str(identity)
        if by is not None:
            yield Case(group, name, "skipped", f"set aside by {by.by}: {by.reason}", text=_text(found), at=found.at)
        elif found.severity >= least:
            yield Case(group, name, "failed", f"{found.severity}: {found.message}", found.code, _text(found), found.at)
        else:
            yield Case(group, name, text=_text(found), at=found.at)


def _text(found: Finding) -> str:
    """All of a finding: its path, what follows from it and the help."""
    lines = [f"{found.at}: {found.severity} {found.code} {found.message}", *(f"{hop.at}: {hop.label}" for hop in found.path)]
    lines += [f"so {each.severity} {each.code} {each.message} ({each.at})" for each in found.consequences]
    return "\n".join(terminal(line) for line in (*lines, *([f"help: {found.help}"] if found.help is not None else [])))


def _apart(cases: Iterable[Case]) -> Iterator[Case]:
    """Cases of one name are numbered: servers follow a case by it."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in cases:
        seen[case.group, case.name] += 1
        number = seen[case.group, case.name]
        yield case if number == 1 else replace(case, name=f"{case.name} #{number}")


def _counts(cases: Iterable[Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    failed, skipped = (str(outcomes.count(each)) for each in ("failed", "skipped"))
    return {"tests": str(len(outcomes)), "failures": failed, "errors": "0", "skipped": skipped}
