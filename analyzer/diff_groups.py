"""Changes that are alike but for the target classes, together."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .behaviour import behaviour
from .difference import WiringChange
from .results import Location

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Group:
    """Changes that are alike but for the target classes, and the places of their setters."""

    change: WiringChange
    models: tuple[str, ...]
    setters: tuple[Location, ...]


def grouped(changes: Sequence[WiringChange]) -> list[Group]:
    """Changes that are alike, together, in order."""
    found: dict[object, list[WiringChange]] = {}
    for change in changes:
        wiring = change.wiring
        apart = None if change.parting is None else (change.parting.before, change.parting.after, change.parting.ends)
        alike = (change.kind, wiring.flow, wiring.setter, change.rows or behaviour(wiring), apart, change.proof)
        found.setdefault(alike, []).append(change)
    return [Group(each[0], _unique(one.wiring.model for one in each), _unique(one.wiring.at for one in each)) for each in found.values()]


def _unique(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))
