"""An entry of a config is looked up where it is not.

What it finds
    The draft's config has an entry, and a reader asks for it at another place (another nesting) or under another spelling, and goes on
    without it: with its default, or with what an ``except`` makes of the miss. That nothing nearby, in the same function or in those
    that call it, finds the entry, is part of the proof.

Why it matters
    The config says it, and nobody hears it. The default is of the same type and often of the same width.

Example
    The list of layer ids stands at the top of the config, the runner asks ``eagle_config`` for it.

Instead
    Write the entry where its readers look for it, or make the reader look at both places.

What it cannot see
    Whether the default happens to be right. Readers that are not on the way to the setter, in the draft that the config names, or in
    the trainer at hand. In a trainer, that a parameter is the draft's config is supposed, from what is asked of it.

Sources
    SGLang 0.5.9, model_executor/model_runner.py lines 357 to 363: only ``eagle_config`` is asked for the ids. speculators and vLLM write
    them at the top of the config.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.launches import Launch, Lookup, Missed
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each lookup that misses what the config has elsewhere; what a library moved, and what the setter's own reader finds
    and another does not, are other rules'."""
    for launch in analysis.launches:
        for missed in launch.missed:
            if missed.how != "moved" and not is_second_reader(launch, missed):
                yield _finding(launch, missed)


def is_second_reader(launch: Launch, missed: Missed) -> bool:
    """Whether the ids reach the setter, and it is another reader that misses them."""
    reaches = any(each.side == "setter" for each in missed.reads)
    return missed.lookup.key in launch.keys and missed.lookup.side != "setter" and reaches


def _finding(launch: Launch, missed: Missed) -> Finding:
    lookup = missed.lookup
    word = "it is spelt so" if missed.how == "spelled" else "it stands"
    asks = f"{lookup.symbol} looks for {lookup.name} and {gets(lookup)}"
    message = f"{missed.entry} = {missed.value} is not read: {asks}; {word} at {missed.entry_at}{supposed(lookup)}"
    path = (Hop(f"{missed.entry} = {missed.value}", missed.entry_at), Hop(f"looks for {lookup.name}", lookup.at), *read_hops(missed))
    help_text = f"write it as {lookup.name}, or let the reader look for {missed.entry} too"
    return Finding(
        RULE.code, RULE.name, RULE.severity, message, lookup.at, lookup.column + 1, launch.flow, None, missed.value, lookup.value or None,
        path=path, help=help_text, draft=launch.draft,
    )  # fmt: skip


def gets(lookup: Lookup) -> str:
    """What a reader that finds nothing goes on with."""
    return "a miss raises" if lookup.default is None else f"gets its default {lookup.default}"


def supposed(lookup: Lookup) -> str:
    """What a lookup in a trainer rests on: nothing there tells whose config a function is handed."""
    return " (supposed: what it is handed is the draft's config)" if lookup.side == "training" else ""


def read_hops(missed: Missed) -> tuple[Hop, ...]:
    """The readers that get the entry."""
    return tuple(Hop(f"{each.symbol} reads {each.name}: {each.value or '…'}", each.at) for each in missed.reads[:3])


_CONFIG, _RUNNER, _DRAFT = Location("draft/config.json", 9), Location("engine/runner.py", 27), Location("engine/draft.py", 14)
_IDS = "eagle_aux_hidden_state_layer_ids"


def _lookup(path: tuple[str, ...], at: Location, default: str | None, found: bool = False, key: str = _IDS) -> Lookup:
    side = "draft" if at == _DRAFT else "setter"
    status = "read" if found else "raises" if default is None else "default"
    return Lookup("draft", path, key, at, 8, "Runner.start", (at.line,), default, status, "[4, 20]" if found else default or "", side)  # type: ignore[arg-type]


def _launched(*missed: Missed) -> Analysis:
    lookups = tuple(each.lookup for each in missed)
    return example_analysis(launches=(Launch("eagle3", "Tulip", "draft/config.json", (), lookups, (), (), (), (_IDS,), missed),))


_TOP = _lookup((), _DRAFT, "None", True)
_NESTED = Missed(_lookup(("eagle_config",), _RUNNER, None), "nested", _IDS, _CONFIG, "[4, 20]", (_TOP,))
_SPELT = Missed(_lookup((), _RUNNER, "10000", key="rope_theta"), "spelled", "rope_thetas", _CONFIG, "1000000.0", ())
_MOVED = Missed(_lookup((), _RUNNER, "10000", key="rope_theta"), "moved", "rope_parameters.rope_theta", _CONFIG, "1000000.0", ())
_SECOND = Missed(_lookup(("eagle_config",), _DRAFT, "3"), "nested", _IDS, _CONFIG, "[4, 20]", (_lookup((), _RUNNER, "None", True),))
_ASKS = "Runner.start looks for rope_theta"

RULE = Rule(
    code="FC201",
    name="key-not-read",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "another nesting",
            _launched(_NESTED),
            (f"{_IDS} = [4, 20] is not read: Runner.start looks for eagle_config.{_IDS} and a miss raises; it stands at {_CONFIG}",),
        ),
        Example(
            "another spelling",
            _launched(_SPELT),
            (f"rope_thetas = 1000000.0 is not read: {_ASKS} and gets its default 10000; it is spelt so at {_CONFIG}",),
        ),
        Example("moved by a library: another rule's", _launched(_MOVED)),
        Example("the setter's reader finds it: another rule's", _launched(_SECOND)),
        Example("everything is found", _launched()),
    ),
    needs="draft",
)
