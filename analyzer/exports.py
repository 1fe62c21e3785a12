"""Where a trainer writes the ids for the one who serves the draft, and what it makes of them on the way."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .entries import Scan, is_test
from .results import Export, Location
from .trainer import MODEL

LONGEST = 80
"""Characters of an expression that are shown."""
MOST_EXPORTS = 12


def find_exports(scan: Scan, keys: tuple[str, ...]) -> tuple[Export, ...]:
    """Each place where something is written under one of the keys: an entry of a dict, an item, an attribute, a keyword."""
    found: list[Export] = []
    for path in scan.tree.tree.grep(tuple(key.encode() for key in keys)) if keys else ():
        module = None if path == MODEL or is_test(path) else scan.index.module(scan.index.module_of(path))
        for node in ast.walk(module.tree) if module is not None else ():
            pairs = [(key, value) for key, value in written(node, keys) if any(isinstance(each, ast.Name) for each in ast.walk(value))]
            found += [Export(key, shown(value), Location(scan.tree.printed(path), value.lineno)) for key, value in pairs]
    return tuple(dict.fromkeys(found))[:MOST_EXPORTS]


def written(node: ast.AST, keys: tuple[str, ...]) -> Iterator[tuple[str, ast.expr]]:
    """The keys that a piece of code writes, each with what."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in keys:
                yield str(key.value), value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            name = target_name(target)
            if name in keys:
                yield name, node.value
    elif isinstance(node, ast.keyword) and node.arg in keys and node.arg is not None:
        yield node.arg, node.value


def target_name(target: ast.expr) -> str:
    """The name under which an assignment writes into an object; empty for a plain variable."""
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
        return target.slice.value
    return ""


def shown(value: ast.expr) -> str:
    text = " ".join(ast.unparse(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
