"""An expression in words, as it is written, with names replaced by what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import ir

MAX_DEPTH = 12
"""Expressions inside one another that are written out; what is deeper is left as an ellipsis."""
OPEN = "…"
WHOLE = 9


def strength(node: ir.Expression) -> int:
    """How strongly an operator binds; what is none is whole."""
    match node:
        case ir.Conditional() | ir.Lambda() | ir.NamedExpression():
            return 0
        case ir.Boolean():
            return 1 if node.op == "or" else 2
        case ir.Unary():
            return 3 if node.op == "not" else 6
        case ir.Compare():
            return 4
        case ir.Binary():
            return 5
    return WHOLE


def worded(node: ir.Expression, renamed: Callable[[str], str | None], meant: Mapping[str, ir.Expression]) -> tuple[str, bool]:
    """The text of an expression, and whether it mentions what ``renamed`` knows.

    ``renamed`` gives the word for a name, "" for one that keeps its own but counts as a mention, None for any other. ``meant`` holds the
    expressions that local names stand for; they are written out where a mention is inside.
    """
    writer = Writer(renamed, meant)
    return writer.text(node), writer.mentions


@dataclass(slots=True)
class Writer:
    renamed: Callable[[str], str | None]
    meant: Mapping[str, ir.Expression]
    mentions: bool = False
    depth: int = 0

    def text(self, node: ir.Expression) -> str:
        if self.depth >= MAX_DEPTH:
            return OPEN
        self.depth += 1
        try:
            return self.written(node)
        finally:
            self.depth -= 1

    def written(self, node: ir.Expression) -> str:
        match node:
            case ir.Name():
                return self.name(node.id)
            case ir.Const():
                return repr(node.value)
            case ir.Attribute():
                return f"{self.inner(node.value)}.{node.attr}"
            case ir.Subscript():
                return f"{self.inner(node.value)}[{self.index(node.index)}]"
            case ir.Call():
                return f"{self.inner(node.func)}({', '.join(map(self.argument, node.arguments))})"
            case ir.Unary():
                operand = self.inner(node.operand, strength(node))
                return f"{node.op} {operand}" if node.op == "not" else f"{node.op}{operand}"
            case ir.Binary() | ir.Boolean():
                return f"{self.inner(node.left, strength(node))} {node.op} {self.inner(node.right, strength(node))}"
            case ir.Compare():
                links = (f" {op} {self.inner(right, strength(node))}" for op, right in node.comparisons)
                return self.inner(node.left, strength(node)) + "".join(links)
            case ir.Display():
                return self.display(node)
            case ir.Comprehension(value=None):
                return self.comprehension(node)
        return OPEN

    def name(self, name: str) -> str:
        word = self.renamed(name)
        if word is not None:
            self.mentions = True
        if word:
            return word
        meaning = self.meant.get(name)
        if meaning is not None:
            inside = Writer(self.renamed, {key: value for key, value in self.meant.items() if key != name}, depth=self.depth)
            text = inside.text(meaning)
            if inside.mentions and OPEN not in text:
                self.mentions = True
                return text
        return name

    def inner(self, node: ir.Expression, around: int = WHOLE) -> str:
        """An operand of something that binds its operands as strongly as ``around``, in parentheses where it needs them."""
        text = self.text(node)
        target = self.meant.get(node.id) if isinstance(node, ir.Name) and text != node.id else node
        own = WHOLE if target is None else strength(target)
        loose = own < around or (own == around and isinstance(target, ir.Compare | ir.Binary))
        return f"({text})" if loose else text

    def index(self, node: ir.Expression) -> str:
        if not isinstance(node, ir.Slice):
            return self.text(node)
        ends = (node.lower, node.upper) if node.step is None else (node.lower, node.upper, node.step)
        return ":".join("" if part is None else self.text(part) for part in ends)

    def argument(self, argument: ir.Argument) -> str:
        if isinstance(argument.value, ir.Comprehension) and argument.value.kind == "generator":
            return self.text(argument.value)[1:-1]
        text = "*" * argument.star + self.text(argument.value)
        return f"{argument.keyword}={text}" if argument.keyword else text

    def display(self, node: ir.Display) -> str:
        items = ", ".join(map(self.text, node.items))
        match node.kind:
            case "list":
                return f"[{items}]"
            case "set":
                return f"{{{items}}}"
        return f"({items},)" if len(node.items) == 1 else f"({items})"

    def comprehension(self, node: ir.Comprehension) -> str:
        clauses = ""
        for clause in node.clauses:
            clauses += f" for {self.text(clause.target)} in {self.inner(clause.iterable)}"
            clauses += "".join(f" if {self.text(condition)}" for condition in clause.conditions)
        text = self.text(node.element) + clauses
        return f"[{text}]" if node.kind == "list" else f"{{{text}}}" if node.kind == "set" else f"({text})"
