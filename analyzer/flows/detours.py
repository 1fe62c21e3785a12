"""Other ways through a target's forward, as the flow describes them: as the stages of a pipeline, and with what is supposed not to run."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..library.facts import Fact


@dataclass(frozen=True, slots=True)
class Stages:
    """A target whose layers are spread over two ranks, one after the other.

    ``starts``, ``ends``: the attributes by which a model knows its first layer and the one behind its last. ``handed``: the parameters of
    the forward for what the stage before hands on. ``flags``: the launch flags that say how many stages there are. ``first``, ``last``:
    what is supposed on the first and on the last rank, in place of what the flow supposes of a single one.
    """

    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    handed: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    first: Mapping[str, Fact] = field(default_factory=dict)
    last: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Detour:
    """Something that may run after all: its ``name``, a sentence that says so, and the ``values`` that are supposed then. ``opaque``: the
    functions that go that way with the states alone, and are not looked into."""

    name: str
    text: str
    values: Mapping[str, Fact]
    opaque: tuple[str, ...] = ()
