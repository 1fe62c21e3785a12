"""What ``with … as`` binds."""
from __future__ import annotations

from .. import ir
from ..values import ClassValue, FunctionValue
from .calls import call_thing
from .domain import Method, Object, Val
from .engine import Engine
from .items import read_element
from .parameters import Arguments
from .store import State


def enter_context(engine: Engine, val: Val, state: State, at: ir.At) -> Val:
    """What ``__enter__`` returns, what a generator yields, else the value itself."""
    thing = val.only
    if isinstance(thing, Object) and isinstance(thing.cls, ClassValue):
        enter = engine.types.find(thing.cls, "__enter__")[0]
        if isinstance(enter, FunctionValue):
            node = ir.Call(ir.Name("__enter__", at), (), at)
            return call_thing(engine, node, val, Method(enter, val), Arguments((), {}, {}, True), state)
    is_generator = isinstance(thing, Object) and thing.made and thing.path.startswith("list#")
    return read_element(state, val, None) if is_generator else val
