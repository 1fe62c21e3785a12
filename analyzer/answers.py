"""One evaluation out of the runs of one id list: the conditions on which nothing hangs are dropped, the others told with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .alternatives import MAX_ANSWERS, Answered, simplest
from .interpret.asking import Asking
from .outcome import Outcome
from .results import Alternative, Assumption, Condition, Evaluation, Location, Overwritten, Status, Step
from .values import Unknown


@dataclass(slots=True)
class Seen:
    """What was noted on the way: assumptions, decided conditions, the path of the first run, and what the setter asked of the ids."""

    assumptions: set[str] = field(default_factory=set)
    conditions: dict[str, Unknown] = field(default_factory=dict)
    trail: tuple[Step, ...] = ()
    loops: tuple[Location, ...] = ()
    asking: Asking = field(default_factory=Asking)
    branched: dict[str, Location | None] = field(default_factory=dict)


def summarise(
    seen: Seen, layers: int, texts: Mapping[str, str], ids: tuple[int, ...] | None, outcomes: list[Answered], whole: bool
) -> Evaluation:
    """One evaluation out of the outcomes under each decision; ``texts`` says what the assumptions are. What is proved for some configs
    depends on them, if the ``whole`` of the others is told; for those it is not established."""
    assumptions = tuple(Assumption(name, texts.get(name, name)) for name in sorted(seen.assumptions))
    unknown = next((o for _, o in outcomes if o.reason is not None), None) or too_many(seen, outcomes)
    first = outcomes[0][1]
    status: Status = "established"
    alternatives: tuple[Alternative, ...] = ()
    some = whole and any(o.reason is None and not o.before_layers for _, o in outcomes) and too_many(seen, outcomes) is None
    if unknown is not None and not some:
        status = "not established"
    elif any(o.result != first.result for _, o in outcomes):
        status, alternatives = "depends", tuple(alternative(seen, decided, o) for decided, o in simplest(outcomes))
    return Evaluation(
        ids=ids,
        num_layers=layers,
        layers_to_capture=stored_ids(seen.trail),
        captured=first.captured if status == "established" else None,
        error=first.error if status == "established" else None,
        status=status,
        reason=unknown.reason if unknown and status == "not established" else None,
        reason_at=unknown.at if unknown and status == "not established" else None,
        assumptions=assumptions,
        depends_on=alternatives,
        path=seen.trail,
        asked=tuple(dict.fromkeys(seen.asking.conditions)),
        numbers=tuple(seen.asking.numbers),
        overwritten=lost_points(outcomes, status) if status != "not established" else (),
        computed=tuple(seen.asking.computed),
        refused=status == "established" and first.refused,
        loops=seen.loops,
    )


def too_many(seen: Seen, outcomes: list[Answered]) -> Outcome | None:
    """More different answers than say anything: the conditions that they hang on are what is not established."""
    if len({o.result for _, o in outcomes}) <= MAX_ANSWERS:
        return None
    keys = ", ".join(sorted(seen.conditions))
    return Outcome(reason=f"there are more than {MAX_ANSWERS} answers, by {keys[:160]}", at=next(iter(seen.conditions.values())).at)


def lost_points(outcomes: list[Answered], status: Status) -> tuple[Overwritten, ...]:
    """What is lost whatever is decided, switches aside: as long as they stand as at import, or in any case."""
    if status == "established":
        return tuple(replace(each, unless=None) for each in outcomes[0][1].overwritten)
    switches = {outcome.switch.key for _, outcome in outcomes if outcome.switch is not None}
    usual = [outcome for decided, outcome in outcomes if not any(decided.get(key) for key in switches)]
    return tuple(each for each in outcomes[0][1].overwritten if all(each in outcome.overwritten for outcome in usual))


def alternative(seen: Seen, decided: Mapping[str, bool], outcome: Outcome) -> Alternative:
    known = [(key, answer) for key, answer in decided.items() if key in seen.conditions]
    conditions = tuple(Condition(key, seen.conditions[key].at or Location("", 0), answer, branch(seen, key)) for key, answer in known)
    return Alternative(conditions, outcome.captured, outcome.error, outcome.reason)


def branch(seen: Seen, key: str) -> Location | None:
    """Where a branch was taken by a condition."""
    return seen.branched.get(key.removeprefix("not "))


def stored_ids(trail: tuple[Step, ...]) -> tuple[int, ...] | None:
    """The list that the setter left in the model: the last that was stored."""
    for step in reversed(trail):
        if step.label.endswith(" ="):
            return tuple(int(x) for x in step.after.strip("[]").split(", ") if x)
    return None
