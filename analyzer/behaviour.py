"""What the wirings of a run do, at a glance: target classes that behave alike come together in one block."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .request import Ids
from .results import Alternative, Clause, Condition, Evaluation, Wiring

NOT_TRIED = "not tried"

_ERROR = re.compile(r"(?P<text>.*) \((?P<place>[^()]*:\d+)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a block, or more: a label and what is so."""

    label: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Member:
    """Target classes with the very same wiring at the same place (an inherited setter): their names and one of their wirings."""

    models: tuple[str, ...]
    wiring: Wiring


@dataclass(frozen=True, slots=True)
class Block:
    """Members that behave alike."""

    facts: tuple[Fact, ...]
    members: tuple[Member, ...]


def blocks(wirings: Sequence[Wiring]) -> tuple[Block, ...]:
    """The wirings by behaviour, the most common first."""
    alike: dict[tuple[Fact, ...], list[Wiring]] = {}
    for wiring in wirings:
        alike.setdefault(behaviour(wiring), []).append(wiring)
    found = sorted(alike.items(), key=lambda item: -len(item[1]))
    return tuple(Block(facts, members(group)) for facts, group in found)


def members(wirings: Iterable[Wiring]) -> tuple[Member, ...]:
    """The wirings of one block by place."""
    same: dict[object, list[Wiring]] = {}
    for wiring in wirings:
        answers = tuple((e.ids, e.num_layers, e.status, e.captured, e.error, e.reason_at, e.depends_on) for e in wiring.evaluated)
        same.setdefault((wiring.at, wiring.setter, wiring.forward, wiring.assumptions, answers), []).append(wiring)
    return tuple(Member(tuple(dict.fromkeys(wiring.model for wiring in group)), group[0]) for group in same.values())


def behaviour(wiring: Wiring) -> tuple[Fact, ...]:
    """What a wiring does for all ids, without the places where it does so."""
    layers = wiring.evaluated[0].num_layers if wiring.evaluated else None
    last, beyond = (f"id L-1 = {layers - 1}", f"id L = {layers}") if layers else ("id L-1", "id L")
    return (
        Fact("convention", _convention(wiring)),
        Fact("default", _default(wiring, layers)),
        Fact("id -1", _at(wiring, "id -1", (-1,))),
        Fact("id 0", _at(wiring, "id 0", (0,))),
        Fact(last, _at(wiring, "id L-1", (layers - 1,)) if layers else (NOT_TRIED,)),
        Fact(beyond, _at(wiring, "id L", (layers,)) if layers else (NOT_TRIED,)),
        Fact("order", tuple(_order(wiring)) or (NOT_TRIED,)),
    )


def outcome(evaluation: Evaluation, places: bool = True) -> tuple[str, ...]:
    """What one id list gives: the points in order or what is raised, each answer with its conditions, or why it is open."""
    if evaluation.status == "not established":
        where = f" ({evaluation.reason_at})" if places and evaluation.reason_at else ""
        return (f"not established: {evaluation.reason or 'no reason given'}{where}",)
    if evaluation.status == "depends":
        return ("depends", *(f"{_conditions(answer, places)}: {_result(answer, places)}" for answer in evaluation.depends_on))
    return (_result(evaluation, places),)


def raised_at(error: str | None) -> str | None:
    """The place inside ``ExceptionClass: text (file:line)``."""
    found = _ERROR.fullmatch(error or "")
    return found["place"] if found else None


def evaluation_of(wiring: Wiring, ids: Ids) -> Evaluation | None:
    """The first evaluation of this id list."""
    return next((evaluation for evaluation in wiring.evaluated if evaluation.ids == ids), None)


def _result(answer: Evaluation | Alternative, places: bool) -> str:
    if answer.error is not None:
        found = None if places else _ERROR.fullmatch(answer.error)
        return f"raises {found['text'] if found else answer.error}"
    return ", ".join(answer.captured or ()) or "nothing"


def _conditions(answer: Alternative, places: bool) -> str:
    return "where " + " and ".join(_condition(condition, places) for condition in answer.conditions) if answer.conditions else "otherwise"


def _condition(condition: Condition, places: bool) -> str:
    where = f" ({condition.at})" if places else ""
    return f"`{' '.join(condition.text.split())}` is {str(condition.value).lower()}{where}"


_OWN_LINE = frozenset({"default", "id -1", "id 0", "id L-1", "id L"})
"""The clauses of a convention that a block shows on a line of their own."""


def _convention(wiring: Wiring) -> tuple[str, ...]:
    clauses = tuple(f"{clause.when} {_captures(clause)}" for clause in wiring.convention if clause.when not in _OWN_LINE)
    return clauses or (f"{wiring.status}",)


def _captures(clause: Clause) -> str:
    return clause.captures if clause.captures.startswith("raises ") else f"captures {clause.captures}"


def _default(wiring: Wiring, layers: int | None) -> tuple[str, ...]:
    clauses = tuple(clause.captures for clause in wiring.convention if clause.when == "default")
    row = evaluation_of(wiring, None)
    if row is None:
        return clauses or (NOT_TRIED,)
    first, *rest = outcome(row, places=False)
    return (*(clause for clause in clauses if clause != first), f"{first} of {layers} layers" if row.captured else first, *rest)


def _at(wiring: Wiring, when: str, ids: tuple[int, ...]) -> tuple[str, ...]:
    """What happens at a single id; its clause of the convention where it was not run."""
    row = evaluation_of(wiring, ids)
    if row is not None:
        return outcome(row, places=False)
    return tuple(clause.captures for clause in wiring.convention if clause.when == when) or (NOT_TRIED,)


def _order(wiring: Wiring) -> Iterator[str]:
    """What unsorted and repeated ids do, read from the first row of either kind."""
    lists = [(evaluation, evaluation.ids) for evaluation in wiring.evaluated if evaluation.ids]
    unsorted = next((row for row, ids in lists if len(set(ids)) == len(ids) and list(ids) != sorted(ids)), None)
    repeated = next((row for row, ids in lists if len(set(ids)) == 1 < len(ids)), None)
    if unsorted is not None:
        yield _unsorted(unsorted)
    if repeated is not None:
        yield _repeated(repeated)


def _unsorted(row: Evaluation) -> str:
    if row.captured and len(row.captured) == len(row.ids or ()):
        depths = [_depth(point) for point in row.captured]
        if depths == sorted(depths):
            return "layer order"
        if _ranks(depths) == _ranks(row.ids or ()):
            return "list order"
    return _shown(row)


def _repeated(row: Evaluation) -> str:
    match len(row.captured or ()), len(row.ids or ()):
        case 1, _:
            return "repeated ids collapse"
        case count, given if count == given:
            return "repeated ids stay"
        case _:
            return _shown(row)


def _shown(row: Evaluation) -> str:
    return f"ids {ids_text(row.ids)}: {'; '.join(outcome(row, places=False))}"


def ids_text(ids: Ids) -> str:
    """An id list as ``--ids`` takes it."""
    return "default" if ids is None else ",".join(map(str, ids)) or "[]"


def _depth(point: str) -> int:
    """How deep in the target a captured point lies."""
    found = re.match(r"out:(\d+)", point)
    return int(found[1]) if found else -1 if point.startswith("embed") else 1 << 30


def _ranks(values: Sequence[int]) -> list[int]:
    ordered = sorted(values)
    return [ordered.index(value) for value in values]
