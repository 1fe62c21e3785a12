"""Stage boundaries on the machine: which calls are operations of the flow's boundary package, and how their parameters are bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..library.stages import Call
from ..values import MISSING, ClassValue, DictValue, FunctionValue, Instance, Unknown, Value
from .attributes import constructor_stores
from .effects import effects_of
from .names import module_name
from .signals import GiveUp
from .state import Frame

if TYPE_CHECKING:
    from .machine import Machine

DECLARED = ("declare-attention", "declare-ffn", "append")
"""Operations that are not run with a stream."""


def run_operation(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value] | None:
    """What an operation of the boundary package answers, boxed; None for any other function. One that has no model and is given a batch
    with a stream is not understood."""
    boundaries = machine.library.boundaries
    if not boundaries.package or not function.module.name.startswith(boundaries.package):
        return None
    operation = machine.library.operations.get(str(function))
    if operation is None:
        if any(isinstance(value, Unknown) and machine.streams.get(value.key) is not None for value in (*args, *keywords.values())):
            raise GiveUp(f"{function.name} of the stage boundaries is not modelled", machine.location())
        return None
    code = machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    frame = Frame(None, function.module, function, machine.heap.new(), code.at)
    machine.bind_arguments(function, code, args, keywords, frame)
    bound: dict[str, Value] = {}
    for parameter in code.parameters:
        value = frame.slots[parameter.name]
        if parameter.kind == "star-star" and isinstance(value, DictValue):
            bound |= {key: held for key, held in machine.entries(value) or () if isinstance(key, str)}
        else:
            bound[parameter.name] = value
    positional = [p.name for p in code.parameters if p.kind in ("positional", "positional-only")][: len(args)]
    given = {name: bound[name] for name in (*positional, *keywords)} | ({"stages": args} if operation_takes_all(code.parameters) else {})
    return (operation(Call(machine, boundaries, function, given, bound)),)


def operation_takes_all(parameters: tuple[object, ...]) -> bool:
    return any(getattr(parameter, "kind", "") == "star" for parameter in parameters)


def drives_stages(machine: Machine, function: FunctionValue) -> bool:
    """Whether a function calls something that has the name of an operation on a stream, in a tree that has the boundary package."""
    if function.node is None or not stage_words(machine):
        return False
    return bool(effects_of(machine, function.node).calls & stage_words(machine))


def stage_words(machine: Machine) -> frozenset[str]:
    if machine.stage_words is None:
        boundaries = machine.library.boundaries
        there = bool(boundaries.package) and machine.index.exists(boundaries.package)
        words = (name.rpartition(".")[2] for name, word in boundaries.operations.items() if word not in DECLARED)
        machine.stage_words = frozenset(words) if there else frozenset()
    return machine.stage_words


def bare(machine: Machine, cls: str, attrs: dict[str, Value]) -> Instance:
    """An object of a class of the tree that has these attributes and was not made by its constructor; of others that a constructor of it
    stores nothing is known."""
    module_path, _, name = cls.rpartition(".")
    module = machine.index.module(module_path, lambda: f"has the class {name}, which the flow names")
    found = module_name(machine, module, name) if module is not None else None
    if not isinstance(found, ClassValue):
        raise GiveUp(f"there is no class {cls}", machine.location())
    stored = {each for stores in constructor_stores(machine, found) for each in stores} - attrs.keys()
    open_names = (each for each in sorted(stored) if machine.find_in_class(found, each)[0] is MISSING)
    left = {each: machine.mystery(f"{name}.{each}", f"{name} is modelled") for each in open_names}
    return Instance(found, machine.heap.new(**attrs, **left))
