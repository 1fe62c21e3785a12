"""A converter leaves out a key that the model reads.

What it finds
    Something is made of entries of the draft's config: a dict that is written out, a comprehension over names that are listed, a config
    class that is called with keywords or with such a dict, a dataclass. A reader asks what was made for another entry, and goes on with its
    default, while the config has that entry beside those that were taken. The finding stands where the new thing is made. That nothing
    nearby, in the same function or in those that call it, finds the entry in the config itself, is part of the proof.

Why it matters
    The config says it, the reader knows the key, and what lies between them lists the keys of last year. The default is of the same type,
    so nothing fails.

Example
    The engine makes a config of its own of hidden size, vocabulary and widths of the draft's; the list of layer ids stays behind, and
    the runner finds none.

Instead
    Copy the key too, or take all entries over and change those that must be changed.

What it cannot see
    Converters that write key by key into something that was there before, that are given their names from outside, or whose result goes
    through code that is not followed: it is silent there. Whether the default happens to be right. In a trainer a converter may be given
    the target's config: an entry that this may have too is not told of.

Sources
    vllm-project/speculators, convert/eagle/eagle3_converter.py at commit 00823a74: _create_transformer_config_from_eagle calls LlamaConfig
    with thirteen entries of the draft's config, rope_scaling and head_dim not among them. vLLM, configs/speculators/algos.py:
    update_eagle3 takes over draft_vocab_size, target_hidden_size and norm_before_residual, and the ids only since PR 25961; it writes
    key by key, which is not found here. None is seen in the released trees of SGLang.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyzer.launches import Dropped, Launch, Lookup
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each entry that a converter leaves out, with all its readers."""
    for launch in analysis.launches:
        met: dict[tuple[Location, str], list[Dropped]] = {}
        for dropped in launch.dropped:
            met.setdefault((dropped.made_at, dropped.lookup.name), []).append(dropped)
        for cases in met.values():
            yield _finding(launch, cases)


def _finding(launch: Launch, cases: list[Dropped]) -> Finding:
    first, lookup = cases[0], cases[0].lookup
    entry = f"{lookup.name} = {first.value}"
    readers = (Hop(f"{each.lookup.symbol} looks for {lookup.key}: {each.lookup.default}", each.lookup.at) for each in cases)
    asks = f"{lookup.symbol} looks for {lookup.key} in what is made here and gets the default {lookup.default}"
    return Finding(
        RULE.code, RULE.name, RULE.severity, f"{first.made_by} leaves out {entry}: {asks}",
        first.made_at, flow=launch.flow, expected=first.value, actual=lookup.default,
        path=(Hop(entry, first.entry_at), Hop(f"{first.made_by} takes other entries", first.made_at), *readers),
        help=f"copy {lookup.key} too, or take all entries over", draft=launch.draft,
    )  # fmt: skip


_CONFIG, _MADE, _READER = Location("draft/config.json", 9), Location("engine/configs.py", 12), Location("engine/runner.py", 27)
_KEY = "eagle_aux_hidden_state_layer_ids"
_LOOKUP = Lookup("draft", (), _KEY, _READER, 8, "Runner.start", (1,), "None", "default", "")
_DROPPED = Dropped(_LOOKUP, _MADE, "shortened", _CONFIG, "[4, 20]")
_OTHER = replace(_DROPPED, lookup=replace(_LOOKUP, at=Location("engine/draft.py", 14), symbol="Draft.__init__"))


def _launched(*dropped: Dropped) -> Analysis:
    return example_analysis(launches=(Launch("eagle3", "Tulip", "draft/config.json", (), (), (), (), (), (_KEY,), dropped=dropped),))


_TOLD = f"shortened leaves out {_KEY} = [4, 20]: Runner.start looks for {_KEY} in what is made here and gets the default None"

RULE = Rule(
    code="FC204",
    name="dropped-key",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("a new config without the ids", _launched(_DROPPED), (_TOLD,)),
        Example("two readers of one", _launched(_DROPPED, _OTHER), (_TOLD,)),
        Example("the converter takes the key over, or all of them", _launched()),
    ),
    needs="draft",
)
