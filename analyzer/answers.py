"""One evaluation out of the runs of one id list: the conditions on which nothing hangs are dropped, the others told with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .interpret.asking import Asking
from .outcome import Outcome
from .results import Alternative, Assumption, Condition, Evaluation, Location, Status, Step
from .values import Unknown

MAX_ANSWERS = 4
"""Different answers of one evaluation that are told apart by conditions."""
Answered: TypeAlias = tuple[dict[str, bool], Outcome]
"""The answers to the conditions that had to be decided, and what came of it."""


@dataclass(slots=True)
class Seen:
    """What was noted on the way: assumptions, decided conditions, the path of the first run, and what the setter asked of the ids."""

    assumptions: set[str] = field(default_factory=set)
    conditions: dict[str, Unknown] = field(default_factory=dict)
    trail: tuple[Step, ...] = ()
    asking: Asking = field(default_factory=Asking)


def summarise(seen: Seen, layers: int, texts: Mapping[str, str], ids: tuple[int, ...] | None, outcomes: list[Answered]) -> Evaluation:
    """One evaluation out of the outcomes under each decision; ``texts`` says what the assumptions are."""
    assumptions = tuple(Assumption(name, texts.get(name, name)) for name in sorted(seen.assumptions))
    unknown = next((o for _, o in outcomes if o.reason is not None), None) or too_many(seen, outcomes)
    first = outcomes[0][1]
    status: Status = "established"
    alternatives: tuple[Alternative, ...] = ()
    if unknown is not None:
        status = "not established"
    elif any((o.captured, o.error) != (first.captured, first.error) for _, o in outcomes):
        status, alternatives = "depends", tuple(alternative(seen, decided, o) for decided, o in simplest(outcomes))
    return Evaluation(
        ids=ids,
        num_layers=layers,
        layers_to_capture=stored_ids(seen.trail),
        captured=first.captured if status == "established" else None,
        error=first.error if status == "established" else None,
        status=status,
        reason=unknown.reason if unknown else None,
        reason_at=unknown.at if unknown else None,
        assumptions=assumptions,
        depends_on=alternatives,
        path=seen.trail,
        asked=tuple(dict.fromkeys(seen.asking.conditions)),
        numbers=tuple(seen.asking.numbers),
        overwritten=first.overwritten if status == "established" else (),
    )


def too_many(seen: Seen, outcomes: list[Answered]) -> Outcome | None:
    """More different answers than say anything: the conditions that they hang on are what is not established."""
    if len({(o.captured, o.error) for _, o in outcomes}) <= MAX_ANSWERS:
        return None
    keys = ", ".join(sorted(seen.conditions))
    return Outcome(reason=f"there are more than {MAX_ANSWERS} answers, by {keys[:160]}", at=next(iter(seen.conditions.values())).at)


def simplest(outcomes: list[Answered]) -> list[Answered]:
    """The outcomes without the conditions on which none of them hangs: where the other answer to one comes to the same, it goes."""
    rows = [(dict(decided), outcome) for decided, outcome in outcomes]
    while True:
        found = next(((place, key) for place, (decided, _) in enumerate(rows) for key in decided if is_idle(rows, place, key)), None)
        if found is None:
            break
        place, key = found
        decided, outcome = rows[place]
        rows[place] = ({name: answer for name, answer in decided.items() if name != key}, outcome)
    kept = {(frozenset(decided.items()), outcome.captured, outcome.error): (decided, outcome) for decided, outcome in reversed(rows)}
    return list(reversed(kept.values()))


def is_idle(rows: list[Answered], place: int, key: str) -> bool:
    """Whether a row's outcome stays as it is if this condition has the other answer."""
    decided, outcome = rows[place]
    flipped = {**decided, key: not decided[key]}.items()
    same = (other for other, each in rows if (each.captured, each.error) == (outcome.captured, outcome.error))
    return any(other.items() <= flipped for other in same)


def alternative(seen: Seen, decided: Mapping[str, bool], outcome: Outcome) -> Alternative:
    conditions = tuple(
        Condition(key, seen.conditions[key].at or Location("", 0), answer) for key, answer in decided.items() if key in seen.conditions
    )
    return Alternative(conditions, outcome.captured, outcome.error)


def stored_ids(trail: tuple[Step, ...]) -> tuple[int, ...] | None:
    """The list that the setter left in the model: the last that was stored."""
    for step in reversed(trail):
        if step.label.endswith(" ="):
            return tuple(int(x) for x in step.after.strip("[]").split(", ") if x)
    return None
