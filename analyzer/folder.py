"""A source that is a folder on disk: above, at or below the package."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import BadInput
from .layout import HOLDERS, LARGEST_FILE, MOST_ENTRIES, Notes, choose_holder, is_left_out, is_odd, printable, printed_path

PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Folder:
    """The Python files of one package below ``holder`` (an absolute path)."""

    holder: str
    package: str
    files: tuple[str, ...]
    keep_absolute: bool
    noted: Notes

    @property
    def revision(self) -> None:
        return None

    def read(self, path: str) -> bytes:
        with open(os.path.join(self.holder, path), "rb", buffering=0) as stream:
            data: bytes = stream.readall()
        if len(data) > LARGEST_FILE:
            raise OSError(f"it has grown beyond {LARGEST_FILE >> 20} MiB")
        return data

    def printed(self, path: str) -> str:
        return printed_path(os.path.join(self.holder, path) if path else self.holder, keep_absolute=self.keep_absolute)

    def metadata(self) -> Iterator[tuple[str, bytes]]:
        """Files beside the package that may name its version, the surest first."""
        names = [self.package, self.package.replace("_", "-")]
        holder = Path(self.holder)
        for pattern in (f"{name}-*.dist-info/METADATA" for name in names):
            yield from self._contents(sorted(holder.glob(pattern)))
        yield from self._contents([holder / f"{name}.egg-info" / "PKG-INFO" for name in names])
        yield from self._contents([folder / name for folder in (holder, holder.parent) for name in ("PKG-INFO", "pyproject.toml")])

    def requirements(self) -> Iterator[tuple[str, bytes]]:
        """Files in or beside the package that may say which other packages it asks for, each with its printed place."""
        package = Path(self.holder) / self.package
        names = ("*.dist-info/METADATA", "*.egg-info/PKG-INFO", "pyproject.toml", "requirements*.txt", "requirements/*.txt", "setup.py")
        for folder in dict.fromkeys((package, Path(self.holder))):
            for path in (path for pattern in names for path in sorted(folder.glob(pattern))):
                for _, content in self._contents([path]):
                    yield printed_path(os.fspath(path), keep_absolute=self.keep_absolute), content

    def _contents(self, paths: list[Path]) -> Iterator[tuple[str, bytes]]:
        for path in paths:
            try:
                if path.is_file() and path.stat().st_size <= LARGEST_FILE:
                    yield path.name, path.read_bytes()
            except OSError:
                continue


def open_folder(argument: str, package: str, *, keep_absolute: bool) -> Folder:
    """Find the package around the folder and list its files; BadInput where there is none."""
    start = os.path.abspath(argument)
    try:
        if not os.listdir(start):
            raise BadInput(f"{printable(argument)}: the folder is empty; give one that holds the package {package}")
    except OSError as error:
        raise BadInput(f"{printable(argument)}: cannot be read ({error.strerror}); check its permissions") from error
    holder = find_holder(Path(start), package)
    if holder is None:
        raise BadInput(f"{printable(argument)}: no package {package} in it; give the folder that holds {package}/, or one inside it")
    notes = Notes()
    boundaries = (os.path.realpath(holder), os.path.realpath(holder / package))
    files = _Walk(os.fspath(holder), boundaries, keep_absolute, notes).run(package)
    if not files:
        raise BadInput(f"{printable(argument)}: its folder {package}/ holds no Python file that can be read; give another")
    return Folder(os.fspath(holder), package, files, keep_absolute, notes)


def open_any_folder(argument: str, *, keep_absolute: bool) -> Folder:
    """The files of a folder that need not be a package, under its own name; BadInput where it holds no Python file."""
    start = Path(os.path.abspath(argument))
    notes = Notes()
    boundaries = (os.path.realpath(start), os.path.realpath(start))
    files = _Walk(os.fspath(start.parent), boundaries, keep_absolute, notes).run(start.name)
    if not files:
        raise BadInput(f"{printable(argument)}: no Python file in it; give the folder that holds the trainer")
    return Folder(os.fspath(start.parent), start.name, files, keep_absolute, notes)


def find_holder(start: Path, package: str) -> Path | None:
    """The folder that holds the package's folder, looking at the folder itself, below it and then above it."""
    if start.name == package and (start / "__init__.py").is_file():
        return start.parent
    below = _holder_below(start, package)
    if below is not None:
        return start / below
    for path in dict.fromkeys((start, Path(os.path.realpath(start)))):
        for folder in (path, *path.parents):
            if folder.name == package:
                return folder.parent if _is_package(folder, start) else None
    return None


def _holder_below(start: Path, package: str) -> str | None:
    inside = os.path.realpath(start)
    candidates: dict[str, bool] = {}
    for holder in (*HOLDERS, *(f"{package}/{name}".rstrip("/") for name in HOLDERS)):
        folder = start / holder / package
        if folder.is_dir() and _is_within(os.path.realpath(folder), inside) and has_python(folder):
            candidates[holder] = (folder / "__init__.py").is_file()
    return choose_holder(candidates)


def _is_package(folder: Path, start: Path) -> bool:
    """Whether a folder that is called like the package is the package, and not a checkout or a working folder of that name."""
    if (folder / "__init__.py").is_file():
        return True
    return not any((folder / mark).exists() for mark in PROJECT_MARKS) and has_python(start)


def has_python(folder: Path) -> bool:
    """Whether there is a Python file anywhere below the folder."""
    for _, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not is_left_out(name)]
        if any(name.endswith(".py") for name in names):
            return True
    return False


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


@dataclass(slots=True)
class _Walk:
    """Lists the Python files. Folders that are links come last and only if nothing walked them under their own name, so every
    real folder is listed once and cycles end."""

    holder: str
    boundaries: tuple[str, str]
    keep_absolute: bool
    notes: Notes
    entries: int = 0

    def run(self, package: str) -> tuple[str, ...]:
        found: list[str] = []
        walked: set[str] = set()
        pending = self._below(package, found, walked)
        while pending:
            link, *pending = pending
            if os.path.realpath(os.path.join(self.holder, link)) in walked:
                self._note(link, "a link to a folder that is read under another name")
            else:
                pending += self._below(link, found, walked)
        return tuple(sorted(found))

    def _below(self, top: str, found: list[str], walked: set[str]) -> list[str]:
        """Lists what is below one folder, and returns the links to folders met there."""
        pending, links = [top], []
        while pending:
            folder = pending.pop()
            real = os.path.realpath(os.path.join(self.holder, folder))
            if real in walked:
                continue
            walked.add(real)
            for entry in self._entries(folder):
                path = f"{folder}/{entry.name}"
                match self._kind(entry, path):
                    case "file":
                        found.append(path)
                    case "folder":
                        pending.append(path)
                    case "link":
                        links.append(path)
                    case _:
                        continue
        return sorted(links)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(os.path.join(self.holder, folder)) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._note(folder, f"cannot be read ({error.strerror})")
            return []
        self.entries += len(listed)
        if self.entries > MOST_ENTRIES:
            raise BadInput(f"{self._printed(folder)}: more than {MOST_ENTRIES} files and folders; give the package's own folder")
        return listed

    def _kind(self, entry: os.DirEntry[str], path: str) -> str | None:
        """What an entry is to the walk: a Python file, a folder, a link to a folder; None is left out."""
        is_python = entry.name.endswith(".py")
        try:
            if entry.is_symlink():
                return self._linked_kind(path, is_python=is_python)
            if entry.is_dir():
                return None if is_left_out(entry.name) else "folder"
            if not is_python:
                return None
            return "file" if self._is_readable(path, entry.stat()) else None
        except OSError as error:
            self._note(path, f"cannot be read ({error.strerror})")
            return None

    def _linked_kind(self, path: str, *, is_python: bool) -> str | None:
        full = os.path.join(self.holder, path)
        target = os.path.realpath(full)
        if not any(_is_within(target, boundary) for boundary in self.boundaries):
            if is_python or os.path.isdir(full):
                self._note(path, "a link that leaves the source is not followed")
            return None
        if os.path.isdir(target):
            return None if is_left_out(os.path.basename(path)) else "link"
        if not is_python:
            return None
        return "file" if self._is_readable(path, os.stat(full)) else None

    def _is_readable(self, path: str, status: os.stat_result) -> bool:
        if not stat.S_ISREG(status.st_mode):
            self._note(path, "not a regular file")
        elif status.st_size > LARGEST_FILE:
            self._note(path, f"larger than {LARGEST_FILE >> 20} MiB")
        elif is_odd(path):
            self._note(path, "its name has characters that cannot be printed")
        else:
            return True
        return False

    def _note(self, path: str, why: str) -> None:
        self.notes.add(self._printed(path), why)

    def _printed(self, path: str) -> str:
        return printed_path(os.path.join(self.holder, path), keep_absolute=self.keep_absolute)
