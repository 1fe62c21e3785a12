"""Launching the engine for one target class: what it does with configs and the model on its way to the setter, and what the drafts read."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ..configs import Config, architectures_of
from ..evaluation import Program, Target
from ..graph import FlowGraph
from ..launches import Event, Gate, Launch
from ..marks import gates_in
from ..source import SourceTree
from ..values import ClassValue, FunctionValue
from ..wiring import Found
from .build import make_question, read_side, start
from .chain import Chain
from .drafts import draft_models, with_config
from .engine import Engine
from .names import FunctionNode
from .projecting import width_gates
from .roots import callers_of, run_life, run_root, setter_roots


def launch(
    program: Program, tree: SourceTree, target: Target, found: Found, configs: Mapping[str, Config], *, watched: bool = False
) -> Launch:
    """Follow the launch, with the configs that are in hand. ``watched``: the conditions are noted on which it hangs."""
    question = make_question(program.flow, configs, None)
    chain = start(program, tree, target, found, question, FlowGraph(program.flow.name, found.cls.name))
    chain.architectures = architectures_of(configs["draft"]) if "draft" in configs else ()
    read_side(chain)  # tells which fields hold the model
    engines: list[Engine] = []
    lives = list(lives_of_setter(chain, engines, question.keys | question.setters if watched else frozenset()))
    engines += built_drafts(chain) if "draft" in configs else ()
    journals = [engine.journal for engine in engines]
    draft = configs.get("draft")
    return Launch(
        program.flow.name, found.cls.name, None if draft is None else draft.path_printed, tuple(dict.fromkeys(lives)),
        tuple(dict.fromkeys(each for journal in journals for each in journal.lookups)),
        tuple(dict.fromkeys(each for journal in journals for each in journal.swallowed)),
        tuple(dict.fromkeys(each for journal in journals for each in journal.falsy)),
        tuple(dict.fromkeys(each for journal in journals for each in journal.overrides)),
        tuple(program.flow.pipeline.keys), gates=tuple(gates(chain)),
        dropped=tuple(dict.fromkeys(each for journal in journals for each in journal.dropped)),
        branches=tuple(dict.fromkeys(each for journal in journals for each in journal.met)),
        width_gates=tuple(width_gates(chain)),
    )  # fmt: skip


def gates(chain: Chain) -> Iterator[Gate]:
    """The places outside of setters that call one only if the model has it."""
    setters = chain.question.setters
    for path in chain.tree.grep(tuple(word.encode() for word in setters)):
        module = chain.program.index.module(chain.program.index.module_of(path))
        for node in ast.walk(module.tree) if module is not None else ():
            if isinstance(node, FunctionNode) and node.name not in setters:
                yield from (Gate(place.name, place.at) for place in gates_in(node, setters, chain.program.printed(path)))


def lives_of_setter(chain: Chain, engines: list[Engine], watched: frozenset[str]) -> list[tuple[Event, ...]]:
    """The events of each object that comes to a setter; its runs of the model are followed too."""
    roots = list(setter_roots(chain))
    words = frozenset(f"{name}{end}" for _, name in chain.fields for end in ("(", ".forward"))
    relevance = chain.searching(frozenset((*chain.question.keys, *chain.question.setters, *words)))
    found: list[tuple[Event, ...]] = []
    drafts = draft_models(chain) if "draft" in chain.question.configs else ()
    for lives in (chain.lives,) if chain.lives else (roots, callers_of(chain, roots)):
        for life in lives:
            engine = chain.engine(relevance, graph=FlowGraph(chain.graph.flow, chain.graph.model), reading=True)
            engine.journal.watched = watched
            engine.journal.drafts = frozenset(each.cls.node for each in drafts if isinstance(each.cls, ClassValue))
            run_life(engine, life, {})
            engines.append(engine)
            found.append(tuple(engine.journal.events))
        if any(event.configured for events in found for event in events):
            break
    return found


def built_drafts(chain: Chain) -> list[Engine]:
    """The constructors of the drafts and of their parts, run on the draft's config."""
    engines: list[Engine] = []
    for draft in draft_models(chain):
        made = chain.types.find(draft.cls, "__init__")[0] if isinstance(draft.cls, ClassValue) else None
        if isinstance(made, FunctionValue) and isinstance(draft.cls, ClassValue):
            engine = chain.engine(chain.setting, graph=FlowGraph(chain.graph.flow, chain.graph.model))
            engine.side = "draft"
            run_root(engine, made, draft.cls, {}, None, with_config(engine.lower(made)))
            engines.append(engine)
    return engines
