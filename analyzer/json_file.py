"""A JSON file that a stranger wrote: read whole and strictly, and asked value by value. What is wrong is one line with the place."""
from __future__ import annotations

import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn, assert_never

from .errors import BadInput
from .json_text import Document, Json, JsonError, Path, parse_json
from .layout import MEBIBYTE, printable

LARGEST = 8 * MEBIBYTE
LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a file should be: its ``noun``, what the user could ``give``, and how to ``mend`` one that is broken."""

    noun: str
    give: str
    mend: str


def read_json(path: str, shown: str, wanted: Wanted) -> Document:
    """The document of a file that is printed as ``shown``."""
    text = _text(path, printable(shown), wanted)
    return parse(text, shown, wanted)


def parse(text: str, shown: str, wanted: Wanted) -> Document:
    """The document of a text, in the words for a file."""
    try:
        return parse_json(text)
    except JsonError as error:
        raise BadInput(f"{printable(shown)}:{error.line}:{error.column}: {printable(str(error))}; {wanted.mend}") from error


def _text(path: str, shown: str, wanted: Wanted) -> str:
    data = _content(path, shown, wanted)
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(f"{shown}:1:1: begins with a byte-order mark, which engines do not read; save it as plain UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise BadInput(f"{shown}:{line}:{column}: not UTF-8; save the {wanted.noun} in that encoding") from error


def _content(path: str, shown: str, wanted: Wanted) -> bytes:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise BadInput(f"{shown}: not a file; give {wanted.give}")
        if status.st_size > LARGEST:
            raise BadInput(f"{shown}: larger than {LARGEST // MEBIBYTE} MiB; give {wanted.give}")
        with open(path, "rb") as stream:
            return stream.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise BadInput(f"{shown or repr(path)}: no such file; give {wanted.give} (nothing is downloaded)") from error
    except OSError as error:
        raise BadInput(f"{shown}: cannot be read ({error.strerror}); check its permissions") from error


def kind_of(value: Json) -> str:
    """A value in few words, for a message."""
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


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a file and where it stands. A question that it does not fit is refused with the place."""

    file: str
    wanted: Wanted
    document: Document
    value: Json
    path: Path = ()

    @property
    def line(self) -> int:
        return self.document.places.get(self.path, (1, 1))[0]

    @property
    def place(self) -> str:
        """File, line and column."""
        line, column = self.document.places.get(self.path, (1, 1))
        return f"{printable(self.file)}:{line}:{column}"

    def refuse(self, what: str) -> NoReturn:
        name = ".".join(map(str, self.path)) or f"the {self.wanted.noun}"
        raise BadInput(f"{self.place}: {printable(name)} {printable(what)}; {self.wanted.mend}")

    def must_be(self, what: str) -> NoReturn:
        self.refuse(f"must be {what}, not {kind_of(self.value)}")

    def member(self, key: str) -> Node:
        """The value of a key."""
        if not isinstance(self.value, dict):
            self.must_be("an object")
        if key not in self.value:
            self.refuse(f"has no {key!r}")
        return Node(self.file, self.wanted, self.document, self.value[key], (*self.path, key))

    def entries(self) -> tuple[Node, ...]:
        """The entries of a list."""
        if not isinstance(self.value, list):
            self.must_be("a list")
        return tuple(Node(self.file, self.wanted, self.document, each, (*self.path, at)) for at, each in enumerate(self.value))

    def given(self) -> Node | None:
        """Itself, unless it is null."""
        return None if self.value is None else self

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.must_be("a text")
        if len(self.value) > LONGEST_TEXT:
            self.refuse(f"is longer than {LONGEST_TEXT} characters")
        return self.value

    def text_or_none(self) -> str | None:
        return None if self.value is None else self.text()

    def one_of(self, choices: Collection[str]) -> str:
        if not isinstance(self.value, str) or self.value not in choices:
            self.must_be(f"one of {', '.join(choices)}")
        return self.value

    def number(self, least: int, most: int) -> int:
        """A whole number within bounds."""
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value <= most:
            self.must_be(f"a whole number from {least} to {most}")
        return self.value
