"""Running what looks a traced key up: the launch, the constructors of target and draft, and, for what none of these reaches, each
function by itself. The readers' values are tracked like the ids of a flow are."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..configs import Config, architectures_of
from ..evaluation import Program, Target
from ..graph import Edge, FlowGraph, Node
from ..interpret.machine import Machine
from ..launches import Lookup
from ..results import NotEstablished
from ..source import SourceTree
from ..values import ClassValue, FunctionValue
from ..wiring import Found as FoundTarget
from .asked import Question
from .build import make_question, read_side, start
from .chain import Chain
from .domain import Object, Val
from .drafts import draft_models
from .engine import MOST_STATEMENTS
from .finish import merged
from .helpers import AnyFunction
from .mentions import Found, mentions
from .names import FunctionNode
from .reading import configs_of
from .relevance import Relevance
from .roots import Life, callers_of, run_root, setter_roots
from .store import Fields
from .types import Types

MOST_AROUND = 10_000
"""Statements that may be run of what calls for the launch, where not all lookups are seen without it."""
MOST_ALONE = 6_000
"""Statements that functions may take that are run by themselves, all together."""


@dataclass(slots=True)
class Tracing:
    """One key in one tree: what is found, what the runs look up, and what was not followed."""

    chain: Chain
    key: str
    found: list[Found]
    relevance: Relevance
    lookups: list[Lookup] = field(default_factory=list)
    problems: list[NotEstablished] = field(default_factory=list)

    def run_life(self, life: Life, given: Mapping[str, Val], most: int, *, reading: bool = False) -> int:
        """Run functions one after the other on one object, for so many statements at most; what they look up counts. How many it took."""
        heap: dict[Object, Fields] = {}
        receiver = Val((Object(life.cls.name, life.cls, lasting=True),)) if life.cls is not None else None
        engine = self.chain.engine(self.relevance, reading=reading)
        engine.statements = MOST_STATEMENTS - most
        for function in life.functions:
            state = run_root(engine, function, life.cls, heap, receiver, dict(given))
            heap = state.heap if state is not None else heap
        self.lookups += [each for each in engine.journal.lookups if each.key == self.key]
        return engine.statements - MOST_STATEMENTS + most

    def run_alone(self, node: FunctionNode, found: Found) -> int:
        """Run a function on whatever it is given: this tells where its values go, and of no config what they are. How many statements it
        took."""
        module, cls = found.place.module, found.place.cls
        function = self.chain.types.find(cls, node.name)[0] if cls is not None else self.chain.types.name(module, node.name)
        if isinstance(function, FunctionValue) and function.node is node:
            engine = self.chain.engine(self.relevance)
            run_root(engine, function, cls, {})
            self.lookups += [each for each in engine.journal.lookups if each.key == self.key and each.role in self.chain.question.configs]
            return engine.statements
        return 0

    def is_seen(self, found: Found) -> bool:
        """Whether a run came by a mention: its value is in the graph."""
        return any((each.at, each.column) == (found.mention.at, found.mention.column) for each in self.lookups)


def trace_tree(
    program: Program, tree: SourceTree, key: str, configs: Mapping[str, Config], target: tuple[Target, FoundTarget] | None,
    models: Sequence[str],
) -> Tracing:  # fmt: skip
    """All of an engine: ``target`` is a target class that stands for all on the way to the setter, ``models`` are those to construct."""
    tracing = open_tracing(program, tree, key, configs, target)
    chain = tracing.chain
    if not tracing.found:
        return tracing
    if target is not None:
        read_side(chain)  # tells which fields hold the model
        chain.graph.clear()
        roots = chain.lives or list(setter_roots(chain))
        for life in roots:
            tracing.run_life(life, {}, MOST_STATEMENTS, reading=True)
        if any(not tracing.is_seen(each) for each in tracing.found):
            room = MOST_AROUND
            for life in callers_of(chain, roots):
                room -= tracing.run_life(life, {}, max(room, 0), reading=True)
    for name in models:
        construct(tracing, classes_called(chain, name), "target")
    named = [cls for name in chain.architectures for cls in classes_called(chain, name)]
    projecting = [] if named or "draft" not in configs or target is None else [each.cls for each in draft_models(chain)]
    construct(tracing, [*named, *(cls for cls in projecting if isinstance(cls, ClassValue))], "draft")
    run_the_rest(tracing)
    return tracing


def open_tracing(
    program: Program, tree: SourceTree, key: str, configs: Mapping[str, Config], target: tuple[Target, FoundTarget] | None
) -> Tracing:
    """What is written in the tree, and a chain that looks for it."""
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    found = mentions(program, tree, Types(machine), key)
    question = asking(program, configs, key, found)
    graph = FlowGraph("trace", key)
    chain = Chain(program, tree, Object("the engine"), question, graph, Types(machine))
    if target is not None and found:
        chain = start(program, tree, target[0], target[1], question, graph)
    chain.architectures = architectures_of(configs["draft"]) if "draft" in configs else ()
    return Tracing(chain, key, found, chain.searching(frozenset({key})))


def asking(program: Program, configs: Mapping[str, Config], key: str, found: Sequence[Found]) -> Question:
    """A question about this key alone."""
    plain = make_question(program.flow, configs, None)
    places = frozenset((each.mention.at.file, each.mention.at.line, each.mention.column) for each in found)
    return replace(plain, keys=plain.keys & {key}, traced=key, places=places)


def trace_trainer(program: Program, tree: SourceTree, key: str, configs: Mapping[str, Config], graph: FlowGraph) -> Tracing:
    """A trainer: its functions are run, each by itself, on the draft's config where they take one, else on the target's."""
    tracing = open_tracing(program, tree, key, configs, None)
    tracing.chain.graph = graph
    role = "draft" if "draft" in configs or not configs else "target"
    for function, cls, _ in owners(tracing):
        given = configs_of(function, (key,), Val(open=True, origin=frozenset({(role, ())})))
        if given:
            engine = tracing.chain.engine(tracing.relevance, reading=True)
            engine.side = "training"
            run_root(engine, function, cls, {}, None, given)
            tracing.lookups += [each for each in engine.journal.lookups if each.key == key]
    run_the_rest(tracing)
    return tracing


def construct(tracing: Tracing, classes: Sequence[ClassValue], role: str) -> None:
    """Make the models on the config of this role, and run those of their methods that look the key up."""
    types = tracing.chain.types
    for cls in dict.fromkeys(classes):
        made = types.find(cls, "__init__")[0]
        if not isinstance(made, FunctionValue):
            continue
        code = tracing.chain.engine(tracing.relevance).lower(made)
        needed = [each for each in code.parameters[1:] if each.default is None] if code is not None else []
        names = [each.name for each in needed if each.name.endswith("config")]
        config = Val(open=True, origin=frozenset({(role, ())}))
        others = [function for function, owner, _ in owners(tracing) if owner in types.order(cls) and function.node is not made.node]
        methods = [function for function in others if types.find(cls, function.name)[0] is not None and is_own(types, cls, function)]
        tracing.run_life(Life((made, *methods), cls), dict.fromkeys(names, config), MOST_STATEMENTS)


def is_own(types: Types, cls: ClassValue, function: FunctionValue) -> bool:
    """Whether a method is the one that objects of the class have: nothing overrides it."""
    found = types.find(cls, function.name)[0]
    return isinstance(found, FunctionValue) and found.node is function.node


def run_the_rest(tracing: Tracing) -> None:
    """What no run has come by is run alone, for the way of its values, as far as there is room."""
    done: set[AnyFunction] = set()
    room = MOST_ALONE
    left: list[Found] = []
    for found in tracing.found:
        node = found.place.functions[0] if found.place.functions else None
        if tracing.is_seen(found) and isinstance(node, FunctionNode) and not takes_path(tracing, node):
            made = tracing.chain.types.find(found.place.cls, "__init__")[0] if found.place.cls is not None else None
            node = made.node if isinstance(made, FunctionValue) and made.node is not None and takes_path(tracing, made.node) else None
        if not isinstance(node, FunctionNode) or node in done or found.mention.form in ("test", "parameter"):
            continue
        if room <= 0:
            left.append(found)
            continue
        done.add(node)
        room -= tracing.run_alone(node, found)
    if left:
        reason = f"no run comes to it, and where its value goes is not followed; the same of {len(left) - 1} more"
        tracing.problems.append(NotEstablished(left[0].mention.lookup, reason, left[0].mention.at))


def takes_path(tracing: Tracing, node: FunctionNode) -> bool:
    """Whether a function is given the path of a model, which tells whose config it loads."""
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return any(each.arg in tracing.chain.question.paths for each in arguments)


def owners(tracing: Tracing) -> Iterator[tuple[FunctionValue, ClassValue | None, Found]]:
    """The functions and methods that mentions stand in, each once."""
    known: set[AnyFunction] = set()
    for found in tracing.found:
        node, cls = (found.place.functions[0] if found.place.functions else None), found.place.cls
        if isinstance(node, FunctionNode) and node not in known:
            known.add(node)
            types, module = tracing.chain.types, found.place.module
            function = types.find(cls, node.name)[0] if cls is not None else types.name(module, node.name)
            if isinstance(function, FunctionValue) and function.node is node:
                yield function, cls, found


def classes_called(chain: Chain, name: str) -> list[ClassValue]:
    """The classes of this name that stand at the top of a module."""
    found: list[ClassValue] = []
    for path in chain.tree.grep((f"class {name}".encode(),)):
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in module.tree.body if module is not None else ():
            if isinstance(node, ast.ClassDef) and node.name == name and module is not None:
                cls = chain.types.name(module, name)
                found += [cls] if isinstance(cls, ClassValue) else []
    return found


def ways(graph: FlowGraph, key: str) -> FlowGraph:
    """What follows from the readers, with the entries that they read; references to an object that holds the value are passed over."""
    starts = [node for node in graph.nodes if node.kind == "reader" and node.label == f"read {key}"]
    kept = graph.reached(starts, ())
    after: dict[Node, list[Edge]] = {}
    for edge in merged(list(graph.edges)):
        after.setdefault(edge.source, []).append(edge)
    sources = [node for node in graph.nodes if not node.holds and (node in kept or node.kind == "key")]
    edges = [edge for source in sources for edge in next_hops(source, after) if edge.target in kept]
    made = FlowGraph(graph.flow, graph.model)
    for node in sorted((node for node in kept if not node.holds), key=order_of):
        made.add(node)
    for edge in sorted(edges, key=order_of_hop):
        made.connect(edge)
    return made


def next_hops(source: Node, after: Mapping[Node, Sequence[Edge]]) -> Iterator[Edge]:
    """The hops to the next places that have the value itself."""
    known, pending = {source}, [source]
    while pending:
        for edge in after.get(pending.pop(), ()):
            if not edge.target.holds:
                yield replace(edge, source=source)
            elif edge.target not in known:
                known.add(edge.target)
                pending.append(edge.target)


def order_of(node: Node) -> tuple[str, int, int, str, str, str]:
    return node.at.file, node.at.line, node.column, node.kind, node.label, node.context


def order_of_hop(edge: Edge) -> tuple[object, ...]:
    return order_of(edge.source), order_of(edge.target), edge.kind, edge.label, edge.before, edge.after
