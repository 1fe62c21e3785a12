"""The map of the program: from a source to what is proved of it, in seven steps.

1. find    `source` lists the files and greps the flow's words
2. index   `index` parses what is asked for
3. lower   `lower` turns the functions that are reached into IR, through libcst
4. run     `interpret` executes setter and forward abstractly, `evaluation` for one id list
5. record  every hop of a tracked value goes into the evaluation's path
6. judge   `wiring` reads the convention off the evaluations, `comparison` holds serving against training, `rules` look for defects
7. show    `report` and `json_report`

`steps` is told which of them is going on.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from .comparison import compare
from .configs import Config, load_config
from .contract_file import contract_beside, contract_side, is_contract, read_contract_file, side_said
from .drafts import find_drafts, flow_of_draft
from .errors import BadInput
from .evaluation import Target
from .excerpts import Excerpts
from .flows.flow import BUILT_IN, ENGINES, load_flow
from .launched import configs_with, launched, with_flags
from .layout import printed_path
from .opening import Opened, Shared, choose_flows, facts, files_read, open_flows, unreadable
from .request import ContractRequest, Request
from .results import Analysis, Comparison, ContractAnalysis, Side, Wiring
from .serving import server
from .siblings import siblings
from .source import SourceTree, find_package, open_source
from .steps import task
from .suppressions import MARK
from .surroundings import Needs, Surroundings
from .trained import Training, train_source
from .trainer import open_trainer
from .training_facts import load_training_facts
from .weights import read_weights
from .wiring import Job, evaluate_all

if TYPE_CHECKING:
    from .engine_use import Engine
    from .graph import GraphAnalysis  # networkx is imported only where a graph is asked for
    from .launches import Launch
    from .traces import Trace

RECURSION = 20_000
"""Python frames for the interpreter: a call of the analysed program takes about twenty."""


def analyze(request: Request, shared: Shared | None = None) -> Analysis:
    """Run a request; raises :class:`BadInput` for what a person can mend. ``shared``: what requests before it read of the same source."""
    with room_to_run():
        return run(request, shared)


class Analyzer:
    """An :func:`analyze` for several requests: those about one source, one after the other, share what is read of it."""

    def __init__(self) -> None:
        self._shared = Shared()

    def __call__(self, request: Request) -> Analysis:
        return analyze(request, self._shared)

    def would_repeat(self, source: str) -> bool:
        """Whether what the last requests read of their source stands in this one too, so that they would come to the same."""
        read = self._shared.read
        return bool(read) and all(each.tree.answers_like(open_source(source, package)) for package, each in read.items())


def draw_graphs(request: Request) -> GraphAnalysis:
    """The way of the ids from the config key to the consumer in each target class; raises :class:`BadInput` like :func:`analyze`."""
    from .following import follow
    from .graph import GraphAnalysis

    with room_to_run():
        opened = open_flows(request, choose_flows(request))
        asked = [with_flags(request, one, configs_with(request, request.draft)) for one in opened]
        followed = [each for one in asked for each in follow(one.program, one.tree, one.targets, one.config, one.layers, request)]
        assumptions = {assumption.name: assumption for _, used in followed for assumption in used}
        problems = [*unreadable(opened[0].program.index, opened[0].tree), *(each for one in opened for each in one.problems)]
        return GraphAnalysis(
            facts(opened[0].tree, opened[0].program.index), tuple(graph for graph, _ in followed),
            tuple(assumptions[name] for name in sorted(assumptions)), tuple(problems),
            files_read([(opened[0].tree.printed, opened[0].program.index)], request),
            excerpts(request, opened[0].tree),
        )  # fmt: skip


def hold_together(request: Request) -> Analysis:
    """What is served to the draft, held against what it was trained on, and nothing else; raises :class:`BadInput` like :func:`analyze`."""
    with room_to_run():
        opened = open_flows(request, choose_flows(request))
        drafts = drafts_by_flow(request, opened)
        pairs = [(one, draft) for one in opened for draft in drafts[one.program.flow.name]]
        asked = [(with_flags(request, one, configs_with(request, draft)), draft) for one, draft in pairs]
        comparisons = tuple(each for one, draft in asked for each in against_training(request, one, draft))
        tree, index = opened[0].tree, opened[0].program.index
        return Analysis(facts(tree, index), (), (), comparisons, excerpt=excerpts(request, tree))


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
            flow = load_flow(told, flow.package) if told is not None and told in ENGINES[flow.package] else flow
        (one,) = open_flows(request, [flow])
        found = one.targets[0] if one.targets else None
        target = None if found is None else (Target(one.program, found.cls, found.setter, one.layers, one.config), found)
        before = facts(one.tree, one.program.index)
        with task("record", "readers", key):
            made, read = trace_key(one.program, one.tree, before, key, configs, target, one.config.architectures(), request.train)
        return replace(made, source=facts(one.tree, one.program.index), files=files_read(read, request))


def contract(request: ContractRequest) -> ContractAnalysis:
    """What a trainer trains on; raises :class:`BadInput` like :func:`analyze`."""
    from .contract import read_contract

    with room_to_run():
        engines = dict(engines_for(request))
        with task("run", "trainer", request.source):
            return read_contract(request, load_flow(BUILT_IN[0]), engines)


def engines_for(request: ContractRequest) -> Iterator[tuple[str, Engine]]:
    """The engine that a trainer calls, read for each flow that there is."""
    from .engine_use import Engine

    if request.engine is None:
        if request.models:
            raise BadInput("--model names a target class of an engine: give its source with --engine")
        return
    package = find_package(request.engine, [*ENGINES])
    flows = [name for name in ENGINES[package] if not request.flows or name in request.flows]
    for name in flows:
        asked = Request(request.engine, (name,), request.models, request.target, request.layers)
        (one,) = open_flows(asked, [load_flow(name, package)])
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


def run(request: Request, shared: Shared | None = None) -> Analysis:
    """The seven steps."""
    wirings: list[Wiring] = []
    comparisons: list[Comparison] = []
    launches: list[Launch] = []
    others: list[Wiring] = []
    opened = open_flows(request, choose_flows(request), shared)
    drafts = drafts_by_flow(request, opened)
    asked_for = [one for one in opened if drafts[one.program.flow.name] or not request.exact]
    jobs = [Job(one.program, one.config, one.layers, one.targets, request.judged) for one in asked_for]
    for one, found in zip(asked_for, evaluate_all(jobs, request.ids), strict=True):
        wirings += found
        given: list[str | None] = [*drafts[one.program.flow.name]]
        for draft in given or [None]:
            configs = configs_with(request, draft)
            asked = with_flags(request, one, configs)
            comparisons += against_training(request, asked, draft) if draft is not None else ()
            launches += launched(request, one, asked, configs) if request.judged else ()
        others += siblings(one, [each for each in comparisons if each.flow == one.program.flow.name]) if request.judged else ()
    problems = [each for one in opened for each in one.problems]
    tree, index = opened[0].tree, opened[0].program.index
    open_ones, texts = (*unreadable(index, tree), *problems), excerpts(request, tree)
    commented = tuple(tree.printed(path) for path in sorted(index.read) if MARK in tree.read(path))
    around = Surroundings(texts.content, commented, covered(request), find_drafts(request.drafts) if request.drafts else ())
    files = files_read([(tree.printed, index), *(each for one in opened for each in one.further)], request)
    return Analysis(facts(tree, index), tuple(wirings), open_ones, tuple(comparisons), tuple(launches), texts, around, files, tuple(others))


def covered(request: Request) -> tuple[Needs, ...]:
    """What the rules need of which a run can find everything: nothing where it is narrowed, the source alone where drafts are in hand."""
    narrowed = (request.flows, request.models, request.target, request.flow_file, request.serve_args, request.ids, request.train)
    if not request.judged or any(narrowed) or request.trained is not None:
        return ()
    return ("source",) if request.drafts else ("source", "launch")


def excerpts(request: Request, tree: SourceTree) -> Excerpts:
    """What tells the text of a line: of the engine, of the trainer, or of a config."""
    train = request.train
    trainer = [] if train is None or is_contract(train) else [lambda: open_trainer(train).tree]
    drafts = find_drafts(request.drafts) if request.drafts else ()
    named = [*drafts, *([request.target] if request.target is not None else [])]
    files = [train] if train is not None and not trainer else [each for draft in drafts if (each := contract_beside(draft)) is not None]
    contracts = [printed_path(os.path.abspath(each), keep_absolute=os.path.isabs(each)) for each in files]
    said = [request.trained.at.file] if request.trained is not None else []
    return Excerpts([lambda: tree, *trainer], [load_config(each) for each in named], [*contracts, *said])


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


def against_training(request: Request, one: Opened, path: str) -> Iterator[Comparison]:
    """What is served to a draft, held against what it was trained on: by what was given, else by the contract that lies beside it."""
    with task("run", "draft", path):
        yield from held_against(request, one, path)


def held_against(request: Request, one: Opened, path: str) -> Iterator[Comparison]:
    layers = request.layers or one.config.num_layers()
    draft, weights = load_config(path), read_weights(path, one.program.flow.pipeline.projections)
    one.problems.extend([weights.open] if weights.open is not None else ())
    train = request.train or (None if request.trained is not None else contract_beside(path))
    trained = None if request.trained is None else side_said(request.trained, layers)
    trained = trained if train is None else training_side(request, train, draft, one, layers)
    served = server(one.tree, request.target)
    yield from compare(one.program, one.targets, one.config, layers, draft, trained, served, weights.width)


def training_side(request: Request, train: str, draft: Config, one: Opened, layers: int | None) -> Side:
    """What the draft was trained on, from the trainer's source or from its contract."""
    if not is_contract(train):
        with task("run", "trainer", train):
            engine = train_engine(request, one)
            return train_source(Training(train, request.train_config, draft, engine, one.further), one.program, one.config, layers)
    if request.train_config is not None:
        raise BadInput(f"--train {train} is a contract, which holds the ids of its run: leave out --train-config")
    return contract_side(read_contract_file(train), one.program.flow.name, layers, one.config.hidden_size())


def train_engine(request: Request, one: Opened) -> Engine | None:
    """The engine that the trainer captures with, where its source was given."""
    if request.train_engine is None:
        return None
    asked = ContractRequest(request.train or "", (one.program.flow.name,), request.layers, request.target, None, None, request.train_engine)
    engine = dict(engines_for(replace(asked, models=request.models))).get(one.program.flow.name)
    one.further.extend([] if engine is None else [(engine.program.printed, engine.program.index)])
    return engine
