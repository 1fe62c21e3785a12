"""The draft models of a tree: which classes project captured states, and how wide their projection is."""
from __future__ import annotations

import ast

from ..graph import Edge, FlowGraph, Node
from ..results import Location
from ..values import ClassValue, FunctionValue
from .chain import Chain
from .domain import Object, Val
from .roots import run_root
from .store import Fields
from .types import FunctionNode, local_values


def draft_models(chain: Chain) -> tuple[Object, ...]:
    """An object for each entry class that may be the draft: it projects captured states, and nothing else with them. A draft's config
    says which."""
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
                draft = Object(f"draft:{cls.name}", cls, lasting=True)
                found += [draft] if takes_states(chain, draft) else []
    named = [draft for draft in found if draft.path.removeprefix("draft:") in chain.architectures]
    return tuple(named or found)


def entry_names(tree: ast.Module, entry: str) -> list[str]:
    """The class names that a module's entry variable lists."""
    for node in tree.body:
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


# ------------------------------------------------------------------------ widths


def show_width(chain: Chain, holder: Object, name: str, consumer: Node) -> None:
    """Nodes for what the input width of a projection is made of, as its class's constructor says it."""
    if not isinstance(holder.cls, ClassValue):
        return
    for owner in chain.types.order(holder.cls):
        for function, value, _ in chain.types.assigned(owner).get(name, []):
            expression = input_width(value)
            if expression is not None:
                node = width_node(chain, owner, function, expression)
                chain.graph.connect(Edge(node, consumer, "width", "input width"))
                show_origins(chain, owner, function, expression, node, set())
                return


def input_width(value: ast.expr) -> ast.expr | None:
    """The expression for the input width in the call that makes a projection: its first argument, or the one that is named so."""
    if not isinstance(value, ast.Call):
        return None
    named = {keyword.arg: keyword.value for keyword in value.keywords}
    return next((named[key] for key in ("in_features", "input_size") if key in named), value.args[0] if value.args else None)


def width_node(chain: Chain, owner: ClassValue, function: FunctionNode, expression: ast.expr) -> Node:
    place = Location(chain.program.printed(owner.module.path), expression.lineno)
    return Node("width", ast.unparse(expression), place, expression.col_offset, f"{owner.name}.{function.name}")


def show_origins(
    chain: Chain, owner: ClassValue, function: FunctionNode, expression: ast.expr, node: Node, seen: set[str]
) -> None:
    """What the names in an expression were assigned, back to what is read from the config."""
    for each in ast.walk(expression):
        match each:
            case ast.Attribute(value=ast.Name(id=base), attr=attr) if function.args.args and base == function.args.args[0].arg:
                assigned = [(f, v) for f, v, _ in chain.types.assigned(owner).get(attr, [])]
                label = f"self.{attr}"
            case ast.Name(id=base):
                assigned = [(function, value) for value in local_values(function, base)]
                label = base
            case _:
                continue
        if label in seen:
            continue
        seen.add(label)
        for inner, value in assigned:
            origin = width_node(chain, owner, inner, value)
            chain.graph.connect(Edge(origin, node, "width", label))
            show_origins(chain, owner, inner, value, origin, seen)
