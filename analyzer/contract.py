"""The contract of a trainer: from a request to what it trains on."""
from __future__ import annotations

from collections.abc import Mapping

from .binding import RunConfig, read_run_config
from .configs import load_config
from .engine_use import Engine
from .entries import Scan
from .errors import BadInput
from .flows.flow import Flow
from .interpret.code import Code
from .library.tables import Library
from .request import ContractRequest
from .results import ContractAnalysis, Location, NotEstablished, SourceFacts
from .target import read_target
from .trainer import TrainerIndex, TrainerTree, open_trainer
from .training import Budget, Trainer
from .training_facts import load_training_facts
from .trainings import Asked, all_selections, trainings
from .wiring import DEFAULT_LAYERS

MOST_RUNS = 20_000
"""Runs of parts of one trainer for one contract."""


def read_contract(request: ContractRequest, flow: Flow, engines: Mapping[str, Engine]) -> ContractAnalysis:
    """The selections of a trainer and what they come to; BadInput where the trainer or a config cannot be read.

    ``flow`` says how a target's config is read, ``engines`` the source of the engine that the trainer calls, read for each flow.
    """
    tree = open_trainer(request.source)
    config = read_target(request.target, flow)
    layers = request.layers or config.num_layers() or DEFAULT_LAYERS
    facts = load_training_facts(tree.package)
    check_flows(request.flows, tuple(each.name for each in facts.flows))
    scan = Scan(TrainerIndex(tree), tree)
    trainer = Trainer(scan, Code(tree.printed), Library({}), facts, config, layers, Budget(MOST_RUNS))
    made, left = trainings(trainer, Asked(request.flows, request.ids, run_config(request), tuple(engines.items())))
    if not made and not left:
        words = ", ".join((*facts.selections, *sorted(facts.names.setters)))
        nothing = f"nothing in it looks into a target: no function names {words}, or walks its layers"
        other = f"nothing in it selects hidden states for {', '.join(request.flows)}; it does for another flow"
        left = [NotEstablished("the trainer", other if all_selections(trainer) else nothing, place(tree))]
    return ContractAnalysis(source_facts(tree, scan), layers, config.hidden_size(), tuple(made), tuple(left))


def check_flows(asked: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in asked:
        if name not in known:
            raise BadInput(f"no flow named {name!r} is trained: there is {', '.join(known)}")


def run_config(request: ContractRequest) -> RunConfig | None:
    return None if request.train_config is None else read_run_config(load_config(request.train_config))


def place(tree: TrainerTree) -> Location:
    return Location(tree.printed(""), 1)


def source_facts(tree: TrainerTree, scan: Scan) -> SourceFacts:
    return SourceFacts(tree.tree.root, tree.package, tree.tree.version, len(tree.tree.files), len(scan.index.read))
