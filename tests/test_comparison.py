"""What is served against what was trained: which rule speaks, where, and what it suggests."""
from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from trained import HOOKS, changed, points, side

from flowcheck.analyzer import pipeline
from flowcheck.analyzer.agreement import agree
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis, Location
from flowcheck.analyzer.rule import Finding, Severity, judge
from flowcheck.analyzer.serving import ServedIds
from flowcheck.rules import RULES

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TREE = FIXTURES / "ids-changed-after-training/tree"
TARGET = {"architectures": ["DeepseekLikeForCausalLM"], "num_hidden_layers": 8, "hidden_size": 16}


def check(folder: Path, ids: list[int], trainer: str | None, tree: Path = TREE, target: dict[str, object] = TARGET) -> Analysis:
    """The check of a draft with these ids against a trainer of one module."""
    draft = {"eagle_config": {"eagle_aux_hidden_state_layer_ids": ids}}
    for name, config in (("draft", draft), ("target", target)):
        (folder / f"{name}.json").write_text(json.dumps(config, indent=1))
    if trainer is not None:
        (folder / "trainer").mkdir(exist_ok=True)
        (folder / "trainer/features.py").write_text(trainer)
    train = None if trainer is None else "trainer"
    return analyze(Request(str(tree), target="target.json", draft="draft.json", train=train))


def loud(found: Analysis) -> list[Finding]:
    return [finding for finding in judge(found, RULES) if finding.severity > Severity.INFO]


def test_the_same_points_are_quiet(here: Path) -> None:
    found = check(here, [1, 3, 5], HOOKS)
    assert loud(found) == []
    (comparison,) = found.comparisons
    assert comparison.trained is not None
    assert comparison.served.points == comparison.trained.points == ("out:1", "out:3", "out:5")


def test_other_points(here: Path) -> None:
    (finding,) = loud(check(here, [-1, 1, 3], HOOKS))
    assert (finding.code, finding.severity, finding.at) == ("FC101", Severity.ERROR, Location("draft.json", 3))
    assert (finding.actual, finding.expected) == ("embed, out:1, out:3", "out:1, out:3, out:5")
    assert "same width 48" in finding.message
    assert finding.help == "ids [1, 3, 5] make DeepseekLikeForCausalLM capture what was trained"
    files = {hop.at.file for hop in finding.path}
    assert "draft.json" in files and "trainer/features.py" in files and any(file.endswith("deepseek_like.py") for file in files)


def test_the_same_ids_in_another_dialect(here: Path) -> None:
    """The trainer indexes the tuple that begins with the embedding; the engine shifts."""
    trainer = changed(HOOKS, (HOOKS[HOOKS.index("    captured") :], ""))
    trainer += "    states = model(input_ids, output_hidden_states=True).hidden_states\n"
    trainer += "    return torch.cat([states[k] for k in ids], dim=-1)\n"
    (finding,) = loud(check(here, [1, 3, 5], trainer))
    assert (finding.actual, finding.expected) == ("out:1, out:3, out:5", "out:0, out:2, out:4")
    assert finding.help == "ids [0, 2, 4] make DeepseekLikeForCausalLM capture what was trained"


def test_another_order_has_a_rule_of_its_own(here: Path) -> None:
    (finding,) = loud(check(here, [1, 3, 5], changed(HOOKS, ("(1, 3, 5)", "(5, 1, 3)"))))
    assert (finding.code, finding.actual, finding.expected) == ("FC102", "out:1, out:3, out:5", "out:5, out:1, out:3")
    assert finding.help is None, "this engine captures in the order of the layers, whatever the ids"


def test_a_stage_that_no_id_captures_has_no_suggestion(here: Path) -> None:
    (finding,) = loud(check(here, [1, 3, 5], changed(HOOKS, ("layers[k]", "layers[k].mlp"))))
    assert (finding.code, finding.help) == ("FC103", None)
    assert finding.expected == "out:1/no-residual, out:3/no-residual, out:5/no-residual"


STAGES = {
    "attention here, feed-forward there": (
        ("hidden_states + residual)\n", "hidden_states.clone())\n"),
        ("layers[k]", "layers[k].self_attn"),
        "both sides give out:1/no-residual, which need not be the same tensor",
    ),
    "three times here, twice there": (
        ("hidden_states + residual)\n", "(hidden_states + residual) * 3)\n"),
        ("[captured[k] for", "[captured[k] * 2 for"),
        "both sides give out:1/scaled, which need not be the same tensor",
    ),
}


@pytest.mark.parametrize(("engine", "trainer", "reason"), STAGES.values(), ids=STAGES)
def test_equal_stages_need_not_be_equal_tensors(engine: tuple[str, str], trainer: tuple[str, str], reason: str, here: Path) -> None:
    tree = here / "engine"
    shutil.copytree(TREE, tree)
    model = tree / "sglang/srt/models/deepseek_like.py"
    model.write_text(changed(model.read_text(), engine))
    found = check(here, [1, 3, 5], changed(HOOKS, trainer), tree)
    (finding,) = loud(found)
    assert (finding.code, finding.severity, finding.at) == ("FC901", Severity.WARNING, Location("draft.json", 3))
    assert finding.message == f"whether what is served to the draft is what was trained is not established: {reason}"
    assert found.comparisons[0].suggested is None
    (finding,) = loud(check(here, [1, 3, 4], changed(HOOKS, trainer), tree))
    assert finding.code == "FC101", "another layer is another tensor, whatever the stage"


@pytest.mark.parametrize(
    ("served", "trained", "expected"),
    [
        ("out:2", "out:2", "same"),
        ("final", "final", "same"),
        ("out:2", "out:3", "other"),
        ("out:2/normed", "out:2/normed", "open"),
        ("out:2/normed", "out:3/normed", "other"),
        ("out:2/normed", "out:2/no-residual", "other"),
        ("out:2/normed", "out:2", "other"),
        ("out:2/scaled", "out:2", "open"),
        ("out:2/scaled", "out:3", "other"),
        ("out:2/overwritten", "out:2", "other"),
        ("out:2/overwritten", "out:3", "open"),
        ("out:2/overwritten", "out:2/incomplete", "open"),
        ("final", "out:7/normed", "open"),
        ("final", "out:7", "other"),
    ],
)
def test_two_points(served: str, trained: str, expected: str) -> None:
    assert agree(served, trained) == agree(trained, served) == expected


def test_scaled_by_nothing(here: Path) -> None:
    """The factors may come to one, as here, or to a number that only the run knows."""
    (finding,) = loud(check(here, [1, 3, 5], changed(HOOKS, ("[captured[k] for", "[captured[k] * 2 / 2 for"))))
    assert (finding.code, finding.severity) == ("FC901", Severity.WARNING)
    assert finding.message.endswith("served out:1 and trained out:1/scaled may be the same tensor or not")


def test_each_hop_tells_its_side(here: Path) -> None:
    (finding,) = loud(check(here, [-1, 1, 3], HOOKS))
    sides = [hop.label.partition(": ")[0] for hop in finding.path]
    assert sides == sorted(sides) and set(sides) == {"served", "trained"}
    assert finding.path[0].label.startswith("served: key: eagle_config.eagle_aux_hidden_state_layer_ids")


def test_nothing_is_served(here: Path) -> None:
    (finding,) = loud(check(here, [], HOOKS))
    assert (finding.code, finding.actual) == ("FC101", "nothing")
    assert finding.message.startswith("served nothing, trained out:1, out:3, out:5: ids [] at draft.json:")


def test_ids_that_the_engine_writes_itself_are_not_established(here: Path) -> None:
    """The runner hands on ids of its own: nothing shows that they are the ones that a config asks for."""
    tree = here / "engine"
    shutil.copytree(TREE, tree)
    runner = tree / "sglang/srt/model_executor/model_runner.py"
    runner.write_text(changed(runner.read_text(), ("to_capture(self.aux_layer_ids)", "to_capture([1, 2, 3])")))
    (finding,) = loud(check(here, [1, 3, 5], HOOKS, tree))
    assert (finding.code, finding.severity) == ("FC901", Severity.WARNING)
    assert "no ids that are read from a config are seen to reach set_eagle3_layers_to_capture" in finding.message


def test_what_the_engine_raises_is_not_compared(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = {**TARGET, "architectures": ["LlamaForCausalLM"]}
    given = ServedIds((-1, 1), "established", None, None, None, ())  # the tree is a target alone: nothing reads a config in it
    monkeypatch.setattr(pipeline, "server", lambda *_: lambda *_: given)
    found = check(here, [-1, 1], HOOKS, FIXTURES / "llama-like/tree", target)
    (finding,) = loud(found)
    assert finding.code == "FC307" and "LlamaForCausalLM raises TypeError" in finding.message


def test_not_known_is_a_warning_where_a_draft_needs_it(here: Path) -> None:
    found = check(here, [1, 3, 5], "def f():\n    return None\n")
    (finding,) = loud(found)
    assert (finding.code, finding.severity) == ("FC901", Severity.WARNING)
    assert finding.message.startswith("what is trained into the draft is not established: nothing in the trainer looks into a target")


def test_without_a_trainer_what_is_served_must_be_known(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loud(check(here, [1, 3, 5], None)) == []
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert [finding.code for finding in loud(check(here, [1, 3, 5], None))] in (["FC901"], [])


def test_the_layer_count_must_be_known(here: Path) -> None:
    found = check(here, [1, 3, 5], HOOKS, target={"architectures": ["DeepseekLikeForCausalLM"]})
    assert {finding.code for finding in loud(found)} == {"FC901"}
    assert all("not known: give" in finding.message for finding in loud(found))


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Request(str(TREE), train="trainer"), "give the draft's config with --draft"),
        (Request(str(TREE), draft="draft.json", train_config="run.json"), "give the trainer's source with --train"),
        (Request(str(TREE), draft="draft.json", train="contract.json"), "has no .schema.; write it again"),
        (Request(str(TREE), draft="draft.json", train="nowhere"), "no such file, folder or revision"),
    ],
)
def test_bad_input(request_: Request, said: str, here: Path) -> None:
    (here / "draft.json").write_text("{}")
    (here / "contract.json").write_text("{}")
    with pytest.raises(BadInput, match=said):
        analyze(request_)


MODELS = ("flowcheck_model.computed", "flowcheck_model.ends", "torch.cat", "builtins.range", "builtins.isinstance", "torch.nn.ModuleList")


@pytest.mark.parametrize("model", MODELS)
def test_without_a_model_nothing_else_is_answered(model: str, tmp_path: Path) -> None:
    """What is described of the world outside may be missing; then the answer is open, never another one."""
    whole = points(tmp_path, HOOKS)
    found = side(tmp_path, HOOKS, without=frozenset({model}))
    assert found.points is None or ", ".join(found.points) == whole
