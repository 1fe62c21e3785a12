"""Text from the source (names, strings, paths) made harmless before it is shown.

The source is untrusted. A name may carry control characters, escape sequences that drive a terminal, or marks that reverse the
reading direction of what follows. Every such character is shown as a backslash escape.
"""
from __future__ import annotations

from unicodedata import category

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, formatting marks (bidi overrides, zero-width characters), lone surrogates (undecodable bytes of a path), line separators."""


def terminal(text: str) -> str:
    """``text`` on one line, with nothing in it that a terminal would obey."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if category(character) not in _UNSAFE:
        return character
    return character.encode("unicode_escape").decode("ascii")
