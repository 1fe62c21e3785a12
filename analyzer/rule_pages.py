"""The pages of the rules: their list and one rule explained."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from .json_report import Object
from .rule import Example, Rule
from .text import Line, Span, line


def rules_report(rules: Sequence[Rule]) -> Iterator[Line]:
    """One line for each rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        yield line(Span(rule.code, "bold"), f"  {rule.name:{width}}  {rule.severity!s:7}  {rule.summary}")


def rule_report(rule: Rule) -> Iterator[Line]:
    """The page of a rule with its examples."""
    yield line(Span(f"{rule.code} {rule.name}", "bold"), f" ({rule.severity})")
    yield line()
    for text in rule.page.strip().splitlines():
        heading = text.strip() and not text.startswith(" ") and text.strip() != rule.summary
        yield line(Span(text, "bold")) if heading else line(text)
    for title, examples in (("Reported", _bad(rule)), ("Not reported", _good(rule))):
        yield from _examples(title, examples)


def rules_document(rules: Sequence[Rule]) -> Object:
    """The list of rules as data."""
    return {"schema": "flowcheck.rules/1", "rules": [_row(rule) for rule in rules]}


def rule_document(rule: Rule) -> Object:
    """One rule as data."""
    examples: list[Object] = [{"title": example.title, "messages": example.messages} for example in rule.examples]
    return {"schema": "flowcheck.rule/1", **_row(rule), "page": rule.page.strip(), "examples": examples}


def _row(rule: Rule) -> Object:
    return {"code": rule.code, "name": rule.name, "severity": str(rule.severity), "summary": rule.summary}


def _examples(title: str, examples: Sequence[Example]) -> Iterator[Line]:
    if examples:
        yield line()
        yield line(Span(title, "bold"))
    for example in examples:
        yield line(f"    {example.title}")
        yield from (line(f"      {message}") for message in example.messages)


def _bad(rule: Rule) -> tuple[Example, ...]:
    return tuple(example for example in rule.examples if example.messages)


def _good(rule: Rule) -> tuple[Example, ...]:
    return tuple(example for example in rule.examples if not example.messages)
