"""Builtin functions that make or use up iterators."""

from __future__ import annotations

from ..values import External, ListValue, Value
from .host import Host, Model
from .samples import numbered

Args = tuple[Value, ...]
Keywords = dict[str, Value]


def reversed_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[0])
    return machine.unknown_items("list") if items is None else machine.new_list(tuple(reversed(items)), iterator=True)


def enumerate_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    if (samples := numbered(machine, machine.pick(args[0]))) is not None:
        return samples
    items = machine.iterate(args[0])
    start = machine.pick(args[1] if len(args) > 1 else keywords.get("start", 0))
    if items is None or not isinstance(start, int):
        return machine.unknown_items("list")
    return machine.watch_source(machine.new_list(tuple((int(start) + i, x) for i, x in enumerate(items)), iterator=True), args[0])


def zip_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    if len(args) > 1 and any(isinstance(a, ListValue) and a.iterator for a in args[1:]):
        return zip_one_by_one(machine, args)
    lists = [machine.iterate(a) for a in args]
    known = [items for items in lists if items is not None]
    if len(known) < len(lists):
        return machine.unknown_items("list")
    if keywords.get("strict") is True and len({len(items) for items in known}) > 1:
        return machine.raise_error("ValueError", "zip() arguments have different lengths")
    return machine.watch_source(machine.new_list(tuple(zip(*known, strict=False)), iterator=True), *args)


def zip_one_by_one(machine: Host, args: Args) -> Value:
    """With an iterator among them the order of the steps matters: one may be given twice."""
    columns = [
        a if isinstance(a, ListValue) and a.iterator else machine.new_list(tuple(machine.iterate(a) or ()), iterator=True)
        for a in map(machine.pick, args)
    ]
    rows: list[Value] = []
    while True:
        row: list[Value] = []
        for column in columns:
            items = machine.items_of(column)
            if not isinstance(items, tuple):
                return machine.unknown_items("list")
            if not items:
                return machine.new_list(tuple(rows), iterator=True)
            machine.heap.write(column.state, "items", items[1:])
            row.append(items[0])
        rows.append(tuple(row))


def map_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    lists = [machine.iterate(a) for a in args[1:]]
    known = [items for items in lists if items is not None]
    if len(known) < len(lists):
        return machine.unknown_items("list")
    return machine.watch_source(
        machine.new_list(tuple(machine.call(args[0], parts, {}) for parts in zip(*known, strict=False)), iterator=True), *args
    )


def filter_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[1])
    kept: list[Value] = []
    for item in items or ():
        answer = machine.condition(item if args[0] is None else machine.call(args[0], (item,), {}))
        if not isinstance(answer, bool):
            return machine.unknown_items("list")
        if answer:
            kept.append(item)
    return machine.unknown_items("list") if items is None else machine.new_list(tuple(kept), iterator=True)


def quantifier(stops_at: bool) -> Model:
    """``any`` and ``all``."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        source = machine.pick(args[0])
        items = machine.iterate(source)
        if isinstance(source, ListValue) and source.iterator and items is not None:
            return stop_in_iterator(machine, source, items, stops_at)
        if items is None:
            return machine.mystery("any" if stops_at else "all", "a test over a collection that is not known", not_none=True)
        result: Value = not stops_at
        for item in reversed(items):
            answer = machine.condition(item)
            if isinstance(answer, bool):
                result = stops_at if answer is stops_at else result
            elif result is not stops_at:
                rest = result
                result = machine.choose(answer, lambda side, r=rest: stops_at if side is stops_at else r)  # type: ignore[misc]
        return result

    return model


def stop_in_iterator(machine: Host, source: ListValue, items: list[Value], stops_at: bool) -> Value:
    """``any`` and ``all`` use an iterator up to the item that answers them; where one is open the rest decides."""
    for place, item in enumerate(items):
        answer = machine.condition(item)
        if not isinstance(answer, bool):
            return machine.call(External("builtins.any" if stops_at else "builtins.all"), (machine.new_list(tuple(items[place:])),), {})
        if answer is stops_at:
            machine.heap.write(source.state, "items", tuple(items[place + 1 :]))
            return stops_at
    return not stops_at


def iter_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0])
    if isinstance(value, ListValue) and value.iterator:
        return value
    items = machine.iterate(value)
    if items is None or len(args) > 1:
        return machine.unknown_items("list")
    return machine.watch_source(machine.new_list(tuple(items), iterator=True), value)


def next_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """The first of an eager generator, which is consumed; further calls go on behind it."""
    value = machine.pick(args[0])
    items = machine.items_of(value) if isinstance(value, ListValue) and value.iterator else None
    if not isinstance(value, ListValue) or not isinstance(items, tuple):
        return machine.mystery("next", "the next of something unknown")
    if not items:
        return args[1] if len(args) > 1 else machine.raise_error("StopIteration", "")
    machine.heap.write(value.state, "items", tuple(items[1:]))
    return items[0]
