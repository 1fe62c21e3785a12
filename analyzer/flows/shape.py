"""A flow's table held against its JSON Schema: which keys there are, which are needed, and of which type they are. The schema is the one
home of these facts; of JSON Schema that much is understood which it uses."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files

from ..errors import BadInput
from ..layout import printable
from ..nearest import told_nearest
from .lines import Path

NAME = "flow-1"
LONGEST = 80
"""Characters of a key or a value that a message tells."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value must be. ``kinds``: its types, as JSON Schema calls them; ``properties`` and ``needed``: the keys of a table, and those
    that must be there; ``other``: what any other key holds, None where there is none; ``ways``: the shapes of which it has one."""

    kinds: tuple[str, ...] = ()
    properties: Mapping[str, Shape] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    other: Shape | None = None
    items: Shape | None = None
    least: int = 0
    pattern: str = ""
    choices: tuple[str, ...] = ()
    ways: tuple[Shape, ...] = ()


def read_schema() -> dict[str, object]:
    """The JSON Schema of a flow file, as shipped."""
    loaded: dict[str, object] = json.loads((files("flowcheck.analyzer") / "schemas" / f"{NAME}.json").read_text("utf-8"))
    return loaded


def flow_shape(*, whole: bool) -> Shape:
    """The shape of a flow's table; a ``whole`` one names all that a flow needs which extends no other."""
    schema = read_schema()
    _, alone = parts(schema["anyOf"])
    shape = shape_of(schema)
    return replace(shape, needed=names(part(alone).get("required", ()))) if whole else asking_nothing(shape)


def asking_nothing(shape: Shape) -> Shape:
    """The same, with no key of its tables needed: what is not said is taken over."""
    inner = {name: each if name == "assumption" else asking_nothing(each) for name, each in shape.properties.items()}
    return replace(shape, properties=inner, needed=(), ways=tuple(map(asking_nothing, shape.ways)))


def shape_of(schema: object) -> Shape:
    """What a part of the schema says."""
    given = part(schema)
    kinds = given.get("type", ())
    least = [given[key] for key in ("minItems", "minLength", "minimum") if key in given]
    other, items = given.get("additionalProperties", False), given.get("items")
    return Shape(
        (kinds,) if isinstance(kinds, str) else names(kinds),
        {name: shape_of(inner) for name, inner in part(given.get("properties", {})).items()},
        names(given.get("required", ())),
        None if other is False else shape_of(other),
        None if items is None else shape_of(items),
        next((number for number in least if isinstance(number, int)), 0),
        str(given.get("pattern", "")),
        names(given.get("enum", ())),
        tuple(shape_of(each) for each in parts(given.get("oneOf", []))),
    )


def part(value: object) -> dict[str, object]:
    assert isinstance(value, dict)
    return value


def parts(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def names(value: object) -> tuple[str, ...]:
    assert isinstance(value, list | tuple)
    return tuple(str(each) for each in value)


# ------------------------------------------------------------------------------ holding a value against it


class Misfit(BadInput):
    """What does not fit, and the keys that lead to it."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


def check(value: object, shape: Shape, path: Path = ()) -> None:
    """Raise :class:`Misfit` at the first thing that does not fit; the value stands at ``path``."""
    if shape.ways and isinstance(value, dict):
        shape = max(shape.ways, key=lambda way: sum(key in way.properties for key in value))
    if shape.choices and value not in shape.choices:
        near = told_nearest(value, shape.choices) if isinstance(value, str) else "it is none"
        raise Misfit(f"{name(path)} must be one of {', '.join(map(repr, shape.choices))}; {near}", path)
    if shape.kinds and not any(is_of(value, kind) for kind in shape.kinds):
        raise Misfit(f"{name(path)} must be {spoken(shape)}", path)
    match value:
        case dict():
            check_table(value, shape, path)
        case list():
            check_list(value, shape, path)
        case str() if len(value) < shape.least:
            raise Misfit(f"{name(path)} must be {spoken(shape)}: it is empty", path)
        case str() if not re.search(shape.pattern, value):
            raise Misfit(f"{name(path)}: {short(value)!r} does not match {shape.pattern}", path)
        case int() if shape.kinds == ("integer",) and value < shape.least:
            raise Misfit(f"{name(path)} must be at least {shape.least}", path)


def check_table(table: Mapping[str, object], shape: Shape, path: Path) -> None:
    for key, value in table.items():
        inner = shape.properties.get(key, shape.other)
        if inner is None:
            raise Misfit(f"there is no key {name((*path, key))}; {told_nearest(key, shape.properties)}", (*path, key))
        check(value, inner, (*path, key))
    for key in shape.needed:
        if key not in table:
            raise Misfit(f"the key {name((*path, key))} is missing", path)


def check_list(values: Sequence[object], shape: Shape, path: Path) -> None:
    assert shape.items is not None
    if len(values) < shape.least or not all(any(is_of(value, kind) for kind in shape.items.kinds) for value in values):
        raise Misfit(f"{name(path)} must be {spoken(shape)}{'' if values else ': it is empty'}", path)
    for number, value in enumerate(values):
        check(value, shape.items, (*path, number))


def is_of(value: object, kind: str) -> bool:
    match kind:
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool}[kind])


def spoken(shape: Shape) -> str:
    """What a value must be, in words."""
    match shape.kinds:
        case ("array",):
            of_texts = shape.items is not None and shape.items.kinds == ("string",)
            return "a list of texts" if of_texts else "tables, each under a header in double brackets"
        case ("object",):
            return "a table"
        case ("string",):
            return "a text"
        case ("integer",):
            return "a whole number"
    return "a number, a text, true or false"


def name(path: Path) -> str:
    """The keys that lead to a value, as they are told."""
    return printable(".".join(short(part) for part in path if isinstance(part, str)))


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
