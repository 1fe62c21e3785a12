"""What a trainer trains on: small trainers in, points out."""
from __future__ import annotations

from pathlib import Path

import pytest
from small_trainers import PROGRAMS
from trained import HEAD, HOOKS, changed, points

STATES = HEAD + """
def features(path, input_ids, ids=(1, 3, 5)):
    model = AutoModelForCausalLM.from_pretrained(path)
    states = model(input_ids, output_hidden_states=True).hidden_states
    return torch.cat([states[k + 1] for k in ids], dim=-1)
"""
ENUMERATED = HEAD + """
def features(path, input_ids, ids=(5, 1, 3)):
    model = AutoModelForCausalLM.from_pretrained(path)
    captured = []
    for number, layer in enumerate(model.model.layers):
        if number in ids:
            layer.register_forward_hook(lambda module, args, output: captured.append(output[0]))
    model(input_ids)
    return torch.cat(captured, dim=-1)
"""
SAMPLES = HEAD + """
def features(path, loader, draft, ids=(1, 3, 5)):
    model = AutoModelForCausalLM.from_pretrained(path)
    captured = []
    for k in ids:
        model.model.layers[k].register_forward_hook(lambda module, args, output: captured.append(output[0]))
    for batch in loader:
        captured.clear()
        model(**batch)
        draft(torch.cat(captured, dim=-1))
"""
SCRIPT = HEAD + """
import sys

ids = [2, 4, 6]
model = AutoModelForCausalLM.from_pretrained(sys.argv[1])
states = model(torch.zeros(1, 4), output_hidden_states=True).hidden_states
torch.save(torch.cat([states[k + 1] for k in ids], dim=-1), "features.pt")
"""
FED = changed(
    STATES,
    ("    return torch.cat", "    draft, head = torch.nn.Linear(24, 8), torch.nn.Linear(8, 99)\n    joint = torch.cat"),
    (" for k in ids], dim=-1)\n", " for k in ids], dim=-1)\n    return draft(joint)\n"),
)
KEPT = "output[0] if isinstance(output, tuple) else output"
CAT = "    return torch.cat([captured[k] for k in ids], dim=-1)"
STATES_CAT = "    return torch.cat([states[k + 1] for k in ids], dim=-1)"
SHAPES = {
    "hooks in the order of the ids": (HOOKS, "out:1, out:3, out:5"),
    "another order of ids": (changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)")), "out:5, out:1, out:3"),
    "hooks by membership, in the order of the layers": (ENUMERATED, "out:1, out:3, out:5"),
    "sorted ids": (changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)"), ("for k in ids]", "for k in sorted(ids)]")), "out:1, out:3, out:5"),
    "layers[-1] is the last layer": (changed(HOOKS, ("(1, 3, 5)", "(-1, 3)")), "out:7, out:3"),
    "all but the last": (changed(HOOKS, ("for k in ids]", "for k in ids[:-1]]")), "out:1, out:3"),
    "all but the last, by a variable": (
        changed(HOOKS, (CAT, "    end = -1\n    states = [captured[k] for k in ids]\n    return torch.cat(states[:end], dim=-1)")),
        "out:1, out:3",
    ),
    "all but the first": (changed(HOOKS, ("for k in ids]", "for k in ids[1:]]")), "out:3, out:5"),
    "ids changed before they are used": (
        changed(HOOKS, ("    captured,", "    ids = [k + 1 for k in ids]\n    captured,")),
        "out:2, out:4, out:6",
    ),
    "an id more": (changed(HOOKS, ("    captured,", "    ids = [*ids, 7]\n    captured,")), "out:1, out:3, out:5, out:7"),
    "a hook that keeps the input": (changed(HOOKS, (KEPT, "args[0]")), "out:0, out:2, out:4"),
    "the input of layer 0": (changed(HOOKS, (KEPT, "args[0]"), ("(1, 3, 5)", "(0, 3)")), "embed, out:2"),
    "a hook before the layer": (
        changed(HOOKS, ("module, args, output", "module, args"), (KEPT, "args[0]"), ("register_forward_hook", "register_forward_pre_hook")),
        "out:0, out:2, out:4",
    ),
    "a hook with keywords": (
        changed(HOOKS, ("module, args, output", "module, args, kwargs, output"), ("hook_for(k))", "hook_for(k), with_kwargs=True)")),
        "out:1, out:3, out:5",
    ),
    "a hook on the feed-forward": (
        changed(HOOKS, ("layers[k]", "layers[k].mlp")),
        "out:1/no-residual, out:3/no-residual, out:5/no-residual",
    ),
    "a hook on the norm before the layer": (
        changed(HOOKS, ("layers[k]", "layers[k].input_layernorm")),
        "out:0/normed, out:2/normed, out:4/normed",
    ),
    "a hook that changes what goes on": (
        changed(HOOKS, (f"            captured[k] = {KEPT}\n", "            captured[k] = output\n            return output * 2\n")),
        "?a hook changes what the target computes",
    ),
    "a hook that is taken off too early": (
        changed(HOOKS, ("    model(input_ids)\n", ""), (CAT, f"    model(input_ids)\n{CAT}")),
        "?the trainer raises KeyError: 1",
    ),
    "scaled features": (changed(HOOKS, ("[captured[k] for", "[captured[k] * 2 for")), "out:1/scaled, out:3/scaled, out:5/scaled"),
    "written after it was captured": (
        changed(HOOKS, (CAT, f"    captured[3].mul_(2)\n{CAT}")),
        "out:1, out:3/overwritten, out:5",
    ),
    "the columns of the result": (
        changed(HOOKS, (CAT, "    joint = torch.cat([captured[k] for k in ids], dim=-1)\n    return torch.flip(joint, [-1])")),
        "?torch.flip may change the concatenation before fc",
    ),
    "rows, not features": (
        changed(HOOKS, ("dim=-1", "dim=0")),
        "?whether hidden states are put together on the axis of the features is not known",
    ),
    "only some of the states": (
        changed(HOOKS, (CAT, "    some = [captured[k] for k in ids if k in input_ids]\n    return torch.cat(some, dim=-1)")),
        "?the ids come from input_ids, which nothing in the trainer decides",
    ),
    "all hidden states": (STATES, "out:1, out:3, out:5"),
    "without the shift": (changed(STATES, ("k + 1", "k")), "out:0, out:2, out:4"),
    "the embedding": (changed(STATES, ("(1, 3, 5)", "(-1, 3)")), "embed, out:3"),
    "the last state is normed": (changed(STATES, ("(1, 3, 5)", "(1, 7)")), "out:1, final"),
    "a negative index": (changed(STATES, ("k + 1", "-k")), "final, out:5, out:3"),
    "a shift by a variable": (
        changed(STATES, ("    states", "    offset = 1\n    states"), ("k + 1", "k + offset")),
        "out:1, out:3, out:5",
    ),
    "a shift that nothing decides": (
        changed(STATES, ("ids=(1", "offset, ids=(1"), ("k + 1", "k + offset")),
        "?what is concatenated here is not known",
    ),
    "concatenated twice": (
        changed(STATES, (STATES_CAT, "    low = torch.cat([states[2], states[4]], dim=-1)\n    return torch.cat([low, states[6]], dim=2)")),
        "out:1, out:3, out:5",
    ),
    "two selections in one": (
        changed(STATES, (STATES_CAT, f"    torch.cat([states[2], states[4]], dim=-1)\n{STATES_CAT}")),
        "?more than one concatenation may feed fc",
    ),
    "states that were not asked for": (
        changed(STATES, ("output_hidden_states=True", "output_hidden_states=False")),
        "?the trainer raises TypeError",
    ),
    "asked for at loading": (
        changed(
            changed(STATES, ("input_ids, output_hidden_states=True", "input_ids")),
            ("from_pretrained(path)", "from_pretrained(path, output_hidden_states=True)"),
        ),
        "out:1, out:3, out:5",
    ),
    "in the order in which the hooks ran": (
        changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)"), ("[captured[k] for k in ids]", "list(captured.values())")),
        "out:1, out:3, out:5",
    ),
    "a name that the last hook decides": (
        changed(HOOKS, ("hook_for(k))", "lambda module, args, output: captured.update({k: output[0]}))")),
        "?the trainer raises KeyError: 1",
    ),
    "the whole output": (changed(HOOKS, (KEPT, "output")), "out:1, out:3, out:5"),
    "something else of the output": (changed(HOOKS, (KEPT, "output[1]")), "?what is concatenated here is not known"),
    "axes that change places": (changed(HOOKS, ("[captured[k] for", "[captured[k].transpose(1, 2) for")), "?part 0 of the concatenation"),
    "columns in another order": (
        changed(HOOKS, (CAT, f"    joint = {CAT[11:]}\n    return joint.view(1, -1, 3, 8).transpose(2, 3).reshape(1, -1, 24)")),
        "?tensor.transpose may change the concatenation",
    ),
    "scaled as a whole": (
        changed(HOOKS, (CAT, f"    joint = {CAT[11:]}\n    return joint * 0.5")),
        "?arithmetic may change the concatenation",
    ),
    "written as a whole": (changed(HOOKS, (CAT, f"    joint = {CAT[11:]}\n    joint[:] = 0\n    return joint")), "?"),
    "a draft that is fed with something else": (
        changed(FED, ("draft(joint)", "draft(states[-1])")),
        "?a layer of the draft is fed with a hidden state that is not this concatenation",
    ),
    "a draft that is fed with it": (FED, "out:1, out:3, out:5"),
    "a draft and a head": (changed(FED, ("draft(joint)", "draft(joint), head(states[-1])")), "out:1, out:3, out:5"),
    "another number of layers": (changed(STATES, ("from_pretrained(path)", "from_pretrained(path, num_hidden_layers=4)")), "?"),
    "two models": (
        changed(HOOKS, ("    model(input_ids)\n", "    model(input_ids)\n    AutoModelForCausalLM.from_pretrained(path)(input_ids)\n")),
        "?more than one model of transformers runs",
    ),
    "what the program passes, not the default": (
        HOOKS + "\n\nif __name__ == '__main__':\n    features('target', torch.zeros(1, 4), ids=[2, 4])\n",
        "out:2, out:4",
    ),
    "a script without functions": (SCRIPT, "out:2, out:4, out:6"),
    "samples in a loop": (SAMPLES, "out:1, out:3, out:5"),
    "a list that is not emptied between samples": (
        changed(SAMPLES, ("        captured.clear()\n", "")),
        "?more than one concatenation may feed fc",
    ),
    "ids that grow from sample to sample": (
        changed(STATES, ("    states", "    ids = list(ids)\n    for _ in input_ids:\n        ids.append(6)\n    states")),
        "?what is concatenated here is not known",
    ),
    "another model": (
        changed(STATES, ("from transformers import AutoModelForCausalLM", "from elsewhere import AutoModelForCausalLM")),
        "out:1, out:3, out:5",
    ),
    "nothing that looks into a target": ("def f(x):\n    return x\n", "?nothing in the trainer looks into a target"),
}


@pytest.mark.parametrize(("source", "expected"), SHAPES.values(), ids=SHAPES)
def test_shape(source: str, expected: str, tmp_path: Path) -> None:
    said = points(tmp_path, source)
    assert said == expected or (expected.startswith("?") and said.startswith(expected))


ARGUMENTS = HEAD + """
import argparse


class Features:
    def __init__(self, model):
        self.model = model
        self.feature_layers = None

    def choose(self, feature_layers):
        self.feature_layers = feature_layers

    def run(self, input_ids):
        states = self.model(input_ids, output_hidden_states=True).hidden_states
        return torch.cat([states[k + 1] for k in self.feature_layers], dim=-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layer-ids", nargs="+", type=int, default=[1, 3])
    parser.add_argument("--model")
    options = parser.parse_args()
    features = Features(AutoModelForCausalLM.from_pretrained(options.model))
    features.choose(options.layer_ids)
    return features.run(torch.zeros(1, 4))
"""
CONFIG_FILE = HEAD + """
import json


def main(path, config_file):
    with open(config_file) as file:
        config = json.load(file)
    model = AutoModelForCausalLM.from_pretrained(path)
    states = model(torch.zeros(1, 4), output_hidden_states=True).hidden_states
    return torch.cat([states[k + 1] for k in config["target"].get("layer_ids")], dim=-1)
"""
FIELDS = HEAD + """
from dataclasses import dataclass, field


@dataclass
class Options:
    layer_ids: list = field(default_factory=lambda: [1, 3])


def main(path, input_ids):
    options = Options()
    model = AutoModelForCausalLM.from_pretrained(path)
    states = model(input_ids, output_hidden_states=True).hidden_states
    return torch.cat([states[k + 1] for k in options.layer_ids], dim=-1)
"""
CONSTANT = changed(FIELDS, ("options.layer_ids", "LAYER_IDS"), ("@dataclass\nclass", "LAYER_IDS = [1, 3]\n\n\n@dataclass\nclass"))
DERIVED = changed(ARGUMENTS, ("features.choose(options.layer_ids)", "features.choose([k + 1 for k in options.layer_ids])"))
NOTHING = "binds to nothing: the selection takes its ids from"
BOUND = {
    "an option's own default": (ARGUMENTS, None, "out:1, out:3"),
    "an option by its name": (ARGUMENTS, {"layer_ids": [2, 4, 6]}, "out:2, out:4, out:6"),
    "an option by the field that it flows into": (ARGUMENTS, {"feature_layers": [2, 4, 6]}, "out:2, out:4, out:6"),
    "nested in the config": (ARGUMENTS, {"data": {"layer_ids": [2, 4, 6]}, "lr": 0.1}, "out:2, out:4, out:6"),
    "a key that nobody asks for": (ARGUMENTS, {"betas": [0, 1]}, f"?run.json (betas) {NOTHING} layer_ids"),
    "a config without ids": (ARGUMENTS, {"lr": 0.1}, f"?run.json (no list of ids) {NOTHING} layer_ids"),
    "a key that stands twice": (ARGUMENTS, {"a": {"layer_ids": [1]}, "b": {"layer_ids": [2]}}, f"?run.json (no list of ids) {NOTHING}"),
    "what is changed on its way keeps its name only": (DERIVED, {"layer_ids": [2, 4]}, "out:3, out:5"),
    "a field that is fed with something else": (DERIVED, {"feature_layers": [2, 4]}, "?run.json (feature_layers) binds to nothing"),
    "a key of a file": (CONFIG_FILE, {"layer_ids": [2, 4]}, "out:2, out:4"),
    "a file that is not given": (CONFIG_FILE, None, "?the ids come from json.load['target'].get('layer_ids'), which nothing"),
    "a field of a dataclass": (FIELDS, None, "out:1, out:3"),
    "a field of a dataclass, given": (FIELDS, {"layer_ids": [2, 4]}, "out:2, out:4"),
    "two sources that differ": (
        changed(
            ARGUMENTS,
            ("features.choose(options.layer_ids)", "features.choose([k + 1 for k in options.own] if options.own else options.layer_ids)"),
            ('"--model")', '"--model")\n    parser.add_argument("--own", nargs="+", type=int)'),
        ),
        {"feature_layers": [2, 4]},
        "?run.json may give any of layer_ids, own, which come to different points",
    ),
    "a shift that the config gives too": (
        changed(
            ARGUMENTS,
            ("k + 1] for k in self", "k + self.shift] for k in self"),
            ("        self.feature_layers = None", "        self.shift = 1"),
            ('"--model")', '"--model")\n    parser.add_argument("--shift", type=int, default=1)'),
            ("features.choose", "features.shift = options.shift\n    features.choose"),
        ),
        {"layer_ids": [2, 4], "shift": 0},
        "out:1, out:3",
    ),
    "a constant": (CONSTANT, None, "out:1, out:3"),
    "a constant is not given": (CONSTANT, {"layer_ids": [2, 4]}, f"?run.json (layer_ids) {NOTHING} nothing"),
}


@pytest.mark.parametrize(("source", "config", "expected"), BOUND.values(), ids=BOUND)
def test_ids(source: str, config: object, expected: str, here: Path) -> None:
    said = points(here, source, config)
    assert said == expected or (expected.startswith("?") and said.startswith(expected))


OPTION = 'parser.add_argument("--layer-ids", nargs="+", type=int, default=[1, 3])'
SET = "parser.set_defaults(layer_ids=[2, 4])"
SPLIT = '"--layer-ids 2 4".split()'
AS_LIST = "?the options are given here as a list of arguments, which is not followed"
COMMAND_LINES = {
    "arguments in a list": (changed(ARGUMENTS, ("parse_args()", 'parse_args(["--layer-ids", "2", "4"])')), AS_LIST),
    "arguments in a string": (changed(ARGUMENTS, ("parse_args()", f"parse_args(args={SPLIT})")), AS_LIST),
    "arguments that another package splits": (
        changed(ARGUMENTS, ("parse_args()", "parse_args(shlex.split('--layer-ids 2 4'))"), ("import argparse", "import argparse, shlex")),
        AS_LIST,
    ),
    "arguments that are added": (
        changed(ARGUMENTS, ("parse_args()", "parse_args(sys.argv[1:] + ['--debug'])"), ("import argparse", "import argparse, sys")),
        AS_LIST,
    ),
    "known ones of a list": (
        changed(ARGUMENTS, ("options = parser.parse_args()", f"options, _ = parser.parse_known_args({SPLIT})")),
        AS_LIST,
    ),
    "no arguments": (changed(ARGUMENTS, ("parse_args()", "parse_args([])")), "out:1, out:3"),
    "the command line by its name": (
        changed(ARGUMENTS, ("parse_args()", "parse_args(sys.argv[1:])"), ("import argparse", "import argparse, sys")),
        "out:1, out:3",
    ),
    "the command line unless a caller has another": (
        changed(ARGUMENTS, ("parse_args()", "parse_args(argv)"), ("def main()", "def main(argv=None)")),
        "out:1, out:3",
    ),
    "two options for one value: the first counts": (
        changed(ARGUMENTS, (OPTION, OPTION + '\n    parser.add_argument("--ids2", dest="layer_ids", default=[2, 4])')),
        "out:1, out:3",
    ),
    "a parser's default after the option": (changed(ARGUMENTS, (OPTION, f"{OPTION}\n    {SET}")), "out:2, out:4"),
    "a parser's default before the option": (changed(ARGUMENTS, (OPTION, f"{SET}\n    {OPTION}")), "out:1, out:3"),
    "a parser's default for an option without one": (
        changed(ARGUMENTS, (OPTION, f'{SET}\n    parser.add_argument("--layer-ids")')),
        "out:2, out:4",
    ),
    "a parser's default for no option": (changed(ARGUMENTS, (OPTION, SET)), "out:2, out:4"),
    "a default that is never used": (
        changed(ARGUMENTS, ("default=[1, 3])", "default=[1, 3], required=True)\n    parser.set_defaults(layer_ids=[2, 4])")),
        "?the ids come from layer_ids, which nothing in the trainer decides",
    ),
    "a place's default that is never used": (
        changed(ARGUMENTS, ('"--layer-ids"', '"layer_ids"')),
        "?the ids come from layer_ids, which nothing in the trainer decides",
    ),
    "options of another parser": (
        changed(ARGUMENTS, ("argparse.ArgumentParser()", "argparse.ArgumentParser(parents=[argparse.ArgumentParser(add_help=False)])")),
        "?a parser of the command line is made with parents, which is not followed",
    ),
}


@pytest.mark.parametrize(("source", "expected"), COMMAND_LINES.values(), ids=COMMAND_LINES)
def test_command_line(source: str, expected: str, here: Path) -> None:
    said = points(here, source)
    assert said == expected or (expected.startswith("?") and said.startswith(expected))


EXTRACT = HEAD + """
def main(path, prompts, output, ids=(1, 3, 5)):
    model = AutoModelForCausalLM.from_pretrained(path)
    for prompt in prompts:
        states = model(prompt, output_hidden_states=True).hidden_states
        torch.save({"ids": prompt, "states": [states[k + 1] for k in (*ids, 7)]}, output)
"""
READER = """
import torch


def sample(path):
    record = torch.load(path)
    return prepare(record["states"])


def prepare(states):
    return torch.cat(states[:-1], dim=-1), states[-1]
"""
WRITER = "import torch\n\n\ndef write(states):\n    torch.save({'states': states}, 'other.pt')\n"
FILES = {
    "all but the last": (EXTRACT, READER, "out:1, out:3, out:5"),
    "all but the first": (EXTRACT, changed(READER, ("[:-1]", "[1:]")), "out:3, out:5, final"),
    "a list that grows from sample to sample": (
        changed(
            EXTRACT,
            ("    for prompt", "    kept = []\n    for prompt"),
            ("        torch.save", "        kept.extend(states[k + 1] for k in ids)\n        torch.save"),
            ("[states[k + 1] for k in (*ids, 7)]", "kept"),
        ),
        READER,
        "?samples are not all recorded alike",
    ),
    "another key": (EXTRACT, changed(READER, ('record["states"]', 'record["hidden"]')), "?"),
    "an unknown key": (EXTRACT, changed(READER, ('record["states"]', "record[path]")), "?"),
    "sorted after loading": (EXTRACT, changed(READER, ("states[:-1]", "sorted(states)")), "?"),
    "two records under one key": (
        changed(EXTRACT, ("        torch.save", "        torch.save({'states': [states[1]]}, path)\n        torch.save")),
        READER,
        "?",
    ),
}


LOADER = """
import torch
from torch.utils.data import DataLoader, Dataset


class Recorded(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, number):
        return torch.load(self.paths[number])


def one(sample):
    return {"joint": torch.cat(sample["states"][:-1], dim=-1)}


def several(samples):
    return {"joint": torch.cat(samples[0]["states"][1:], dim=-1)}


def main(paths, draft):
    for batch in DataLoader(Recorded(paths), batch_size=None, collate_fn=one):
        draft(batch["joint"])
"""
LOADERS = {
    "a sample at a time": (LOADER, "out:1, out:3, out:5"),
    "a sample at a time, by position": (changed(LOADER, ("batch_size=None", "None")), "out:1, out:3, out:5"),
    "batches": (changed(LOADER, ("None, collate_fn=one", "4, collate_fn=several")), "out:3, out:5, final"),
    "batches of one": (changed(LOADER, ("batch_size=None, collate_fn=one", "collate_fn=several")), "out:3, out:5, final"),
    "batches of a sampler": (
        changed(LOADER, ("None, collate_fn=one", "None, batch_sampler=[[0, 1]], collate_fn=several")),
        "out:3, out:5, final",
    ),
    "numbered": (
        changed(LOADER, ("for batch in DataLoader", "for _, batch in enumerate(DataLoader"), ("=one)", "=one))")),
        "out:1, out:3, out:5",
    ),
}


@pytest.mark.parametrize(("reader", "expected"), LOADERS.values(), ids=LOADERS)
def test_loader(reader: str, expected: str, tmp_path: Path) -> None:
    assert points(tmp_path, EXTRACT, reader=reader) == expected


SETTER = changed(
    ARGUMENTS,
    ("self.feature_layers = None", "self.feature_layers = [1, 2]"),
    ("    features.choose(options.layer_ids)\n    return features.run(torch.zeros(1, 4))\n", "    start(features.choose, features.run)\n"),
)


@pytest.mark.parametrize(("writer", "reader", "expected"), FILES.values(), ids=FILES)
def test_files(writer: str, reader: str, expected: str, tmp_path: Path) -> None:
    said = points(tmp_path, writer, reader=reader)
    assert said == expected or (expected.startswith("?") and said.startswith(expected))


CALLER = """
import torch
from trainer import features


def main(path, input_ids):
    joint = features(path, input_ids)
    return torch.flip(joint, [-1])


main("target", torch.zeros(1, 4))
"""
FIXED = changed(HOOKS, (", ids=(1, 3, 5)):\n", "):\n    ids = (1, 3, 5)\n"))
CALLERS = {
    "a caller that hands it on": (changed(CALLER, ("torch.flip(joint, [-1])", "joint")), "out:1, out:3, out:5"),
    "a caller that changes it": (CALLER, "?torch.flip may change the concatenation before fc"),
    "a caller that cannot be run": (
        changed(CALLER, ("    joint", "    match input_ids:\n        case None:\n            return None\n    joint")),
        "?a statement outside the vocabulary",
    ),
    "a caller that is not reached": (changed(CALLER, ("    joint = features(path, input_ids)\n", "    joint = start(features)\n")), "?"),
}


@pytest.mark.parametrize(("caller", "expected"), CALLERS.values(), ids=CALLERS)
def test_what_is_done_with_it_counts(caller: str, expected: str, tmp_path: Path) -> None:
    said = points(tmp_path, FIXED, caller=caller)
    assert said == expected or (expected.startswith("?") and said.startswith(expected))


@pytest.mark.parametrize(("source", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_program(source: str, expected: str, tmp_path: Path) -> None:
    assert points(tmp_path, source) == expected


def test_two_readers_that_differ(tmp_path: Path) -> None:
    said = points(tmp_path, EXTRACT, reader=READER, other=changed(READER, ("[:-1]", "[1:]")))
    assert said.startswith("?what is recorded is concatenated in more than one way")


def test_a_reader_of_something_else(tmp_path: Path) -> None:
    other = "import torch\n\n\ndef resume(path):\n    return torch.load(path)['step'] + 1\n"
    assert points(tmp_path, EXTRACT, reader=READER, other=other) == "out:1, out:3, out:5"


def test_a_second_writer(tmp_path: Path) -> None:
    assert points(tmp_path, EXTRACT, reader=READER, other=WRITER).startswith("?write may save what is loaded too")


def test_an_object_that_others_change_is_not_taken_as_it_is_made(tmp_path: Path) -> None:
    """The program hands its methods on to something unknown, and what that does with them is not known."""
    assert points(tmp_path, SETTER).startswith("?")


def test_a_class_that_nothing_names_is_left_out(tmp_path: Path) -> None:
    old = """
    class Old:
        def __init__(self):
            self.layer = None

        def set(self, layer):
            self.layer = layer

        def watch(self, hook):
            self.layer.register_forward_hook(hook)
    """
    assert points(tmp_path, HOOKS, old=old) == "out:1, out:3, out:5"


def test_what_tests_do_is_no_training(tmp_path: Path) -> None:
    assert points(tmp_path, HOOKS, test_it=changed(HOOKS, ("(1, 3, 5)", "(2, 4)"))) == "out:1, out:3, out:5"


def test_two_selections_that_differ(tmp_path: Path) -> None:
    assert points(tmp_path, HOOKS, other=changed(STATES, ("(1, 3, 5)", "(2, 4)"))).startswith("?the trainer has more than one selection")
