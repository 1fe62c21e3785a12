"""Of which class a value is."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import ir
from ..values import ClassValue, External
from .domain import UNKNOWN, Exact, Items, Object, Val, exact
from .store import State

if TYPE_CHECKING:
    from .engine import Engine

PLAIN = frozenset(f"builtins.{name}" for name in ("list", "tuple", "dict", "set", "frozenset", "str", "bytes", "int", "float", "bool"))
"""Classes of which no other is a subclass: what is of one of them is of none of the others, but that a bool is an int."""


def is_instance(engine: Engine, node: ir.Call, state: State) -> Val:
    """``isinstance(value, classes)``."""
    given = [engine.evaluate(argument.value, state) for argument in node.arguments]
    val, wanted = [*given, UNKNOWN, UNKNOWN][:2]
    classes = wanted.only.items if isinstance(wanted.only, Items) else (wanted,)
    names = [only.value for each in classes if isinstance(only := each.only, Exact)]
    answers = {_is_one_of(engine, thing, names) for thing in val.things} if not val.open and len(names) == len(classes) else {None}
    answer = answers.pop() if len(answers) == 1 else None
    return UNKNOWN if answer is None else exact(answer)


def _is_one_of(engine: Engine, thing: object, classes: Sequence[object]) -> bool | None:
    kind = "tuple" if isinstance(thing, Items) else "list" if isinstance(thing, Object) and thing.loaded and thing.cls is None else ""
    if kind and all(isinstance(one, External) and one.name in PLAIN for one in classes):
        return External(f"builtins.{kind}") in classes
    match thing:
        case Items() | Object(made=True, is_plain=True) if all(isinstance(one, External) for one in classes):
            return None if any(map(is_collection_class, classes)) else False
        case Object(cls=ClassValue() as cls):
            order = engine.types.order(cls)
            if any(one in order for one in classes):
                return True
            if thing.made or thing.backing is not None:
                return False if all(isinstance(one, ClassValue) for one in classes) else None
            below = any(isinstance(one, ClassValue) and cls in engine.types.order(one) for one in classes)
            return None if below or not all(isinstance(one, ClassValue) for one in classes) else False
        case Exact(value=None):
            return False
    return None


def is_collection_class(cls: object) -> bool:
    """Whether a class may be that of a list, or of another collection that Python brings along."""
    return isinstance(cls, External) and cls.name.startswith(("builtins.", "collections.", "typing."))
