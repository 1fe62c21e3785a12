"""Short texts for expressions, for the labels of nodes."""
from __future__ import annotations

from .. import ir


def index_text(node: ir.Expression) -> str:
    """What stands between the brackets; an axis that is left out is ``...``, as in the source."""
    match node:
        case ir.Slice():
            ends = (node.lower, node.upper) if node.step is None else (node.lower, node.upper, node.step)
            return ":".join("" if part is None else text_of(part) for part in ends)
        case ir.Display():
            return ", ".join(map(index_text, node.items))
        case ir.EllipsisConst():
            return "..."
    return text_of(node)


def test_text(node: ir.Compare) -> str:
    op, right = node.comparisons[0]
    return f"{text_of(node.left)} {op} {text_of(right)}"


def key_asked_for(node: ir.Call) -> str:
    """The key that ``holder.get("key")`` asks for."""
    first = node.arguments[0].value if node.arguments else None
    if isinstance(node.func, ir.Attribute) and node.func.attr == "get" and isinstance(first, ir.Const) and isinstance(first.value, str):
        return first.value
    return ""


def text_of(node: ir.Expression) -> str:
    match node:
        case ir.Name():
            return node.id
        case ir.Attribute():
            return f"{text_of(node.value)}.{node.attr}"
        case ir.Const():
            return repr(node.value)
        case ir.Unary():
            return f"{node.op} {text_of(node.operand)}" if node.op == "not" else f"{node.op}{text_of(node.operand)}"
        case ir.Subscript():
            return f"{text_of(node.value)}[{index_text(node.index)}]"
        case ir.Call():
            return f"{text_of(node.func)}(…)"
        case ir.Binary():
            return f"{text_of(node.left)} {node.op} {text_of(node.right)}"
    return "…"
