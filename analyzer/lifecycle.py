"""The life of an object of the trainer: what is called on it before and after the method that selects.

Told by names: methods that nothing else in the class calls are called from outside; one that writes an attribute that another one reads
is called before it. Which of them a program calls, and that it calls them in this order, is the assumption ``lifecycle``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .entries import MUTATORS, Entry, Scan, is_test
from .index import Module

Definition = ast.FunctionDef | ast.AsyncFunctionDef
MOST_LIVES = 12
"""Lives of one class that are tried."""
CALLED = frozenset({"forward", "__call__", "__getitem__", "__iter__"})
"""Methods that are called from outside without being named."""


@dataclass(frozen=True, slots=True)
class Life:
    """Methods in the order in which they are called. Between ``before`` and ``after`` the target runs, if no method has run it."""

    before: tuple[Entry, ...]
    after: tuple[Entry, ...]


@dataclass(slots=True)
class Methods:
    """The methods of a class and of its bases in the tree, and what each does with the object's attributes."""

    scan: Scan
    module: Module
    cls: ast.ClassDef
    all: dict[str, Definition] = field(default_factory=dict)

    def __post_init__(self) -> None:
        waiting, seen = [self.cls], set[str]()
        while waiting:
            cls = waiting.pop(0)
            seen.add(cls.name)
            for node in cls.body:
                if isinstance(node, Definition):
                    self.all.setdefault(node.name, node)
            for base in cls.bases:
                name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
                found = class_named(self.scan, name)
                if found is not None and name not in seen:
                    waiting.append(found)

    def closure(self, name: str) -> set[str]:
        """A method and those of the object that it names, also to hand them on."""
        found, waiting = set[str](), [name]
        while waiting:
            each = waiting.pop()
            if each in self.all and each not in found:
                found.add(each)
                waiting += [*read_in(self.all[each])]
        return found

    def reads(self, name: str) -> set[str]:
        """The attributes that a method reads or fills, those that it calls included."""
        return {attribute for each in self.closure(name) for attribute in read_in(self.all[each])} - self.all.keys()

    def writes(self, name: str) -> set[str]:
        """The attributes that a method sets."""
        return {attribute for each in self.closure(name) for attribute in stored_in(self.all[each])}

    def fills(self, name: str) -> set[str]:
        """The attributes that a method sets or puts something into."""
        return self.writes(name) | {attribute for each in self.closure(name) for attribute in filled_in(self.all[each])}

    def outermost(self) -> list[str]:
        """The methods that are called from outside."""
        inner = {each for name in self.all for each in read_in(self.all[name]) if each != name}
        return [
            name
            for name in self.all
            if name in CALLED or (name not in inner and not name.startswith("__") and is_plain(self.all[name]))
        ]

    def entry(self, name: str) -> Entry:
        return Entry(self.module, self.cls, self.all[name])


def lives(scan: Scan, entry: Entry) -> Iterator[Life]:
    """The lives of an object of the class in which a method selects."""
    if entry.cls is None or isinstance(entry.node, ast.Module):
        return
    methods = Methods(scan, entry.module, entry.cls)
    outer = methods.outermost()
    name = entry.node.name
    around = [each for each in outer if name in methods.closure(each)] or ([name] if name != "__init__" else [])
    made = 0
    for main in around or [""]:
        needs = methods.reads(main) if main else set[str]()
        first = setups(methods, [each for each in outer if each not in around], main, needs)
        kept = methods.fills(main or "__init__")
        last = [each for each in outer if each not in (main, *first) and methods.reads(each) & kept]
        last.sort(key=lambda each: each not in CALLED)
        for before in alternatives(methods, first, needs):
            entries = tuple(methods.entry(each) for each in (*before, *([main] if main else [])))
            for after in (*last, None):
                made += 1
                if made > MOST_LIVES:
                    return
                if entries or after:
                    yield Life(entries, () if after is None else (methods.entry(after),))


def setups(methods: Methods, outer: list[str], main: str, needs: set[str]) -> list[str]:
    """The methods that set what another one needs; those of a base only where they set something that the class's own do not."""
    own = {each.name for each in methods.cls.body if isinstance(each, Definition)}
    found: list[str] = []
    for each in sorted(outer, key=lambda name: name not in own):
        set_already = {attribute for other in found for attribute in methods.writes(other)} if each not in own else set[str]()
        if methods.writes(each) & needs - set_already and selects_first(methods, each, main):
            found.append(each)
    return found


def selects_first(methods: Methods, setup: str, main: str) -> bool:
    """Whether a method prepares another one rather than comes after it."""
    return not (methods.writes(main) & methods.reads(setup) - methods.writes(setup))


def alternatives(methods: Methods, first: list[str], needs: set[str]) -> Iterator[list[str]]:
    """All that prepare, in order; where two set the same attribute, one of them at a time."""
    rivals = [each for each in first if any(each != other and methods.writes(each) & methods.writes(other) & needs for other in first)]
    if not rivals:
        yield first
    for chosen in rivals:
        yield [each for each in first if each not in rivals or each == chosen]


def class_named(scan: Scan, name: str) -> ast.ClassDef | None:
    """The class of this name, where the trainer has only one."""
    found = [node for _, node in classes_with(scan, name, lambda node: node.name == name)] if name else []
    return found[0] if len(found) == 1 else None


def worker_with(scan: Scan, method: str) -> tuple[Module, ast.ClassDef] | None:
    """The class that has a method of this name, where only one has."""

    def defines(node: ast.ClassDef) -> bool:
        return any(isinstance(each, Definition) and each.name == method for each in node.body)

    found = list(classes_with(scan, method, defines))
    return found[0] if len(found) == 1 else None


def classes_with(scan: Scan, word: str, wanted: object) -> Iterator[tuple[Module, ast.ClassDef]]:
    assert callable(wanted)
    for path in scan.tree.tree.grep((word.encode(),)):
        module = None if is_test(path) else scan.index.module(scan.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            if module is not None and isinstance(node, ast.ClassDef) and wanted(node):
                yield module, node


def is_plain(node: Definition) -> bool:
    """Whether a method is called on an object, as a method."""
    special = ("property", "cached_property", "staticmethod", "classmethod")
    return not any(isinstance(each, ast.Name) and each.id in special for each in node.decorator_list)


def own_attributes(node: ast.AST) -> Iterator[ast.Attribute]:
    """The mentions of ``self.name``."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "self":
            yield inner


def read_in(node: ast.AST) -> set[str]:
    """The attributes of the object that a piece of code reads; ``super().name`` is none of its own."""
    return {inner.attr for inner in own_attributes(node) if isinstance(inner.ctx, ast.Load)}


def stored_in(node: ast.AST) -> set[str]:
    return {inner.attr for inner in own_attributes(node) if isinstance(inner.ctx, ast.Store)}


def filled_in(node: ast.AST) -> set[str]:
    """The attributes of the object that a piece of code puts something into."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in MUTATORS:
            found |= {each.attr for each in own_attributes(inner.value)}
        if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            found |= {each.attr for each in own_attributes(inner.value)}
    return found
