"""The consumer: the calls by which a draft projects captured states."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import ir
from .domain import UNKNOWN, Object, Val
from .parameters import Arguments, as_argument
from .store import State
from .tracks import tracked

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True, slots=True)
class Projection:
    """A projection of the draft: the object that has it, and under which name."""

    holder: Object
    name: str


def projected(engine: Engine, node: ir.Call, holder: Val | None, callee: Val, arguments: Arguments) -> list[Projection]:
    """The projections that a call runs: one that is called, whose forward is called, or whose weight is multiplied with."""
    names = engine.question.projections
    if isinstance(node.func, ir.Attribute) and node.func.attr in names and holder is not None:
        return [Projection(thing, node.func.attr) for thing in holder.objects]
    of_forward = holder if isinstance(node.func, ir.Attribute) and node.func.attr in ("forward", "__call__") else None
    weights = [val for val in arguments.all() if any(thing.path.endswith(".weight") for thing in val.objects)]
    found: list[Projection] = []
    for val in (callee, *([of_forward] if of_forward is not None else []), *weights):
        for thing in val.objects:
            owner, _, name = thing.path.removesuffix(".weight").rpartition(".")
            if name in names:
                cls = thing.field[0] if thing.field is not None else None
                found.append(Projection(Object(owner, cls), name))
    return found


def project(engine: Engine, node: ir.Call, arguments: Arguments, place: Projection, state: State) -> Val | None:
    """A call of the draft's projection with captured states: the end of the flow."""
    given = [val for val in arguments.all() if tracked(state, val)]
    if not given:
        return None
    if any(val.mixed for val in given):
        return UNKNOWN
    consumer = engine.node("consumer", place.name, node.at)
    placed: list[tuple[int | str, Val]] = [*enumerate(arguments.positional), *arguments.keywords.items()]
    for number, val in placed:
        if val in given:
            engine.tracks.hop(tracked(state, as_argument(engine, state, val, arguments, number, node)), consumer, "call")
    engine.consume(place.holder, place.name, consumer)
    return UNKNOWN
