"""Which flow a selection of a trainer is for, told by names: the keys that its ids stand under, and the names of what is around it."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from .entries import Entry, names_in
from .training_facts import FlowWords

KEY_PARTS = re.compile(r"[A-Za-z_]\w*")


def flow_of(entry: Entry, keys: Iterable[str], flows: tuple[FlowWords, ...]) -> str | None:
    """The flow that the innermost name names which names one; None where none does."""
    for scope in scopes(entry, keys):
        counts = {flow.name: sum(is_named(flow, name) for name in scope) for flow in flows}
        most = max(counts.values(), default=0)
        named = [name for name, count in counts.items() if count == most and count]
        if len(named) == 1:
            return named[0]
    return None


def is_named(flow: FlowWords, name: str) -> bool:
    """Whether a name says that something is for a flow."""
    return name in flow.keys or any(word in name.lower() for word in flow.words)


def scopes(entry: Entry, keys: Iterable[str]) -> Iterator[list[str]]:
    """The names around a selection, from the inside to the outside."""
    yield [part for key in keys for part in KEY_PARTS.findall(key)]
    if not isinstance(entry.node, ast.Module):
        yield [entry.node.name]
        if entry.cls is not None:
            yield [entry.cls.name]
        yield sorted(names_in(entry.node))
    if entry.cls is not None:
        yield sorted(names_in(entry.cls))
    yield re.split(r"[/.]", entry.module.path)
    yield sorted(names_in(entry.module.tree) | imported(entry.module.tree))


def imported(tree: ast.Module) -> set[str]:
    """The names that a module imports."""
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
