"""The value is set after the graph was captured or the forward ran.

What it finds
    In the life of one object the target's model is run, to warm up or to record a graph, and only then the setter is given the ids of
    the config. No condition keeps the two apart, and no earlier call has set them.

Why it matters
    A recorded graph replays what the model did when it was recorded. Ids that are set later change the eager runs alone: prefill and decode
    feed the draft different layers, and none of it fails.

Example
    The runner records its graphs, and hands the ids over in the next line.

Instead
    Hand the ids over as soon as the model is loaded, before anything is warmed up or recorded.

What it cannot see
    Whether a run leaves anything behind: a warm-up whose result is thrown away is told like a recording. Runs of the model that are
    handed on as a function. Conditions that are asked twice in other words.

Sources
    SGLang 0.5.9, model_executor/model_runner.py lines 608-622: the warm-up and the CUDA graphs come before the ids are set;
    sgl-project/sglang PR 22836.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.launches import Call, Event, Launch
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, calls, example_analysis


class _Late(NamedTuple):
    """A run, the first configured call behind it, and the places of both in the function that they part in."""

    run: Event
    set: Event
    run_at: Call
    set_at: Call


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place where the ids are handed over, in the function that both have in common."""
    met: dict[Location, list[tuple[Launch, _Late]]] = {}
    for launch in analysis.launches:
        for life in launch.lives:
            for late in _late(life):
                met.setdefault(late.set_at.at, []).append((launch, late))
    for cases in met.values():
        yield _finding(cases)


def _late(life: tuple[Event, ...]) -> Iterator[_Late]:
    for number, run in enumerate(life):
        sets = [(place, each) for place, each in enumerate(life) if _is_configured(each) and not each.excludes(run)]
        if run.kind != "run" or not sets or sets[0][0] < number:
            continue
        yield _Late(run, sets[0][1], *_part(run.stack, sets[0][1].stack))


def _is_configured(event: Event) -> bool:
    return event.kind == "set" and event.configured


def _part(run: tuple[Call, ...], late: tuple[Call, ...]) -> tuple[Call, Call]:
    """The calls at which two ways part: both in the deepest function that they have in common; their ends where there is none."""
    common = (run[-1], late[-1])
    for one, other in zip(run, late, strict=False):
        if one.symbol != other.symbol:
            return common
        common = (one, other)
        if one.at != other.at:
            return common
    return common


def _finding(cases: list[tuple[Launch, _Late]]) -> Finding:
    _, late = cases[0]
    flows = {launch.flow for launch, _ in cases}
    drafts = {launch.draft for launch, _ in cases}
    ids = f" {late.set.ids}" if late.set.ids not in ("", "default") else ""
    through = "" if late.run_at.at == late.run.at else f" (by {late.run_at.at})"
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"the configured ids{ids} are set here, after the model was run at {late.run.at}{through}: what it recorded does not have them",
        late.set_at.at,
        flow=flows.pop() if len(flows) == 1 else None,
        path=(Hop(late.run_at.symbol, late.run_at.at), *calls(late.run.stack), *calls(late.set.stack)),
        help="hand the ids over as soon as the model is loaded",
        draft=drafts.pop() if len(drafts) == 1 else None,
    )


_RUNNER, _GRAPHS = "engine/runner.py", "engine/graphs.py"


def _event(kind: str, *stack: Call, arm: bool | None = None, configured: bool = True) -> Event:
    ids = "" if kind == "run" else "[2, 30]" if configured else "default"
    arms = () if arm is None else ((1, arm),)
    return Event("run" if kind == "run" else "set", stack, ids, configured and kind == "set", arms)


def _at(symbol: str, file: str, line: int) -> Call:
    return Call(symbol, Location(file, line))


def _launched(*events: Event) -> Analysis:
    launch = Launch("eagle3", "TulipForCausalLM", None, (events, events), (), (), (), ())
    return example_analysis(launches=(launch,))


_NEW = _at("Runner.__init__", _RUNNER, 33)
_RECORD, _HAND_OVER = _at("Runner.initialize", _RUNNER, 45), _at("Runner.initialize", _RUNNER, 46)
_RUN = _event("run", _NEW, _RECORD, _at("Graphs.__init__", _GRAPHS, 11))
_SET = _event("set", _NEW, _HAND_OVER, _at("Runner.hand_over", _RUNNER, 41))
_SAID = "the configured ids [2, 30] are set here, after the model was run at"

RULE = Rule(
    code="FC209",
    name="set-after-use",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "behind the recording",
            _launched(_RUN, _SET),
            (f"{_SAID} engine/graphs.py:11 (by engine/runner.py:45): what it recorded does not have them",),
        ),
        Example(
            "the default is set first",
            _launched(_event("set", _NEW, _RECORD, configured=False), _RUN, _SET),
            (f"{_SAID} engine/graphs.py:11 (by engine/runner.py:45): what it recorded does not have them",),
        ),
        Example(
            "by a method that is called from outside",
            _launched(_RUN, _event("set", _at("Runner.hand_over", _RUNNER, 41))),
            (f"{_SAID} engine/graphs.py:11: what it recorded does not have them",),
        ),
        Example("before the recording", _launched(_SET, _RUN)),
        Example("again behind it", _launched(_SET, _RUN, _SET)),
        Example("in the other branch", _launched(replace(_RUN, arms=((1, True),)), replace(_SET, arms=((1, False),)))),
        Example("only the default", _launched(_RUN, _event("set", _NEW, _RECORD, configured=False))),
    ),
    needs="launch",
)
