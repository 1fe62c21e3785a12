"""What formats are given, for the tests of what they make of it: a finding with both ways, and names that somebody means harm with."""
from __future__ import annotations

from dataclasses import replace

from results_examples import analysis, comparison, unknown_wiring, wiring

from flowcheck.analyzer.judging import SetAside
from flowcheck.analyzer.results import Analysis, Location, NotEstablished
from flowcheck.analyzer.rule import Finding, Hop, Severity
from flowcheck.analyzer.told import Notice, Told

CONFIG = Location("drafts/a.json", 4)
SETTER = Location("engine/llama.py", 70)
TRAINER = Location("trainer/hooks.py", 20)

MISMATCH = Finding(
    "FC101", "captured-point-mismatch", Severity.ERROR, "served out:1, trained out:2: ids [1] at drafts/a.json:4", CONFIG, 3,
    "eagle3", "LlamaForCausalLM", "out:2", "out:1",
    path=(
        Hop("served: key: ids -> [1]", CONFIG),
        Hop("served: argument ids: [1] -> [1]", SETTER),
        Hop("served: + 1: [1] -> [2]", SETTER),
        Hop("trained: hook: forward hook -> layer 2", TRAINER),
        Hop("trained: concatenated: 1 parts -> out:2", TRAINER),
    ),
    help="ids [2] make it capture what was trained",
    draft="drafts/a.json",
)  # fmt: skip
STALE = Finding("FC210", "stale-state", Severity.WARNING, "marks are never taken back", SETTER, path=(Hop("is set", SETTER),))
EDGE = Finding("FC301", "unreachable-id", Severity.INFO, "id L is captured by no layer", SETTER)
FACT = Finding("FC309", "convention-outlier", Severity.INFO, "its siblings shift", SETTER)
CHANGED = Notice(
    replace(FACT, code="wiring-changed", rule="wiring-changed", message="id k: out:k -> out:k-1", path=(Hop("id: [1] -> [1]", SETTER),)),
    "A wiring is not what it was.",
    (Hop("id: [1] -> [2]", Location("old/engine/llama.py", 69)),),
)
FILES = {
    "drafts/a.json": b'{\n "eagle_config": {\n  "use": true,\n  "ids": [1]\n }\n}\n',
    "engine/llama.py": b"class LlamaForCausalLM:\n" + b"    x = 1\n" * 67 + b"    def set_layers(self, ids):\n        self.ids = [*ids]\n",
}

HOSTILE = (
    'say "hi" \\',
    "<script>alert(1)</script>",
    "</pre></details><img src=x onerror=alert(1)>",
    "</failure>]]>&lt;&#34;",
    "a|b | c",
    "`md` ```",
    "**bold** __init__ ~~no~~ $x^2$",
    "![x](http://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "[a][b] <http://evil.example>",
    "www.evil.example and http://evil.example",
    "@octocat #12 GH-1 a@b.example",
    "a.py:100: :smile:",
    "1. item",
    "# title",
    "--- ===",
    "    code",
    "::error file=x::gotcha",
    "%0A::set-output name=x::y",
    "100%25 %3A ,:",
    "##[set-output name=x;]y",
    "##vso[task.setvariable variable=x]y",
    "a\nb\r\tc\x00\x1b[31m\x07\u202e\u2066\u200b\u2028",
    "\ufeff\ufffe\uffff",
    "ünïcödé ☃ 🙂 \udcff",
    "{0} {{1}} [2](3)",
    "<!-- x --> --!>",
    "]]> <![CDATA[",
    "end",
    "%%{init: {}}%%",
    '"]; click n href "javascript:x"',
    "subgraph x",
    "style a fill:#f00",
)
"""Names that a page, a terminal, a runner or a reader of one of the formats would take for something of its own."""


def with_files(found: Analysis) -> Analysis:
    """An analysis whose files can be read."""

    def line(at: Location) -> str | None:
        lines = FILES.get(at.file, b"").decode().split("\n")
        return lines[at.line - 1] if 0 < at.line <= len(lines) and lines[at.line - 1] else None

    return replace(found, excerpt=line, around=replace(found.around, content=lambda file: FILES.get(file, b"")))


def told(*findings: Finding, aside: tuple[SetAside, ...] = (), notices: tuple[Notice, ...] = ()) -> Told:
    """These findings in an engine with an established and an unproved wiring, and a draft that is served what it was trained on."""
    unread = NotEstablished("file", "invalid syntax", Location("engine/x.py", 3))
    return Told(
        with_files(analysis(wiring(), unknown_wiring(), not_established=(unread,), comparisons=(comparison(),))),
        findings, aside, notices=notices,
    )  # fmt: skip


def hostile(text: str) -> Told:
    """The text wherever a source, a config or the names of their files have a say."""
    at = Location(f"{text}/{text}.py", 3)
    hops = (Hop(f"served: {text}: {text} -> {text}", at), Hop(f"trained: {text}", at), Hop(text, at))
    bad = replace(
        MISMATCH, message=text, at=at, flow=text, model=text, expected=text, actual=text, path=hops, help=text, draft=text,
        consequences=(replace(STALE, message=text, at=at, model=text, path=hops),),
    )  # fmt: skip
    left = SetAside(replace(STALE, message=text, at=at, path=hops), "comment", text)
    around = replace(comparison(), model=text, draft=f"{text}.json")
    found = analysis(
        replace(wiring(text, at), setter=text), unknown_wiring(text, text), comparisons=(around, replace(around, draft="b.json")),
        not_established=(NotEstablished(text, text, at),),
    )  # fmt: skip
    source = replace(found.source, root=text, version=text, package=text)
    return Told(replace(found, source=source, excerpt=lambda at: text), (bad, replace(bad, message=f"x {text} x")), (left,))
