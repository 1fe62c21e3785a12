"""What a trace says: the places that look a config's entry up, what each gets, and where the value goes from there."""
from __future__ import annotations

from typing import Literal, TypeAlias

from .frozen import frozen
from .graph import FlowGraph
from .json_text import Json
from .location import Location
from .reasons import FileRead
from .results import NotEstablished, SourceFacts

Form: TypeAlias = Literal["attribute", "subscript", "method", "getattr", "helper", "field", "parameter", "pattern", "test"]
"""``helper``: a function of the tree that is handed the name; ``field`` and ``parameter``: a config class declares the entry; ``test``
only asks whether there is one."""
Status: TypeAlias = Literal["read", "default", "never"]


@frozen()
class Mention:
    """An expression or a declaration that looks the entry up. ``default`` is the text of what stands in for a missing one, None where there
    is nothing. ``model_type`` is what a config class says that it is for."""

    form: Form
    at: Location
    column: int
    symbol: str
    lookup: str
    default: str | None = None
    model_type: str = ""


@frozen()
class Got:
    """What a reader gets in one config: ``role`` is whose ("draft", "target", or "" where that is not known), ``entry`` the keys that lead
    to the entry. ``value`` is None where it is not known, too; ``text`` is as much as was seen of it."""

    role: str
    entry: str
    status: Status
    value: Json = None
    text: str = ""
    reason: str | None = None


@frozen()
class Reader:
    """A mention with all that runs were seen to get there; ``best`` is the first of what says most."""

    mention: Mention
    got: tuple[Got, ...]

    @property
    def best(self) -> Got:
        order = ("read", "default", "never")
        return min(self.got, key=lambda each: order.index(each.status))


@frozen()
class Trace:
    """All of one key. ``graph`` leads from the readers on. ``configs`` are the configs in hand: whose, and where."""

    source: SourceFacts
    key: str
    readers: tuple[Reader, ...]
    tests: tuple[Mention, ...]
    graph: FlowGraph
    configs: tuple[tuple[str, str], ...] = ()
    not_established: tuple[NotEstablished, ...] = ()
    files: tuple[FileRead, ...] = ()
