"""Small trainers, each with what it trains on: one for each way of selecting hidden states, and those that come out wrong today."""
from __future__ import annotations

from dataclasses import dataclass, field

from small_engine import ENGINE, KEY

from flowcheck.analyzer.request import Ids

HEAD = """
import argparse
import json
import os
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM
"""
KEPT = "torch.cat(kept, dim=-1)"


@dataclass(frozen=True, slots=True)
class Case:
    """A trainer of eight layers and what is said of it. ``lines`` are part of what is told; ``wrong`` says what is wrong today."""

    files: dict[str, str]
    lines: tuple[str, ...]
    ids: tuple[Ids, ...] = ((5, 1, 3),)
    wrong: str | None = None
    engine: dict[str, str] = field(default_factory=dict)


def one(source: str, *lines: str, ids: tuple[Ids, ...] = ((5, 1, 3),), wrong: str | None = None) -> Case:
    return Case({"train.py": HEAD + source}, lines, ids, wrong)


def states(body: str, *lines: str, given: str = "ids", ids: tuple[Ids, ...] = ((5, 1, 3),), wrong: str | None = None) -> Case:
    """A function that has all hidden states as ``hs``; ``body`` makes ``f`` of them."""
    inner = "".join(f"    {line}\n" for line in body.split("\n"))
    source = f"""
def eagle3_features(path, x, {given}):
    model = AutoModelForCausalLM.from_pretrained(path)
    L = model.config.num_hidden_layers
    hs = model(x, output_hidden_states=True).hidden_states
{inner}    return nn.Linear(12, 4)(f)
"""
    return one(source, *lines, ids=ids, wrong=wrong)


def hooks(register: str, hook: str, take: str, *lines: str, ids: tuple[Ids, ...] = ((5, 1, 3),), wrong: str | None = None) -> Case:
    """A class that hooks the layers when it is made; ``take`` makes ``f`` of what it has kept."""
    indented = register.replace("\n", "\n        ")
    source = f"""
class Eagle3Capture:
    def __init__(self, path, ids):
        self.model = AutoModelForCausalLM.from_pretrained(path)
        self.layers, self.norm = self.model.model.layers, self.model.model.norm
        self.ids, self.kept, self.named = ids, [], dict()
        {indented}

    def hook(self, module, args, output):
        {hook}

    def named_hook(self, k):
        def hook(module, args, output):
            self.named[k] = output[0] if isinstance(output, tuple) else output

        return hook

    def features(self, x, ids):
        self.kept.clear()
        self.model(x)
        return {take}


def main(path, x, ids):
    return nn.Linear(12, 4)(Eagle3Capture(path, ids).features(x, ids))
"""
    return one(source, *lines, ids=ids, wrong=wrong)


def walk(body: str, *lines: str, ids: tuple[Ids, ...] = ((5, 1, 3),), wrong: str | None = None, take: str = KEPT) -> Case:
    """A function that runs the layers itself, ``h`` through ``block`` number ``i``."""
    inner = "".join(f"        {line}\n" for line in body.split("\n"))
    source = f"""
def eagle3_features(model, x, ids):
    h = model.model.embed_tokens(x)
    kept = []
    for i, block in enumerate(model.model.layers):
{inner}    return {take}


def main(path, x, ids):
    return nn.Linear(12, 4)(eagle3_features(AutoModelForCausalLM.from_pretrained(path), x, ids))
"""
    return one(source, *lines, ids=ids, wrong=wrong)


def recorded(save: str, read: str, *lines: str, wrong: str | None = None, ids: tuple[Ids, ...] = ((5, 1, 3),)) -> Case:
    """A script that saves what it makes of ``hs``, and a data set that makes ``f`` of what it loads as ``d``."""
    writer = f"""
def eagle3_dump(path, x, out, ids):
    model = AutoModelForCausalLM.from_pretrained(path)
    hs = model(x, output_hidden_states=True).hidden_states
    ids = [*ids, model.config.num_hidden_layers]
    torch.save({{"states": {save}, "last": hs[-1]}}, out)
"""
    inner = read.replace("\n", "\n        ")
    reader = f"""
class Eagle3Dataset(torch.utils.data.Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        d = torch.load(self.files[i])
        {inner}
        return dict(features=f)


def train(files):
    fc = nn.Linear(12, 4)
    for batch in torch.utils.data.DataLoader(Eagle3Dataset(files)):
        fc(batch["features"])
"""
    return Case({"dump.py": HEAD + writer, "data.py": HEAD + reader}, lines, ids, wrong)


def handed(body: str, *lines: str, ids: tuple[Ids, ...] = ((5, 1, 3),), read: bool = True, wrong: str | None = None) -> Case:
    """A trainer that hands its ids to an engine's setter; ``body`` makes ``f`` of what that gives as ``h``."""
    inner = "".join(f"        {line}\n" for line in body.split("\n"))
    source = f"""
class Eagle3Target:
    def __init__(self, runner):
        self.runner = runner

    def choose(self, ids):
        self.runner.model.set_eagle3_layers_to_capture(ids)

    def features(self, batch):
        h = self.runner.forward(batch).hidden_states
{inner}        return nn.Linear(12, 4)(f)


def main(runner, batch, ids=(2, 4)):
    target = Eagle3Target(runner)
    target.choose(ids)
    return target.features(batch)
"""
    project = '[project]\nname = "trainer"\nversion = "1"\ndependencies = ["sglang==0.5.9"]\n'
    engine = dict(ENGINE) if read else {}
    return Case({"train.py": HEAD + source, "pyproject.toml": project}, lines, ids, wrong, engine)


CAT = "torch.cat([{} for k in ids], dim=-1)"
LISTED = "f = " + CAT.format("hs[k + 1]")
BOUNDARY = "f = " + CAT.format("hs[k]")
NAMED = CAT.format("self.named[k]")
JOINED = "torch.cat(self.kept, dim=-1)"
FORMULA = "ids = [1, L // 2 - 1, L - 4] if ids is None else ids\n" + LISTED
STACKED = "f = torch.stack({}).permute(1, 2, 0, 3).flatten(2)"
OPTIONS = """
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--eagle3-ids", {})
    args = parser.parse_args()
    hs = AutoModelForCausalLM.from_pretrained("target")(torch.zeros(1, 4), output_hidden_states=True).hidden_states
    ids = {}
    return nn.Linear(12, 4)(torch.cat([hs[k + 1] for k in ids], dim=-1))


if __name__ == "__main__":
    main()
"""
EXPORT = f"""
def main(path, x, out, ids):
    hs = AutoModelForCausalLM.from_pretrained(path)(x, output_hidden_states=True).hidden_states
    nn.Linear(12, 4)(torch.cat([hs[k] for k in ids], dim=-1))
    with open(out, "w") as file:
        json.dump({{"eagle_config": {{"{KEY}": [k - 1 for k in ids]}}}}, file)
"""
FIVE = "5,1,3 -> out:5, out:1, out:3"
LAYERS = "5,1,3 -> out:1, out:3, out:5"
EARLIER = "5,1,3 -> out:4, out:0, out:2"
