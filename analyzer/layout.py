"""What a source looks like on the outside: where its package may lie, what is left out, and how large it may be."""
from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

MEBIBYTE = 1 << 20
LARGEST_FILE = 16 * MEBIBYTE
LARGEST_TEXT = 512 * MEBIBYTE
"""All Python files of one source together."""
MOST_ENTRIES = 200_000
MOST_NOTES = 50

HOLDERS = ("", "python", "src")
"""Folders of a checkout or an archive that may hold the package: a git checkout of SGLang keeps it in ``python/``."""


@dataclass(slots=True)
class Notes:
    """What was left out of a source, and why: a hostile tree must not bury the rest, so there is an end to it."""

    lines: list[str] = field(default_factory=list)
    dropped: int = 0

    def add(self, place: str, why: str) -> None:
        if len(self.lines) < MOST_NOTES:
            self.lines.append(f"{printable(place)}: {why}")
        else:
            self.dropped += 1

    def all(self) -> tuple[str, ...]:
        more = (f"and {self.dropped} more places like these",) if self.dropped else ()
        return (*self.lines, *more)


def printable(text: str) -> str:
    """The text on one line, without characters that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii") for char in text)


def is_odd(name: str) -> bool:
    """Whether a path cannot be printed as it is (control characters, bytes that are not UTF-8)."""
    return not name.isprintable()


def is_left_out(folder: str) -> bool:
    """Whether a folder of this name is no part of the source: hidden ones (``.git``, ``.venv``) and compiled files."""
    return folder.startswith(".") or folder == "__pycache__"


def choose_holder(candidates: Mapping[str, bool]) -> str | None:
    """Which folder holds the package. ``candidates`` maps each that has a folder of the package's name with Python files
    in it to whether that folder has an ``__init__.py``.

    One with an ``__init__.py`` comes first; then the outermost, unless it merely is a checkout that is called like the
    package (``sglang/python/sglang``) and so contains another candidate.
    """
    regular = [holder for holder, has_init in candidates.items() if has_init]
    if regular:
        return min(regular, key=_depth)
    for holder in sorted(candidates, key=_depth):
        nested = [other for other in candidates if _depth(other) > _depth(holder) and PurePosixPath(other).is_relative_to(holder)]
        if not nested:
            return holder
    return None


def _depth(holder: str) -> tuple[int, str]:
    return len(PurePosixPath(holder).parts), holder


def printed_path(path: str, *, keep_absolute: bool) -> str:
    """An absolute path as it is printed: relative to the working directory and with ``/``.

    With ``keep_absolute`` (the user named an absolute path, or a package by its name) a place outside the working
    directory stays absolute: a row of ``../..`` would say less.
    """
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive on Windows
        return path.replace(os.sep, "/")
    climbs = relative == os.pardir or relative.startswith(os.pardir + os.sep)
    return (path if climbs and keep_absolute else relative).replace(os.sep, "/")
