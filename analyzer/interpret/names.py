"""What a name means: locals, enclosing functions, the module's names (evaluated when first asked for), builtins."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from .. import ir
from ..index import Module
from ..scope import build_scope
from ..values import MISSING, ClassValue, External, FunctionValue, Instance, ModuleValue, Scope, Slots, Value
from .branch import choose, pick
from .order import AT_IMPORT
from .signals import GiveUp, Raised
from .switches import is_trifle, read

if TYPE_CHECKING:
    from .machine import Machine

BUILTINS = frozenset(dir(builtins))
KEPT_DECORATORS = frozenset(
    {"property", "staticmethod", "classmethod", "cached_property", "setter", "contextmanager", "overload", "abstractmethod"}
)
"""Decorators that say how a function is called rather than change it; read where the function is used."""


def look_up(machine: Machine, name: str) -> Value:
    """The value of a name in the running function; raises NameError in the program where nothing binds it."""
    frame = machine.frame
    scope = frame.scope
    while scope is not None:
        value = scope.slots.get(name, MISSING)
        if value is not MISSING:
            return value if scope.slots.born > machine.read_clock else machine.noted(scope.slots, name)
        if scope.code is not None and name in scope.code.bound and scope is frame.scope:
            raise machine.raised("UnboundLocalError", f"cannot access local variable {name!r}", certain=False)
        scope = scope.outer
    if frame.scope is None and (value := frame.slots.get(name, MISSING)) is not MISSING:
        return value
    if frame.body is not None and (value := class_name(machine, frame.body, name)) is not MISSING:
        return value
    value = module_name(machine, frame.module, name)
    if value is MISSING:
        raise machine.raised("NameError", f"name {name!r} is not defined", certain=False)
    return value


def module_name(machine: Machine, module: Module, name: str) -> Value:
    """The value that a module's name has once the module is imported; MISSING where it binds none."""
    slots = module_slots(machine, module)
    if name in module.declared_global and machine.frames and machine.frame.function is not None:
        machine.frame.reads_mutable = True
        machine.assume("import-state")
        value = bound_name(machine, module, slots, name)
        if is_trifle(machine, module, slots, name):
            return value
        return read(machine, module, slots, name, value) if isinstance(value, bool) else value
    return bound_name(machine, module, slots, name)


def bound_name(machine: Machine, module: Module, slots: Slots, name: str) -> Value:
    value = machine.evaluated(slots, name)
    if value is not MISSING:
        if (module.name, name) in machine.later:
            run_later(machine, module, slots, name)
            return machine.noted(slots, name)
        return value
    statements = module.scope.names.get(name)
    if statements:
        return evaluate_name(machine, module, slots, name, statements)
    machine.noted(slots, name)
    if name in BUILTINS:
        return External(f"builtins.{name}")
    if name == "__name__":
        return module.name
    return from_stars(machine, module, slots, name)


def module_slots(machine: Machine, module: Module) -> Slots:
    slots = machine.modules.get(module.name)
    if slots is None:
        slots = machine.modules[module.name] = machine.heap.new()
        slots.born, slots.age = 0, AT_IMPORT
    return slots


def evaluate_name(machine: Machine, module: Module, slots: Slots, name: str, statements: tuple[ast.stmt, ...]) -> Value:
    """Run the statements of a module's top level that give a name its value, and only those."""
    if len(machine.frames) > 200:
        raise GiveUp("imports nested too deep", machine.location())
    if (module.name, name) in machine.evaluating:
        return machine.unknown(f"{module.name}.{name}", "a name that is needed to compute itself")
    machine.later[module.name, name] = statements
    run_later(machine, module, slots, name)
    return machine.noted(slots, name)


def run_later(machine: Machine, module: Module, slots: Slots, name: str) -> None:
    """Run the statements for a name that have not run yet. While a statement of the module itself is being evaluated, as at import,
    only those that stand before it have run."""
    limit = machine.importing.get(module.name)
    machine.evaluating.add((module.name, name))
    statements = machine.later.pop((module.name, name))
    before = machine.importing.copy()
    try:
        with machine.module_frame(module, slots):
            for place, statement in enumerate(statements):
                if limit is not None and statement.lineno > limit and name in slots:
                    machine.later[module.name, name] = statements[place:]
                    return
                machine.importing[module.name] = statement.lineno
                bind_statement(machine, module, slots, name, statement)
    finally:
        machine.importing = before
        machine.evaluating.discard((module.name, name))


def bind_statement(machine: Machine, module: Module, slots: Slots, name: str, node: ast.stmt) -> None:
    """Run one top-level statement for the sake of one name."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            slots[name] = decorated(machine, FunctionValue(module, node.name, node, None, None, None))
        case ast.ClassDef():
            slots[name] = decorated_class(machine, module, node)
        case ast.Import() | ast.ImportFrom():
            machine.run_statement(machine.code.statement(module, node))
        case ast.If():
            answer = machine.truth(machine.evaluate_test(module, node))
            if isinstance(answer, bool):
                bind_all(machine, module, slots, name, node.body if answer else node.orelse)
            else:
                bind_either(machine, module, slots, name, node)
        case ast.Try():
            bind_all(machine, module, slots, name, [*node.body, *node.orelse, *node.finalbody])
            if slots.get(name, MISSING) is MISSING:
                for handler in node.handlers:
                    bind_all(machine, module, slots, name, handler.body)
        case ast.With():
            bind_all(machine, module, slots, name, node.body)
        case _:
            machine.run_statement(machine.code.statement(module, node))


def bind_all(machine: Machine, module: Module, slots: Slots, name: str, body: list[ast.stmt]) -> None:
    for statement in build_scope(body, walrus=False).names.get(name, ()):
        bind_statement(machine, module, slots, name, statement)


def bind_either(machine: Machine, module: Module, slots: Slots, name: str, node: ast.If) -> None:
    """A top-level condition that nothing decides: the name is whatever the answer makes it."""
    condition = machine.condition(machine.evaluate_test(module, node))
    if isinstance(condition, bool):
        bind_all(machine, module, slots, name, node.body if condition else node.orelse)
        return
    before = slots.get(name, MISSING)

    def side(answer: bool) -> Value:
        machine.heap.write(slots, name, before)
        bind_all(machine, module, slots, name, node.body if answer else node.orelse)
        return slots.get(name, MISSING)

    slots[name] = choose(machine, condition, side)


def from_stars(machine: Machine, module: Module, slots: Slots, name: str) -> Value:
    """A name that only ``from … import *`` can bring."""
    outside: str | None = None
    for star in module.scope.stars:
        target = module.resolve_relative(star.module or "", star.level)
        why = f"imported at {machine.printed(module.path)}:{star.lineno}"
        found = machine.index.module(target, lambda: why)  # noqa: B023
        if found is None:
            outside = None if machine.index.exists(target) else target
            continue
        key = f"*{name}"
        if slots.get(key) is True:
            continue
        slots[key] = True
        value = module_name(machine, found, name)
        slots.pop(key, None)
        if value is not MISSING and not (isinstance(value, External) and value.name == f"builtins.{name}"):
            slots[name] = value
            return value
    return External(f"{outside}.{name}") if outside else MISSING


def import_module(machine: Machine, name: str) -> Value:
    """The value of ``import name``: a module of the tree or something outside it."""
    if machine.index.exists(name):
        return ModuleValue(name)
    if name.split(".")[0] == machine.supposed.package:
        raise machine.raised("ModuleNotFoundError", f"No module named {name!r}", certain=False)
    return External(name)


def import_name(machine: Machine, module: Module, target: str, name: str) -> Value:
    """The value of ``from target import name``."""
    found = machine.index.module(target, lambda: f"imported at {machine.location()}")
    if found is not None and not (found is module and name not in found.scope.names):
        value = module_name(machine, found, name)
        if value is not MISSING and not (
            isinstance(value, External) and value.name == f"builtins.{name}" and name not in found.scope.names
        ):
            return value
    if machine.index.exists(f"{target}.{name}"):
        return ModuleValue(f"{target}.{name}")
    if found is not None and "__getattr__" in found.scope.names:
        return made_on_demand(machine, found, name)
    if machine.index.exists(target) or target.split(".")[0] == machine.supposed.package:
        if target in {machine.index.module_of(path) for path in machine.index.unreadable}:
            raise GiveUp(f"{target} cannot be read", machine.location())
        raise machine.raised("ImportError", f"cannot import name {name!r} from {target!r}", certain=False)
    return External(f"{target}.{name}")


def made_on_demand(machine: Machine, module: Module, name: str) -> Value:
    """A name that a module makes when it is asked for (PEP 562): known by its name only."""
    known = machine.supposed_value(name)
    return known[0] if known else machine.unknown(name, f"{module.name} makes {name} when it is asked for", not_none=True)


def bind_import(machine: Machine, statement: ir.Import | ir.ImportFrom) -> None:
    """Run an import statement in the running frame."""
    module = machine.frame.module
    if isinstance(statement, ir.Import):
        for name, alias in statement.names:
            value = import_module(machine, name if alias else name.split(".")[0])
            machine.bind_name(alias or name.split(".")[0], value)
        return
    target = module.resolve_relative(statement.module, statement.level)
    for name, alias in statement.names or ():
        machine.bind_name(alias or name, import_name(machine, module, target, name))


def dotted(machine: Machine, module: Module, node: ast.expr) -> Value:
    """The value of a dotted name such as a base class or a decorator; MISSING where it is something else."""
    match node:
        case ast.Name(id=name):
            return pick(machine, module_name(machine, module, name))
        case ast.Attribute(value=inner, attr=attr):
            value = dotted(machine, module, inner)
            if value is MISSING:
                return MISSING
            try:
                return machine.get_attribute(value, attr)
            except Raised:
                return MISSING
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return dotted(machine, module, inner)
    return MISSING


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """The last names of a function's decorators: ``torch.no_grad()`` is ``no_grad``."""
    names = []
    for decorator in node.decorator_list:
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.append(inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else "?")
    return tuple(names)


def decorated(machine: Machine, function: FunctionValue) -> Value:
    """A function as its decorators leave it: itself where they are known to keep it, else something of which nothing is known."""
    node = function.node
    assert node is not None
    value: Value = function
    for position, name in reversed(list(enumerate(decorators(node)))):
        if name in KEPT_DECORATORS:
            continue
        decorator = node.decorator_list[position]
        known = dotted(machine, function.module, decorator)
        if isinstance(known, External):
            if not machine.library.keeps_function(known.name):
                value = External(f"decorated.{known.name}.{function.name}")
        elif isinstance(known, FunctionValue):
            value = machine.decorate(function, position, value)
        else:
            value = machine.unknown(f"{function.module.name}.{function.name}", "its decorator is not understood")
    return value


def decorated_class(machine: Machine, module: Module, node: ast.ClassDef) -> Value:
    """A class as its decorators leave it: those from outside, and those that are made by a call (registries), are taken to keep it."""
    value = machine.class_value(module, node)
    if isinstance(value, ClassValue) and any(isinstance(base, ast.Name) and base.id == node.name for base in node.bases):
        before = module_slots(machine, module).get(node.name, MISSING)  # `class A(A)`: the base is what the name meant so far
        own = (before if isinstance(base, ast.Name) and base.id == node.name else dotted(machine, module, base) for base in node.bases)
        unknown = machine.unknown(node.name, "a base class that is not understood")
        value.slots["#bases"] = tuple(b if isinstance(b, ClassValue | External) else unknown for b in own)
    for decorator in reversed(node.decorator_list):
        known = dotted(machine, module, decorator) if not isinstance(decorator, ast.Call) else MISSING
        if isinstance(known, FunctionValue) and known.name in machine.supposed.identities:
            machine.assume(machine.supposed.identities[known.name])
        elif isinstance(known, FunctionValue):
            value = machine.call(known, (value,), {})
    return value


def class_name(machine: Machine, cls: ClassValue, name: str) -> Value:
    """A name of a class body, evaluated when first asked for; MISSING where the body binds none."""
    value = machine.evaluated(cls.slots, name)
    if value is not MISSING or cls.node is None:
        return value
    statements = cls.module.class_scope(cls.node).names.get(name)
    if not statements:
        return machine.noted(cls.slots, name)
    before = machine.importing.copy()
    machine.importing[cls.module.name] = cls.node.lineno
    with machine.class_frame(cls):
        for statement in statements:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                method = FunctionValue(cls.module, statement.name, statement, None, None, cls)
                if "setter" not in decorators(statement):
                    cls.slots[name] = decorated(machine, method)
            else:
                bind_statement(machine, cls.module, cls.slots, name, statement)
        made = cls.slots.get(name)
        if isinstance(made, Instance) and machine.has_method(made, "__set_name__"):
            machine.call(machine.get_attribute(made, "__set_name__"), (cls, name), {})
    machine.importing = before
    return machine.noted(cls.slots, name)


def scope_of(frame_scope: Scope | None, name: str) -> Slots | None:
    """The slots of the enclosing function that binds a nonlocal name."""
    scope = frame_scope.outer if frame_scope else None
    while scope is not None:
        if scope.code is not None and name in scope.code.bound:
            return scope.slots
        scope = scope.outer
    return None
