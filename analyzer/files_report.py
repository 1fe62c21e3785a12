"""The files that were read, and why: folder by folder, for those who want all details."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from .reasons import FileRead
from .text import Line, Span, line

WIDEST_NAME = 40


def files_report(files: Sequence[FileRead]) -> Iterator[Line]:
    """A line for each file, below the folder that it is in."""
    if not files:
        return
    yield line()
    yield line(Span("Files read", "bold"), f": {len(files)}")
    for folder, of_folder in groupby(sorted(files, key=parts), lambda each: parts(each)[0]):
        there = list(of_folder)
        width = min(max(len(parts(each)[1]) for each in there), WIDEST_NAME)
        yield line(f"  {folder or '.'}/")
        yield from (line(f"    {parts(each)[1]:{width}}  ", Span(each.reason, "dim")) for each in there)


def parts(file: FileRead) -> tuple[str, str]:
    """The folder and the name."""
    folder, _, name = file.file.rpartition("/")
    return folder, name
