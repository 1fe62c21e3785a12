"""The source under analysis: a folder, an archive read in place, a git revision, or an installed package. Untrusted text, never imported.

The lowest layer: it lists, reads and searches files, and knows nothing of flows.
"""
from __future__ import annotations

import ast
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .errors import BadInput
from .folder import find_holder, has_python, open_folder
from .layout import HOLDERS, Notes, printable
from .reasons import found_in
from .steps import count

VERSION_FILES = ("_version.py", "version.py", "__init__.py")
VERSION_NAMES = ("__version__", "version")


class Store(Protocol):
    """Where the files lie. Paths are POSIX and begin with the package."""

    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def noted(self) -> Notes: ...
    @property
    def revision(self) -> str | None: ...
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
    _searches: dict[tuple[bytes, ...], str] = field(default_factory=dict, repr=False, compare=False)
    _asked: set[str] = field(default_factory=set, repr=False, compare=False)

    @property
    def revision(self) -> str | None:
        """The git revision that the files are from, as the user wrote it; None of a folder or an archive."""
        return self._store.revision

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def read(self, path: str) -> bytes:
        """The content of one of ``files``. OSError where there is no such file or it cannot be read."""
        self._asked.add(path)
        count("files read", (self.root, path))
        return self._content(path)

    def _content(self, path: str) -> bytes:
        data = self._cache.get(path)
        if data is not None:
            return data
        if path not in self._known:
            raise FileNotFoundError(f"no {path} in {self.root}")
        return self._store.read(path)

    def printed(self, path: str) -> str:
        """The path as reports show it: relative to the working directory, or ``archive.whl/sglang/…``."""
        return self._store.printed(path)

    def grep(self, words: tuple[bytes, ...], of_what: str = "") -> tuple[str, ...]:
        """The files whose bytes contain one of the words. Hits stay in memory, for they are parsed next, and so does the answer; a file
        that cannot be read is noted. ``of_what`` says what the words are, for those who ask why a file was read."""
        self._searches[words] = self._searches.pop(words, of_what)  # the last search comes last
        if words in self._hits:
            return self._hits[words]
        count("searches")
        hits = []
        for path in self.files:
            try:
                data = self._content(path)
            except OSError as error:
                self._note_unreadable(path, error)
                continue
            if any(word in data for word in words):
                self._cache[path] = data
                hits.append(path)
        return self._hits.setdefault(words, tuple(hits))

    def found_by(self, path: str) -> str | None:
        """What the last search looked for that has found a file; None where none has."""
        for words, of_what in reversed(self._searches.items()):
            if path in self._hits.get(words, ()):
                data = self._content(path)
                return next((found_in(word.decode(), of_what) for word in words if word in data), None)
        return None

    def answers_like(self, other: SourceTree) -> bool:
        """Whether all that has been asked of this tree has the same answer in the other: the list of files, each content that was read, and
        which files have a word. Whoever asked does the same with the other."""
        if self.files != other.files:
            return False
        try:
            changed = [path for path in self.files if self._content(path) != other._content(path)]
            return not any(path in self._asked or self._reads_otherwise(path, other) for path in changed)
        except OSError:
            return False

    def _reads_otherwise(self, path: str, other: SourceTree) -> bool:
        sides = self._content(path), other._content(path)
        return any(len({any(word in data for word in words) for data in sides}) > 1 for words in self._hits)

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


def find_package(argument: str, packages: Sequence[str]) -> str:
    """Which of these packages the source has: of several the one that is in it or nearest above it, then the first. BadInput where it has
    none, and could have one."""
    if len(packages) < 2 or not argument or "\0" in argument:
        return packages[0]
    if os.path.isdir(argument):
        start = Path(os.path.abspath(argument))
        holders = {package: holder for package in packages if (holder := find_holder(start, package)) is not None}
        inside = [package for package, holder in holders.items() if (holder / package).is_relative_to(start)]
        nearest = sorted(holders, key=lambda package: -len(holders[package].parts))
        found = next(iter((*inside, *nearest)), None)
    else:
        found = next((package for package in packages if _opens(argument, package)), None)
    if found is not None or (os.path.isdir(argument) and not os.listdir(argument)):
        return found or packages[0]
    if os.path.isdir(argument):
        raise BadInput(f"{printable(argument)}: no package {' or '.join(packages)} in it; give the folder that holds one, or one inside it")
    return packages[0]


def packages_in(argument: str) -> list[str]:
    """The folders with Python files at the places where a package of a folder may lie."""
    found: list[str] = []
    for holder in (os.path.join(argument, name) for name in HOLDERS) if os.path.isdir(argument) else ():
        if os.path.isdir(holder):
            found += [name for name in sorted(os.listdir(holder)) if not name.startswith(".") and has_python(Path(holder, name))]
    own = os.path.basename(os.path.abspath(argument))
    return [*found, own] if os.path.isdir(argument) and own not in found else found


def _opens(argument: str, package: str) -> bool:
    try:
        _open_store(argument, package)
    except BadInput:
        return False
    return True


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
    if ":" in argument:
        from .revision import is_revision, open_revision

        if is_revision(argument):
            return open_revision(argument, package)
    from .installed import find_installed  # the imports of the rarer kinds cost as much as reading a small tree

    folder = find_installed(argument, package)
    if folder is None:
        shown = printable(argument)
        raise BadInput(f"{shown}: no such file, folder or revision, nor an installed package with {package} in it; give one of them")
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
