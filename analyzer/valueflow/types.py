"""Declared types: what a class, an annotation or a constructor says of an attribute."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from ..index import Module
from ..interpret.classes import resolution_order
from ..interpret.signals import GiveUp, NeedDecision, Raised
from ..values import MISSING, ClassValue, External, FunctionValue, Value
from .names import FunctionNode, Names, Type, last_name

DEEPEST = 6
"""Attributes that are looked up to find the type of another."""
COLLECTING = tuple(External(name) for name in ("torch.nn.ModuleList", "builtins.list", "builtins.tuple"))
"""What makes a collection of another."""
Scope: TypeAlias = ClassValue | FunctionValue
"""What an expression stands in: the class of its method, or its function."""


@dataclass(slots=True)
class Types(Names):
    """Answers questions about the attributes of objects, by what is declared and by what a constructor's call names."""

    _attributes: dict[tuple[ClassValue, str], tuple[Type, ...]] = field(default_factory=dict)
    _open: set[tuple[ClassValue, str]] = field(default_factory=set)
    _assigned: dict[ClassValue, dict[str, list[tuple[FunctionNode, ast.expr, ast.expr | None]]]] = field(default_factory=dict)
    _imports: dict[FunctionNode, list[ast.stmt]] = field(default_factory=dict)
    _locals: dict[FunctionNode, dict[str, list[ast.expr]]] = field(default_factory=dict)

    def attribute(self, cls: ClassValue, name: str, depth: int = DEEPEST) -> tuple[Type, ...]:
        """The classes that an attribute of an object is declared or constructed to have; () where nothing says so."""
        key = (cls, name)
        found = self._attributes.get(key)
        if found is None:
            if key in self._open:
                return ()
            self._open.add(key)
            found = tuple(dict.fromkeys(self._attribute(cls, name, depth)))
            self._open.discard(key)
            if depth == DEEPEST:
                self._attributes[key] = found
        return found

    def _attribute(self, cls: ClassValue, name: str, depth: int) -> Iterator[Type]:
        for owner in self.order(cls):
            if owner.node is None:
                continue
            for node in owner.node.body:
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                    yield from self.annotation(owner.module, node.annotation)
            for node in owner.node.body:
                if isinstance(node, FunctionNode) and node.name == name and is_property(node):
                    yield from self._of_property(cls, owner, node, depth)
                    return
            assigned = self.assigned(owner).get(name, [])
            for function, value, annotation in assigned:
                if annotation is not None:
                    yield from self.annotation(owner.module, annotation)
                yield from self.expression(cls, owner, function, value, depth - 1)
            if assigned:
                return

    def elements(self, cls: ClassValue, name: str, depth: int = DEEPEST) -> tuple[Type, ...]:
        """The classes of the items of an attribute that is declared to be a collection, by it or by what it is assigned from."""
        for owner in self.order(cls):
            declared = [n for n in (owner.node.body if owner.node is not None else ()) if isinstance(n, ast.AnnAssign)]
            annotations = [n.annotation for n in declared if isinstance(n.target, ast.Name) and n.target.id == name]
            assigned = self.assigned(owner).get(name, [])
            for annotation in (*annotations, *(a for _, _, a in assigned if a is not None)):
                if found := self.element(owner.module, annotation):
                    return found
            for function, value, _ in assigned if depth else ():
                if found := tuple(self._items(cls, owner, function, value, depth - 1)):
                    return found
                if isinstance(value, ast.Attribute):
                    for holder in self._holder(cls, owner, function, value.value, depth - 1):
                        if isinstance(holder, ClassValue) and (found := self.elements(holder, value.attr, depth - 1)):
                            return found
        return ()

    def is_leaf(self, cls: Type | None) -> bool:
        """Whether objects of a class are modules without others in them."""
        if not isinstance(cls, ClassValue):
            return False
        held = (type_ for owner in self.order(cls) for name in self.assigned(owner) for type_ in self.attribute(cls, name))
        return not any(isinstance(each, ClassValue) and isinstance(self.find(each, "forward")[0], FunctionValue) for each in held)

    def is_listing(self, cls: ClassValue) -> bool:
        """Whether objects of a class are lists with methods of their own."""
        try:
            with self.asking(cls.module):
                return External("builtins.list") in resolution_order(self.machine, cls)
        except (GiveUp, NeedDecision, Raised, RecursionError):
            return False

    def _of_property(self, cls: ClassValue, owner: ClassValue, node: FunctionNode, depth: int) -> Iterator[Type]:
        if node.returns is not None:
            yield from self.annotation(owner.module, node.returns)
        for each in ast.walk(node):
            if isinstance(each, ast.Return) and each.value is not None:
                yield from self.expression(cls, owner, node, each.value, depth - 1)

    def assigned(self, cls: ClassValue) -> dict[str, list[tuple[FunctionNode, ast.expr, ast.expr | None]]]:
        """For each attribute that a method of the class assigns on ``self``: the method, the value, the annotation."""
        found = self._assigned.get(cls)
        if found is None:
            found = self._assigned[cls] = {}
            for function in cls.node.body if cls.node is not None else ():
                if isinstance(function, FunctionNode) and function.args.args:
                    for name, value, annotation in _self_assignments(function, function.args.args[0].arg):
                        found.setdefault(name, []).append((function, value, annotation))
        return found

    def expression(self, cls: ClassValue | None, owner: Scope, function: FunctionNode, node: ast.expr, depth: int) -> Iterator[Type]:
        """The classes of an expression inside a method, as far as declarations tell."""
        if depth < 0:
            return
        match node:
            case ast.Call(func=callee):
                yield from self._result(cls, owner, function, callee, depth)
            case ast.Name(id=name):
                for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs):
                    if argument.arg == name and argument.annotation is not None:
                        yield from self.annotation(owner.module, argument.annotation)
                for value in self.local_values(function, name):
                    yield from self.expression(cls, owner, function, value, depth - 1)
            case ast.IfExp(body=one, orelse=other):
                yield from self.expression(cls, owner, function, one, depth)
                yield from self.expression(cls, owner, function, other, depth)
            case ast.Attribute(value=inner, attr=attr):
                for holder in self._holder(cls, owner, function, inner, depth):
                    if isinstance(holder, ClassValue):
                        yield from self.attribute(holder, attr, depth - 1)
            case ast.Subscript(value=inner):
                yield from self._items(cls, owner, function, inner, depth - 1)

    def _items(self, cls: ClassValue | None, owner: Scope, function: FunctionNode, value: ast.expr, depth: int) -> Iterator[Type]:
        """The classes of the items of a collection, as far as it is seen to be made."""
        if depth < 0:
            return
        match value:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    yield from self.expression(cls, owner, function, item, depth)
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                yield from self.expression(cls, owner, function, item, depth)
            case ast.Name(id=name):
                for each in self.local_values(function, name):
                    yield from self._items(cls, owner, function, each, depth - 1)
            case ast.Call(func=ast.Name() | ast.Attribute() as callee, args=args):
                found = self._called(owner, function, callee)
                if found in COLLECTING and args:
                    yield from self._items(cls, owner, function, args[0], depth - 1)
                elif isinstance(found, FunctionValue) and isinstance(found.node, FunctionNode):
                    yield from self._returned_items(found, found.node, depth - 1)

    def _returned_items(self, function: FunctionValue, node: FunctionNode, depth: int) -> Iterator[Type]:
        """The classes of the items of what a function returns: as it is declared, else as it is seen."""
        declared = self.element(function.module, node.returns)
        yield from declared
        for each in ast.walk(node) if node.returns is None else ():
            if isinstance(each, ast.Return) and each.value is not None:
                yield from self._items(None, function, node, each.value, depth)

    def _holder(self, cls: ClassValue | None, owner: Scope, function: FunctionNode, node: ast.expr, depth: int) -> Iterator[Type]:
        if cls is not None and isinstance(node, ast.Name) and function.args.args and node.id == function.args.args[0].arg:
            yield cls
        else:
            yield from self.expression(cls, owner, function, node, depth - 1)

    def _result(self, cls: ClassValue | None, owner: Scope, function: FunctionNode, callee: ast.expr, depth: int) -> Iterator[Type]:
        if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name | ast.Attribute):
            for holder in self._holder(cls, owner, function, callee.value, depth):
                method = self.find(holder, callee.attr)[0] if isinstance(holder, ClassValue) else MISSING
                if isinstance(method, FunctionValue) and method.node is not None:
                    yield from self.annotation(method.module, method.node.returns)
                    return
        match found := self._called(owner, function, callee):
            case ClassValue():
                yield found
            case External():
                yield found
            case FunctionValue(node=ast.FunctionDef() | ast.AsyncFunctionDef() as node):
                yield from self.annotation(found.module, node.returns)

    def _called(self, owner: Scope, function: FunctionNode, callee: ast.expr) -> Value:
        return self.local_name(owner.module, function, callee) if isinstance(callee, ast.Name) else self.dotted(owner.module, callee)

    def local_values(self, function: FunctionNode, name: str) -> list[ast.expr]:
        """The values that a function assigns to a name."""
        found = self._locals.get(function)
        if found is None:
            found = self._locals[function] = local_assignments(function)
        return found.get(name, [])

    def local_name(self, module: Module, function: FunctionNode, node: ast.Name) -> Value:
        """A name as a function sees it: imported inside it, or the module's."""
        imports = self._imports.get(function)
        if imports is None:
            imports = self._imports[function] = [each for each in ast.walk(function) if isinstance(each, ast.ImportFrom)]
        found = self.imported(module, imports, node.id)
        return self.name(module, node.id) if found is MISSING else found


def is_property(node: FunctionNode) -> bool:
    return any(last_name(each) in ("property", "cached_property") for each in node.decorator_list)


def _self_assignments(function: FunctionNode, receiver: str) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    match target:
                        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == receiver:
                            yield attr, value, None
                        case ast.Tuple(elts=parts):
                            for attr in (each.attr for each in parts if _is_own(each, receiver)):
                                yield attr, ast.copy_location(ast.Subscript(value, ast.Constant(0), ast.Load()), value), None
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id=name), attr=attr), value=value, annotation=annotation) if (
                name == receiver
            ):
                yield attr, value or ast.Constant(None), annotation


def _is_own(node: ast.expr, receiver: str) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver


def local_assignments(function: FunctionNode) -> dict[str, list[ast.expr]]:
    """The values that a function assigns to each plain name."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                found.setdefault(target, []).append(value)
    return found
