"""This target's convention differs from its siblings'.

What it finds
    In one engine most target classes make the same of an id, and a few make something else of it: they shift where the others do not, or
    capture on the other side of a layer. Setters and forwards that classes share count once. It is a fact to know, and more where a draft
    at hand is served by such a class, and was trained on what its siblings would capture.

Why it matters
    A draft's ids are written for one engine, not for one class. Whoever has trained for one of the others is one layer off here.

Example
    Twelve setters add 1 to each id; that of one model keeps the ids, and its loop captures what enters a layer as the others do.

Instead
    Let the setter do what those of its siblings do; if it must not, say so at its head, and in the docs of the flow.

What it cannot see
    Which of them is right: that the many are is a guess. Engines with fewer than four siblings of one mind. Setters that look at the ids
    (FC302) have no side in it. Where a config of the target names its class, others are run only where a draft at hand is served other
    points than it was trained on.

Sources
    SGLang 0.5.20, models/qwen3_5_text.py lines 115 and 150: a class defines its setter twice; the first adds 1, the second,
    which stands, does not. SGLang: eagle3 setters add 1, those of models whose loop captures after the layer do not; a port
    that forgets one of both is off.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.convention import effect, setter_steps, some_names
from ..analyzer.fates import would_serve
from ..analyzer.results import Analysis, Clause, Comparison, Evaluation, Location, Side, Step, Wiring
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis

SIBLINGS = 4
"""Setters of one mind that make a majority."""
MARGIN = 4
"""How many times as many they must be as the outliers of one kind."""


class _Kind(NamedTuple):
    """The setters of a flow that make the same of an id."""

    says: str
    wirings: list[Wiring]
    sites: int


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each setter that makes something else of an id than the majority of its flow, naming the classes that share it."""
    for flow in dict.fromkeys(wiring.flow for wiring in analysis.wirings):
        kinds = _kinds([wiring for wiring in (*analysis.wirings, *analysis.siblings) if wiring.flow == flow])
        if not kinds or kinds[0].sites < SIBLINGS:
            continue
        most, *others = kinds
        for kind in others:
            if kind.sites * MARGIN <= most.sites:
                yield from _findings(analysis, most, kind)


def _kinds(wirings: Sequence[Wiring]) -> list[_Kind]:
    """The conventions of one flow, the most common first."""
    found: dict[str, list[Wiring]] = {}
    for wiring in wirings:
        if (says := _says(wiring)) is not None:
            found.setdefault(says, []).append(wiring)
    kinds = [_Kind(says, group, len({(each.at, each.forward and each.forward.at) for each in group})) for says, group in found.items()]
    return sorted(kinds, key=lambda kind: -kind.sites)


def _says(wiring: Wiring) -> str | None:
    """What a wiring makes of any id; None where that is not proved, hangs on something, or is no whole point: that is no convention."""
    told = [clause.captures for clause in wiring.convention if clause.when == "id k"]
    return told[0] if len(told) == 1 and re.fullmatch(r"out:k([+-]\d+)?", told[0]) else None


def _findings(analysis: Analysis, most: _Kind, kind: _Kind) -> Iterator[Finding]:
    places: dict[Location, list[Wiring]] = {}
    for wiring in (each for each in kind.wirings if each not in analysis.siblings):
        places.setdefault(wiring.at, []).append(wiring)
    for at, wirings in places.items():
        whose = {(wiring.flow, wiring.model) for wiring in wirings}
        hit = next((each for each in analysis.comparisons if (each.flow, each.model) in whose and would_serve(each, most.says)), None)
        yield _finding(at, most, kind, wirings, hit)


def _finding(at: Location, most: _Kind, kind: _Kind, wirings: list[Wiring], hit: Comparison | None) -> Finding:
    first, sibling = wirings[0], most.wirings[0]
    names = some_names(wiring.model for wiring in wirings)
    like = some_names(wiring.model for wiring in most.wirings)
    return Finding(
        RULE.code,
        RULE.name,
        Severity.INFO if hit is None else Severity.WARNING,
        f"{names}: id k captures {kind.says}, and {most.says} with {most.sites} other setters of {first.flow} ({like}){_twice(first)}",
        at,
        flow=first.flow,
        model=hit.model if hit is not None else first.model if len({wiring.model for wiring in wirings}) == 1 else None,
        expected=most.says,
        actual=kind.says,
        path=(*_way(first), *_way(sibling)),
        draft=None if hit is None else hit.draft,
    )


def _twice(wiring: Wiring) -> str:
    lines = " and ".join(str(at.line) for at in wiring.shadowed)
    return f"; its class defines {wiring.setter} twice, and that of line {lines} is never called" if lines else ""


def _way(wiring: Wiring) -> Iterator[Hop]:
    """A setter, and what it makes of an id."""
    yield Hop(f"{wiring.model}.{wiring.setter}", wiring.at)
    yield from (Hop(f"an earlier {wiring.setter} of the same class, which this one takes the place of", at) for at in wiring.shadowed)
    rows = [row for row in wiring.evaluated if effect(row) is not None]
    row = next((row for row in rows if row.ids is not None and min(row.ids) > 0), rows[0] if rows else None)
    steps = setter_steps(row) if row is not None else ()
    yield from (Hop(f"{wiring.model}: {step.label}: {step.before} -> {step.after}", step.at) for step in steps)


def _wiring(number: int, shift: int) -> Wiring:
    at = Location(f"engine/model_{number}.py", 40)
    path = (Step("TulipModel.layers =", "[2]", str([2 + shift]), at),)
    row = Evaluation((2,), 8, None, (f"out:{2 + shift}",), None, "established", None, None, (), (), path)
    clause = Clause("id k", f"out:k{shift:+d}" if shift else "out:k")
    return Wiring("eagle3", f"Model{number}ForCausalLM", at, "set_layers", None, (clause,), "established", None, None, (), (row,))


def _served_by_the_outlier() -> Analysis:
    served = Side(("out:1", "out:4"), (2, 5), "established", None, None, Location("draft/config.json", 7))
    trained = Side(("out:2", "out:5"), (2, 5), "established", None, None, Location("trainer/run.py", 9))
    wirings = tuple(_wiring(number, -1 if number == 5 else 0) for number in range(1, 6))
    return example_analysis(wirings, comparisons=(Comparison("eagle3", "Model5ForCausalLM", served, trained, 8),))


_SIBLINGS = tuple(_wiring(number, 0) for number in range(1, 5))
_FOUR = "Model1ForCausalLM, Model2ForCausalLM, Model3ForCausalLM, Model4ForCausalLM"
_TOLD = f"Model5ForCausalLM: id k captures out:k-1, and out:k with 4 other setters of eagle3 ({_FOUR})"

RULE = Rule(
    code="FC309",
    name="convention-outlier",
    severity=Severity.INFO,
    page=__doc__,
    check=check,
    examples=(
        Example("one of five", example_analysis(tuple(_wiring(number, -1 if number == 5 else 0) for number in range(1, 6))), (_TOLD,)),
        Example(
            "its class defines the setter twice",
            example_analysis((*_SIBLINGS, replace(_wiring(5, -1), shadowed=(Location("engine/model_5.py", 31),)))),
            (f"{_TOLD}; its class defines set_layers twice, and that of line 31 is never called",),
        ),
        Example("a draft for the four is served by it", _served_by_the_outlier(), (_TOLD,)),
        Example("all alike", example_analysis(tuple(_wiring(number, 0) for number in range(1, 6)))),
        Example("two of five are no outliers", example_analysis(tuple(_wiring(number, -(number > 3)) for number in range(1, 6)))),
    ),
)
