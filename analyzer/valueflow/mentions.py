"""Every place of a tree that looks an entry of a config up, as it is written: nothing is run."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ..evaluation import Program
from ..index import Module
from ..lower.slices import character_column
from ..results import Location
from ..source import SourceTree
from ..traces import Form, Mention
from ..values import ClassValue, ModuleValue, Slots
from .helpers import GETTERS, Helpers, Place, local_function
from .names import FunctionNode, last_name
from .types import Types

CONFIG_NAMES = ("config", "args", "arguments", "params", "parameters", "settings", "options")
"""How the names of classes end whose objects are configs."""
CONFIG_BASES = frozenset({"BaseModel", "BaseSettings", "Struct"})
"""Classes of pydantic and msgspec whose fields are entries."""
ASKING = frozenset({"attrgetter", "itemgetter"})
LONGEST = 80
"""Characters of a lookup that are told."""


@dataclass(frozen=True, slots=True)
class Found:
    """A mention, and the function that it stands in: of this class where it is a method, None at the top of a module or a class."""

    mention: Mention
    place: Place


@dataclass(slots=True)
class Finder:
    """Looks for one key. ``names`` are the variables that hold its name, by module or function, ``constants`` those of modules."""

    program: Program
    key: str
    helpers: Helpers
    names: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)

    def in_module(self, module: Module) -> Iterator[Found]:
        place = Place(module)
        for node in module.tree.body:
            yield from self.walk(node, place)

    def walk(self, node: ast.AST, place: Place) -> Iterator[Found]:
        """The mentions in a node, outer ones first."""
        match node:
            case ast.ClassDef():
                inside = self.enter_class(node, place)
                yield from self.declared(node, inside)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inside = Place(place.module, place.cls, (*place.functions, node), dotted(place.symbol, node.name))
                yield from self.parameters(node, place)
            case ast.Lambda():
                inside = replace(place, functions=(*place.functions, node))
            case _:
                inside = place
                yield from self.of(node, place)
        for child in ast.iter_child_nodes(node):
            yield from self.walk(child, inside)

    def enter_class(self, node: ast.ClassDef, place: Place) -> Place:
        cls = self.helpers.types.name(place.module, node.name) if not place.symbol else None
        own = cls if isinstance(cls, ClassValue) and cls.node is node else ClassValue(place.module, node.name, node, (), Slots(0))
        return Place(place.module, own, (), dotted(place.symbol, node.name))

    # -------------------------------------------------------------------- lookups

    def of(self, node: ast.AST, place: Place) -> Iterator[Found]:
        """What one expression looks up."""
        match node:
            case ast.Attribute(attr=attr, ctx=ast.Load(), value=holder) if attr == self.key and self.may_be_config(holder, place):
                yield self.found("attribute", node, place)
            case ast.Subscript(slice=index, ctx=ast.Load()) if self.is_key(index, place):
                yield self.found("subscript", node, place)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn(), *_]) if self.is_key(left, place):
                yield self.found("test", node, place)
            case ast.Call():
                yield from self.of_call(node, place)
            case ast.MatchMapping(keys=keys):
                yield from (self.found("pattern", each, place) for each in keys if self.is_key(each, place))

    def of_call(self, node: ast.Call, place: Place) -> Iterator[Found]:
        match node:
            case ast.Call(func=ast.Attribute(attr=attr), args=[asked, *rest]) if attr in GETTERS and self.is_key(asked, place):
                given = [keyword.value for keyword in node.keywords if keyword.arg == "default"]
                stand_ins = (*rest, *given, *([] if attr == "pop" else [ast.Constant(None)]))
                yield self.found("method", node, place, next(iter(stand_ins), None))
            case ast.Call(func=ast.Name(id="getattr"), args=[_, asked, *rest]) if self.is_key(asked, place):
                yield self.found("getattr", node, place, next(iter(rest), None))
            case ast.Call(func=ast.Name(id="hasattr"), args=[_, asked]) if self.is_key(asked, place):
                yield self.found("test", node, place)
            case ast.Call(func=callee, args=args) if last_name(callee) in ASKING and any(self.is_key(each, place) for each in args):
                yield self.found("helper", node, place)
            case ast.Call():
                for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if self.is_key(argument, place):
                        looked, default = self.helpers.default_of(node, argument, place)
                        yield from [self.found("helper", node, place, default)] if looked else ()

    def may_be_config(self, holder: ast.expr, place: Place) -> bool:
        """Whether an attribute may be an entry of a config: not one of an object of the tree that is known to be of another class."""
        classes = self.helpers.classes_of(holder, place)
        if classes:
            return any(self.is_config(cls) for cls in classes)
        if isinstance(holder, ast.Name) and place.receiver == holder.id:
            return False
        known = self.helpers.types.dotted(place.module, holder) if isinstance(holder, ast.Name | ast.Attribute) else None
        is_called = local_function(place.functions, holder.id) is not None if isinstance(holder, ast.Name) else False
        return not is_called and not isinstance(known, ModuleValue)

    def is_key(self, node: ast.AST, place: Place) -> bool:
        match node:
            case ast.Constant(value=value):
                return isinstance(value, str) and value == self.key
            case ast.Name(id=name):
                known = any(name in self.names_in(each) for each in (*place.functions, place.module.tree))
                return known or (name in self.constants and self.helpers.types.name(place.module, name) == self.key)
            case ast.Attribute(attr=attr) if attr in self.constants:
                return self.helpers.types.dotted(place.module, node) == self.key
        return False

    def names_in(self, scope: ast.AST) -> frozenset[str]:
        """The variables of a function or a module that hold the key's name, or may."""
        if scope not in self.names:
            nodes = scope.body if isinstance(scope, ast.Module) else ast.walk(scope)
            self.names[scope] = frozenset(name for node in nodes for name in self.naming(node, scope))
        return self.names[scope]

    def naming(self, node: ast.AST, scope: ast.AST) -> Iterator[str]:
        match node:
            case ast.Assign(targets=targets, value=ast.Constant(value=value)) if value == self.key and isinstance(value, str):
                yield from (each.id for each in targets if isinstance(each, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=value)) if value == self.key and isinstance(value, str):
                yield name
            case ast.For(target=target, iter=walked) | ast.comprehension(target=target, iter=walked):
                yield from self.walking(target, walked)

    def walking(self, target: ast.expr, walked: ast.expr) -> Iterator[str]:
        """The variables of a loop over names, or over rows with a name in them."""
        for item in walked.elts if isinstance(walked, ast.Tuple | ast.List | ast.Set) else ():
            pairs = [(target, item)]
            if isinstance(target, ast.Tuple | ast.List) and isinstance(item, ast.Tuple | ast.List):
                pairs = list(zip(target.elts, item.elts, strict=False))
            for one, value in pairs:
                if isinstance(one, ast.Name) and isinstance(value, ast.Constant) and value.value == self.key:
                    yield one.id

    # --------------------------------------------------------------- declarations

    def declared(self, node: ast.ClassDef, place: Place) -> Iterator[Found]:
        """The field of a config class that is called like the key."""
        for each in node.body:
            match each:
                case ast.AnnAssign(target=ast.Name(id=name), value=value) if name == self.key and self.has_fields(node, place.cls):
                    yield self.found("field", each, place, value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == self.key and place.cls and self.is_config(place.cls):
                    yield self.found("field", each, place, value)

    def parameters(self, node: FunctionNode, place: Place) -> Iterator[Found]:
        """The parameter of a config's constructor that is called like the key: the entries of a file are handed to it by name."""
        if node.name != "__init__" or place.functions or place.cls is None or not self.is_config(place.cls):
            return
        plain = (*node.args.posonlyargs, *node.args.args)
        defaults = dict(zip([each.arg for each in plain][::-1], node.args.defaults[::-1], strict=False))
        defaults |= {each.arg: value for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value is not None}
        for argument in (*plain, *node.args.kwonlyargs):
            if argument.arg == self.key:
                inside = Place(place.module, place.cls, (node,), dotted(place.symbol, node.name))
                yield self.found("parameter", argument, inside, defaults.get(argument.arg))

    def has_fields(self, node: ast.ClassDef, cls: ClassValue | None) -> bool:
        decorators = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
        is_record = any(last_name(each) in ("dataclass", "define", "frozen", "attrs") for each in decorators)
        return is_record or (cls is not None and self.is_config(cls))

    def is_config(self, cls: ClassValue) -> bool:
        """Whether the objects of a class are configs, by its name and those of its bases."""
        order = self.helpers.types.order(cls)
        names = [name for each in (cls, *order) for name in (each.name.rpartition(".")[2], *bases_of(each))]
        return any(name.lower().endswith(CONFIG_NAMES) or name in CONFIG_BASES for name in names)

    # ------------------------------------------------------------------- what is told

    def found(self, form: Form, node: ast.expr | ast.stmt | ast.arg, place: Place, default: ast.expr | None = None) -> Found:
        module = place.module
        at = Location(self.program.printed(module.path), node.lineno)
        column = character_column(module, node.lineno, node.col_offset)
        told = None if default is None else short(ast.unparse(default))
        model_type = model_type_of(place.cls) if form in ("field", "parameter") and place.cls is not None else ""
        return Found(Mention(form, at, column, place.symbol, text_of(module, node), told, model_type), place)


def mentions(program: Program, tree: SourceTree, types: Types, key: str) -> list[Found]:
    """All of them, by file and place; the same expression once."""
    finder = Finder(program, key, Helpers(tree, types))
    found: list[Found] = []
    paths = tree.grep((key.encode(),), "the key")
    modules = [module for path in paths if (module := program.index.module(program.index.module_of(path))) is not None]
    finder.constants |= {name for module in modules for name in finder.names_in(module.tree)}
    if finder.constants:  # who imports them need not name the key
        others = [path for path in tree.grep(tuple(sorted(name.encode() for name in finder.constants))) if path not in set(paths)]
        modules += [module for path in others if (module := program.index.module(program.index.module_of(path))) is not None]
    for module in modules:
        found += finder.in_module(module)
    return sorted(found, key=lambda each: (each.mention.at.file, each.mention.at.line, each.mention.column))


def dotted(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer else name


def bases_of(cls: ClassValue) -> list[str]:
    return [last_name(base) for base in cls.node.bases] if cls.node is not None else []


def model_type_of(cls: ClassValue) -> str:
    """The kind of model that a config class says it is for."""
    for node in cls.node.body if cls.node is not None else ():
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        named = any(isinstance(each, ast.Name) and each.id == "model_type" for each in targets)
        if named and isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return ""


def text_of(module: Module, node: ast.expr | ast.stmt | ast.arg) -> str:
    """The source of a node on one line, shortened."""
    last = (node.end_lineno or node.lineno) - 1
    lines = [line.encode() for line in module.lines[node.lineno - 1 : last + 1]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return short(b" ".join(lines).decode(errors="replace"))


def short(text: str) -> str:
    told = " ".join(text.split())
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 1]}…"
