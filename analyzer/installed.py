"""A source that is an installed package: located by its files and metadata, never imported and no finder is asked."""
from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from urllib.parse import unquote, urlsplit

from .layout import HOLDERS

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def find_installed(name: str, package: str) -> str | None:
    """The folder of ``package`` as installed by the distribution called ``name``; for the package's own name also a
    folder of that name on ``sys.path``."""
    if not NAME.fullmatch(name):
        return None
    places: Iterator[str] = _from_distribution(name, package)
    if _same(name, package):
        places = iter((*_on_path(package), *places))
    return next(places, None)


def _same(name: str, other: str) -> bool:
    return re.sub(r"[-_.]+", "-", name).lower() == re.sub(r"[-_.]+", "-", other).lower()


def _on_path(package: str) -> Iterator[str]:
    for entry in sys.path:
        folder = os.path.join(entry or os.curdir, package)
        if os.path.isfile(os.path.join(folder, "__init__.py")):
            yield os.path.abspath(folder)


def _from_distribution(name: str, package: str) -> Iterator[str]:
    try:
        distribution = metadata.distribution(name)
        files = distribution.files or []
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return
    for file in files:
        if file.parts[0] == package and file.suffix == ".py":
            yield from _existing([os.path.abspath(str(distribution.locate_file(package)))])
            break
    checkout = _editable_folder(distribution.read_text("direct_url.json"))
    if checkout is not None:
        yield from _existing([os.path.join(checkout, holder, package) for holder in HOLDERS])
    for file in files:
        if file.suffix == ".pth":
            yield from _existing([os.path.join(line, package) for line in _pth_lines(str(distribution.locate_file(file)))])


def _existing(folders: list[str]) -> list[str]:
    return [os.path.normpath(folder) for folder in folders if os.path.isdir(folder)]


def _editable_folder(text: str | None) -> str | None:
    """The checkout that an editable install points to (PEP 610)."""
    try:
        origin = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(origin, dict) or not isinstance(origin.get("url"), str) or "dir_info" not in origin:
        return None
    parts = urlsplit(origin["url"])
    return unquote(parts.path) if parts.scheme == "file" else None


def _pth_lines(path: str) -> list[str]:
    """The folders that a ``.pth`` file adds; its ``import`` lines are code and are not looked at."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            lines = [line.strip() for line in stream.read(1 << 20).splitlines()]
    except OSError:
        return []
    return [line for line in lines if line and not line.startswith(("#", "import ", "import\t"))]
