"""What in a trainer has nothing to do with hidden states: adapters, logging, checkpoints. Told by names, which finds too little rather than
too much: a function that mentions nothing by which hidden states are selected, kept or put together, nor do those that it names."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from ..library.hooks import SLOTS
from ..values import FunctionValue
from .effects import effects_of

if TYPE_CHECKING:
    from .machine import Machine

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
RELEVANT = frozenset(
    {"setattr", "__dict__", "forward", "hidden_states", "cat", "concat", "concatenate", "stack", "hstack", "save", "load", "fc"}
)
DEEPEST = 6


def is_beside(machine: Machine, function: FunctionValue) -> bool:
    """Whether a function of the trainer has nothing to do with hidden states."""
    if function.node is None:
        return False
    found = machine.code.beside.get(function.node)
    if found is None:
        machine.code.beside[function.node] = False  # a function that names itself adds nothing
        found = machine.code.beside[function.node] = mentions_nothing(machine, function)
    return found


def mentions_nothing(machine: Machine, function: FunctionValue) -> bool:
    waiting, seen = [(function.node, 0)], set[ast.AST]()
    names = machine.ledger.names if machine.ledger is not None else None
    words = RELEVANT | SLOTS.keys() | (names.setters | names.states | names.rpc | names.runs if names is not None else frozenset())
    while waiting:
        node, depth = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        mentioned = set(names_of(node))
        if mentioned & words or depth > DEEPEST or effects_of(machine, node).feeds:
            return False
        named = named_functions(machine, function, mentioned)
        if named is None:
            return False
        waiting += [(each, depth + 1) for each in named]
    return True


def names_of(node: ast.AST) -> list[str]:
    found = [inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)]
    return found + [inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)]


def named_functions(machine: Machine, function: FunctionValue, names: set[str]) -> list[Definition] | None:
    """The functions of the module and the methods of the class that have one of these names; None where a name is of another module of the
    tree, or of a class."""
    found: list[Definition] = []
    for statement in function.module.tree.body:
        if isinstance(statement, Definition) and statement.name in names:
            found.append(statement)
        if isinstance(statement, ast.ClassDef) and statement.name in names:
            return None
    imports = [inner for inner in ast.walk(function.module.tree) if isinstance(inner, ast.ImportFrom)]
    for statement in imports:
        target = function.module.resolve_relative(statement.module or "", statement.level)
        if machine.index.exists(target) and names & {alias.asname or alias.name for alias in statement.names}:
            return None
    owner = function.owner
    for name in names if owner is not None else ():
        assert owner is not None
        method, _ = machine.find_in_class(owner, name)
        if isinstance(method, FunctionValue) and method.node is not None:
            found.append(method.node)
    return found
