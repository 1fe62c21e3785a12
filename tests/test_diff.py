"""``flowcheck diff``: kinds of change to a small engine in a scratch repository, and what each does to the wirings and to a draft."""
from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from scratch_repository import FIXTURE, RUNNER, SERVED, TARGET, Repository, make_repository

from flowcheck.analyzer import cli
from flowcheck.analyzer.json_report import schema
from flowcheck.analyzer.meaning import skeleton

Capture = pytest.CaptureFixture[str]
MODELS = "python/sglang/srt/models"


@pytest.fixture
def repository(here: Path) -> Repository:
    return make_repository(here)


class Told:
    """What one run said: the text, the document, and the status that both ended with."""

    def __init__(self, text: str, document: dict[str, list[dict[str, object]]], status: int) -> None:
        self.text, self.document, self.status = text, document, status

    @property
    def rows(self) -> dict[str, tuple[str, str]]:
        """The rows of the first changed wiring, each side in one text."""
        rows = self.document["wirings"][0]["rows"]
        assert isinstance(rows, list)
        return {row["what"]: (" ".join(row["before"]), " ".join(row["after"])) for row in rows}

    @property
    def changes(self) -> list[tuple[object, object]]:
        return [(each["change"], each["model"]) for each in self.document["wirings"]]

    def codes(self, which: str) -> set[str]:
        findings = self.document["findings"][which]  # type: ignore[call-overload]
        return {found["code"] for found in findings if found["severity"] != "info"}


@pytest.fixture
def diff(capsys: Capture) -> Callable[..., Told]:
    """Runs ``flowcheck diff`` as text and as JSON."""

    def run(*arguments: str) -> Told:
        ended = []
        with pytest.raises(SystemExit) as stopped:
            cli.main(("diff", *arguments, "--output-format", "text", "--output-format", "json:diff.json"))
        ended.append(stopped.value.code)
        text = capsys.readouterr()
        assert not text.err, text.err
        document = json.loads(Path("diff.json").read_text("utf-8"))
        os.remove("diff.json")
        jsonschema.validate(document, schema("diff-1"))
        (status,) = ended
        assert isinstance(status, int)
        return Told(text.out, document, status)

    return run


def test_nothing_changed_nothing_said(repository: Repository, diff: Callable[..., Told]) -> None:
    told = diff("HEAD", *SERVED)
    assert (told.text, told.status, told.document["wirings"]) == ("", 0, [])


def test_a_lost_shift_changes_the_convention(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    told = diff("HEAD")
    assert told.changes == [("changed", "DeepseekLikeForCausalLM"), ("changed", "KimiLikeForConditionalGeneration")]
    assert told.rows["convention"] == ("id k captures out:k", "id k captures out:k-1")
    assert told.status == 0, "a convention alone is neither right nor wrong"


def test_a_changed_convention_shows_the_line_of_the_transform_on_both_sides(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    line = next(number for number, text in enumerate(Path(TARGET).read_text("utf-8").split("\n"), 1) if "[layer_id for" in text)
    told = diff("HEAD")
    assert f"before [1] -> [2]  + 1  HEAD:{TARGET}:{line}" in told.text
    assert f"after  [1] -> [1]  DeepseekLikeModel.layers_to_capture =  {TARGET}:{line}" in told.text


def test_a_lost_shift_breaks_the_draft_that_was_trained(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    told = diff("HEAD", *SERVED)
    (fed,) = told.document["drafts"]
    assert fed["verdict"] == {"before": "same", "after": "other"}
    assert "before        out:2, out:30, out:58" in told.text
    assert "after         out:1, out:29, out:57" in told.text
    assert told.codes("appeared") == {"FC101"}
    assert told.status == 1


def test_a_capture_behind_the_layer(repository: Repository, diff: Callable[..., Told]) -> None:
    run_layer = "            hidden_states, residual = self.layers[i](positions, hidden_states, forward_batch, residual)\n"
    capture = (
        "            if i in self.layers_to_capture:\n"
        "                aux_hidden_states.append(hidden_states.clone() if residual is None else hidden_states + residual)\n"
    )
    repository.change(TARGET, capture + run_layer, run_layer + capture)
    told = diff("HEAD", *SERVED)
    assert told.rows["convention"] == ("id k captures out:k", "id k captures out:k+1")
    assert told.document["drafts"][0]["verdict"] == {"before": "same", "after": "other"}
    assert told.status == 1


def test_a_renamed_key_feeds_the_draft_nobody_knows_what(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(RUNNER, '["eagle_aux_hidden_state_layer_ids"]', '["aux_hidden_state_layer_ids"]')
    told = diff("HEAD", *SERVED)
    assert not told.document["wirings"], "what a target does with ids is what it was"
    assert told.document["drafts"][0]["verdict"] == {"before": "same", "after": "not established"}
    assert told.codes("appeared") == {"FC901"}
    assert told.status == 1


def test_another_default_that_seven_layers_do_not_tell_apart(repository: Repository, diff: Callable[..., Told]) -> None:
    """Of 7 layers both are [2, 3, 4]."""
    repository.change(TARGET, "[2, count // 2, count - 3]", "[2, (count - 1) // 2, count - 3]")
    told = diff("HEAD")
    assert told.rows == {"default of 8 layers": ("out:1, out:3, out:4", "out:1, out:2, out:4")}


def test_a_file_that_moves_to_a_folder_of_its_own(repository: Repository, diff: Callable[..., Told]) -> None:
    (repository.top / MODELS / "big").mkdir()
    repository.git("mv", TARGET, f"{MODELS}/big/ds.py")
    for user in ("kimi_like.py", "registry.py"):
        repository.change(f"{MODELS}/{user}", "sglang.srt.models.deepseek_like", "sglang.srt.models.big.ds")
    told = diff("HEAD", *SERVED)
    assert (told.text, told.status) == ("", 0)


def test_a_stricter_reader_leaves_the_draft_with_a_guess(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(RUNNER, 'getattr(draft_config.hf_config, "eagle_config", None)', 'draft_config.hf_config.eagle["config"]')
    told = diff("HEAD", *SERVED)
    assert not told.document["wirings"]
    assert told.document["drafts"][0]["before"] != told.document["drafts"][0]["after"]
    assert told.status == 1


def test_a_call_after_the_run_is_heard(repository: Repository, diff: Callable[..., Told]) -> None:
    setter = "            self.model.set_eagle3_layers_to_capture(self.aux_layer_ids)\n"
    repository.change(RUNNER, setter, setter + "        self.forward(None)\n")
    repository.commit("a warm-up behind the setter")
    assert diff("HEAD~1", "HEAD").codes("appeared") == set()
    repository.change(RUNNER, setter + "        self.forward(None)\n", setter)
    guard = "        if self.captures_aux_hidden_states:\n"
    repository.change(RUNNER, guard, "        self.forward(None)\n" + guard)
    told = diff("HEAD")
    assert told.codes("appeared") == {"FC209"}
    assert told.status == 1


def test_a_second_call_without_ids(repository: Repository, diff: Callable[..., Told]) -> None:
    forward = "    def forward(self, forward_batch):"
    repository.change(RUNNER, forward, f"        self.model.set_eagle3_layers_to_capture()\n\n{forward}")
    told = diff("HEAD", *SERVED)
    assert "FC208" in told.codes("appeared")
    assert told.status == 1
    repository.commit("reset")
    repository.git("revert", "--no-edit", "HEAD")
    back = diff("HEAD~1", "HEAD", *SERVED)
    assert "FC208" in back.codes("gone")
    assert back.codes("appeared") == set()
    assert back.status == 0, "what is mended fails nothing"


def test_a_target_more_and_a_target_less(repository: Repository, diff: Callable[..., Told]) -> None:
    twin = '\n\nclass TwinForCausalLM(DeepseekLikeForCausalLM):\n    pass\n\n\nEntryClass = [DeepseekLikeForCausalLM, TwinForCausalLM]\n'
    repository.change(TARGET, "\n\nEntryClass = DeepseekLikeForCausalLM\n", twin)
    assert diff("HEAD").changes == [("added", "TwinForCausalLM")]
    repository.commit()
    assert diff("HEAD", "HEAD~1").changes == [("removed", "TwinForCausalLM")]


def test_a_bound_on_the_number_of_ids_is_passed(repository: Repository, diff: Callable[..., Told]) -> None:
    """A condition that only a longer list answers otherwise is tried with one."""
    setter = "        self.model.capture_embedding = -1 in layer_ids\n"
    repository.change(TARGET, setter, f"        if len(layer_ids) > 3:\n            layer_ids = layer_ids[:3]\n{setter}")
    told = diff("HEAD", "--model", "DeepseekLikeForCausalLM")
    assert told.rows["ids 1,2,3,4"] == ("out:1, out:2, out:3, out:4", "out:1, out:2, out:3")
    assert "ids 1,2,3,4,1,5  out:1" in told.text, "a long label does not run into what follows"


def test_the_number_of_an_unknown_value_hides_nothing_behind_it() -> None:
    assert skeleton("kernels.find#3.flag") != skeleton("kernels.find#3.other")
    assert skeleton("(kernels.find#3 > 3)") == skeleton("(kernels.find#4 > 3)"), "an unknown call more before it changes nothing"


def test_what_is_no_longer_proved_is_told_with_its_reason(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(TARGET, "import torch\n", "import torch\n\nfrom kernels import shuffle\n")
    norm = "        hidden_states, _ = self.norm("
    repository.change(TARGET, norm, f"        hidden_states = shuffle(hidden_states)\n{norm}")
    told = diff("HEAD")
    assert "no longer established" in told.text
    assert "since" in told.text
    repository.commit()
    assert "newly established" in diff("HEAD", "HEAD~1").text


def refactor(repository: Repository) -> None:
    """Move and rename all that can be moved and renamed without a change of what is captured."""
    models = repository.top / MODELS
    text = (models / "deepseek_like.py").read_text("utf-8")
    head, rest = text.split("class Attention(nn.Module):", 1)
    parts, model = rest.split("class DeepseekLikeModel(nn.Module):", 1)
    (models / "parts").mkdir()
    (models / "parts" / "deepseek_parts.py").write_text(head + "class Attention(nn.Module):" + parts.rstrip() + "\n", "utf-8")
    import_parts = "from sglang.srt.models.parts.deepseek_parts import DecoderLayer\n\n\n"
    names = {
        "aux_hidden_states": "taken", "layer_id ": "one ", "for i in": "for number in", "if i in": "if number in",
        "self.layers[i]": "self.layers[number]", "layers_to_capture =": "wanted =", "self.layers_to_capture": "self.wanted",
        "self.capture_taken": "self.takes",
    }  # fmt: skip
    for old, new in names.items():
        model = model.replace(old, new)
    forward, setter = model.split("    # flow: ids -1,2,5", 1)
    setter = "    def set_eagle3" + setter.split("    def set_eagle3", 1)[1]
    setter, entry = setter.split("\n\nEntryClass", 1)
    forward = forward.replace("    def forward(self, input_ids: torch.Tensor", setter + "\n    def forward(self, input_ids: torch.Tensor")
    (models / "deepseek_family.py").write_text(
        head + import_parts + "class DeepseekLikeModel(nn.Module):" + forward.rstrip() + "\n\n\nEntryClass" + entry, "utf-8"
    )
    (models / "deepseek_like.py").unlink()
    for user in ("kimi_like.py", "registry.py"):
        repository.change(f"{MODELS}/{user}", "sglang.srt.models.deepseek_like", "sglang.srt.models.deepseek_family")
    repository.change(RUNNER, "aux_layer_ids", "chosen_layers")
    repository.change(RUNNER, "def read_draft_config", "def learn_from_draft")
    repository.change(RUNNER, "self.read_draft_config", "self.learn_from_draft")
    repository.git("mv", RUNNER, RUNNER.replace("model_runner", "runner_of_models"))
    for folder in ("managers/tp_worker.py", "speculative/eagle_worker.py"):
        file = repository.top / "python/sglang/srt" / folder
        file.write_text(file.read_text("utf-8").replace("model_executor.model_runner", "model_executor.runner_of_models"), "utf-8")


def test_a_pure_refactoring_says_nothing(repository: Repository, diff: Callable[..., Told]) -> None:
    refactor(repository)
    told = diff("HEAD", *SERVED)
    assert (told.text, told.status) == ("", 0)


def test_a_change_hidden_in_a_refactoring_is_found(repository: Repository, diff: Callable[..., Told]) -> None:
    refactor(repository)
    repository.change(f"{MODELS}/deepseek_family.py", "one + 1 for", "one for")
    told = diff("HEAD", *SERVED)
    assert told.rows["convention"] == ("id k captures out:k", "id k captures out:k-1")
    assert told.status == 1


def test_the_work_tree_is_not_touched(repository: Repository, diff: Callable[..., Told]) -> None:
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    (repository.top / "untracked.txt").write_text("mine")
    before = repository.git("status", "--porcelain"), Path(TARGET).read_bytes(), (repository.top / ".git" / "index").read_bytes()
    diff("HEAD~0", "HEAD")
    diff("HEAD")
    assert before == (repository.git("status", "--porcelain"), Path(TARGET).read_bytes(), (repository.top / ".git" / "index").read_bytes())


def test_ways_to_name_the_sides(repository: Repository, diff: Callable[..., Told], tmp_path_factory: pytest.TempPathFactory) -> None:
    repository.git("switch", "--quiet", "--create", "feature")
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    repository.commit("feature")
    repository.git("switch", "--quiet", "main")
    repository.change(TARGET, "EntryClass = DeepseekLikeForCausalLM", "EntryClass = [DeepseekLikeForCausalLM]")
    repository.commit("main goes on")
    for arguments in (
        ("main", "feature"), ("main..feature",), ("main...feature",), ("--merge-base", "main", "feature"), ("main:python", "feature:"),
        ("main:python/sglang", "feature:python/sglang/srt"), ("python", "feature"), ("main", "feature", "--source", "python/sglang"),
    ):  # fmt: skip
        assert "id k captures out:k -> id k captures out:k-1" in diff(*arguments).text, arguments
    assert diff("main").text == ""
    repository.git("switch", "--quiet", "feature")
    assert "out:k -> id k captures out:k-1" in diff("--merge-base", "main").text
    os.chdir("python/sglang/srt/models")
    told = diff("main", "feature")
    assert "main:python/sglang/srt/models/deepseek_like.py" in told.text


def test_a_baseline_of_findings_is_matched_by_what_they_are_about(repository: Repository, diff: Callable[..., Told]) -> None:
    """Lines above a finding move it, and nothing else."""
    repository.change(RUNNER, "from sglang.srt.configs", "# a line more\nfrom sglang.srt.configs")
    assert diff("HEAD").text == ""


def test_the_readme_shows_what_is_printed(here: Path, capsys: Capture) -> None:
    shutil.copytree(FIXTURE, here / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    os.chdir("engine")
    repository = Repository(here / "engine")
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.commit()
    repository.change("tree/sglang/srt/models/deepseek_like.py", "[layer_id + 1 for", "[layer_id for")
    shown = (FIXTURE.parents[1] / "README.md").read_text("utf-8").partition("## Review a change")[2]
    _, command, printed = shown.split("```", 2)[1].split("\n", 2)
    with pytest.raises(SystemExit) as stopped:
        cli.main(command.removeprefix("$ flowcheck ").split())
    assert stopped.value.code == 1
    assert capsys.readouterr().out.partition("\n\nFindings that appeared")[0].strip() == printed.strip()


def refused(capsys: Capture, *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        cli.main(("diff", *arguments))
    assert stopped.value.code == 2
    return capsys.readouterr().err


def test_bad_names_end_in_one_line(repository: Repository, capsys: Capture) -> None:
    assert "nope: no such file, folder or revision" in refused(capsys, "nope")
    assert "no such file, folder or revision" in refused(capsys, "--", "--output=x")
    assert "no such file, folder or revision" in refused(capsys, "HEAD", "nope:python")
    assert "no package sglang in it" in refused(capsys, "HEAD:training")
    assert "OLD and NEW" in refused(capsys, "a", "b", "c")
    assert "no commit of this repository" in refused(capsys, "nope...HEAD")
    assert "--merge-base is of two revisions" in refused(capsys, "--merge-base", "python")
    repository.git("branch", "python")
    assert "is a revision and a path" in refused(capsys, "python")


def test_outside_of_a_repository(here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(here.parent))
    assert "no such file, folder or revision" in refused(capsys, "HEAD")


def test_links_and_odd_entries_of_a_revision(repository: Repository, diff: Callable[..., Told]) -> None:
    """What a revision holds beside files: a link to a file is read, one that leads out is not, and neither stops the run."""
    (repository.top / MODELS / "linked.py").symlink_to("kimi_like.py")
    (repository.top / MODELS / "away.py").symlink_to("/etc/passwd")
    repository.commit()
    told = diff("HEAD~1", "HEAD")
    assert told.changes == [("added", "KimiLikeForConditionalGeneration")], "the class of a second module"
    assert diff("HEAD").changes == [], "the work tree reads what the revision holds"


