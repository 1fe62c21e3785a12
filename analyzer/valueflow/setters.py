"""The setters that take the ids: which fields hold the models that have them, and what they are given from outside the models."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import ir
from ..results import Location
from ..values import ClassValue
from .domain import NONE, OWN_DEFAULT, Known, Method, Object, Val
from .journal import note_event
from .store import State

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments


def seek_model(engine: Engine, node: ir.Attribute, holder: Val, state: State) -> None:
    """What is asked for a setter is a model: remember the field that holds it, for the next round to know."""
    if node.attr not in engine.question.setters or is_inside(engine):
        return
    if any(thing.backing is not None or isinstance(thing.cls, ClassValue) for thing in holder.objects):
        return
    engine.model_fields |= set(_fields(engine, node, holder, state))


def _fields(engine: Engine, node: ir.Attribute, val: Val, state: State) -> Iterator[tuple[ClassValue, str]]:
    """The classes and attributes that hold what a method is asked of: where it was found, and where it was put."""
    yield from (thing.field for thing in val.objects if thing.field is not None)
    known = [thing for thing in val.things if isinstance(thing, Object | Known)]
    for holder, fields in state.heap.items() if known else ():
        if isinstance(holder.cls, ClassValue):
            yield from ((holder.cls, name) for name, kept in fields.items() if any(thing in known for thing in kept.things))
    if isinstance(inner := node.value, ir.Attribute):
        for holder in engine.evaluate(inner.value, state.copy()).objects:
            if isinstance(holder.cls, ClassValue):
                yield holder.cls, inner.attr


def note_call(engine: Engine, receiver: Val, arguments: Arguments, at: ir.At, state: State) -> None:
    """Remember what a setter of a model was called with; a model that hands the ids on to its parts is no such caller."""
    if not is_inside(engine):
        given = next(arguments.all(), NONE)
        if engine.is_open:
            engine.doubt("whether the setter is called here hangs on a condition that is not known", at)
        note_event(engine, "set", state, given, at)
        for thing in receiver.objects:
            engine.note_setter(thing, given, engine.location(at), state)


def model_made(engine: Engine, cls: ClassValue) -> Object | None:
    """The target's model, where an object of its class is made: there is one, or one for each stage."""
    for thing in engine.backings.values():
        if engine.is_root(thing) and isinstance(thing.cls, ClassValue) and thing.cls.node is cls.node:
            engine.assumptions.add("single-rank")
            return thing
    return None


def own_default(engine: Engine, method: Method) -> Val | None:
    """The ids that a target names where a config names none; None for every other method."""
    roots = method.receiver is not None and any(map(engine.is_root, method.receiver.objects))
    if method.function.name not in engine.question.defaults or not roots:
        return None
    return engine.made.setdefault((OWN_DEFAULT, Location("", 0)), Val((Object(OWN_DEFAULT, made=True),)))


def is_own_default(state: State, val: Val) -> bool:
    """Whether a value is those ids, as the target named them."""
    thing = val.only
    return isinstance(thing, Object) and thing.path == OWN_DEFAULT and not state.fields(thing)


def is_inside(engine: Engine) -> bool:
    """Whether a method of a model is running."""
    receiver = engine.frame.receiver
    return receiver is not None and any(thing.backing is not None for thing in receiver.objects)
