"""The lines that findings are about, as they stand in the source."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .configs import Config
from .results import Location
from .source import SourceTree

LONGEST = 160
"""Characters of a line that are shown."""


@dataclass(slots=True)
class Excerpts:
    """Finds the text of a line by its printed place. ``trees`` are opened when they are asked for; ``configs`` are files of
    their own, and so are ``files``, by their printed paths."""

    trees: Sequence[Callable[[], SourceTree]]
    configs: Sequence[Config] = ()
    files: Sequence[str] = ()
    _paths: list[tuple[SourceTree, Mapping[str, str]]] | None = None
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def __call__(self, at: Location) -> str | None:
        """The line, or None where it cannot be read, or says too much."""
        if at.file not in self._lines:
            self._lines[at.file] = self.content(at.file).decode("utf-8", "replace").split("\n")
        lines = self._lines[at.file]
        text = lines[at.line - 1].rstrip() if 0 < at.line <= len(lines) else ""
        return text if text.strip() and len(text) <= LONGEST else None

    def content(self, printed: str) -> bytes:
        """What the file of a printed place holds; nothing where it cannot be read."""
        if any(config.path_printed == printed for config in self.configs) or printed in self.files:
            return self._file(printed)
        if self._paths is None:
            opened = [tree() for tree in self.trees]
            self._paths = [(tree, {tree.printed(path): path for path in tree.files}) for tree in opened]
        for tree, paths in self._paths:
            if printed in paths:
                try:
                    return tree.read(paths[printed])
                except OSError:
                    return b""
        return b""

    @staticmethod
    def _file(printed: str) -> bytes:
        try:
            with open(printed, "rb") as file:
                return file.read()
        except OSError:
            return b""
