"""Texts of a picture: short enough to be read, and links that lead to a file and nowhere else."""
from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from .escape import clipped, terminal
from .picture import Arrow, Box, Picture
from .results import Location

LONGEST_LABEL = 44
LONGEST_NOTE = 36
LONGEST_FOLDER = 26
LONGEST_HINT = 300
MOST_NOTES = 3


def link(at: Location, folder: str) -> str:
    """A relative link to a line, for a picture that lies in ``folder``. No scheme gets through: colons are escaped, and the link begins
    with a dot."""
    try:
        path = os.path.relpath(at.file, folder or ".").replace(os.sep, "/")
    except ValueError:  # another drive, or a null byte
        path = at.file
    safe = quote(path, safe="/", errors="replace")
    return f"{safe if safe.startswith('../') else './' + safe.lstrip('/')}#L{at.line}"


def file_lines(file: str) -> tuple[str, str]:
    """The title of a file's part of the picture: the end of its folder, and its name."""
    folder, _, name = terminal(file).rpartition("/")
    shown = folder
    while len(shown) > LONGEST_FOLDER and "/" in shown:
        shown = shown.partition("/")[2]
    return clipped(shown if shown == folder else f"…/{shown}", LONGEST_LABEL), clipped(name, LONGEST_LABEL)


def small_print(box: Box) -> str:
    """The line below a box's label: where it is."""
    symbol = clipped(box.symbol, LONGEST_LABEL - 10)
    return f"{symbol} · line {box.at.line}" if symbol else f"line {box.at.line}"


def box_hint(box: Box) -> str:
    """What a box tells when it is pointed at: all of its label, its place, and the calls that led to it."""
    several = f" · {len(box.contexts)} ways lead here" if len(box.contexts) > 1 else ""
    return f"{box.kind}: {clipped(box.label, LONGEST_HINT)} · {terminal(str(box.at))}{several}"


def arrow_lines(arrow: Arrow) -> tuple[str, ...]:
    """The lines beside an arrow."""
    notes = [clipped(note, LONGEST_NOTE) for note in arrow.notes[:MOST_NOTES]]
    more = ["…"] * (len(arrow.notes) > MOST_NOTES)
    return (*notes, *more, *(clipped(f"assumes {name}", LONGEST_NOTE) for name in arrow.assumptions))


def arrow_hint(arrow: Arrow) -> str:
    """What an arrow tells when it is pointed at."""
    told = (*arrow.notes, *(f"assumes {name}" for name in arrow.assumptions))
    return " · ".join([*(clipped(text, LONGEST_HINT) for text in told), *map(terminal, _some(arrow.places))])


def title_lines(shown: Picture, legend: str) -> tuple[str, str, str]:
    """The title of a picture, the legend below it, and what a reader must know of it."""
    counted = f" · {len(shown.boxes)} of {shown.places} places" if len(shown.boxes) < shown.places else ""
    broken = ["no unbroken way from the key to the consumer"] * shown.broken
    unproved = [f"not established: {shown.unproved}, see the text"] * bool(shown.unproved)
    return clipped(f"{shown.flow} · {shown.model}", 100), f"{legend}{counted}", " · ".join((*broken, *unproved))


def _some(places: Sequence[Location]) -> list[str]:
    return [str(place) for place in places[:6]] + [f"and {len(places) - 6} more"] * (len(places) > 6)
