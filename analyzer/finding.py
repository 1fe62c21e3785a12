"""Finding the target classes of a flow: the members of a variable that lists them, or the models that have a setter."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .evaluation import Program
from .flows.flow import Flow
from .index import Module
from .interpret.classes import find_in_class, is_module_class
from .interpret.machine import Machine
from .interpret.names import module_name
from .interpret.signals import GiveUp, Raised
from .results import Location, NotEstablished
from .source import SourceTree
from .values import ClassValue, External, FunctionValue, ListValue

PROTOCOLS = ("typing.Protocol", "typing_extensions.Protocol")
"""What only says which methods others have."""


@dataclass(frozen=True, slots=True)
class Found:
    """A target class and its setter, with the function that defines it."""

    cls: ClassValue
    setter: str
    function: FunctionValue


def find_targets(program: Program, tree: SourceTree, fallbacks: bool = False) -> tuple[list[Found], list[NotEstablished]]:
    """Each member of the flow's entry variable that has a setter, inherited ones included, in order of file and entry; of a flow without
    such a variable each model.

    With ``fallbacks`` those too that have none, and one of the flow's fallbacks.
    """
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    entry = program.flow.entry.encode()
    words = (*program.flow.words, *(program.flow.fallbacks if fallbacks else ()))
    files = [path for path in tree.grep(tuple(w.encode() for w in words), "the setter's word") if entry in tree.read(path)]
    found: dict[tuple[str, str, str], Found] = {}
    problems: list[NotEstablished] = []
    named: set[str] = set()
    done: set[str] = set()
    while files:
        before = set(named)
        for path in files:
            for one in targets_in(machine, program, path, problems, fallbacks, named):
                named.add(one.cls.name)
                if entry or is_target(machine, one, program.flow):
                    found[path, one.cls.name, one.setter] = one
        done.update(files)
        files = [path for path in heirs(tree, entry, named - before) if not entry or path not in done]
    if not entry:
        found = {key: one for key, one in found.items() if not is_part(program, tree, one.cls, [each.cls for each in found.values()])}
    order = sorted(found, key=lambda key: key[0])
    return [found[key] for key in order], list(dict.fromkeys(problems))


def is_part(program: Program, tree: SourceTree, cls: ClassValue, targets: Sequence[ClassValue]) -> bool:
    """Whether a class is made by another target, and by nothing else that is seen: a wrapper's inner model is no target by itself. One that
    a table names by a text may be made by whoever reads that."""
    makers = {each.node for each in targets if each.node is not None and each.node is not cls.node}
    if not any(calls(node, cls.name) for node in makers):
        return False
    for path in tree.grep((cls.name.encode(),)):
        module = program.index.module(program.index.module_of(path))
        others = [node for node in (module.tree.body if module is not None else ()) if node not in makers]
        if module is None or any(calls(node, cls.name) or says(node, cls.name) for node in others):
            return False
    return True


def calls(node: ast.AST, name: str) -> bool:
    """Whether code calls something by this name."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(name == (func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else "") for func in called)


def says(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == name for each in ast.walk(node))


def heirs(tree: SourceTree, entry: bytes, names: set[str]) -> list[str]:
    """The files (with an entry variable, where the flow has one) that mention one of these classes: a subclass may inherit the setter.
    Where no variable lists the targets, a file may have been read before these were known."""
    words = [name.encode() for name in sorted(names)]
    if not words:
        return []
    if not entry:
        one = rb"\b(?:" + b"|".join(map(re.escape, words)) + rb")\b"
        heir = re.compile(rb"\bclass\s+\w+\s*\([^)]*" + one + rb"|" + one + rb"\s+as\s")
        return [path for path in tree.grep(tuple(words), "the target class") if heir.search(tree.read(path))]
    listed = tree.grep((entry,), "the name of a target class and")
    return [path for path in listed if any(word in data for data in (tree.read(path),) for word in words)]


def targets_in(
    machine: Machine, program: Program, path: str, problems: list[NotEstablished], fallbacks: bool, named: Collection[str] = ()
) -> Iterator[Found]:
    """The classes of a file that have a setter; ``named`` are those that have been found so far."""
    module = program.index.module(program.index.module_of(path))
    if module is None:
        message = program.index.unreadable.get(path, "it cannot be read")
        line, _, text = message.partition(": ")
        number = int(line.removeprefix("line ")) if line.removeprefix("line ").isdigit() else 1
        problems.append(NotEstablished("file", text or message, Location(program.printed(path), number)))
        return
    if program.flow.entry and program.flow.entry not in module.scope.names:
        return
    try:
        with machine.in_module(module):
            flow = program.flow
            entries = entry_classes(machine, module, flow) if flow.entry else own_classes(machine, module, {*flow.setters, *named})
            yield from (one for cls in entries for one in setters_of(machine, cls, program.flow, fallbacks))
    except (Raised, GiveUp) as limit:
        reason = limit.reason if isinstance(limit, GiveUp) else str(limit)
        first = module.scope.names[program.flow.entry][0].lineno if program.flow.entry else 1
        problems.append(NotEstablished(f"the target classes of {module.name}", reason, limit.at or Location(program.printed(path), first)))
        machine.frames.clear()


def entry_classes(machine: Machine, module: Module, flow: Flow) -> list[ClassValue]:
    value = module_name(machine, module, flow.entry)
    if isinstance(value, ClassValue):
        return [value]
    items = machine.iterate(value) if isinstance(value, ListValue | tuple) else None
    if items is None or not all(isinstance(x, ClassValue) for x in items):
        raise GiveUp(f"{flow.entry} is not a known list of classes", machine.location())
    return [x for x in items if isinstance(x, ClassValue)]


def own_classes(machine: Machine, module: Module, words: Collection[str]) -> list[ClassValue]:
    """The classes that a module defines at its top level, under conditions too, if they define one of these methods, or extend one of these
    classes or another class of the module."""
    classes = {node.name: node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef) and node.name in module.scope.names}
    imported = (alias for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom) for alias in node.names)
    renamed = {alias.asname for alias in imported if alias.asname is not None and alias.name in words}
    wanted = {name: node for name, node in classes.items() if {*defined(node), *extended(node)} & {*words, *classes, *renamed}}
    known = ((node, module_name(machine, module, name)) for name, node in wanted.items())
    return [cls for node, cls in known if isinstance(cls, ClassValue) and cls.node is node]


def defined(cls: ast.ClassDef) -> Iterator[str]:
    """The names of the methods in a class body."""
    return (each.name for each in ast.walk(cls) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def extended(cls: ast.ClassDef) -> Iterator[str]:
    """The names in what a class extends."""
    for base in cls.bases:
        for each in ast.walk(base):
            if isinstance(each, ast.Name | ast.Attribute):
                yield each.id if isinstance(each, ast.Name) else each.attr


def is_target(machine: Machine, one: Found, flow: Flow) -> bool:
    """Whether a class that has a setter is a target: a model with a forward, no draft, and no mere description of either method."""
    with machine.in_module(one.cls.module):
        forward, _ = find_in_class(machine, one.cls, "forward")
        bases = one.cls.slots.get("#bases")
        described = isinstance(bases, tuple) and any(isinstance(base, External) and base.name in PROTOCOLS for base in bases)
        drafts = any(isinstance(find_in_class(machine, one.cls, name)[0], FunctionValue) for name in flow.draft_methods)
        if described or drafts or not is_module_class(machine, one.cls):
            return False
    return isinstance(forward, FunctionValue) and not is_blank(forward) and not is_blank(one.function)


def is_blank(function: FunctionValue) -> bool:
    """Whether a method only says that there should be one: nothing is in it, or it raises what an abstract one raises."""
    node = function.node
    if node is None or any("abstractmethod" in ast.unparse(each) for each in node.decorator_list):
        return True
    body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    names = {each.id for stmt in body for each in ast.walk(stmt) if isinstance(each, ast.Name)}
    return all(isinstance(each, ast.Pass) for each in body) or (isinstance(body[0], ast.Raise) and names == {"NotImplementedError"})


def setters_of(machine: Machine, cls: ClassValue, flow: Flow, fallbacks: bool) -> Iterator[Found]:
    own = tuple(methods_named(machine, cls, flow.setters))
    yield from own or (methods_named(machine, cls, flow.fallbacks) if fallbacks else ())


def methods_named(machine: Machine, cls: ClassValue, names: Iterable[str]) -> Iterator[Found]:
    for name in names:
        value, _ = find_in_class(machine, cls, name)
        if isinstance(value, FunctionValue) and value.node is not None:
            yield Found(cls, name, value)
