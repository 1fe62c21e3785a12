"""Lines of text with tones, painted once: escaped always, coloured only on a terminal."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .escape import terminal

Tone: TypeAlias = Literal["plain", "bold", "dim", "red", "yellow"]

_CODES: dict[Tone, str] = {"plain": "", "bold": "1", "dim": "2", "red": "31", "yellow": "33"}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line. ``text`` may hold anything: it is escaped when it is painted."""

    text: str
    tone: Tone = "plain"


Line: TypeAlias = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of these parts; a bare string is plain."""
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def paint(lines: Iterable[Line], colour: bool) -> str:
    """The text of the lines, without blanks at their ends."""
    return "".join(f"{_painted(one, colour)}\n" for one in lines)


def _painted(one: Line, colour: bool) -> str:
    if not colour:
        return "".join(terminal(span.text) for span in one).rstrip()
    return "".join(_coloured(span) for span in one)


def _coloured(span: Span) -> str:
    code, text = _CODES[span.tone], terminal(span.text)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text
