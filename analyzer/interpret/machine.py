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
from ..results import Step
from ..values import (
    EXACT_TYPES,
    MISSING,
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    Partial,
    Phi,
    Scope,
    SetValue,
    Slots,
    Super,
    Tensor,
    Unknown,
    Value,
)
from . import attributes, calls, classes, containers, expressions, layers, names, operators, statements, tensors
from .branch import choose, lift, pick, require
from .code import Code
from .effects import effects_of
from .show import show
from .signals import GiveUp, NeedDecision, Raised
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
        """For a function of a module or class, which is defined at import."""
        slots = function.owner.slots if function.owner is not None else names.module_slots(self, function.module)
        with self.module_frame(function.module, slots, function.outer):
            return self.evaluate(node)

    def truth(self, value: Value) -> Value:
        return operators.truth(self, value)

    def condition(self, value: Value) -> bool | Unknown | Phi:
        return operators.condition(self, value)

    def binary(self, op: str, a: Value, b: Value) -> Value:
        return operators.binary(self, op, a, b, self.frame.at)

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
        if model is None and isinstance(function, External) and function.name.startswith("builtins.") and any(isinstance(a, Instance) for a in args):
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
        """A function as a decorator of the tree leaves it: the decorator is run."""
        assert function.node is not None
        code = self.code.function(function.module, function.node)
        owner = function.owner.slots if function.owner is not None else names.module_slots(self, function.module)
        try:
            with self.module_frame(function.module, owner):
                return self.call(self.evaluate(code.decorators[position]), (value,), {})
        except (Raised, NeedDecision) as error:
            reason = f"its decorator is not understood: {error}"
            return self.unknown(f"{function.module.name}.{function.name}", reason)

    def keeps_function(self, name: str) -> bool:
        return self.library.keeps_function(name)

    def havoc(self, function: FunctionValue, args: tuple[Value, ...]) -> None:
        """An opaque callee may have written the attributes that its code writes."""
        if function.node is None or not args:
            return
        for name in effects_of(self, function.node).stores:
            for value in args:
                if isinstance(value, Instance) and not value.pending and name in value.attrs:
                    self.heap.write(value.attrs, name, self.mystery(name, f"{function.name} may have written it"))
                elif isinstance(value, Unknown):
                    self.heap.write(self.written, f"{value.key}.{name}", self.mystery(f"{value.key}.{name}", f"{function.name} may have written it"))

    def clobber(self, args: tuple[Value, ...], keywords: dict[str, Value], callee: str) -> None:
        """Something outside the tree was given these: what it could have changed is no longer known."""
        for value in (*args, *keywords.values()):
            if isinstance(value, ListValue | SetValue):
                self.heap.write(value.state, "items", self.mystery("items", f"{callee} is not modelled and may have changed it", reads_ids=self.reads_ids(value)))
            elif isinstance(value, DictValue):
                self.heap.write(value.state, "#open", True)

    def reads_ids(self, value: Value) -> bool:
        """Whether a value is made of the ids under test."""
        if isinstance(value, ListValue | SetValue):
            value = value.state.get("items")
        if isinstance(value, tuple):
            return any(self.reads_ids(v) for v in value)
        return isinstance(value, Id) or (isinstance(value, Unknown) and value.reads_ids)

    # --------------------------------------------------------------- functions

    def define(self, function: ir.Function) -> Value:
        """A nested function or a method of a nested class, decorators included."""
        made = self.close_over(function)
        for decorator in reversed(function.decorators):
            value = pick(self, self.evaluate(decorator))
            if isinstance(value, External) and (self.keeps_function(value.name) or value.name.rpartition(".")[2] in names.KEPT_DECORATORS):
                continue
            return self.unknown(f"{self.frame.module.name}.{function.name}", "its decorator is not understood")
        return made

    def close_over(self, function: ir.Function) -> FunctionValue:
        scope = self.frame.scope
        while scope is not None and scope.is_class:
            scope = scope.outer
        made = self.make_function(function, scope)
        for parameter in function.parameters:
            if parameter.default is not None and not isinstance(parameter.default, ir.Const):
                self.defaults[made, parameter.name] = self.evaluate(parameter.default)
        return made

    def make_function(self, function: ir.Function, scope: Scope | None) -> FunctionValue:
        owner = self.defining[-1] if self.defining and self.frame.scope is not None and self.frame.scope.is_class else None
        if owner is None and self.frame.function is not None:
            owner = self.frame.function.owner
            made = FunctionValue(self.frame.module, function.name, None, function, scope, None)
            self.enclosing[made] = owner
            return made
        return FunctionValue(self.frame.module, function.name, None, function, scope, owner)

    @property
    def enclosing(self) -> dict[FunctionValue, ClassValue | None]:
        """The class around a nested function, for its ``super()``."""
        if not hasattr(self, "_enclosing"):
            self._enclosing: dict[FunctionValue, ClassValue | None] = {}
        return self._enclosing

    def super_of(self, args: list[Value]) -> Value:
        """``super()``."""
        function = self.frame.function
        if len(args) == 2 and isinstance(args[0], ClassValue):
            return Super(args[0], args[1])
        owner = function.owner or self.enclosing.get(function) if function is not None else None
        code = function.code or self.code.function(function.module, function.node) if function is not None else None  # type: ignore[arg-type]
        if owner is None or code is None or not code.parameters:
            return self.mystery("super", "super() outside of a method")
        return Super(owner, names.look_up(self, code.parameters[0].name))

    def bind_name(self, name: str, value: Value) -> None:
        """Bind a name in the running function, honouring ``global`` and ``nonlocal``."""
        frame = self.frame
        scope = frame.scope
        if scope is None:
            self.heap.write(frame.slots, name, value)
            return
        code = scope.code
        if code is not None and name in code.globals:
            self.bind_global(names.module_slots(self, frame.module), name, value)
        elif code is not None and name in code.nonlocals:
            target = names.scope_of(scope, name)
            self.heap.write(target if target is not None else scope.slots, name, value)
        else:
            self.heap.write(scope.slots, name, value)

    def bind_global(self, slots: Slots, name: str, value: Value) -> None:
        """Assign a module's variable from a function. Where it was None and becomes something exact it is initialised on first use:
        that holds from then on, whichever branch came first."""
        if slots.get(name, MISSING) is None and isinstance(value, EXACT_TYPES + (EnumMember,)):
            self.assume("import-state")
            slots[name] = value
        else:
            self.heap.write(slots, name, value)

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
        for ancestor in classes.resolution_order(self, cls):
            if isinstance(ancestor, ClassValue) and ancestor.node is not None:
                for node in ancestor.node.body:
                    if isinstance(node, ast.FunctionDef) and node.name == name and "setter" in names.decorators(node):
                        return FunctionValue(ancestor.module, name, node, None, None, ancestor)
        return None

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

    def outside_attribute(self, base: str, name: str) -> bool:
        return self.library.has_attribute(base, name)

    def is_module_base(self, name: str) -> bool:
        return self.library.is_module_base(name)

    def is_named_tuple(self, cls: ClassValue) -> bool:
        return any(isinstance(a, External) and a.name.endswith("NamedTuple") for a in classes.resolution_order(self, cls))

    def ancestors(self, cls: ClassValue) -> tuple[Value, ...]:
        return classes.resolution_order(self, cls)

    def enum_dict(self, cls: ClassValue) -> DictValue:
        return self.dict({member.name: member for member in classes.enum_members(self, cls)})

    def class_value(self, module: Module, node: ast.ClassDef) -> Value:
        return ClassValue(module, node.name, node, (), self.heap.new())

    def is_instance(self, value: Value, cls: Value) -> bool | None:
        return classes.is_instance(self, value, cls)

    def outside_instance(self, value: Value, cls: Value) -> bool | None:
        return self.library.is_instance(value, cls)

    @property
    def list_methods(self) -> frozenset[str]:
        return self.library.list_methods

    @property
    def tensor_names(self) -> frozenset[str]:
        return tensors.NAMES

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

    def list(self, items: tuple[Value, ...], *, modules: bool = False, iterator: bool = False) -> ListValue:
        return ListValue(self.heap.new(items=items), modules, iterator)

    def append(self, target: ListValue, value: Value) -> None:
        items = containers.items_of(self, target)
        if isinstance(items, tuple):
            self.heap.write(target.state, "items", (*items, layers.kept(self, value)))

    def set(self, items: tuple[Value, ...]) -> SetValue:
        return SetValue(self.heap.new(items=items))

    def set_from(self, items: tuple[Value, ...]) -> Value:
        """A set of these values, duplicates dropped; unknown where it cannot be told what is one."""
        kept: list[Value] = []
        for item in items:
            answers = [operators.compare(self, "==", item, other) for other in kept]
            if True in answers:
                continue
            if any(answer is not False for answer in answers):
                return self.unknown_items("set")
            kept.append(item)
        return self.set(tuple(kept))

    def dict(self, entries: dict[str, Value]) -> DictValue:
        made = DictValue(self.heap.new())
        for key, value in entries.items():
            made.state[(containers.WRAPPER, key)] = value
        return made

    def unknown_items(self, kind: str) -> Value:
        """A list, set or dict of which the length is not known."""
        if kind == "tuple":
            return self.mystery("tuple", "a tuple of unknown length", not_none=True)
        if kind == "dict":
            made = self.dict({})
            made.state["#open"] = True
            return made
        items = self.mystery("items", "a collection of unknown length", not_none=True)
        state = self.heap.new(items=items)
        return SetValue(state) if kind == "set" else ListValue(state)

    def rest(self, value: Value) -> Value:
        """Something spread of which the length is not known: it makes what it is spread into unknown, too."""
        raise GiveUp(f"{self.show(value)} is spread, and its length is not known", self.location())

    def sequence(self, items: tuple[Value, ...]) -> Value:
        return items

    def spread_keywords(self, value: Value, keywords: dict[str, Value]) -> bool:
        """Add ``**value`` to keyword arguments; False where not all of its keys are known."""
        value = require(self, value, "what is spread depends on it")
        found = containers.entries(self, value) if isinstance(value, DictValue) else None
        keywords.update({key: held for key, held in found or () if isinstance(key, str)})
        return found is not None

    def call_incomplete(self, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
        """A call of which not all arguments are known: its result is not either."""
        if isinstance(function, ClassValue | External) and not calls.tensors_in(args, keywords):
            return self.mystery(self.show(function), "not all arguments of its constructor are known", not_none=True)
        if any(calls.holds_code(self, v) for v in (*args, *keywords.values())) or any(self.is_stream(t) for t in calls.tensors_in(args, keywords)):
            raise GiveUp(f"{self.show(function)} is called with arguments of which not all are known", self.location())
        return self.call_outside(function, args, keywords)

    def exception_name(self, value: Value) -> str:
        match value:
            case Instance():
                return value.cls.name
            case ClassValue():
                return value.name
            case ExternalObject():
                return value.cls.rpartition(".")[2]
            case External():
                return value.name.rpartition(".")[2]
        return "Exception"

    def exception_kinds(self, kind: str, value: Value) -> tuple[str, ...]:
        """An exception's class and those that it inherits from, by name."""
        cls = value.cls if isinstance(value, Instance) else value
        if not isinstance(cls, ClassValue):
            return (kind,)
        return tuple(a.name.rpartition(".")[2] for a in classes.resolution_order(self, cls) if isinstance(a, ClassValue | External))

    def exception_text(self, value: Value) -> str:
        text = value.attrs.get("text") if isinstance(value, ExternalObject) else None
        return text if isinstance(text, str) else ""

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
        """A tracked id after arithmetic."""
        source = a if isinstance(a, Id) else b
        assert isinstance(source, Id)
        text = f"{op} {self.show(b)}" if source is a else f"{self.show(a)} {op}"
        place = self.location(at)
        steps = (*source.steps, Step(text, str(int(source)), str(result), place)) if place else source.steps
        return Id(result, steps)

    def tested(self, wanted: Value, element: Value) -> None:
        """A membership test found a tracked id: what follows is controlled by it."""
        if isinstance(element, Id):
            self.record("tested", str(int(element)), f"{self.show(wanted)} is in the list")

    def stored(self, holder: Value, name: str, value: Value) -> None:
        """An attribute was given a list of tracked ids."""
        items = value.state.get("items") if isinstance(value, ListValue | SetValue) else value
        if isinstance(items, tuple) and items and all(isinstance(x, Id) for x in items):
            owner = holder.cls.name if isinstance(holder, Instance) else self.show(holder)
            self.record(f"{owner}.{name} =", "", f"[{', '.join(str(int(x)) for x in items if isinstance(x, Id))}]")

    # ---------------------------------------------------------- for the models

    def is_subclass(self, cls: Value, other: Value) -> bool | None:
        others = other if isinstance(other, tuple) else (other,)
        if not isinstance(cls, ClassValue):
            return True if cls in others else None
        order = classes.resolution_order(self, cls)
        if any(ancestor == wanted for ancestor in order for wanted in others):
            return True
        return False if classes.is_closed(self, cls) else None

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
        """``type(value)``."""
        match value:
            case Instance() | EnumMember():
                return value.cls
            case Phi():
                return lift(self, value, self.class_of)
            case Unknown() | External() | ExternalObject():
                return self.unknown(f"type({self.show(value)})", "the type of something unknown", not_none=True)
            case ListValue() | DictValue() | SetValue():
                return External({ListValue: "builtins.list", DictValue: "builtins.dict", SetValue: "builtins.set"}[type(value)])
        return External(f"builtins.{'int' if isinstance(value, Id) else type(value).__name__}")

    def lookup_default(self, value: Value, name: str, default: Value) -> Value:
        """``getattr(value, name, default)``."""
        value = pick(self, value)
        if isinstance(value, Phi):
            return lift(self, value, lambda v: self.lookup_default(v, name, default))
        if isinstance(value, Unknown):
            return self.get_attribute(value, name)
        known = self.condition(self.has_attribute(value, name))
        if isinstance(known, bool):
            return self.get_attribute(value, name) if known else default
        if isinstance(value, External | ExternalObject):
            return self.unknown(f"getattr({self.show(value)}, {name!r})", "an attribute of something outside the tree")
        return choose(self, known, lambda side: self.get_attribute(value, name) if side else default)

    # ------------------------------------------------------------------ config

    def config_attribute(self, value: Unknown, name: str, key: str) -> Value:
        """What is known of an attribute of the target's config; MISSING where nothing is."""
        return self.config_reader(value, name, key)
