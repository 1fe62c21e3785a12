"""Model configs: a ``config.json`` as a checkpoint carries it, read strictly and held against the few types that matter."""
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias

from .errors import BadInput
from .json_file import Wanted, kind_of, read_json
from .json_text import Json, Path
from .layout import printable, printed_path

FILE_NAME = "config.json"
CONFIG = Wanted("config", f"a {FILE_NAME} or its folder", "mend the config")
NESTED = "text_config"
"""Where a multimodal config keeps the facts of its language model."""
LARGEST_FACTS: Mapping[str, int] = MappingProxyType({"num_hidden_layers": 10_000, "hidden_size": 10_000_000})
"""Whole numbers from 1: beyond these a config is not one of a model, and the layers are walked one by one."""
Wrong: TypeAlias = tuple[Path, str, Json]
"""A field of a wrong type: where, what it should be, what it is."""


@dataclass(frozen=True, slots=True)
class Config:
    """One config. ``values`` is its JSON object, ``path_printed`` its place as reports show it."""

    path_printed: str
    values: Mapping[str, Json]
    _places: Mapping[Path, tuple[int, int]] = field(default_factory=dict, repr=False, compare=False)

    def line_of(self, *path: str | int) -> int:
        """The line of a key or list entry, or of the nearest thing around it; 1 where there is none."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places[path][0] if path else 1

    def fact(self, name: str) -> Json:
        """A value at the top, else under ``text_config``; None where neither has it."""
        nested = self.values.get(NESTED)
        value = self.values.get(name)
        return nested.get(name) if value is None and isinstance(nested, dict) else value


def load_config(argument: str, layer_counts: Sequence[str] = (), text_configs: Sequence[str] = ()) -> Config:
    """Read the config of a path or of a folder that holds one. BadInput, in one line with the place, where it is not sound.

    ``layer_counts`` and ``text_configs`` are a flow's further names for the number of layers and the language model's config.
    """
    path = os.path.join(argument, FILE_NAME) if argument and os.path.isdir(argument) else argument
    shown = printed_path(os.path.abspath(path), keep_absolute=os.path.isabs(argument)) if path and "\0" not in path else path
    document = read_json(path, shown, CONFIG)
    if not isinstance(document.value, dict):
        raise BadInput(f"{printable(shown)}:1:1: a config is a JSON object, this is {kind_of(document.value)}; give that of a model")
    wrong = chain(_wrong_facts(document.value), _wrong_counts(document.value, layer_counts, text_configs))
    _check_facts(printable(shown), wrong, document.places)
    return Config(shown, MappingProxyType(document.value), document.places)


def folder_of(draft: str) -> str | None:
    """The folder of a draft, in which what belongs to it lies: the one that was named, or that of a config of the usual name."""
    return draft if os.path.isdir(draft) else os.path.dirname(draft) if os.path.basename(draft) == FILE_NAME else None


def architectures_of(draft: Config) -> tuple[str, ...]:
    """The classes that the draft's config is for."""
    named = draft.values.get("architectures")
    return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()


def _check_facts(shown: str, wrong: Iterable[Wrong], places: Mapping[Path, tuple[int, int]]) -> None:
    for path, wanted, value in wrong:
        line, column = places[path]
        raise BadInput(f"{shown}:{line}:{column}: {'.'.join(map(str, path))} must be {wanted}, not {kind_of(value)}; mend the config")


def _wrong_facts(values: dict[str, Json]) -> Iterator[Wrong]:
    """The known fields of a wrong type: where, what it should be, what it is."""
    yield from _wrong_numbers(values, ())
    architectures = values.get("architectures")
    if isinstance(architectures, list):
        wrong = ((at, name) for at, name in enumerate(architectures) if not isinstance(name, str))
        yield from ((("architectures", at), "the name of a class", name) for at, name in wrong)
    elif architectures is not None:
        yield ("architectures",), "a list of class names", architectures
    nested = values.get(NESTED)
    if isinstance(nested, dict):
        yield from _wrong_numbers(nested, (NESTED,))
    elif nested is not None:
        yield (NESTED,), "an object", nested


def _wrong_numbers(values: dict[str, Json], path: Path) -> Iterator[Wrong]:
    for name, largest in LARGEST_FACTS.items():
        if name in values and not _is_count(values[name], largest):
            yield (*path, name), f"a whole number from 1 to {largest}", values[name]


def _wrong_counts(values: dict[str, Json], layer_counts: Sequence[str], text_configs: Sequence[str]) -> Iterator[Wrong]:
    """As above under a flow's own names, where a null is as good as nothing."""
    largest = LARGEST_FACTS["num_hidden_layers"]
    nested = [((name,), inner) for name in text_configs if isinstance(inner := values.get(name), dict)]
    for path, holder in [((), values), *nested]:
        for name in layer_counts:
            if (value := holder.get(name)) is not None and not _is_count(value, largest):
                yield (*path, name), f"a whole number from 1 to {largest}", value


def _is_count(value: Json, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= largest
