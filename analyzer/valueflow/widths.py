"""How wide the draft's projection is, and what that is made of."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from .. import ir
from ..graph import Edge, FlowGraph, Node
from ..results import Location
from ..values import ClassValue, External, FunctionValue
from .chain import Chain
from .domain import Exact, Object, Val
from .drafts import with_config
from .names import FunctionNode
from .roots import run_root

WIDTHS = ("in_features", "input_size")
"""Parameters of a linear layer for its input width, where it is not the first."""

OUTPUTS = ("embedding_dim", "out_features", "output_size")
"""Parameters of an embedding or of a linear layer for its output width."""


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
    found = widths_in(chain, owner, function, name, input_argument)
    return found[0] if found else None


def input_argument(call: ir.Call) -> ir.Expression | None:
    named = {argument.keyword: argument.value for argument in call.arguments}
    return next((named[key] for key in WIDTHS if key in named), call.arguments[0].value if call.arguments else None)


def width_made(chain: Chain, maker: Object) -> int | None:
    """How wide what a part of the draft makes is, where its constructor's call and the draft's config tell."""
    owner, name = maker.field or (None, "")
    if owner is None or maker.cls is None:
        return None
    place = output_place(chain, maker.cls)
    found: list[int | None] = []
    for cls in chain.types.order(owner):
        for function in dict.fromkeys(function for function, _, _ in chain.types.assigned(cls).get(name, [])):
            found += widths_in(chain, cls, function, name, lambda call: output_argument(call, place))
    return found[0] if len(set(found)) == 1 else None


def output_place(chain: Chain, cls: ClassValue | External) -> int | None:
    """Which of the arguments that have no name tells the output width of a part."""
    if isinstance(cls, External):
        return 1 if cls.name.rpartition(".")[2] in ("Embedding", "Linear") else None
    made = chain.types.find(cls, "__init__")[0]
    node = made.node if isinstance(made, FunctionValue) else None
    names = [argument.arg for argument in node.args.args[1:]] if node is not None else []
    return next((names.index(each) for each in OUTPUTS if each in names), None)


def output_argument(call: ir.Call, place: int | None) -> ir.Expression | None:
    named = {argument.keyword: argument.value for argument in call.arguments}
    plain = [argument.value for argument in call.arguments if argument.keyword is None]
    return next((named[key] for key in OUTPUTS if key in named), plain[place] if place is not None and place < len(plain) else None)


def widths_in(
    chain: Chain, owner: ClassValue, function: FunctionNode, name: str, argument: Callable[[ir.Call], ir.Expression | None]
) -> list[int | None]:
    """What an argument of each call is whose result the constructor assigns to the attribute, run with the draft's config in hand."""
    made = chain.types.find(owner, function.name)[0]
    if "draft" not in chain.question.configs or not isinstance(made, FunctionValue):
        return []
    engine = chain.engine(chain.projecting, (), FlowGraph(chain.graph.flow, chain.graph.model))
    code = engine.lower(made)
    if code is None:
        return []
    receiver = Val((Object(owner.name, owner),))
    state = run_root(engine, made, owner, {}, receiver, with_config(code))
    found: list[int | None] = []
    for call in assignments(code.body, name) if state is not None else ():
        expression = argument(call)
        with engine.entered(engine.new_frame(code, made.module, made, owner, receiver, {}, None)):
            only = engine.evaluate(expression, state).only if expression is not None and state is not None else None
        found.append(int(only.value) if isinstance(only, Exact) and isinstance(only.value, int) else None)
    return found


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
