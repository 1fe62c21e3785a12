"""A source that is an archive: a wheel, a zip or a tar, read in place. Nothing is written to disk.

An archive is untrusted. Entries outside the root, links and over-large files are left out with a note; an archive that
unfolds beyond all measure is refused.
"""
from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, cast

from .errors import BadInput
from .layout import (
    HOLDERS,
    LARGEST_FILE,
    LARGEST_TEXT,
    MEBIBYTE,
    MOST_ENTRIES,
    Notes,
    choose_holder,
    is_left_out,
    is_odd,
    printable,
    printed_path,
)

ARCHIVE_ENDINGS = (".whl", ".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
LARGEST_STREAM = 2048 * MEBIBYTE
"""A tar has to be unpacked from its beginning to its end, whatever else is in it."""
HIGHEST_RATIO = 200
"""Source text shrinks to a fifth, a bomb to a thousandth."""
RATIO_FROM = 2 * MEBIBYTE
INNER_HOLDERS = (*HOLDERS, "purelib", "platlib")
METADATA_NAMES = ("METADATA", "PKG-INFO", "pyproject.toml")
REQUIREMENTS = frozenset({"METADATA", "PKG-INFO", "pyproject.toml", "setup.py"})
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
)  # fmt: skip
"""What the standard library raises on archives that are damaged, encrypted or of an unknown kind."""


class _Refused(Exception):
    """The archive unfolds beyond a bound."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The Python files of one package inside an archive, below ``holder`` (empty in a wheel). ``members`` holds the entries
    that count by their full name: the text itself for a tar, which cannot be read out of order."""

    place: str
    holder: str
    package: str
    files: tuple[str, ...]
    members: Mapping[str, zipfile.ZipInfo | bytes]
    zipped: zipfile.ZipFile | None
    noted: Notes

    @property
    def revision(self) -> None:
        return None

    def read(self, path: str) -> bytes:
        return self._content(_joined(self.holder, path))

    def printed(self, path: str) -> str:
        return _joined(self.place, _joined(self.holder, path))

    def metadata(self) -> Iterator[tuple[str, bytes]]:
        """Files at the top of the archive or beside the package that may name its version, the surest first."""
        for wanted in METADATA_NAMES:
            for name in sorted(self.members):
                if PurePosixPath(name).name == wanted:
                    yield wanted, self._content(name)

    def requirements(self) -> Iterator[tuple[str, bytes]]:
        """Files that may say which other packages this one asks for, each with its printed place."""
        for name in sorted(self.members):
            last = PurePosixPath(name).name
            if last in REQUIREMENTS or (last.startswith("requirements") and last.endswith(".txt")):
                yield _joined(self.place, name), self._content(name)

    def _content(self, name: str) -> bytes:
        member = self.members.get(name)
        if isinstance(member, bytes):
            return member
        if member is None or self.zipped is None:
            raise FileNotFoundError(f"no {name} in {self.place}")
        try:
            return self.zipped.read(member)
        except BROKEN as error:
            raise OSError(f"damaged in the archive ({printable(str(error))})") from error


def is_archive(path: str) -> bool:
    return path.lower().endswith(ARCHIVE_ENDINGS) or zipfile.is_zipfile(path)


def open_archive(argument: str, package: str | None, *, keep_absolute: bool) -> Archive:
    """Read the list of entries (of a tar: all Python files) and find the package, the largest one where none is named; BadInput where
    that fails."""
    shown = printable(argument)
    place = printed_path(os.path.abspath(argument), keep_absolute=keep_absolute)
    notes = Notes()
    zipped: zipfile.ZipFile | None = None
    try:
        if zipfile.is_zipfile(argument):
            zipped = zipfile.ZipFile(argument)
        members = _zip_members(zipped, place, notes) if zipped else _tar_members(argument, place, notes)
    except _Refused as error:
        raise BadInput(f"{shown}: {error}; unpack it yourself and give the folder if you trust it") from error
    except PermissionError as error:
        raise BadInput(f"{shown}: cannot be read ({error.strerror}); check its permissions") from error
    except BROKEN as error:
        why = printable(str(error)) or type(error).__name__
        raise BadInput(f"{shown}: not an archive that can be read ({why}); fetch it again or give the unpacked folder") from error
    package = package if package is not None else _largest_package(members)
    holder = _find_holder(members, package)
    if holder is None:
        raise BadInput(f"{shown}: no package {package} in this archive; give an archive of {package}")
    inner = _joined(holder, package) + "/"
    files = tuple(sorted(name[len(inner) - len(package) - 1 :] for name in members if name.startswith(inner) and name.endswith(".py")))
    return Archive(place, holder, package, files, members, zipped, notes)


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder and path else folder or path


def _largest_package(members: Mapping[str, object]) -> str:
    """The package with most files that stands at the top, or in a folder at the top."""
    counted: Counter[str] = Counter()
    for name in members:
        folders = name.split("/")[:-1]
        inner = next((each for depth, each in enumerate(folders[:3]) if "/".join((*folders[: depth + 1], "__init__.py")) in members), None)
        counted.update([inner or folders[0]] if folders and name.endswith(".py") else [])
    return max(counted, key=lambda each: (counted[each], each), default="")


def _find_holder(members: Mapping[str, object], package: str) -> str | None:
    """The folder that holds the package: none, ``python``, ``sglang-0.5.9`` or ``sglang-0.5.9/python``."""
    candidates: dict[str, bool] = {}
    for name in members:
        *folders, _ = name.split("/")
        if name.endswith(".py"):
            for depth in (depth for depth, folder in enumerate(folders[:3]) if folder == package):
                if depth < 2 or folders[1] in INNER_HOLDERS:
                    holder = "/".join(folders[:depth])
                    candidates[holder] = f"{_joined(holder, package)}/__init__.py" in members
    return choose_holder(candidates)


def _clean(name: str) -> str | None:
    """The entry's name without ``./``; None where it would lead out of the archive."""
    if name.startswith("/") or "\\" in name or ":" in name.split("/", 1)[0]:
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts)


def _is_wanted(name: str) -> bool:
    *folders, last = name.split("/")
    if last in METADATA_NAMES:
        return len(folders) <= 2
    return last.endswith(".py") and not any(map(is_left_out, folders))


@dataclass(slots=True)
class _Gate:
    """Decides entry by entry what is read, and keeps count."""

    place: str
    notes: Notes
    entries: int = 0
    text: int = 0

    def admit(self, raw_name: str, size: int, *, is_regular: bool, is_link: bool) -> str | None:
        """The clean name of an entry that is to be read."""
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            raise _Refused(f"it has more than {MOST_ENTRIES} entries")
        name = _clean(raw_name)
        why = None
        if name is None:
            why = "an entry that leads out of the archive"
        elif is_link:
            why = "a link in an archive is not followed"
        elif not is_regular or not _is_wanted(name):
            return None
        elif is_odd(name):
            why = "its name has characters that cannot be printed"
        elif size > LARGEST_FILE:
            why = f"larger than {LARGEST_FILE // MEBIBYTE} MiB"
        if why is not None:
            self.notes.add(f"{self.place}/{raw_name}", why)
            return None
        self.text += size
        if self.text > LARGEST_TEXT:
            raise _Refused(f"its Python files are larger than {LARGEST_TEXT // MEBIBYTE} MiB together")
        return name


def _zip_members(zipped: zipfile.ZipFile, place: str, notes: Notes) -> dict[str, zipfile.ZipInfo | bytes]:
    gate = _Gate(place, notes)
    members: dict[str, zipfile.ZipInfo | bytes] = {}
    entries = zipped.infolist()
    if sum(entry.compress_size for entry in entries) > os.path.getsize(cast(str, zipped.filename)):
        raise _Refused("its entries overlap, which only a zip bomb does")
    for entry in entries:
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        name = gate.admit(entry.filename, entry.file_size, is_regular=not entry.is_dir(), is_link=is_link)
        if name is None:
            continue
        if entry.file_size > RATIO_FROM and entry.file_size > HIGHEST_RATIO * entry.compress_size:
            raise _Refused(f"{printable(name)} unfolds to more than {HIGHEST_RATIO} times its size")
        members[name] = entry
    return members


def _tar_members(path: str, place: str, notes: Notes) -> dict[str, zipfile.ZipInfo | bytes]:
    gate = _Gate(place, notes)
    members: dict[str, zipfile.ZipInfo | bytes] = {}
    with open(path, "rb") as raw, closing(_unpacked(raw)) as stream, tarfile.open(fileobj=_Bounded(stream, raw), mode="r|") as archive:
        for entry in archive:
            is_regular = entry.isreg() and not entry.issparse()
            name = gate.admit(entry.name, entry.size, is_regular=is_regular, is_link=entry.issym() or entry.islnk())
            content = archive.extractfile(entry) if name is not None else None
            if name is not None and content is not None:
                members[name] = content.read()
    return members


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    magic = raw.read(6)
    raw.seek(0)
    if magic.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if magic.startswith(b"BZh"):
        return cast(IO[bytes], bz2.BZ2File(raw))
    if magic.startswith(b"\xfd7zXZ\x00"):
        return cast(IO[bytes], lzma.LZMAFile(raw))
    return io.BufferedReader(cast(io.RawIOBase, raw))


class _Bounded(io.RawIOBase):
    """A stream that refuses to unfold beyond the bounds."""

    def __init__(self, stream: IO[bytes], raw: IO[bytes]) -> None:
        self._stream, self._raw, self._total = stream, raw, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._total += len(data)
        if self._total > LARGEST_STREAM:
            raise _Refused(f"it unfolds to more than {LARGEST_STREAM // MEBIBYTE} MiB")
        if self._total > RATIO_FROM and self._total > HIGHEST_RATIO * self._raw.tell():
            raise _Refused(f"it unfolds to more than {HIGHEST_RATIO} times its size")
        return data
