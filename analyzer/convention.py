"""The convention of a wiring: what its evaluations add up to, and the id lists that tell apart what the setter asks of the ids.

Which transform runs may hang on the ids themselves. The conditions that were asked while the setter ran, with their answers, sort the
evaluations; where what is captured follows from the answers to one of them, the convention says so. Nothing is claimed but what was
evaluated: both answers to a condition are looked for with lists that hold the same id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from .results import Alternative, Asked, Clause, Condition, Evaluation, Location, Step

Ids: TypeAlias = "tuple[int, ...] | None"
Key: TypeAlias = "tuple[Location, int, str]"
"""A condition by its place and its text in the program."""

MOST_CONDITIONS = 3
"""Conditions inside one another that a convention is told apart by."""
MOST_NAMES = 6
"""Target classes that a finding names."""
MOST_PROBES = 12
"""Id lists that are evaluated for the sake of the conditions, in each of two rounds."""
_POINT = re.compile(r"(?:out:(?P<layer>\d+)|embed)(?P<stage>/[\w-]+)?")


@dataclass(frozen=True, slots=True)
class Split:
    """What is captured, by the answer to a condition."""

    asked: Asked
    yes: Split | str
    no: Split | str


def convention(evaluated: Sequence[Evaluation], layers: int) -> Iterator[Clause]:
    """What the evaluations say for all ids: clauses for the ids in the middle where they agree, and one for each that stands out."""
    singles = {e.ids[0]: e for e in evaluated if e.ids is not None and len(e.ids) == 1}
    default = next((e for e in evaluated if e.ids is None), None)
    middle = [k for k in range(1, layers - 1) if k in singles]
    general = tuple(general_clauses([singles[k] for k in middle], evaluated, layers))
    yield from general
    if default is not None:
        yield Clause("default", said(default))
    for k, name in ((-1, "id -1"), (0, "id 0")):
        if k in singles:
            yield Clause(name, said(singles[k]))
    if not general and len({said(singles[k]) for k in middle}) == 1:
        yield Clause("id k", said(singles[middle[0]]))
    elif not general:
        for k in middle:
            yield Clause(f"id {k}", said(singles[k]))
    for k, name in ((layers - 1, "id L-1"), (layers, "id L")):
        if k in singles:
            yield Clause(name, said(singles[k]))


def general_clauses(middle: Sequence[Evaluation], evaluated: Sequence[Evaluation], layers: int) -> Iterator[Clause]:
    """What id k captures, whatever k is; nothing where the ids in the middle do not behave alike and no condition says why."""
    if middle and all(row.status == "depends" for row in middle):
        yield from open_clauses(middle)
    if not middle or any(effect(row) is None for row in middle):
        return
    rows = [row for row in evaluated if effect(row) is not None and any(0 < k < layers - 1 for k in row.ids or ())]
    found = explain(rows, MOST_CONDITIONS)
    if isinstance(found, Split):
        yield from clauses(found, ())
        return
    captures = {effect(row) for row in middle}
    if len(captures) == 1:
        never = () if found is None else unanswered([row for row in evaluated if row.ids is not None])
        text = " and ".join(phrase(each) for each in never)
        when = "id k alone" if found is None else f"id k if {text}" if text else "id k"
        yield Clause(when, captures.pop() or "", never)


def open_clauses(middle: Sequence[Evaluation]) -> Iterator[Clause]:
    """What id k captures under each answer to the conditions that the tree leaves open; nothing where the ids do not behave alike."""
    forms = {tuple((answer.conditions, open_effect(row, answer)) for answer in row.depends_on) for row in middle}
    if len(forms) != 1:
        return
    (form,) = forms
    if all(captures is not None for _, captures in form):
        for conditions, captures in sorted(form, key=lambda each: len(each[0])):
            yield Clause(f"id k if {' and '.join(phrase(each) for each in conditions)}", captures or "", conditions)


def open_effect(row: Evaluation, answer: Alternative) -> str | None:
    """What one answer says of any id."""
    if answer.reason is not None or answer.error is not None or not answer.captured:
        return outcome_text(answer)
    return effect(replace(row, status="established", captured=answer.captured))


# ----------------------------------------------------------------- what a list does


def effect(row: Evaluation) -> str | None:
    """What an id list says of any id: "out:k-1" where all of its ids were captured one layer early; None where it says nothing."""
    if row.ids is None or row.status != "established" or not row.captured:
        return None
    found = [_POINT.fullmatch(point) for point in row.captured]
    points = [(-1 if point["layer"] is None else int(point["layer"]), point["stage"] or "") for point in found if point is not None]
    if len(points) != len(row.captured) or len({stage for _, stage in points}) > 1:
        return None
    depths, ids = {depth for depth, _ in points}, set(row.ids)
    shifts = {depth - k for depth in depths for k in ids}
    fitting = [shift for shift in shifts if {k + shift for k in ids if -1 <= k + shift < row.num_layers} == depths]
    if len(fitting) != 1:
        return None
    return f"out:k{fitting[0]:+d}{points[0][1]}" if fitting[0] else f"out:k{points[0][1]}"


# --------------------------------------------------------------------- explaining


def explain(rows: Sequence[Evaluation], depth: int) -> Split | str | None:
    """What decides between the effects of id lists: nothing, where all have one; else the first condition that does."""
    effects = {effect(row) or "" for row in rows}
    if len(effects) == 1:
        return effects.pop()
    answers = {id(row): answered(row) for row in rows}
    for allowed in range(1, depth + 1):
        for key in dict.fromkeys(chain.from_iterable(answers.values())):
            sides: dict[bool, list[Evaluation]] = {True: [], False: []}
            for row in rows:
                if (answer := answers[id(row)].get(key)) is not None:
                    sides[answer].append(row)
            if not all(sides.values()) or sum(map(len, sides.values())) < len(rows):
                continue
            yes, no = explain(sides[True], allowed - 1), explain(sides[False], allowed - 1)
            if yes is not None and no is not None:
                return Split(asked_at(rows, key), yes, no)
    return None


def answered(row: Evaluation) -> dict[Key, bool]:
    """The answers of one run; a condition that was answered both ways is left out."""
    found: dict[Key, set[bool]] = {}
    for asked in row.asked:
        found.setdefault(key_of(asked), set()).add(asked.answer)
    return {key: next(iter(answers)) for key, answers in found.items() if len(answers) == 1}


def key_of(asked: Asked) -> Key:
    return asked.at, asked.column, asked.written


def asked_at(rows: Sequence[Evaluation], key: Key) -> Asked:
    """The condition of this key. In the words of the program, where those with ``ids`` are not the same in every run."""
    found = [asked for row in rows for asked in row.asked if key_of(asked) == key]
    first = found[0]
    alike = all(asked.text == first.text for asked in found)
    return Asked(first.text if alike else first.written, first.written, first.at, first.column, first.answer, first.of_ids)


def clauses(found: Split | str, conditions: tuple[Condition, ...]) -> Iterator[Clause]:
    """A clause for each way through the conditions, the shortest first."""
    if isinstance(found, str):
        yield Clause(f"id k if {' and '.join(phrase(each) for each in conditions)}", found, conditions)
        return
    sides = ((True, found.yes), (False, found.no))
    for answer, side in sorted(sides, key=lambda each: isinstance(each[1], Split)):
        yield from clauses(side, (*conditions, Condition(found.asked.text, found.asked.at, answer)))


def phrase(condition: Condition) -> str:
    """A condition as one says it: itself, or its denial."""
    text = condition.text
    bare = text[1:-1] if text.startswith("(") and closing(text) == len(text) - 1 else text
    return bare if condition.value else f"not ({bare})"


def closing(text: str) -> int:
    """Where the parenthesis closes that a text begins with; -1 where it does not."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return place
    return -1


def unanswered(rows: Sequence[Evaluation]) -> tuple[Condition, ...]:
    """What the setter asks of the ids, and was answered one way only by all that was evaluated: the rest is not known."""
    answers: dict[Key, set[bool]] = {}
    for row in rows:
        for asked in row.asked:
            if asked.of_ids:
                answers.setdefault(key_of(asked), set()).add(asked.answer)
    once = [(asked_at(rows, key), next(iter(given))) for key, given in answers.items() if len(given) == 1]
    return tuple(Condition(asked.text, asked.at, answer) for asked, answer in once)


# ------------------------------------------------------------------------ probing


def told_apart(evaluate: Callable[[Ids], Evaluation], evaluated: Sequence[Evaluation], layers: int) -> tuple[Evaluation, ...]:
    """The evaluations, and those of more id lists, which give the conditions of the setter the answers that are still missing."""
    rows = tuple(evaluated)
    if not any(map(effect, rows)):
        return rows
    for _ in range(2):
        known = {row.ids for row in rows}
        wanted = [ids for ids in dict.fromkeys(probes(rows, layers)) if ids not in known][:MOST_PROBES]
        rows = (*rows, *map(evaluate, wanted))
    return rows


def probes(rows: Sequence[Evaluation], layers: int) -> Iterator[tuple[int, ...]]:
    """Id lists that may separate what the conditions decide."""
    given = [row for row in rows if row.ids is not None]
    middle = range(1, layers - 1)
    for key in dict.fromkeys(key_of(asked) for row in given for asked in row.asked):
        sides = {answer: [row for row in given if answered(row).get(key) is answer] for answer in (True, False)}
        if sides[True] and sides[False]:
            yes, no = (plainest(sides[answer], layers) for answer in (True, False))
            other = next((k for k in middle if k not in (*yes, *no)), 0)
            yield from ((*yes, *no), (*no, *yes), (*yes, *no, other), (*no, other, *yes))
        elif any(asked.of_ids and key_of(asked) == key for row in given for asked in row.asked):
            yield from untried(given, middle)


def plainest(rows: Sequence[Evaluation], layers: int) -> tuple[int, ...]:
    """A short list of those that gave one answer, of ids in the middle if there is one, and which captured something."""
    best = min(rows, key=lambda row: (not row.captured, len(row.ids or ()), not all(0 < k < layers - 1 for k in row.ids or ())))
    return best.ids or ()


def untried(rows: Sequence[Evaluation], middle: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Lists made of the numbers that the setter compared something with: as an id, as a count, and as a list."""
    yield ()
    for numbers in dict.fromkeys(chain.from_iterable(row.numbers for row in rows)):
        if len(numbers) != 1:
            yield numbers
            continue
        (number,) = numbers
        other = next((k for k in middle if k != number), 1)
        yield from ((number, other), (other, number))
        for count in (number, number + 1):  # a bound on the length is passed by one more
            if 1 < count <= len(middle):
                yield tuple(middle[:count])


# ------------------------------------------------------------------------- saying


def said(evaluation: Evaluation) -> str:
    """An evaluation in a few words."""
    if evaluation.status == "not established":
        return "not established"
    if evaluation.status == "depends":
        return " | ".join(f"{conditions_text(a.conditions)}: {outcome_text(a)}" for a in evaluation.depends_on)
    return outcome_text(evaluation)


def conditions_text(conditions: tuple[Condition, ...]) -> str:
    return " and ".join(f"{condition.text} is {condition.value}" for condition in conditions)


def outcome_text(answer: Evaluation | Alternative) -> str:
    if answer.reason is not None:
        return "not established"
    if answer.error is not None:
        return f"raises {answer.error}"
    return ", ".join(answer.captured) if answer.captured else "nothing"


def edge_name(k: int, layers: int) -> str:
    """An id as one says it of any number of layers: those at the end by their distance from it."""
    name = {layers - 1: "L-1", layers: "L"}.get(k)
    return f"id {k}" if name is None or k <= 0 else f"id {name} = {k}"


def some_names(models: Iterable[str]) -> str:
    """The names of target classes, of many the first."""
    names = list(dict.fromkeys(models))
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"


def setter_steps(row: Evaluation) -> tuple[Step, ...]:
    """What the setter made of the ids: the hops up to the last attribute that was given them."""
    last = max((number for number, step in enumerate(row.path) if step.label.endswith(" =")), default=-1)
    return row.path[: last + 1]
