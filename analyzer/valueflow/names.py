"""What names and annotations stand for, asked of the interpreter: nothing is run but what a module's top level needs to say it."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from ..index import Module
from ..interpret.classes import dataclass_fields, find_in_class, resolution_order
from ..interpret.machine import Machine
from ..interpret.names import class_name, import_module, import_name, module_name
from ..interpret.signals import GiveUp, NeedDecision, Raised
from ..values import MISSING, ClassValue, External, FunctionValue, Missing, ModuleValue, Phi, Unknown, Value

Type: TypeAlias = ClassValue | External
FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
WRAPPERS = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Type", "type"})
COLLECTIONS = frozenset({"List", "list", "Sequence", "Tuple", "tuple", "Iterable", "Set", "set", "Deque", "deque"})


@dataclass(slots=True)
class Names:
    """Answers questions about names, classes and annotations, each once."""

    machine: Machine
    _fields: dict[ClassValue, dict[str, ClassValue]] = field(default_factory=dict)
    _valued: dict[ClassValue, frozenset[str]] = field(default_factory=dict)
    _names: dict[tuple[str, str], Value] = field(default_factory=dict)
    _found: dict[tuple[ClassValue, str, ClassValue | None], tuple[Value, ClassValue | External | None]] = field(default_factory=dict)

    @contextmanager
    def asking(self, module: Module) -> Iterator[None]:
        """Ask the machine something from the outermost frame of a module; it stands as before whatever comes of it."""
        frames, nesting = list(self.machine.frames), self.machine.nesting
        try:
            with self.machine.in_module(module):
                yield
        finally:
            self.machine.frames[:] = frames
            self.machine.nesting = nesting
            self.machine.steps = 0

    def name(self, module: Module, name: str) -> Value:
        """What a module's name stands for; MISSING where that cannot be told."""
        key = (module.name, name)
        found = self._names.get(key)
        if found is None and key not in self._names:
            found = self._names[key] = self._name(module, name)
        return found

    def _name(self, module: Module, name: str) -> Value:
        try:
            with self.asking(module):
                found = module_name(self.machine, module, name)
        except (GiveUp, NeedDecision, Raised, RecursionError):
            found = MISSING
        leaves = tuple(leaves_of(found))
        if len(leaves) == 1:
            found = leaves[0]
        if not isinstance(found, FunctionValue | ClassValue) and (plain := module_function(module, name)) is not None:
            return plain
        missing = not leaves or (isinstance(found, External) and found.name == f"builtins.{name}")
        return self._guarded(module, name) if missing else found

    def _guarded(self, module: Module, name: str) -> Value:
        """A name that is imported for annotations only."""
        for node in module.tree.body:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                found = self.imported(module, node.body, name)
                if found is not MISSING:
                    return found
        try:
            with self.asking(module):
                return module_name(self.machine, module, name)
        except (GiveUp, NeedDecision, Raised, RecursionError):
            return MISSING

    def imported(self, module: Module, body: list[ast.stmt], name: str) -> Value:
        """A name that one of these statements imports."""
        for node in body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self.import_name(module, module.resolve_relative(node.module or "", node.level), alias.name)
        return MISSING

    def import_name(self, module: Module, target: str, name: str) -> Value:
        try:
            with self.asking(module):
                return import_name(self.machine, module, target, name)
        except (GiveUp, NeedDecision, Raised, RecursionError):
            return MISSING

    def import_module(self, name: str) -> Value:
        try:
            return import_module(self.machine, name)
        except (GiveUp, NeedDecision, Raised, RecursionError, IndexError):
            return External(name)

    def find(self, cls: ClassValue, name: str, after: ClassValue | None = None) -> tuple[Value, ClassValue | External | None]:
        """A class attribute by the method resolution order, and the class that has it."""
        key = (cls, name, after)
        found = self._found.get(key)
        if found is None:
            try:
                with self.asking(cls.module):
                    found = find_in_class(self.machine, cls, name, after)
            except (GiveUp, NeedDecision, Raised, RecursionError):
                found = MISSING, None
            found = self._found[key] = undecorated(found, name)
        return found

    def order(self, cls: ClassValue) -> tuple[ClassValue, ...]:
        """The method resolution order, as far as it lies in the tree."""
        try:
            with self.asking(cls.module):
                return tuple(each for each in resolution_order(self.machine, cls) if isinstance(each, ClassValue))
        except (GiveUp, NeedDecision, Raised, RecursionError):
            return (cls,)

    def annotation(self, module: Module, text: ast.expr | str | None) -> tuple[Type, ...]:
        """The classes that an annotation names; quotes, ``Optional`` and ``|`` are seen through."""
        node = _parsed(text)
        match node:
            case ast.Constant(value=str() as inner):
                return self.annotation(module, inner)
            case ast.Name(id=name):
                found = self.name(module, name)
                return (found,) if isinstance(found, ClassValue | External) and found != External("builtins.object") else ()
            case ast.Attribute():
                found = self.dotted(module, node)
                return (found,) if isinstance(found, ClassValue | External) else ()
            case ast.Subscript(value=base, slice=inner) if last_name(base) in WRAPPERS:
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return tuple(found for part in parts for found in self.annotation(module, part))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return (*self.annotation(module, left), *self.annotation(module, right))
        return ()

    def element(self, module: Module, text: ast.expr | str | None) -> tuple[Type, ...]:
        """The classes of the items of an annotated collection."""
        match _parsed(text):
            case ast.Constant(value=str() as inner):
                return self.element(module, inner)
            case ast.Subscript(value=base, slice=inner) if last_name(base) in COLLECTIONS:
                return self.annotation(module, inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
            case ast.Subscript(value=base, slice=inner) if last_name(base) in WRAPPERS:
                return self.element(module, inner)
        return ()

    def dotted(self, module: Module, node: ast.expr) -> Value:
        match node:
            case ast.Name(id=name):
                return self.name(module, name)
            case ast.Attribute(value=inner, attr=attr):
                holder = self.dotted(module, inner)
                if isinstance(holder, External):
                    return External(f"{holder.name}.{attr}")
                if isinstance(holder, ModuleValue):
                    found = self.machine.index.module(
                        holder.name, lambda: f"used at {self.machine.printed(module.path)}:{node.lineno}"
                    )
                    return self.name(found, attr) if found is not None else MISSING
        return MISSING

    # ------------------------------------------------------------------- fields

    def fields(self, cls: ClassValue) -> dict[str, ClassValue]:
        """The fields of a dataclass, each with the class that declares it; empty where a constructor is written out."""
        found = self._fields.get(cls)
        if found is None:
            try:
                with self.asking(cls.module):
                    declared = dataclass_fields(self.machine, cls)
            except (GiveUp, NeedDecision, Raised):
                declared = {}
            init, owner = self.find(cls, "__init__")
            written = isinstance(init, FunctionValue) and owner in [each for each, _ in declared.values()]
            found = self._fields[cls] = {} if written else {name: each for name, (each, _) in declared.items()}
            self._valued[cls] = frozenset(name for name, (_, node) in declared.items() if node.value is not None)
        return found

    def field_default(self, cls: ClassValue, name: str) -> Value:
        """What a field holds where nothing is given for it; MISSING where it has no default, or that cannot be told."""
        owner = self.fields(cls).get(name)
        if owner is None or name not in self._valued[cls]:
            return MISSING
        try:
            with self.asking(cls.module):
                return class_name(self.machine, owner, name)
        except (GiveUp, NeedDecision, Raised):
            return MISSING


def undecorated(found: tuple[Value, Type | None], name: str) -> tuple[Value, Type | None]:
    """A method itself, where a decorator that is not understood stands before it: it is taken to run the method."""
    value, owner = found
    if isinstance(owner, ClassValue) and owner.node is not None:
        for node in reversed(owner.node.body):
            if isinstance(node, FunctionNode) and node.name == name and not any(last_name(d) == "setter" for d in node.decorator_list):
                is_it = isinstance(value, FunctionValue) and value.node is node
                return found if is_it else (FunctionValue(owner.module, name, node, None, None, owner), owner)
    return found


def module_function(module: Module, name: str) -> FunctionValue | None:
    """A function of a module's top level, whatever its decorators are."""
    for node in reversed(module.tree.body):
        if isinstance(node, FunctionNode) and node.name == name:
            return FunctionValue(module, name, node, None, None, None)
    return None


def is_abstract(function: FunctionValue) -> bool:
    """Whether a method is there to be overridden: all that it does is to say so."""
    body = [each for each in (function.node.body if function.node is not None else ()) if not is_text(each)]
    match body:
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def leaves_of(value: Value) -> Iterator[Value]:
    """The values that one may be, by conditions that are open; those that are not there or not known left out."""
    if isinstance(value, Phi):
        yield from leaves_of(value.if_true)
        yield from leaves_of(value.if_false)
    elif not isinstance(value, Missing | Unknown):
        yield value


def _parsed(text: ast.expr | str | None) -> ast.expr | None:
    if not isinstance(text, str):
        return text
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
