"""Where the analysis starts: the functions that come to a setter, the methods that run a worker, and how either is run from outside."""
from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .. import ir
from ..values import ClassValue, FunctionValue
from .domain import Method, Object, Val
from .engine import Engine
from .fields import initial
from .names import FunctionNode
from .parameters import Arguments, bind_parameters, parameter_places
from .statements import run_block
from .store import Fields, Raising, State, joined

if TYPE_CHECKING:
    from .chain import Chain


class Life(NamedTuple):
    """Functions to run from outside, one after the other, and the class on one object of which they run."""

    functions: tuple[FunctionValue, ...]
    cls: ClassValue | None = None


def run_life(engine: Engine, life: Life, heap: dict[Object, Fields], thing: Object | None = None) -> State | None:
    """Run all of them, on ``thing`` where that is given; the state behind the last one, None where that is not reached."""
    thing = Object(life.cls.name, life.cls, lasting=True) if thing is None and life.cls is not None else thing
    receiver = Val((thing,)) if thing is not None else None
    state: State | None = None
    for function in life.functions:
        state = run_root(engine, function, life.cls, heap, receiver)
        if state is None:
            return None
        heap = state.heap
    return state


def run_root(
    engine: Engine, function: FunctionValue, cls: ClassValue | None, heap: dict[Object, Fields], receiver: Val | None = None,
    given: dict[str, Val] | None = None, *, from_outside: bool = False,
) -> State | None:  # fmt: skip
    """Run a function from outside: its receiver and parameters are whatever they are declared to be, but for those given. With
    ``from_outside`` the first parameter is the tracked value."""
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
        if from_outside:
            track_first(engine, state, code, function)
        try:
            end = run_block(engine, code.body, state)
        except Raising as raising:
            end = raising.state
    for _, each in frame.results:
        end = joined(end, each, lambda thing, name: initial(engine, thing, name))
    return end


def track_first(engine: Engine, state: State, code: ir.Function, function: FunctionValue) -> None:
    """Begin with what a setter is given; one that takes nothing decides itself, by being called."""
    name = code.parameters[1].name if len(code.parameters) > 1 else function.name
    node = engine.node("parameter", name, parameter_places(function).get(name, code.at))
    engine.graph.given_at(node)
    if len(code.parameters) > 1:
        state.names[name] = Val(open=True, marks=frozenset({node}))
    else:
        state.control = frozenset({node})


def setter_roots(chain: Chain) -> Iterator[Life]:
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
                    yield Life((function,))


def class_roots(chain: Chain, cls: ClassValue) -> Iterator[Life]:
    assert cls.node is not None
    methods = [node for node in cls.node.body if isinstance(node, FunctionNode) and calls_setter(chain, node)]
    if not methods:
        return
    made = chain.types.find(cls, "__init__")[0]
    relevance = chain.searching(chain.question.setters)
    if isinstance(made, FunctionValue) and relevance.reaches(made, cls):
        yield Life((made,), cls)
        return
    for node in methods:
        function = chain.types.find(cls, node.name)[0]
        if isinstance(function, FunctionValue):
            yield Life((function,), cls)


def calls_setter(chain: Chain, node: FunctionNode) -> bool:
    """Whether a function asks something for a setter, by its name or by a text that is its name."""
    names = chain.question.setters
    return any(
        (isinstance(each, ast.Attribute) and each.attr in names) or (isinstance(each, ast.Constant) and each.value in names)
        for each in ast.walk(node)
    )


def callers_of(chain: Chain, roots: Sequence[Life]) -> Iterator[Life]:
    """The objects by way of which these functions are called, where the ids are not read next to the setter's call: a constructor that
    leads there, or a method that does, behind the constructor."""
    names = {life.cls.name if life.cls is not None else life.functions[0].name for life in roots}
    setting = chain.searching(chain.question.setters)
    known = [life.cls for life in roots]
    for path in chain.tree.grep(tuple(name.encode() for name in sorted(names))) if names else ():
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            cls = chain.types.name(module, node.name) if isinstance(node, ast.ClassDef) and module is not None else None
            if isinstance(cls, ClassValue) and cls not in known:
                made = chain.types.find(cls, "__init__")[0]
                if isinstance(made, FunctionValue) and setting.reaches(made, cls):
                    yield Life((made,), cls)
                else:
                    yield from lives_of(chain, cls, made, names)
    for life in roots:
        made = chain.types.find(life.cls, "__init__")[0] if life.cls is not None else None
        if isinstance(made, FunctionValue) and made.node is not life.functions[0].node:
            yield Life((made, *life.functions), life.cls)


def lives_of(chain: Chain, cls: ClassValue, made: object, names: Collection[str]) -> Iterator[Life]:
    """The lives of an object whose methods, called from outside, call a function by one of these names."""
    first = (made,) if isinstance(made, FunctionValue) else ()
    for node in cls.node.body if cls.node is not None else ():
        if isinstance(node, FunctionNode) and any(isinstance(each, ast.Name) and each.id in names for each in calls_in(node)):
            function = chain.types.find(cls, node.name)[0]
            if isinstance(function, FunctionValue) and function.node is node:
                yield Life((*first, function), cls)


def calls_in(node: FunctionNode) -> Iterator[ast.expr]:
    """What a function calls."""
    return (each.func for each in ast.walk(node) if isinstance(each, ast.Call))


def worker_roots(chain: Chain) -> list[tuple[FunctionValue, ClassValue]]:
    """The methods by which workers are run. One that inherits the method of another worker is run as that."""
    classes = list(worker_classes(chain))
    found = [(function, cls) for cls in classes for function in entry_methods(chain, cls)]
    if not found:
        return [(function, cls) for cls in classes for function in loose_methods(chain, cls)]
    own = [(function, cls) for function, cls in found if function.owner is cls or overrides(chain, cls)]
    return own or found


def overrides(chain: Chain, cls: ClassValue) -> bool:
    """Whether a worker that inherits how it is run has a method of its own in the place of an inherited one."""
    methods = [node.name for node in (cls.node.body if cls.node is not None else ()) if isinstance(node, FunctionNode)]
    inherited = chain.types.order(cls)[1:]
    return any(name != "__init__" and any(chain.types.find(base, name)[1] for base in inherited) for name in methods)


def heirs_of(chain: Chain, cls: ClassValue) -> list[ClassValue]:
    """The workers that are run exactly as this one is."""
    run = [each for _, each in worker_roots(chain)]
    return [each for each in worker_classes(chain) if cls in chain.types.order(each)[1:] and each not in run]


def worker_classes(chain: Chain) -> Iterator[ClassValue]:
    """The classes that hold a target's worker; where the flow names none, those of the objects that came to a setter."""
    if not chain.pipeline.target_worker:
        yield from chain.runners
        return
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
    """The method by which the flow says that workers are run, as a worker defines it: what it inherits of a plain one is no way through."""
    for method in chain.pipeline.worker_methods:
        found, owner = chain.types.find(cls, method)
        by_itself = not chain.pipeline.target_worker
        if isinstance(found, FunctionValue) and isinstance(owner, ClassValue) and (by_itself or holds_worker(chain, owner)):
            yield found
            return


def loose_methods(chain: Chain, cls: ClassValue) -> Iterator[FunctionValue]:
    """The methods that use the target's worker and that no other method calls."""
    users = chain.searching(frozenset(chain.pipeline.target_worker))
    assert cls.node is not None
    methods = [node for node in cls.node.body if isinstance(node, FunctionNode) and node.name != "__init__"]
    called = {each.attr for node in methods for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    for node in methods:
        function = chain.types.find(cls, node.name)[0]
        if node.name not in called and isinstance(function, FunctionValue) and users.reaches(function, cls):
            yield function
