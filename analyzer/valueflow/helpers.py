"""Functions of the tree that are handed the name of an entry and look it up: ``_cfg_get(config, "rope_theta")``."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ..index import Module
from ..source import SourceTree
from ..values import MISSING, ClassValue, FunctionValue, Value
from .names import FunctionNode, last_name
from .types import DEEPEST, Types

AnyFunction: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
GETTERS = frozenset({"get", "pop", "setdefault"})
MOST_HELPERS = 3
"""Helpers that hand the name on to one another."""


@dataclass(slots=True)
class Place:
    """Where an expression stands: the class and the functions around it, the innermost last."""

    module: Module
    cls: ClassValue | None = None
    functions: tuple[AnyFunction, ...] = ()
    symbol: str = ""

    @property
    def function(self) -> FunctionNode | None:
        """The innermost function that has a name."""
        return next((each for each in reversed(self.functions) if isinstance(each, FunctionNode)), None)

    @property
    def receiver(self) -> str:
        """What the method calls its own object."""
        method = self.functions[0] if self.cls is not None and self.functions else None
        if not isinstance(method, FunctionNode) or is_static(method):
            return ""
        arguments = (*method.args.posonlyargs, *method.args.args)
        return arguments[0].arg if arguments else ""

    def scope(self) -> ClassValue | FunctionValue | None:
        """What a question about types is asked from."""
        method = self.function
        return self.cls or (FunctionValue(self.module, method.name, method, None, None, None) if method is not None else None)


@dataclass(frozen=True, slots=True)
class Lookup:
    """That a function looks up what one of its parameters names. ``default`` stands in for a missing entry; it may be a parameter too."""

    default: ast.expr | None


@dataclass(slots=True)
class Helpers:
    """Finds who is called, and whether that looks up the name that it is given."""

    tree: SourceTree
    types: Types
    _methods: dict[str, list[tuple[AnyFunction, Place]]] = field(default_factory=dict)
    _known: dict[tuple[AnyFunction, str], Lookup | None] = field(default_factory=dict)

    def default_of(self, node: ast.Call, argument: ast.expr, place: Place) -> tuple[bool, ast.expr | None]:
        """Whether a call hands a name to a function that looks it up, and what stands in for a missing entry then."""
        if isinstance(node.func, ast.Name) and any(map(is_bound_getter, local_values(place.functions, node.func.id))):
            return argument is node.args[0] if node.args else False, node.args[1] if len(node.args) > 1 else None
        for function, where, skipped in self.called(node.func, place):
            name = parameter_of(node, argument, function, skipped)
            found = self.looks_up(function, name, where) if name is not None else None
            if found is not None:
                return True, given_default(node, function, skipped, found.default)
        return False, None

    def called(self, callee: ast.expr, place: Place) -> Iterator[tuple[AnyFunction, Place, int]]:
        """The functions of the tree that may be called, where each stands, and how many of its parameters a receiver takes."""
        match callee:
            case ast.Name(id=name):
                local = local_function(place.functions, name)
                if local is not None:
                    yield local, Place(place.module, place.cls, (*place.functions, local)), 0
                    return
                function = place.function
                types, module = self.types, place.module
                value = types.name(module, name) if function is None else types.local_name(module, function, callee)
                yield from self._of_value(value, 0)
            case ast.Attribute(value=inner, attr=attr):
                holders = self.classes_of(inner, place)
                found = [self.types.find(each, attr)[0] for each in holders]
                if not found and isinstance(inner, ast.Name | ast.Attribute):
                    of, module = self.types.dotted(place.module, inner), place.module
                    found = [self.types.find(of, attr)[0] if isinstance(of, ClassValue) else self.types.dotted(module, callee)]
                known = [each for value in found for each in self._of_value(value, 1)]
                yield from known or ([] if found and found != [MISSING] else self.methods(attr))

    def _of_value(self, value: Value, skipped: int) -> Iterator[tuple[AnyFunction, Place, int]]:
        if isinstance(value, FunctionValue) and value.node is not None:
            takes = 0 if value.owner is None or is_static(value.node) else skipped
            yield value.node, Place(value.module, value.owner, (value.node,)), takes

    def classes_of(self, node: ast.expr, place: Place) -> list[ClassValue]:
        """The classes of the tree that an expression is declared or made to be of."""
        function, scope = place.function, place.scope()
        if place.receiver and isinstance(node, ast.Name) and node.id == place.receiver and place.cls is not None:
            return [place.cls]
        if function is None or scope is None:
            return []
        found = self.types.expression(place.cls, scope, function, node, DEEPEST)
        return [each for each in dict.fromkeys(found) if isinstance(each, ClassValue)]

    def methods(self, name: str) -> list[tuple[AnyFunction, Place, int]]:
        """All methods of the tree that are called so, where nothing tells whose it is."""
        if name not in self._methods:
            self._methods[name] = list(self._search(name))
        return [(function, place, 1) for function, place in self._methods[name]]

    def _search(self, name: str) -> Iterator[tuple[AnyFunction, Place]]:
        for path in self.tree.grep((f"def {name}(".encode(),)):
            module = self.types.machine.index.module(self.types.machine.index.module_of(path))
            for node in module.tree.body if module is not None else ():
                cls = self.types.name(module, node.name) if isinstance(node, ast.ClassDef) and module is not None else None
                if isinstance(cls, ClassValue) and isinstance(node, ast.ClassDef) and module is not None:
                    methods = [each for each in node.body if isinstance(each, FunctionNode) and each.name == name]
                    yield from ((each, Place(module, cls, (each,))) for each in methods)

    def looks_up(self, function: AnyFunction, name: str, place: Place, depth: int = MOST_HELPERS) -> Lookup | None:
        """How a function looks up what its parameter of this name holds; None where it does not."""
        key = (function, name)
        if key not in self._known:
            self._known[key] = None  # one that calls itself adds nothing
            body = function.body if isinstance(function.body, list) else [function.body]
            found = (each for statement in body for node in ast.walk(statement) for each in self._lookups(node, name, place, depth))
            self._known[key] = next(found, None)
        return self._known[key]

    def _lookups(self, node: ast.AST, name: str, place: Place, depth: int) -> Iterator[Lookup]:
        match node:
            case ast.Subscript(slice=ast.Name(id=asked), ctx=ast.Load()) if asked == name:
                yield Lookup(None)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Name(id=asked), *rest]) if asked == name:
                yield Lookup(rest[0] if rest else None)
            case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Name(id=asked), *rest]) if asked == name and attr in GETTERS:
                yield Lookup(rest[0] if rest else None if attr == "pop" else ast.Constant(None))
            case ast.Call() if depth > 0:
                for argument in handed(node, name):
                    found, default = self.default_of(node, argument, place)
                    if found:
                        yield Lookup(default)


def is_static(method: FunctionNode) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in method.decorator_list)


def handed(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """The arguments of a call that are the variable of this name."""
    arguments = (*node.args, *(keyword.value for keyword in node.keywords))
    return (each for each in arguments if isinstance(each, ast.Name) and each.id == name)


def local_function(functions: Sequence[AnyFunction], name: str) -> AnyFunction | None:
    """A function of this name that is defined inside one of those around an expression."""
    for outer in reversed(functions):
        for node in ast.walk(outer):
            if isinstance(node, FunctionNode) and node.name == name and node is not outer:
                return node
    return next((each for each in local_values(functions, name) if isinstance(each, ast.Lambda)), None)


def local_values(functions: Sequence[AnyFunction], name: str) -> Iterator[ast.expr]:
    """What the functions around an expression assign to a variable: of a conditional both."""
    for outer in reversed(functions):
        for node in ast.walk(outer):
            if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
                yield from branches_of(node.value)


def branches_of(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from branches_of(node.body)
        yield from branches_of(node.orelse)
    else:
        yield node


def is_bound_getter(node: ast.expr) -> bool:
    """Whether an expression is a getter of one config: ``config.get``, ``partial(getattr, config)``."""
    match node:
        case ast.Attribute(attr=attr):
            return attr in GETTERS
        case ast.Call(func=callee, args=[ast.Name(id="getattr"), _]):
            return last_name(callee) == "partial"
    return False


def parameter_of(node: ast.Call, argument: ast.expr, function: AnyFunction, skipped: int) -> str | None:
    """The parameter that an argument of a call becomes."""
    for keyword in node.keywords:
        if keyword.value is argument:
            return keyword.arg
    position = next((number for number, each in enumerate(node.args) if each is argument), None)
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][skipped:]
    return names[position] if position is not None and position < len(names) else None


def given_default(node: ast.Call, function: AnyFunction, skipped: int, default: ast.expr | None) -> ast.expr | None:
    """What a call gives for the default, where that is a parameter of the helper; else what the helper itself says."""
    if not isinstance(default, ast.Name):
        return default
    for keyword in node.keywords:
        if keyword.arg == default.id:
            return keyword.value
    parameters = (*function.args.posonlyargs, *function.args.args)
    names = [each.arg for each in parameters][skipped:]
    if default.id in names and names.index(default.id) < len(node.args):
        return node.args[names.index(default.id)]
    stated = dict(zip([each.arg for each in parameters][::-1], function.args.defaults[::-1], strict=False))
    by_name = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    stated |= {each.arg: value for each, value in by_name if value is not None}
    return stated.get(default.id, default)
