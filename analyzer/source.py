"""The source under analysis: a folder, an archive read in place, or an installed package. Untrusted text, never imported.

The lowest layer: it lists, reads and searches files, and knows nothing of flows.
"""
from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from .errors import BadInput
from .folder import open_folder
from .layout import Notes, printable

VERSION_FILES = ("_version.py", "version.py", "__init__.py")
VERSION_NAMES = ("__version__", "version")


class Store(Protocol):
    """Where the files lie. Paths are POSIX and begin with the package."""

    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def noted(self) -> Notes: ...
    def read(self, path: str) -> bytes: ...
    def printed(self, path: str) -> str: ...
    def metadata(self) -> Iterator[tuple[str, bytes]]: ...
    def requirements(self) -> Iterator[tuple[str, bytes]]: ...


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The Python files of one package. ``root`` is the printed place of the folder that holds the package; ``files`` are
    sorted POSIX paths that begin with the package (``sglang/srt/models/llama.py``)."""

    root: str
    package: str
    version: str | None
    files: tuple[str, ...]
    _store: Store = field(repr=False)
    _known: frozenset[str] = field(repr=False)
    _cache: dict[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    _failed: set[str] = field(default_factory=set, repr=False, compare=False)
    _hits: dict[tuple[bytes, ...], tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def read(self, path: str) -> bytes:
        """The content of one of ``files``. OSError where there is no such file or it cannot be read."""
        data = self._cache.get(path)
        if data is not None:
            return data
        if path not in self._known:
            raise FileNotFoundError(f"no {path} in {self.root}")
        return self._store.read(path)

    def printed(self, path: str) -> str:
        """The path as reports show it: relative to the working directory, or ``archive.whl/sglang/…``."""
        return self._store.printed(path)

    def grep(self, words: tuple[bytes, ...]) -> tuple[str, ...]:
        """The files whose bytes contain one of the words. Hits stay in memory, for they are parsed next, and so does the answer; a file
        that cannot be read is noted."""
        if words in self._hits:
            return self._hits[words]
        hits = []
        for path in self.files:
            try:
                data = self.read(path)
            except OSError as error:
                self._note_unreadable(path, error)
                continue
            if any(word in data for word in words):
                self._cache[path] = data
                hits.append(path)
        return self._hits.setdefault(words, tuple(hits))

    def requirements(self) -> Iterator[tuple[str, str]]:
        """Texts that may say which other packages this one asks for, each with its place."""
        try:
            for place, content in self._store.requirements():
                yield place, content.decode("utf-8", "replace")
        except OSError:
            return

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, each with its place: links, entries outside the root, files too large or unreadable."""
        return self._store.noted.all()

    def _note_unreadable(self, path: str, error: OSError) -> None:
        if path not in self._failed:
            self._failed.add(path)
            self._store.noted.add(self.printed(path), f"cannot be read ({error.strerror or error})")


def open_source(argument: str, package: str = "sglang") -> SourceTree:
    """Open what the user named. BadInput, in one line, where there is nothing to analyse."""
    store = _open_store(argument, package)
    return SourceTree(store.printed(""), package, find_version(store, package), store.files, store, frozenset(store.files))


def _open_store(argument: str, package: str) -> Store:
    if not argument or "\0" in argument:
        raise BadInput(f"'{printable(argument)}': not a path; give a folder, an archive or the name of an installed package")
    keep_absolute = os.path.isabs(argument)
    if os.path.isdir(argument):
        return open_folder(argument, package, keep_absolute=keep_absolute)
    if os.path.isfile(argument):
        return _open_file(argument, package, keep_absolute=keep_absolute)
    if os.path.lexists(argument):
        raise BadInput(f"{printable(argument)}: neither a folder nor an archive; give one of them")
    from .installed import find_installed  # the imports of the rarer kinds cost as much as reading a small tree

    folder = find_installed(argument, package)
    if folder is None:
        raise BadInput(f"{printable(argument)}: no such file or folder, nor an installed package with {package} in it; give one of them")
    return open_folder(folder, package, keep_absolute=True)


def _open_file(argument: str, package: str, *, keep_absolute: bool) -> Store:
    from .archive import ARCHIVE_ENDINGS, is_archive, open_archive

    if not is_archive(argument):
        kinds = ", ".join(ARCHIVE_ENDINGS[:5])
        raise BadInput(f"{printable(argument)}: neither a folder nor an archive ({kinds}); give one of them")
    return open_archive(argument, package, keep_absolute=keep_absolute)


def find_version(store: Store, package: str) -> str | None:
    """The version that the tree itself names, or its metadata beside it."""
    for name in VERSION_FILES:
        path = f"{package}/{name}"
        if path in store.files:
            version = _version_in_code(_quietly(store, path))
            if version is not None:
                return version
    for name, content in _quiet_metadata(store):
        version = _version_in_project(content, package) if name.endswith(".toml") else _version_in_headers(content, package)
        if version is not None:
            return version
    return None


def _quietly(store: Store, path: str) -> bytes:
    try:
        return store.read(path)
    except OSError:
        return b""


def _quiet_metadata(store: Store) -> Iterator[tuple[str, bytes]]:
    try:
        yield from store.metadata()
    except OSError:
        return


def _version_in_code(content: bytes) -> str | None:
    """The string that the module assigns to ``__version__`` at its top level; one inside a ``try`` is a fallback, not a fact."""
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found: dict[str, str] = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
            found.update((target.id, statement.value.value) for target in statement.targets if isinstance(target, ast.Name))
    return next((_plausible(found[name]) for name in VERSION_NAMES if name in found), None)


def _version_in_headers(content: bytes, package: str) -> str | None:
    headers = content.split(b"\n\n", 1)[0].decode("utf-8", "replace")
    fields = dict(line.split(": ", 1) for line in reversed(headers.splitlines()) if ": " in line and not line[0].isspace())
    return _plausible(fields.get("Version", "")) if _is_package(fields.get("Name", ""), package) else None


def _version_in_project(content: bytes, package: str) -> str | None:
    try:
        project = tomllib.loads(content.decode("utf-8")).get("project")
    except (ValueError, RecursionError):
        return None
    if not isinstance(project, dict) or not _is_package(str(project.get("name")), package):
        return None
    version = project.get("version")
    return _plausible(version) if isinstance(version, str) else None


def _is_package(name: str, package: str) -> bool:
    return re.sub(r"[-_.]+", "-", name).lower().strip() == re.sub(r"[-_.]+", "-", package).lower()


def _plausible(version: str) -> str | None:
    version = version.strip()
    return version if re.fullmatch(r"v?[0-9][\w.+!-]{0,100}", version, re.ASCII) else None
