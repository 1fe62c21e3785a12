"""Text from the source (names, strings, paths) made harmless before it is shown.

The source is untrusted. A name may carry control characters, escape sequences that drive a terminal, marks that reverse the
reading direction of what follows, the commands of a CI runner, or the markup of the page that it is shown on.
"""
from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import category

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, formatting marks (bidi overrides, zero-width characters), lone surrogates (undecodable bytes of a path), line separators."""

_COMMAND = re.compile(r"(?<=#)#(?=\w*\[)|\A\s*:(?=:)")
"""Runners of GitHub, Azure and others obey ``##[set-output …]`` or ``##vso[…]`` wherever it stands in a line of the log, and ``::error …``
where a line begins with it; a text may begin one."""

_MERMAID = re.compile(r"[^\w .,:=/+()\[\]'!?·…-]|__|(?<=styl)e|(?<=classDe)f|:(?=fa-)|\A *\d+[.)]|\A *[+-] ", re.ASCII)
"""All that Mermaid, Markdown or HTML could take for their own: also the words ``style`` and ``classDef``, which Mermaid looks for
everywhere, the names of icons, and what begins like an item of a list."""

_MARKUP = re.compile(r"[\\`*{}\[\]<>#!|~&@$\"]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""All that Markdown or HTML could take for its own, links that are written as plain text too. An underscore in a name is none."""

_CALLS = re.compile(r"@(?=\w)|#(?=\d)|:(?=[\w+-]+:)")
"""What a forge looks for in the finished page: people (who would be told of it), numbers of issues, names of small pictures."""

_NOTHING = "&#8203;"
"""A space without width: it parts what would be read together."""


def terminal(text: str) -> str:
    """``text`` on one line, with nothing in it that a terminal, or the runner whose log it goes to, would obey."""
    shown = text if text.isascii() and text.isprintable() else "".join(_visible(character) for character in text)
    return _COMMAND.sub(_harmless, shown) if "##" in shown or "::" in shown else shown


def _visible(character: str) -> str:
    if category(character) not in _UNSAFE and ord(character) & 0xFFFE != 0xFFFE:  # the latter are no characters, and nothing for XML
        return character
    return character.encode("unicode_escape").decode("ascii")


def _harmless(found: re.Match[str]) -> str:
    return f"{found.group()[:-1]}\\x{ord(found.group()[-1]):x}"


def clipped(text: str, length: int) -> str:
    """The text on one line, with an ellipsis for what is too much."""
    shown = terminal(text)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def mermaid_text(text: str) -> str:
    """A text that is nothing but text to Mermaid: each other character by its number, as ``#34;`` for a quotation mark."""
    return _MERMAID.sub(lambda found: "".join(_coded(character) for character in found.group()), text)


def _coded(character: str) -> str:
    return character if character == "·" or character.isdecimal() else f"#{ord(character)};"


def markdown_text(text: str) -> str:
    """A text that is nothing but text on a page of Markdown, and in HTML within it; it calls nobody."""
    return "".join(_marked(part) + _NOTHING for part in _parted(terminal(text)))[: -len(_NOTHING)]


def markdown_code(text: str) -> str:
    """The same as code, in which a forge looks for nothing. Unlike backticks it may hold backticks, and stand in a table."""
    return f"<code>{_marked(terminal(text))}</code>"


def _parted(text: str) -> list[str]:
    cuts = [0, *(found.end() for found in _CALLS.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


def _marked(text: str) -> str:
    return _MARKUP.sub(lambda found: f"&#{ord(found.group())};", text)
