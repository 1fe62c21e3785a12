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
    BuiltinMethod,
    ClassValue,
    DictValue,
    External,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    Partial,
    Phi,
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
    calls,
    classes,
    containers,
    expressions,
    functions,
    inspection,
    layers,
    making,
    names,
    operators,
    statements,
    tensors,
    tracking,
    unmodelled,
)
from .branch import choose, lift, pick
from .code import Code
from .show import show
from .signals import GiveUp, Raised, Signal
from .state import Frame, State
from .summaries import Summary


class Forgetful(dict[tuple[ClassValue, str, "ClassValue | None"], tuple[Value, "ClassValue | External | None"]]):
    """A cache that keeps nothing."""

    def __setitem__(self, key: tuple[ClassValue, str, ClassValue | None], value: tuple[Value, ClassValue | External | None]) -> None:
        return


def returned_class(function: FunctionValue) -> str:
    """The class that a function is annotated to return, by its last name; empty where the annotation is something else."""
    node = function.node.returns if function.node is not None else None
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


REFLECTION = frozenset(f"builtins.{name}" for name in ("exec", "eval", "compile", "globals", "locals", "vars", "__import__"))
"""Builtins that reach what no model can describe."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """The method that the captured tensors are handed to, and its two parameters."""

    cls: str
    method: str
    hidden: str
    captured: str


class Machine(State):
    """One abstract machine on one tree."""

    def __init__(self, index: Index, facts: Facts, printed: Callable[[str], str], code: Code, library: Library) -> None:
        super().__init__(index, facts, printed)
        self.code, self.library = code, library
        self.written = self.heap.new()
        self.sink = self.heap.new()
        self.members: dict[Instance, int] = {}
        self.implied: dict[tuple[str, bool], tuple[tuple[Unknown, bool], ...]] = {}
        self.summaries: dict[tuple[Instance, Hashable], list[Summary]] = {}
        self.class_attributes: dict[tuple[ClassValue, str, ClassValue | None], tuple[Value, ClassValue | External | None]] = {}
        self.defaults: dict[tuple[FunctionValue, str], Value] = {}
        self.handling: list[Raised] = []
        self.defining: list[ClassValue] = []
        self.later: dict[tuple[str, str], tuple[ast.stmt, ...]] = {}
        self.evaluating: set[tuple[str, str]] = set()
        self.importing: dict[str, int] = {}
        self.consumer: Consumer | None = None
        self.config_reader: Callable[[Unknown, str, str], Value] = lambda value, name, key: MISSING

    # ------------------------------------------------------------- evaluation

    def evaluate(self, node: ir.Expression) -> Value:
        return expressions.evaluate(self, node)

    def run_block(self, block: ir.Block) -> Signal:
        return statements.run_block(self, block)

    def run_statement(self, node: ir.Statement) -> None:
        statements.run_block(self, (node,))

    def evaluate_test(self, module: Module, node: ast.If) -> Value:
        """The condition of a top-level ``if``."""
        lowered = self.code.statement(module, node)
        assert isinstance(lowered, ir.If)
        return self.evaluate(lowered.test)

    def default(self, function: FunctionValue, name: str, node: ir.Expression) -> Value:
        """A parameter's default: evaluated once, where the function is defined."""
        if isinstance(node, ir.Const):
            return node.value
        found = self.defaults.get((function, name), MISSING)
        if found is MISSING:
            found = self.defaults[function, name] = self.evaluate_default(function, node)
        return found

    def evaluate_default(self, function: FunctionValue, node: ir.Expression) -> Value:
        return functions.evaluate_default(self, function, node)

    def truth(self, value: Value) -> Value:
        return operators.truth(self, value)

    def condition(self, value: Value) -> bool | Unknown | Phi:
        return operators.condition(self, value)

    def binary(self, op: str, a: Value, b: Value) -> Value:
        return arithmetic.binary(self, op, a, b, self.frame.at)

    def compare(self, op: str, a: Value, b: Value) -> Value:
        return operators.compare(self, op, a, b)

    def suppose(self, condition: Unknown, answer: bool) -> None:
        super().suppose(condition, answer)
        for part, part_answer in self.implied.get((condition.key, answer), ()):
            self.suppose(part, part_answer)

    def give_up(self, reason: str) -> None:
        raise GiveUp(reason, self.location())

    # ------------------------------------------------------------------ calls

    def call(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        return calls.call(self, pick(self, function), args, keywords)

    def call_method(self, receiver: Value, name: str, args: tuple[Value, ...], at: ir.At) -> Value:
        with self.placed(at):
            return self.call(self.get_attribute(receiver, name), args, {})

    def call_outside(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        return calls.call_outside(self, function, args, keywords)

    def call_library(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        found = self.supposed.calls.get(function.name) if isinstance(function, External) else None
        if found is not None:
            self.assume(found.assumption)
            return self.fact(found.value)
        model = self.library.find(function)
        if model is None and isinstance(function, BuiltinMethod):
            self.clobber((function.receiver,), {}, function.name)
        if model is None and isinstance(function, External) and function.name in REFLECTION:
            raise GiveUp(f"{function.name.removeprefix('builtins.')}() may change anything", self.location())
        if (
            model is None
            and isinstance(function, External)
            and function.name.startswith("builtins.")
            and any(isinstance(a, Instance) for a in args)
        ):
            raise GiveUp(f"{function.name.removeprefix('builtins.')}() is not modelled and may change the object", self.location())
        if model is None:
            return self.call_outside(function, args, keywords)
        return model(self, function, args, keywords)

    def run_generator(self, call: Partial, consume: Callable[[Value], None]) -> None:
        """Run a generator function, each yielded value handed to ``consume`` at its ``yield``."""
        function = call.function
        if not isinstance(function, FunctionValue):
            raise GiveUp("a context manager that is not understood", self.location())
        calls.run_function(self, function, call.args, dict(call.keywords), consume)

    def supposed_call(self, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value] | None:
        """What the flow supposes that a function of the package answers, boxed."""
        found = self.supposed.calls.get(function.name) or self.supposed.returns.get(returned_class(function))
        if found is not None:
            self.assume(found.assumption)
            return (self.fact(found.value),)
        identity = self.identity_of(function.name, args, keywords)
        return None if identity is None else (identity,)

    def identity_of(self, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Tensor | None:
        """The first tensor given to a function that hands it back on one rank; None for any other function."""
        assumption = self.supposed.identities.get(name)
        if assumption is None:
            return None
        for value in (*args, *keywords.values()):
            if isinstance(value, Tensor):
                self.assume(assumption)
                return value
        return None

    def decorate(self, function: FunctionValue, position: int, value: Value) -> Value:
        return functions.decorate(self, function, position, value)

    def havoc(self, function: FunctionValue, args: tuple[Value, ...]) -> None:
        unmodelled.havoc(self, function, args)

    def clobber(self, args: tuple[Value, ...], keywords: dict[str, Value], callee: str) -> None:
        unmodelled.clobber(self, args, keywords, callee)

    def reads_ids(self, value: Value) -> bool:
        return unmodelled.reads_ids(self, value)

    # --------------------------------------------------------------- functions

    def define(self, function: ir.Function) -> Value:
        return functions.define(self, function)

    def close_over(self, function: ir.Function) -> FunctionValue:
        return functions.close_over(self, function)

    def make_function(self, function: ir.Function, scope: Scope | None) -> FunctionValue:
        return functions.make_function(self, function, scope)

    @property
    def enclosing(self) -> dict[FunctionValue, ClassValue | None]:
        """The class around a nested function, for its ``super()``."""
        if not hasattr(self, "_enclosing"):
            self._enclosing: dict[FunctionValue, ClassValue | None] = {}
        return self._enclosing

    def super_of(self, args: list[Value]) -> Value:
        return functions.super_of(self, args)

    def bind_name(self, name: str, value: Value) -> None:
        functions.bind_name(self, name, value)

    def bind_global(self, slots: Slots, name: str, value: Value) -> None:
        functions.bind_global(self, slots, name, value)

    # ------------------------------------------------------------------ frames

    @contextmanager
    def module_frame(self, module: Module, slots: Slots, outer: Scope | None = None) -> Iterator[None]:
        """Run module-level or class-level code: its effects outlive every open branch."""
        scope = outer
        frame = Frame(scope, module, None, slots, ir.At(1, 0))
        with self.apart([*self.frames, frame]):
            yield

    @contextmanager
    def apart(self, frames: list[Frame]) -> Iterator[None]:
        """Run postponed work: in the frames it belongs to, undisturbed by the branches that are open now."""
        saved = self.frames, self.facts, self.nesting, self.walk
        with self.heap.detached():
            self.frames, self.facts, self.nesting = list(frames), self.heap.new(), 0
            self.walk = self.heap.new(layer=-1, inside=False, order=(), finals=())
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
        with self.apart([*self.frames, frame]):
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

    def property_setter(self, cls: ClassValue, name: str) -> FunctionValue | None:
        return functions.property_setter(self, cls, name)

    # ------------------------------------------------------------------ values

    def get_attribute(self, value: Value, name: str) -> Value:
        return attributes.get_attribute(self, pick(self, value), name)

    def set_attribute(self, value: Value, name: str, new: Value) -> None:
        attributes.set_attribute(self, value, name, new)

    def has_attribute(self, value: Value, name: str) -> Value:
        return attributes.has_attribute(self, pick(self, value), name)

    def has_method(self, value: Instance, name: str) -> bool:
        found, owner = classes.find_in_class(self, value.cls, name)
        return found is not MISSING and isinstance(owner, ClassValue)

    def find_in_class(self, cls: ClassValue, name: str) -> tuple[Value, ClassValue | External | None]:
        return classes.find_in_class(self, cls, name)

    def forget_classes(self) -> None:
        """A class is written to: from now on its attributes are looked up each time, since the write may be taken back."""
        self.class_attributes = Forgetful()

    def bind(self, found: Value, receiver: Value) -> Value:
        return attributes.bind(self, found, receiver)

    def bound_outside(self, receiver: Value, base: str, name: str) -> Value:
        if name == "training":
            self.assume("eval-mode")
            return False
        return BoundMethod(External(f"{base}.{name}"), receiver)

    def is_named_tuple(self, cls: ClassValue) -> bool:
        return any(isinstance(a, External) and a.name.endswith("NamedTuple") for a in classes.resolution_order(self, cls))

    def ancestors(self, cls: ClassValue) -> tuple[Value, ...]:
        return classes.resolution_order(self, cls)

    def enum_dict(self, cls: ClassValue) -> DictValue:
        return self.new_dict({member.name: member for member in classes.enum_members(self, cls)})

    def class_value(self, module: Module, node: ast.ClassDef) -> Value:
        return ClassValue(module, node.name, node, (), self.heap.new())

    def is_instance(self, value: Value, cls: Value) -> bool | None:
        return classes.is_instance(self, value, cls)

    def slots_of(self, module: Module) -> Slots:
        return names.module_slots(self, module)

    def iterate(self, value: Value) -> list[Value] | None:
        return containers.iterate(self, value)

    def set_item(self, value: Value, index: Value, new: Value) -> None:
        containers.set_item(self, value, index, new)

    def subscript(self, value: Value, index: Value) -> Value:
        return containers.subscript(self, value, index)

    def items_of(self, value: ListValue | SetValue) -> Value:
        return containers.items_of(self, value)

    def new_list(self, items: tuple[Value, ...], *, modules: bool = False, iterator: bool = False) -> ListValue:
        return ListValue(self.heap.new(items=items), modules, iterator)

    def append(self, target: ListValue, value: Value) -> None:
        items = containers.items_of(self, target)
        if isinstance(items, tuple):
            self.heap.write(target.state, "items", (*items, layers.kept(self, value)))

    def new_set(self, items: tuple[Value, ...]) -> SetValue:
        return SetValue(self.heap.new(items=items))

    def set_from(self, items: tuple[Value, ...]) -> Value:
        return making.set_from(self, items)

    def new_dict(self, entries: dict[str, Value]) -> DictValue:
        made = DictValue(self.heap.new())
        for key, value in entries.items():
            made.state[(containers.WRAPPER, key)] = value
        return made

    def unknown_items(self, kind: str) -> Value:
        return making.unknown_items(self, kind)

    def spread_keywords(self, value: Value, keywords: dict[str, Value]) -> bool:
        return making.spread_keywords(self, value, keywords)

    def call_incomplete(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        return unmodelled.call_incomplete(self, function, args, keywords)

    def exception_name(self, value: Value) -> str:
        return inspection.exception_name(self, value)

    def exception_kinds(self, kind: str, value: Value) -> tuple[str, ...]:
        return inspection.exception_kinds(self, kind, value)

    def exception_text(self, value: Value) -> str:
        return inspection.exception_text(self, value)

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
        layers.note_outside(self, made, inputs)
        return made

    def tensor_attribute(self, tensor: Tensor, name: str) -> Value:
        return tensors.tensor_attribute(self, tensor, name)

    def tensor_item(self, tensor: Tensor, index: Value) -> Value:
        return tensors.tensor_item(self, tensor, index)

    def tensor_write(self, tensor: Tensor, index: Value, new: Value) -> None:
        tensors.tensor_write(self, tensor, index, new)

    def tensor_method(self, tensor: Tensor, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        return tensors.tensor_method(self, tensor, name, args, keywords)

    def component(self, tensor: Tensor, content: Value, index: int) -> Tensor:
        return tensors.component(self, tensor, content, index)

    def kept(self, value: Value) -> Value:
        return layers.kept(self, value)

    def is_stream(self, tensor: Tensor) -> bool:
        return layers.is_stream(self, tensor)

    def in_layer(self, module: Instance, args: tuple[Value, ...], keywords: dict[str, Value], run: Callable[[], Value]) -> Value:
        return layers.in_layer(self, module, args, keywords, run)

    def forbid_summary(self, slots: Slots) -> None:
        """A collection is read as a whole: a summary depends on each entry, and on there being no more."""
        if self.reads is not None and slots.born <= self.read_clock:
            for key in tuple(slots):
                self.noted(slots, key)
            if slots.born:
                self.reads[id(slots), "#whole"] = (slots, "#whole", 0)

    def enlist(self, modules: ListValue) -> None:
        layers.enlist(self, modules)

    # ------------------------------------------------------------------ record

    def moved(self, op: str, a: Value, b: Value, result: int, at: ir.At) -> Id:
        return tracking.moved(self, op, a, b, result, at)

    def tested(self, wanted: Value, element: Value) -> None:
        tracking.tested(self, wanted, element)

    def stored(self, holder: Value, name: str, value: Value) -> None:
        tracking.stored(self, holder, name, value)

    # ---------------------------------------------------------- for the models

    def is_subclass(self, cls: Value, other: Value) -> bool | None:
        return inspection.is_subclass(self, cls, other)

    def delete_item(self, value: Value, index: Value) -> None:
        containers.delete_item(self, value, index)

    def entries(self, value: DictValue) -> list[tuple[Value, Value]] | None:
        return containers.entries(self, value)

    def choose(self, condition: Value, run: Callable[[bool], Value]) -> Value:
        return choose(self, condition, run)

    def lift(self, value: Value, operation: Callable[[Value], Value]) -> Value:
        return lift(self, value, operation)

    def pick(self, value: Value) -> Value:
        return pick(self, value)

    def raise_error(self, kind: str, text: str, certain: bool | None = None) -> Value:
        if kind == "GiveUp":
            raise GiveUp(text, self.location())
        raise self.raised(kind, text, certain=certain)

    def attrs_of(self, value: Instance) -> Slots:
        return classes.attrs_of(self, value)

    def class_of(self, value: Value) -> Value:
        return inspection.class_of(self, value)

    def lookup_default(self, value: Value, name: str, default: Value) -> Value:
        return inspection.lookup_default(self, value, name, default)

    # ------------------------------------------------------------------ config

    def config_attribute(self, value: Unknown, name: str, key: str) -> Value:
        """What is known of an attribute of the target's config; MISSING where nothing is."""
        return self.config_reader(value, name, key)
