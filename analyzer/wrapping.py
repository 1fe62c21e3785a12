"""Long texts in lines: parted where a reader would part them, and cut only where they are no names any more."""
from __future__ import annotations

import re
from collections.abc import Iterator

from .escape import clipped

LONGEST = 400
"""Characters of one text that are drawn at all: the rest is in the source, at the place that is told."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_/,(\[{=:])(?=\w)|(?=[.(\[])(?<=\w)")
"""Where a long word may be parted: at the humps of a CamelCase name, behind an underscore or a comma, at dots and opening brackets."""


def wrapped(text: str, width: int, most: int = LONGEST) -> tuple[str, ...]:
    """The text in lines of at most ``width`` characters, harmless to a terminal; of more than ``most`` characters the rest is left out."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(clipped(text, most), width):
        if line.strip() and len(line) + len(piece) > width:
            lines.append(line.strip())
            line = ""
        line += piece
    return (*lines, line.strip()) if line.strip() else tuple(lines)


def _pieces(text: str, width: int) -> Iterator[str]:
    """The words of a text with the space before them, and the parts of words that are longer than a line."""
    for word in re.findall(r"\s*\S+", text):
        for part in [word] if len(word.strip()) <= width else _HUMP.split(word):
            yield from (part[at : at + width] for at in range(0, len(part), width))
