"""The values of one table of settings, read by their types. What is wrong with one is told in one line: the file, the line and the key."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from .errors import BadInput
from .flows.lines import Path, nearest_line
from .layout import printable, printed_path
from .options import read_layers, read_serve_args

Table: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Values:
    """Reads the values of a table. ``shown`` names the file in messages, ``folder`` is where it lies, ``lines`` are those of its keys,
    ``at`` are the keys that lead to the table. ``around``: what stands before and behind a key in messages."""

    shown: str
    folder: str
    lines: Mapping[Path, int]
    at: Path
    around: tuple[str, str] = ("", "")

    def line(self, *keys: str) -> int:
        """The line of a key; without one that of the table."""
        return nearest_line(self.lines, (*self.at, *keys))

    def refuse(self, key: str, what: str) -> NoReturn:
        """Say what is wrong with a key, be it there or not."""
        before, behind = self.around
        raise BadInput(f"{self.shown}:{self.line(key)}: {printable(f'{before}{key[:80]}{behind}')}: {printable(what)}")

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            self.refuse(key, f"must be a text, not {kind(value)}")
        if not value:
            self.refuse(key, "must not be empty")
        return value

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        """A text, or a list of them."""
        if isinstance(value, list) and not value:
            self.refuse(key, "must not be empty: leave it out")
        if isinstance(value, list):
            return tuple(self.text(key, each) for each in value)
        if not isinstance(value, str):
            self.refuse(key, f"must be a text or a list of texts, not {kind(value)}")
        return (self.text(key, value),)

    def number(self, key: str, value: object) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(key, f"must be a whole number, not {kind(value)}")
        return self.checked(key, str(value), read_layers)

    def checked(self, key: str, value: str, check: Callable[[str], object]) -> str:
        """A value that the reader of an option takes; what that says is said of the key."""
        try:
            check(value)
        except BadInput as error:
            self.refuse(key, str(error))
        return value

    def path(self, key: str, value: object) -> str:
        """A path, from the folder of the file to the working directory."""
        joined = os.path.join(self.folder, self.text(key, value))
        if "\0" in joined:
            self.refuse(key, "is no path")
        return joined if os.path.isabs(str(value)) else printed_path(joined, keep_absolute=False)

    def paths(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(self.path(key, each) for each in self.texts(key, value))

    def source(self, key: str, value: object) -> str:
        """A path, or the name of an installed package."""
        path = self.path(key, value)
        return self.text(key, value) if not os.path.lexists(path) and str(value).isidentifier() else path

    def sources(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(self.source(key, each) for each in self.texts(key, value))

    def flags(self, key: str, value: object) -> str:
        return self.checked(key, self.text(key, value), read_serve_args)


def kind(value: object) -> str:
    """A value in few words, for a message."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)[:40]
        case str():
            return f"the text {value[:40]!r}"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or a time"
