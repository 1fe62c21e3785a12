"""What the wirings of a run do, at a glance: target classes that behave alike come together in one block."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .convention import phrase
from .request import Ids, ids_text
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
    """The wirings by place; those that differ in nothing but the name come together."""
    same: dict[Wiring, list[Wiring]] = {}
    for wiring in wirings:
        rows = tuple(replace(row, path=()) for row in wiring.evaluated)
        same.setdefault(replace(wiring, model="", evaluated=rows), []).append(wiring)
    return tuple(Member(tuple(dict.fromkeys(wiring.model for wiring in group)), group[0]) for group in same.values())


def behaviour(wiring: Wiring) -> tuple[Fact, ...]:
    """What a wiring does for all ids, without the places where it does so."""
    if not wiring.evaluated:
        return (Fact("convention", (*_convention(wiring), *([wiring.reason] if wiring.reason else []))),)
    layers = wiring.evaluated[0].num_layers
    special = {"id -1": (-1,), "id 0": (0,), "id L-1": (layers - 1,), "id L": (layers,)}
    labels = {"id L-1": f"id L-1 = {layers - 1}", "id L": f"id L = {layers}"}
    facts = (Fact(labels.get(when, when), _at(wiring, when, ids)) for when, ids in special.items())
    order = tuple(_order(wiring)) or (NOT_TRIED,)
    return (Fact("convention", _convention(wiring)), Fact("default", _default(wiring)), *facts, Fact("order", order))


def special_rows(wiring: Wiring) -> tuple[Evaluation, ...]:
    """The evaluations that a block shows one by one: the default and the ids at the edges."""
    layers = wiring.evaluated[0].num_layers if wiring.evaluated else 0
    found = (evaluation_of(wiring, ids) for ids in (None, (-1,), (0,), (layers - 1,), (layers,)))
    return tuple(dict.fromkeys(row for row in found if row is not None))


def outcome(evaluation: Evaluation, places: bool = True) -> tuple[str, ...]:
    """What one id list gives: the points in order or what is raised, each answer with its conditions, or why it is open."""
    if evaluation.status == "not established":
        where = f" ({evaluation.reason_at})" if places and evaluation.reason_at else ""
        return (f"not established: {evaluation.reason or 'no reason given'}{where}",)
    if evaluation.status == "depends":
        answers = dict.fromkeys(f"{_result(answer, places)} {_conditions(answer, places)}" for answer in evaluation.depends_on)
        return tuple(f"{'or' if number else 'depends:'} {answer}" for number, answer in enumerate(answers)) or ("depends",)
    return (_result(evaluation, places),)


def raised_at(error: str | None) -> str | None:
    """The place inside ``ExceptionClass: text (file:line)``."""
    found = _ERROR.fullmatch(error or "")
    return found["place"] if found else None


def evaluation_of(wiring: Wiring, ids: Ids) -> Evaluation | None:
    """The evaluation of this id list, for the layer count that was run first."""
    layers = wiring.evaluated[0].num_layers if wiring.evaluated else 0
    return next((row for row in wiring.evaluated if row.ids == ids and row.num_layers == layers), None)


def _result(answer: Evaluation | Alternative, places: bool) -> str:
    if answer.reason is not None:
        return f"not established ({answer.reason})"
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
    told = [clause for clause in wiring.convention if clause.when not in _OWN_LINE]
    branches = [clause for clause in told if clause.conditions]
    plain = tuple(f"{clause.when} {_captures(clause)}" for clause in told if not clause.conditions)
    return (*([_branched(branches)] if branches else []), *plain) or (f"{wiring.status}",)


def _branched(clauses: Sequence[Clause]) -> str:
    """Clauses that hang on conditions, in one sentence: each but the last with the answer that leads to it, the last with what is left."""
    captures = [without_place(clause.captures) for clause in clauses]
    chain = len(clauses) > 1 and is_chain(clauses)
    asked = [clause.conditions[-1:] if chain else clause.conditions for clause in clauses]
    texts = [f"{text} if {' and '.join(map(phrase, conditions))}" for text, conditions in zip(captures, asked, strict=True)]
    if chain:
        texts[-1] = f"else {captures[-1]}"
    return f"id k captures {', '.join(texts)}".replace("captures raises", "raises")


def without_place(captures: str) -> str:
    found = _ERROR.fullmatch(captures)
    return found["text"] if found else captures


def is_chain(clauses: Sequence[Clause]) -> bool:
    """Whether each clause but the last denies what the one before it asked, and asks one thing more."""
    lengths = [len(clause.conditions) for clause in clauses]
    return lengths == [*range(1, len(clauses)), len(clauses) - 1]


def condition_places(wiring: Wiring) -> tuple[str, ...]:
    """Where the program asks what the convention, or what an id list captures, hangs on."""
    asked = [condition for clause in wiring.convention for condition in clause.conditions]
    asked += [condition for row in wiring.evaluated for answer in row.depends_on for condition in answer.conditions]
    return tuple(dict.fromkeys(f"`{' '.join(condition.text.split())}` at {condition.at}" for condition in asked))


def _captures(clause: Clause) -> str:
    if clause.captures == "not established":
        return "is not established"
    return clause.captures if clause.captures.startswith("raises ") else f"captures {clause.captures}"


def _default(wiring: Wiring) -> tuple[str, ...]:
    clauses = tuple(clause.captures for clause in wiring.convention if clause.when == "default")
    row = evaluation_of(wiring, None)
    if row is None:
        return clauses or (NOT_TRIED,)
    first, *rest = outcome(row, places=False)
    formula = (clause for clause in clauses if clause != first and row.status == "established" and row.error is None)
    return (*formula, f"{first} of {row.num_layers} layers" if row.captured else first, *rest)


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


def _depth(point: str) -> int:
    """How deep in the target a captured point lies."""
    found = re.match(r"out:(\d+)", point)
    return int(found[1]) if found else -1 if point.startswith("embed") else 1 << 30


def _ranks(values: Sequence[int]) -> list[int]:
    ordered = sorted(values)
    return [ordered.index(value) for value in values]
