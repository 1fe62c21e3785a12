"""Named contracts: "draft X for target Y was trained on …". From one to the request that checks it, and from what comes of that to whether
it is kept."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from .agreement import Verdict, doubt, verdict
from .breach import breach
from .judging import Judged, SetAside
from .location import Location
from .opening import LACKING
from .request import Request, ServeArg, Trained
from .results import Analysis, Comparison, Side
from .rule import Finding, Hop, Severity

Status: TypeAlias = Literal["kept", "broken", "not established"]

WORDS: dict[Verdict, str] = {
    "other": "other hidden states are served than were trained",
    "order": "the hidden states that were trained are served in another order",
    "stage": "the layers that were trained are served at another stage",
    "width": "what is served is not as wide as what fc takes",
}
"""What breaks a contract."""
UNTOLD = "nothing says what the draft was trained on: give the contract `train` or `trained`, or put a contract.json beside the config"


@dataclass(frozen=True, slots=True)
class NamedContract:
    """One contract of the settings, which stands ``at`` a place there. ``draft`` and ``target`` are paths of configs. What the draft was
    trained on is said by ``train`` (a trainer's source, or its contract) or by ``trained``; by neither where a contract lies beside the
    draft. ``source`` is that of the engine, None for the one that is checked; the other fields are as in :class:`Request`."""

    name: str
    at: Location
    draft: str
    target: str | None = None
    layers: int | None = None
    train: str | None = None
    train_config: str | None = None
    train_engine: str | None = None
    trained: Trained | None = None
    flows: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    serve_args: tuple[ServeArg, ...] | None = None
    source: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """Whether a contract is kept. ``comparison`` is the one that decides it: the first that breaks it, else the first that is open; None
    where nothing was compared. ``reason`` says why it is not kept, ``path`` leads to what breaks it. ``findings`` are those about the
    draft, ``aside`` those of them that are not reported."""

    contract: NamedContract
    status: Status
    comparison: Comparison | None
    reason: str | None = None
    path: tuple[Hop, ...] = ()
    findings: tuple[Finding, ...] = ()
    aside: tuple[SetAside, ...] = ()

    @property
    def severity(self) -> Severity | None:
        """How bad it is that it is not kept: as bad as a finding that says so. What sets all such findings aside sets that aside too."""
        if self.status == "kept" or self.is_set_aside:
            return None
        return Severity.ERROR if self.status == "broken" else Severity.WARNING

    @property
    def is_set_aside(self) -> bool:
        """Whether all that is wrong with the draft is known, and set aside."""
        loud = [each for each in self.findings if each.severity > Severity.INFO]
        return not loud and any(each.finding.severity > Severity.INFO for each in self.aside)


def request_of(contract: NamedContract, run: Request) -> Request:
    """The request that checks a contract. What it does not say of the engine and of the target is as in the ``run`` that it is part of."""
    own_target = contract.target is not None or contract.layers is not None
    return Request(
        contract.source or run.source,
        contract.flows,
        contract.models,
        target=contract.target if own_target else run.target,
        layers=contract.layers if own_target else run.layers,
        flow_file=run.flow_file,
        draft=contract.draft,
        train=contract.train,
        train_config=contract.train_config,
        train_engine=contract.train_engine,
        judged=True,
        serve_args=run.serve_args if contract.serve_args is None else contract.serve_args,
        more_flow_files=run.more_flow_files,
        trained=contract.trained,
        exact=True,
    )


def apart(judged: Judged) -> tuple[Judged, Judged]:
    """What is found of a contract's draft, and what is found of the engine."""
    own = Judged(tuple(filter(is_about_draft, judged.findings)), tuple(each for each in judged.aside if is_about_draft(each.finding)))
    others = tuple(each for each in judged.findings if not is_about_draft(each))
    return own, Judged(others, tuple(each for each in judged.aside if not is_about_draft(each.finding)))


def is_about_draft(finding: Finding) -> bool:
    """Whether a finding is about a draft, or has such consequences."""
    return finding.draft is not None or any(map(is_about_draft, finding.consequences))


def judge_contract(contract: NamedContract, analysis: Analysis, judged: Judged) -> Kept:
    """Whether a contract is kept, by what its request came to and what was found in that. It is where each target class serves what was
    trained and no error is found of the draft; what is set aside counts."""
    own, _ = apart(judged)
    found = [*own.findings, *(each.finding for each in own.aside)]
    errors = [each for each in found if each.severity == Severity.ERROR]
    broken = next((each for each in analysis.comparisons if verdict(each) in WORDS), None)
    if broken is not None:
        kept = Kept(contract, "broken", broken, WORDS[verdict(broken)], breach(broken, errors))
    elif errors:
        hit = next((each for each in analysis.comparisons if each.model == errors[0].model), next(iter(analysis.comparisons), None))
        kept = Kept(contract, "broken", hit, errors[0].message, () if hit is None else breach(hit, errors))
    else:
        kept = _unbroken(contract, analysis)
    return replace(kept, findings=own.findings, aside=own.aside)


def _unbroken(contract: NamedContract, analysis: Analysis) -> Kept:
    """A contract that nothing breaks: kept, if all that it needs is proved."""
    compared = analysis.comparisons
    unproved = next((each for each in compared if verdict(each) != "same"), None)
    lacking = _lacking(contract, analysis)
    if unproved is None and lacking is None:
        return Kept(contract, "kept", compared[0])
    first = unproved or next(iter(compared), None)
    return Kept(contract, "not established", first, lacking or (None if unproved is None else _why_open(unproved)))


def _lacking(contract: NamedContract, analysis: Analysis) -> str | None:
    """Why a target class that the contract is about is not there to be compared."""
    there = {each.model for each in analysis.comparisons}
    wanted = [each for each in contract.models if each not in there]
    told = [each for each in analysis.not_established if each.reason.endswith(LACKING)]
    if told:
        return f"{told[0].what}: {told[0].reason} ({told[0].at})"
    if wanted:
        return f"{wanted[0]} has no setter of the flow that the draft is for"
    return None if there else "nothing is compared"


def _why_open(comparison: Comparison) -> str:
    """Which side is not established, and why."""
    served, trained = comparison.served, comparison.trained
    if served.points is not None and trained is None:
        return UNTOLD
    for word, side in (("served", served), ("trained", trained)):
        if side is not None and side.points is None:
            return f"what is {word} is not established: {_placed(side)}"
    return doubt(comparison)


def _placed(side: Side) -> str:
    """The reason of an open side, with its place."""
    return f"{side.reason or side.status}" + ("" if side.reason_at is None else f" ({side.reason_at})")
