"""What adjacent releases changed, told from their wheels: what an engineer reads who moves a draft from one to the next."""
from __future__ import annotations

import json

import pytest
from conftest import Release

from flowcheck.analyzer import cli

Capture = pytest.CaptureFixture[str]


def diff(capsys: Capture, release: Release, old: str, new: str, model: str) -> tuple[dict[str, tuple[str, str]], str]:
    """The rows of what changed in one target class, each side in a line, and the step at which the new side parts."""
    with pytest.raises(SystemExit):
        cli.main(("diff", str(release(old)), str(release(new)), "--flow", "eagle3", "--model", model, "--format", "json"))
    changes = json.loads(capsys.readouterr().out)["wirings"]
    if not changes:
        return {}, ""
    (change,) = changes
    rows = {row["what"]: ("; ".join(row["before"]), "; ".join(row["after"])) for row in change["rows"]}
    parted = change["parting"]
    return rows, parted["after"]["file"].rpartition("/")[2] if parted is not None and parted["after"] is not None else ""


@pytest.mark.release
def test_the_deepseek_setter_of_0_5_13_looks_at_the_first_id(release: Release, capsys: Capture) -> None:
    """SGLang 0.5.16, models/deepseek_v2.py:2927: 1 is added only where the first id is 1."""
    rows, parted = diff(capsys, release, "0.5.12", "0.5.16", "DeepseekV3ForCausalLM")
    assert rows["convention"] == ("id k captures out:k", "id k captures out:k if ids[0] == 1, else out:k-1")
    assert rows["id 0"] == ("out:0", "embed")
    assert parted == "deepseek_v2.py"


@pytest.mark.release
def test_llama_means_the_same_by_an_id_in_0_5_6_and_0_5_9(release: Release, capsys: Capture) -> None:
    assert diff(capsys, release, "0.5.6", "0.5.9", "LlamaForCausalLM") == ({}, "")
