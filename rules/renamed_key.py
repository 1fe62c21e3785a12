"""A library has moved an entry, and a reader asks for it at the old place.

What it finds
    The draft's config has an entry where a library keeps it now, a reader asks for it only where it was, and gets its default. Where other
    readers get the entry, the message says what.

Why it matters
    Training and serving read one file and compute with different numbers. Nothing fails: a rotary base of 10000 is as good a number
    as one of 1000000.

Example
    transformers 5 keeps ``rope_theta`` under ``rope_parameters``. The trainer asks ``config.rope_theta``, with 10000 to fall back on.

Instead
    Look at both places, the new one first.

What it cannot see
    Moves that the flow's table ``pipeline.moved`` does not have. A config that still has the entry at the old place: the library moves it
    when it loads the config. In a trainer, that a parameter is the draft's config is supposed, from
    what is asked of it; where the target's config has the entry at the place that is asked, nothing is told.

Sources
    SpecForge issue #265, pull requests #270 and #702; SGLang pull request #14745; Automodel pull request #2920.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.launches import Launch, Lookup, Missed
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis
from .key_not_read import gets, read_hops, supposed


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each lookup at a place that an entry has left."""
    told: set[tuple[Location, str]] = set()
    for launch in analysis.launches:
        for missed in launch.missed:
            key = (missed.lookup.at, missed.lookup.name)
            if missed.how == "moved" and key not in told:
                told.add(key)
                yield _finding(launch, missed)


def _finding(launch: Launch, missed: Missed) -> Finding:
    lookup = missed.lookup
    others = next((f"; {each.symbol} ({each.at}) gets {each.value}" for each in missed.reads if each.value), "")
    told = f"{lookup.symbol} {gets(lookup)}{others}{supposed(lookup)}"
    message = f"{lookup.name} has moved to {missed.entry} = {missed.value} ({missed.entry_at}): {told}"
    path = (Hop(f"{missed.entry} = {missed.value}", missed.entry_at), Hop(f"looks for {lookup.name}", lookup.at), *read_hops(missed))
    return Finding(
        RULE.code, RULE.name, RULE.severity, message, lookup.at, lookup.column + 1, launch.flow, None, missed.value, lookup.value or None,
        path=path, help=f"look for {missed.entry} first", draft=launch.draft,
    )  # fmt: skip


_CONFIG, _TRAINER, _DRAFT = Location("draft/config.json", 18), Location("trainer/rope.py", 5), Location("engine/draft.py", 9)


def _launched(how: str, *reads: Lookup) -> Analysis:
    lookup = Lookup("draft", (), "rope_theta", _TRAINER, 20, "Rotary.__init__", (1,), "10000", "default", "10000", "training")
    missed = Missed(lookup, how, "rope_parameters.rope_theta", _CONFIG, "1000000.0", reads)  # type: ignore[arg-type]
    return example_analysis(launches=(Launch("eagle3", "Tulip", "draft/config.json", (), (lookup,), (), (), (), (), (missed,)),))


_READ = Lookup("draft", ("rope_parameters",), "rope_theta", _DRAFT, 8, "Draft.__init__", (2,), "10000", "read", "1000000.0", "draft")
_MOVED = f"rope_theta has moved to rope_parameters.rope_theta = 1000000.0 ({_CONFIG}): Rotary.__init__ gets its default 10000"
_SUPPOSED = " (supposed: what it is handed is the draft's config)"

RULE = Rule(
    code="FC205",
    name="renamed-key",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "the trainer asks at the old place",
            _launched("moved", _READ),
            (f"{_MOVED}; Draft.__init__ ({_DRAFT}) gets 1000000.0{_SUPPOSED}",),
        ),
        Example("nobody reads the new place", _launched("moved"), (f"{_MOVED}{_SUPPOSED}",)),
        Example("only another nesting: another rule's", _launched("nested")),
    ),
    needs="draft",
)
