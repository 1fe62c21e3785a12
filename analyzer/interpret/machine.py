"""The abstract machine: the state, with every operation of the interpreter as a method.

The operations live in modules of functions that take the machine first (``expressions``, ``statements``, ``calls``, ``names``,
``attributes``, ``operators``, ``containers``, ``tensors``, ``layers``, ``branch``); this class is where they find each other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .. import ir
from ..index import Index, Module
from ..library.facts import Facts
from ..library.tables import Library
from ..values import (
    MISSING,
    BoundMethod,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Instance,
    ListValue,
    Scope,
    SetValue,
    Slots,
    Tensor,
    Unknown,
    Value,
)
from . import (
    arithmetic,
    attributes,
    boundaries,
    calls,
    classes,
    containers,
    dispatch,
    expressions,
    functions,
    inspection,
    layers,
    making,
    names,
    open_target,
    operators,
    parameters,
    rows,
    statements,
    tensors,
    tracking,
    unmodelled,
    watch,
)
from .again import Told
from .branch import choose, lift, pick, require
from .code import Code
from .order import WHOLE
from .recording import Recording
from .show import show
from .signals import Raised
from .state import Frame
from .summaries import Summary


@dataclass(frozen=True, slots=True)
class Consumer:
    """The method that the captured tensors are handed to, and its two parameters."""

    cls: str
    method: str
    hidden: str
    captured: str


class Machine(Recording):
    """One abstract machine on one tree."""

    call_library = dispatch.call_library
    run_generator = dispatch.run_generator
    supposed_call = dispatch.supposed_call
    identity_of = dispatch.identity_of
    default = dispatch.default

    ancestors = classes.resolution_order
    attrs_of = classes.attrs_of
    bare = boundaries.bare
    bind = attributes.bind
    bind_arguments = parameters.bind_arguments
    bind_global = functions.bind_global
    bind_name = functions.bind_name
    call_incomplete = unmodelled.call_incomplete
    call_outside = calls.call_outside
    class_of = inspection.class_of
    clobber = unmodelled.clobber
    close_over = functions.close_over
    compare = operators.compare
    component = tensors.component
    condition = operators.condition
    decorate = functions.decorate
    define = functions.define
    delete_item = containers.delete_item
    enlist = layers.enlist
    entries = containers.entries
    evaluate = expressions.evaluate
    evaluate_default = functions.evaluate_default
    exception_kinds = inspection.exception_kinds
    exception_name = inspection.exception_name
    exception_text = inspection.exception_text
    find_in_class = classes.find_in_class
    havoc = unmodelled.havoc
    in_layer = layers.in_layer
    is_instance = classes.is_instance
    is_stream = layers.is_stream
    is_subclass = inspection.is_subclass
    items_of = containers.items_of
    iterate = containers.iterate
    kept = layers.kept
    lookup_default = inspection.lookup_default
    make_function = functions.make_function
    moved = tracking.moved
    property_setter = functions.property_setter
    reads_ids = unmodelled.reads_ids
    require = require
    run_block = statements.run_block
    set_attribute = attributes.set_attribute
    set_from = making.set_from
    set_item = containers.set_item
    slots_of = names.module_slots
    spread_keywords = making.spread_keywords
    stored = tracking.stored
    subscript = containers.subscript
    super_of = functions.super_of
    tensor_attribute = tensors.tensor_attribute
    tensor_item = tensors.tensor_item
    tensor_method = tensors.tensor_method
    tensor_write = tensors.tensor_write
    tested = tracking.tested
    truth = operators.truth
    unknown_items = making.unknown_items
    watch_source = watch.watch_source

    def __init__(self, index: Index, facts: Facts, printed: Callable[[str], str], code: Code, library: Library) -> None:
        super().__init__(index, facts, printed)
        self.code, self.library = code, library
        self.written = self.heap.order.outside = self.heap.new()
        self.sink = self.heap.new()
        self.members: dict[Instance, int] = {}
        self.parts: list[tuple[Frame, ListValue]] = []
        self.parted: list[Instance] = []
        self.implied: dict[tuple[str, bool], tuple[tuple[Unknown, bool], ...]] = {}
        self.summaries: dict[tuple[Instance, Hashable], list[Summary]] = {}
        self.rebound = set[str]()
        self.told: dict[Hashable, list[Told]] = {}
        self.class_attributes: dict[tuple[ClassValue, str, ClassValue | None], tuple[Value, ClassValue | External | None]] = {}
        self.defaults: dict[tuple[FunctionValue, str], Value] = {}
        self.watched: dict[int, watch.Watched] = {}
        self.handling: list[Raised] = []
        self.defining: list[ClassValue] = []
        self.later: dict[tuple[str, str], tuple[ast.stmt, ...]] = {}
        self.evaluating: set[tuple[str, str]] = set()
        self.importing: dict[str, int] = {}
        self.trifles: dict[str, frozenset[str]] = {}
        self.consumer: Consumer | None = None
        self.may_consume = False
        """Whether an object of the consumer's class was made, something was passed over that may have made one, or something that
        is not entered was given what may hold captured states."""
        self.config_reader: Callable[[Unknown, str, str], Value] = lambda value, name, key: MISSING

    # ------------------------------------------------------------- evaluation

    def run_statement(self, node: ir.Statement) -> None:
        statements.run_block(self, (node,))

    def evaluate_test(self, module: Module, node: ast.If) -> Value:
        """The condition of a top-level ``if``."""
        lowered = self.code.statement(module, node)
        assert isinstance(lowered, ir.If)
        return self.evaluate(lowered.test)

    def binary(self, op: str, a: Value, b: Value) -> Value:
        return arithmetic.binary(self, op, a, b, self.frame.at)

    def suppose(self, condition: Unknown, answer: bool) -> None:
        super().suppose(condition, answer)
        for part, part_answer in self.implied.get((condition.key, answer), ()):
            self.suppose(part, part_answer)

    # ------------------------------------------------------------------ calls

    def call(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        return calls.call(self, pick(self, function), args, keywords)

    def call_method(self, receiver: Value, name: str, args: tuple[Value, ...], at: ir.At) -> Value:
        with self.placed(at):
            return self.call(self.get_attribute(receiver, name), args, {})

    # --------------------------------------------------------------- functions

    @property
    def enclosing(self) -> dict[FunctionValue, ClassValue | None]:
        """The class around a nested function, for its ``super()``."""
        if not hasattr(self, "_enclosing"):
            self._enclosing: dict[FunctionValue, ClassValue | None] = {}
        return self._enclosing

    # ------------------------------------------------------------------ frames

    @contextmanager
    def module_frame(self, module: Module, slots: Slots, outer: Scope | None = None) -> Iterator[None]:
        """Run module-level or class-level code: its effects outlive every open branch."""
        scope = outer
        frame = Frame(scope, module, None, slots, ir.At(1, 0))
        with self.heap.order.at_import(), self.apart([*self.frames, frame]):
            yield

    @contextmanager
    def apart(self, frames: list[Frame]) -> Iterator[None]:
        """Run postponed work: in the frames it belongs to, undisturbed by the branches that are open now."""
        saved = self.frames, self.facts, self.nesting, self.walk
        with self.heap.detached():
            self.frames, self.facts, self.nesting = list(frames), self.heap.new_aside(), 0
            self.walk = self.heap.new_aside(layer=-1, inside=False, order=(), finals=())
            before, self.assumptions = self.assumptions, set()
            try:
                yield
            finally:
                self.frames, self.facts, self.nesting, self.walk = saved
                self.lasting |= self.assumptions
                self.assumptions |= before

    @contextmanager
    def class_frame(self, cls: ClassValue) -> Iterator[None]:
        """Run statements of a class body: its other names are seen."""
        frame = Frame(None, cls.module, None, cls.slots, ir.At(1, 0), body=cls)
        with self.heap.order.at_import(), self.apart([*self.frames, frame]):
            yield

    @contextmanager
    def in_module(self, module: Module) -> Iterator[None]:
        """Run something from the outermost frame of a module."""
        self.frames.append(Frame(None, module, None, names.module_slots(self, module), ir.At(1, 0)))
        yield
        self.frames.pop()

    @contextmanager
    def placed(self, at: ir.At) -> Iterator[None]:
        """Inside, the running frame stands at this node; a callee's frame does not move it."""
        frame = self.frames[-1]
        before, frame.at = frame.at, at
        yield
        frame.at = before

    # ------------------------------------------------------------------ values

    def get_attribute(self, value: Value, name: str) -> Value:
        return attributes.get_attribute(self, pick(self, value), name)

    def has_attribute(self, value: Value, name: str) -> Value:
        return inspection.has_attribute(self, pick(self, value), name)

    def has_method(self, value: Instance, name: str) -> bool:
        found, owner = classes.find_in_class(self, value.cls, name)
        return found is not MISSING and isinstance(owner, ClassValue)

    def bound_outside(self, receiver: Value, base: str, name: str) -> Value:
        if name == "training":
            return open_target.training_mode(self, receiver)
        return BoundMethod(External(f"{base}.{name}"), receiver)

    def is_named_tuple(self, cls: ClassValue) -> bool:
        return any(isinstance(a, External) and a.name.endswith("NamedTuple") for a in classes.resolution_order(self, cls))

    def enum_dict(self, cls: ClassValue) -> DictValue:
        return self.new_dict({member.name: member for member in classes.enum_members(self, cls)})

    def class_value(self, module: Module, node: ast.ClassDef) -> Value:
        return ClassValue(module, node.name, node, (), self.heap.new())

    def new_list(self, items: tuple[Value, ...], *, modules: bool = False, iterator: bool = False) -> ListValue:
        return ListValue(self.heap.new(items=items), modules, iterator)

    def append(self, target: ListValue, value: Value) -> None:
        items = containers.items_of(self, target)
        if isinstance(items, tuple):
            self.heap.write(target.state, "items", (*items, layers.kept(self, value)))

    def new_set(self, items: tuple[Value, ...]) -> SetValue:
        return SetValue(self.heap.new(items=items))

    def new_dict(self, entries: dict[str, Value]) -> DictValue:
        made = DictValue(self.heap.new())
        for key, value in entries.items():
            made.state[(containers.WRAPPER, key)] = value
        return made

    def show(self, value: Value) -> str:
        return show(value)

    # ----------------------------------------------------------------- tensors

    @property
    def inside(self) -> bool:
        return self.walk["inside"] is True

    def content(self, tensor: Tensor) -> Value:
        return pick(self, self.noted(tensor.cell, "content"))

    def aliases(self, tensor: Tensor) -> tuple[Value, ...]:
        found = self.noted(tensor.cell, "aliases")
        return found if isinstance(found, tuple) else ()

    def opaque(self, name: str, inputs: tuple[Tensor, ...], *, exact: bool = False) -> Tensor:
        made = super().opaque(name, inputs, exact=exact)
        made.cell["#made"] = made.cell["content"]
        if not rows.keep_rows(name, inputs) and not self.recording():
            made.cell[rows.CUT] = True
        layers.note_outside(self, made, inputs)
        return made

    def forbid_summary(self, slots: Slots) -> None:
        """A collection is read as a whole: a summary depends on each entry, and on there being no more; there is none where that cannot
        be told."""
        self.noted(slots, WHOLE)
        self.heap.order.look(slots, WHOLE)
        if self.reads is not None and slots.born <= self.read_clock:
            for key in tuple(slots):
                self.noted(slots, key)
            self.reads[id(slots), WHOLE] = (slots, WHOLE, -1 if slots.born else len(slots))

    # ---------------------------------------------------------- for the models

    def choose(self, condition: Value, run: Callable[[bool], Value]) -> Value:
        return choose(self, condition, run)

    def lift(self, value: Value, operation: Callable[[Value], Value]) -> Value:
        return lift(self, value, operation)

    def pick(self, value: Value) -> Value:
        return pick(self, value)

    # ------------------------------------------------------------------ config

    def config_attribute(self, value: Unknown, name: str, key: str) -> Value:
        """What is known of an attribute of the target's config; MISSING where nothing is."""
        return self.config_reader(value, name, key)
