"""An override is written to an object that the reader does not read.

What it finds
    The code writes one of the flow's keys, or an entry that the draft's config has, into a config; every lookup of that key asks another
    object for it: the outer config in place of ``text_config``, or the target's in place of the draft's. No write of the same key
    reaches a reader.

Why it matters
    The write succeeds on any object, and the reader goes on with what the file says. Who sets the override sees no error and no effect.

Example
    A launch flag puts ``layer_ids`` on the config, and the runner reads it in ``eagle_config``.

Instead
    Write the entry where it is read, or read it where it is written.

What it cannot see
    Overrides whose names stand in a launch flag, such as ``config.update(overrides)``: which entries they write is not in the source. In
    which order an override and a lookup happen: one that comes too late is not told. Keys that nobody is seen to look up; readers that are
    handed the object as a whole and are not followed. Without a draft's config nothing is told.

Sources
    SGLang 0.5.9, utils/hf_transformers_utils.py line 393: the overrides of the command line go to the outer config, while lines 132-151
    give the readers its ``text_config``; sgl-project/sglang issue 33505.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyzer.launches import Launch, Lookup, Override
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place of an override and its entry."""
    told: set[tuple[Location, str, str]] = set()
    for launch in analysis.launches:
        for override in launch.overrides:
            readers = _readers(launch, override) if override.path else ()
            which = (override.at, override.role, override.name)
            if readers and which not in told:
                told.add(which)
                yield _finding(launch, override, readers)


def _readers(launch: Launch, override: Override) -> tuple[Lookup, ...]:
    """The lookups that this override misses. None where any write of the key reaches one: what was meant is then read."""
    key = override.path[-1]
    is_flows = key in launch.keys
    lookups = [each for each in launch.lookups if each.key == key and each.status != "open" and each.side != "training"]
    writes = [each for each in launch.overrides if each.path]  # without a path: which entry is written is not known
    if any(_reaches(write, lookup) for write in writes for lookup in lookups):
        return ()
    if is_flows:
        return tuple(lookups)
    # of other entries only the draft's own readers are all followed
    own = tuple(each for each in lookups if each.role == override.role == "draft")
    return own if any(each.status == "read" for each in own) else ()


def _reaches(override: Override, lookup: Lookup) -> bool:
    """Whether a lookup asks for what is written, or for a part of it."""
    asked = (*lookup.path, lookup.key)
    return override.role == lookup.role and asked[: len(override.path)] == override.path


def _finding(launch: Launch, override: Override, readers: tuple[Lookup, ...]) -> Finding:
    asked = list(dict.fromkeys(f"{each.name} of the {each.role}'s config" for each in readers))
    places = ", ".join(dict.fromkeys(str(each.at) for each in readers))
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        f"{override.name} is written to the {override.role}'s config, and its readers ask for {' and '.join(asked)} ({places})",
        override.at,
        flow=launch.flow,
        path=tuple(dict.fromkeys(Hop(f"looked up: {each.name}", each.at) for each in readers)),
        help="write the entry where it is read",
        draft=launch.draft,
    )


_IDS = "layer_ids"
_LOOKUP = Lookup("draft", ("eagle_config",), _IDS, Location("engine/runner.py", 27), 9, "Runner.__init__", (1,), None, "read", "[2, 9]")
_OVERRIDE = Override("draft", (_IDS,), Location("engine/config.py", 12))


def _launched(*overrides: Override, lookup: Lookup = _LOOKUP, keys: tuple[str, ...] = (_IDS,)) -> Analysis:
    launch = Launch("eagle3", "TulipForCausalLM", "draft/config.json", (), (lookup,), (), (), overrides, keys)
    return example_analysis(launches=(launch, launch))


_ASKED = "and its readers ask for eagle_config.layer_ids of the draft's config (engine/runner.py:27)"

RULE = Rule(
    code="FC207",
    name="override-misses-reader",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("another nesting", _launched(_OVERRIDE), (f"layer_ids is written to the draft's config, {_ASKED}",)),
        Example(
            "the other model's config",
            _launched(replace(_OVERRIDE, role="target", path=("eagle_config", _IDS))),
            (f"eagle_config.layer_ids is written to the target's config, {_ASKED}",),
        ),
        Example(
            "a key that is not the flow's",
            _launched(_OVERRIDE, keys=()),
            (f"layer_ids is written to the draft's config, {_ASKED}",),
        ),
        Example("where it is read", _launched(replace(_OVERRIDE, path=("eagle_config", _IDS)))),
        Example("the object that it is read in", _launched(replace(_OVERRIDE, path=("eagle_config",)))),
        Example("written twice, once where it is read", _launched(_OVERRIDE, replace(_OVERRIDE, path=("eagle_config", _IDS)))),
        Example("a key that nobody asks for", _launched(replace(_OVERRIDE, path=("dtype",)))),
        Example("which entry is written is not known", _launched(replace(_OVERRIDE, path=()))),
        Example("whether it is read is open", _launched(_OVERRIDE, lookup=replace(_LOOKUP, status="open"))),
        Example("another key on the other model's config", _launched(replace(_OVERRIDE, role="target"), keys=())),
        Example("another key, which the config does not have", _launched(_OVERRIDE, lookup=replace(_LOOKUP, status="default"), keys=())),
    ),
    needs="draft",
)
