"""A draft model from outside: the methods that project captured states, and its parts that hand them on."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .. import ir
from ..values import ClassValue, FunctionValue
from .domain import Method, Object, Thing, Val

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments


def projecting_methods(engine: Engine, holder: Val, name: str) -> Val | None:
    """The method of the drafts by which they project captured states, where it is called on something of no known class."""
    if holder.marks or any(not isinstance(thing, Object) or isinstance(thing.cls, ClassValue) or thing.made for thing in holder.things):
        return None
    methods: list[Thing] = []
    for draft in engine.drafts:
        found = engine.types.find(draft.cls, name)[0] if isinstance(draft.cls, ClassValue) else None
        if isinstance(found, FunctionValue) and engine.projecting.mentioned(found):
            methods.append(Method(found, Val((draft,))))
    if not methods:
        return None
    engine.assumptions.add("draft-methods")
    return Val(tuple(methods))


def pass_part(engine: Engine, node: ir.Call, part: Object, function: FunctionValue, arguments: Arguments) -> Val | None:
    """A part of the draft that has no parts itself, as a norm: captured states go in, and come out of it changed. None for all else."""
    given = [val for val in arguments.all() if val.marks]
    if not given or not engine.in_draft or engine.reaches_projection(function, Val((part,))) or not engine.types.is_leaf(part.cls):
        return None
    assert part.cls is not None
    made = engine.node("transform", part.cls.name, node.at)
    engine.assumptions.add("draft-parts")
    engine.tracks.supposing = "draft-parts"
    engine.tracks.hop(frozenset().union(*(val.marks for val in given)), made, "data", part.cls.name)
    engine.tracks.supposing = ""
    return Val(open=True, marks=frozenset({made}), mixed=any(val.mixed for val in given))
