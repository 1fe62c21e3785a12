"""A comment on a pull request, in Markdown: tables, folds and pictures, as far as there is room, and what was left out."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from .escape import terminal

LONGEST = 65_000
"""Bytes of a comment: GitHub refuses one of more than 65,536 characters, however it counts them."""
ENDING = 1_000
"""Bytes that are kept for the line that says what was left out."""
MARK = "<!-- flowcheck -->"
"""The first line, by which a job finds the comment that it made before."""


@dataclass(slots=True)
class Comment:
    """Takes its parts in order. Texts that come from the source have gone through :func:`markdown_text` or :func:`markdown_code`."""

    room: int = LONGEST - ENDING
    parts: list[str] = field(default_factory=lambda: [MARK])
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, text: str, what: str = "part") -> bool:
        """A part of its own, if there is room; else ``what`` it is counts as left out."""
        size = len(text.encode()) + 2
        if size > self.room:
            self.left_out[what] += 1
            return False
        self.room -= size
        self.parts.append(text)
        return True

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[str]], what: str, share: float = 0.4) -> None:
        """The rows that fit into a ``share`` of the room that is left."""
        lines = [_row(titles), _row(["---"] * len(titles))]
        room = int(self.room * share) - sum(len(line.encode()) + 1 for line in lines)
        for row in rows:
            line = _row(row)
            room -= len(line.encode()) + 1
            if room < 0:
                self.left_out[what] += 1
            else:
                lines.append(line)
        if len(lines) > 2:
            self.add("\n".join(lines), what)

    def fold(self, summary: str, body: str, what: str) -> bool:
        """Details that are folded away. What follows a blank line in them is Markdown again."""
        return self.add(f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>", what)

    def text(self) -> str:
        """The whole of it."""
        counts = [f"{count} {what}{'' if count == 1 else 's'}" for what, count in self.left_out.items() if count]
        ending = [f"<sub>Left out for want of room: {', '.join(counts)}.</sub>"] if counts else []
        return "\n\n".join((*self.parts, *ending)) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def block(lines: Iterable[str]) -> str:
    """Lines of any text, shown as they are: in HTML of this kind nothing is Markdown, up to its end."""
    return "<pre>\n" + "\n".join(escape(terminal(line), quote=False) for line in lines) + "\n</pre>"


def picture(source: str) -> str:
    """A Mermaid text, which forges draw. It holds no backticks: they are escaped in it."""
    return f"```mermaid\n{source.rstrip()}\n```"
