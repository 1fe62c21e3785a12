"""The flags that an engine is launched with: those that are given, the tree's defaults for the others, and what the tree makes of both."""
from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..configs import Config
from ..errors import BadInput
from ..evaluation import Program
from ..flows.flow import Flags
from ..graph import FlowGraph
from ..interpret.machine import Machine
from ..library.facts import Fact
from ..request import ServeArg
from ..source import SourceTree
from ..values import ClassValue, FunctionValue
from .build import make_question
from .chain import Chain
from .domain import Exact, Object, Val, exact, is_constant
from .names import FunctionNode
from .roots import run_root
from .types import Types

USUAL_HOLDERS = frozenset({"server_args", "args"})
"""What an object is called that holds the flags, where no class of them is found."""
WORDS: Mapping[str, Fact] = {"true": True, "false": False, "none": None, "null": None}


def launched_with(program: Program, tree: SourceTree, configs: Mapping[str, Config], args: Sequence[ServeArg]) -> Program:
    """The program as it is launched with these flags, with the configs in hand; raises :class:`BadInput` for a flag that no field bears."""
    pipeline = program.flow.pipeline
    chain = open_chain(program, tree, configs)
    cls = class_of_flags(chain)
    fields = fields_of(chain, cls, [name for name, _ in args]) if cls is not None else {}
    named = {fields.get(name, name): value_of(words) for name, words in args}
    named = {name: value for name, value in named.items() if name not in pipeline.paths}
    plain = {name: fact for name, value in named.items() for fact in facts(value)}
    flags = Flags(plain, plain, "", USUAL_HOLDERS, False) if cls is None else settled_flags(chain, cls, named, plain)
    launch = {name: flags.values[name] for name in pipeline.launch if name in flags.values}
    launch |= {name: value for name, value in pipeline.launch.items() if name not in launch and named.get(name, value) == value}
    return replace(program, flow=replace(program.flow, pipeline=replace(pipeline, launch=launch, flags=flags)))


def open_chain(program: Program, tree: SourceTree, configs: Mapping[str, Config]) -> Chain:
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    question = make_question(program.flow, configs, None)
    return Chain(program, tree, Object("the launch"), question, FlowGraph(program.flow.name, ""), Types(machine))


# ------------------------------------------------------------------ what is given


def value_of(words: Sequence[str]) -> object:
    """The value of a flag: a number, true, false, none or JSON where it is one, else its text; a bare flag is true."""
    if len(words) != 1:
        return [value_of((word,)) for word in words] if words else True
    (word,) = words
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


def facts(value: object) -> Iterator[Fact]:
    """The value, where it is no list or table."""
    if value is None or isinstance(value, bool | int | float | str):
        yield value


def fields_of(chain: Chain, cls: ClassValue, names: Sequence[str]) -> dict[str, str]:
    """Which field each of these flags sets; raises :class:`BadInput` for one that sets none."""
    known = {name: name for name in chain.types.fields(cls)}
    known = dict(aliases(cls, known)) | known
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            meant = f"; the nearest is --{near[0].replace('_', '-')}" if near else ""
            place = f"{cls.name} ({chain.program.printed(cls.module.path)})"
            raise BadInput(f"--serve-args: {place} has no field for --{name.replace('_', '-')}{meant}")
    return {name: known[name] for name in names}


def aliases(cls: ClassValue, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Flags by another name than their field's: what the module of the fields calls them where it reads a command line."""
    for node in ast.walk(cls.module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            words = [word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
            names = [word.lstrip("-").replace("-", "_") for word in words]
            field = next((name for name in names if name in fields), None)
            yield from ((name, field) for name in names if field is not None)


# -------------------------------------------------------------- what the tree has


def class_of_flags(chain: Chain) -> ClassValue | None:
    """The class whose fields are the launch flags: it has those that hold the paths of the models."""
    paths = chain.pipeline.paths
    declared = re.compile(rf"^\s+({'|'.join(map(re.escape, paths))})\s*:", re.MULTILINE)
    for path in chain.tree.grep(tuple(name.encode() for name in paths)) if paths else ():
        if not declared.search(chain.tree.read(path).decode("utf-8", "replace")):
            continue
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            cls = chain.types.name(module, node.name) if isinstance(node, ast.ClassDef) and module is not None else None
            if isinstance(cls, ClassValue) and set(paths) <= set(chain.types.fields(cls)):
                return cls
    return None


def settled_flags(chain: Chain, cls: ClassValue, named: Mapping[str, object], plain: Mapping[str, Fact]) -> Flags:
    """The flags after the class has had its say: the object is built with those that are given, and its ``__post_init__`` is run with the
    draft's config in hand. What that leaves open, or what something else writes too, is not known."""
    pipeline = chain.pipeline
    given = {**default_flags(chain, cls), **pipeline.launch, **plain}
    given = {name: value for name, value in given.items() if name not in pipeline.paths and (name not in named or name in plain)}
    holder = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.name).lower()
    elsewhere = written_elsewhere(chain, holder) | written_later(chain, cls)
    after, settled = after_init(chain, cls, given)
    values = {name: value for name, value in after.items() if name not in elsewhere}
    return Flags(plain, values, cls.qualified, frozenset({holder}), settled)


def default_flags(chain: Chain, cls: ClassValue) -> dict[str, Fact]:
    """The defaults of the fields, as far as they are constants."""
    engine = chain.engine(chain.setting)
    found = {name: engine.field_default(cls, name) for name in chain.types.fields(cls)}
    return {name: value for name, val in found.items() if val is not None for value in constants(val)}


def constants(val: Val) -> Iterator[Fact]:
    thing = val.only
    yield from facts(thing.value) if is_constant(val) and isinstance(thing, Exact) else ()


def after_init(chain: Chain, cls: ClassValue, given: Mapping[str, Fact]) -> tuple[dict[str, Fact], bool]:
    """What the fields hold behind the ``__post_init__``, and whether all of that was followed."""
    init = chain.types.find(cls, "__post_init__")[0]
    if not isinstance(init, FunctionValue):
        return dict(given), chain.types.find(cls, "model_post_init")[1] is None
    names = frozenset(name for each in chain.types.order(cls) for name in chain.types.assigned(each))
    looking = chain.searching(names.union(chain.pipeline.paths, given_to(chain, cls)))
    engine = chain.engine(looking, graph=FlowGraph(chain.graph.flow, chain.graph.model), reading=True)
    made = Object(cls.name, cls, made=True)
    fields = {name: exact(value) for name, value in given.items()}
    state = run_root(engine, init, cls, {made: fields}, Val((made,)))
    settled = state is not None and not engine.doubts and not engine.unfollowed and not sets_by_name(chain, cls)
    ended = state.fields(made) if state is not None and settled else {}
    kept = {name: value for name, val in ended.items() if name in given for value in constants(val)}
    return kept if settled else {name: value for name, value in given.items() if name not in names}, settled


def given_to(chain: Chain, cls: ClassValue) -> Iterator[str]:
    """The names of the functions that the class gives its object: they may write to it."""
    for call in calls_in(chain, cls):
        if any(isinstance(each, ast.Name) and each.id == "self" for each in call.args):
            yield ast.unparse(call.func).rpartition(".")[2]


def calls_in(chain: Chain, cls: ClassValue) -> list[ast.Call]:
    bodies = [each.node for each in chain.types.order(cls) if each.node is not None]
    return [node for body in bodies for node in ast.walk(body) if isinstance(node, ast.Call)]


def sets_by_name(chain: Chain, cls: ClassValue) -> bool:
    """Whether the class writes fields whose names it does not write down."""
    setters = ("setattr", "__setattr__")
    named = (call.args for call in calls_in(chain, cls) if len(call.args) == 3 and ast.unparse(call.func).rpartition(".")[2] in setters)
    return any(ast.unparse(args[0]) == "self" and not isinstance(args[1], ast.Constant) for args in named)


def written_later(chain: Chain, cls: ClassValue) -> frozenset[str]:
    """The fields that methods write which its making does not call."""
    made = called_by(chain, cls, ("__post_init__", "__init__"))
    return frozenset(
        name
        for each in chain.types.order(cls)
        for name, writers in chain.types.assigned(each).items()
        if any(function.name not in made for function, _, _ in writers)
    )


def called_by(chain: Chain, cls: ClassValue, names: Sequence[str]) -> set[str]:
    """The methods that these come to by way of ``self``."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        function = chain.types.find(cls, name)[0] if name not in found else None
        found.add(name)
        node = function.node if isinstance(function, FunctionValue) else None
        pending += [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)] if isinstance(node, FunctionNode) else []
    return found


def written_elsewhere(chain: Chain, holder: str) -> frozenset[str]:
    """The fields that code outside of the class writes."""
    write = re.compile(rb"\b%s\.(\w+)\s*(?::[^=\n]+)?=(?!=)" % holder.encode())
    paths = chain.tree.grep((f"{holder}.".encode(),))
    return frozenset(name.decode() for path in paths for name in write.findall(chain.tree.read(path)))
