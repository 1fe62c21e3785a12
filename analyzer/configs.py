"""Model configs: a ``config.json`` as a checkpoint carries it, read strictly and held against the few types that matter."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias, assert_never

from .errors import BadInput
from .json_text import Json, JsonError, Path, parse_json
from .layout import MEBIBYTE, printable, printed_path

FILE_NAME = "config.json"
LARGEST_CONFIG = 8 * MEBIBYTE
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
    text = _text(path, printable(shown))
    try:
        document = parse_json(text)
    except JsonError as error:
        raise BadInput(f"{printable(shown)}:{error.line}:{error.column}: {printable(str(error))}; mend the config") from error
    if not isinstance(document.value, dict):
        raise BadInput(f"{printable(shown)}:1:1: a config is a JSON object, this is {_kind(document.value)}; give that of a model")
    wrong = chain(_wrong_facts(document.value), _wrong_counts(document.value, layer_counts, text_configs))
    _check_facts(printable(shown), wrong, document.places)
    return Config(shown, MappingProxyType(document.value), document.places)


def _text(path: str, shown: str) -> str:
    data = _content(path, shown)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{shown}:1:1: begins with a byte-order mark, which engines do not read; save it as plain UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise BadInput(f"{shown}:{line}:{column}: not UTF-8; save the config in that encoding") from error


def _content(path: str, shown: str) -> bytes:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{shown}: not a file; give a {FILE_NAME} or the folder that holds one")
        if status.st_size > LARGEST_CONFIG:
            raise BadInput(f"{shown}: larger than {LARGEST_CONFIG // MEBIBYTE} MiB; give the {FILE_NAME} of a model")
        with open(path, "rb") as stream:
            return stream.read(LARGEST_CONFIG + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise BadInput(f"{shown or repr(path)}: no such file; give a {FILE_NAME} or its folder (nothing is downloaded)") from error
    except OSError as error:
        raise BadInput(f"{shown}: cannot be read ({error.strerror}); check its permissions") from error


def _check_facts(shown: str, wrong: Iterable[Wrong], places: Mapping[Path, tuple[int, int]]) -> None:
    for path, wanted, value in wrong:
        line, column = places[path]
        raise BadInput(f"{shown}:{line}:{column}: {'.'.join(map(str, path))} must be {wanted}, not {_kind(value)}; mend the config")


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


def _kind(value: Json) -> str:
    """The value in few words, for a message."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)[:40]
        case str():
            return f"the text {value[:40]!r}"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            assert_never(value)
