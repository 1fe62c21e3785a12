"""The intermediate representation: what the interpreter executes.

A small frozen tree, lowered from libcst (see :mod:`flowcheck.analyzer.lower`). It is smaller than Python's grammar: operators
are strings, a chained comparison is a chain, an annotated assignment is an assignment, a lambda is a function whose body is one
``return``. What has no place here becomes :class:`OpaqueExpression` or :class:`OpaqueStatement` with its source text, and the
interpreter answers *not established* where it meets one.

Every node carries ``at``: the exact place of its first token.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias


class At(NamedTuple):
    """Line (from 1) and column (from 0, in characters) in the file of the enclosing :class:`Function` or module."""

    line: int
    column: int


Scalar: TypeAlias = None | bool | int | float | complex | str | bytes


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Const:
    value: Scalar
    at: At


@dataclass(frozen=True, slots=True)
class EllipsisConst:
    at: At


@dataclass(frozen=True, slots=True)
class Name:
    id: str
    at: At


@dataclass(frozen=True, slots=True)
class Attribute:
    value: Expression
    attr: str
    at: At


@dataclass(frozen=True, slots=True)
class Slice:
    """``lower:upper:step`` inside a subscript."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None
    at: At


@dataclass(frozen=True, slots=True)
class Subscript:
    """``value[index]``; several indices are one :class:`Display` of kind ``tuple``."""

    value: Expression
    index: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: positional, ``keyword=value``, ``*value`` (star 1) or ``**value`` (star 2)."""

    value: Expression
    keyword: str | None
    star: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Call:
    func: Expression
    arguments: tuple[Argument, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Binary:
    """``op`` is the source operator: ``+ - * / // % ** @ << >> & | ^``. ``at`` is the left operand's place."""

    op: str
    left: Expression
    right: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Unary:
    """``op`` is ``-``, ``+``, ``~`` or ``not``."""

    op: str
    operand: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Boolean:
    """``left and right`` or ``left or right``; longer chains nest."""

    op: Literal["and", "or"]
    left: Expression
    right: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op0 right0 op1 right1 …``; an op is ``== != < <= > >= is`` ``is not`` ``in`` or ``not in``."""

    left: Expression
    comparisons: tuple[tuple[str, Expression], ...]
    at: At


@dataclass(frozen=True, slots=True)
class Conditional:
    """``body if test else orelse``."""

    test: Expression
    body: Expression
    orelse: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Lambda:
    function: Function
    at: At


@dataclass(frozen=True, slots=True)
class Starred:
    """``*value`` in a display or in an assignment target."""

    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Display:
    """A list, tuple or set written out."""

    kind: Literal["list", "tuple", "set"]
    items: tuple[Expression, ...]
    at: At


@dataclass(frozen=True, slots=True)
class DictDisplay:
    """A dict written out; a key of None marks ``**value``."""

    items: tuple[tuple[Expression | None, Expression], ...]
    at: At


@dataclass(frozen=True, slots=True)
class Clause:
    """``for target in iterable if condition …`` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """``element`` is the key of a dict comprehension, whose value is ``value``."""

    kind: Literal["list", "set", "dict", "generator"]
    element: Expression
    value: Expression | None
    clauses: tuple[Clause, ...]
    at: At


@dataclass(frozen=True, slots=True)
class FormattedString:
    """An f-string: literal text as :class:`Const`, and the expressions between; one with a conversion or format is opaque."""

    parts: tuple[Expression, ...]
    at: At


@dataclass(frozen=True, slots=True)
class NamedExpression:
    """``target := value``."""

    target: Name
    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Await:
    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Yield:
    """``yield value`` or, with ``delegate``, ``yield from value``."""

    value: Expression | None
    delegate: bool
    at: At


@dataclass(frozen=True, slots=True)
class OpaqueExpression:
    """An expression that this representation has no place for."""

    text: str
    at: At


Expression: TypeAlias = (
    Const
    | EllipsisConst
    | Name
    | Attribute
    | Slice
    | Subscript
    | Call
    | Binary
    | Unary
    | Boolean
    | Compare
    | Conditional
    | Lambda
    | Starred
    | Display
    | DictDisplay
    | Comprehension
    | FormattedString
    | NamedExpression
    | Await
    | Yield
    | OpaqueExpression
)


# ----------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression as a statement."""

    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Assign:
    """``targets[0] = targets[1] = … = value``, assigned from left to right."""

    targets: tuple[Expression, ...]
    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class AugmentedAssign:
    """``target op= value``; ``op`` without the ``=``."""

    target: Expression
    op: str
    value: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Annotate:
    """``target: annotation`` without a value."""

    target: Expression
    at: At


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    at: At


@dataclass(frozen=True, slots=True)
class If:
    """``elif`` nests in ``orelse``."""

    test: Expression
    body: Block
    orelse: Block
    at: At


@dataclass(frozen=True, slots=True)
class For:
    target: Expression
    iterable: Expression
    body: Block
    orelse: Block
    at: At


@dataclass(frozen=True, slots=True)
class While:
    test: Expression
    body: Block
    orelse: Block
    at: At


@dataclass(frozen=True, slots=True)
class With:
    """Each item is the context expression and its ``as`` target."""

    items: tuple[tuple[Expression, Expression | None], ...]
    body: Block
    at: At


@dataclass(frozen=True, slots=True)
class Handler:
    """``except type as name``; no type catches everything."""

    type: Expression | None
    name: str | None
    body: Block
    at: At


@dataclass(frozen=True, slots=True)
class Try:
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block
    at: At


@dataclass(frozen=True, slots=True)
class Raise:
    exception: Expression | None
    at: At


@dataclass(frozen=True, slots=True)
class Assert:
    test: Expression
    message: Expression | None
    at: At


@dataclass(frozen=True, slots=True)
class Pass:
    at: At


@dataclass(frozen=True, slots=True)
class Break:
    at: At


@dataclass(frozen=True, slots=True)
class Continue:
    at: At


@dataclass(frozen=True, slots=True)
class Delete:
    targets: tuple[Expression, ...]
    at: At


@dataclass(frozen=True, slots=True)
class Import:
    """``import module as alias``, one for each name; without ``alias`` the first part of ``module`` is bound."""

    names: tuple[tuple[str, str | None], ...]
    at: At


@dataclass(frozen=True, slots=True)
class ImportFrom:
    """``from module import name as alias``; ``level`` counts the leading dots; ``names`` is None for ``*``."""

    module: str
    level: int
    names: tuple[tuple[str, str | None], ...] | None
    at: At


@dataclass(frozen=True, slots=True)
class DefineFunction:
    function: Function
    at: At


@dataclass(frozen=True, slots=True)
class DefineClass:
    """A class statement met inside a function. Module-level classes are known to the index and never lowered whole."""

    name: str
    bases: tuple[Expression, ...]
    body: Block
    at: At


@dataclass(frozen=True, slots=True)
class OpaqueStatement:
    """A statement that this representation has no place for (``match``, ``async for`` …)."""

    text: str
    at: At


Statement: TypeAlias = (
    Evaluate
    | Assign
    | AugmentedAssign
    | Annotate
    | Return
    | If
    | For
    | While
    | With
    | Try
    | Raise
    | Assert
    | Pass
    | Break
    | Continue
    | Delete
    | Import
    | ImportFrom
    | DefineFunction
    | DefineClass
    | OpaqueStatement
)
Block: TypeAlias = tuple[Statement, ...]


# ------------------------------------------------------------------ functions


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``kind`` as in Python's grammar. ``annotation`` is the annotation's source text, or None."""

    name: str
    kind: Literal["positional-only", "positional", "star", "keyword-only", "star-star"]
    default: Expression | None
    annotation: str | None


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or lambda (``name`` is then ``<lambda>``).

    ``bound`` names every name that the body binds itself (parameters, assignments, loop targets, imports, nested definitions, ``with``
    and ``except`` targets, walrus targets), less those declared ``global`` or ``nonlocal``, which stand in ``globals`` and
    ``nonlocals``. Comprehension targets are not bound here: they live in the comprehension.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    decorators: tuple[Expression, ...]
    bound: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]
    is_async: bool
    is_generator: bool
    at: At
