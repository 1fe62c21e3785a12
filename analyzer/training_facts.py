"""What is supposed of the world around a trainer, and the words by which its selections are found: data, from ``training.toml``."""
from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from .errors import BadInput
from .flows.flow import Table, build_facts, entries, table, texts
from .library.facts import Facts, TargetNames

TARGET = ("layers", "embeddings", "norms", "configs", "drafts", "starts", "ends", "states")
ENGINE = ("setters", "rpc", "runs", "extractions")


@dataclass(frozen=True, slots=True)
class FlowWords:
    """By what a selection is told to be for a flow: the ``keys`` that hold its ids, ``words`` that stand in names."""

    name: str
    keys: tuple[str, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """``names`` tell the parts of a target, ``flows`` the flows. ``selections``: what a function names that looks into the target.
    ``loads``: what one names that reads recorded files, ``saves``: one that writes them."""

    names: TargetNames
    flows: tuple[FlowWords, ...]
    selections: tuple[str, ...]
    loads: tuple[str, ...]
    saves: tuple[str, ...]
    facts: Facts


def load_training_facts(package: str) -> TrainingFacts:
    """The facts for a trainer of this package."""
    text = resources.files("flowcheck.analyzer.flows").joinpath("training.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    check_keys(data, ("target", "flows", "engine", "selections", "loads", "saves", "assumption"), (), "")
    parts, engine = table(data, "target"), table(data, "engine")
    check_keys(parts, TARGET, (), "target.")
    check_keys(engine, ENGINE, (), "engine.")
    names = TargetNames(*(frozenset(texts(parts, key)) for key in TARGET), *(frozenset(texts(engine, key)) for key in ENGINE))
    facts = build_facts(package, entries(data, "assumption"))
    selections, loads, saves = (texts(data, key) for key in ("selections", "loads", "saves"))
    return TrainingFacts(names, tuple(flow_words(table(data, "flows"))), selections, loads, saves, facts)


def flow_words(flows: Table) -> Iterator[FlowWords]:
    for name in flows:
        flow = table(flows, name)
        check_keys(flow, ("keys", "words"), (), f"flows.{name}.")
        yield FlowWords(name, texts(flow, "keys"), texts(flow, "words"))


def check_keys(data: Table, needed: Sequence[str], optional: Sequence[str], prefix: str) -> None:
    """A key that nobody reads is a mistake, as a key that is not there."""
    for key in needed:
        if key not in data:
            raise BadInput(f"the key {prefix}{key} is missing")
    for key in data:
        if key not in needed and key not in optional:
            raise BadInput(f"there is no key {prefix}{key}; there are {', '.join([*needed, *optional])}")
