"""All that a value leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..values import BoundMethod, DictValue, Instance, ListValue, Phi, SetValue, Value


def reachable(values: Iterable[Value]) -> Iterator[Value]:
    """These values and what they hold, through collections, objects, methods and both answers to a condition; each thing once."""
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        slots = value.attrs if isinstance(value, Instance) else value.state if isinstance(value, ListValue | DictValue | SetValue) else None
        if slots is not None and id(slots) in seen:
            continue
        yield value
        if slots is not None:
            seen.add(id(slots))
            waiting += slots.values()
        elif isinstance(value, tuple):
            waiting += value
        elif isinstance(value, Phi):
            waiting += (value.if_true, value.if_false)
        elif isinstance(value, BoundMethod):
            waiting += (value.receiver,)
