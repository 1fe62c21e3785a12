"""A flow file held against the tree: what it names must be there. A flow that is built in covers many releases, and is not asked.

Only what the file itself says is looked at, not what it takes over from a flow that is built in.
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

from .errors import BadInput
from .evaluation import Program
from .flows.flow import Flow, Written
from .flows.lines import Path, line_of_name
from .flows.names import ALTERNATIVES, Kind, Named, made_in, names_in
from .index import Index
from .interpret.classes import find_in_class, resolution_order
from .interpret.machine import Machine
from .interpret.names import module_name
from .interpret.signals import GiveUp, NeedDecision, Raised
from .nearest import told_nearest
from .source import SourceTree
from .values import ClassValue, FunctionValue

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
NAME = r"[A-Za-z_]\w*"


def check_in_tree(program: Program, tree: SourceTree) -> None:
    """Raise :class:`BadInput` for the first thing that a flow file names and the tree does not have."""
    written = program.flow.written
    if written is None:
        return
    made = supposed_objects(program.flow)
    said = names_in(written.own, program.flow.package, made)
    named = [each for one in said for each in in_package(program, written, one)]
    absent = not_there(tree, named)
    lost = {(one.key, one.whole) for one in absent}
    found = {one.key for one in named if (one.key, one.whole) not in lost}
    for one in named:
        if one in absent and not (one.key in ALTERNATIVES and one.key in found):
            near = told_nearest(one.name, [*every(tree, one.kind), *(made if one.kind == "name" else ())])
            refuse(written, one.path, one.key, one.whole, one.name, f"{SPOKEN[one.kind]} in {tree.root} is called so; {near}")
    check_sink(program, tree, written)


def refuse(written: Written, path: Path, key: str, whole: str, name: str, why: str) -> NoReturn:
    """Say where the file names what is not there. ``whole`` is the text that the name is a part of."""
    said = f"{whole!r}" if whole == name else f"{name!r} in {whole!r}"
    raise BadInput(f"{place(written, path, whole)}: {key.removesuffix('.names')} names {said}: {why}")


def place(written: Written, path: Path, name: str) -> str:
    """The file and the line in which a name stands under a key."""
    return f"{written.path}:{line_of_name(written.text, path, name)}"


def supposed_objects(flow: Flow) -> list[str]:
    """What the flow's own suppositions call the objects of which they tell attributes."""
    facts = flow.facts
    values = [each.value for table in (facts.calls, facts.returns, facts.values) for each in table.values()]
    return made_in([*values, *(value for each in flow.detours for value in each.values.values())])


def not_there(tree: SourceTree, named: Sequence[Named]) -> set[Named]:
    """Those that stand nowhere in the tree; each file is read once."""
    left = {one: re.compile(DEFINED[one.kind].replace("{}", re.escape(one.name)).encode()) for one in named}
    for path in tree.files:
        if not left:
            break
        data = content(tree, path)
        for one in [one for one, pattern in left.items() if one.name.encode() in data and pattern.search(data)]:
            del left[one]
    return set(left)


def content(tree: SourceTree, path: str) -> bytes:
    try:
        return tree.read(path)
    except OSError:
        return b""


def every(tree: SourceTree, kind: Kind) -> list[str]:
    """All names of a kind: only where one of them is to be suggested."""
    pattern = re.compile(DEFINED[kind].split("|")[0].replace("{}", f"({NAME})").encode())
    return sorted({name.decode("ascii") for path in tree.files for name in pattern.findall(content(tree, path))})


# ------------------------------------------------------------------------------ names with their modules


def in_package(program: Program, written: Written, named: Named) -> Iterator[Named]:
    """A name, or the parts of a qualified one that are to be looked for in the whole tree: of the package's own what its module is seen to
    have is not, of another's, which the tree imports somehow, each."""
    package, parts = program.flow.package, named.name.split(".")
    if named.kind != "qualified":
        yield named
        return
    if parts[0] != package:
        yield from (Named(named.key, named.path, part, "name", named.whole) for part in parts)
        return
    end = next(end for end in range(len(parts), 0, -1) if end == 1 or program.index.exists(".".join(parts[:end])))
    module, inner = ".".join(parts[:end]), parts[end:]
    if not inner:
        return
    there = members(program.index, module)
    if inner[0] not in there:
        where = f"{inner[0]} is not there in {module}; {told_nearest(inner[0], there)}"
        refuse(written, named.path, named.key, named.whole, named.whole, where)
    yield from (Named(named.key, named.path, part, "attribute", named.whole) for part in inner[1:])


def members(index: Index, module: str) -> list[str]:
    """What a module or a package defines, imports or has in its folder."""
    loaded = index.module(module, lambda: "the flow file names it")
    return [*index.inside(module), *(loaded.scope.names if loaded is not None else ())]


# ------------------------------------------------------------------------------ the consumer


def check_sink(program: Program, tree: SourceTree, written: Written) -> None:
    """The consumer's method, and its parameters."""
    sink = program.flow.sink
    if "sink" not in written.own or sink.returned is not None:
        return
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    methods: dict[str, list[str]] = {}
    for cls in classes_called(machine, program, tree, sink.cls):
        methods |= parameters_of(machine, cls)
    if not methods:
        return  # the class is there, and what it has cannot be told
    if sink.method not in methods:
        why = f"{sink.cls} has none; {told_nearest(sink.method, methods)}"
        refuse(written, ("sink", "method"), "sink.method", sink.method, sink.method, why)
    for key, name in (("hidden", sink.hidden), ("captured", sink.captured)):
        if name not in methods[sink.method]:
            why = f"no parameter of {sink.cls}.{sink.method}; {told_nearest(name, methods[sink.method])}"
            refuse(written, ("sink", key), f"sink.{key}", name, name, why)


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
