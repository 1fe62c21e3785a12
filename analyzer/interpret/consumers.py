"""What may take the captured tensors though it is not seen to: something unknown that is handed them, or that makes what takes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from ..index import Module
from ..values import EXACT_TYPES, ClassValue, Content, External, ExternalObject, FunctionValue, ListValue, Tensor, Unknown, Value
from .classes import find_in_class
from .names import module_name
from .phis import alternatives
from .watch import SOURCES

if TYPE_CHECKING:
    from .machine import Machine
    from .state import Frame

ANSWERING = frozenset(f"builtins.{name}" for name in ("zip", "enumerate", "range", "len", "int", "min", "max", "sum"))
OBJECT = "self"
Code: TypeAlias = tuple[Module, ast.AST]


def may_take(machine: Machine, function: Value, args: tuple[Value, ...]) -> bool:
    """Whether a callee that is not entered, between or after the layers, may be given states that were captured: anything but numbers, and
    tensors that something opaque was made of there."""
    name = function.name if isinstance(function, External) else function.cls if isinstance(function, ExternalObject) else ""
    if machine.inside or machine.walk["order"] == () or (name.startswith("torch.") and not name.startswith("torch.ops.")):
        return False
    return not all(is_made_after(machine, each) for value in args for each in alternatives(value))


def is_made_after(machine: Machine, value: Value) -> bool:
    """Whether a value is exact, or a tensor that something opaque was made of between or after the layers, or a list of such."""
    if isinstance(value, ListValue):
        items, sources = value.state.get("items"), value.state.get(SOURCES)
        if isinstance(sources, tuple) and sources[0] is items:
            return all(is_source(machine, each) for source in sources[1:] for each in alternatives(source))
        value = items
    if type(value) is tuple:
        return all(is_made_after(machine, each) for item in value for each in alternatives(item))
    content = value.cell.get("content") if isinstance(value, Tensor) else None
    return type(value) in EXACT_TYPES or (isinstance(content, Content) and all(atom.post for atom in content.atoms()))


def is_source(machine: Machine, value: Value) -> bool:
    """Whether nothing that was captured comes out of a value: it is made afterwards, a function of Python's that answers by what it is
    given, or something that the forward was given and that nothing was written to."""
    if isinstance(value, External):
        return value.name in ANSWERING
    if isinstance(value, Unknown):
        written = (key for key in machine.written if isinstance(key, str))
        return value.key.isidentifier() and not any(key.startswith((f"{value.key}.", f"{value.key}[")) for key in written)
    return is_made_after(machine, value)


def may_make_consumer(machine: Machine, frame: Frame, node: ast.stmt | None) -> bool:
    """Whether a statement may make what takes the captured tensors: it, a method that it calls, or the module of something that it names,
    has the class's name."""
    if machine.consumer is None or node is None:
        return True
    return any(names_consumer(machine, code) for code in reached(machine, frame, node))


def reached(machine: Machine, frame: Frame, node: ast.stmt) -> Iterator[Code]:
    """A statement, and the methods of its object's class that it calls, they too."""
    owner = frame.function.owner if frame.function is not None else None
    waiting: list[Code] = [(frame.module, node)]
    seen: set[ast.AST] = set()
    while waiting:
        module, reached_node = waiting.pop()
        if reached_node in seen:
            continue
        seen.add(reached_node)
        yield module, reached_node
        for inner in ast.walk(reached_node):
            if owner is not None and isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == OBJECT:
                found, _ = find_in_class(machine, owner, inner.attr)
                if isinstance(found, FunctionValue) and found.node is not None:
                    waiting.append((found.module, found.node))


def names_consumer(machine: Machine, code: Code) -> bool:
    """Whether a name there is that of the consumer's class, or of something in a module that has such a name."""
    assert machine.consumer is not None
    module, node = code
    for name in {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}:
        named = module_name(machine, module, name)
        inside = isinstance(named, FunctionValue | ClassValue) and machine.consumer.cls in named.module.scope.names
        if inside or name == machine.consumer.cls:
            return True
    return False
