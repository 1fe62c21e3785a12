"""What is supposed of the world around a trainer, and the words by which its selections are found: data, from ``training.toml``."""
from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources

from .flows.flow import build_facts, check_keys, entries, table, texts
from .library.facts import Facts, TargetNames

TARGET = ("layers", "embeddings", "norms", "starts", "ends", "states")
ENGINE = ("setters", "rpc", "runs")


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """``selections``: what a function names that looks into the target. ``loads``: what one names that reads recorded files,
    ``saves``: one that writes them."""

    names: TargetNames
    selections: tuple[str, ...]
    loads: tuple[str, ...]
    saves: tuple[str, ...]
    facts: Facts


def load_training_facts(package: str) -> TrainingFacts:
    """The facts for a trainer of this package."""
    text = resources.files("flowcheck.analyzer.flows").joinpath("training.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    check_keys(data, ("target", "engine", "selections", "loads", "saves", "assumption"), (), "")
    parts, engine = table(data, "target"), table(data, "engine")
    check_keys(parts, TARGET, (), "target.")
    check_keys(engine, ENGINE, (), "engine.")
    names = TargetNames(*(frozenset(texts(parts, key)) for key in TARGET), *(frozenset(texts(engine, key)) for key in ENGINE))
    facts = build_facts(package, entries(data, "assumption"))
    return TrainingFacts(names, texts(data, "selections"), texts(data, "loads"), texts(data, "saves"), facts)
