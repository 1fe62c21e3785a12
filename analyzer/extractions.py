"""Where a trainer asks an engine to hand over hidden states by ids: what these ids mean is for that engine's source to say."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .engine_use import pinned
from .entries import Entry, Scan, is_test
from .results import EngineUse, Location, Training
from .trainer import MODEL
from .training_facts import TrainingFacts

PACKAGE = "vllm"
"""The engine that has such an interface."""


def find_extractions(scan: Scan, facts: TrainingFacts) -> Iterator[Training]:
    """Each place at which a flow's key is written into a request of an engine's extraction interface."""
    words = facts.names.extractions
    for path in scan.tree.tree.grep(tuple(word.encode() for word in sorted(words))) if words else ():
        for entry, _ in () if path == MODEL or is_test(path) else scan.functions(path):
            texts = [node for node in ast.walk(entry.node) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            if not any(node.value in words for node in texts):
                continue
            for flow in facts.flows:
                for node in (node for node in texts if node.value in flow.keys):
                    yield extraction(scan, entry, flow.name, node.lineno)


def extraction(scan: Scan, entry: Entry, flow: str, line: int) -> Training:
    pin = pinned(scan.tree.tree, PACKAGE)
    version, place = pin if pin is not None else (None, None)
    at = Location(scan.tree.printed(entry.module.path), line)
    asked = f"{PACKAGE} {version} ({place})" if version is not None else PACKAGE
    reason = f"the ids are handed to the extraction interface of {asked}: what it captures is for that engine's source to say"
    use = EngineUse(PACKAGE, "extract_hidden_states", version, place)
    return Training(flow, str(entry), at, None, (), "not established", reason, at, (), (), engine=use)
