"""Where a finding stands, in words that an edit elsewhere in its file does not change: a function of a source, an entry of a config."""
from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from .json_text import JsonError, parse_json
from .location import Location

Begin: TypeAlias = tuple[int, int, str]
"""The first and the last line of a symbol, and its name."""


@dataclass(slots=True)
class Symbols:
    """Names the places of files; ``content`` reads one by its printed path."""

    content: Callable[[str], bytes]
    _known: dict[str, list[Begin]] = field(default_factory=dict)

    def at(self, place: Location) -> str:
        """``Class.method`` of a Python file, the keys that lead to an entry of a JSON file; nothing for the file itself."""
        if place.file not in self._known:
            self._known[place.file] = list(_symbols(place.file, self.content(place.file)))
        around = [(first, name) for first, last, name in self._known[place.file] if first <= place.line <= last]
        return max(around, key=lambda each: (each[0], len(each[1])), default=(0, ""))[1]


def _symbols(file: str, content: bytes) -> Iterator[Begin]:
    if file.endswith(".json"):
        yield from _entries(content)
    elif file.endswith(".py"):
        yield from _definitions(content)


def _definitions(content: bytes) -> Iterator[Begin]:
    try:
        with warnings.catch_warnings():  # the tree's own sins are not ours to print
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, around = pending.pop()
        for child in ast.iter_child_nodes(node):
            name = around
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{around}.{child.name}" if around else child.name
                first = min((each.lineno for each in child.decorator_list), default=child.lineno)
                yield first, child.end_lineno or child.lineno, name
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                pending.append((child, name))


def _entries(content: bytes) -> Iterator[Begin]:
    """The entries, from the line of each to that before the next; of a list the whole list. Of those on one line the first."""
    try:
        places = parse_json(content.decode("utf-8")).places
    except (JsonError, ValueError):
        return
    begins: dict[int, tuple[str, ...]] = {}
    for path, (line, _) in sorted(places.items(), key=lambda item: item[1]):
        if keys := tuple(_keys(path)):
            begins.setdefault(line, keys)
    lines = [*begins, content.count(b"\n") + 2]
    for number, (line, keys) in enumerate(begins.items()):
        yield line, lines[number + 1] - 1, ".".join(keys)


def _keys(path: tuple[str | int, ...]) -> Iterator[str]:
    for part in path:
        if isinstance(part, int):
            return
        yield part
