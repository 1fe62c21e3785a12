"""Run a function of a small source on the abstract machine, and give back Python's own values."""
from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from textwrap import dedent

from string_tree import StringTree

from flowcheck.analyzer.index import Index
from flowcheck.analyzer.interpret.code import Code
from flowcheck.analyzer.interpret.machine import Machine
from flowcheck.analyzer.interpret.names import module_name
from flowcheck.analyzer.library.facts import Facts
from flowcheck.analyzer.library.tables import Library
from flowcheck.analyzer.values import DictValue, ListValue, Phi, SetValue, Value

MODULE = "pkg.example"
FRAMES = 20_000
"""As many of Python's frames as the pipeline gives the interpreter."""


def machine_on(source: str, **others: str) -> Machine:
    """A machine on a tree of one module; ``others`` are modules beside it."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    files: dict[str, str | bytes] = {f"pkg/{name}.py": dedent(text) for name, text in {"example": source, **others}.items()}
    machine = Machine(Index(StringTree(files)), Facts("pkg"), str, Code(), Library({}))
    machine.flow_folder = "pkg"
    return machine


def abstract(machine: Machine, source_value: object) -> Value:
    """One of Python's values as the machine holds it; a text that begins with ``?`` is an unknown of that name."""
    if isinstance(source_value, str) and source_value.startswith("?"):
        return machine.unknown(source_value[1:], "given by the test")
    if isinstance(source_value, list):
        return machine.new_list(tuple(abstract(machine, each) for each in source_value))
    if isinstance(source_value, tuple):
        return tuple(abstract(machine, each) for each in source_value)
    assert source_value is None or isinstance(source_value, bool | int | float | str), source_value
    return source_value


def run(source: str, *args: object, function: str = "f", **others: str) -> object:
    """What ``f`` of the source returns; raises ``Raised`` where the program raises."""
    machine = machine_on(source, **others)
    module = machine.index.module(MODULE)
    assert module is not None, machine.index.unreadable
    with machine.in_module(module):
        found = machine.call(module_name(machine, module, function), tuple(abstract(machine, each) for each in args), {})
        return concrete(machine, found)


def concrete(machine: Machine, value: Value, known: Mapping[str, bool] | None = None) -> object:
    """Python's value; an unknown is its key in ``<>``, a choice ``{condition: (value if true, value if false)}``."""
    answers = known or {}

    def inner(each: Value) -> object:
        return concrete(machine, each, answers)

    match value:
        case Phi():
            return choice(machine, value, answers)
        case ListValue() | SetValue():
            items = value.state.get("items")
            if isinstance(items, Phi):
                return choice(machine, items, answers, list if isinstance(value, ListValue) else set)
            found = [inner(each) for each in items] if isinstance(items, tuple) else [f"<{items}>"]
            return found if isinstance(value, ListValue) else set(found)
        case DictValue():
            entries = machine.entries(value)
            assert entries is not None
            return {inner(key): inner(each) for key, each in entries}
        case tuple():
            return tuple(inner(each) for each in value)
        case bool() | None | float() | str() | range():
            return value
        case int():
            return int(value)
    return f"<{machine.show(value)}>"


def choice(machine: Machine, value: Phi, known: Mapping[str, bool], make: Callable[[tuple[object, ...]], object] = tuple) -> object:
    """Both sides of a choice, or the one value where they are equal; a condition that was asked for before keeps its answer."""
    key = value.condition.key

    def side(answer: bool) -> object:
        found = concrete(machine, value.if_true if answer else value.if_false, {**known, key: answer})
        return make(found) if isinstance(found, tuple) else found

    if key in known:
        return side(known[key])
    true, false = side(True), side(False)
    return true if true == false else {key: (true, false)}
