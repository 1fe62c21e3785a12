"""A second call replaces the configured value.

What it finds
    One object's setter is called with ids from the config, and again without any, or with others that the code writes down; no condition
    keeps the two apart. Where the other call comes last, the configured ids are gone; where it comes first, what runs before the
    configured one, such as a graph that is recorded, has the other ids in it. It is a fact to know where one function calls both in
    that order and nothing is seen to run between.

Why it matters
    The setter takes its default for a call without ids, and each call replaces what was set. The recorded graph and the eager runs can
    then capture different layers, and a draft sees both.

Example
    The runner of the CUDA graphs calls the setter with no argument before it records; the ids of the config are handed over afterwards.

Instead
    Call the setter once, with the configured ids, before anything is warmed up or recorded.

What it cannot see
    Conditions that are asked twice in other words: both calls are taken to happen then. Runs of the model that are handed on as a function:
    that something ran between the two calls is then not said. Two setters on two objects that are one at run time.

Sources
    SGLang 0.5.9, model_executor/cuda_graph_runner.py line 365 and model_executor/model_runner.py line 1906: the setter is called again
    without ids; sgl-project/sglang PR 9076 and PR 22836.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.launches import Call, Event, Launch
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Rule, Severity, calls, example_analysis


class _Pair(NamedTuple):
    """A call that is not the configured one, with the configured one. ``is_last``: it comes behind it. ``ran``: what runs between."""

    other: Event
    configured: Event
    is_last: bool
    ran: Event | None

    @property
    def weight(self) -> tuple[bool, bool, bool]:
        """How much one of several at a place says."""
        return self.is_last, self.ran is not None, bool(self.configured.ids)


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place of such a call, over all lives."""
    met: dict[Location, list[tuple[Launch, _Pair]]] = {}
    for launch in analysis.launches:
        for life in launch.lives:
            for pair in _pairs(life):
                met.setdefault(pair.other.at, []).append((launch, pair))
    for cases in met.values():
        yield _finding(cases)


def _pairs(life: tuple[Event, ...]) -> Iterator[_Pair]:
    for here, configured in enumerate(life):
        for there, other in enumerate(life) if _is_configured(configured) else ():
            if not _is_other(other) or other.excludes(configured) or other.ids == configured.ids or _is_mended(life, there, here):
                continue
            between = (each for each in life[there + 1 : here] if each.kind == "run")
            ran = next((each for each in between if not each.excludes(other) and not each.excludes(configured)), None)
            yield _Pair(other, configured, there > here, ran)


def _is_mended(life: tuple[Event, ...], other: int, configured: int) -> bool:
    """Whether the configured ids are set again behind a later call, before anything is seen to run."""
    if other < configured:
        return False
    for event in life[other + 1 :]:
        if event.kind == "run" and not event.excludes(life[other]):
            return False
        if _is_configured(event) and event.arms == life[other].arms:
            return True
    return False


def _is_configured(event: Event) -> bool:
    return event.kind == "set" and event.configured


def _is_other(event: Event) -> bool:
    """What is given is known, and comes from no config."""
    return event.kind == "set" and not event.configured and event.ids != ""


def _finding(cases: list[tuple[Launch, _Pair]]) -> Finding:
    _, pair = max(cases, key=lambda case: case[1].weight)
    flows = {launch.flow for launch, _ in cases}
    drafts = {launch.draft for launch, _ in cases}
    return Finding(
        RULE.code,
        RULE.name,
        Severity.INFO if _is_overwritten(pair) else RULE.severity,
        _message(pair),
        pair.other.at,
        flow=flows.pop() if len(flows) == 1 else None,
        expected=pair.configured.ids or None,
        actual=pair.other.ids,
        path=(*calls(pair.other.stack), *calls(pair.configured.stack)),
        help="call the setter once, with the configured ids, before anything is warmed up or recorded",
        draft=drafts.pop() if len(drafts) == 1 else None,
    )


def _is_overwritten(pair: _Pair) -> bool:
    """One function sets a default and then, with nothing seen to run, what is configured: the usual way to write a default down."""
    together = pair.other.stack[:-1] == pair.configured.stack[:-1] and pair.other.stack[-1].symbol == pair.configured.stack[-1].symbol
    return together and not pair.is_last and pair.ran is None


def _message(pair: _Pair) -> str:
    ids = f"the configured ids {pair.configured.ids}" if pair.configured.ids not in ("", "default") else "the configured ids"
    what = "the setter is called without ids" if pair.other.ids == "default" else f"the setter is given {pair.other.ids}"
    has = "has the default" if pair.other.ids == "default" else f"has {pair.other.ids}"
    if pair.is_last:
        return f"{what} and replaces {ids}, set at {pair.configured.at}"
    if pair.ran is not None:
        return f"{what}: what is run at {pair.ran.at} {has}; {ids} are set only at {pair.configured.at}"
    return f"{what}: what is run or recorded before {pair.configured.at} sets {ids} {has}"


_RUNNER, _GRAPHS = "engine/runner.py", "engine/graphs.py"


def _event(place: str, line: int, ids: str | None = None, *, configured: bool = False, arm: bool | None = None, above: int = 0) -> Event:
    outer = (Call("Runner.initialize", Location(_RUNNER, above)),) if above else ()
    stack = (*outer, Call("Graphs.__init__" if above else "Runner.initialize", Location(place, line)))
    return Event("run" if ids is None else "set", stack, ids or "", configured, () if arm is None else ((1, arm),))


def _launched(*events: Event, draft: str | None = "draft/config.json") -> Analysis:
    launch = Launch("eagle3", "TulipForCausalLM", draft, (events,), (), (), (), ())
    return example_analysis(launches=(launch, replace(launch, lives=(events, events[:1]))))


_SET = _event(_RUNNER, 46, "[2, 30]", configured=True)
_AGAIN = _event(_GRAPHS, 10, "default", above=45)
_RUN = _event(_GRAPHS, 11, above=45)
_CALLED = "the setter is called without ids"

RULE = Rule(
    code="FC208",
    name="reset-by-later-call",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "before the graph is recorded",
            _launched(_AGAIN, _RUN, _SET),
            (f"{_CALLED}: what is run at engine/graphs.py:11 has the default; the configured ids [2, 30] are set only at {_SET.at}",),
        ),
        Example(
            "before something that is not seen to run, no config in hand",
            _launched(_AGAIN, replace(_SET, ids="")),
            (f"{_CALLED}: what is run or recorded before {_SET.at} sets the configured ids has the default",),
        ),
        Example(
            "after the ids were set",
            _launched(_SET, replace(_AGAIN, ids="[1, 2]"), _RUN),
            ("the setter is given [1, 2] and replaces the configured ids [2, 30], set at engine/runner.py:46",),
        ),
        Example(
            "a default that is written down first",
            _launched(_event(_RUNNER, 40, "default"), _SET),
            (f"{_CALLED}: what is run or recorded before {_SET.at} sets the configured ids [2, 30] has the default",),
        ),
        Example("the one or the other", _launched(_event(_RUNNER, 40, "default", arm=True), replace(_SET, arms=((1, False),)))),
        Example("what is given is not known", _launched(_SET, _event(_GRAPHS, 10, "", above=45))),
        Example("the same ids again", _launched(_SET, replace(_AGAIN, ids="[2, 30]"))),
        Example("only the default, on an object that no configured call reaches", _launched(_AGAIN, _RUN)),
        Example("set once", _launched(_SET, _RUN)),
    ),
    needs="launch",
)
