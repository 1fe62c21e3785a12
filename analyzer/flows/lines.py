"""Where in the text of a TOML file something stands: the line of a key, and of a name behind it."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value; a number counts the tables under one header in double brackets."""

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)"""
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_PART}(?:\s*\.\s*{_PART})*)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
LONGEST = 2_000
"""Characters of a line in which a header or a key is looked for."""


def line_of(text: str, path: Path) -> int:
    """The line of a value: that of its key, else that of the table it should be in, else the first."""
    return nearest_line(key_lines(text), path)


def key_lines(text: str) -> Mapping[Path, int]:
    """The line of each header and key, where it stands first."""
    found: dict[Path, int] = {}
    for number, keys in _keys(text.split("\n")):
        found.setdefault(keys, number)
    return found


def nearest_line(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a value among those of all keys, as :func:`line_of` has it."""
    return next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), 1)


def line_of_name(text: str, path: Path, name: str) -> int:
    """The line in which a name stands under a key; that of the key where the name is on none of its own."""
    first, lines = line_of(text, path), text.split("\n")
    behind = [number for number, _ in _keys(lines) if number > first]
    last = min(behind, default=len(lines) + 1)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return next((number for number in range(first, last) if word.search(lines[number - 1])), first)


def _keys(lines: Sequence[str]) -> Iterator[tuple[int, Path]]:
    """Each header and each key, with the way to it."""
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(lines, 1):
        if header := _HEADER.match(line[:LONGEST]):
            table = _numbered(_parts(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield number, table
        elif key := _KEY.match(line[:LONGEST]):
            yield number, (*table, *_parts(key[1]))


def _parts(text: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, text)]


def _numbered(parts: Sequence[str], counts: dict[Path, int]) -> Path:
    """The way to a table; what lies in one of several tables lies in the last."""
    path: Path = ()
    for part in parts[:-1]:
        path = (*path, part)
        path = (*path, counts[path]) if path in counts else path
    return (*path, parts[-1])
