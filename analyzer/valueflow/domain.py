"""The abstract values of the value-flow analysis.

Where the interpreter asks *what is it*, this domain asks *where did it come from*: a :class:`Val` is a set of possible things and the
places ("marks") that the tracked value passed last. Whatever is not known is ``open``; a join is a union.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from .. import ir
from ..graph import Node
from ..index import Module
from ..results import Location
from ..values import ClassValue, External, ExternalObject, FunctionValue, Instance, ListValue, Unknown, Value

OWN_DEFAULT = "the target's own default"
"""The path of the list of ids that a target names where a config names none."""
MOST_THINGS = 8
"""Possible things of one value; what has more of them is open."""


@dataclass(frozen=True, slots=True)
class Exact:
    """A value of the interpreter's domain that cannot change: a constant, a class, a function, a module, an enumeration's member."""

    value: Value
    kind: str = field(default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value).__name__)


@dataclass(slots=True, eq=False)
class Object:
    """One object of the program, told apart by the way that leads to it (``worker.target_worker``) or by where it was made.

    ``cls`` is its class, or the declared one, or None until an annotation tells. ``backing`` is the same object as the interpreter built
    it. ``field`` is the class and attribute that hold it, where it was found in one. ``made``: by the code that was run. ``lasting``: it
    lives as long as the engine, so that handing it on hands on nothing. ``element``: any item of a collection that is declared.
    ``loaded``: it is an entry of a config. ``listing``: its class is one of lists.
    """

    path: str
    cls: ClassValue | External | None = None
    backing: Instance | ListValue | None = None
    field: tuple[ClassValue, str] | None = None
    made: bool = False
    lasting: bool = False
    element: Val | None = None
    loaded: bool = False
    listing: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it counts for what it holds: of no class, or a list with methods of its own."""
        return self.cls is None or self.listing

    def __repr__(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class Known:
    """Something outside the tree of which the flow supposes what its attributes are, as the interpreter names it."""

    value: Unknown | ExternalObject


@dataclass(frozen=True, slots=True)
class Something:
    """A value of which only that is known: it is not None."""


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple."""

    items: tuple[Val, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A function of the tree, with its receiver where it is bound to one."""

    function: FunctionValue
    receiver: Val | None


@dataclass(frozen=True, slots=True)
class Outside:
    """A method or attribute of something outside the tree: ``torch.Tensor.to`` of one tensor."""

    receiver: Val
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A callee with some of its arguments."""

    callee: Val
    positional: tuple[Val, ...]
    keywords: dict[str, Val]


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function defined inside another, with the variables around it."""

    code: ir.Function
    module: Module
    owner: ClassValue | None
    around: dict[str, Val]


@dataclass(frozen=True, slots=True)
class Form:
    """The shape of a tensor, or how wide that is. ``tracked``: the tensor is made of captured states; ``makers`` are the parts of the draft
    that may have made it, where it is none. ``whole``: all of the shape. ``exact``: nothing was computed of it."""

    tracked: bool
    makers: tuple[Object, ...] = ()
    whole: bool = False
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Made:
    """What a part of the draft makes of other things than captured states."""

    maker: Object


@dataclass(frozen=True, slots=True)
class Fits:
    """Whether a width compares like this, or the contrary of it (``negated``). ``other`` is what it is compared with: a number, or what may
    have made the tensor on the other side. ``forces``: the answers to the comparison that decide the value."""

    at: Location
    column: int
    text: str
    op: str
    other: int | tuple[Object, ...] | None
    negated: bool = False
    forces: frozenset[bool] = frozenset({True, False})


Thing: TypeAlias = Exact | Known | Something | Object | Items | Method | Outside | Partial | Closure | Form | Made | Fits
Origin: TypeAlias = tuple[str, tuple[str, ...]]
"""Whose config a value was read from ("draft", "target"), and the keys that lead to it."""


@dataclass(frozen=True, slots=True)
class Val:
    """What one expression may be.

    ``marks``: the nodes that the tracked value passed last. ``carry``: for a reference to something that holds tracked values, pairs of
    the node that put one there and the node that the reference passed last. ``mixed``: other tensors were concatenated to the tracked
    ones. ``missing``: it stands for an entry that a config in hand does not have. ``about``: the entries that it stands for, or tells of.
    """

    things: tuple[Thing, ...] = ()
    open: bool = False
    marks: frozenset[Node] = frozenset()
    carry: frozenset[tuple[Node, Node]] = frozenset()
    origin: frozenset[Origin] = frozenset()
    mixed: bool = False
    missing: bool = False
    about: frozenset[Origin] = frozenset()

    @property
    def only(self) -> Thing | None:
        """The one thing that it is, if it can be nothing else."""
        return self.things[0] if len(self.things) == 1 and not self.open else None

    @property
    def objects(self) -> tuple[Object, ...]:
        return tuple(thing for thing in self.things if isinstance(thing, Object))

    def marked(self, *marks: Node) -> Val:
        return replace(self, marks=frozenset(marks))


UNKNOWN = Val(open=True)
SOMETHING = Val((Something(),))
NONE = Val((Exact(None),))


def last_name(thing: Thing) -> str:
    """What a thing is called where it was found: ``path`` for ``worker.args.path``."""
    match thing:
        case Object():
            return thing.path.rpartition(".")[2]
        case Known(Unknown() as value):
            return value.key.rpartition(".")[2]
        case Outside() if not thing.receiver.origin:
            return thing.name
    return ""


def role_of(paths: Mapping[str, str], thing: Thing) -> str | None:
    """Whose path a thing is, by what it is called where it was found: ``speculative.model`` says more than ``model``."""
    name = last_name(thing)
    if not name:
        return None
    full = name
    match thing:
        case Object(path=path) | Known(Unknown(key=path)):
            full = path
    ways = [way for way in paths if way == name or ("." in way and f".{full}".endswith(f".{way}"))]
    return paths[max(ways, key=len)] if ways else None


def hands_config(thing: Thing) -> bool:
    """Whether a thing is a function that has a config in hand before it is called: what makes a layer, say."""
    match thing:
        case Closure(around=around):
            return any(val.origin for val in around.values())
        case Partial(positional=positional, keywords=keywords):
            return any(val.origin for val in (*positional, *keywords.values()))
    return False


def exact(value: Value) -> Val:
    return Val((Exact(value),))


def is_constant(val: Val) -> bool:
    thing = val.only
    return isinstance(thing, Exact) and (thing.value is None or isinstance(thing.value, bool | int | float | str))


def join(a: Val, b: Val) -> Val:
    """Either of two values."""
    if a == b:
        return a
    things: tuple[Thing, ...] = ()
    if a.things or b.things:
        things = _join_items(a.things, b.things) or tuple(dict.fromkeys((*a.things, *b.things)))
    is_open = a.open or b.open or len(things) > MOST_THINGS
    mixed, missing = a.mixed or b.mixed, a.missing or b.missing
    about = a.about | b.about
    return Val(things[:MOST_THINGS], is_open, a.marks | b.marks, a.carry | b.carry, a.origin | b.origin, mixed, missing, about)


def join_all(vals: Iterable[Val]) -> Val:
    found = Val()
    for val in vals:
        found = join(found, val)
    return found


def _join_items(a: tuple[Thing, ...], b: tuple[Thing, ...]) -> tuple[Thing, ...] | None:
    """Two tuples of one length are joined item by item."""
    match a, b:
        case (Items(left),), (Items(right),) if len(left) == len(right):
            return (Items(tuple(join(x, y) for x, y in zip(left, right, strict=True))),)
    return None
