"""Rules that are ignored in some files, by patterns of their paths: ``per-path-ignores``."""
from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .judging import Judged, SetAside
from .rule import Finding


@dataclass(frozen=True, slots=True)
class PathIgnore:
    """Rules, by their codes, that are ignored in the files below ``folder`` that ``pattern`` names."""

    folder: str
    pattern: str
    codes: frozenset[str]


def without_ignored(judged: Judged, ignores: Sequence[PathIgnore]) -> Judged:
    """The findings but for those whose place is ignored."""
    kept: list[Finding] = []
    aside = list(judged.aside)
    for finding in judged.findings:
        found = next((each for each in ignores if finding.code in each.codes and is_named(each, finding.at.file)), None)
        if found is None:
            kept.append(finding)
        else:
            aside.append(SetAside(finding, "path", found.pattern))
    return Judged(tuple(kept), tuple(aside))


def is_named(ignore: PathIgnore, printed: str) -> bool:
    """Whether the pattern names a file: by its path from the folder; a pattern without a slash by the name alone, anywhere."""
    path = relative(printed, ignore.folder)
    if "/" not in ignore.pattern.rstrip("/"):
        path = path if ignore.pattern.endswith("/") else path.rpartition("/")[2]
    return re.fullmatch(as_regex(ignore.pattern), path, re.DOTALL) is not None


def as_regex(pattern: str) -> str:
    """``*`` and ``?`` stop at a slash and ``**`` does not; what ends in a slash names all below the folder."""
    meant = f"{pattern}**" if pattern.endswith("/") else pattern
    return "".join(_WILD.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", meant.removeprefix("./")))


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def relative(printed: str, folder: str) -> str:
    """A printed path as seen from a folder."""
    try:
        return os.path.relpath(os.path.abspath(printed), os.path.abspath(folder)).replace(os.sep, "/")
    except ValueError:  # another drive on Windows
        return printed
