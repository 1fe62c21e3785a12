"""Rules and what they find. A rule is one file in ``rules/``, named after its defect, whose docstring is its page."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal, TypeAlias

from .errors import BadInput
from .launches import Call, Launch
from .nearest import hint
from .results import Analysis, Comparison, Location, NotEstablished, Side, SourceFacts, Wiring
from .surroundings import Needs, Surroundings


class Severity(IntEnum):
    """How sure and how bad: a fact to know, a proved hazard, a proved wrong result."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


HopSide: TypeAlias = Literal["served", "trained"]
HOP_SIDES: tuple[HopSide, ...] = ("served", "trained")


@dataclass(frozen=True, slots=True)
class Hop:
    """One place on the way of a value that a finding is about."""

    label: str
    at: Location

    @property
    def side(self) -> HopSide | None:
        """Whose way it belongs to, where a finding has that of the engine and that of the trainer: the label begins with it."""
        return next((side for side in HOP_SIDES if self.label.startswith(f"{side}: ")), None)

    @property
    def text(self) -> str:
        """The label without the side."""
        return self.label if self.side is None else self.label.removeprefix(f"{self.side}: ")


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect, with the findings that are only its consequences inside it."""

    code: str
    rule: str
    severity: Severity
    message: str
    at: Location
    column: int = 1
    flow: str | None = None
    model: str | None = None
    expected: str | None = None
    actual: str | None = None
    path: tuple[Hop, ...] = ()
    consequences: tuple[Finding, ...] = ()
    help: str | None = None
    draft: str | None = None

    def __str__(self) -> str:
        return f"{self.at}: {self.severity} {self.code} {self.rule}: {self.message}"


@dataclass(frozen=True, slots=True)
class Example:
    """An analysis and what the rule says of it; a good example has no messages."""

    title: str
    analysis: Analysis
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of defect. ``page`` is the docstring of the rule's file: a first line that sums it up, then the fixed headings.
    ``needs`` says what must be in hand for it to find all that it can."""

    code: str
    name: str
    severity: Severity
    page: str
    check: Callable[[Analysis], Iterator[Finding]]
    examples: tuple[Example, ...]
    needs: Needs = "source"

    @property
    def summary(self) -> str:
        return self.page.strip().partition("\n")[0]


_FAMILY = re.compile(r"FC\d{0,2}", re.IGNORECASE)

CAUSES = {"FC105": ("FC101", "FC102", "FC103", "FC104"), "FC101": ("FC104",), "FC310": ("FC103",)}
"""Which findings about a draft only follow from another one about it: a default brings other points, other points another width, a write
another stage."""

CAUSES_BY_PLACE: dict[str, tuple[str, ...]] = {
    "FC201": ("FC105",), "FC202": ("FC105",), "FC204": ("FC105",), "FC208": ("FC901",), "FC311": ("FC901",),
}  # fmt: skip
"""Which findings about a draft another one explains, where their place lies on its path: the entry stands elsewhere, or an ``except`` makes
a default of the miss, or a converter drops it; what is served is open since two calls of one setter say different things, or since a way
through the forward captures less."""

CAUSES_BY_LOSS: dict[str, tuple[str, ...]] = {"FC301": ("FC101", "FC104", "FC307"), "FC308": ("FC101", "FC104")}
"""Which findings about a draft come of states that do not arrive: the width, an exception for want of any, and other points, if those that
arrive are some of those that were trained."""

CAUSES_BY_CONVENTION: dict[str, tuple[str, ...]] = {"FC302": ("FC101",), "FC309": ("FC101",)}
"""Which findings about a draft another one about it explains, which has found that the other branch of the setter, or its siblings, would
have served what was trained."""

CAUSES_BY_DRAFT: dict[str, tuple[str, ...]] = {"FC214": ("FC901", "FC101", "FC102", "FC103", "FC104", "FC105"), "FC305": ("FC104",)}
"""Which findings about what a draft is served another one about it explains wherever they stand: where the ids are never looked at, nothing
is served; where fc is passed over, a width that it does not take raises nothing."""

CAUSES_BY_FILE: dict[str, tuple[str, ...]] = {"FC203": ("FC104",)}
"""Which findings at a place in the same file a finding about the same draft explains: a width is made of what a reader there gets."""
CAUSES_BY_MODEL: dict[str, tuple[str, ...]] = {"FC211": ("FC901",)}
"""Which findings about a draft a finding about its target's class explains: where the forward reads nothing of the ids, none are followed
through it."""


def judge(analysis: Analysis, rules: Iterable[Rule]) -> tuple[Finding, ...]:
    """What the rules find, arranged."""
    return arranged([finding for rule in rules for finding in rule.check(analysis)])


def arranged(found: list[Finding]) -> tuple[Finding, ...]:
    """The findings, the worst first, then by place; what only follows from another finding stands in that."""
    for code, symptoms in CAUSES_BY_LOSS.items():
        found = explained(found, code, symptoms, is_for_want_of_some)
    for code in reversed(CAUSES):
        found = under(found, code, CAUSES[code])
    for code, symptoms in CAUSES_BY_PLACE.items():
        found = explained(found, code, symptoms, is_on_the_way)
    for code, symptoms in CAUSES_BY_CONVENTION.items():
        found = explained(found, code, symptoms, is_about_the_same)
    for code, symptoms in CAUSES_BY_DRAFT.items():
        found = explained(found, code, symptoms, is_about_serving)
    for code, symptoms in CAUSES_BY_FILE.items():
        found = explained(found, code, symptoms, is_beside)
    for code, symptoms in CAUSES_BY_MODEL.items():
        found = explained(found, code, symptoms, of_model)
    return tuple(sorted(found, key=lambda f: (-f.severity, f.code, f.at.file, f.at.line, f.column, f.message)))


def under(findings: Sequence[Finding], code: str, symptoms: Sequence[str]) -> list[Finding]:
    """The findings with the symptoms of an error moved into it."""
    causes = {whom(each): each for each in findings if each.code == code and each.severity == Severity.ERROR}
    moved = [each for each in findings if each.code in symptoms and whom(each) in causes]
    kept = [each for each in findings if each not in moved]
    return [
        replace(each, consequences=(*each.consequences, *(one for one in moved if whom(one) == whom(each))))
        if each.code == code and causes.get(whom(each)) is each
        else each
        for each in kept
    ]


def explained(
    findings: Sequence[Finding], code: str, symptoms: Sequence[str], explains: Callable[[Finding, Finding], bool]
) -> list[Finding]:
    """The findings about a draft moved into the first one that explains them. That is then as bad as what comes of it."""
    causes = [each for each in findings if each.code == code and each.severity > Severity.INFO]
    moved: dict[int, list[Finding]] = {}
    kept: list[Finding] = []
    for finding in findings:
        symptom = finding.code in symptoms and finding.draft is not None
        number = next((n for n, cause in enumerate(causes) if symptom and explains(cause, finding)), None)
        if number is None:
            kept.append(finding)
        else:
            moved.setdefault(number, []).append(finding)
    return [
        replace(each, severity=max(each.severity, *(one.severity for one in inner)), consequences=(*each.consequences, *inner))
        if each in causes and (inner := moved.get(causes.index(each)))
        else each
        for each in kept
    ]


def of_model(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding is about what a target class does in the flow that another one is about."""
    return cause.flow in (None, symptom.flow) and cause.model == symptom.model and cause.model is not None


def is_on_the_way(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding's place lies on the path of another one, about the same flow and draft as far as that names them."""
    same = cause.flow in (None, symptom.flow) and cause.draft in (None, symptom.draft)
    return same and any(hop.at == symptom.at for hop in cause.path)


def is_for_want_of_some(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding comes of states that do not arrive, and of nothing else."""
    if symptom.code != "FC101":
        return whom(cause) == whom(symptom)
    arrived, trained = (iter((text or "").split(", ")) for text in (symptom.actual, symptom.expected))
    return whom(cause) == whom(symptom) and all(point in trained for point in arrived)


def is_about_the_same(cause: Finding, symptom: Finding) -> bool:
    """Whether two findings are about one draft with one target class."""
    return whom(cause) == whom(symptom)


def is_beside(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding stands in the file of another one, about the same flow and draft."""
    return (cause.flow, cause.draft, cause.at.file) == (symptom.flow, symptom.draft, symptom.at.file)


def is_about_serving(cause: Finding, symptom: Finding) -> bool:
    """Whether a finding is about what a target serves to the draft of another one."""
    return (cause.flow, cause.draft) == (symptom.flow, symptom.draft) and symptom.model is not None


def whom(finding: Finding) -> tuple[str | None, str | None, str | None]:
    """The flow, the target class and the draft that a finding is about."""
    return finding.flow, finding.model, finding.draft


def named(rules: Sequence[Rule], name: str) -> Rule:
    """The rule with this code or name."""
    found = find(rules, name)
    if found is None:
        shown = name if len(name) <= 60 else name[:57] + "…"
        raise BadInput(f"unknown rule {shown!r}{hint(name.strip(), names_of(rules)) or '; `flowcheck rules` lists them'}")
    return found


def find(rules: Iterable[Rule], name: str) -> Rule | None:
    """The rule with this code or name, if there is one."""
    wanted = name.strip().lower()
    return next((rule for rule in rules if wanted in (rule.code.lower(), rule.name)), None)


def names_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """All codes, then all names."""
    rules = tuple(rules)
    return (*(rule.code for rule in rules), *(rule.name for rule in rules))


def meant_by(rules: Sequence[Rule], names: str) -> tuple[Rule, ...]:
    """The rules that a text names: codes, names, and beginnings of codes (FC2), separated by commas."""
    found: dict[str, Rule] = {}
    for name in names.split(","):
        begins = _FAMILY.fullmatch(name.strip())
        family = [rule for rule in rules if begins and rule.code.startswith(name.strip().upper())]
        if begins and not family:
            raise BadInput(f"unknown rule {name!r}: no code begins so; `flowcheck rules` lists them")
        found.update((rule.code, rule) for rule in family or [named(rules, name)])
    return tuple(found.values())


def chosen(rules: Sequence[Rule], select: Sequence[str], ignore: Sequence[str]) -> tuple[Rule, ...]:
    """The rules that ``--select`` and ``--ignore`` leave."""
    wanted = {rule.code for text in select for rule in meant_by(rules, text)}
    unwanted = {rule.code for text in ignore for rule in meant_by(rules, text)}
    return tuple(rule for rule in rules if (not select or rule.code in wanted) and rule.code not in unwanted)


def severity(text: str) -> Severity:
    """The severity of this name."""
    for level in Severity:
        if text == str(level):
            return level
    raise BadInput(f"unknown severity {text!r}; there are {', '.join(map(str, Severity))}")


def hops(served: Side, trained: Side | None) -> tuple[Hop, ...]:
    """The ways of both sides, each hop with its side."""
    sides = ((name, side) for name, side in (("served", served), ("trained", trained)) if side is not None)
    return tuple(Hop(f"{name}: {step.label}: {step.before} -> {step.after}", step.at) for name, side in sides for step in side.path)


def calls(stack: Sequence[Call]) -> tuple[Hop, ...]:
    """The calls that lead to something, outermost first."""
    return tuple(Hop(call.symbol, call.at) for call in stack)


def example_analysis(
    wirings: tuple[Wiring, ...] = (), not_established: tuple[NotEstablished, ...] = (), comparisons: tuple[Comparison, ...] = (),
    launches: tuple[Launch, ...] = (), around: Surroundings | None = None,
) -> Analysis:  # fmt: skip
    """A small analysis for a rule's examples."""
    facts = SourceFacts("engine", "engine", "1.0", 12, 3)
    return Analysis(facts, wirings, not_established, comparisons, launches, around=around or Surroundings())
