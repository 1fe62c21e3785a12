"""The findings of a source as SARIF's results: the ways of both sides as code flows, the training side as related places."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .escape import terminal
from .fingerprints import identities
from .json_report import Json, Object
from .judging import SetAside
from .rule import Finding, Hop
from .sarif_places import Places, message_text
from .sarif_rules import LEVELS
from .told import Told

FINGERPRINT = "flowcheck/v1"
"""The name is our own: GitHub hashes the line for the one that it goes by, and warns of every result that has another hash there."""


@dataclass(frozen=True, slots=True)
class Result:
    """One finding, with all that is told beside it."""

    finding: Finding
    related: tuple[Hop, ...] = ()
    aside: SetAside | None = None


def results(told: Told, indices: Mapping[str, int], *, suppressible: bool) -> Iterator[Object]:
    """The notices and the findings, then what was set aside. ``indices`` are those of the rules in the run. ``suppressible``: some result
    of the run is set aside; then each says whether it is, as the standard wants."""
    places = Places(told.analysis)
    each = [
        *(Result(notice.told, notice.related) for notice in told.notices),
        *(Result(finding) for finding in told.findings),
        *(Result(aside.finding, aside=aside) for aside in told.aside),
    ]
    named = identities([one.finding for one in each], told.analysis.source, places.symbols)
    for one, identity in zip(each, named, strict=True):
        result: Object = {
            "ruleId": one.finding.code,
            **({"ruleIndex": indices[one.finding.code]} if one.finding.code in indices else {}),
            "level": LEVELS[one.finding.severity],
            **_places(one, places),
            "partialFingerprints": {FINGERPRINT: identity.fingerprint},
            "properties": _properties(one.finding),
        }
        if suppressible:
            result["suppressions"] = [] if one.aside is None else [_suppression(one.aside)]
        if told.state is not None:
            result["baselineState"] = told.state
        yield result


def _places(one: Result, places: Places) -> Object:
    """The message and all that it may refer to. What follows from a finding is no result of its own: one defect, one finding."""
    found = one.finding
    trained = [hop for hop in found.path if hop.side == "trained"]
    others = [hop for hop in found.path if hop.side != "trained"]
    so = [Hop(f"so {each.severity} {each.code} {each.message}", each.at) for each in found.consequences]
    related: list[Json] = [places.hop(hop, number) for number, hop in enumerate((*trained, *so, *one.related), 1)]
    flows: list[Json] = [
        _thread(name, hops, first, places)
        for name, hops, first in (("serving" if trained else "path", others, len(trained)), ("training", trained, 0))
        if hops
    ]
    return {
        "message": {"text": _message(found, trained, places)},
        "locations": [places.at(found.at, found.column)],
        **({"codeFlows": [{"threadFlows": flows}]} if flows else {}),
        **({"relatedLocations": related} if related else {}),
    }


def _message(found: Finding, trained: Sequence[Hop], places: Places) -> str:
    """The message, where the training side begins (as a link to the first related place), and the help."""
    lines = [message_text(found.message)]
    if trained:
        shown = message_text(str(trained[0].at)).replace("[", "\\[").replace("]", "\\]")
        lines.append(f"The training side begins at [{shown}](1).")
    if found.help is not None:
        lines.append(f"Help: {message_text(found.help)}")
    return "\n".join(lines)


def _thread(name: str, hops: Sequence[Hop], before: int, places: Places) -> Object:
    """One way. The training side has run ``before`` the serving one."""
    steps: list[Json] = [{"location": places.hop(hop), "executionOrder": number} for number, hop in enumerate(hops, before + 1)]
    return {"id": name, "locations": steps}


def _properties(found: Finding) -> Object:
    """What is known of a finding as data."""
    told = {
        "flow": found.flow, "model": found.model, "draft": found.draft, "expected": found.expected, "actual": found.actual,
        "help": found.help,
    }  # fmt: skip
    known: Object = {name: terminal(text) for name, text in told.items() if text is not None}
    if found.consequences:
        known["consequences"] = [
            {"code": each.code, "severity": str(each.severity), "message": terminal(each.message), **_properties(each)}
            for each in found.consequences
        ]
    return known


def _suppression(aside: SetAside) -> Object:
    """By a comment in the source; else from outside, by a baseline or a pattern of paths."""
    reason = aside.reason if aside.by == "comment" else f"{aside.by}: {aside.reason}"
    return {"kind": "inSource" if aside.by == "comment" else "external", "status": "accepted", "justification": terminal(reason)}
