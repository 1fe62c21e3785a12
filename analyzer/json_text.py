"""JSON that a stranger wrote, read strictly: every value keeps its place, and what the standard reader lets pass (a key
twice, NaN, nesting without end) is an error."""
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn, TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
Path: TypeAlias = tuple[str | int, ...]
"""Keys and list indices from the top down to a value."""

DEEPEST = 64
MOST_VALUES = 200_000
LONGEST_NUMBER = 300
BLANK = " \t\n\r"


class JsonError(Exception):
    """What is wrong with the text, and where: line and column, both from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(frozen=True, slots=True)
class Document:
    """A value and the place of each key and list entry in it."""

    value: Json
    places: Mapping[Path, tuple[int, int]]


def parse_json(text: str) -> Document:
    """Read the whole text; JsonError where it is not strict JSON."""
    reader = _Reader(text)
    end = reader.skip(reader.value(reader.skip(0), ()))
    if end != len(text):
        reader.fail("nothing may follow the end of the value", end)
    return Document(reader.results[0], {path: reader.place(at) for path, at in reader.positions.items()})


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _bounded_int(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:20]} is too large for a number")
    return number


_SCALARS = JSONDecoder(parse_constant=_reject_constant, parse_int=_bounded_int, parse_float=_finite_float)


@dataclass(slots=True)
class _Reader:
    """Objects and arrays are read here, strings and numbers by the standard decoder. Each method takes the position to
    read at and returns the one behind, and leaves its value on ``results``."""

    text: str
    results: list[Json] = field(default_factory=list)
    positions: dict[Path, int] = field(default_factory=dict)
    line_starts: list[int] = field(default_factory=list)

    def place(self, at: int) -> tuple[int, int]:
        if not self.line_starts:
            self.line_starts = [0, *(index + 1 for index, char in enumerate(self.text) if char == "\n")]
        line = bisect_right(self.line_starts, at)
        return line, at - self.line_starts[line - 1] + 1

    def fail(self, message: str, at: int) -> NoReturn:
        raise JsonError(message, *self.place(at))

    def skip(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in BLANK:
            at += 1
        return at

    def expect(self, char: str, at: int, message: str) -> int:
        at = self.skip(at)
        if not self.text.startswith(char, at):
            self.fail(message, at)
        return at + 1

    def value(self, at: int, path: Path) -> int:
        if len(path) > DEEPEST:
            self.fail(f"nested deeper than {DEEPEST} levels", at)
        if len(self.positions) > MOST_VALUES:
            self.fail(f"more than {MOST_VALUES} values", at)
        if self.text.startswith("{", at):
            return self.object(at + 1, path)
        if self.text.startswith("[", at):
            return self.array(at + 1, path)
        return self.scalar(at)

    def scalar(self, at: int) -> int:
        try:
            value, end = _SCALARS.raw_decode(self.text, at)
        except JSONDecodeError as error:
            self.fail("a value is missing" if error.msg == "Expecting value" else error.msg[:1].lower() + error.msg[1:], error.pos)
        except ValueError as error:
            self.fail(str(error), at)
        if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            self.fail("half of a surrogate pair in a string", at)
        self.results.append(value)
        return end

    def object(self, at: int, path: Path) -> int:
        members: dict[str, Json] = {}
        at = self.skip(at)
        while not self.text.startswith("}", at):
            if members:
                at = self.skip(self.expect(",", at, "a comma or a closing brace is missing"))
            at = self.member(at, path, members)
        self.results.append(members)
        return at + 1

    def member(self, at: int, path: Path, members: dict[str, Json]) -> int:
        if not self.text.startswith('"', at):
            self.fail("a key in double quotes is missing", at)
        start, at = at, self.scalar(at)
        key = str(self.results.pop())
        if key in members:
            first, _ = self.place(self.positions[*path, key])
            self.fail(f"the key {key!r} is there twice, first in line {first}", start)
        self.positions[*path, key] = start
        at = self.value(self.skip(self.expect(":", at, "a colon is missing")), (*path, key))
        members[key] = self.results.pop()
        return self.skip(at)

    def array(self, at: int, path: Path) -> int:
        entries: list[Json] = []
        at = self.skip(at)
        while not self.text.startswith("]", at):
            if entries:
                at = self.skip(self.expect(",", at, "a comma or a closing bracket is missing"))
            inner = (*path, len(entries))
            self.positions[inner] = at
            at = self.skip(self.value(at, inner))
            entries.append(self.results.pop())
        self.results.append(entries)
        return at + 1
