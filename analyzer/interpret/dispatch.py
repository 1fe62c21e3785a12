"""What stands for a call that is not run: a library model, a supposed answer, a collective that hands back what it is given."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, BuiltinMethod, ClassValue, External, FunctionValue, Instance, Partial, Tensor, Value
from . import attributes, calls
from .signals import GiveUp

if TYPE_CHECKING:
    from .machine import Machine


def returned_class(function: FunctionValue) -> str:
    """The class that a function is annotated to return, by its last name; empty where the annotation is something else."""
    node = function.node.returns if function.node is not None else None
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


OPAQUE = "@opaque"
"""What is supposed of a function that is not looked into."""
REFLECTION = frozenset(f"builtins.{name}" for name in ("exec", "eval", "compile", "globals", "locals", "vars", "__import__"))
"""Builtins that reach what no model can describe."""


def call_library(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    found = machine.supposed.calls.get(function.name) if isinstance(function, External) else None
    if found is not None:
        machine.assume(found.assumption)
        return machine.fact(found.value)
    if isinstance(function, External) and function.name == "builtins.vars" and len(args) == 1 and isinstance(args[0], ClassValue):
        return machine.get_attribute(args[0], "__dict__")
    if isinstance(function, External) and function.name == attributes.SET and args and isinstance(args[0], Instance):
        return set_plainly(machine, args)
    model = machine.library.find(function)
    if model is None and isinstance(function, BuiltinMethod):
        machine.clobber((function.receiver,), {}, function.name)
    if model is None and isinstance(function, External) and function.name in REFLECTION:
        raise GiveUp(f"{function.name.removeprefix('builtins.')}() may change anything", machine.location())
    if (
        model is None
        and isinstance(function, External)
        and function.name.startswith("builtins.")
        and any(isinstance(a, Instance) for a in args)
    ):
        raise GiveUp(f"{function.name.removeprefix('builtins.')}() is not modelled and may change the object", machine.location())
    if model is None:
        return machine.call_outside(function, args, keywords)
    return model(machine, function, args, keywords)


def set_plainly(machine: Machine, args: tuple[Value, ...]) -> Value:
    """``object.__setattr__(value, name, new)``, or that of torch's modules: no hook of the class is asked."""
    name = machine.pick(args[1]) if len(args) == 3 else None
    if not isinstance(name, str) or not isinstance(args[0], Instance):
        raise GiveUp("an attribute is set by a name that is not known", machine.location())
    attributes.set_on_instance(machine, args[0], name, args[2])
    return None


def run_generator(machine: Machine, call: Partial, consume: Callable[[Value], None]) -> None:
    """Run a generator function, each yielded value handed to ``consume`` at its ``yield``."""
    function = call.function
    if not isinstance(function, FunctionValue):
        raise GiveUp("a context manager that is not understood", machine.location())
    calls.run_function(machine, function, call.args, dict(call.keywords), consume)


def supposed_call(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value] | None:
    """What the flow supposes that a function of the package answers, boxed."""
    calls = machine.supposed.calls
    if function.owner is not None:
        method = calls.get(f"{function.owner.name}.{function.name}")
        if method is not None:
            machine.assume(method.assumption)
        return None if method is None else (machine.fact(method.value),)
    found = calls.get(function.name) or calls.get(f"{function.module.name}.{function.name}")
    found = found or machine.supposed.returns.get(returned_class(function))
    if found is not None:
        machine.assume(found.assumption)
        return (opaque_answer(machine, function, args, keywords) if found.value == OPAQUE else machine.fact(found.value),)
    kernel = machine.library.kernels.get(str(function))
    if kernel is not None and function.node is not None:
        positional = function.node.args.posonlyargs + function.node.args.args
        named = {parameter.arg: value for parameter, value in zip(positional, args, strict=False)}
        return (kernel(machine, External(str(function)), (), {**named, **keywords}),)
    identity = machine.identity_of(function.name, args, keywords)
    return None if identity is None else (identity,)


def opaque_answer(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """The answer of a function that is not looked into: it may have changed what it was given."""
    machine.noticed.entrusted += (*args, *keywords.values())
    machine.clobber(args, keywords, function.name)
    return machine.unknown(f"{function.name}()", f"{function.name} is not looked into", not_none=True)


def identity_of(machine: Machine, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> Tensor | None:
    """The first tensor given to a function that hands it back on one rank; None for any other function."""
    assumption = machine.supposed.identities.get(name)
    if assumption is None:
        return None
    for value in (*args, *keywords.values()):
        if isinstance(value, Tensor):
            machine.assume(assumption)
            return value
    return None


def default(machine: Machine, function: FunctionValue, name: str, node: ir.Expression) -> Value:
    """A parameter's default: evaluated once, where the function is defined."""
    if isinstance(node, ir.Const):
        return node.value
    found = machine.defaults.get((function, name), MISSING)
    if found is MISSING:
        found = machine.defaults[function, name] = machine.evaluate_default(function, node)
    return found
