"""Operators: truth, comparison, arithmetic. Exact operands give exact results, tracked ids stay tracked, tensors add as multisets."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..values import (
    EXACT_TYPES,
    ClassValue,
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
from .containers import items_of, iterate
from .phis import alternatives, conditions, is_plain
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine

ORDER: dict[str, Callable[[object, object], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}  # type: ignore[dict-item]


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
        case ListValue(iterator=True):
            return True
        case ListValue() | SetValue():
            items = machine.noted(value.state, "items")
            return lift(machine, items, lambda each: bool(each) if isinstance(each, tuple) else truth(machine, each))
        case DictValue():
            return bool(iterate(machine, value))
        case Instance():
            return instance_truth(machine, value)
        case External() | ExternalObject() | Tensor():
            if value == External("typing.TYPE_CHECKING"):
                return False
            return machine.unknown(f"bool({machine.show(value)})", "the truth of something outside the tree")
    return True


def instance_truth(machine: Machine, value: Instance) -> Value:
    for name in ("__bool__", "__len__"):
        found, owner = find_in_class(machine, value.cls, name)
        if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
            return truth(machine, machine.call(machine.bind(found, value), (), {}))
    return True


MAX_WAYS = 8
"""Ways through a condition that are followed one by one; a condition with more becomes one unknown of its own."""
MAX_ASKED = 8
"""Conditions of one truth that are told apart at all."""
MAX_DEPTH = 5
"""Conditions inside one another, the open ones around them included, that are followed one by one."""


def condition(machine: Machine, value: Value) -> bool | Unknown | Phi:
    """The truth of a value as a condition to branch on: an answer, an unknown, or a Phi that asks one unknown after another."""
    found = pick(machine, truth(machine, value))
    if isinstance(found, bool | Unknown):
        return found
    if not isinstance(found, Phi):
        return machine.mystery("truth", "a truth that is not understood")
    asked = conditions(found)
    if len(asked) > MAX_ASKED:
        reads = any(each.reads_ids for each in asked) or any(reads_ids(each) for each in alternatives(found))
        return machine.unknown(machine.fresh_key("truth"), asked[0].reason, parts=tuple(asked), reads_ids=reads, at=asked[0].at)
    paths = leaves(machine, found, ())
    if len({answer for _, answer in paths}) == 1:
        return paths[0][1]
    depth = machine.nesting + max(len(path) for path, _ in paths)
    return found if len(paths) <= MAX_WAYS and depth <= MAX_DEPTH else composite(machine, found, paths)


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


PACKED = ("torch.float8", "torch.int8", "torch.uint8", "torch.float4")
"""Types of quantized weights."""


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
            answer = equal(machine, a, b)
            if op == "!=" and isinstance(answer, Unknown) and machine.recording():  # in a trainer it may be a tensor of truths
                return machine.unknown(f"not {answer.key}", answer.reason, reads_ids=answer.reads_ids)
            return flip(machine, answer, op == "!=")
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
        if isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key:
            return True
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Unknown) and (one.positive and other == 0 and isinstance(other, int)):
                machine.assume("batch-not-empty")
                return False
            if isinstance(one, Unknown) and other is None and (one.not_none or one.positive):
                return False
        if is_packed_type(a, b) or is_packed_type(b, a):
            machine.assume("defaults")
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
    if (
        isinstance(a, Tensor)
        or isinstance(b, Tensor)
        or isinstance(a, External | ExternalObject)
        or isinstance(b, External | ExternalObject)
    ):
        return undecided(machine, "==", a, b)
    if isinstance(a, Instance):
        found, owner = find_in_class(machine, a.cls, "__eq__")
        if isinstance(owner, ClassValue):
            return truth(machine, machine.call(machine.bind(found, a), (b,), {}))
    return False if type(a) is not type(b) else undecided(machine, "==", a, b)


def is_packed_type(a: Value, b: Value) -> bool:
    """Whether a trained parameter's type is held against one of quantized weights."""
    parameter = isinstance(a, Unknown) and a.key.startswith("parameter#") and a.key.endswith(".dtype")
    return parameter and isinstance(b, External) and b.name.startswith(PACKED)


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
    mixes = any(
        isinstance(x, External) and x.name in ("enum.IntEnum", "enum.StrEnum", "builtins.str", "builtins.int")
        for x in machine.ancestors(member.cls)
    )
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
    if isinstance(a, Unknown) and isinstance(b, Unknown) and a.key == b.key and a.positive:
        return op in ("<=", ">=")
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
