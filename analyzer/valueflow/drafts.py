"""The draft models of a tree: which classes project captured states."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .. import ir
from ..graph import FlowGraph, Node
from ..results import Location
from ..values import ClassValue, FunctionValue
from .chain import DRAFT, Chain
from .domain import Object, Val, is_constant
from .names import FunctionNode
from .roots import run_root
from .store import Fields


def draft_models(chain: Chain) -> tuple[Object, ...]:
    """An object for each entry class that may be the draft: it projects captured states, and nothing else with them. A draft's config
    says which."""
    words = [f".{name}{end}".encode() for name in chain.question.projections for end in ("(", ".", "=", " =", "\n")]
    paths = chain.tree.grep(tuple(words))
    found = drafts_in(chain, paths)
    names = tuple(draft.path.removeprefix(DRAFT).encode() for draft in found)
    heirs = [path for path in (chain.tree.grep(names) if names else ()) if path not in paths]
    found += drafts_in(chain, heirs)
    once = {draft.cls.node: draft for draft in reversed(found) if isinstance(draft.cls, ClassValue)}  # others import it
    found = list(reversed(once.values()))
    named = [draft for draft in found if draft.path.removeprefix(DRAFT) in chain.architectures]
    return tuple(named or found)


def drafts_in(chain: Chain, paths: Iterable[str]) -> list[Object]:
    """The drafts among the entry classes of these files, and among the classes that the draft's config names."""
    found: list[Object] = []
    entry = chain.program.flow.entry
    for path in paths:
        data = chain.tree.read(path)
        if not any(word.encode() in data for word in (entry, *chain.architectures)):
            continue
        module = chain.program.index.module(chain.program.index.module_of(path))
        if module is None:
            continue
        own = entry_names(module.tree, entry) if entry else projecting_classes(chain, module.tree)
        listed = [*own, *(name for name in chain.architectures if name in module.scope.names)]
        for name in dict.fromkeys(listed):
            cls = chain.types.name(module, name)
            if isinstance(cls, ClassValue):
                draft = Object(f"{DRAFT}{cls.name}", cls, lasting=True)
                found += [draft] if projects(chain, draft) else []
    return found


def entry_names(tree: ast.Module, entry: str) -> list[str]:
    """The class names that a module's entry variable lists."""
    for node in reversed(tree.body):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == entry for t in node.targets):
            items = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            return [item.id for item in items if isinstance(item, ast.Name)]
    return []


def projecting_classes(chain: Chain, tree: ast.Module) -> Iterator[str]:
    """The classes of a module that have one of a draft's methods, where no variable lists the classes; without such methods all."""
    methods = chain.program.flow.draft_methods
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            own = {each.name for each in node.body if isinstance(each, FunctionNode)}
            if not methods or own & {*methods}:
                yield node.name


def projects(chain: Chain, draft: Object) -> bool:
    """Whether a model projects captured states, and nothing else with them."""
    for way in ways_in(chain, draft):
        engine = chain.engine(chain.projecting, (draft,), FlowGraph(chain.graph.flow, chain.graph.model))
        run_root(engine, way.function, draft.cls, way.heap, Val((draft,)), way.given)  # type: ignore[arg-type]
        if engine.consumed:
            return True
    return False


class Way(NamedTuple):
    """A method of a draft that is given captured states: what the objects hold, and what the parameters are."""

    function: FunctionValue
    heap: dict[Object, Fields]
    given: dict[str, Val]


def ways_in(chain: Chain, draft: Object) -> Iterator[Way]:
    """How a draft gets captured states: its forward, at one of the flow's inputs on the batch; any other method that projects, as its first
    argument, where the flow names no such place."""
    assert isinstance(draft.cls, ClassValue)
    probe = Val(open=True, marks=frozenset({Node("field", "probe", Location("", 0))}))
    if chain.pipeline.draft_inputs:
        forward = chain.types.find(draft.cls, "forward")[0]
        if isinstance(forward, FunctionValue):
            yield with_batch(chain, forward, probe)
        return
    bodies = [owner.node.body for owner in chain.types.order(draft.cls) if owner.node is not None]
    for name in dict.fromkeys(node.name for body in bodies for node in body if isinstance(node, FunctionNode)):
        function = chain.types.find(draft.cls, name)[0]
        if name not in ("forward", "__init__") and isinstance(function, FunctionValue) and chain.projecting.mentioned(function):
            code = lowered(chain, function)
            first = [parameter.name for parameter in code.parameters[1:2]] if code is not None else []
            yield Way(function, {}, dict.fromkeys(first, probe))


def lowered(chain: Chain, function: FunctionValue) -> ir.Function | None:
    return chain.engine(chain.projecting, (), FlowGraph(chain.graph.flow, chain.graph.model)).lower(function)


def with_batch(chain: Chain, forward: FunctionValue, probe: Val) -> Way:
    """A forward whose batch has captured states at the flow's inputs."""
    heap: dict[Object, Fields] = {}
    given: dict[str, Val] = {}
    code = lowered(chain, forward)
    for parameter in code.parameters[1:] if code is not None else ():
        if parameter.name in chain.program.flow.tensor_inputs or "Tensor" in (parameter.annotation or ""):
            continue
        batch = Object(parameter.name)
        given[parameter.name] = Val((batch,))
        for way in chain.pipeline.draft_inputs:
            outer, _, inner = way.partition(".")
            holder = Object(f"{parameter.name}.{outer}")
            heap[batch] = {**heap.get(batch, {}), outer: Val((holder,))}
            heap[holder] = {**heap.get(holder, {}), inner: probe}
    return Way(forward, heap, given)


def settled_fields(chain: Chain, cls: ClassValue) -> dict[str, Val]:
    """What the constructor of a draft's part makes of the config, where that is in hand: the attributes that are constants then, and that
    nothing else in the class writes."""
    return {name: Val(val.things) for name, val in built_fields(chain, cls).items() if is_constant(val)}


def built_fields(chain: Chain, cls: ClassValue) -> dict[str, Val]:
    """What the constructor of a draft's part leaves in attributes that nothing else in the class writes, where the config is in hand."""
    made = chain.types.find(cls, "__init__")[0]
    if "draft" not in chain.question.configs or not isinstance(made, FunctionValue):
        return {}
    engine = chain.engine(chain.projecting, (), FlowGraph(chain.graph.flow, chain.graph.model))
    receiver = Object(cls.name, cls)
    state = run_root(engine, made, cls, {}, Val((receiver,)), with_config(engine.lower(made)))
    fields = state.fields(receiver) if state is not None and not engine.doubts else {}
    return {name: val for name, val in fields.items() if not val.marks and is_set_once(chain, cls, name)}


def is_set_once(chain: Chain, cls: ClassValue, name: str) -> bool:
    """Whether only constructors write an attribute, as far as the class itself goes."""
    writers = [function.name for owner in chain.types.order(cls) for function, _, _ in chain.types.assigned(owner).get(name, [])]
    return bool(writers) and set(writers) == {"__init__"}


def with_config(code: ir.Function | None) -> dict[str, Val]:
    """The draft's config for the parameters of a constructor that are called so."""
    config = Val(open=True, origin=frozenset({("draft", ())}))
    needed = [parameter for parameter in code.parameters[1:] if parameter.default is None] if code is not None else []
    return {parameter.name: config for parameter in needed if parameter.name.endswith("config")}
