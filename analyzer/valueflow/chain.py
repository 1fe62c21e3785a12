"""The chain of one flow: from the readers of its keys, through the setter and the target, by way of each worker, to the draft's projection."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from dataclasses import dataclass, field, replace

from ..evaluation import Model, Program, Target
from ..flows.flow import Pipeline
from ..graph import Coverage, FlowGraph, Node
from ..interpret.machine import Machine
from ..results import Location, NotEstablished
from ..source import SourceTree
from ..values import ClassValue, FunctionValue, Instance, ListValue
from ..wiring import Found
from .calls import Arguments, bind_parameters
from .domain import Method, Object, Val
from .engine import Engine, Question, SetterCall
from .relevance import Key, Relevance
from .statements import Raising, run_block
from .store import Fields, State, joined
from .fields import initial
from .tracks import tracked
from .types import FunctionNode, Types

MOST_ROUNDS = 3
"""Runs of the reading side: each may find a field that holds a model, which the next follows."""


@dataclass
class Chain:
    """The parts of one analysis of one target class."""

    program: Program
    tree: SourceTree
    found: Found
    target: Object
    question: Question
    graph: FlowGraph
    types: Types
    fields: set[tuple[ClassValue, str]] = field(default_factory=set)
    missing: dict[Location, NotEstablished] = field(default_factory=dict)
    backings: dict[Instance | ListValue, Object] = field(default_factory=dict)
    called: dict[Key, tuple[tuple[FunctionValue, ClassValue | None], ...]] = field(default_factory=dict)
    calls: list[SetterCall] = field(default_factory=list)

    @property
    def pipeline(self) -> Pipeline:
        return self.program.flow.pipeline

    @cached_property
    def projecting(self) -> Relevance:
        """What leads to a projection."""
        return Relevance(self.types, frozenset(f"{name}(" for name in self.question.projections), self.called)

    def engine(self, words: frozenset[str], drafts: tuple[Object, ...]) -> Engine:
        """A new engine on the same graph; ``drafts`` stand for the models that are not reached through the target's worker."""
        relevance = Relevance(self.types, words, self.called)
        made = Engine(
            self.question, self.types.machine, self.program.code, self.types, self.graph, relevance,
            lambda thing: self.model(thing, drafts), self.guess, self.projecting, drafts,
        )  # fmt: skip
        made.backings = self.backings
        made.model_fields = self.fields
        return made

    def model(self, thing: Object, drafts: tuple[Object, ...]) -> tuple[Object, ...]:
        """The models that a field holds: the target's where the way to it leads through the target's worker, or there is no draft."""
        if thing.field is None or not self.holds_model(*thing.field):
            return ()
        through_target = any(part in self.pipeline.target_worker for part in thing.path.split("."))
        return (self.target,) if through_target or not drafts else drafts

    def guess(self, cls: ClassValue, name: str) -> tuple[ClassValue, ...]:
        """The classes of a target's worker that is declared nowhere: those that hold a model."""
        del cls
        owners = sorted({owner for owner, _ in self.fields}, key=lambda owner: owner.qualified)
        return tuple(owners) if name in self.pipeline.target_worker else ()

    def holds_model(self, cls: ClassValue, name: str) -> bool:
        order = self.types.order(cls)
        return any(name == each and (owner in order or cls in self.types.order(owner)) for owner, each in self.fields)


def build_chain(program: Program, tree: SourceTree, target: Target, found: Found, question: Question) -> FlowGraph:
    """The graph of one target class."""
    graph = FlowGraph(program.flow.name, found.cls.name)
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    built = target.model({})
    if isinstance(built, Model):
        machine, backing = built.machine, built.instance
    else:
        graph.not_established.append(NotEstablished(found.cls.name, f"the model is not built: {built.reason}", _place(program, found)))
        backing = None
    chain = Chain(program, tree, found, Object(found.cls.name, found.cls, backing, lasting=True), question, graph, Types(machine))
    if backing is not None:
        chain.backings[backing] = chain.target
    heap = read_side(chain)
    served = list(work_side(chain, heap))
    graph.coverage += served
    graph.not_established += sorted(chain.missing.values(), key=lambda each: (each.at.file, each.at.line))
    return graph


def _place(program: Program, found: Found) -> Location:
    node = found.function.node
    return Location(program.printed(found.function.module.path), node.lineno if node is not None else 1)


# -------------------------------------------------------------------- the readers


def read_side(chain: Chain) -> dict[Object, Fields]:
    """From the readers of the keys to the setter: the fields that the setter leaves in the target."""
    words = frozenset((*chain.question.keys, *chain.question.setters))
    roots = list(setter_roots(chain))
    heap: dict[Object, Fields] = {}
    for _ in range(MOST_ROUNDS):
        before = len(chain.fields)
        chain.graph.clear()
        chain.missing.clear()
        chain.calls.clear()
        heap = {}
        for function, cls in roots:
            engine = chain.engine(words, ())
            run_root(engine, function, cls, {})
            chain.missing |= engine.unfollowed
            chain.calls += engine.setter_calls
            for call in engine.setter_calls:
                if tracked(call.state, call.ids):
                    heap = call.state.heap
        if len(chain.fields) == before:
            break
    return heap


def setter_roots(chain: Chain) -> Iterator[tuple[FunctionValue, ClassValue | None]]:
    """The functions from which a setter is called, outside of the classes that define one: constructors where they lead there."""
    words = tuple(word.encode() for word in chain.question.setters)
    for path in chain.tree.grep(words):
        module = chain.program.index.module(chain.program.index.module_of(path))
        if module is None or not any(b"." + word in chain.tree.read(path) for word in words):
            continue
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                cls = chain.types.name(module, node.name)
                if isinstance(cls, ClassValue) and not any(chain.types.find(cls, each)[1] for each in chain.question.setters):
                    yield from class_roots(chain, cls)
            elif isinstance(node, FunctionNode) and calls_setter(chain, node):
                function = chain.types.name(module, node.name)
                if isinstance(function, FunctionValue):
                    yield function, None


def class_roots(chain: Chain, cls: ClassValue) -> Iterator[tuple[FunctionValue, ClassValue]]:
    assert cls.node is not None
    methods = [node for node in cls.node.body if isinstance(node, FunctionNode) and calls_setter(chain, node)]
    if not methods:
        return
    made = chain.types.find(cls, "__init__")[0]
    relevance = Relevance(chain.types, frozenset(chain.question.setters), chain.called)
    if isinstance(made, FunctionValue) and relevance.reaches(made, cls):
        yield made, cls
        return
    for node in methods:
        function = chain.types.find(cls, node.name)[0]
        if isinstance(function, FunctionValue):
            yield function, cls


def calls_setter(chain: Chain, node: FunctionNode) -> bool:
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in chain.question.setters
        for each in ast.walk(node)
    )


def run_root(
    engine: Engine, function: FunctionValue, cls: ClassValue | None, heap: dict[Object, Fields], receiver: Val | None = None,
    given: dict[str, Val] | None = None,
) -> State | None:  # fmt: skip
    """Run a function from outside: its receiver and parameters are whatever they are declared to be, but for those given."""
    code = engine.lower(function)
    if code is None:
        return None
    if receiver is None and cls is not None:
        receiver = Val((Object(cls.name, cls, lasting=True),))
    callee = Method(function, receiver)
    state = State({}, dict(heap))
    symbol_owner = cls if cls is not None else function.owner
    frame = engine.new_frame(code, function.module, function, symbol_owner, receiver, {}, None)
    frame.owner = function.owner
    with engine.entered(frame):
        bind_parameters(engine, state, code, callee, Arguments((), given or {}, {}, False))
        try:
            end = run_block(engine, code.body, state)
        except Raising as raising:
            end = raising.state
    for _, each in frame.results:
        end = joined(end, each, lambda thing, name: initial(engine, thing, name))
    return end


# -------------------------------------------------------------------- the workers


def work_side(chain: Chain, heap: dict[Object, Fields]) -> Iterator[Coverage]:
    """From the target's forward through each worker to each draft."""
    drafts = [draft for draft in draft_models(chain) if takes_states(chain, draft)]
    words = frozenset(f"{name}{call}" for _, name in chain.fields for call in ("(", ".forward("))
    for function, cls in worker_roots(chain):
        place = Location(chain.program.printed(cls.module.path), cls.node.lineno if cls.node is not None else 1)
        for draft in drafts:
            engine = chain.engine(words, (draft,))
            run_root(engine, function, cls, heap)
            chain.missing |= engine.unfollowed
            print(cls.name, draft, engine.statements, len(chain.graph.nodes), [(str(h), n) for h, n, _ in engine.consumed])
        yield Coverage(cls.name, place, (), ())


def takes_states(chain: Chain, draft: Object) -> bool:
    """Whether a model projects what it finds at one of the flow's inputs, and nothing else with it."""
    assert isinstance(draft.cls, ClassValue)
    forward = chain.types.find(draft.cls, "forward")[0]
    if not isinstance(forward, FunctionValue):
        return False
    aside = replace(chain, graph=FlowGraph(chain.graph.flow, chain.graph.model))
    engine = aside.engine(frozenset(), (draft,))
    code = engine.lower(forward)
    probe = Node("field", "probe", Location("", 0))
    heap: dict[Object, Fields] = {}
    given: dict[str, Val] = {}
    tensors = chain.program.flow.tensor_inputs
    for parameter in code.parameters[1:] if code is not None else ():
        if parameter.name in tensors or "Tensor" in (parameter.annotation or ""):
            continue
        batch = Object(parameter.name)
        given[parameter.name] = Val((batch,))
        for way in chain.pipeline.draft_inputs:
            outer, _, inner = way.partition(".")
            holder = Object(f"{parameter.name}.{outer}")
            heap[batch] = {**heap.get(batch, {}), outer: Val((holder,))}
            heap[holder] = {**heap.get(holder, {}), inner: Val(open=True, marks=frozenset({probe}))}
    run_root(engine, forward, draft.cls, heap, Val((draft,)), given)
    return bool(engine.consumed)


def worker_roots(chain: Chain) -> list[tuple[FunctionValue, ClassValue]]:
    """The methods by which workers are run. One that inherits the method of another worker is run as that."""
    classes = list(worker_classes(chain))
    found = [(function, cls) for cls in classes for function in entry_methods(chain, cls)]
    if not found:
        return [(function, cls) for cls in classes for function in loose_methods(chain, cls)]
    own = [(function, cls) for function, cls in found if function.owner is cls]
    return own or found


def worker_classes(chain: Chain) -> Iterator[ClassValue]:
    """The classes that hold a target's worker."""
    words = tuple(word.encode() for word in chain.pipeline.target_worker)
    for path in chain.tree.grep(words) if words else ():
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            cls = chain.types.name(module, node.name) if isinstance(node, ast.ClassDef) and module is not None else None
            if isinstance(cls, ClassValue) and holds_worker(chain, cls):
                yield cls


def holds_worker(chain: Chain, cls: ClassValue) -> bool:
    """Whether objects of the class have the target's worker, as an attribute or a property."""
    names = chain.pipeline.target_worker
    return any(name in chain.types.assigned(each) for name in names for each in chain.types.order(cls)) or any(
        isinstance(chain.types.find(cls, name)[0], FunctionValue) for name in names
    )


def entry_methods(chain: Chain, cls: ClassValue) -> Iterator[FunctionValue]:
    """The method by which the flow says that workers are run."""
    for method in chain.pipeline.worker_methods:
        found, owner = chain.types.find(cls, method)
        if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
            yield found
            return


def loose_methods(chain: Chain, cls: ClassValue) -> Iterator[FunctionValue]:
    """The methods that use the target's worker and that no other method calls."""
    users = Relevance(chain.types, frozenset(f"{word}." for word in chain.pipeline.target_worker), chain.called)
    assert cls.node is not None
    methods = [node for node in cls.node.body if isinstance(node, FunctionNode) and node.name != "__init__"]
    called = {each.attr for node in methods for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    for node in methods:
        function = chain.types.find(cls, node.name)[0]
        if node.name not in called and isinstance(function, FunctionValue) and users.reaches(function, cls):
            yield function


def draft_models(chain: Chain) -> tuple[Object, ...]:
    """An object for each entry class that may be the draft: its file projects something."""
    found: list[Object] = []
    entry = chain.program.flow.entry
    for path in chain.tree.grep(tuple(f".{name}(".encode() for name in chain.question.projections)):
        if entry.encode() not in chain.tree.read(path):
            continue
        module = chain.program.index.module(chain.program.index.module_of(path))
        if module is None:
            continue
        for name in entry_names(module.tree, entry):
            cls = chain.types.name(module, name)
            if isinstance(cls, ClassValue):
                found.append(Object(f"draft:{cls.name}", cls, lasting=True))
    return tuple(found)


def entry_names(tree: ast.Module, entry: str) -> list[str]:
    """The class names that a module's entry variable lists."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == entry for t in node.targets):
            items = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            return [item.id for item in items if isinstance(item, ast.Name)]
    return []

