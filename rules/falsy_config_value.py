"""An entry that is [], 0 or false is treated as absent.

What it finds
    An entry stands in a config that was given, its value counts as false, and the code takes that for a missing one: ``if not ids``,
    ``entry or default``. Something else stands in for what the config says.

Why it matters
    The value is there, it is read, and it has no effect. ``[]`` for "none of them" becomes the default list; 0 becomes another number.

Example
    The config lists no layers, and the draft model makes three of them: ``len(ids) if ids else 3``.

Instead
    Compare with None: ``default if ids is None else ids``.

What it cannot see
    Entries that are null or not there: these are absent. A flag that is false and is joined to another one by ``or`` is asked for
    what it says; only where a literal that counts as true stands in for it is it told. What is put in place by a call.

Sources
    SGLang 0.5.20, models/llama_eagle3.py line 153: ``len(layer_ids) if layer_ids else 3``, which makes ``fc`` three states wide where the
    list is empty.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analyzer.launches import Falsy, Launch
from ..analyzer.results import Analysis, Location
from ..analyzer.rule import Example, Finding, Rule, Severity, example_analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    """One finding for each place and entry."""
    met: dict[tuple[Location, int, str, str], list[tuple[Launch, Falsy]]] = {}
    for launch in analysis.launches:
        for falsy in launch.falsy:
            if _is_changed(falsy):
                met.setdefault((falsy.at, falsy.column, falsy.role, falsy.name), []).append((launch, falsy))
    for cases in met.values():
        yield _finding(cases)


def _is_changed(falsy: Falsy) -> bool:
    """Whether what stands in is something else: a literal that is the same, or an empty collection that is made, is not; that of a flag is
    told only where it is a literal."""
    if falsy.instead in ("list(…)", "tuple(…)", "int(…)", "float(…)", "set(…)", "dict(…)", "bool(…)"):
        return False
    try:
        instead: object = ast.literal_eval(falsy.instead)
    except (ValueError, SyntaxError):
        return falsy.value != "false"
    if falsy.value == "false":
        return bool(instead)
    return bool(instead) or instead is None


def _finding(cases: list[tuple[Launch, Falsy]]) -> Finding:
    falsy = cases[0][1]
    drafts = {launch.draft for launch, _ in cases}
    flows = {launch.flow for launch, _ in cases}
    message = f"{falsy.name} = {falsy.value} in the {falsy.role}'s config is treated as missing: {falsy.instead} stands in for it"
    return Finding(
        RULE.code,
        RULE.name,
        RULE.severity,
        message,
        falsy.at,
        falsy.column + 1,
        flow=flows.pop() if len(flows) == 1 else None,
        expected=falsy.value,
        actual=falsy.instead,
        help="compare with None",
        draft=drafts.pop() if len(drafts) == 1 else None,
    )


_AT = Location("engine/draft.py", 15)


def _launched(value: str, instead: str, role: str = "draft", times: int = 1) -> Analysis:
    falsy = (Falsy(_AT, 8, role, "eagle_config.layer_ids", value, instead),)
    launch = Launch("eagle3", "TulipForCausalLM", "draft/config.json", (), (), (), falsy, (), ("layer_ids",))
    return example_analysis(launches=(launch,) * times)


def _says(value: str, instead: str, role: str = "draft") -> tuple[str, ...]:
    return (f"eagle_config.layer_ids = {value} in the {role}'s config is treated as missing: {instead} stands in for it",)


RULE = Rule(
    code="FC206",
    name="falsy-config-value",
    severity=Severity.WARNING,
    page=__doc__,
    check=check,
    examples=(
        Example("an empty list", _launched("[]", "3"), _says("[]", "3")),
        Example("an empty list, by two launches", _launched("[]", "None", times=2), _says("[]", "None")),
        Example("a zero in the target's config", _launched("0", "config.width", "target"), _says("0", "config.width", "target")),
        Example("a flag that becomes true", _launched("false", "True"), _says("false", "True")),
        Example("two flags joined by or", _launched("false", 'getattr(config, "bias", False)')),
        Example("a flag that stays false", _launched("false", "None")),
        Example("an empty list for an empty list", _launched("[]", "()")),
        Example("zero for zero", _launched("0", "0")),
    ),
    needs="draft",
)
