"""Which classes may build a list of modules, read off the source: such a module may hold the layers and is entered when it is called.

Names are followed through imports to the functions and classes of the tree; what cannot be followed builds nothing that is seen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..index import Module
from ..values import ClassValue, External, FunctionValue, Instance, Value
from .classes import find_in_class, is_module_class, resolution_order
from .code import Mentions
from .effects import effects_of
from .names import module_name

if TYPE_CHECKING:
    from .machine import Machine

LISTS = frozenset({"ModuleList", "Sequential", "ModuleDict"})
MAX_DEPTH = 12


def builds_modules(machine: Machine, cls: ClassValue) -> bool:
    """Whether a constructor of the class, or something that it calls, names one of torch's lists of modules."""
    if cls.node is None:
        return True
    known = machine.code.builders
    if cls.node not in known:
        seen: set[ast.AST] = set()
        known[cls.node] = any(
            class_builds(machine, ancestor.module, ancestor.node, seen, 0)
            for ancestor in resolution_order(machine, cls)
            if isinstance(ancestor, ClassValue) and ancestor.node is not None
        )
    return known[cls.node]


def class_builds(machine: Machine, module: Module, node: ast.ClassDef, seen: set[ast.AST], depth: int) -> bool:
    """The constructor, the methods that it calls, and the bases."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    if any(name_builds(machine, module, base, seen, depth + 1) for base in bases if depth < MAX_DEPTH):
        return True
    methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    waiting, done = ["__init__"], set[str]()
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        if name not in methods:
            if name != "__init__" and not inherited_method(machine, module, node, name):
                return True  # a class kept in an attribute, or something else that cannot be followed
            continue
        if body_builds(machine, module, methods[name], seen, depth):
            return True
        waiting += effects_of(machine, methods[name]).own_calls
    return False


def inherited_method(machine: Machine, module: Module, node: ast.ClassDef, name: str) -> bool:
    """Whether a name that a constructor calls on ``self`` is a method of a base class, which is looked at by itself, or torch's own."""
    value = module_name(machine, module, node.name)
    if not isinstance(value, ClassValue):
        return True
    found, owner = find_in_class(machine, value, name)
    return isinstance(found, FunctionValue) or isinstance(owner, External)


def body_builds(machine: Machine, module: Module, node: ast.AST, seen: set[ast.AST], depth: int) -> bool:
    found = machine.code.mentions.get(node)
    if found is None:
        found = machine.code.mentions[node] = read_mentions(node)
    if found.lists or any(import_builds(machine, module, inner, None, seen, depth + 1) for inner in found.imports):
        return True
    return depth < MAX_DEPTH and any(name_builds(machine, module, name, seen, depth + 1) for name in found.names)


def read_mentions(node: ast.AST) -> Mentions:
    """What a body mentions, read off once."""
    names: set[str] = set()
    imports: list[ast.ImportFrom] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in LISTS:
            return Mentions(True, (), ())
        if isinstance(inner, ast.ImportFrom):
            imports.append(inner)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            names.add(inner.id)
    return Mentions(bool(names & LISTS), tuple(sorted(names)), tuple(imports))


def name_builds(machine: Machine, module: Module, name: str, seen: set[ast.AST], depth: int) -> bool:
    for statement in module.scope.names.get(name, ()):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if statement in seen:
                continue
            seen.add(statement)
            if isinstance(statement, ast.ClassDef):
                if class_builds(machine, module, statement, seen, depth):
                    return True
            elif body_builds(machine, module, statement, seen, depth):
                return True
        elif isinstance(statement, ast.ImportFrom) and import_builds(machine, module, statement, name, seen, depth + 1):
            return True
    return name not in module.scope.names and depth < MAX_DEPTH and star_builds(machine, module, name, seen, depth + 1)


def import_builds(machine: Machine, module: Module, node: ast.ImportFrom, name: str | None, seen: set[ast.AST], depth: int) -> bool:
    """Whether what an import brings under a name, or under any, builds a list of modules."""
    target = machine.index.module(
        module.resolve_relative(node.module or "", node.level), lambda: f"imported at {machine.printed(module.path)}:{node.lineno}"
    )
    if target is None or depth > MAX_DEPTH:
        return False
    wanted = [alias.name for alias in node.names if name is None or (alias.asname or alias.name) == name]
    return any(original in LISTS or name_builds(machine, target, original, seen, depth) for original in wanted)


def star_builds(machine: Machine, module: Module, name: str, seen: set[ast.AST], depth: int) -> bool:
    for star in module.scope.stars:
        why = f"imported at {machine.printed(module.path)}:{star.lineno}"
        target = machine.index.module(module.resolve_relative(star.module or "", star.level), lambda: why)  # noqa: B023
        if target is not None and name_builds(machine, target, name, seen, depth):
            return True
    return False


def may_hold_layers(machine: Machine, function: FunctionValue, receiver: Value) -> bool:
    """Whether a callee outside of the layers may lead to them: anything but the method of a module that builds no list of modules."""
    if not isinstance(receiver, Instance) or not is_module_class(machine, receiver.cls):
        return True
    return builds_modules(machine, receiver.cls)
