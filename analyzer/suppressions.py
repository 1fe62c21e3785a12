"""The comments of a source that suppress findings: ``# flowcheck: ignore[FC302] why that is right here``.

They are comments as Python's tokenizer sees them: the same text in a string is none. One stands on the line of a finding, or in the
comment lines right above the line of code that it is about, above its decorators too.
"""
from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from .index import decode_lines
from .location import Location
from .surroundings import Suppression

MARK = b"flowcheck:"
"""A file without these bytes has no suppressions."""
MOST_RULES = 50
"""Names in one comment that are read."""

_COMMENT = re.compile(r"#[ \t]*flowcheck:[ \t]*ignore\b(?:[ \t]*\[(?P<rules>[^\]]*)\])?")
_NEXT_COMMENT = re.compile(r"(?:^|\s)#(?!\d)")
"""A reason ends where another comment begins; ``#123`` is a ticket."""


def read_suppressions(content: bytes, file: str) -> tuple[Suppression, ...]:
    """The suppressions in a file, by line; of a broken one those before the place where it breaks."""
    if MARK not in content:
        return ()
    try:
        lines = decode_lines(content)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return ()
    return tuple(_suppressions(lines, file))


def _suppressions(lines: list[str], file: str) -> Iterator[Suppression]:
    waiting: list[Suppression] = []
    """What stands on lines of its own above a line of code that is not there yet."""
    below: list[int] = []
    in_decorator = False
    for token in _tokens("\n".join(lines)):
        line, column = token.start
        if token.type == tokenize.COMMENT:
            found = _read(token.string, Location(file, line))
            if lines[line - 1][:column].strip():
                yield from found
            else:
                waiting += found
        elif token.type == tokenize.NL and not lines[line - 1].strip() and not below:
            yield from waiting  # a blank line: they are about nothing
            waiting = []
        elif token.type == tokenize.NEWLINE:
            in_decorator = False
        elif waiting and token.type not in _QUIET and not in_decorator:
            below.append(line)
            in_decorator = token.string == "@" and not lines[line - 1][:column].strip()
            if not in_decorator:
                yield from (Suppression(each.at, (each.at.line, *below), each.rules, each.reason) for each in waiting)
                waiting, below = [], []
    yield from waiting


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return


def _read(comment: str, at: Location) -> list[Suppression]:
    """The suppressions in a comment: of one behind another each has its own reason."""
    found = list(_COMMENT.finditer(comment))
    ends = [*(each.start() for each in found[1:]), len(comment)]
    return [_suppression(each["rules"] or "", comment[each.end() : end], at) for each, end in zip(found, ends, strict=False)]


def _suppression(rules: str, said: str, at: Location) -> Suppression:
    named = filter(None, (name.strip() for name in rules.split(",")[:MOST_RULES]))
    reason = _NEXT_COMMENT.split(said, maxsplit=1)[0].strip(" \t:;,-–—")
    return Suppression(at, (at.line,), tuple(dict.fromkeys(named)), reason if any(map(str.isalnum, reason)) else "")


_QUIET = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
