"""Where a selection takes its ids from, in the words of the trainer."""
from __future__ import annotations

import re

from .binding import plain
from .entries import is_option
from .interpret.ledger import Given
from .results import IdSource, Location
from .training import Trainer
from .ways import Found, Source, run_with

CONFIG = re.compile(r"config|cfg|\[['\"]|\.get\(", re.IGNORECASE)
COMMAND = re.compile(r"(^|\.)(args?|options?|opts?|namespace|parsed)\.", re.IGNORECASE)
ENVIRONMENT = re.compile(r"environ|getenv")


def describe(trainer: Trainer, found: Found, source: Source) -> IdSource:
    """A value from outside that decides a selection, with what stands in for it where it is not given."""
    at = source.at or Location(trainer.scan.tree.printed(""), 1)
    return IdSource(kind_of(trainer, source.key), plain(source.key), at, default_of(found, source))


def kind_of(trainer: Trainer, key: str) -> str:
    """What kind of thing a value is asked of."""
    if key.isidentifier() and is_option(trainer.scan, key):
        return "command line"
    if ENVIRONMENT.search(key):
        return "environment"
    if COMMAND.search(key):
        return "command line"
    if CONFIG.search(key):
        return "config"
    return "attribute" if "." in key else "parameter"


def default_of(found: Found, source: Source) -> str | None:
    """The points that are trained where nothing is given, in words; None where that is not established."""
    closed, _ = found.way.run(Given()).settled()
    outcome = closed if closed.captured is not None or closed.handed is not None else run_with(found, source, None)[0]
    if outcome.handed is not None and outcome.handed.known:
        return "the engine's default" if outcome.handed.ids is None else str(list(outcome.handed.ids))
    return ", ".join(outcome.captured) if outcome.captured is not None else None
