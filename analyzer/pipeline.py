"""The map of the program: from a source to what is proved of it, in seven steps.

1. find    `source` lists the files and greps the flow's words
2. index   `index` parses what is asked for
3. lower   `lower` turns the functions that are reached into IR, through libcst
4. run     `interpret` executes setter and forward abstractly, `evaluation` for one id list
5. record  every hop of a tracked value goes into the evaluation's path
6. judge   `wiring` reads the convention off the evaluations, `comparison` holds serving against training, `rules` look for defects
7. show    `report` and `json_report`
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .comparison import compare
from .configs import Config, load_config
from .contract_file import contract_side, is_contract, read_contract_file
from .drafts import find_drafts, flow_of_draft
from .errors import BadInput
from .evaluation import Program, Target
from .flows.flow import BUILT_IN, Flow, load_flow, load_flow_file
from .index import Index
from .interpret.code import Code
from .keys import missed_entries, names_in
from .library.tables import Library
from .request import ContractRequest, Request
from .results import Analysis, Comparison, ContractAnalysis, Location, NotEstablished, Side, SourceFacts, Wiring
from .serving import server
from .source import SourceTree, open_source
from .target import ConfigFacts, read_target
from .trained import Training, read_trainer, train_source
from .training_facts import load_training_facts
from .weights import read_weights
from .wiring import DEFAULT_LAYERS, Found, Job, evaluate_all, find_targets

if TYPE_CHECKING:
    from .engine_use import Engine
    from .graph import GraphAnalysis  # networkx is imported only where a graph is asked for
    from .launches import Launch
    from .traces import Trace

RECURSION = 20_000
"""Python frames for the interpreter: a call of the analysed program takes about twenty."""


def analyze(request: Request) -> Analysis:
    """Run a request; raises :class:`BadInput` for what a person can mend."""
    with room_to_run():
        return run(request)


def draw_graphs(request: Request) -> GraphAnalysis:
    """The way of the ids from the config key to the consumer in each target class; raises :class:`BadInput` like :func:`analyze`."""
    from .following import follow
    from .graph import GraphAnalysis

    with room_to_run():
        opened = open_flows(request, choose_flows(request))
        followed = [each for one in opened for each in follow(one.program, one.tree, one.targets, one.config, one.layers, request)]
        assumptions = {assumption.name: assumption for _, used in followed for assumption in used}
        problems = [*unreadable(opened[0].program.index, opened[0].tree), *(each for one in opened for each in one.problems)]
        return GraphAnalysis(
            facts(opened[0].tree, opened[0].program.index), tuple(graph for graph, _ in followed),
            tuple(assumptions[name] for name in sorted(assumptions)), tuple(problems),
        )  # fmt: skip


def trace(request: Request, key: str) -> Trace:
    """Every reader of a config's key, what each gets, and where it goes; raises :class:`BadInput` like :func:`analyze`."""
    from .following import configs_in_hand
    from .trace import trace_key

    if not key.isidentifier():
        raise BadInput(f"{key!r} is no key: give the name of one entry, as in rope_theta; its readers at every depth are found")
    with room_to_run():
        configs = configs_in_hand(request)
        flow = choose_flows(request)[0]
        if not request.flows and request.flow_file is None and "draft" in configs:
            told = flow_of_draft(configs["draft"], load_training_facts(flow.name).flows)
            flow = load_flow(told) if told in BUILT_IN else flow
        (one,) = open_flows(request, [flow])
        found = one.targets[0] if one.targets else None
        target = None if found is None else (Target(one.program, found.cls, found.setter, one.layers, one.config), found)
        before = facts(one.tree, one.program.index)
        made = trace_key(one.program, one.tree, before, key, configs, target, one.config.architectures(), request.train)
        return replace(made, source=facts(one.tree, one.program.index))


def contract(request: ContractRequest) -> ContractAnalysis:
    """What a trainer trains on; raises :class:`BadInput` like :func:`analyze`."""
    from .contract import read_contract

    with room_to_run():
        return read_contract(request, load_flow(BUILT_IN[0]), dict(engines_for(request)))


def engines_for(request: ContractRequest) -> Iterator[tuple[str, Engine]]:
    """The engine that a trainer calls, read for each flow that there is."""
    from .engine_use import Engine

    if request.engine is None:
        if request.models:
            raise BadInput("--model names a target class of an engine: give its source with --engine")
        return
    for name in BUILT_IN if not request.flows else [flow for flow in request.flows if flow in BUILT_IN]:
        asked = Request(request.engine, (name,), request.models, request.target, request.layers)
        (one,) = open_flows(asked, [load_flow(name)])
        targets = tuple(Target(one.program, found.cls, found.setter, one.layers, one.config) for found in one.targets)
        yield name, Engine(one.program, one.tree, targets)


@contextmanager
def room_to_run() -> Iterator[None]:
    """Deep recursion and no garbage collection, for the time of a run: what is made lives to its end, but for the targets' machines."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, RECURSION))
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if collecting:
            gc.enable()
        sys.setrecursionlimit(limit)


@dataclass(frozen=True, slots=True)
class Opened:
    """One flow in one tree, with the target classes that were asked for."""

    program: Program
    tree: SourceTree
    config: ConfigFacts
    targets: list[Found]
    layers: int
    problems: list[NotEstablished]


@dataclass(frozen=True, slots=True)
class Read:
    """A tree with all that was parsed and lowered of it, whichever flow asked for it."""

    tree: SourceTree
    index: Index
    code: Code


def open_flows(request: Request, flows: Sequence[Flow]) -> list[Opened]:
    """Steps 1 and 2 for each flow; flows of one package share what is read of it."""
    read: dict[str, Read] = {}
    opened = [open_flow(request, flow, read) for flow in flows]
    names = {found.cls.name for one in opened for found in one.targets}
    wanted = wanted_models(request, opened[0], names)
    problems = missing_architectures(request, opened[0].config, names)
    opened[0].problems.extend(problems)
    return [replace(one, targets=[found for found in one.targets if not wanted or found.cls.name in wanted]) for one in opened]


def open_flow(request: Request, flow: Flow, read: dict[str, Read]) -> Opened:
    """Steps 1 and 2: find and index."""
    if flow.package not in read:
        tree = open_source(request.source, flow.package)
        read[flow.package] = Read(tree, Index(tree), Code(tree.printed))
    tree, index = read[flow.package].tree, read[flow.package].index
    program = Program(index, flow, read[flow.package].code, library_of(flow), tree.printed)
    config = read_target(request.target, flow)
    found, unread = find_targets(program, tree, fallbacks=bool(request.drafts))
    problems = [each for each in unread if each.what != "file"]
    layers = request.layers or config.num_layers() or DEFAULT_LAYERS
    return Opened(program, tree, config, found, layers, problems)


def run(request: Request) -> Analysis:
    """The seven steps."""
    wirings: list[Wiring] = []
    comparisons: list[Comparison] = []
    launches: list[Launch] = []
    problems: list[NotEstablished] = []
    opened = open_flows(request, choose_flows(request))
    drafts = drafts_by_flow(request, opened)
    jobs = [Job(one.program, one.config, one.layers, one.targets, request.judged) for one in opened]
    for one, found in zip(opened, evaluate_all(jobs, request.ids), strict=True):
        wirings += found
        comparisons += against_training(request, one, drafts[one.program.flow.name])
        launches += launched(request, one, drafts[one.program.flow.name]) if request.judged else ()
        problems += one.problems
    tree, index = opened[0].tree, opened[0].program.index
    return Analysis(facts(tree, index), tuple(wirings), (*unreadable(index, tree), *problems), tuple(comparisons), tuple(launches))


def drafts_by_flow(request: Request, opened: Sequence[Opened]) -> dict[str, list[str]]:
    """The configs of the drafts that were given, by the flow that each is for; where one flow was asked for, all are for that. A draft of
    a flow that no target here serves would be launched with the first."""
    flows = [one.program.flow.name for one in opened]
    served = {one.program.flow.name for one in opened if one.targets}
    if not request.drafts:
        if request.train is not None or request.train_config is not None:
            raise BadInput("--train compares what is served to a draft with what it was trained on: give the draft's config with --draft")
        return {name: [] for name in flows}
    if request.train is None and request.train_config is not None:
        raise BadInput("--train-config is the config of a training run: give the trainer's source with --train")
    words = load_training_facts(flows[0]).flows
    sorted_out: dict[str, list[str]] = {name: [] for name in flows}
    for draft in find_drafts(request.drafts):
        told = flow_of_draft(load_config(draft), words) if len(flows) > 1 else None
        sorted_out[told if told in served else flows[0]].append(draft)
    return sorted_out


def against_training(request: Request, one: Opened, drafts: Sequence[str]) -> Iterator[Comparison]:
    """What is served to each of these drafts, held against what the trainer that was given trained."""
    layers = request.layers or one.config.num_layers()
    stored = [(load_config(draft), read_weights(draft, one.program.flow.pipeline.projections)) for draft in drafts]
    served = server(one.tree, request.target)
    for draft, weights in stored:
        one.problems.extend([weights.open] if weights.open is not None else ())
        trained = None if request.train is None else training_side(request, request.train, draft, one, layers)
        yield from compare(one.program, one.targets, one.config, layers, draft, trained, served, weights.width)


def launched(request: Request, one: Opened, drafts: Sequence[str]) -> Iterator[Launch]:
    """What the engine does on its way to the setter, with each of these drafts, or with none in hand. One target class stands for all."""
    if not one.targets:
        return
    from .valueflow.launching import launch  # networkx is imported only where a way is followed

    found = one.targets[0]
    for draft in drafts or (None,):
        configs = {} if draft is None else {"draft": load_config(draft)}
        configs |= {"target": load_config(request.target)} if request.target is not None else {}
        target = Target(one.program, found.cls, found.setter, one.layers, one.config)
        done = launch(one.program, one.tree, target, found, configs)
        yield done if draft is None else with_misses(request, one, done, configs)


def with_misses(request: Request, one: Opened, done: Launch, configs: Mapping[str, Config]) -> Launch:
    """The launch, with what the trainer that was given looks up, and which lookups miss what the draft's config has elsewhere."""
    pipeline, draft = one.program.flow.pipeline, configs["draft"]
    lookups = done.lookups
    if request.train is not None and not is_contract(request.train):
        names = (*pipeline.keys, *pipeline.moved, *names_in(draft.values))
        lookups += read_trainer(request.train, one.program, configs, names)
    spellings = dict.fromkeys(pipeline.keys, pipeline.spellings)
    missed = missed_entries(lookups, draft, pipeline.moved, spellings)
    return replace(done, lookups=lookups, missed=tuple(missed))


def training_side(request: Request, train: str, draft: Config, one: Opened, layers: int | None) -> Side:
    """What the draft was trained on, from the trainer's source or from its contract."""
    if not is_contract(train):
        return train_source(Training(train, request.train_config, draft, train_engine(request, one)), one.program, one.config, layers)
    if request.train_config is not None:
        raise BadInput(f"--train {train} is a contract, which holds the ids of its run: leave out --train-config")
    return contract_side(read_contract_file(train), one.program.flow.name, layers, one.config.hidden_size())


def train_engine(request: Request, one: Opened) -> Engine | None:
    """The engine that the trainer captures with, where its source was given."""
    if request.train_engine is None:
        return None
    asked = ContractRequest(request.train or "", (one.program.flow.name,), request.layers, request.target, None, None, request.train_engine)
    return dict(engines_for(replace(asked, models=request.models))).get(one.program.flow.name)


def choose_flows(request: Request) -> list[Flow]:
    if request.flow_file is not None:
        flow = load_flow_file(request.flow_file)
        if request.flows and flow.name not in request.flows:
            raise BadInput(f"{request.flow_file} describes the flow {flow.name!r}, not {request.flows[0]!r}")
        return [flow]
    return [load_flow(name) for name in request.flows or BUILT_IN]


def library_of(flow: Flow) -> Library:
    try:
        return Library(dict(flow.kernels), boundaries=flow.boundaries)
    except KeyError as error:
        raise BadInput(f"the flow {flow.name!r}: there is no model of a kernel or an operation named {error.args[0]!r}") from error


def wanted_models(request: Request, one: Opened, names: set[str]) -> set[str]:
    """The targets that are asked for: by name, else by the config's architectures where one of them is a target here; empty for all."""
    for model in request.models:
        if model not in names:
            known = ", ".join(sorted(names)) or "none"
            lost = "".join(f"; {each.at} cannot be read" for each in unreadable(one.program.index, one.tree)[:1])
            raise BadInput(f"{one.tree.root}: no target class {model!r} with a setter of the flow; there are {known}{lost}")
    return set(request.models) or names & set(one.config.architectures())


def missing_architectures(request: Request, config: ConfigFacts, names: set[str]) -> list[NotEstablished]:
    """The config's classes where none of them is a target here: all targets are shown, but not the one that was meant."""
    architectures = config.architectures()
    if config.place is None or request.models or set(architectures) & names:
        return []
    reason = "the config's architectures name it, and no target class with a setter of the flow is called so"
    return [NotEstablished(name, reason, config.place) for name in architectures]


def unreadable(index: Index, tree: SourceTree) -> list[NotEstablished]:
    """Each file that was asked for and could not be parsed."""
    found: list[NotEstablished] = []
    for path, message in sorted(index.unreadable.items()):
        line, _, text = message.partition(": ")
        number = line.removeprefix("line ")
        found.append(NotEstablished("file", text or message, Location(tree.printed(path), int(number) if number.isdigit() else 1)))
    return found


def facts(tree: SourceTree, index: Index) -> SourceFacts:
    return SourceFacts(tree.root, tree.package, tree.version, len(tree.files), len(index.read))
