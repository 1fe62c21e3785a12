"""The value-flow analysis runs functions of the tree on values of :mod:`.domain`, both ways at every open branch."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from .. import ir
from ..graph import FlowGraph, Node, NodeKind
from ..index import Module
from ..interpret.code import Code
from ..interpret.dispatch import returned_class
from ..interpret.machine import Machine
from ..interpret.signals import GiveUp
from ..launches import LookupSide
from ..library.facts import Supposed
from ..other_ways import Overlaid
from ..results import Location, NotEstablished
from ..values import MISSING, ClassValue, EnumMember, External, ExternalObject, FunctionValue, Instance, ListValue
from .asked import Frame, Miss, Question, SetterCall
from .converters import Conversion
from .domain import UNKNOWN, Exact, Method, Object, Origin, Outside, Thing, Val, exact, role_of
from .fields import whole
from .flags import launched
from .items import is_list
from .journal import Journal
from .measures import is_helper
from .relevance import Relevance, worth_tracing
from .store import State
from .tracks import Tracks, held, holds, tracked
from .types import Types

MOST_STATEMENTS = 120_000
"""Statements executed from one root before what is left is not followed."""
MOST_CALLS = 40
"""Calls inside one another."""


@dataclass(slots=True)
class Engine:
    """One analysis: what is asked, what is known of the tree, the graph that is written, and the stack of running functions.

    ``models`` answers which objects stand for a field that holds a model (none: it holds no model), ``guess`` of which classes an
    attribute may be that is declared nowhere. ``drafts`` are the draft models: what one answers is its own. ``consumed`` collects the
    calls of a projection: the object, its attribute, and the node. ``settled`` answers what an attribute of a draft is by its config.
    ``rewritten``: entries of configs that are written to. ``reading``: before the setter is called.
    """

    question: Question
    machine: Machine
    code: Code
    types: Types
    graph: FlowGraph
    relevance: Relevance
    models: Callable[[Object], tuple[Object, ...]]
    guess: Callable[[ClassValue, str], tuple[ClassValue, ...]]
    projecting: Relevance
    drafts: tuple[Object, ...] = ()
    tracks: Tracks = field(init=False)
    frames: list[Frame] = field(default_factory=list)
    statements: int = 0
    serial: int = 0
    handed: int = 0
    raised: bool = False
    open: int = 0
    wrappers: dict[ast.AST, Val | None] = field(default_factory=dict)
    symbolic: dict[tuple[Object, str], Val] = field(default_factory=dict)
    backings: dict[Instance | ListValue, Object] = field(default_factory=dict)
    made: dict[tuple[str, Location], Val] = field(default_factory=dict)
    settled: Callable[[Object, str], Val | None] | None = None
    model_fields: set[tuple[ClassValue, str]] = field(default_factory=set)
    rewritten: set[Origin] = field(default_factory=set)
    reading: bool = True
    setter_calls: list[SetterCall] = field(default_factory=list)
    consumed: list[tuple[Object, str, Node]] = field(default_factory=list)
    assumptions: set[str] = field(default_factory=set)
    doubts: dict[Location, NotEstablished] = field(default_factory=dict)
    missed: list[Miss] = field(default_factory=list)
    overlaid: dict[int, Overlaid] = field(default_factory=dict)
    unfollowed: dict[Location, NotEstablished] = field(default_factory=dict)
    journal: Journal = field(default_factory=Journal)
    converted: dict[Object, Conversion] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    side: LookupSide = "setter"

    def __post_init__(self) -> None:
        self.tracks = Tracks(self.graph)

    # ------------------------------------------------------------------ places

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def location(self, at: ir.At) -> Location:
        return self.machine.place(self.frame.module.path, at.line)

    def node(self, kind: NodeKind, label: str, at: ir.At) -> Node:
        frame = self.frame
        return Node(kind, label, self.location(at), at.column, frame.symbol, frame.context)

    def maker(self, kind: NodeKind, label: str, at: ir.At) -> Callable[[], Node]:
        """Makes the node when it turns out that there is something to follow."""
        return lambda: self.node(kind, label, at)

    def lost(self, what: str, reason: str, at: ir.At) -> None:
        """A tracked value went where it is not followed."""
        place = self.location(at)
        self.unfollowed.setdefault(place, NotEstablished(what, reason, place))

    def doubt(self, reason: str, at: ir.At) -> None:
        """Something happens to what is followed that this analysis does not tell exactly: no proof can rest on it."""
        place = self.location(at)
        self.doubts.setdefault(place, NotEstablished("the value", reason, place))

    @property
    def is_open(self) -> bool:
        """Whether control is here only under a condition that is not known."""
        return self.open > 0 or any(frame.left for frame in self.frames)

    def consume(self, holder: Object, name: str, node: Node) -> None:
        self.consumed.append((holder, name, node))
        self.journal.projected.append((node, tuple(self.journal.arms)))

    def note_setter(self, receiver: Object, ids: Val, at: Location, state: State) -> None:
        self.setter_calls.append(SetterCall(receiver, ids, at, state.copy()))
        self.handed += bool(tracked(state, ids))

    def holds_model(self, thing: Object, name: str) -> bool:
        """Whether a field of this object is one that holds a model."""
        return isinstance(thing.cls, ClassValue) and bool(self.models(Object(f"{thing.path}.{name}", field=(thing.cls, name))))

    # ---------------------------------------------------------------- operations
    # Expressions, calls and statements need one another; here they find each other.

    def evaluate(self, node: ir.Expression, state: State) -> Val:
        from .expressions import evaluate

        return evaluate(self, node, state)

    def tested(self, state: State, node: ir.Expression, test: Val) -> frozenset[Node]:
        from .conditions import tested

        return tested(self, state, node, test)

    def assign(self, state: State, target: ir.Expression, val: Val, at: ir.At) -> None:
        from .assignment import assign

        assign(self, state, target, val, at)

    def run_block(self, block: ir.Block, state: State) -> State | None:
        from .statements import run_block

        return run_block(self, block, state)

    # ------------------------------------------------------------------- bounds

    def count(self) -> bool:
        """Whether there is room for one more statement."""
        self.statements += 1
        if self.statements == MOST_STATEMENTS + 1:
            self.bound(f"more than {MOST_STATEMENTS:,} statements")
        return self.statements <= MOST_STATEMENTS

    def bound(self, what: str) -> None:
        """A bound is hit: what comes behind it is not followed."""
        self.lost(what, "what comes behind is not followed", self.at)
        self.doubt(f"{what}: what comes behind is not followed", self.at)

    def worth(self, function: FunctionValue, receiver: Val | None, arguments: tuple[Val, ...], state: State) -> bool:
        """Whether a function must be run: something tracked, or a config, goes in, or what is looked for can come of it."""
        if len(self.frames) >= MOST_CALLS:
            self.bound(f"more than {MOST_CALLS} calls inside one another")
        if len(self.frames) >= MOST_CALLS or self.statements > MOST_STATEMENTS:
            return False
        if self.question.traced and (answer := worth_tracing(self.question.traced, function, arguments)) is not None:
            return answer
        if self.in_draft and not self.reaches_projection(function, receiver):
            return self.journal.measuring and is_helper(function, arguments)
        if any(val.marks or val.origin or self.is_path(val) or held(state, val) or val.only in self.converted for val in arguments):
            return True
        objects = receiver.objects if receiver is not None else ()
        if state.control and any(is_list(thing) or isinstance(thing, Outside) for val in arguments for thing in val.things):
            return True
        if state.control and any(map(is_list, objects)):  # a method of a list's may put something in
            return True
        if any(self.is_marked_model(state, thing) or self.is_handle(thing) for val in arguments for thing in val.objects):
            return True
        if any(holds(state, thing) or self.is_marked_model(state, thing) for thing in objects):
            return True
        if any(self.is_handle(each) for thing in objects if thing.made for val in state.fields(thing).values() for each in val.objects):
            return True
        if receiver is not None and isinstance(receiver.only, Exact) and isinstance(receiver.only.value, EnumMember):
            return True
        classes = [thing.cls for thing in objects if isinstance(thing.cls, ClassValue)]
        return any(self.relevance.reaches(function, cls) for cls in (*classes, *([] if classes else [function.owner])))

    @property
    def in_draft(self) -> bool:
        """Whether a draft model is running: of that only the way to the projection matters."""
        return any(frame.receiver is not None and any(thing in self.drafts for thing in frame.receiver.objects) for frame in self.frames)

    def reaches_projection(self, function: FunctionValue, receiver: Val | None) -> bool:
        classes = [thing.cls for thing in receiver.objects if isinstance(thing.cls, ClassValue)] if receiver is not None else []
        return any(self.projecting.reaches(function, cls) for cls in (*classes, *([] if classes else [function.owner])))

    def is_path(self, val: Val) -> bool:
        return any(role_of(self.question.paths, thing) is not None for thing in val.things)

    def is_model(self, callee: object) -> bool:
        """Whether a callee is a method of a model that was found behind a field, called from outside the models."""
        receiver = callee.receiver if isinstance(callee, Method) else None
        outer = self.frames[-2].receiver if len(self.frames) > 1 else None
        roots = [thing for thing in receiver.objects if thing in self.drafts or self.is_root(thing)] if receiver is not None else []
        return bool(roots) and not (outer is not None and any(self.is_root(thing) or thing in self.drafts for thing in outer.objects))

    def is_root(self, thing: Object) -> bool:
        """Whether a thing is the target's model itself."""
        return thing.backing is not None and "." not in thing.path

    def is_handle(self, thing: Object) -> bool:
        """Whether a thing is what the target is run by: its worker, or a class that holds a model behind it."""
        holds_model = isinstance(thing.cls, ClassValue) and any(thing.cls is owner for owner, _ in self.model_fields)
        through = thing.path.split(".")
        return any(part in self.question.handles for part in (through if holds_model else through[-1:]))

    def is_given(self, thing: Thing) -> bool:
        """Whether a thing is the path of a model whose config is in hand: it was given."""
        return role_of(self.question.paths, thing) in self.question.configs

    def is_marked_model(self, state: State, model: Object) -> bool:
        """Whether the model, or a part of it, holds a tracked value."""
        if model.backing is None:
            return False
        return any(holds(state, part) for part in state.heap if part.backing is not None and part.path.startswith(model.path))

    def is_running(self, code: ir.Function, receiver: Val | None) -> bool:
        return any(frame.code is code and _objects(frame.receiver) == _objects(receiver) for frame in self.frames)

    # ------------------------------------------------------------- declarations

    def lower(self, function: FunctionValue) -> ir.Function | None:
        """The function's code; None where it cannot be read."""
        if function.code is not None:
            return function.code
        try:
            return self.code.function(function.module, function.node) if function.node is not None else None
        except GiveUp:
            return None

    def objects_of(self, path: str, module: Module, annotation: str | None) -> Val:
        """Objects of the classes that an annotation names, or one of no known class."""
        types = self.types.annotation(module, annotation) if annotation is not None else ()
        plain = [cls for cls in types if not (isinstance(cls, External) and cls.name.startswith(("builtins.", "torch.Tensor")))]
        if plain:
            self.assumptions.add("declared-types")
        return Val(tuple(Object(path, cls) for cls in plain) or (Object(path),))

    def declared_parameter(self, parameter: ir.Parameter, path: str) -> Val:
        if len(self.frames) == 1 and parameter.name in self.question.reader:
            self.assumptions.add("flow-launched")
            return exact(self.question.reader[parameter.name])
        return launched(self, parameter.name) or self.objects_of(path, self.frame.module, parameter.annotation)

    def declared_result(self, function: FunctionValue, node: ir.Call) -> Val:
        """What a function that is not run is declared to return: one object for each place that calls it."""
        key = (function.name, self.location(node.at))
        found = self.made.get(key)
        if found is None:
            returns = function.node.returns if function.node is not None else None
            annotation = ast.unparse(returns) if returns is not None else None
            found = UNKNOWN if annotation == "None" else self.objects_of(f"{function.name}()", function.module, annotation)
            self.made[key] = found
        return found

    def field_default(self, cls: ClassValue, name: str) -> Val | None:
        """The default of a dataclass's field, where it is a constant."""
        value = self.types.field_default(cls, name)
        return None if value is MISSING or isinstance(value, ExternalObject) else whole(self, value)

    def supposed(self, function: FunctionValue) -> Val | None:
        """What the flow supposes that a function of the package answers; None where it supposes nothing."""
        facts = self.machine.supposed
        found = facts.calls.get(function.name) if function.owner is None else None
        found = found or facts.returns.get(returned_class(function))
        return None if found is None else self.fact(found)

    def supposed_of(self, cls: ClassValue | External) -> Val | None:
        """What the flow supposes that an object of this class is; None where it supposes nothing."""
        found = self.machine.supposed.returns.get(cls.name.rpartition(".")[2])
        return None if found is None else self.fact(found)

    def fact(self, found: Supposed) -> Val:
        self.assumptions.add(found.assumption)
        return whole(self, self.machine.fact(found.value))

    # ------------------------------------------------------------------- frames

    def new_frame(
        self, code: ir.Function, module: Module, function: FunctionValue | None, owner: ClassValue | None, receiver: Val | None,
        around: dict[str, Val], at: ir.At | None,
    ) -> Frame:  # fmt: skip
        symbol = f"{owner.name}.{code.name}" if owner is not None else code.name
        context = self._context(symbol, receiver, at)
        return Frame(module, code, function, owner, receiver, around, context, symbol, number=next(self.numbers))

    def _context(self, symbol: str, receiver: Val | None, at: ir.At | None) -> str:
        """What tells two runs of one function apart: the calls among the methods of the root's own object, and the object that lasts on
        which the function, or the one that called it, works."""
        if not self.frames or at is None:
            return symbol
        calls, _, place = self.frame.context.partition(" @ ")
        root = self.frames[0].receiver
        if root is not None and _objects(receiver) == root.things:
            return f"{calls} > {symbol}:{at.line}"
        lasting = [thing.path for thing in receiver.objects if thing.lasting] if receiver is not None else []
        place = " | ".join(lasting) or place
        return f"{calls} @ {place}" if place else calls

    @contextmanager
    def entered(self, frame: Frame) -> Iterator[None]:
        self.frames.append(frame)
        try:
            with self.journal.ending():
                yield
        finally:
            self.frames.pop()

    def run_property(self, state: State, function: FunctionValue, receiver: Val) -> Val:
        """The value of a property."""
        from .calls import run_function
        from .parameters import Arguments

        code = self.lower(function)
        if code is None or self.is_running(code, receiver) or len(self.frames) >= MOST_CALLS:
            return UNKNOWN
        node = ir.Call(ir.Name(function.name, self.at), (), self.at)
        return run_function(self, node, Method(function, receiver), code, Arguments((), {}, {}, True), state)

    @property
    def at(self) -> ir.At:
        code = self.frame.code if self.frames else None
        return code.at if code is not None else ir.At(1, 0)


def _objects(receiver: Val | None) -> tuple[object, ...]:
    return receiver.things if receiver is not None else ()
