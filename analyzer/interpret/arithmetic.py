"""Arithmetic: exact operands give exact results, tracked ids stay tracked, tensors add as multisets."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import ir
from ..library.torch_models import BUFFERS
from ..values import (
    EXACT_TYPES,
    ClassValue,
    Content,
    DictValue,
    Id,
    Instance,
    ListValue,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from .branch import lift, map_leaves
from .buffers import combined
from .classes import find_in_class
from .containers import items_of
from .operators import compare, negate, reads_ids, reason_of

if TYPE_CHECKING:
    from .machine import Machine


BINARY: dict[str, Callable[[object, object], object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "|": "or", "&": "and"}


MAX_NUMBER_BITS = 4096
"""Larger numbers than this are not computed: huge literals are an attack, not an id."""


def binary(machine: Machine, op: str, a: Value, b: Value, at: ir.At) -> Value:
    """``a op b``."""
    if type(a) is Phi:
        return (map_leaves if is_number(a) and is_number(b) else lift)(machine, a, lambda v: binary(machine, op, v, b, at))
    if type(b) is Phi:
        return (map_leaves if is_number(a) and is_number(b) else lift)(machine, b, lambda v: binary(machine, op, a, v, at))
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return tensor_binary(machine, op, a, b, at)
    if isinstance(a, EXACT_TYPES) and isinstance(b, EXACT_TYPES):
        return exact_binary(machine, op, a, b, at)
    if isinstance(a, ListValue) and isinstance(b, ListValue) and op == "+":
        left, right = items_of(machine, a), items_of(machine, b)
        return (
            machine.new_list(left + right, modules=a.modules)
            if isinstance(left, tuple) and isinstance(right, tuple)
            else machine.mystery("list", "unknown items")
        )
    if (
        isinstance(a, ListValue)
        and isinstance(b, int)
        and op == "*"
        and isinstance(items := items_of(machine, a), tuple)
        and len(items) * b <= 100_000
    ):
        return machine.new_list(items * b)
    if isinstance(a, tuple) and isinstance(b, tuple) and op == "+":
        return a + tuple(machine.kept(item) for item in b)
    if isinstance(a, tuple) and isinstance(b, int) and op == "*" and len(a) * b <= 100_000:
        return a * b
    if isinstance(a, SetValue) and isinstance(b, SetValue):
        return set_binary(machine, op, a, b)
    if op == "%" and isinstance(a, str):
        return machine.mystery("text", "a formatted text", not_none=True)
    if isinstance(a, Instance):
        found, owner = find_in_class(machine, a.cls, f"__{DUNDER.get(op, op)}__")
        if isinstance(owner, ClassValue):
            return machine.call(machine.bind(found, a), (b,), {})
    plain = (int, float, str, tuple, ListValue, DictValue, type(None))
    if isinstance(a, plain) and isinstance(b, plain) and op == "+":
        names = [{ListValue: "list", DictValue: "dict", type(None): "NoneType", Id: "int"}.get(type(v), type(v).__name__) for v in (a, b)]
        raise machine.raised("TypeError", f"unsupported operand type(s) for {op}: {names[0]!r} and {names[1]!r}", at)
    return unknown_number(machine, op, a, b)


def unknown_number(machine: Machine, op: str, a: Value, b: Value) -> Unknown:
    """What an operation makes of what is not known."""
    key = f"({machine.show(a)} {op} {machine.show(b)})"
    linear = combined(machine, op, a, b) if op in ("+", "-", "*") else None
    if linear is not None:
        machine.linears[key] = linear
    both_positive = op in "+*" and all((isinstance(v, Unknown) and v.positive) or (isinstance(v, int) and v > 0) for v in (a, b))
    return machine.unknown(key, reason_of(a, b), reads_ids=reads_ids(a) or reads_ids(b), not_none=True, positive=both_positive)


def is_number(value: Value) -> bool:
    if type(value) is Phi:
        return is_number(value.if_true) and is_number(value.if_false)
    return isinstance(value, int | float | str | Unknown)


def exact_binary(machine: Machine, op: str, a: Value, b: Value, at: ir.At) -> Value:
    if op not in BINARY:
        raise machine.raised("TypeError", f"unsupported operand type(s) for {op}", at)
    if (op in ("**", "<<", "*") and any(isinstance(v, int) and v.bit_length() > 64 for v in (a, b))) or (
        op in ("**", "<<") and isinstance(b, int) and abs(b) > MAX_NUMBER_BITS
    ):
        return machine.mystery("number", "a number too large to compute")
    if (
        op == "*"
        and isinstance(a, str | bytes | int)
        and isinstance(b, str | bytes | int)
        and any(isinstance(v, int) and v > 10_000 for v in (a, b))
        and not (isinstance(a, int) and isinstance(b, int))
    ):
        return machine.mystery("text", "a text too long to compute")
    try:
        result = BINARY[op](a, b)
    except TypeError as error:
        names = ["NoneType" if v is None else "int" if isinstance(v, Id) else type(v).__name__ for v in (a, b)]
        text = str(error) if "unsupported" not in str(error) else f"unsupported operand type(s) for {op}: {names[0]!r} and {names[1]!r}"
        raise machine.raised("TypeError", text, at) from None
    except (ArithmeticError, ValueError) as error:
        raise machine.raised(type(error).__name__, str(error), at) from None
    if isinstance(result, int) and not isinstance(result, bool) and (isinstance(a, Id) or isinstance(b, Id)):
        return machine.moved(op, a, b, result, at)
    return result  # type: ignore[return-value]


def set_binary(machine: Machine, op: str, a: SetValue, b: SetValue) -> Value:
    left, right = items_of(machine, a), items_of(machine, b)
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return machine.mystery("set", "unknown items")

    def has(items: tuple[Value, ...], value: Value) -> bool:
        return any(compare(machine, "==", value, x) is True for x in items)

    match op:
        case "|":
            return machine.new_set((*left, *(x for x in right if not has(left, x))))
        case "&":
            return machine.new_set(tuple(x for x in left if has(right, x)))
        case "-":
            return machine.new_set(tuple(x for x in left if not has(right, x)))
    return machine.mystery("set", f"sets with {op}")


def tensor_binary(machine: Machine, op: str, a: Value, b: Value, at: ir.At) -> Value:
    """Arithmetic with a tensor: ``+`` adds the multisets, a scalar factor marks each part as scaled, all else is opaque."""
    for operand in (a, b):
        if isinstance(operand, Tensor) and op in "+-*/":
            machine.treat_as_tensor(operand)
    if a is None or b is None:
        names = ["NoneType" if v is None else "Tensor" for v in (a, b)]
        raise machine.raised("TypeError", f"unsupported operand type(s) for {op}: {names[0]!r} and {names[1]!r}", at, certain=True)
    if isinstance(a, tuple | ListValue | str) or isinstance(b, tuple | ListValue | str):
        tensor, other = (a, b) if isinstance(a, Tensor) else (b, a)
        if isinstance(tensor, Tensor) and tensor.exact and op in "+-*/":
            name = "list" if isinstance(other, ListValue) else type(other).__name__
            names = ["Tensor", name] if tensor is a else [name, "Tensor"]
            raise machine.raised("TypeError", f"unsupported operand type(s) for {op}: {names[0]!r} and {names[1]!r}", at)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if op == "+":
            return machine.tensor(add_contents(machine, machine.content(a), machine.content(b)))
        for tensor, factor in ((a, b), (b, a)) if op == "*" else ():
            token = factor_of(machine, machine.content(factor))
            if token is not None and machine.is_stream(tensor):
                return machine.tensor(marked(machine, machine.content(tensor), token))
        return machine.opaque(f"Tensor {op} Tensor", (a, b), exact=True)
    tensor, other = (a, b) if isinstance(a, Tensor) else (b, a)
    assert isinstance(tensor, Tensor)
    if op in ("*", "/") and (op == "*" or tensor is a):
        return machine.tensor(scale(machine, machine.content(tensor), op, other))
    if op in "+-" and isinstance(other, int | float) and other == 0 and (op == "+" or tensor is a):
        return machine.tensor(machine.content(tensor))
    if op == "+" and isinstance(other, Unknown) and not other.not_none:
        return machine.mystery("sum", f"{other.key} is added to a tensor, and may be anything: {other.reason}")
    if op == "+":
        return machine.tensor(add_contents(machine, machine.content(tensor), machine.content(machine.opaque(machine.show(other), ()))))
    return machine.opaque(f"Tensor {op} {machine.show(other)}", (tensor,), exact=True)


def factor_of(machine: Machine, content: Value) -> str | None:
    """The name of a factor that is a buffer made before the layers run; it scales a sum as it scales each part."""
    if not isinstance(content, Content) or len(content.parts) != 1:
        return None
    ((atom, scales),) = content.parts
    if atom.name not in BUFFERS or atom.inputs or atom.layer >= 0 or scales:
        return None
    return f"*{atom!r}#{machine.factors.setdefault(atom, len(machine.factors))}"


def add_contents(machine: Machine, a: Value, b: Value) -> Value:
    if type(a) is Phi:
        return lift(machine, a, lambda v: add_contents(machine, v, b))
    if type(b) is Phi:
        return lift(machine, b, lambda v: add_contents(machine, a, v))
    if isinstance(a, Content) and isinstance(b, Content):
        return a.plus(b)
    return a if not isinstance(a, Content) else b


def scale(machine: Machine, content: Value, op: str, factor: Value) -> Value:
    if factor == 1 and isinstance(factor, int | float):
        return content
    if op == "*" and isinstance(factor, int | float) and factor == 0:
        return Content({})
    return marked(machine, content, f"{op}{machine.show(factor)}")


def marked(machine: Machine, content: Value, token: str) -> Value:
    """A content with a factor on each part."""
    return lift(machine, content, lambda c: c.scaled(token) if isinstance(c, Content) else c)


def augmented(machine: Machine, op: str, target: Value, value: Value, at: ir.At) -> Value:
    """``target op= value``: in place where the target's type does it in place."""
    if type(target) is Phi:
        return lift(machine, target, lambda v: augmented(machine, op, v, value, at))
    if isinstance(target, Tensor):
        result = binary(machine, op, target, value, at)
        if isinstance(result, Tensor):
            machine.write_content(target, result.cell["content"])
            return target
        machine.write_content(target, result)
        return target
    if isinstance(target, ListValue) and op == "+":
        return machine.call_method(target, "extend", (value,), at) or target
    if isinstance(target, SetValue) and op == "|":
        return machine.call_method(target, "update", (value,), at) or target
    return binary(machine, op, target, value, at)


def unary(machine: Machine, op: str, value: Value, at: ir.At) -> Value:
    if op == "not":
        return negate(machine, value)
    if type(value) is Phi:
        return lift(machine, value, lambda v: unary(machine, op, v, at))
    if isinstance(value, Id) and op == "-":
        return machine.moved("-", 0, value, -int(value), at)
    if isinstance(value, bool | int | float):
        return -value if op == "-" else +value if op == "+" else ~value if isinstance(value, int) else machine.mystery("~", "inversion")
    if isinstance(value, Tensor):
        return machine.tensor(scale(machine, machine.content(value), op, -1)) if op == "-" else machine.opaque(op, (value,), exact=True)
    if value is None or isinstance(value, str | tuple):
        raise machine.raised("TypeError", f"bad operand type for unary {op}: {type(value).__name__!r}", at)
    return machine.unknown(f"{op}{machine.show(value)}", reason_of(value), reads_ids=reads_ids(value), not_none=True)
