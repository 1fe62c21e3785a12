"""Places in the source."""
from __future__ import annotations

from .frozen import frozen


@frozen()
class Location:
    """A place in the source: the file as it is printed (POSIX; relative to the working directory, or ``archive.whl/inner/path``), and the
    line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@frozen()
class Place:
    """A name, and where it is written or asked for."""

    name: str
    at: Location
