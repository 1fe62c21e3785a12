"""The conditions that are asked while a setter runs: how each was answered, in which words, and what the ids were held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import ir
from ..results import Asked, Location
from ..values import MISSING, Id, ListValue, SetValue, Value
from .wording import worded

if TYPE_CHECKING:
    from .machine import Machine

HANDED = "ids"
"""What the list that a setter was handed is called, whatever the program calls it."""
MOST_NUMBERS = 16
"""Numbers and lists that ids were compared with, of which is kept what was seen first."""


@dataclass(slots=True)
class Asking:
    """What is noted of one call of a setter. ``handed`` are the ids that it was given."""

    handed: tuple[Value, ...] = ()
    conditions: list[Asked] = field(default_factory=list)
    numbers: dict[tuple[int, ...], None] = field(default_factory=dict)
    computed: dict[tuple[Location, int], None] = field(default_factory=dict)
    """Where numbers were calculated, with the column."""


def note(machine: Machine, test: ir.Expression, answer: object) -> None:
    """A condition was asked: an answer that is known is kept, with the place."""
    asking = machine.asking
    place = machine.location(test.at)
    if asking is None or place is None or not isinstance(answer, bool):
        return
    text, reads = worded(test, lambda name: renamed(machine, asking, name), locals_of(machine))
    written, _ = worded(test, lambda name: None, {})
    asking.conditions.append(Asked(text, written, place, test.at.column, answer, reads and can_be_turned(test)))


def can_be_turned(test: ir.Expression) -> bool:
    """Whether other ids may answer a condition otherwise: it asks for their values or their number, not for what kind of thing they are."""
    if isinstance(test, ir.Unary) and test.op == "not":
        return can_be_turned(test.operand)
    if isinstance(test, ir.Compare):
        return not any(op.startswith("is") for op, _ in test.comparisons)
    return isinstance(test, ir.Name)


def renamed(machine: Machine, asking: Asking, name: str) -> str | None:
    """``ids`` for a name of the running function that stands for the ids as they were handed over; "" for one that holds some of them."""
    value = value_of(machine, name)
    items = value.state.get("items") if isinstance(value, ListValue | SetValue) else value
    if isinstance(items, tuple) and isinstance(value, ListValue | tuple) and same_ids(items, asking.handed):
        return HANDED
    held = items if isinstance(items, tuple) else (items,)
    return "" if any(isinstance(each, Id) for each in held) else None


def same_ids(items: tuple[Value, ...], handed: tuple[Value, ...]) -> bool:
    return len(items) == len(handed) and all(one is other for one, other in zip(items, handed, strict=True))


def value_of(machine: Machine, name: str) -> Value:
    """The value of a local name, also of a function around; MISSING for others."""
    scope = machine.frame.scope
    while scope is not None:
        if (value := scope.slots.get(name, MISSING)) is not MISSING:
            return value
        scope = scope.outer
    return MISSING


def locals_of(machine: Machine) -> dict[str, ir.Expression]:
    """The names that the running function gives a value in one place only, by an assignment of its own, and that value's expression."""
    function = machine.frame.function
    if function is None or (function.code is None and function.node is None):
        return {}
    code = function.code or machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    found: dict[str, list[ir.Expression | None]] = {parameter.name: [None] for parameter in code.parameters}
    assigned(code.body, found)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and values[0] is not None}


def assigned(block: ir.Block, found: dict[str, list[ir.Expression | None]]) -> None:
    """What the statements of a block assign to names; None where it is no plain expression."""
    for statement in block:
        match statement:
            case ir.Assign(targets=targets, value=value):
                for target in targets:
                    bind(target, value if isinstance(target, ir.Name) and len(targets) == 1 else None, found)
            case ir.AugmentedAssign(target=target) | ir.For(target=target):
                bind(target, None, found)
            case ir.With(items=items):
                for _, entered in items:
                    if entered is not None:
                        bind(entered, None, found)
        for inner in ("body", "orelse", "final"):
            assigned(getattr(statement, inner, ()), found)
        for handler in statement.handlers if isinstance(statement, ir.Try) else ():
            assigned(handler.body, found)


def bind(target: ir.Expression, value: ir.Expression | None, found: dict[str, list[ir.Expression | None]]) -> None:
    if isinstance(target, ir.Name):
        found.setdefault(target.id, []).append(value)
    elif isinstance(target, ir.Display):
        for item in target.items:
            bind(item.value if isinstance(item, ir.Starred) else item, None, found)


def calculated(machine: Machine, at: ir.At) -> None:
    """An operation on two values."""
    if machine.asking is not None and (place := machine.location(at)) is not None:
        machine.asking.computed[place, at.column] = None


def compared(machine: Machine, left: Value, right: Value) -> None:
    """Two values were compared: numbers of the program that stand on one side are what other ids can be tried with."""
    asking = machine.asking
    for value in (left, right):
        items = value.state.get("items") if isinstance(value, ListValue | SetValue) else value
        listed = items if isinstance(items, tuple) else (items,)
        if asking is not None and len(asking.numbers) < MOST_NUMBERS and all(map(is_number, listed)):
            asking.numbers.setdefault(tuple(int(x) for x in listed if isinstance(x, int)))


def is_number(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool | Id)
