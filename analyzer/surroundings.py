"""What surrounds the results of a run, and is needed to live with its findings: the texts that were read, and how much the run covers."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal, TypeAlias

from .frozen import frozen
from .location import Location

Needs: TypeAlias = Literal["source", "launch", "draft"]
"""What has to be in hand for a rule to find all that it can: the source alone; a launch, which the config of a draft narrows; a draft."""


@frozen()
class Suppression:
    """A comment that suppresses findings of ``rules``, as they are named there, on ``lines``; without a ``reason`` it does not."""

    at: Location
    lines: tuple[int, ...]
    rules: tuple[str, ...]
    reason: str


@frozen()
class UselessSuppression:
    """A suppression that suppresses nothing: what is wrong with it, the name of the rule that this is about, or "", and the name that
    was probably meant."""

    at: Location
    wrong: Literal["no rule", "no reason", "unknown rule", "unused"]
    rule: str = ""
    meant: str | None = None


@frozen()
class Surroundings:
    """``commented`` are the files of the flow in which suppressions may stand; ``covers`` says what the rules need of which this run
    could find everything; ``drafts`` are the configs of drafts in hand. ``useless`` is known when the other rules have been asked.
    """

    content: Callable[[str], bytes] = field(default=lambda file: b"", compare=False, repr=False)
    """The content of a file that a place names; nothing where it cannot be read."""
    commented: tuple[str, ...] = ()
    covers: tuple[Needs, ...] = ()
    drafts: tuple[str, ...] = ()
    useless: tuple[UselessSuppression, ...] = ()
