"""The value domain of the interpreter.

Exact Python values stand for themselves: None, booleans, numbers, strings, bytes, ``...`` and tuples (whose items may be abstract). An id
from the config is an :class:`Id`, an ``int`` that remembers where it came from. Everything else is one of the classes below.

Whatever can change lives in a :class:`Slots`, a dict that is written only through the interpreter's heap, so that a branch can be
taken back. A tensor is a handle on a cell that holds a :class:`Content`: a multiset of atoms. ``a + b`` is their sum, an opaque
operation makes one fresh atom, an in-place operation writes the cell, a view shares it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import ir
from .frozen import frozen
from .results import Location, Step

if TYPE_CHECKING:
    import ast

    from .index import Module


class Slots(dict[Hashable, "Value"]):
    """The changeable part of a value: attributes, items, the content of a tensor. ``born`` is the heap's clock when it was made, or 0
    where it is to count as older than every branch; ``number`` tells it from all others; ``age`` is the moment when it was made, empty of
    what a module makes at import."""

    __slots__ = ("age", "born", "number")

    def __init__(self, born: int) -> None:
        super().__init__()
        self.born = born
        self.number = born
        self.age: tuple[float, ...] = ()


class Missing:
    """The value of a slot that is not there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()


class Id(int):
    """A layer id that came from the config: an int with the steps that made it."""

    steps: tuple[Step, ...]

    def __new__(cls, value: int, steps: tuple[Step, ...] = ()) -> Id:
        made = super().__new__(cls, value)
        made.steps = steps
        return made


@frozen()
class Unknown:
    """A value that the analysis does not know. Two unknowns with one ``key`` are the same value.

    ``reads_ids``: made from the ids under test. ``not_none``: cannot be None. ``positive``: a number above zero.
    ``parts``: the conditions that a conjunction is made of.
    """

    key: str
    reason: str
    at: Location | None = None
    reads_ids: bool = False
    not_none: bool = False
    positive: bool = False
    parts: tuple[Unknown, ...] = ()

    def __str__(self) -> str:
        return self.key


@frozen()
class Phi:
    """One of two values, by an unknown condition."""

    condition: Unknown
    if_true: Value
    if_false: Value


# -------------------------------------------------------------------- tensors


@frozen(eq=False, repr=False)
class Atom:
    """One opaque result: the layer that made it (-1 before layer 0), what made it, and the contents that went in.

    ``post``: made between or after the layers. ``blank``: made of nothing that depends on the tokens (positions, empty buffers).
    ``maybe``: the condition on which it hangs whether there is anything at all.
    """

    layer: int
    name: str
    at: Location | None
    inputs: tuple[Content, ...] = ()
    post: bool = False
    blank: bool = False
    maybe: Unknown | None = None

    def __repr__(self) -> str:
        return f"{self.name}@{self.layer}"


Part: TypeAlias = tuple[Atom, tuple[str, ...]]
"""An atom with the scalings that it went through."""


@frozen(eq=False, repr=False)
class Content:
    """What a tensor holds: a multiset of parts."""

    parts: dict[Part, int]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(frozenset(self.parts.items()))

    def __repr__(self) -> str:
        return f"a tensor of {len(self.parts)} parts up to layer {self.depth}"

    def plus(self, other: Content) -> Content:
        parts = dict(self.parts)
        for part, count in other.parts.items():
            parts[part] = parts.get(part, 0) + count
        return Content(parts)

    def scaled(self, token: str) -> Content:
        return Content({(atom, (*scales, token)): count for (atom, scales), count in self.parts.items()})

    def atoms(self) -> Iterator[Atom]:
        return (atom for atom, _ in self.parts)

    @property
    def depth(self) -> int:
        """The highest layer that made a part of it."""
        return max((atom.layer for atom in self.atoms()), default=-1)


@frozen(eq=False)
class Tensor:
    """A handle on a tensor's cell: ``cell["content"]``, ``cell["aliases"]``, cells that may be the same memory, and ``cell["written"]``,
    where it was written in place last (file and line; more where branches met). Since it was put into a collection last it was written
    if ``cell["hit"]`` is true: under the switches ``cell["switch"]``, and apart from all switches if ``cell["sure"]`` is there.

    A handle in a collection remembers in ``kept`` what the tensor held when it was put there, and where that was: it may be written in
    place later.
    """

    cell: Slots
    kept: Value = None
    kept_at: Location | None = None

    @property
    def exact(self) -> bool:
        """False for the result of an opaque call, which might be a tuple of tensors, until it is used as a tensor."""
        return "opaque" not in self.cell


# ----------------------------------------------------------------- containers


@frozen(eq=False)
class ListValue:
    """A list (or a deque, a ModuleList): ``state["items"]`` is a tuple. ``modules`` marks nn.ModuleList and its like,
    ``iterator`` what is used up when it is walked: a generator, ``map``, ``zip``, ``iter(…)``. ``cls``: a class of the tree that is a list
    with further methods."""

    state: Slots
    modules: bool = False
    iterator: bool = False
    cls: ClassValue | None = None


@frozen(eq=False)
class DictValue:
    """A dict: ``state[key]`` under the key wrapped in a tuple, in order of insertion."""

    state: Slots


@frozen(eq=False)
class SetValue:
    """A set: ``state["items"]`` is a tuple without duplicates, in order of insertion; iterating sorts what can be sorted."""

    state: Slots


# ------------------------------------------------------- functions and classes


@frozen(eq=False)
class Scope:
    """The names of one running function, comprehension (``code`` is None) or class body (``is_class``), and those around it."""

    slots: Slots
    outer: Scope | None
    code: ir.Function | None
    is_class: bool = False


@frozen(eq=False)
class FunctionValue:
    """A function of the tree. ``owner`` is the class that defines it, for ``super()``; ``node`` its ast node, None for a nested one."""

    module: Module
    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | None
    code: ir.Function | None
    outer: Scope | None
    owner: ClassValue | None

    def __str__(self) -> str:
        owner = f"{self.owner.name}." if self.owner else ""
        return f"{self.module.name}.{owner}{self.name}"


@frozen(eq=False)
class ClassValue:
    """A class of the tree. ``node`` is None for one defined inside a function, whose names are in ``slots``."""

    module: Module
    name: str
    node: ast.ClassDef | None
    bases: tuple[Value, ...]
    slots: Slots

    @property
    def qualified(self) -> str:
        return f"{self.module.name}.{self.name}"


@frozen(eq=False)
class Instance:
    """An object of a class of the tree. ``pending`` holds the postponed call of its constructor, with the moment of it."""

    cls: ClassValue
    attrs: Slots
    pending: list[tuple[Callable[[], None], tuple[int, ...]]] = field(default_factory=list)


@frozen(eq=False)
class BoundMethod:
    function: Value
    receiver: Value


@frozen(eq=False)
class BuiltinMethod:
    """A method of a modelled value: ``list.append`` of one list."""

    receiver: Value
    name: str


@frozen(eq=False)
class Partial:
    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@frozen()
class ModuleValue:
    """A module or namespace package of the tree."""

    name: str


@frozen()
class External:
    """Something outside the tree, by its qualified name: ``torch.nn.ModuleList``, ``builtins.len``."""

    name: str


@frozen(eq=False)
class ExternalObject:
    """An object made by an external class, of which only the name is known. Attributes that the tree writes on it are kept."""

    cls: str
    key: str
    attrs: Slots


@frozen(eq=False)
class Super:
    """``super()``: the attributes of ``receiver`` that come after ``after`` in the method resolution order."""

    after: ClassValue
    receiver: Value


@frozen()
class EnumMember:
    """A member of an enumeration of the tree; two of one class and name are the same."""

    cls: ClassValue
    name: str
    value: Value = field(compare=False)


Value: TypeAlias = (
    None | bool | int | float | complex | str | bytes
    | tuple["Value", ...]
    | range
    | slice
    | Missing
    | Unknown
    | Phi
    | Content
    | Tensor
    | ListValue
    | DictValue
    | SetValue
    | FunctionValue
    | ClassValue
    | Instance
    | BoundMethod
    | BuiltinMethod
    | Partial
    | ModuleValue
    | External
    | ExternalObject
    | Super
    | EnumMember
)

Exact: TypeAlias = "None | bool | int | float | complex | str | bytes"
EXACT_TYPES = (type(None), bool, int, float, complex, str, bytes)
Truth: TypeAlias = Literal[True, False]
