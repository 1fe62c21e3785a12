"""Two readers of one entry get different values.

What it finds
    The ids of the draft's config reach the setter, and another reader of the same entry, the draft's own constructor or the trainer, looks
    for them elsewhere and goes on with a default.

Why it matters
    One side captures as many states as the config says, the other is built for its default: the widths differ, or, where the default is
    as long, the two only mean different layers.

Example
    The runner finds four ids at the top of the config. The draft looks under ``eagle_config`` only, and makes its ``fc`` for three.

Instead
    Read an entry in one place, and hand it on.

What it cannot see
    Readers that are neither on the way to the setter, nor in the draft's constructors, nor in the trainer at hand.

Sources
    SGLang 0.5.20, models/llama_eagle3.py lines 149 to 153: the draft counts ids under ``eagle_config`` only, and takes three where there
    are none; other readers look at the top of the config too.
"""
from __future__ import annotations

from collections.abc import Iterator

from ..analyzer.launches import Launch, Lookup, Missed
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis
from .key_not_read import gets, is_second_reader, read_hops, supposed


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each reader that misses what reaches the setter."""
    for launch in analysis.launches:
        for missed in launch.missed:
            if missed.how != "moved" and is_second_reader(launch, missed):
                yield _finding(launch, missed)


def _finding(launch: Launch, missed: Missed) -> Finding:
    lookup = missed.lookup
    first = next(each for each in missed.reads if each.side == "setter")
    message = (
        f"{missed.entry} = {missed.value} reaches the setter by {first.symbol} ({first.at}), and {lookup.symbol} looks for {lookup.name} "
        f"and {gets(lookup)}{supposed(lookup)}"
    )
    path = (Hop(f"{missed.entry} = {missed.value}", missed.entry_at), *read_hops(missed), Hop(f"looks for {lookup.name}", lookup.at))
    return Finding(
        RULE.code, RULE.name, RULE.severity, message, lookup.at, lookup.column + 1, launch.flow, None, missed.value, lookup.value or None,
        path=path, help=f"look for {missed.entry} here too", draft=launch.draft,
    )  # fmt: skip


_CONFIG, _RUNNER, _DRAFT = Location("draft/config.json", 9), Location("engine/runner.py", 27), Location("engine/draft.py", 11)
_IDS = "eagle_aux_hidden_state_layer_ids"


def _launched(side: str) -> Analysis:
    read = Lookup("draft", (), _IDS, _RUNNER, 8, "Runner.start", (1,), "None", "read", "[4, 20, 40, 44]", side)  # type: ignore[arg-type]
    lookup = Lookup("draft", ("eagle_config",), _IDS, _DRAFT, 8, "Draft.__init__", (2,), "None", "default", "None", "draft")
    missed = Missed(lookup, "nested", _IDS, _CONFIG, "[4, 20, 40, 44]", (read,))
    return example_analysis(launches=(Launch("eagle3", "Tulip", "draft/config.json", (), (read, lookup), (), (), (), (_IDS,), (missed,)),))

_REACHES = f"{_IDS} = [4, 20, 40, 44] reaches the setter by Runner.start ({_RUNNER})"

RULE = Rule(
    code="FC203",
    name="inconsistent-readers",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example(
            "the draft looks elsewhere",
            _launched("setter"),
            (f"{_REACHES}, and Draft.__init__ looks for eagle_config.{_IDS} and gets its default None",),
        ),
        Example("the setter is not given them either: another rule's", _launched("draft")),
    ),
    needs="draft",
)
