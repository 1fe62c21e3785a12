"""What a function may change besides its own locals, read off its syntax: decides what may stay opaque and what must be entered.

These are over-approximations by name. A callee is left opaque only if nothing here says that it may capture.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..values import ClassValue, External, FunctionValue
from .names import module_name

if TYPE_CHECKING:
    from .machine import Machine

MUTATORS = frozenset(
    {"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put", "put_nowait", "push", "copy_", "__setitem__"}
)
"""Methods that put something into their receiver."""
MAX_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Effects:
    """``stores``: attributes written on parameters (``self`` included). ``feeds``: a parameter's attribute or item is given something
    by a mutator. ``own_calls``: methods called on ``self``. ``part_calls``: attributes of ``self`` that are called. ``escapes``: writes
    to what is neither ``self`` nor a local. ``calls``: the attributes that are called. ``names``: the plain names that
    are called. ``makers``: the names that are called to make what else is written to, which escapes too unless they are classes."""

    stores: frozenset[str]
    feeds: bool
    own_calls: frozenset[str]
    part_calls: frozenset[str]
    escapes: bool
    calls: frozenset[str]
    names: frozenset[str]
    makers: frozenset[str]


def root(node: ast.expr) -> tuple[str | None, int]:
    """The name that an attribute or subscript chain starts from, and the chain's length."""
    depth = 0
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
        depth += 1
    return (node.id if isinstance(node, ast.Name) else None), depth


def read_effects(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Effects:
    arguments = node.args
    names = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    receiver = next((a.arg for a in (*arguments.posonlyargs, *arguments.args)), None)
    stores: set[str] = set()
    own, parts, called, named = set[str](), set[str](), set[str](), set[str]()
    feeds = escapes = False
    plain: set[ast.expr] = set()
    makers, used = makers_of(node, names), set[str]()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant):
            plain.update(inner.targets)
        if isinstance(inner, ast.Subscript) and inner in plain:
            continue  # an option set to a constant in a dict of options: nothing that could capture
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store | ast.Del):
            base, depth = root(inner)
            if base in names:
                stores.add(inner.attr)
            made = makers.get(base or "", ()) if depth == 1 else ()
            used.update(made)
            escapes |= base != receiver and not made
        elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            base, depth = root(inner)
            feeds |= base in names and depth > 1
            escapes |= base in names and base != receiver
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            escapes = True
        elif isinstance(inner, ast.Call):
            base, depth = root(inner.func)
            if isinstance(inner.func, ast.Name):
                named.add(inner.func.id)
            if isinstance(inner.func, ast.Attribute):
                called.add(inner.func.attr)
                if base == receiver and depth == 1:
                    own.add(inner.func.attr)
                    parts.add(inner.func.attr)
                if inner.func.attr in MUTATORS:
                    feeds |= base in names and not (base == receiver and depth == 1)
                    escapes |= base != receiver and (base in names or depth > 1)
            elif isinstance(inner.func, ast.Name) and inner.func.id == "setattr" and inner.args:
                base, _ = root(inner.args[0])
                escapes |= base != receiver
                stores.add("*")
    found = (frozenset(each) for each in (called, named, used))
    return Effects(frozenset(stores), feeds, frozenset(own), frozenset(parts), escapes, *found)


def makers_of(node: ast.FunctionDef | ast.AsyncFunctionDef, parameters: set[str]) -> dict[str, tuple[str, ...]]:
    """The local names that are bound to nothing but results of calls by a plain name, with those names."""
    bound: Counter[str] = Counter()
    makers: dict[str, list[str]] = {}
    for inner in ast.walk(node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=called))):
                makers.setdefault(name, []).append(called)
    local = parameters | bound.keys()
    own = (name for name, found in makers.items() if bound[name] == len(found) and local.isdisjoint(found))
    return {name: tuple(makers[name]) for name in own if name not in parameters}


def effects_of(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Effects:
    found = machine.code.effects.get(node)
    if found is None:
        found = machine.code.effects[node] = read_effects(node)
    return found


def looks_at_its_own(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function reads nothing but its parameters, its locals and builtins: no state of a module, and nothing that is imported."""
    found = machine.code.own_readers.get(node)
    if found is None:
        local = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
        local |= {name.id for name in names if isinstance(name.ctx, ast.Store)} | set(dir(builtins))
        shared = any(isinstance(inner, ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom) for inner in ast.walk(node))
        body = {name.id for statement in node.body for name in ast.walk(statement) if isinstance(name, ast.Name)}
        found = machine.code.own_readers[node] = not shared and body <= local
    return found


def may_capture(machine: Machine, function: FunctionValue, depth: int = 0) -> bool:
    """Whether a function, or a method of its class that it calls, puts something into an object that it was given."""
    if function.node is None:
        return True
    effects = effects_of(machine, function.node)
    if effects.feeds:
        return True
    if depth >= MAX_DEPTH or function.owner is None:
        return False
    for name in effects.own_calls:
        method, _ = machine.find_in_class(function.owner, name)
        if isinstance(method, FunctionValue) and method is not function and may_capture(machine, method, depth + 1):
            return True
    return False


def collects(machine: Machine, cls: ClassValue) -> bool:
    """Whether a class is a collector or can be called: a method of it puts something into the object."""
    found = machine.code.collectors.get(cls.node) if cls.node is not None else True
    if found is None:
        methods = [
            node
            for ancestor in machine.ancestors(cls)
            if isinstance(ancestor, ClassValue) and ancestor.node is not None
            for node in ancestor.node.body
            if isinstance(node, ast.FunctionDef) and node.name != "__init__"
        ]
        found = any(node.name == "__call__" or effects_of(machine, node).feeds for node in methods)
        assert cls.node is not None
        machine.code.collectors[cls.node] = found
    return found


def escapes_constructor(machine: Machine, cls: ClassValue) -> bool:
    """Whether a constructor changes anything but its object: then it may not be postponed."""
    init, _ = machine.find_in_class(cls, "__init__")
    return isinstance(init, FunctionValue) and escapes(machine, init)


def escapes(machine: Machine, function: FunctionValue) -> bool:
    """Whether a function writes to what is neither its receiver nor made by itself: an object is, that a class without a ``__new__`` of
    its own makes."""
    if function.node is None:
        return False
    effects = effects_of(machine, function.node)
    return effects.escapes or not all(makes_anew(machine, function, name) for name in effects.makers)


def makes_anew(machine: Machine, function: FunctionValue, name: str) -> bool:
    """Whether a name is a class; what comes from outside the tree is: of that nothing is known when it is read."""
    made = module_name(machine, function.module, name)
    if isinstance(made, External):
        return True
    return isinstance(made, ClassValue) and not isinstance(machine.find_in_class(made, "__new__")[1], ClassValue)
