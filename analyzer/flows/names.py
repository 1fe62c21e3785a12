"""What a flow file names of a tree: each name with its place in the file, and what it must be in the tree."""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .lines import Path

Table: TypeAlias = Mapping[str, object]
Kind: TypeAlias = Literal["method", "class", "variable", "attribute", "name", "text", "qualified"]
"""``name`` is any identifier; ``qualified`` a way from the package to a function, with its modules."""

KINDS: Mapping[str, Kind] = {
    "words": "text", "setters": "method", "fallbacks": "method", "defaults": "method", "draft_methods": "method", "entry": "variable",
    "configs": "name", "layer_counts": "name", "layer_lists": "name", "text_configs": "name",
    "tensor_inputs": "name", "blank_inputs": "name",
    "sink.class": "class",
    "pipeline.target_worker": "attribute", "pipeline.worker_methods": "method", "pipeline.projections": "attribute",
    "pipeline.keys": "name", "pipeline.draft_inputs": "attribute",
    "stages.starts": "attribute", "stages.ends": "attribute", "stages.handed": "name", "stages.flags": "name",
    "detour.opaque": "method",
    "boundaries.package": "qualified", "boundaries.stage": "qualified", "boundaries.declaration": "qualified",
    "boundaries.exit": "qualified", "boundaries.aside": "name",
    "assumption.identities.names": "name",
}  # fmt: skip
"""What the texts under a key must be. Of one with dots each part is a name."""
KEYED: Mapping[str, Kind] = {
    "pipeline.launch": "name", "pipeline.reader": "name", "pipeline.moved": "name", "pipeline.paths": "name",
    "stages.first": "name", "stages.last": "name", "detour.values": "name",
    "assumption.calls": "name", "assumption.returns": "name", "assumption.values": "name",
    "kernels": "qualified", "boundaries.operations": "qualified",
}  # fmt: skip
"""What the keys of a table must be."""
ALTERNATIVES = ("configs", "layer_counts", "layer_lists", "text_configs")
"""Keys that list what configs may have: the tree must have one of them."""
PHASES = "pipeline.phases"
"""A table whose keys are the file's own names, and whose texts are functions."""


@dataclass(frozen=True, slots=True)
class Named:
    """A name under a ``key``, which stands at ``path``. ``whole`` is the text that it is a part of."""

    key: str
    path: Path
    name: str
    kind: Kind
    whole: str


def names_in(own: Table, package: str, made: Iterable[str]) -> Iterator[Named]:
    """What a table names of the tree but for the parameters of the consumer. ``made`` are the objects that the flow itself supposes."""
    known = {*made, "*"}
    for key, path, value in leaves(own, ()):
        outer = key.rpartition(".")[0]
        if key in KINDS or outer == PHASES:
            kind = KINDS.get(key, "method")
            yield from (each for text in texts(value) for each in parts(key, path, text, kind, package, known))
    for key, path, value in tables(own, ()):
        if key in KEYED and isinstance(value, dict):
            yield from (each for text in value for each in parts(key, (*path, text), text, KEYED[key], package, known))


def parts(key: str, path: Path, text: str, kind: Kind, package: str, known: set[str]) -> Iterator[Named]:
    """A text that must be there as it is; or its parts, but for objects that the flow itself supposes and what every class has. A call is
    named by what is called."""
    if kind in ("qualified", "text") or text.startswith(f"{package}."):
        yield Named(key, path, text, "text" if kind == "text" else "qualified", text)
        return
    for part in text.split("."):
        name = part.removesuffix("()")
        if name not in known and not (name.startswith("__") and name.endswith("__")):
            yield Named(key, path, name, kind, text)


def leaves(value: object, path: Path) -> Iterator[tuple[str, Path, object]]:
    """What is no table, with the keys that lead to it."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from leaves(inner, (*path, key))
        case list() if any(isinstance(each, dict) for each in value):
            for number, inner in enumerate(value):
                yield from leaves(inner, (*path, number))
        case _:
            yield dotted(path), path, value


def tables(value: object, path: Path) -> Iterator[tuple[str, Path, object]]:
    """The tables, with the keys that lead to them."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        if isinstance(each, dict | list):
            yield dotted((*path, key)), (*path, key), each
            yield from tables(each, (*path, key))


def dotted(path: Path) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def made_in(values: Iterable[object]) -> list[str]:
    """The objects that a flow supposes, by what they are called: ``"@group"``."""
    return sorted({value[1:] for value in values if isinstance(value, str) and re.match(r"@\w", value)})
