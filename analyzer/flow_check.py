"""A flow file held against the tree: what it names must be there. A flow that is built in covers many releases, and is not asked.

Only what the file itself says is looked at, not what it takes over from a flow that is built in.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .errors import BadInput
from .evaluation import Program
from .flows.flow import Table, Written
from .flows.shape import nearest
from .interpret.classes import find_in_class, resolution_order
from .interpret.machine import Machine
from .interpret.names import module_name
from .interpret.signals import GiveUp, NeedDecision, Raised
from .source import SourceTree
from .values import ClassValue, FunctionValue

Kind: TypeAlias = Literal["method", "class", "variable", "attribute", "name", "text"]
DEFINED: dict[Kind, str] = {
    "method": r"\bdef\s+{}\b",
    "class": r"\bclass\s+{}\b",
    "variable": r"(?m)^{}\s*(?::[^=\n]+)?=",
    "attribute": r"\.\s*{}\b|\bdef\s+{}\b|[\"']{}[\"']|(?m:^\s+{}\s*[:=])",
    "name": r"\b{}\b",
    "text": "{}",
}
"""How a name of each kind stands in a source."""
SPOKEN: dict[Kind, str] = {
    "method": "no function or method", "class": "no class", "variable": "no variable of a module", "attribute": "no attribute",
    "name": "nothing", "text": "nothing",
}  # fmt: skip
METHODS = ("setters", "fallbacks", "defaults", "draft_methods")
PLACED: dict[str, Kind] = {"target_worker": "attribute", "worker_methods": "method", "projections": "attribute", "keys": "name"}
NAME = r"[A-Za-z_]\w*"


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a flow file: under which key, and what it must be in the tree."""

    key: str
    name: str
    kind: Kind


def check_in_tree(program: Program, tree: SourceTree) -> None:
    """Raise :class:`BadInput` for the first thing that a flow file names and the tree does not have."""
    written = program.flow.written
    if written is None:
        return
    for named in names_in(written.own):
        if not is_there(tree, named):
            near = nearest(named.name, every(tree, named.kind))
            what = f"{SPOKEN[named.kind]} in {tree.root} is called so"
            raise BadInput(f"{place(written, named.key, named.name)}: {named.key} names {named.name!r}: {what}; {near}")
    check_sink(program, tree, written)
    check_kernels(program, written)


def names_in(own: Table) -> Iterator[Named]:
    """What a table names of the tree, but for the parameters of the consumer and the kernels."""
    yield from (Named("words", text, "text") for text in texts(own.get("words")))
    for key in METHODS:
        yield from (Named(key, name, "method") for name in texts(own.get(key)))
    yield from (Named("entry", name, "variable") for name in texts(own.get("entry")))
    sink, pipeline = inner(own, "sink"), inner(own, "pipeline")
    yield from (Named("sink.class", name, "class") for name in texts(sink.get("class")))
    for key, kind in PLACED.items():
        yield from (Named(f"pipeline.{key}", name, kind) for name in texts(pipeline.get(key)))
    for way in texts(pipeline.get("draft_inputs")):
        yield from (Named("pipeline.draft_inputs", name, "attribute") for name in way.split("."))
    for phase, functions in inner(pipeline, "phases").items():
        yield from (Named(f"pipeline.phases.{phase}", name, "method") for name in texts(functions))
    for key in ("launch", "reader"):
        yield from (Named(f"pipeline.{key}", name, "name") for name in inner(pipeline, key))
    for way in inner(pipeline, "paths"):
        yield from (Named("pipeline.paths", name, "name") for name in way.split("."))


def texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def inner(table: Table, key: str) -> Table:
    found = table.get(key, {})
    return found if isinstance(found, dict) else {}


def is_there(tree: SourceTree, named: Named) -> bool:
    pattern = re.compile(DEFINED[named.kind].replace("{}", re.escape(named.name)).encode())
    return any(pattern.search(tree.read(path)) for path in tree.grep((named.name.encode(),)))


def every(tree: SourceTree, kind: Kind) -> list[str]:
    """All names of a kind: only where one of them is to be suggested."""
    pattern = re.compile(DEFINED[kind].split("|")[0].replace("{}", f"({NAME})").encode())
    found: set[str] = set()
    for path in tree.files:
        try:
            found.update(name.decode("ascii") for name in pattern.findall(tree.read(path)))
        except OSError:
            continue
    return sorted(found)


# ------------------------------------------------------------------------------ the consumer and the kernels


def check_sink(program: Program, tree: SourceTree, written: Written) -> None:
    """The consumer's method, and its parameters."""
    own, sink = inner(written.own, "sink"), program.flow.sink
    if not own or sink.returned is not None:
        return
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    methods: dict[str, list[str]] = {}
    for cls in classes_called(machine, program, tree, sink.cls):
        methods |= parameters_of(machine, cls)
    if not methods:
        return  # the class is there, and what it has cannot be told
    if sink.method not in methods:
        where = place(written, "sink.method", sink.method)
        raise BadInput(f"{where}: sink.method names {sink.method!r}: {sink.cls} has none; {nearest(sink.method, methods)}")
    for key, name in (("hidden", sink.hidden), ("captured", sink.captured)):
        if name not in methods[sink.method]:
            where, near = place(written, f"sink.{key}", name), nearest(name, methods[sink.method])
            raise BadInput(f"{where}: sink.{key} names {name!r}: no parameter of {sink.cls}.{sink.method}; {near}")


def classes_called(machine: Machine, program: Program, tree: SourceTree, name: str) -> Iterator[ClassValue]:
    for path in tree.grep((name.encode(),)):
        module = program.index.module(program.index.module_of(path))
        if module is not None and name in module.scope.names:
            try:
                found = module_name(machine, module, name)
            except (GiveUp, NeedDecision, Raised):
                continue
            if isinstance(found, ClassValue):
                yield found


def parameters_of(machine: Machine, cls: ClassValue) -> dict[str, list[str]]:
    """By the name of a method, its own or inherited, the parameters; nothing where a base is not in the tree but a module of torch's."""
    found: dict[str, list[str]] = {}
    with machine.in_module(cls.module):
        for owner in resolution_order(machine, cls):
            body = owner.node.body if isinstance(owner, ClassValue) and owner.node is not None else []
            for node in body:
                method, _ = find_in_class(machine, cls, getattr(node, "name", ""))
                if isinstance(method, FunctionValue) and method.node is not None:
                    given = method.node.args
                    found[method.name] = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)][1:]
    return found


def check_kernels(program: Program, written: Written) -> None:
    """Functions of the package that start a kernel, by qualified name."""
    package = program.flow.package
    for name in inner(written.own, "kernels"):
        if name.startswith(f"{package}."):
            parts = name.split(".")
            ways = (".".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
            module = next((found for way in ways if (found := program.index.module(way)) is not None), None)
            first = name[len(module.name) + 1 :].split(".")[0] if module is not None else ""
            if module is None or first not in module.scope.names:
                near = nearest(first, module.scope.names) if module is not None else f"no module of {package} is called so"
                where = f" in {module.name}" if module is not None and module.name != package else ""
                raise BadInput(f"{place(written, 'kernels', name)}: kernels names {name!r}: {first or name} is not there{where}; {near}")


# ------------------------------------------------------------------------------ where it stands


def place(written: Written, key: str, name: str) -> str:
    """The file and the line in which a key names something; the line of the key where the name is on none of its own."""
    table, _, last = key.rpartition(".")
    header, lines = "", written.text.splitlines()
    first = 0
    for number, line in enumerate(lines, 1):
        if (found := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)) and "=" not in line.partition("]")[0]:
            header = found[1]
        inside = header in (table, key) or (not header and not table)
        if inside and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w])", line):
            return f"{written.path}:{number}"
        if inside and not first and re.match(rf"\s*{re.escape(last)}\s*=", line):
            first = number
    said = next((number for number, line in enumerate(lines, 1) if name in line), 1)
    return f"{written.path}:{first or said}"
