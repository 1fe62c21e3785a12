"""Where to enter a trainer: from the functions that look into the target back to those that nobody calls.

Who calls whom is told by names, which finds too many callers rather than too few: a function that is passed on is called by whoever
names it, a method that Python or torch calls by whoever names its class.
"""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .index import Index, Module
from .reasons import WHOLE
from .trainer import MODEL, TrainerTree

DEEPEST = 8
"""Calls between an entry and the function that selects."""
MOST_ENTRIES = 24
DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
MUTATORS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "remove", "pop", "clear", "sort", "reverse"})
"""Methods that change their receiver."""
IMPLICIT = frozenset({"forward"})
"""Methods that are called without being named, besides those between underscores."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A function or method of the trainer, or the program that a file is; ``called`` where something in the trainer calls it."""

    module: Module
    cls: ast.ClassDef | None
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
    called: bool = False

    def __str__(self) -> str:
        if isinstance(self.node, ast.Module):
            return f"the program {self.module.name}"
        return f"{self.cls.name}.{self.node.name}" if self.cls else self.node.name

    @property
    def is_constructor(self) -> bool:
        """Whether entering it makes an object."""
        return not isinstance(self.node, ast.Module) and self.node.name == "__init__"

    @property
    def line(self) -> int:
        """The line that it begins in."""
        if not isinstance(self.node, ast.Module):
            return self.node.lineno
        return next((statement.lineno for statement in program_of(self.module)), 1)

    @property
    def name(self) -> str | None:
        """The name by which it is called; None of a program."""
        if isinstance(self.node, ast.Module):
            return None
        implicit = self.node.name in IMPLICIT or (self.node.name.startswith("__") and self.node.name.endswith("__"))
        return self.cls.name if self.cls is not None and implicit else self.node.name


@dataclass(slots=True)
class Scan:
    """A trainer's files, and what each function in them mentions, looked at once."""

    index: Index
    tree: TrainerTree
    known: dict[str, list[tuple[Entry, frozenset[str]]]] = field(default_factory=dict)

    def modules(self) -> Iterator[Module]:
        """The modules of the trainer that can be read."""
        for path in self.tree.tree.files:
            module = self.index.module(self.index.module_of(path), lambda: WHOLE)
            if module is not None:
                yield module

    def functions(self, path: str) -> list[tuple[Entry, frozenset[str]]]:
        """The entries of a file, each with the names that it mentions; none of a file that cannot be read."""
        found = self.known.get(path)
        if found is None:
            module = self.index.module(self.index.module_of(path))
            found = self.known[path] = [] if module is None else [(entry, mentioned(entry)) for entry in functions_of(module)]
        return found


def mentioned(entry: Entry) -> frozenset[str]:
    """All names that an entry mentions."""
    parts = program_of(entry.module) if isinstance(entry.node, ast.Module) else [entry.node]
    return frozenset(name for part in parts for name in names_in(part))


def find_selections(scan: Scan, words: Iterable[str]) -> list[list[Entry]]:
    """For each function that names one of the words, the entries that lead to it: the outermost first, itself last."""
    return [ways_to(scan, entry) for entry in mentioning(scan, tuple(words))]


def find_walks(scan: Scan, layers: Iterable[str]) -> list[list[Entry]]:
    """For each function that walks the layers of something and keeps what it meets, the entries that lead to it."""
    wanted = frozenset(layers)
    found = [entry for entry in mentioning(scan, tuple(sorted(wanted))) if any(walks_layers(node, wanted) for node in ast.walk(entry.node))]
    return [ways_to(scan, entry) for entry in found if not isinstance(entry.node, ast.Module)]


def find_texts(scan: Scan, words: Iterable[str]) -> list[list[Entry]]:
    """For each function that holds one of the words as a text, to ask for a method by it, the entries that lead to it."""
    wanted = frozenset(words)
    found: list[Entry] = []
    for path in scan.tree.tree.grep(tuple(word.encode() for word in sorted(wanted))):
        for entry, _ in () if path == MODEL or is_test(path) else scan.functions(path):
            texts = (node.value for node in ast.walk(entry.node) if isinstance(node, ast.Constant))
            if not isinstance(entry.node, ast.Module) and any(text in wanted for text in texts if isinstance(text, str)):
                found.append(entry)
    return [ways_to(scan, entry) for entry in found]


def may_be_absent(scan: Scan, name: str, absent: object) -> bool:
    """Whether the trainer's source says that something is None, or an empty list, where it is not given: a default, a table of defaults."""
    for path in scan.tree.tree.grep((name.encode(), name.replace("_", "-").encode())):
        module = None if path == MODEL or is_test(path) else scan.index.module(scan.index.module_of(path))
        for node in ast.walk(module.tree) if module is not None else ():
            if any(is_empty(value) if absent == () else value is None or is_none(value) for value in defaults_of(node, name)):
                return True
    return False


def defaults_of(node: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """What a piece of code says that a name has for a default; None where it says that there is none."""
    match node:
        case ast.Dict():
            held = zip(node.keys, node.values, strict=True)
            yield from (value for key, value in held if isinstance(key, ast.Constant) and key.value == name)
        case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
            yield value
        case ast.arguments():
            places = [*node.posonlyargs, *node.args]
            yield from (d for a, d in zip(places[len(places) - len(node.defaults) :], node.defaults, strict=True) if a.arg == name)
            yield from (d for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True) if a.arg == name and d is not None)
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=asked), *rest]) if asked == name:
            yield rest[0] if rest else None
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=asked), default]) if asked == name:
            yield default
        case ast.Call(func=ast.Attribute(attr="add_argument"), args=[ast.Constant(value=str(option)), *_]):
            if option.lstrip("-").replace("-", "_") == name and option.startswith("-"):
                given = {each.arg: each.value for each in node.keywords}
                yield from () if "required" in given else (given.get("default"),)


def is_option(scan: Scan, name: str) -> bool:
    """Whether the trainer's command line has an option of this name."""
    for path in scan.tree.tree.grep((name.encode(), name.replace("_", "-").encode())):
        module = None if path == MODEL or is_test(path) else scan.index.module(scan.index.module_of(path))
        for node in ast.walk(module.tree) if module is not None else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument" and node.args:
                first = node.args[0]
                text = first.value if isinstance(first, ast.Constant) else None
                if isinstance(text, str) and text.startswith("-") and text.lstrip("-").replace("-", "_") == name:
                    return True
    return False


def is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def is_empty(value: ast.expr | None) -> bool:
    return isinstance(value, ast.List | ast.Tuple) and not value.elts


def passed_to(scan: Scan, entry: Entry) -> frozenset[str]:
    """The parameters of a function that some call of that name passes, on whatever object."""
    if isinstance(entry.node, ast.Module):
        return frozenset()
    name, arguments = entry.node.name, entry.node.args
    places = [each.arg for each in (*arguments.posonlyargs, *arguments.args)][1 if entry.cls is not None else 0 :]
    found: set[str] = set()
    for path in scan.tree.tree.grep((f"{name}(".encode(),)):
        module = None if path == MODEL or is_test(path) else scan.index.module(scan.index.module_of(path))
        for node in ast.walk(module.tree) if module is not None else ():
            if isinstance(node, ast.Call) and name in (getattr(node.func, "attr", None), getattr(node.func, "id", None)):
                found |= {each.arg for each in node.keywords if each.arg is not None}
                found |= set(places[: len(node.args)])
    return frozenset(found)


def walks_layers(node: ast.AST, layers: frozenset[str]) -> bool:
    """Whether a loop over layers calls each of them and puts something into a collection."""
    if not isinstance(node, ast.For) or not layers & names_in(node.iter):
        return False
    targets = names_in(node.target)
    inner = [each for statement in node.body for each in ast.walk(statement)]
    calls = any(isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in targets for each in inner)
    stores = any(isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store) for each in inner)
    keeps = any(isinstance(each, ast.AugAssign) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)) for each in inner)
    return calls and (keeps or stores)


def is_made_somewhere(scan: Scan, entry: Entry) -> bool:
    """Whether something in the trainer names the class of a method, to make an object of it."""
    return entry.cls is not None and any(each.cls is not entry.cls for each in mentioning(scan, (entry.cls.name,)))


def mentioning(scan: Scan, words: tuple[str, ...]) -> Iterator[Entry]:
    """The functions that mention one of the words, a dotted one by all its parts, in order of file and line."""
    for path in () if not words else scan.tree.tree.grep(tuple(word.rpartition(".")[2].encode() for word in words)):
        for entry, names in () if path == MODEL or is_test(path) else scan.functions(path):
            if any(all(part in names for part in word.split(".")) for word in words):
                yield entry


def is_test(path: str) -> bool:
    """Whether pytest would collect from a file: what a test does is no training."""
    *folders, name = path.split("/")
    return name.startswith("test_") or name == "conftest.py" or bool({"tests", "test"} & set(folders))


def functions_of(module: Module) -> Iterator[Entry]:
    """The functions and methods of a module, nested ones with those around them, and the program that it is, where it does anything."""
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Entry(module, None, node)
        elif isinstance(node, ast.ClassDef):
            yield from (Entry(module, node, each) for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    if program_of(module):
        yield Entry(module, None, module.tree)


def program_of(module: Module) -> list[ast.stmt]:
    """What a module does when it is run, besides defining and importing."""
    return [node for node in module.tree.body if not isinstance(node, DEFINING) and not is_docstring(node)]


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def names_in(node: ast.AST) -> frozenset[str]:
    """All names, attributes and keywords that a piece of code mentions."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.keyword) and inner.arg:
            found.add(inner.arg)
        elif isinstance(inner, ast.Call) and inner.args and (text := method_name(inner.args[0])) is not None:
            found.add(text)
    return frozenset(found)


def method_name(node: ast.expr) -> str | None:
    """An argument that is a text and may name a method: an engine's worker runs one by its name."""
    text = node.value if isinstance(node, ast.Constant) else None
    return text if isinstance(text, str) and text.isidentifier() and "_" in text else None


def ways_to(scan: Scan, entry: Entry) -> list[Entry]:
    """The callers of a function, theirs and so on: those that nobody calls first, then from the outside to the inside."""
    levels: list[list[Entry]] = [[entry]]
    seen = {entry.node}
    called: set[ast.AST] = set()
    while levels[-1] and len(levels) <= DEEPEST and len(seen) < MOST_ENTRIES:
        level: list[Entry] = []
        for inner in levels[-1]:
            names = () if inner.name is None else (inner.name,)
            callers = [each for each in mentioning(scan, names) if each.node is not inner.node and own(each, inner)]
            if callers:
                called.add(inner.node)
            for each in callers:
                if each.node not in seen:
                    seen.add(each.node)
                    level.append(each)
        levels.append(level)
    line = [Entry(e.module, e.cls, e.node, e.node in called) for level in reversed(levels) for e in level]
    return sorted(line, key=lambda each: each.called)


def runs_alone(scan: Scan, entry: Entry) -> bool:
    """Whether a method does on a new object what it does on any: nothing but the constructor sets or fills the object's attributes.

    By names, which finds too many that do rather than too few.
    """
    if entry.cls is None:
        return True
    inits = [node for node in entry.cls.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    attributes = {name for init in inits for name in written_in(init)}
    for path in scan.tree.tree.grep(tuple(f".{name}".encode() for name in sorted(attributes))) if attributes else ():
        for other, _ in scan.functions(path):
            if other.node not in inits and other.node is not entry.node and attributes & written_in(other.node):
                return False
    return True


def written_in(node: ast.AST) -> set[str]:
    """The attributes that a piece of code assigns, or puts something into."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Attribute | ast.Subscript):
            continue
        stores = isinstance(inner.ctx, ast.Store | ast.Del)
        if isinstance(inner, ast.Attribute) and stores:
            found.add(inner.attr)
        fills = stores if isinstance(inner, ast.Subscript) else inner.attr in MUTATORS
        if fills and isinstance(inner.value, ast.Attribute):
            found.add(inner.value.attr)
    return found


def other_writers(scan: Scan, saves: Iterable[str], keys: Iterable[str], ran: set[ast.AST]) -> Iterator[Entry]:
    """Functions that did not run, that save something, and that mention one of the keys."""
    wanted = set(keys)
    for entry in mentioning(scan, tuple(saves)):
        texts = {inner.value for inner in ast.walk(entry.node) if isinstance(inner, ast.Constant) and isinstance(inner.value, str)}
        names = {inner.arg for inner in ast.walk(entry.node) if isinstance(inner, ast.keyword) and inner.arg}
        if entry.node not in ran and wanted & (texts | names):
            yield entry


def own(caller: Entry, inner: Entry) -> bool:
    """Whether a caller is another one than a method of the class that is named: a class names itself in its own methods."""
    return not (inner.cls is not None and inner.name == inner.cls.name and caller.cls is inner.cls)
