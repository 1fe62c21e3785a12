"""The readers of a draft's config in a trainer: its functions are run, each by itself, on the draft's config where they take one.

Nothing tells whose config a function of a trainer is handed; that it is the draft's is supposed of every parameter that an entry of the
draft's config is asked of, or that is called like a config and handed on.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..evaluation import Program
from ..graph import FlowGraph
from ..interpret.machine import Machine
from ..launches import Dropped, Lookup
from ..source import SourceTree
from ..values import ClassValue, FunctionValue
from .asked import Question
from .chain import Chain
from .domain import Object, Val
from .names import FunctionNode
from .roots import run_root
from .types import Types

OTHERS = ("target", "verifier", "base_model", "teacher")
"""Words in the name of a parameter that is not for the draft's config."""
CONFIG_NAMES = ("config", "cfg", "conf")
"""What the parameter for a config is called, or how its name ends."""


def lookups_in(
    program: Program, tree: SourceTree, question: Question, role: str, names: Sequence[str]
) -> tuple[tuple[Lookup, ...], tuple[Dropped, ...]]:
    """What the functions of a tree look up of these names in the config of one role, and what they miss in what they make of it."""
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    chain = Chain(program, tree, Object("the trainer"), question, FlowGraph(program.flow.name, ""), Types(machine))
    relevance = chain.searching(frozenset(names))
    found: list[Lookup] = []
    dropped: list[Dropped] = []
    for function, cls in functions(chain, names):
        given = configs_of(function, names, Val(open=True, origin=frozenset({(role, ())})))
        if given:
            engine = chain.engine(relevance, graph=FlowGraph(program.flow.name, ""), reading=True)
            engine.side = "training"
            run_root(engine, function, cls, {}, None, given)
            found += engine.journal.lookups
            dropped += engine.journal.dropped
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(dropped))


def functions(chain: Chain, names: Sequence[str]) -> Iterator[tuple[FunctionValue, ClassValue | None]]:
    """The functions and methods whose text has one of the names."""
    for path in chain.tree.grep(tuple(name.encode() for name in names)):
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            found = chain.types.name(module, node.name) if module is not None and isinstance(node, ast.ClassDef | FunctionNode) else None
            if isinstance(found, FunctionValue):
                yield found, None
            elif isinstance(found, ClassValue) and isinstance(node, ast.ClassDef):
                methods = [each.name for each in node.body if isinstance(each, FunctionNode)]
                yield from ((each, found) for name in methods if isinstance(each := chain.types.find(found, name)[0], FunctionValue))


def configs_of(function: FunctionValue, names: Sequence[str], config: Val) -> dict[str, Val]:
    """The parameters that are a config: by their names, or since one of these entries is asked of them."""
    if function.node is None:
        return {}
    arguments = function.node.args
    parameters = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    asked = {holder for each in ast.walk(function.node) for holder, name in asked_of(each) if name in names}
    others = OTHERS if any(role == "draft" for role, _ in config.origin) else ("draft",)
    told = [name for name in parameters if not any(word in name for word in others)]
    return {name: config for name in told if name in asked or (name.endswith(CONFIG_NAMES) and asked)}


def asked_of(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Which variable an expression asks for an entry, and for which."""
    match node:
        case ast.Attribute(value=ast.Name(id=holder), attr=name):
            yield holder, name
        case ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value=str() as name)):
            yield holder, name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr="get"), args=[ast.Constant(value=str() as name), *_]):
            yield holder, name
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=holder), ast.Constant(value=str() as name), *_]):
            yield holder, name

