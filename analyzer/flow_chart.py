"""The flow graph of one target class as a drawing: condensed, with a frame for each file."""
from __future__ import annotations

from collections.abc import Sequence

from .captions import file_lines, short_place
from .chart import Chart, Frame, Link, Spot
from .escape import terminal
from .picture import Arrow, Box, Picture
from .results import Location

LEGEND = "thick: the main path · dashed: decides whether · with a ring: makes the width"


def flow_chart(shown: Picture) -> Chart:
    """A condensed picture as a drawing."""
    counted = f" · {len(shown.boxes)} of {shown.places} places" if len(shown.boxes) < shown.places else ""
    frames = tuple(_frame(number, file, boxes) for number, (file, boxes) in enumerate(shown.files))
    links = tuple(_link(number, arrow) for number, arrow in enumerate(shown.arrows))
    return Chart(f"{shown.flow} · {shown.model}", frames, links, f"{LEGEND}{counted}", notice(shown), straight=False)


def notice(shown: Picture) -> str:
    """What is not told by the picture."""
    broken = ["no unbroken way from the key to the consumer"] * shown.broken
    unproved = [f"not established: {shown.unproved}, see the text"] * bool(shown.unproved)
    return " · ".join((*broken, *unproved))


def _frame(number: int, file: str, boxes: Sequence[Box]) -> Frame:
    folder, name = file_lines(file)
    return Frame(f"file{number}", name, tuple(map(_spot, boxes)), folder, hint=file)


def _spot(box: Box) -> Spot:
    """A box: its kind, its text, and where it is; who points at it is told all of it, and how many calls led there."""
    several = f" · {len(box.contexts)} ways lead here" if len(box.contexts) > 1 else ""
    hint = f"{box.kind}: {box.label} · {box.at}{several}"
    small = (*([box.symbol] if box.symbol else []), short_place(box.at))
    return Spot(box.id, box.kind, box.label, box.kind, "", small, box.at, hint, "main" if box.main else "plain")


def _link(number: int, arrow: Arrow) -> Link:
    told = (*arrow.notes, *(f"assumes {name}" for name in arrow.assumptions), *map(terminal, _some(arrow.places)))
    return Link(
        f"link{number}", arrow.source, arrow.target, arrow.kind, arrow.notes, arrow.assumptions, arrow.before, arrow.after,
        " · ".join(told), "main" if arrow.main else "plain",
    )  # fmt: skip


def _some(places: Sequence[Location]) -> list[str]:
    return [str(place) for place in places[:6]] + [f"and {len(places) - 6} more"] * (len(places) > 6)
