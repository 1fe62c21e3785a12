"""Texts of a drawing that every format has: the lines beside an arrow, and links that lead to a file and nowhere else."""
from __future__ import annotations

import os
from urllib.parse import quote

from .chart import Link, Spot
from .escape import terminal
from .results import Location
from .wrapping import wrapped

NOTE_WIDTH = 36
MOST_LINES = 6
LONGEST_FOLDER = 26
LONGEST_HINT = 300
LONGEST_PRINT = 6000
"""Of a line of small print, which may list many names."""
SMALL_WIDTH = 1.2
"""So many more characters fit into a line of small print than into one of a title."""


def link_to(at: Location, folder: str) -> str:
    """A relative link to a line, for a picture that lies in ``folder``. No scheme gets through: colons are escaped, and the link begins
    with a dot."""
    try:
        path = os.path.relpath(at.file, folder or ".").replace(os.sep, "/")
    except ValueError:  # another drive, or a null byte
        path = at.file
    safe = quote(path, safe="/", errors="replace")
    return f"{safe if safe.startswith('../') else './' + safe.lstrip('/')}#L{at.line}"


def file_lines(file: str) -> tuple[str, str]:
    """The title of a file's part of a drawing: the end of its folder, and its name."""
    folder, _, name = terminal(file).rpartition("/")
    shown = folder
    while len(shown) > LONGEST_FOLDER and "/" in shown:
        shown = shown.partition("/")[2]
    return shown if shown == folder else f"…/{shown}", name


def short_place(at: Location) -> str:
    """A place by the name of its file, where the folder is told elsewhere."""
    return f"{terminal(at.file).rpartition('/')[2]}:{at.line}"


def note_lines(link: Link) -> tuple[str, ...]:
    """The lines beside an arrow: its notes as far as there is room, and what it rests on."""
    lines = [line for note in link.notes for line in wrapped(note, NOTE_WIDTH)]
    more = ["…"] * (len(lines) > MOST_LINES)
    assumed = (line for name in link.assumptions for line in wrapped(f"assumes {name}", NOTE_WIDTH))
    return (*lines[:MOST_LINES], *more, *assumed)


def box_lines(spot: Spot, wide: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The lines of a box: what it is, its title, its code, and the small print, of which more goes into a line."""
    narrow = int(wide * SMALL_WIDTH)
    small = tuple(line for text in spot.small for line in wrapped(text, narrow, LONGEST_PRINT))
    return wrapped(spot.word, narrow), wrapped(spot.title, wide), wrapped(spot.code, wide), small
