"""Arguments bound to parameters, as Python does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, FunctionValue, Phi, Value
from .branch import map_leaves, require
from .phis import alternatives

if TYPE_CHECKING:
    from .machine import Machine
    from .state import Frame


def bind_arguments(
    machine: Machine, function: FunctionValue, code: ir.Function, args: tuple[Value, ...], keywords: dict[str, Value], frame: Frame
) -> None:
    """Bind arguments to parameters as Python does; a mismatch raises TypeError in the program."""
    given, left = list(args), dict(keywords)
    slots, missing = frame.slots, []
    for parameter in code.parameters:
        name = parameter.name
        if parameter.kind == "star":
            slots[name] = tuple(given)
            given = []
        elif parameter.kind == "star-star":
            slots[name] = machine.new_dict(dict(left))
            left = {}
        elif given and parameter.kind != "keyword-only":
            if name in left and parameter.kind != "positional-only":
                if may_be_missing(left[name]):
                    require(machine, left[name], "whether it is given twice depends on it")
                raise machine.raised("TypeError", f"{show_name(function)}() got multiple values for argument {name!r}")
            slots[name] = given.pop(0)
        elif name in left and parameter.kind != "positional-only":
            slots[name] = completed(machine, function, parameter, left.pop(name))
        elif parameter.default is not None:
            slots[name] = machine.default(function, name, parameter.default)
        else:
            missing.append(name)
    if missing:
        raise machine.raised("TypeError", f"{show_name(function)}() missing required arguments: {', '.join(map(repr, missing))}")
    if given:
        limit = sum(p.kind in ("positional", "positional-only") for p in code.parameters)
        raise machine.raised("TypeError", f"{show_name(function)}() takes {limit} positional arguments but {len(args)} were given")
    if left:
        raise machine.raised("TypeError", f"{show_name(function)}() got an unexpected keyword argument {next(iter(left))!r}")
    if machine.recording():
        for key, value in slots.items():
            machine.note_flow(str(key), value)


def completed(machine: Machine, function: FunctionValue, parameter: ir.Parameter, value: Value) -> Value:
    """An argument that may be missing by a condition has the parameter's default there."""
    if parameter.default is None or not may_be_missing(value):
        return value
    default = machine.default(function, parameter.name, parameter.default)
    return map_leaves(machine, value, lambda each: default if each is MISSING else each)


def may_be_missing(value: Value) -> bool:
    """Whether a keyword is given by one condition and not by another."""
    return type(value) is Phi and MISSING in alternatives(value)


def show_name(function: FunctionValue) -> str:
    return f"{function.owner.name}.{function.name}" if function.owner else function.name
