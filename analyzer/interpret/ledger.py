"""What one run of a trainer is given and what it leaves behind, as data."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..index import Module
from ..library.facts import TargetNames
from ..results import Location, Step
from ..values import Atom, Instance, Missing, Slots, Value

PLAIN_WAY = re.compile(r"[A-Za-z_][\w.]*")
"""A plain value is not taken for an attribute of what a call answers: ``device`` of a tensor is none of the config's."""
LAST_NAME = re.compile(r"(?:\.|^)([A-Za-z_]\w*)$|\[['\"]([^'\"]+)['\"]\]$|\.get\(['\"]([^'\"]+)['\"][^()]*\)$")


def last_name(key: str) -> str | None:
    """The name by which the last step of a way asks: ``ids`` in ``args.ids``, ``cfg['ids']`` and ``cfg.get('ids')``."""
    found = LAST_NAME.search(key)
    return next((name for name in found.groups() if name), None) if found else None


Gift: TypeAlias = tuple[int, ...] | bool | int | float | str | None | Missing
"""A list of ids or a plain value; MISSING where the config gives something that is not understood."""


@dataclass(frozen=True, slots=True)
class Given:
    """What stands in for values from outside: by the name that is asked for, or, for id lists, by the whole way to one value."""

    names: Mapping[str, Gift] = field(default_factory=dict)
    ways: Mapping[str, tuple[int, ...] | None] = field(default_factory=dict)
    steps: Mapping[str, Step] = field(default_factory=dict)
    """The first hop of each: where the config says so."""

    def find(self, key: str) -> tuple[str, Gift] | None:
        """The name or way that answers this key, and what it gives."""
        if key in self.ways:
            return key, self.ways[key]
        name = last_name(key)
        if name is None or name not in self.names:
            return None
        gift = self.names[name]
        return (name, gift) if isinstance(gift, tuple) or not key.endswith(f".{name}") or PLAIN_WAY.fullmatch(key) else None


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a concatenation: what it held when it was collected, and when it was concatenated."""

    then: Value
    now: Value


@dataclass(frozen=True, slots=True)
class Join:
    """A concatenation; ``pieces`` is None where its parts are not a known list. ``features``: on the feature axis, as far as is known.
    ``axis`` is that of a stack."""

    pieces: tuple[Piece, ...] | None
    features: bool
    at: Location | None
    axis: int | None = None


def no_worker(method: str) -> tuple[Module, ast.ClassDef] | None:
    """No class of the tree has such a method."""
    return None


@dataclass(slots=True)
class Ledger:
    """What one run of a trainer leaves behind.

    ``log`` holds tuples under :data:`LOGS`, in the heap, so that a branch can be taken back. ``open`` leaves all that comes from outside
    unknown. ``ended``: the run came to its end. ``recorded``: it saved something of the target to a file. ``ran`` are the functions that
    ran, ``joins`` what the atom of a concatenation is made of, ``asked`` the values from outside that were asked for, ``flows`` the names
    that one was bound to unchanged. ``names`` tell the parts of a target that the trainer is handed: ``roots`` are the values that one
    was found in, ``known_roots`` those of an earlier run, ``target`` is its model. ``made`` are objects that the trainer makes itself,
    ``modules`` parts of a model that torch hands out. ``objects`` are those that are entered, one of a class, ``supers`` the objects of
    methods of bases outside the tree; ``workers`` finds an engine's worker by a method. ``flat``: states may have no axis of batches.
    """

    log: Slots
    given: Given
    open: bool
    ended: bool = False
    recorded: bool = False
    ran: set[ast.AST] = field(default_factory=set)
    joins: dict[Atom, Join] = field(default_factory=dict)
    asked: dict[str, Location | None] = field(default_factory=dict)
    flows: set[tuple[str, str]] = field(default_factory=set)
    names: TargetNames = field(default_factory=TargetNames)
    known_roots: frozenset[str] = frozenset()
    roots: set[str] = field(default_factory=set)
    workers: Callable[[str], tuple[Module, ast.ClassDef] | None] = no_worker
    objects: dict[ast.ClassDef, Value] = field(default_factory=dict)
    target: Instance | None = None
    made: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    flat: bool = False
    supers: dict[str, str] = field(default_factory=dict)
