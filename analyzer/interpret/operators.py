"""Operators: truth, comparison, arithmetic. Exact operands give exact results, tracked ids stay tracked, tensors add as multisets."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import ir
from ..values import (
    EXACT_TYPES,
    ClassValue,
    Content,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from .branch import lift, map_leaves, pick
from .classes import find_in_class, is_enum
from .containers import iterate, items_of
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine

BINARY: dict[str, Callable[[object, object], object]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
ORDER: dict[str, Callable[[object, object], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}  # type: ignore[dict-item]
DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "|": "or", "&": "and"}
MAX_NUMBER_BITS = 4096
"""Larger numbers than this are not computed: huge literals are an attack, not an id."""


# ---------------------------------------------------------------------- truth


def truth(machine: Machine, value: Value) -> Value:
    """Whether a value counts as true: a bool, an :class:`Unknown`, or a Phi of these."""
    if type(value) is Phi:
        if is_plain(value):
            return map_leaves(machine, value, lambda v: truth(machine, v), truths=True)
        return lift(machine, value, lambda v: truth(machine, v))
    match value:
        case bool():
            return value
        case None | int() | float() | complex() | str() | bytes() | tuple() | range():
            return bool(value)
        case Unknown():
            if value.positive:
                machine.assume("batch-not-empty")
                return True
            known = machine.known(value)
            return value if known is None else known
        case ListValue() if value.iterator:
            return True
        case ListValue() | SetValue():
            return lift(machine, machine.noted(value.state, "items"), lambda items: bool(items) if isinstance(items, tuple) else truth(machine, items))
        case DictValue():
            return bool(iterate(machine, value))
        case Instance():
            return instance_truth(machine, value)
        case External() | ExternalObject() | Tensor():
            return machine.unknown(f"bool({machine.show(value)})", "the truth of something outside the tree")
    return True


def is_plain(value: Value) -> bool:
    """Whether truth and comparison of a value run no code of the tree and read no state that may change."""
    if type(value) is Phi:
        return is_plain(value.if_true) and is_plain(value.if_false)
    return isinstance(value, EXACT_TYPES + (EnumMember, Unknown, External, ClassValue, FunctionValue, Tensor))


def instance_truth(machine: Machine, value: Instance) -> Value:
    for name in ("__bool__", "__len__"):
        found, owner = find_in_class(machine, value.cls, name)
        if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
            return truth(machine, machine.call(machine.bind(found, value), (), {}))
    return True


MAX_WAYS = 8
"""Ways through a condition that are followed one by one; a condition with more becomes one unknown of its own."""


def condition(machine: Machine, value: Value) -> bool | Unknown | Phi:
    """The truth of a value as a condition to branch on: an answer, an unknown, or a Phi that asks one unknown after another."""
    found = pick(machine, truth(machine, value))
    if isinstance(found, bool | Unknown):
        return found
    if not isinstance(found, Phi):
        return machine.mystery("truth", "a truth that is not understood")
    paths = leaves(machine, found, ())
    if len({answer for _, answer in paths}) == 1:
        return paths[0][1]
    return found if len(paths) <= MAX_WAYS else composite(machine, found, paths)


Path = tuple[tuple[Unknown, bool], ...]


def leaves(machine: Machine, value: Value, path: Path) -> list[tuple[Path, bool]]:
    """The ways through a Phi of truths: what must be supposed, and the truth at the end."""
    value = pick(machine, value)
    if isinstance(value, Phi):
        true = leaves(machine, value.if_true, (*path, (value.condition, True)))
        return true + leaves(machine, value.if_false, (*path, (value.condition, False)))
    if isinstance(value, Unknown):
        return [((*path, (value, True)), True), ((*path, (value, False)), False)]
    if isinstance(value, bool):
        return [(path, value)]
    raise GiveUp("a condition that is not understood", machine.location())


def composite(machine: Machine, value: Phi, paths: list[tuple[Path, bool]]) -> Unknown:
    parts: dict[str, Unknown] = {}
    for path, _ in paths:
        for part, _ in path:
            parts.setdefault(part.key, part)
    text = " or ".join("(" + " and ".join(p.key if a else f"not {p.key}" for p, a in path) + ")" for path, answer in paths if answer)
    reads_ids = any(p.reads_ids for p in parts.values())
    made = machine.unknown(text, value.condition.reason, parts=tuple(parts.values()), reads_ids=reads_ids, at=value.condition.at)
    for answer in (True, False):
        ways = [path for path, leads in paths if leads is answer]
        if len(ways) == 1:
            machine.implied[made.key, answer] = ways[0]
    return made


# ----------------------------------------------------------------- comparison


def compare(machine: Machine, op: str, a: Value, b: Value) -> Value:
    """``a op b``: a bool, or an Unknown."""
    if type(a) is Phi:
        over = map_leaves if is_plain(a) and is_plain(b) else lift
        return over(machine, a, lambda v: compare(machine, op, v, b))
    if type(b) is Phi:
        over = map_leaves if is_plain(a) and is_plain(b) else lift
        return over(machine, b, lambda v: compare(machine, op, a, v))
    match op:
        case "is" | "is not":
            return flip(machine, identical(machine, a, b), op == "is not")
        case "==" | "!=":
            return flip(machine, equal(machine, a, b), op == "!=")
        case "in" | "not in":
            return flip(machine, contains(machine, b, a), op == "not in")
    return ordered(machine, op, a, b)


def flip(machine: Machine, value: Value, wanted: bool) -> Value:
    return negate(machine, value) if wanted else value


def negate(machine: Machine, value: Value) -> Value:
    """``not value``."""
    value = truth(machine, value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, Unknown):
        return Phi(value, False, True)
    return map_leaves(machine, value, lambda v: negate(machine, v))


def undecided(machine: Machine, op: str, a: Value, b: Value) -> Unknown:
    """A comparison that cannot be answered; the same one is the same unknown."""
    return machine.unknown(f"({machine.show(a)} {op} {machine.show(b)})", reason_of(a, b), reads_ids=reads_ids(a) or reads_ids(b))


def reason_of(*values: Value) -> str:
    return next((v.reason for v in values if isinstance(v, Unknown)), "a value that is not modelled")


def reads_ids(value: Value) -> bool:
    return isinstance(value, Id) or (isinstance(value, Unknown) and value.reads_ids)


def identical(machine: Machine, a: Value, b: Value) -> Value:
    if a is b:
        return True
    if a is None or b is None:
        other = b if a is None else a
        if isinstance(other, Unknown):
            return False if other.not_none or other.positive else undecided(machine, "is", other, None)
        if isinstance(other, External) and not other.name.startswith("builtins."):
            return False
        return False
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        related = a.cell is b.cell or any(isinstance(t, Tensor) and t.cell is b.cell for t in machine.aliases(a))
        return undecided(machine, "is", a, b) if related else False
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return True if a == b else undecided(machine, "is", a, b)
    if isinstance(a, bool | EnumMember | External) or isinstance(b, bool | EnumMember | External):
        return equal(machine, a, b)
    if isinstance(a, int | str | tuple) and isinstance(b, int | str | tuple):
        return equal(machine, a, b)
    same = getattr(a, "function", None) is not None and getattr(a, "function", None) is getattr(b, "function", 0)
    return same and getattr(a, "receiver", None) is getattr(b, "receiver", 0)


def equal(machine: Machine, a: Value, b: Value) -> Value:
    if isinstance(a, EXACT_TYPES) and isinstance(b, EXACT_TYPES):
        return a == b
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        if a == b:
            return True
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Unknown) and (one.positive and other == 0 and isinstance(other, int)):
                machine.assume("batch-not-empty")
                return False
            if isinstance(one, Unknown) and other is None and (one.not_none or one.positive):
                return False
        return undecided(machine, "==", a, b)
    if isinstance(a, EnumMember) or isinstance(b, EnumMember):
        return equal_members(machine, a, b)
    if isinstance(a, ListValue) and isinstance(b, ListValue):
        return equal(machine, items_of(machine, a), items_of(machine, b))
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        answers = [compare(machine, "==", x, y) for x, y in zip(a, b, strict=True)]
        return all(x is True for x in answers) if all(isinstance(x, bool) for x in answers) else undecided(machine, "==", a, b)
    if isinstance(a, ClassValue) or isinstance(b, ClassValue) or isinstance(a, range | None) or isinstance(b, range | None):
        return a == b
    if a is b or (isinstance(a, External) and a == b):
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor) or isinstance(a, External | ExternalObject) or isinstance(b, External | ExternalObject):
        return undecided(machine, "==", a, b)
    if isinstance(a, Instance):
        found, owner = find_in_class(machine, a.cls, "__eq__")
        if isinstance(owner, ClassValue):
            return truth(machine, machine.call(machine.bind(found, a), (b,), {}))
    return False if type(a) is not type(b) else undecided(machine, "==", a, b)


def equal_members(machine: Machine, a: Value, b: Value) -> Value:
    if isinstance(a, EnumMember) and isinstance(b, EnumMember):
        if a == b:
            return True
        if a.cls is not b.cls:
            return undecided(machine, "==", a, b)
        plain = isinstance(a.value, EXACT_TYPES) and isinstance(b.value, EXACT_TYPES)
        return a.value == b.value if plain else False
    member, other = (a, b) if isinstance(a, EnumMember) else (b, a)
    assert isinstance(member, EnumMember)
    mixes = any(isinstance(x, External) and x.name in ("enum.IntEnum", "enum.StrEnum", "builtins.str", "builtins.int") for x in machine.ancestors(member.cls))
    if mixes and isinstance(other, EXACT_TYPES):
        return equal(machine, member.value, other)
    return False if other is None or isinstance(other, EXACT_TYPES) else undecided(machine, "==", a, b)


def contains(machine: Machine, container: Value, wanted: Value) -> Value:
    """``wanted in container``. A hit of a tracked id is recorded: what it guards is controlled by the id."""
    if isinstance(container, str):
        return wanted in container if isinstance(wanted, str) else undecided(machine, "in", wanted, container)
    if container is None or isinstance(container, bool | int | float):
        raise machine.raised("TypeError", f"argument of type {type(container).__name__!r} is not iterable")
    if isinstance(container, Instance):
        found, owner = find_in_class(machine, container.cls, "__contains__")
        if isinstance(owner, ClassValue):
            return truth(machine, machine.call(machine.bind(found, container), (wanted,), {}))
    if isinstance(container, range) and isinstance(wanted, int):
        return wanted in container
    elements = iterate(machine, container)
    if elements is None:
        return undecided(machine, "in", wanted, container)
    if isinstance(container, ListValue) and container.iterator:
        return found_in_iterator(machine, container, wanted, elements)
    if isinstance(container, ClassValue) and not is_enum(machine, container):
        return undecided(machine, "in", wanted, container)
    open_answers = False
    for element in elements:
        answer = compare(machine, "==", wanted, element)
        if answer is True:
            machine.tested(wanted, element)
            return True
        open_answers |= answer is not False
    return undecided(machine, "in", wanted, container) if open_answers else False


def found_in_iterator(machine: Machine, container: ListValue, wanted: Value, elements: list[Value]) -> Value:
    """A membership test uses an iterator up to the hit; a miss uses it up."""
    for place, element in enumerate(elements):
        answer = compare(machine, "==", wanted, element)
        if answer is True:
            machine.heap.write(container.state, "items", tuple(elements[place + 1 :]))
            machine.tested(wanted, element)
            return True
        if answer is not False:
            raise GiveUp("an iterator is searched for something that is not known", machine.location())
    return False


def ordered(machine: Machine, op: str, a: Value, b: Value) -> Value:
    if isinstance(a, Unknown) and a.positive and isinstance(b, int) and b <= 0:
        machine.assume("batch-not-empty")
        return op in (">", ">=")
    if isinstance(b, Unknown) and b.positive and isinstance(a, int) and a <= 0:
        machine.assume("batch-not-empty")
        return op in ("<", "<=")
    if isinstance(a, EnumMember) and isinstance(b, EnumMember):
        a, b = a.value, b.value
    if (isinstance(a, EXACT_TYPES) and isinstance(b, EXACT_TYPES)) or (isinstance(a, tuple) and isinstance(b, tuple)):
        try:
            return ORDER[op](a, b)
        except TypeError as error:
            if isinstance(a, tuple):
                return undecided(machine, op, a, b)
            raise machine.raised("TypeError", str(error)) from None
    return undecided(machine, op, a, b)


# ----------------------------------------------------------------- arithmetic


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
        return machine.list(left + right, modules=a.modules) if isinstance(left, tuple) and isinstance(right, tuple) else machine.mystery("list", "unknown items")
    if isinstance(a, ListValue) and isinstance(b, int) and op == "*" and isinstance(items := items_of(machine, a), tuple) and len(items) * b <= 100_000:
        return machine.list(items * b)
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
    key = f"({machine.show(a)} {op} {machine.show(b)})"
    both_positive = op in "+*" and all((isinstance(v, Unknown) and v.positive) or (isinstance(v, int) and v > 0) for v in (a, b))
    return machine.unknown(key, reason_of(a, b), reads_ids=reads_ids(a) or reads_ids(b), not_none=True, positive=both_positive)


def is_number(value: Value) -> bool:
    if type(value) is Phi:
        return is_number(value.if_true) and is_number(value.if_false)
    return isinstance(value, int | float | str | Unknown)


def exact_binary(machine: Machine, op: str, a: Value, b: Value, at: ir.At) -> Value:
    if op not in BINARY:
        raise machine.raised("TypeError", f"unsupported operand type(s) for {op}", at)
    if op in ("**", "<<", "*") and any(isinstance(v, int) and v.bit_length() > 64 for v in (a, b)) or (op in ("**", "<<") and isinstance(b, int) and abs(b) > MAX_NUMBER_BITS):
        return machine.mystery("number", "a number too large to compute")
    if op == "*" and isinstance(a, str | bytes | int) and isinstance(b, str | bytes | int) and any(isinstance(v, int) and v > 10_000 for v in (a, b)) and not (isinstance(a, int) and isinstance(b, int)):
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
            return machine.set((*left, *(x for x in right if not has(left, x))))
        case "&":
            return machine.set(tuple(x for x in left if has(right, x)))
        case "-":
            return machine.set(tuple(x for x in left if not has(right, x)))
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
    token = f"{op}{machine.show(factor)}"
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
