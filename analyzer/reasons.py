"""Why a file is read, in words. The first cause counts: what a search found in it, or the place that led to it."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from .frozen import frozen

Why: TypeAlias = Callable[[], str]
"""Told only where a file is read for the first time."""

WHOLE = "all files of a trainer are looked at"
ASKED = "asked for by a run"
"""Where nothing says more."""


@frozen()
class FileRead:
    """A file that was read, as it is printed, and why."""

    file: str
    reason: str


def found_in(word: str, of_what: str) -> str:
    """Why a file is read that a search for this word has found; ``of_what`` says what the word is, where the search knows."""
    if of_what:
        return f"contains {of_what} {word}"
    if found := re.fullmatch(r"(class|def) (\w+)\(?", word):
        return f"defines {found[2]}"
    if found := re.fullmatch(r"(\.?\w+)\($", word):
        return f"mentions {found[1]}()"
    return f"contains {word}"


def files_object(files: Sequence[FileRead]) -> list[dict[str, str]]:
    """The files of a JSON document."""
    return [{"file": each.file, "reason": each.reason} for each in files]
