"""A class as the dict of its own names: ``klass.__dict__`` and ``vars(klass)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..values import MISSING, ClassValue, DictValue, Value
from .containers import WRAPPER
from .names import class_name
from .signals import GiveUp, Raised

if TYPE_CHECKING:
    from .machine import Machine

GIVEN_BY_PYTHON = ("__module__", "__dict__", "__weakref__", "__doc__")


def class_dict(machine: Machine, cls: ClassValue) -> DictValue:
    """What the body of a class binds, and what was written to the class since; a copy, as it cannot be written through."""
    made = DictValue(machine.heap.new())
    for name in own_names(cls):
        made.state[(WRAPPER, name)] = own_value(machine, cls, name)
    for name in GIVEN_BY_PYTHON:
        made.state.setdefault((WRAPPER, name), machine.mystery(name, "what Python keeps in a class"))
    if cls.node is None or cls.node.decorator_list:
        made.state["#open"] = True  # a decorator may add names
    return made


def own_names(cls: ClassValue) -> list[str]:
    bound = list(cls.module.class_scope(cls.node).names) if cls.node is not None else []
    written = [key for key in cls.slots if isinstance(key, str) and not key.startswith("#") and cls.slots[key] is not MISSING]
    annotated = cls.node is not None and any(isinstance(statement, ast.AnnAssign) for statement in cls.node.body)
    return list(dict.fromkeys([*bound, *written, *(["__annotations__"] if annotated else [])]))


def own_value(machine: Machine, cls: ClassValue, name: str) -> Value:
    try:
        found = machine.noted(cls.slots, name)
        value = found if found is not MISSING else class_name(machine, cls, name)
    except (Raised, GiveUp):
        value = MISSING
    return value if value is not MISSING else machine.mystery(name, f"{name!r} in the body of {cls.name}")
