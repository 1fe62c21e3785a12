"""Run a small trainer on the analysis: source in, the points that it trains on out."""
from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from sources import plant

from flowcheck.analyzer.binding import read_run_config
from flowcheck.analyzer.configs import load_config
from flowcheck.analyzer.entries import Scan
from flowcheck.analyzer.flows.flow import load_flow
from flowcheck.analyzer.interpret.code import Code
from flowcheck.analyzer.library.tables import Library
from flowcheck.analyzer.pipeline import room_to_run
from flowcheck.analyzer.results import Side
from flowcheck.analyzer.target import ConfigFacts
from flowcheck.analyzer.trained import train
from flowcheck.analyzer.trainer import TrainerIndex, open_trainer
from flowcheck.analyzer.training import Trainer
from flowcheck.analyzer.training_facts import load_training_facts

HEAD = """
import torch
from transformers import AutoModelForCausalLM

"""
HOOKS = HEAD + """
def features(path, input_ids, ids=(1, 3, 5)):
    model = AutoModelForCausalLM.from_pretrained(path)
    captured, handles = {}, []

    def hook_for(k):
        def hook(module, args, output):
            captured[k] = output[0] if isinstance(output, tuple) else output

        return hook

    for k in ids:
        handles.append(model.model.layers[k].register_forward_hook(hook_for(k)))
    model(input_ids)
    for handle in handles:
        handle.remove()
    return torch.cat([captured[k] for k in ids], dim=-1)
"""


def changed(source: str, *changes: tuple[str, str]) -> str:
    """A trainer with some of its lines written otherwise."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


LAYERS = 8
FLOW = load_flow("eagle3")


def side(folder: Path, source: str, config: object = None, *, without: frozenset[str] = frozenset(), **others: str) -> Side:
    """The training side of a trainer of a few modules, for a target of eight layers; ``config`` is the run's."""
    files = {f"{name}.py": dedent(text) for name, text in {"trainer": source, **others}.items()}
    tree = open_trainer(str(plant(folder / "draft_trainer", files)))
    run = None
    if config is not None:
        (folder / "run.json").write_text(json.dumps(config, indent=1))
        run = read_run_config(load_config(str(folder / "run.json")))
    facts = load_training_facts(tree.package)
    library = Library({}, without)
    trainer = Trainer(Scan(TrainerIndex(tree), tree), Code(tree.printed), library, facts, ConfigFacts(FLOW, {}), LAYERS)
    with room_to_run():
        return train(trainer, run)


def points(folder: Path, source: str, config: object = None, **others: str) -> str:
    """The points in one line; of what is not established the reason, after ``?``."""
    found = side(folder, source, config, **others)
    return f"?{found.reason}" if found.points is None else ", ".join(found.points)
