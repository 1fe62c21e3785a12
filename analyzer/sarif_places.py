"""Places of a source as SARIF writes them: URIs below the working directory, regions, and what stands there."""
from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from urllib.parse import quote

from .archive import ARCHIVE_ENDINGS
from .escape import terminal
from .json_report import Object
from .location import Location
from .results import Analysis
from .rule import Hop
from .symbols import Symbols
from .told import plain_path
from .trainer import MODEL_PRINTED

BASE = "%SRCROOT%"
"""What the URIs are relative to: the working directory. Where that lies is the machine's own business, and is not written."""


@dataclass(slots=True)
class Places:
    """Writes the places of one analysis."""

    analysis: Analysis
    symbols: Symbols = field(init=False)

    def __post_init__(self) -> None:
        self.symbols = Symbols(self.analysis.around.content)

    def at(self, place: Location, column: int = 1) -> Object:
        """A place in the source, with its line, and the function or the entry of a config that it is in; of what is no file its name."""
        if place.file in ("", MODEL_PRINTED):
            return {"logicalLocations": [{"name": terminal(place.file) or "the source"}]}
        region: Object = {"startLine": max(place.line, 1), "startColumn": max(column, 1)}
        excerpt = self.analysis.excerpt(place)
        if excerpt is not None:
            region["snippet"] = {"text": terminal(excerpt[max(column, 1) - 1 :])}
        physical: Object = {"artifactLocation": self.artifact(place.file), "region": region}
        symbol = self.symbols.at(place)
        if not symbol:
            return {"physicalLocation": physical}
        name = terminal(symbol)
        return {"physicalLocation": physical, "logicalLocations": [{"name": name.rpartition(".")[2], "fullyQualifiedName": name}]}

    def hop(self, hop: Hop, number: int | None = None) -> Object:
        """A place on a way, with what happens there. A ``number`` is that by which messages refer to it."""
        numbered: Object = {} if number is None else {"id": number}
        return {**numbered, **self.at(hop.at), "message": {"text": message_text(hop.text)}}

    def artifact(self, file: str) -> Object:
        """The URI of a file. One outside of the working directory that was named by its whole path keeps that."""
        path = plain_path(file, self.analysis.source)
        inside: Object = {"properties": {"archive": terminal(archive)}} if (archive := archive_of(path)) else {}
        if os.path.isabs(path):
            return {"uri": PurePath(path).as_uri(), **inside}
        return {"uri": uri(path), "uriBaseId": BASE, **inside}


def uri(path: str) -> str:
    """A path as a relative URI reference; bytes that are no text are kept."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def archive_of(path: str) -> str:
    """The archive that a printed path leads into."""
    return next((parent for parent in _parents(path) if parent.lower().endswith(ARCHIVE_ENDINGS)), "")


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")
    yield from ("/".join(parts[:count]) for count in range(1, len(parts)))


def message_text(text: str) -> str:
    """A message that is nothing but text: brackets before a parenthesis would be a link."""
    return terminal(text).replace("](", "] (")
