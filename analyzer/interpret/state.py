"""The state of the abstract machine: the heap, the frames, what is supposed, assumed and recorded."""

import ast
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from .. import ir
from ..index import Index, Module
from ..library.facts import Facts
from ..results import Location, Step
from ..values import MISSING, Atom, ClassValue, Content, FunctionValue, Instance, Phi, Scope, Slots, Tensor, Unknown, Value
from .asking import Asking
from .branch import Park
from .heap import Heap
from .order import run_late
from .signals import GiveUp, NeedDecision, Raised

MAX_STEPS = 4_000_000
"""Statements and calls executed in one run before it is given up."""
MAX_CALLS = 90
"""Calls inside one another."""
MAX_KEY = 160
"""Characters of an unknown's key; a longer one becomes a number of its own."""


@dataclass(slots=True)
class Frame:
    """One running function, or one module or class body. ``on_yield`` is the consumer of a running generator."""

    scope: Scope | None
    module: Module
    function: FunctionValue | None
    slots: Slots
    at: ir.At
    parks: list[Park] = field(default_factory=list)
    on_yield: Callable[[Value], None] | None = None
    reads_mutable: bool = False
    body: ClassValue | None = None
    forgiving: bool = False
    """A constructor whose statements may be passed over."""
    switch: Unknown | None = None
    """The condition on a module's variable under which the frame runs."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that was taken for granted, since the other answer raises."""

    condition: Unknown
    answer: bool


@dataclass(slots=True)
class Noticed:
    """What a run passed by. ``left``: the lines at which functions returned since the last layer ran, if somebody wants to
    know. ``entrusted``: what functions were given that are not looked into, since the flow says so. ``branched``: by an open condition,
    where a branch was first taken both ways by it."""

    left: list[tuple[Module, int]] | None = None
    entrusted: tuple[Value, ...] = ()
    branched: dict[str, Location | None] = field(default_factory=dict)


class State:
    """The state of one abstract machine: a heap, the modules of one tree, and the walk through one model's layers."""

    def __init__(self, index: Index, facts: Facts, printed: Callable[[str], str]) -> None:
        self.index, self.supposed, self.printed = index, facts, printed
        self.heap = Heap()
        self.places: dict[tuple[str, int], Location] = {}
        self.facts = self.heap.new_aside()
        self.modules: dict[str, Slots] = {}
        self.base_facts: dict[str, bool] = {}
        self.lengths: dict[str, Value] = {}
        self.frames: list[Frame] = []
        self.nesting, self.steps, self.serial = 0, 0, 0
        self.assumptions: set[str] = set()
        self.lasting: set[str] = set()
        self.guards: dict[str, Guard] = {}
        self.built_under: dict[str, bool] = {}
        """What was taken for granted while the model was built, or a part of it later."""
        self.walk = self.heap.new_aside(layer=-1, inside=False, order=(), finals=())
        self.num_layers = 0
        self.live: frozenset[Atom] = frozenset()
        self.trail: list[Step] = []
        self.loops: list[Location] = []  # the innermost that ran layers, as they ended
        self.catching: list[Callable[[Raised], bool]] = []
        self.switch_read: Unknown | None = None
        """The switch that was read last while a condition was evaluated."""
        self.reads: dict[tuple[int, Hashable], tuple[Slots, Hashable, Value]] | None = None
        self.read_clock = 0
        self.run_clock = 0
        self.atoms: dict[tuple[Hashable, int], Atom] = {}
        self.made: dict[Hashable, int] = {}
        self.atoms_made = 0
        self.flow_folder = ""
        self.linears: dict[str, Mapping[str, int]] = {}
        """Unknown numbers that are linear sums of others, by key."""
        self.whole_shapes: set[str] = set()
        """The shapes of tensors that have a row for each token, by key."""
        self.tails: dict[str, Value] = {}
        """The last items of tuples of unknown length, by key."""
        self.asking: Asking | None = None
        self.punctual: set[ast.ClassDef | None] = set()
        """Classes whose constructors are not postponed, since they change what others read."""
        self.noticed = Noticed()
        self.streams = self.heap.new()
        """The residual streams of batches, by the batch's key, as operations of stages leave them."""
        self.stage_words: frozenset[str] | None = None
        self.factors: dict[Atom, int] = {}

    # ------------------------------------------------------------------ places

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def location(self, at: ir.At | None = None) -> Location | None:
        """The place of an IR node of the running function, or of the running statement."""
        if not self.frames:
            return None
        frame = self.frames[-1]
        return self.place(frame.module.path, (at or frame.at).line)

    def place(self, path: str, line: int) -> Location:
        found = self.places.get((path, line))
        if found is None:
            found = self.places[path, line] = Location(self.printed(path), line)
        return found

    def limit(self, reason: str) -> GiveUp:
        """That the analysis gives up here."""
        return GiveUp(reason, self.location())

    def give_up(self, reason: str) -> None:
        raise self.limit(reason)

    def raise_error(self, kind: str, text: str, certain: bool | None = None) -> Value:
        if kind == "GiveUp":
            raise self.limit(text)
        raise self.raised(kind, text, certain=certain)

    def count_step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise GiveUp(f"more than {MAX_STEPS:,} steps", self.location())

    def raised(self, kind: str, text: str, at: ir.At | None = None, certain: bool | None = None) -> Raised:
        """An exception of the interpreted program. Unless told otherwise it is certain only in the flow's own code: elsewhere the
        state that it hangs on (what was launched, registered, initialised before) is a guess."""
        return Raised(kind, text, self.location(at), self.in_flow_code(self.frame.module.path) if certain is None else certain)

    def in_flow_code(self, path: str) -> bool:
        """Whether a file lies in the folder of the target class."""
        return path.rpartition("/")[0] == self.flow_folder

    def noted(self, slots: Slots, key: Hashable) -> Value:
        """The value of a slot; where a summary is being recorded, the summary depends on it."""
        value, order = slots.get(key, MISSING), self.heap.order
        if order.importing and order.is_changed(slots, key):
            raise self.limit("the import of a module reads what the program has changed since")
        if value is MISSING and (type(key) is tuple or slots is order.outside):
            order.look(slots, key)
        if self.reads is not None and slots.born <= self.read_clock and (id(slots), key) not in self.reads:
            self.reads[id(slots), key] = (slots, key, value)
        return value

    def evaluated(self, slots: Slots, name: str) -> Value:
        """The value of a module's or class's name where it was evaluated before; not yet is no fact to depend on."""
        return self.noted(slots, name) if name in slots else MISSING

    # ---------------------------------------------------------------- unknowns

    def unknown(
        self,
        key: str,
        reason: str,
        *,
        at: Location | None = None,
        reads_ids: bool = False,
        not_none: bool = False,
        positive: bool = False,
        parts: tuple[Unknown, ...] = (),
    ) -> Unknown:
        if len(key) > MAX_KEY:
            key = self.fresh_key(key[:40])
        return Unknown(key, reason, at or self.location(), reads_ids, not_none, positive, parts)

    def fresh_key(self, stem: str) -> str:
        self.serial += 1
        return f"{stem}#{self.serial}"

    def mystery(self, stem: str, reason: str, *, not_none: bool = False, reads_ids: bool = False) -> Unknown:
        """An unknown that equals nothing else."""
        return self.unknown(self.fresh_key(stem), reason, not_none=not_none, reads_ids=reads_ids)

    def assume(self, name: str) -> None:
        """Note that a result rests on an assumption."""
        self.assumptions.add(name)

    def note_length(self, value: Unknown, length: Value) -> None:
        """How many items something has of which neither they nor their number are known."""
        self.lengths[value.key] = length

    def supposed_value(self, key: str) -> tuple[Value] | None:
        """The value that the flow supposes for an unknown, boxed; None where it supposes nothing."""
        found = self.supposed.values.get(key) or self.supposed.values.get(f"*.{key.rpartition('.')[2]}")
        if found is None:
            return None
        self.assume(found.assumption)
        return (self.fact(found.value),)

    def fact(self, value: None | bool | int | float | str) -> Value:
        if value == "@none":
            return None
        if isinstance(value, str) and value.startswith("@"):
            return self.unknown(value[1:], "an object outside the analysed code", not_none=True)
        return value

    # -------------------------------------------------------------- conditions

    def known(self, condition: Unknown) -> bool | None:
        """The answer to a condition, where this path has decided it."""
        answer = self.noted(self.facts, condition.key)
        if isinstance(answer, bool):
            return answer
        if condition.key.startswith("not "):
            opposite = self.noted(self.facts, condition.key[4:])
            return not opposite if isinstance(opposite, bool) else None
        return self.base_facts.get(condition.key)

    def suppose(self, condition: Unknown, answer: bool) -> None:
        """On this path the condition has this answer."""
        self.heap.write(self.facts, condition.key, answer)

    def guarded(self, condition: Unknown, answer: bool) -> None:
        """From here on the condition has this answer, since the other one raises."""
        self.guards[condition.key] = Guard(condition, answer)
        if self.run_clock == 0 or self.heap.made is not None:
            self.built_under[condition.key] = answer
        self.assume("guards")
        self.suppose(condition, answer)

    def is_caught(self, raised: Raised) -> bool:
        """Whether a ``try`` that is running would catch it."""
        return any(catches(raised) for catches in self.catching)

    # ----------------------------------------------------------------- tensors

    @property
    def layer(self) -> int:
        layer = self.walk["layer"]
        if isinstance(layer, Phi):
            raise NeedDecision(layer.condition, "which layer runs depends on it")
        if not isinstance(layer, int):
            raise GiveUp("which layer runs is not known", self.location())
        return layer

    @property
    def post(self) -> bool:
        """Whether what is made now is made between or after the layers."""
        return self.walk["inside"] is not True and self.layer >= 0

    def atom(
        self, name: str, inputs: tuple[Content, ...] = (), post: bool | None = None, maybe: Unknown | None = None
    ) -> Atom:
        """A fresh atom. The n-th of its kind in a run is the same object in every run: runs are apart, and can be compared."""
        post = self.post if post is None else post
        self.atoms_made += 1
        key = (self.layer, name, self.location(), inputs, post)
        count = self.made[key] = self.made.get(key, 0) + 1
        found = self.atoms.get((key, count))
        if found is None:
            blank = all(atom.blank for content in inputs for atom in content.atoms())
            found = self.atoms[key, count] = Atom(self.layer, name, self.location(), inputs, post, blank, maybe)
        return found

    def source(self, name: str, *, blank: bool) -> Tensor:
        """A tensor that the forward is given, the same atom in every run."""
        key = ("source", name)
        if (key, 0) not in self.atoms:
            self.atoms[key, 0] = Atom(-1, name, None, blank=blank)
        return self.tensor(Content({(self.atoms[key, 0], ()): 1}))

    def tensor(self, content: Value, *, exact: bool = True, aliases: tuple[Slots, ...] = ()) -> Tensor:
        """A handle on a new cell. ``aliases`` may be the same memory, and know it."""
        cell = self.heap.new(content=content)
        if not exact:
            cell["opaque"] = True
        if aliases:
            cell["aliases"] = tuple(Tensor(other) for other in aliases)
            for other in aliases:
                known = other.get("aliases", ())
                if not isinstance(known, tuple):  # after a loop of unknown length: what shares its memory is not known
                    known, cell["content"] = (), self.mystery("content", "it may share memory with a tensor that is not known")
                self.heap.write(other, "aliases", (*known, Tensor(cell)))
        return Tensor(cell)

    def opaque(self, name: str, inputs: tuple[Tensor, ...], *, exact: bool = False) -> Tensor:
        """The result of an operation of which nothing is known but what went in."""
        contents = tuple(c for c in (t.cell.get("content") for t in inputs) if isinstance(c, Content))
        return self.tensor(Content({(self.atom(name, contents), ()): 1}), exact=exact)

    def write_content(self, tensor: Tensor, content: Value) -> None:
        """Write a tensor in place; whatever may share its memory is no longer known."""
        self.heap.write(tensor.cell, "content", content)
        if (place := self.location()) is not None:
            self.heap.write(tensor.cell, "written", ((place.file, place.line),))
        switch = next((frame.switch for frame in reversed(self.frames) if frame.switch is not None), None)
        self.heap.write(tensor.cell, *(("sure", (True,)) if switch is None else ("switch", (switch,))))
        self.heap.write(tensor.cell, "hit", True)
        self.treat_as_tensor(tensor)
        aliases = tensor.cell.get("aliases", ())
        assert isinstance(aliases, tuple)
        for other in aliases:
            assert isinstance(other, Tensor)
            self.heap.write(other.cell, "content", self.mystery("content", "it may share memory with a tensor that is written in place"))

    def treat_as_tensor(self, tensor: Tensor) -> None:
        """It was used as only a tensor can be: a tuple would have raised."""
        if "opaque" in tensor.cell:
            self.heap.write(tensor.cell, "opaque", MISSING)

    # ------------------------------------------------------------------ record

    def record(self, label: str, before: str, after: str, at: ir.At | None = None) -> None:
        """Add a hop to the trail of the tracked values."""
        place = self.location(at)
        if place is not None:
            step = Step(label, before, after, place)
            if not self.trail or self.trail[-1] != step:
                self.trail.append(step)

    # ----------------------------------------------------------- postponed work

    def construct(self, instance: Instance) -> None:
        """Run the postponed constructor of an object, outside of any branch."""
        if instance.pending:
            postponed = instance.pending.pop()
            try:
                run_late(self.heap.order, instance, postponed, self.location())
            except BaseException as error:
                if isinstance(error, Raised):
                    error.building = True
                instance.attrs.clear()
                instance.pending.append(postponed)
                raise
