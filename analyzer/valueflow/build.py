"""Building the graph of one target class, in three parts: what reads the ids, what runs the models, and what the draft makes of it."""
from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..configs import Config
from ..evaluation import Program, Target
from ..flows.flow import Flow
from ..graph import Coverage, FlowGraph, Path
from ..interpret.machine import Machine
from ..interpret.signals import NeedDecision
from ..other_ways import Overlaid
from ..outcome import Outcome, first_open
from ..request import Ids
from ..results import Location, NotEstablished, Width
from ..runs import MAX_DECISIONS, Attempt, Model
from ..source import SourceTree
from ..values import ClassValue, Instance
from ..wiring import Found
from .asked import Miss, Question, SetterCall
from .chain import Chain
from .domain import Exact, Object, Val
from .drafts import draft_models
from .finish import finish
from .names import FunctionNode
from .net import gap
from .roots import Life, callers_of, heirs_of, run_life, run_root, setter_roots, worker_roots
from .setters import is_own_default
from .store import Fields, State
from .tracks import shown, tracked
from .types import Types
from .widths import show_width

MOST_ROUNDS = 3
"""Runs of the reading side: each may find a field that holds a model, which the next follows."""


def build_graph(
    program: Program, tree: SourceTree, target: Target, found: Found, question: Question, architectures: tuple[str, ...] = ()
) -> tuple[FlowGraph, frozenset[str]]:
    """The graph of one target class, and the names of the assumptions that it rests on; ``architectures`` names the draft's class, where
    its config is in hand."""
    graph = FlowGraph(program.flow.name, found.cls.name)
    chain = start(program, tree, target, found, question, graph)
    chain.architectures = architectures
    heap = read_side(chain) or set_from_outside(chain, found)
    graph.coverage += work_side(chain, heap)
    finish(chain)
    return graph, frozenset(chain.assumptions)


def make_question(flow: Flow, configs: Mapping[str, Config], ids: Ids) -> Question:
    """What a flow looks for, with the configs in hand by whose they are."""
    pipeline = flow.pipeline
    return Question(
        frozenset(pipeline.keys), frozenset(flow.setters), frozenset(pipeline.projections), pipeline.paths, configs, ids,
        frozenset(pipeline.target_worker), pipeline.launch, pipeline.reader, pipeline.flags, defaults=frozenset(flow.defaults),
        returned=flow.sink.returned,
    )  # fmt: skip


def start(program: Program, tree: SourceTree, target: Target, found: Found, question: Question, graph: FlowGraph) -> Chain:
    """The chain with the target's model built, as far as that can be."""
    machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
    built = build_model(target, graph)
    backing = None
    if isinstance(built, Model):
        machine, backing = built.machine, built.instance
    else:
        place = Location(program.printed(found.function.module.path), found.function.node.lineno if found.function.node else 1)
        graph.not_established.append(NotEstablished(found.cls.name, f"the model is not built: {built.reason}", place))
    chain = Chain(program, tree, Object(found.cls.name, found.cls, backing, lasting=True), question, graph, Types(machine))
    if backing is not None:
        chain.backings[backing] = chain.target
    return chain


def build_model(target: Target, graph: FlowGraph) -> Model | Outcome:
    """The target's model. A condition that must be decided to build it is taken to hold, which is said."""
    decided: dict[str, bool] = {}
    while True:
        try:
            return target.model(decided, Attempt("asks too much", True, True))
        except NeedDecision as need:
            condition = first_open(need.condition, decided)
            if condition is None or len(decided) >= MAX_DECISIONS:
                return Outcome(reason=f"it hangs on {need.condition.key}", at=need.condition.at)
            decided[condition.key] = True
            if condition.at is not None:
                reason = f"the graph holds where {condition.key}; the other way is not followed"
                graph.not_established.append(NotEstablished("a condition", reason, condition.at))


def read_side(chain: Chain) -> dict[Object, Fields]:
    """From the readers of the keys to the setter; what the objects hold when it has been called with the ids. Empty where it never is."""
    roots = list(setter_roots(chain))
    if not chain.pipeline.target_worker:  # what comes to the setter runs the target too, later in its life
        chain.lives = roots = whole_lives(roots, list(callers_of(chain, roots)))
    heap = run_readers(chain, roots)
    calls = given_to_target(chain)
    known = "draft" not in chain.question.configs or all(call.known for call in calls)
    if heap and not known and not chain.lives:  # it may hang on what constructors set
        chain.lives = whole_lives(roots, list(callers_of(chain, roots)))
        return run_readers(chain, chain.lives)
    done = heap or stand_in(chain, calls) is not None
    return heap if done else run_readers(chain, [*roots, *callers_of(chain, roots)])


def whole_lives(roots: Sequence[Life], longer: Sequence[Life]) -> list[Life]:
    """The roots, each with what comes before it in the life of its object, where that is known."""
    before = {(life.cls, life.functions[-1].node): life for life in reversed(longer)}
    return list(dict.fromkeys(before.get((life.cls, life.functions[-1].node), life) for life in roots))


def run_readers(chain: Chain, roots: Sequence[Life]) -> dict[Object, Fields]:
    """Run the roots until no more fields turn out to hold a model."""
    heap: dict[Object, Fields] = {}
    for _ in range(MOST_ROUNDS):
        before = len(chain.fields)
        chain.graph.clear()
        chain.missing.clear()
        chain.calls.clear()
        chain.doubts.clear()
        chain.missed.clear()
        chain.rewritten.clear()
        chain.runners.clear()
        chain.left.clear()
        heap = {}
        for life in roots:
            engine = chain.engine(chain.setting)
            thing = Object(life.cls.name, life.cls, lasting=True) if life.cls is not None else None
            state = run_life(engine, life, {}, thing)
            chain.finished(engine)
            told = [call for call in engine.setter_calls if tracked(call.state, call.ids)]
            if state is not None and engine.setter_calls and thing is not None and life.cls is not None:
                chain.runners[life.cls] = thing
                chain.left |= state.heap
            if state is not None and (told or engine.missed) and engine.setter_calls:
                heap = state.heap if told else heap
                doubt_rewrites(chain, (told or engine.setter_calls)[-1], state)
        if len(chain.fields) == before:
            break
    return heap


def doubt_rewrites(chain: Chain, call: SetterCall, end: State) -> None:
    """What the setter left in the models must be what is there in the end."""
    for thing, fields in end.heap.items():
        if isinstance(thing.backing, Instance) and call.state.heap.get(thing) != fields:
            before = call.state.fields(thing)
            others = [name for name, val in fields.items() if before.get(name) != val]
            names = [name for name in others if not is_same(call.state, before.get(name), end, fields[name])]
            reason = f"{', '.join(names)} of {thing.path} is written again after the setter's call"
            if names:
                chain.doubts.setdefault(call.at, NotEstablished("the value", reason, call.at))


def is_same(state: State, val: Val | None, end: State, other: Val) -> bool:
    """Whether another value holds the same numbers in the same order, or may be the same lists: a setter that asks something of the ids
    leaves one or the other."""
    if val is None or val.open or other.open:
        return False
    before, after = ({shown(at, replace(each, things=(thing,))) for thing in each.things} for at, each in ((state, val), (end, other)))
    return before == after and "" not in after


def written_elsewhere(chain: Chain) -> NotEstablished | None:
    """A place outside the models that writes an attribute which the setter sets: which write comes last is not known. What a setter writes
    that stands beside the class of the object is written by its calls, in whatever folder that is."""
    written = [(thing, fields) for call in chain.calls for thing, fields in call.state.heap.items() if isinstance(thing.backing, Instance)]
    names = {name for _, fields in written for name in fields}
    homes = {thing.cls.module.path for thing, _ in written if isinstance(thing.cls, ClassValue)}
    assert isinstance(chain.target.cls, ClassValue)
    folder = chain.target.cls.module.path.rpartition("/")[0]
    for path in chain.tree.grep(tuple(f".{name}".encode() for name in sorted(names))) if names else ():
        module = chain.program.index.module(chain.program.index.module_of(path)) if path.rpartition("/")[0] != folder else None
        for node in walked(module.tree, chain.question.setters if path in homes else ()) if module is not None else ():
            if isinstance(node, ast.Attribute) and node.attr in names and isinstance(node.ctx, ast.Store) and not _is_own(node):
                reason = f"{node.attr} is written here too"
                return NotEstablished("the value", reason, Location(chain.program.printed(path), node.lineno))
    return None


def walked(tree: ast.AST, left_out: Collection[str]) -> Iterator[ast.AST]:
    """Every node, but for those inside functions of these names."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending += [each for each in ast.iter_child_nodes(node) if not (isinstance(each, FunctionNode) and each.name in left_out)]


def _is_own(node: ast.Attribute) -> bool:
    """An attribute of ``self``: of another class, which has one of the same name."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


@dataclass(frozen=True, slots=True)
class Given:
    """What a setter is given by one call; ``known`` is whether ``ids`` (None is the default) are those."""

    ids: Ids
    known: bool
    at: Location


@dataclass(frozen=True, slots=True)
class Reading:
    """The calls of a target's setter in the order in which they were followed, and the way from the config's entry to it. ``gap`` is what
    keeps it from being a proof, ``widths`` the input widths of the projections, where all are known. ``missed`` is the lookup in the
    draft's config that found nothing, where what the setter is given stands in for that. ``overlaid``: where stages are run that leave
    nothing of what those before them captured, ``staged``: the loop in which stages are run."""

    given: tuple[Given, ...]
    path: Path
    assumptions: frozenset[str]
    gap: NotEstablished | None
    widths: tuple[Width, ...]
    missed: Miss | None = None
    overlaid: Overlaid | None = None
    staged: Location | None = None


def read_ids(
    program: Program, tree: SourceTree, target: Target, found: Found, configs: Mapping[str, Config], architectures: tuple[str, ...] = ()
) -> Reading:
    """What the readers of the keys come to, with these configs in hand."""
    graph = FlowGraph(program.flow.name, found.cls.name)
    chain = start(program, tree, target, found, make_question(program.flow, configs, None), graph)
    chain.architectures = architectures
    heap = read_side(chain)
    calls = given_to_target(chain)
    missed = None if heap else stand_in(chain, calls)
    doubt = next(iter(chain.doubts.values()), None) or written_elsewhere(chain)
    if missed is not None and doubt is None:  # the way behind the setter is the same whatever it is given
        heap = set_from_outside(chain, found)
    graph.coverage += work_side(chain, heap) if heap and doubt is None else ()
    doubt = doubt or next(iter(chain.doubts.values()), None) or (gap(chain) if heap else unread(chain, found))
    finish(chain)
    ends = [node for node in graph.of_kind("parameter") if node.symbol.endswith(f".{found.setter}")]
    path = graph.path(graph.of_kind("key"), ends) or ()
    return Reading(
        calls, path, frozenset(chain.assumptions), doubt, tuple(widths_of(graph)), missed, next(iter(chain.overlaid), None),
        next(iter(chain.staged), None),
    )  # fmt: skip


def given_to_target(chain: Chain) -> tuple[Given, ...]:
    return tuple(given(call) for call in chain.calls if call.receiver is chain.target)


def stand_in(chain: Chain, calls: Sequence[Given]) -> Miss | None:
    """The lookup that found nothing in the draft's config, where the setter is given nothing, or what the lookup falls back on."""
    lookups = [missed for missed in chain.missed if missed.key]  # they come before what merely hangs on a missing entry
    for missed in (*reversed(lookups), *reversed(chain.missed)):
        if calls and all(call.known and (call.ids is None or f"[{', '.join(map(str, call.ids))}]" == missed.default) for call in calls):
            return missed
    return None


def widths_of(graph: FlowGraph) -> list[Width]:
    """The input widths of the projections; none where that of one of them is not known."""
    edges = [edge for edge in graph.edges if edge.kind == "width" and edge.target.kind == "consumer"]
    known = {edge.target: Width(int(edge.after), edge.source.label, edge.source.at) for edge in edges if edge.after.isdigit()}
    return list(known.values()) if set(known) == set(graph.of_kind("consumer")) else []


def unread(chain: Chain, found: Found) -> NotEstablished:
    """Where no reader's ids are seen to reach the setter, the way behind it is not followed either."""
    place = chain.calls[-1].at if chain.calls else Location(chain.program.printed(found.function.module.path), 1)
    return NotEstablished("the value", f"no ids that are read from a config are seen to reach {found.setter}", place)


def given(call: SetterCall) -> Given:
    text = shown(call.state, call.ids)
    if call.ids.only == Exact(None) or is_own_default(call.state, call.ids):
        return Given(None, True, call.at)
    if not text.startswith("["):
        return Given(None, False, call.at)
    return Given(tuple(int(part) for part in text.strip("[]").split(", ") if part), True, call.at)


def set_from_outside(chain: Chain, found: Found) -> dict[Object, Fields]:
    """Call the target's setter with ids that come from nowhere: where nothing in the tree is seen to hand them to it."""
    setter = chain.types.find(found.cls, found.setter)[0]
    engine = chain.engine(chain.setting)
    left = {} if chain.pipeline.target_worker else chain.left
    state = run_root(engine, found.function if setter is None else setter, found.cls, left, Val((chain.target,)), from_outside=True)  # type: ignore[arg-type]
    chain.finished(engine)
    return state.heap if state is not None else {}


def work_side(chain: Chain, heap: dict[Object, Fields]) -> Iterator[Coverage]:
    """From the target's forward through each worker to each draft."""
    drafts = draft_models(chain)
    roots = worker_roots(chain)
    for function, cls in roots:
        ended: list[str] = []
        chain.workers.append(cls)
        engine = chain.engine(chain.forwarding, drafts)  # without one to choose from, the draft is what the worker itself makes
        runner = chain.runners.get(cls) if not chain.pipeline.target_worker else None
        run_root(engine, function, cls, heap, Val((runner,)) if runner is not None else None)
        chain.finished(engine)
        ended += [holder.path for holder, _, _ in engine.consumed]
        for holder, name, node in engine.consumed:
            show_width(chain, holder, name, node)
        part = coverage(chain, cls, drafts, ended)
        yield part
        yield from (replace(part, what=f"{heir.name} (as {cls.name})", at=place_of(chain, heir)) for heir in heirs_of(chain, cls))
    if not roots or not chain.graph.of_kind("capture"):
        forward_alone(chain, heap)


def coverage(chain: Chain, cls: ClassValue, drafts: tuple[Object, ...], ended: list[str]) -> Coverage:
    """What was followed through one worker."""
    place = place_of(chain, cls)
    names = ", ".join(draft.path for draft in drafts) or "any draft"
    missing = () if ended else (NotEstablished(cls.name, f"captured states were not seen to reach {names} through it", place),)
    return Coverage(cls.name, place, tuple(phases_of(chain, cls)) if ended else (), missing)


def place_of(chain: Chain, cls: ClassValue) -> Location:
    return Location(chain.program.printed(cls.module.path), cls.node.lineno if cls.node is not None else 1)


def phases_of(chain: Chain, cls: ClassValue) -> Iterator[str]:
    """The phases on whose functions captured states pass from the readers to a consumer of this worker."""
    consumers = [node for node in chain.graph.of_kind("consumer") if node.context.startswith(f"{cls.name}.")]
    starts = chain.graph.of_kind("reader") or chain.graph.given
    passed = {node.symbol.rpartition(".")[2] for node in chain.graph.between(starts, consumers)}
    for phase, functions in chain.pipeline.phases.items():
        if passed & set(functions):
            yield phase


def forward_alone(chain: Chain, heap: dict[Object, Fields]) -> None:
    """The target's forward by itself, where no worker was seen to run it."""
    cls = chain.target.cls
    assert isinstance(cls, ClassValue)
    forward = chain.types.find(cls, "forward")[0]
    engine = chain.engine(chain.forwarding)
    run_root(engine, forward, cls, heap, Val((chain.target,)))  # type: ignore[arg-type]
    chain.finished(engine)
