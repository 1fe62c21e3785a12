"""What a run looks for, the calls of a setter that it finds, and the functions that run meanwhile."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .. import ir
from ..configs import Config
from ..flows.flow import Flags
from ..index import Module
from ..library.facts import Fact
from ..results import Location
from ..values import ClassValue, FunctionValue
from .domain import Object, Val
from .store import State


@dataclass(slots=True, eq=False)
class Frame:
    """One running function. ``results`` are the values that it returned, with the states in which it did. ``left``: it may have been left
    early, under a condition that is not known. ``calling``: the call that it stands at. ``number`` tells its run from all others.
    """

    module: Module
    code: ir.Function | None
    function: FunctionValue | None
    owner: ClassValue | None
    receiver: Val | None
    around: dict[str, Val]
    context: str
    symbol: str
    results: list[tuple[Val, State]] = field(default_factory=list)
    left: bool = False
    calling: ir.At | None = None
    number: int = 0
    yields: list[Val] = field(default_factory=list)
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Question:
    """What a run looks for, as data of the flow.

    ``keys``: the config keys. ``setters``: the methods that take the ids. ``projections``: the attributes of a draft that project the
    captured states. ``handles``: the attributes by which a worker holds the target's. ``paths``: by the name of a variable that holds
    the path of a model, whose it is ("draft", "target"). ``configs``: the configs in hand, by whose they are. ``ids``: what the keys
    hold, where it is given by itself. ``launch`` and ``reader``: what the flow stands for among launch flags and among the parameters
    of what reads the keys. ``flags``: those that the engine is launched with. ``traced``: the key whose readers are asked for, and
    ``places`` where its lookups are written: file, line, column. ``defaults``: the methods of a target that answer what a setter is given
    where a config names no ids. ``returned``: where in what a target returns its hidden states and its captured ones are.
    """

    keys: frozenset[str]
    setters: frozenset[str]
    projections: frozenset[str]
    paths: Mapping[str, str]
    configs: Mapping[str, Config]
    ids: tuple[int, ...] | None = None
    handles: frozenset[str] = frozenset()
    launch: Mapping[str, Fact] = field(default_factory=dict)
    reader: Mapping[str, Fact] = field(default_factory=dict)
    flags: Flags | None = None
    traced: str = ""
    places: frozenset[tuple[str, int, int]] = frozenset()
    defaults: frozenset[str] = frozenset()
    returned: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Miss:
    """A lookup of a key of the flow that finds nothing in the draft's config, or (with an empty ``key``) what hangs on another entry that
    it lacks; ``default`` is the text of the list that stands in, if any."""

    key: str
    at: Location
    default: str


@dataclass(frozen=True, slots=True)
class SetterCall:
    """A call of a setter from outside the models: on what, with what, where, and the state behind it."""

    receiver: Object
    ids: Val
    at: Location
    state: State
