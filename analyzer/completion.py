"""What a shell offers where a line goes on: names of flows, rules, formats, keys and contracts. Nothing is analysed for it.

Where nothing is offered, as for a SOURCE or a config, the shell goes on with files and folders.
"""
from __future__ import annotations

from collections.abc import Iterator

Offered = list[tuple[str, str]]
"""Each word, with a line about it."""


def flows(incomplete: str) -> Offered:
    """The flows that are built in."""
    from .flows.flow import BUILT_IN, ENGINES

    return [(name, f"of {', '.join(package for package, theirs in ENGINES.items() if name in theirs)}") for name in BUILT_IN]


def keys(incomplete: str) -> Offered:
    """The keys under which drafts have their ids. Any other entry of a config may be asked for too."""
    from .flows.flow import ENGINES, load_flow

    found = {key: package for package, theirs in ENGINES.items() for name in theirs for key in load_flow(name, package).pipeline.keys}
    return [(key, f"read by {package}") for key, package in found.items()]


def rule(incomplete: str) -> Offered:
    """Codes; names where one is begun."""
    return list(_rules(incomplete))


def rules(incomplete: str) -> Offered:
    """The last of several rules that commas separate."""
    before, comma, last = incomplete.rpartition(",")
    return [(f"{before}{comma}{word}", text) for word, text in _rules(last)]


def _rules(begun: str) -> Iterator[tuple[str, str]]:
    from ..rules import RULES

    yield from ((each.code, each.summary) for each in RULES)
    yield from ((each.name, each.summary) for each in RULES if begun)


def severities(incomplete: str) -> Offered:
    from .rule import Severity

    return [(str(each), "and what is worse") for each in Severity]


def formats(incomplete: str) -> Offered:
    from .options import FORMATS

    return [(each, "") for each in FORMATS]


def report_formats(incomplete: str) -> Offered:
    from .options import REPORT_FORMATS

    return [(each, "") for each in REPORT_FORMATS]


def views(incomplete: str) -> Offered:
    from .options import VIEWS

    return [(each, "") for each in VIEWS]


def id_lists(incomplete: str) -> Offered:
    return [("default", "what is captured where no ids are given")]


def contracts(incomplete: str) -> Offered:
    """The contracts of the settings at hand; none where these cannot be read."""
    import os

    from .errors import BadInput
    from .escape import terminal
    from .settings import find_settings

    try:
        settings = find_settings(os.getcwd())
    except (BadInput, OSError):
        return []
    return [(terminal(each.name), "") for each in (settings.contracts if settings is not None else ())]
