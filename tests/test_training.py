"""What a trainer trains on: small trainers in, points out."""
from __future__ import annotations

from pathlib import Path

import pytest
from trained import points

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
SHAPES = {
    "hooks in the order of the ids": (HOOKS, "out:1, out:3, out:5"),
    "another order of ids": (changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)")), "out:5, out:1, out:3"),
    "hooks by membership, in the order of the layers": (ENUMERATED, "out:1, out:3, out:5"),
    "sorted ids": (changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)"), ("for k in ids]", "for k in sorted(ids)]")), "out:1, out:3, out:5"),
    "layers[-1] is the last layer": (changed(HOOKS, ("(1, 3, 5)", "(-1, 3)")), "out:7, out:3"),
    "all but the last": (changed(HOOKS, ("for k in ids]", "for k in ids[:-1]]")), "out:1, out:3"),
    "all but the first": (changed(HOOKS, ("for k in ids]", "for k in ids[1:]]")), "out:3, out:5"),
    "ids changed before they are used": (changed(HOOKS, ("    captured,", "    ids = [k + 1 for k in ids]\n    captured,")), "out:2, out:4, out:6"),
    "an append to the ids": (changed(HOOKS, ("    captured,", "    ids = [*ids, 7]\n    captured,")), "out:1, out:3, out:5, out:7"),
    "a hook that keeps the input": (changed(HOOKS, ("output[0] if isinstance(output, tuple) else output", "args[0]")), "out:0, out:2, out:4"),
    "the input of layer 0": (changed(HOOKS, ("output[0] if isinstance(output, tuple) else output", "args[0]"), ("(1, 3, 5)", "(0, 3)")), "embed, out:2"),
    "a hook before the layer": (
        changed(HOOKS, ("module, args, output", "module, args"), ("output[0] if isinstance(output, tuple) else output", "args[0]"), ("register_forward_hook", "register_forward_pre_hook")),
        "out:0, out:2, out:4",
    ),
    "a hook on the feed-forward": (changed(HOOKS, ("layers[k]", "layers[k].mlp")), "out:1/no-residual, out:3/no-residual, out:5/no-residual"),
    "a hook on the norm before the layer": (changed(HOOKS, ("layers[k]", "layers[k].input_layernorm")), "out:0/normed, out:2/normed, out:4/normed"),
    "scaled features": (changed(HOOKS, ("[captured[k] for", "[captured[k] * 2 for")), "out:1/scaled, out:3/scaled, out:5/scaled"),
    "all hidden states": (STATES, "out:1, out:3, out:5"),
    "without the shift": (changed(STATES, ("k + 1", "k")), "out:0, out:2, out:4"),
    "the embedding": (changed(STATES, ("(1, 3, 5)", "(-1, 3)")), "embed, out:3"),
    "the last state is normed": (changed(STATES, ("(1, 3, 5)", "(1, 7)")), "out:1, final"),
    "a shift by a variable": (changed(STATES, ("    states", "    offset = 1\n    states"), ("k + 1", "k + offset")), "out:1, out:3, out:5"),
    "concatenated twice": (
        changed(STATES, ("    return torch.cat([states[k + 1] for k in ids], dim=-1)", "    low = torch.cat([states[2], states[4]], dim=-1)\n    return torch.cat([low, states[6]], dim=2)")),
        "out:1, out:3, out:5",
    ),
}


@pytest.mark.parametrize(("source", "expected"), SHAPES.values(), ids=SHAPES)
def test_shape(source: str, expected: str, tmp_path: Path) -> None:
    assert points(tmp_path, source) == expected
