"""An except turns a missing or misspelt key into a default.

What it finds
    A lookup of the flow's key stands in a ``try``, and the ``except`` puts something into the place where the entry would have gone. With a
    draft at hand, also any lookup in its config that surely raises there. It is a fact to know where only KeyError or AttributeError are
    caught and nothing shows that the key is missing: then the code says itself that the key may be absent.

Why it matters
    The miss is the one sign that the config and its reader disagree. A bare ``except`` hides a spelling error, another nesting and an
    error in the reader alike, and the default is as wide as the list.

Example
    The reader subscripts ``eagle_config``, which is None since the list stands at the top of the config; the TypeError becomes a None, and
    the setter takes that for its default layers.

Instead
    Ask for the entry with a default where it may be absent, name it in the log, and let all else raise.

What it cannot see
    Whether the default is what this draft needs. Errors of other kinds in the same ``try``. Handlers that call something which puts the
    default in its place.

Sources
    SGLang 0.5.9, model_executor/model_runner.py lines 355-368: a bare ``except`` around the lookup in ``eagle_config``; 0.5.20,
    model_executor/model_runner_components/spec_aux_hidden_state.py line 124: ``except Exception``.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..analyzer.launches import Launch, Lookup, Swallowed
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


class _Handler(NamedTuple):
    at: Location
    target: str


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each handler and what it fills, whichever launches come by."""
    met: dict[_Handler, list[tuple[Launch, Swallowed]]] = {}
    for launch in analysis.launches:
        for swallowed in launch.swallowed:
            if _relevant(launch, swallowed):
                met.setdefault(_Handler(swallowed.at, swallowed.target), []).append((launch, swallowed))
    for cases in met.values():
        yield _finding(cases)


def _relevant(launch: Launch, swallowed: Swallowed) -> list[Lookup]:
    """The lookups that count: those that raise for this draft, else those of the flow's keys."""
    if _certain(launch, swallowed):
        raising = [each for each in swallowed.lookups if each.role == "draft" and each.status == "raises"]
        if raising:
            return raising
    return [each for each in swallowed.lookups if each.key in launch.keys]


def _certain(launch: Launch, swallowed: Swallowed) -> bool:
    return swallowed.certain and launch.draft is not None


def _finding(cases: list[tuple[Launch, Swallowed]]) -> Finding:
    certain = [each for each in cases if _certain(*each)]
    told = certain or cases
    swallowed = told[0][1]
    lookups = list(dict.fromkeys(each for case in told for each in _relevant(*case)))
    drafts = list(dict.fromkeys(launch.draft for launch, _ in certain if launch.draft is not None))
    flows = {launch.flow for launch, _ in cases}
    names = " or ".join(dict.fromkeys(each.name for each in lookups))
    is_sure = f"; {', '.join(drafts)} {'makes' if len(drafts) == 1 else 'make'} it raise" if drafts else ""
    places = dict.fromkeys(Hop(f"looked up: {each.name}", each.at) for _, found in told for each in found.lookups)
    return Finding(
        RULE.code,
        RULE.name,
        Severity.WARNING if certain or _catches_all(swallowed.catches) else Severity.INFO,
        f"where {names} is missing or misspelt, {swallowed.target} is {swallowed.instead}: {_caught(swallowed.catches)}{is_sure}",
        swallowed.at,
        flow=flows.pop() if len(flows) == 1 else None,
        path=tuple(places),
        help="let a miss be heard: ask for the entry with a default, and catch nothing else",
        draft=drafts[0] if len(drafts) == 1 else None,
    )


_WIDE = {"", "Exception", "BaseException", "TypeError"}
"""What a lookup in None raises is a TypeError: to catch it is to catch every wrong nesting."""


def _catches_all(catches: str) -> bool:
    return catches == "" or not _WIDE.isdisjoint(re.findall(r"\w+", catches))


def _caught(catches: str) -> str:
    return f"except {catches} catches the miss" if catches else "a bare except catches the miss and all else"


_RUNNER = "engine/runner.py"
_KEY = "eagle_aux_hidden_state_layer_ids"
_LOOKUP = Lookup("draft", ("eagle_config",), _KEY, Location(_RUNNER, 27), 9, "Runner.__init__", (1,), None, "open", "")
_OTHER = replace(_LOOKUP, path=(), key="rope_theta")


def _launched(lookup: Lookup, catches: str = "", draft: str | None = None, *, certain: bool = False, times: int = 1) -> Analysis:
    seen = replace(lookup, status="raises" if certain else "open")
    found = tuple(
        Swallowed(Location(_RUNNER, 30), (replace(seen, scope=(number,)),), catches, "self.ids", "None", certain) for number in range(times)
    )
    launch = Launch("eagle3", "TulipForCausalLM", draft, (), (), found, (), (), (_KEY,))
    return example_analysis(launches=(launch, replace(launch, model="CrocusForCausalLM")))


_MISSED = f"where eagle_config.{_KEY} is missing or misspelt, self.ids is None"
_BARE = "a bare except catches the miss and all else"

RULE = Rule(
    code="FC202",
    name="swallowed-lookup",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("a bare except", _launched(_LOOKUP), (f"{_MISSED}: {_BARE}",)),
        Example("several runs come by one handler", _launched(_LOOKUP, times=3), (f"{_MISSED}: {_BARE}",)),
        Example(
            "this draft's config makes the lookup raise",
            _launched(_LOOKUP, "KeyError", "draft/config.json", certain=True),
            (f"{_MISSED}: except KeyError catches the miss; draft/config.json makes it raise",),
        ),
        Example(
            "another key of the draft's config raises",
            _launched(_OTHER, "Exception", "draft/config.json", certain=True),
            (_MISSED.replace(_LOOKUP.name, "rope_theta") + ": except Exception catches the miss; draft/config.json makes it raise",),
        ),
        Example(
            "only the miss is caught, and it may not happen",
            _launched(_LOOKUP, "(AttributeError, KeyError)"),
            (f"{_MISSED}: except (AttributeError, KeyError) catches the miss",),
        ),
        Example("a key of another kind, which may be there", _launched(_OTHER)),
        Example("another key of the target raises", _launched(replace(_OTHER, role="target"), "", "draft/config.json", certain=True)),
    ),
    needs="launch",
)
