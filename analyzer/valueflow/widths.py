"""How wide the draft's projection is, and what that is made of."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .. import ir
from ..graph import Edge, FlowGraph, Node
from ..results import Location
from ..values import ClassValue, FunctionValue
from .chain import Chain
from .domain import Exact, Object, Val
from .drafts import with_config
from .names import FunctionNode
from .roots import run_root

WIDTHS = ("in_features", "input_size")
"""Parameters of a linear layer for its input width, where it is not the first."""


def show_width(chain: Chain, holder: Object, name: str, consumer: Node) -> None:
    """Nodes for what the input width of a projection is made of, as its class's constructor says it."""
    if not isinstance(holder.cls, ClassValue):
        return
    for owner in chain.types.order(holder.cls):
        for function, value, _ in chain.types.assigned(owner).get(name, []):
            expression = input_width(value)
            if expression is not None:
                node = width_node(chain, owner, function, expression)
                width = known_width(chain, owner, function, name)
                chain.graph.connect(Edge(node, consumer, "width", "input width", "", "" if width is None else str(width)))
                show_origins(chain, owner, function, expression, node, set())
                return


def input_width(value: ast.expr) -> ast.expr | None:
    """The expression for the input width in the call that makes a projection: its first argument, or the one that is named so."""
    if not isinstance(value, ast.Call):
        return None
    named = {keyword.arg: keyword.value for keyword in value.keywords}
    return next((named[key] for key in WIDTHS if key in named), value.args[0] if value.args else None)


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
                assigned = [(function, value) for value in chain.types.local_values(function, base)]
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


def known_width(chain: Chain, owner: ClassValue, function: FunctionNode, name: str) -> int | None:
    """The input width as a number, where the draft's config in hand tells: the constructor is run with that config."""
    made = chain.types.find(owner, function.name)[0]
    if "draft" not in chain.question.configs or not isinstance(made, FunctionValue):
        return None
    engine = chain.engine(chain.projecting, (), FlowGraph(chain.graph.flow, chain.graph.model))
    code = engine.lower(made)
    if code is None:
        return None
    receiver = Val((Object(owner.name, owner),))
    state = run_root(engine, made, owner, {}, receiver, with_config(code))
    call = next((each for each in assignments(code.body, name)), None)
    if state is None or call is None:
        return None
    named = {argument.keyword: argument.value for argument in call.arguments}
    expression = next((named[key] for key in WIDTHS if key in named), call.arguments[0].value if call.arguments else None)
    with engine.entered(engine.new_frame(code, made.module, made, owner, receiver, {}, None)):
        only = engine.evaluate(expression, state).only if expression is not None else None
    return int(only.value) if isinstance(only, Exact) and isinstance(only.value, int) else None


def assignments(block: ir.Block, name: str) -> Iterator[ir.Call]:
    """The calls whose result a block assigns to an attribute of this name."""
    for statement in block:
        match statement:
            case ir.Assign(targets=targets, value=ir.Call() as call):
                if any(isinstance(target, ir.Attribute) and target.attr == name for target in targets):
                    yield call
            case ir.If(body=body, orelse=orelse):
                yield from assignments((*body, *orelse), name)
            case ir.With(body=body):
                yield from assignments(body, name)
