"""With these launch flags the ids are never looked at.

What it finds
    The draft's config has ids, and the engine, launched with the flags of ``--serve-args``, neither looks them up on its way to the setter
    nor calls the setter with anything but its default. Launched as the flow is, it does. The finding stands at the first condition that
    the flags answer and whose other branch names the key or the setter; what is served to the draft, or is not known of it, is its
    consequence.

Why it matters
    The flag says in another word what the draft's config says already, and where the two disagree nobody complains: the target keeps only
    its last hidden state, which is as wide as the draft's embedding, and ``fc`` receives nothing.

Example
    A draft for EAGLE3 is launched with ``--speculative-algorithm EAGLE``, and the runner reads the ids only if that is EAGLE3.

Instead
    Launch with the algorithm that the draft was trained for, or let the draft's config decide whether the target captures.

What it cannot see
    Launches without ``--serve-args``. Trees without a class that has the flags as fields, and those that compute the flags in a way that is
    not followed: there it is silent. Conditions inside of an expression, and those whose branch only calls a function that names the key.

Sources
    sgl-project/sglang PR 21272: an EAGLE3 draft with ``--speculative-algorithm EAGLE`` has an accept length of 1.0, and no warning is
    given. SGLang 0.5.9, model_executor/model_runner.py line 345: the ids are read where the algorithm is EAGLE3.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..analyzer.launches import Branch, Gated, Launch, Lookup
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Hop, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each draft whose ids are gated off."""
    for launch in analysis.launches:
        if launch.gated is not None:
            yield _finding(launch, launch.gated)


def _finding(launch: Launch, gated: Gated) -> Finding:
    branch = gated.branch
    given = ", ".join(f"{name} = {value}" for name, value in gated.flags) or "the tree's defaults"
    decided = f"{branch.test} is {'true' if branch.answer else 'false'}"
    reads = (Hop(f"would look for {each.name}", each.at) for each in gated.reads[:3])
    return Finding(
        RULE.code, RULE.name, RULE.severity,
        f"with {given} {gated.entry} = {gated.value} is never looked at: {decided}, and fc receives nothing",
        branch.at, flow=launch.flow, expected=gated.wants or None, actual=given,
        path=(Hop(f"{gated.entry} = {gated.value}", gated.entry_at), Hop(decided, branch.at), *reads),
        help=f"launch with {gated.wants}, or let the draft's config decide whether the target captures", draft=launch.draft,
    )  # fmt: skip


_CONFIG, _GATE, _READER = Location("draft/config.json", 9), Location("engine/runner.py", 18), Location("engine/runner.py", 26)
_KEY = "eagle_aux_hidden_state_layer_ids"
_READ = Lookup("draft", (), _KEY, _READER, 8, "Runner.__init__", (1,), "None", "read", "[4, 20]")
_BRANCH = Branch(_GATE, "self.algorithm.is_eagle3()", False, (True,))
_GATED = Gated(_BRANCH, (("speculative_algorithm", "EAGLE"),), "speculative_algorithm = EAGLE3", _KEY, _CONFIG, "[4, 20]", (_READ,))


def _launched(gated: Gated | None) -> Analysis:
    return example_analysis(launches=(Launch("eagle3", "Tulip", "draft/config.json", (), (), (), (), (), (_KEY,), gated=gated),))


_OFF = f"{_KEY} = [4, 20] is never looked at: self.algorithm.is_eagle3() is false, and fc receives nothing"

RULE = Rule(
    code="FC214",
    name="gated-off-path",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("a flag that is given", _launched(_GATED), (f"with speculative_algorithm = EAGLE {_OFF}",)),
        Example("a flag that is not", _launched(replace(_GATED, flags=())), (f"with the tree's defaults {_OFF}",)),
        Example("the ids are looked at", _launched(None)),
    ),
    needs="draft",
)
