"""A source that is a git revision, ``REV:FOLDER`` as git writes it: read from the object store, whatever the work tree holds."""
from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .errors import BadInput
from .layout import HOLDERS, LARGEST_FILE, LARGEST_TEXT, MEBIBYTE, MOST_ENTRIES, Notes, choose_holder, is_left_out, is_odd, printable
from .repository import Blobs, Entry, entries_of, split_revision, tree_of

METADATA_NAMES = ("PKG-INFO", "pyproject.toml")
LONGEST_LINK = 4096
"""Bytes of what a link says: a path is no longer."""
REQUIREMENTS = ("pyproject.toml", "setup.py")


@dataclass(frozen=True, slots=True)
class Revision:
    """The Python files of one package in a revision, below ``holder``. ``name`` is the revision as the user wrote it."""

    name: str
    holder: str
    package: str
    files: tuple[str, ...]
    entries: Mapping[str, Entry]
    noted: Notes
    blobs: Blobs = field(default_factory=Blobs)

    @property
    def revision(self) -> str:
        return self.name

    def read(self, path: str) -> bytes:
        return self._content(_joined(self.holder, path))

    def printed(self, path: str) -> str:
        return f"{self.name}:{_joined(self.holder, path)}"

    def metadata(self) -> Iterator[tuple[str, bytes]]:
        """Files beside the package, or above it, that may name its version."""
        for folder in dict.fromkeys((self.holder, posixpath.dirname(self.holder))):
            for name in METADATA_NAMES:
                if (path := _joined(folder, name)) in self.entries:
                    yield name, self._content(path)

    def requirements(self) -> Iterator[tuple[str, bytes]]:
        """Files in or beside the package that may say which other packages it asks for, each with its printed place."""
        for folder in (_joined(self.holder, self.package), self.holder):
            for path in sorted(self.entries):
                if posixpath.dirname(path) == folder and _asks(posixpath.basename(path)):
                    yield f"{self.name}:{path}", self._content(path)

    def _content(self, path: str) -> bytes:
        entry = self.entries.get(path)
        if entry is None:
            raise FileNotFoundError(f"no {path} in {self.name}")
        return self.blobs.read(entry.blob)


def is_revision(argument: str) -> bool:
    """Whether an argument, which is no path, names a folder of a revision that this repository has."""
    revision, folder = split_revision(argument)
    return folder is not None and tree_of(revision) is not None


def open_revision(argument: str, package: str) -> Revision:
    """Find the package in or around the folder that is named; BadInput where there is none."""
    name, folder = split_revision(argument)
    shown, tree = printable(argument), tree_of(name)
    if tree is None or folder is None:
        raise BadInput(f"{shown}: no such revision in this repository; fetch it, or name another")
    start = posixpath.normpath(folder) if folder not in ("", ".") else ""
    notes = Notes()
    entries = _wanted(tree, printable(name), notes)
    holder = _find_holder(entries, start, package)
    if holder is None:
        raise BadInput(f"{shown}: no package {package} in it; give the folder that holds {package}/, as in REV:python")
    inner = _joined(holder, package) + "/"
    below = len(inner) - len(package) - 1
    files = tuple(sorted(path[below:] for path in entries if path.startswith(inner) and path.endswith(".py")))
    return Revision(printable(name), holder, package, files, entries, notes)


def _wanted(tree: str, name: str, notes: Notes) -> dict[str, Entry]:
    """The files that count; a link to one of them stands for it."""
    found: dict[str, Entry] = {}
    links: list[Entry] = []
    total = 0
    for number, entry in enumerate(entries_of(tree)):
        if number > MOST_ENTRIES:
            raise BadInput(f"{name}: more than {MOST_ENTRIES} files; unpack the package and give its folder")
        *folders, last = entry.path.split("/")
        if not _counts(folders, last):
            continue
        if entry.kind == "link":
            links.append(entry)
        elif is_odd(entry.path):
            notes.add(f"{name}:{entry.path}", "its name has characters that cannot be printed")
        elif entry.size > LARGEST_FILE:
            notes.add(f"{name}:{entry.path}", f"larger than {LARGEST_FILE // MEBIBYTE} MiB")
        elif entry.kind == "file":
            found[entry.path] = entry
            total += entry.size
    if total > LARGEST_TEXT:
        raise BadInput(f"{name}: its Python files are larger than {LARGEST_TEXT // MEBIBYTE} MiB together; give the package's own folder")
    return {**found, **_followed(links, found, name, notes)}


def _counts(folders: list[str], last: str) -> bool:
    return (last.endswith(".py") or last in METADATA_NAMES or _asks(last)) and not any(map(is_left_out, folders))


def _asks(name: str) -> bool:
    """Whether a file may say which other packages are asked for."""
    return name in REQUIREMENTS or (name.startswith("requirements") and name.endswith(".txt"))


def _followed(links: list[Entry], found: Mapping[str, Entry], name: str, notes: Notes) -> dict[str, Entry]:
    """What the links to files come to, as far as they lead to a file that counts."""
    blobs, followed = Blobs(), {}
    for link in (each for each in links if each.size <= LONGEST_LINK):
        target = blobs.read(link.blob).decode("utf-8", "surrogateescape")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(link.path), target))
        if target.startswith("/") or path not in found:
            notes.add(f"{name}:{link.path}", "a link that leaves the source, or leads to no file, is not followed")
        else:
            followed[link.path] = found[path]
    return followed


def _find_holder(entries: Mapping[str, Entry], start: str, package: str) -> str | None:
    """The folder that holds the package's folder, looking at the folder itself, below it and then above it."""
    python = [path for path in entries if path.endswith(".py")]

    def has_python(folder: str) -> bool:
        return any(path.startswith(f"{folder}/") for path in python)

    def has_init(folder: str) -> bool:
        return f"{folder}/__init__.py" in entries

    if posixpath.basename(start) == package and has_init(start):
        return posixpath.dirname(start)
    inner = (*HOLDERS, *(f"{package}/{name}".rstrip("/") for name in HOLDERS))
    below = {name: has_init(_joined(_joined(start, name), package)) for name in inner if has_python(_joined(_joined(start, name), package))}
    if (chosen := choose_holder(below)) is not None:
        return _joined(start, chosen)
    folder = start
    while folder:
        if posixpath.basename(folder) == package:
            return posixpath.dirname(folder) if has_init(folder) or has_python(start) else None
        folder = posixpath.dirname(folder)
    return None


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder and path else folder or path
