"""What lookups of a draft's config miss: small configs and lookups in, what is said to be missed out."""
from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowcheck.analyzer.configs import Config, load_config
from flowcheck.analyzer.keys import missed_entries
from flowcheck.analyzer.launches import Lookup, LookupSide, LookupStatus
from flowcheck.analyzer.results import Location

MOVED = {"rope_theta": ("rope_parameters.rope_theta",)}
SPELLINGS = {"layer_ids": ("ids_of_layers",)}


def config(folder: Path, values: object) -> Config:
    path = folder / "config.json"
    path.write_text(json.dumps(values), "utf-8")
    return load_config(str(path))


def lookup(
    name: str, status: LookupStatus = "default", scope: tuple[int, ...] = (1,), side: LookupSide = "setter", role: str = "draft",
    line: int = 5,
) -> Lookup:
    *path, key = name.split(".")
    default = None if status == "raises" else "None"
    return Lookup(role, tuple(path), key, Location("engine/runner.py", line), 4, "start", scope, default, status, "", side)


MISSES = {
    "at another place": ({"table": {"layer_ids": [1]}}, [lookup("layer_ids")], ("nested", "table.layer_ids")),
    "in a table that is not there": ({"layer_ids": [1]}, [lookup("table.layer_ids", "raises")], ("nested", "layer_ids")),
    "under another name that is known": ({"ids_of_layers": [1]}, [lookup("layer_ids")], ("spelled", "ids_of_layers")),
    "a key that is not the flow's, in the table that keeps the flow's": (
        {"table": {"layer_ids": [1], "norm_before": True}}, [lookup("norm_before"), lookup("table.layer_ids", "read", (2,), line=8)],
        ("nested", "table.norm_before"),
    ),
    "the flow's key misspelt by one reader": (
        {"layer_ids": [1]}, [lookup("layer_idss"), lookup("layer_ids", "read", (2,), line=8)], ("spelled", "layer_ids"),
    ),
    "misspelt": ({"norm_before_fcs": True}, [lookup("norm_before_fc")], ("spelled", "norm_before_fcs")),
    "where a library moved it": ({"rope_parameters": {"rope_theta": 5.0}}, [lookup("rope_theta")], ("moved", "rope_parameters.rope_theta")),
    "a root of its own finds it": (
        {"layer_ids": [1]}, [lookup("table.layer_ids"), lookup("layer_ids", "read", (2,), line=9)], ("nested", "layer_ids"),
    ),
    "another function finds it": (
        {"layer_ids": [1]}, [lookup("table.layer_ids", scope=(1, 2, 4)), lookup("layer_ids", "read", (1, 3), line=9)],
        ("nested", "layer_ids"),
    ),
    "the trainer's lookup is not the engine's": (
        {"layer_ids": [1]}, [lookup("table.layer_ids", side="training"), lookup("layer_ids", "read", line=9)], ("nested", "layer_ids"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("values", "lookups", "said"), MISSES.values(), ids=MISSES)
def test_missed(tmp_path: Path, values: object, lookups: list[Lookup], said: tuple[str, str]) -> None:
    (found,) = missed_entries(lookups, config(tmp_path, values), MOVED, SPELLINGS)
    assert (found.how, found.entry) == said
    assert found.lookup == lookups[0]


FOUND = {
    "it is there": ({"layer_ids": [1]}, [lookup("layer_ids", "read")]),
    "it is nowhere": ({"hidden_size": 8}, [lookup("layer_ids")]),
    "it is where it was before a library moved it": ({"rope_theta": 5.0}, [lookup("rope_parameters.rope_theta")]),
    "it is null elsewhere": ({"table": {"layer_ids": None}}, [lookup("layer_ids")]),
    "the same function finds it": ({"layer_ids": [1]}, [lookup("table.layer_ids"), lookup("layer_ids", "read", line=6)]),
    "the caller finds it": ({"layer_ids": [1]}, [lookup("table.layer_ids", scope=(1, 2)), lookup("layer_ids", "read", (1,), line=6)]),
    "another that the caller calls finds it": (
        {"layer_ids": [1]}, [lookup("table.layer_ids", scope=(1, 2)), lookup("layer_ids", "read", (1, 3), line=6)],
    ),
    "another entry of the name, in a table of something else": ({"quantization": {"bits": 4}}, [lookup("bits")]),
    "an outer entry of the name": ({"table": {"layer_ids": [1]}, "hidden_size": 8}, [lookup("table.hidden_size")]),
    "a name that is alike and another thing": ({"eos_token_id": 1}, [lookup("bos_token_id")]),
    "a name with a word more": ({"intermediate_size": 1}, [lookup("moe_intermediate_size")]),
    "a callee finds it": ({"layer_ids": [1]}, [lookup("table.layer_ids"), lookup("layer_ids", "read", (1, 2), line=6)]),
    "it is found where it was moved": (
        {"rope_parameters": {"rope_theta": 5.0}}, [lookup("rope_theta"), lookup("rope_parameters.rope_theta", "read", line=6)],
    ),
    "the name that is alike is asked for too": ({"norm_a": 1}, [lookup("norm_b"), lookup("norm_a", "read", (2,), line=7)]),
    "a part of a number is no table": ({"hidden_size": 8, "layer_ids": [1]}, [lookup("hidden_size.layer_ids")]),
    "whether it is there is open": ({"table": {"layer_ids": [1]}}, [lookup("layer_ids", "open")]),
    "the target's config is read there": (
        {"table": {"layer_ids": [1]}}, [lookup("layer_ids", side="training"), lookup("layer_ids", "read", side="training", role="target")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("values", "lookups"), FOUND.values(), ids=FOUND)
def test_nothing_is_missed(tmp_path: Path, values: object, lookups: list[Lookup]) -> None:
    assert not list(missed_entries(lookups, config(tmp_path, values), MOVED, SPELLINGS))


def test_one_place_is_told_once(tmp_path: Path) -> None:
    """A function that runs for several objects misses the same."""
    lookups = [lookup("layer_ids", scope=(number,)) for number in range(3)]
    assert len(list(missed_entries(lookups, config(tmp_path, {"table": {"layer_ids": [1]}}), MOVED, SPELLINGS))) == 1


def test_who_reads_it_is_told(tmp_path: Path) -> None:
    there = lookup("layer_ids", "read", (9,), "draft", line=30)
    (found,) = missed_entries([lookup("table.layer_ids"), there], config(tmp_path, {"layer_ids": [1]}), MOVED, SPELLINGS)
    assert found.reads == (there,)
    assert found.entry_at.line == 1
