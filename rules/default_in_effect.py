"""A guess of the engine stands in for ids.

What it finds
    The engine's lookup of the ids finds nothing in the draft's config, and the points that it takes without any are served. It is an error
    where the trainer at hand is proved to train on others, and a warning where the config names ids at a place, or under a spelling,
    that the engine does not read. Else it is a fact to know: nothing says what would be right.

Why it matters
    The defaults are three points as well, so that every width fits. A list that is not read changes nothing, whatever it says.

Example
    The list stands at the top of the config, the engine asks ``eagle_config`` for it, and an ``except`` makes a None of the miss.

Instead
    Write the ids where the engine looks for them, in its dialect; the help names them where evaluating them proved it.

What it cannot see
    Whether the default is right: without the training side that is not decidable. Ids under a name that the flow does not know.

Sources
    SGLang 0.5.9, model_executor/model_runner.py: a bare ``except`` around the lookup in ``eagle_config``. speculators and vLLM write
    the key at the top, AngelSlim spells it ``aux_hidden_states_layer_ids``.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyzer.agreement import agreement
from ..analyzer.results import Analysis, Comparison, DefaultInEffect, Entry, Location, Side
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis, hops


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each target class that serves a draft its default, unless that is what was trained and nothing else is named."""
    for comparison in analysis.comparisons:
        default, agreed = comparison.default, agreement(comparison)
        if default is not None and (agreed != "same" or default.unread):
            yield _finding(comparison, default, _severity(default, agreed))


def _severity(default: DefaultInEffect, agreed: str | None) -> Severity:
    if agreed == "other":
        return Severity.ERROR
    return Severity.WARNING if default.unread else Severity.INFO


def _finding(comparison: Comparison, default: DefaultInEffect, severity: Severity) -> Finding:
    served, trained = comparison.served, comparison.trained
    proved = trained if trained is not None and trained.points is not None else None
    return Finding(
        RULE.code,
        RULE.name,
        severity,
        f"{_served(served)}: {default.key} is not found at {default.at}{_named(default)}{_against(comparison, proved)}",
        default.at,
        flow=comparison.flow,
        model=comparison.model,
        expected=None if proved is None else ", ".join(proved.points or ()),
        actual=None if served.points is None else ", ".join(served.points),
        path=(*(Hop(f"not read: {entry.key}: {entry.value}", entry.at) for entry in default.unread), *_ways(served, proved)),
        help=_help(comparison),
        draft=comparison.draft,
    )


def _served(served: Side) -> str:
    ids = "the default" if served.ids is None else f"the default {list(served.ids)}"
    return f"{ids} is served" if served.points is None else f"served {', '.join(served.points) or 'nothing'} by {ids}"


def _named(default: DefaultInEffect) -> str:
    """The ids that the config names in vain."""
    if not default.unread:
        return ", and the draft's config names no ids"
    return ", and " + " and ".join(f"{entry.key} = {entry.value} at {entry.at}" for entry in default.unread) + " does not reach the setter"


def _against(comparison: Comparison, trained: Side | None) -> str:
    """What it is held against. Without a training side nothing is called wrong."""
    if trained is None:
        return "; the right list is not decidable without the training side"
    points, place = ", ".join(trained.points or ()), "" if trained.at is None else f" ({trained.at})"
    if agreement(comparison) == "same":
        return f"; trained {points} too{place}"
    return f"; trained {points}{place}"


def _ways(served: Side, trained: Side | None) -> tuple[Hop, ...]:
    return hops(served, trained if trained is not None else replace(served, path=()))


def _help(comparison: Comparison) -> str | None:
    default, suggested = comparison.default, comparison.suggested
    if default is None or suggested is None:
        return None
    return f"ids {list(suggested)} under {default.key}, where {default.at} looks for it, make {comparison.model} capture what was trained"


_READER = Location("engine/runner.py", 27)
_TOP = Entry("eagle_aux_hidden_state_layer_ids", "[4, 20, 40]", Location("draft/config.json", 9))
_MISSED = "served out:1, out:23, out:44 by the default: eagle_aux_hidden_state_layer_ids is not found at engine/runner.py:27"
_IN_VAIN = "and eagle_aux_hidden_state_layer_ids = [4, 20, 40] at draft/config.json:9 does not reach the setter"


def _compared(unread: tuple[Entry, ...], *trained: str, default: bool = True) -> Analysis:
    served = Side(("out:1", "out:23", "out:44"), None, "established", None, None, None)
    side = Side(trained, None, "established", None, None, Location("trainer/features.py", 12)) if trained else None
    stood_in = DefaultInEffect("eagle_aux_hidden_state_layer_ids", _READER, unread) if default else None
    return example_analysis(comparisons=(Comparison("eagle3", "TulipForCausalLM", served, side, 7168, default=stood_in),))


RULE = Rule(
    code="FC105",
    name="default-in-effect",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "trained on other points",
            _compared((_TOP,), "out:4", "out:20", "out:40"),
            (f"{_MISSED}, {_IN_VAIN}; trained out:4, out:20, out:40 (trainer/features.py:12)",),
        ),
        Example(
            "a list that is not read",
            _compared((_TOP,)),
            (f"{_MISSED}, {_IN_VAIN}; the right list is not decidable without the training side",),
        ),
        Example(
            "no list at all",
            _compared(()),
            (f"{_MISSED}, and the draft's config names no ids; the right list is not decidable without the training side",),
        ),
        Example("trained on what the default gives", _compared((), "out:1", "out:23", "out:44")),
        Example("ids that are read", _compared((), default=False)),
    ),
    needs="draft",
)
