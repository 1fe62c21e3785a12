"""The draft models of a tree: which classes project captured states."""
from __future__ import annotations

import ast
from collections.abc import Iterable

from ..graph import FlowGraph, Node
from ..results import Location
from ..values import ClassValue, FunctionValue
from .chain import Chain
from .domain import Object, Val
from .roots import run_root
from .store import Fields


def draft_models(chain: Chain) -> tuple[Object, ...]:
    """An object for each entry class that may be the draft: it projects captured states, and nothing else with them. A draft's config
    says which."""
    words = [f".{name}{end}".encode() for name in chain.question.projections for end in ("(", ".", "=", " =", "\n")]
    paths = chain.tree.grep(tuple(words))
    found = drafts_in(chain, paths)
    names = tuple(draft.path.removeprefix("draft:").encode() for draft in found)
    heirs = [path for path in (chain.tree.grep(names) if names else ()) if path not in paths]
    found += drafts_in(chain, heirs)
    named = [draft for draft in found if draft.path.removeprefix("draft:") in chain.architectures]
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
        listed = [*entry_names(module.tree, entry), *(name for name in chain.architectures if name in module.scope.names)]
        for name in dict.fromkeys(listed):
            cls = chain.types.name(module, name)
            if isinstance(cls, ClassValue):
                draft = Object(f"draft:{cls.name}", cls, lasting=True)
                found += [draft] if takes_states(chain, draft) else []
    return found


def entry_names(tree: ast.Module, entry: str) -> list[str]:
    """The class names that a module's entry variable lists."""
    for node in reversed(tree.body):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == entry for t in node.targets):
            items = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            return [item.id for item in items if isinstance(item, ast.Name)]
    return []


def takes_states(chain: Chain, draft: Object) -> bool:
    """Whether a model projects what it finds at one of the flow's inputs, and nothing else with it."""
    assert isinstance(draft.cls, ClassValue)
    forward = chain.types.find(draft.cls, "forward")[0]
    if not isinstance(forward, FunctionValue):
        return False
    engine = chain.engine(chain.projecting, (draft,), FlowGraph(chain.graph.flow, chain.graph.model))
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
