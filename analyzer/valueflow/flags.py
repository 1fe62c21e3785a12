"""What a launch flag is where the code asks for it."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..values import ClassValue
from .domain import Known, Object, Val, exact, last_name

if TYPE_CHECKING:
    from .engine import Engine


def launched(engine: Engine, name: str) -> Val | None:
    """What the flow stands for: the value of a launch flag, whoever holds it."""
    if name not in engine.question.launch:
        return None
    engine.assumptions.add("flow-launched" if engine.question.flags is None else "launch-flags")
    return replace(exact(engine.question.launch[name]), origin=frozenset({("launch", (name,))}))


def flag_of(engine: Engine, thing: Object | Known, name: str) -> Val | None:
    """The attribute of a thing, where that is a launch flag whose value is known. Names such as ``dtype`` are those of other things too:
    but for the flow's own flags, only an object that holds the flags is asked."""
    flags = engine.question.flags
    if flags is None or name in engine.question.launch or name not in flags.values or not holds_flags(engine, thing):
        return launched(engine, name)
    engine.assumptions.add("launch-flags")
    return exact(flags.values[name])


def holds_flags(engine: Engine, thing: Object | Known) -> bool:
    """Whether a thing is what the launch flags are held by: of their class, or called so where no class is known."""
    flags = engine.question.flags
    if flags is None:
        return False
    if isinstance(thing, Object) and isinstance(thing.cls, ClassValue):
        return any(cls.qualified == flags.cls for cls in engine.types.order(thing.cls))
    return last_name(thing) in flags.holders
