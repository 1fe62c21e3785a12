"""What reviews changes: the hook of pre-commit, run by pre-commit itself, and the steps of the GitHub action, run by the shell."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped, unused-ignore]
from releases import can_install
from scratch_repository import DRAFT, TARGET, Repository, make_repository

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600


@pytest.fixture
def repository(here: Path) -> Repository:
    (here / "engine").mkdir()
    return make_repository(here / "engine")


def tool_repository(folder: Path) -> Path:
    """This project as a repository that a hook can be installed from."""
    left_out = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", "*_cache", "fixtures", "tests")
    shutil.copytree(ROOT, folder, ignore=left_out)
    tool = Repository(folder)
    tool.git("init", "--quiet", "--initial-branch", "main")
    tool.commit()
    return folder


# ------------------------------------------------------------------ pre-commit


@pytest.mark.index
def test_the_hooks_run_in_pre_commit(repository: Repository, tmp_path: Path) -> None:
    """A commit that changes nothing passes, one that loses the shift of a draft with a contract does not."""
    if (missing := can_install()) is not None:
        pytest.skip(missing)
    tool = tool_repository(tmp_path / "tool")
    revision = Repository(tool).git("rev-parse", "HEAD")
    options = f'["HEAD", --source, python, --draft, {DRAFT}, --target, drafts/target.json, --train, training]'
    (repository.top / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {tool}\n  rev: {revision}\n  hooks:\n  - id: flowcheck\n    args: [python]\n"
        f"  - id: flowcheck-diff\n    verbose: true\n    args: {options}\n",
        "utf-8",
    )
    repository.git("add", "--all")

    def commit() -> tuple[int, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            (sys.executable, "-m", "pre_commit", "run", "--all-files"), cwd=repository.top, check=False, capture_output=True, text=True,
            timeout=SECONDS, env=environment | {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    status, said = commit()
    assert "flowcheck diff" in said, said
    assert re.search(r"flowcheck diff\.+Passed", said), said
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    repository.git("add", "--all")
    status, said = commit()
    assert re.search(r"flowcheck diff\.+Failed", said), said
    assert "id k captures out:k -> id k captures out:k-1" in said
    assert "FC101" in said
    assert status == 1


# --------------------------------------------------------------------- action


@dataclass(frozen=True, slots=True)
class Step:
    """What one run of the action's steps left: the status, what was printed, the outputs, and the summary of the job."""

    status: int
    said: str
    outputs: dict[str, str]
    summary: str


def run_action(repository: Repository, folder: Path, inputs: dict[str, str], **job: str) -> Step:
    """Run the steps of ``action.yml`` but for the installation, as a runner does: each in bash, with its ``env``."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    given = {name: inputs.pop(name, each.get("default", "")) for name, each in action["inputs"].items()}
    assert not inputs, f"no such input: {inputs}"
    shutil.rmtree(folder, ignore_errors=True)
    programs = folder / "flowcheck" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    program = programs / "flowcheck"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m flowcheck "$@"\n', "utf-8")
    program.chmod(0o755)
    output, summary = folder / "output", folder / "summary"
    output.touch()
    summary.touch()
    runner = {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
    (step,) = (each for each in action["runs"]["steps"] if each.get("id") == "diff")
    own = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text) for name, text in step["env"].items()}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))}
    done = subprocess.run(
        ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]), cwd=repository.top, check=False, capture_output=True,
        text=True, timeout=SECONDS, env=inherited | runner | own | job,
    )  # fmt: skip
    return Step(done.returncode, done.stdout + done.stderr, read_outputs(output.read_text("utf-8")), summary.read_text("utf-8"))


def read_outputs(text: str) -> dict[str, str]:
    """The outputs of a step, as a runner reads them."""
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if (several := re.match(r"([\w-]+)<<(.+)", line)) is not None:
            inner = []
            for inside in lines:
                if inside == several[2]:
                    break
                inner.append(inside)
            found[several[1]] = "\n".join(inner)
        elif "=" in line:
            name, _, value = line.partition("=")
            found[name] = value
    return found


@pytest.fixture
def pull_request(repository: Repository) -> Repository:
    """A branch that loses the shift, while the branch that it is for has gone on."""
    repository.git("switch", "--quiet", "--create", "feature")
    repository.change(TARGET, "[layer_id + 1 for", "[layer_id for")
    repository.commit("feature")
    repository.git("switch", "--quiet", "main")
    repository.commit("main goes on")
    repository.git("update-ref", "refs/remotes/origin/main", "main")
    repository.git("switch", "--quiet", "feature")
    return repository


SERVED = f"--draft\n{DRAFT}\n--target=drafts/target.json\n--train=training\n"


def test_the_action_reviews_a_pull_request(pull_request: Repository, tmp_path: Path) -> None:
    step = run_action(pull_request, tmp_path / "runner", {"source": "python", "arguments": SERVED}, GITHUB_BASE_REF="main")
    assert step.status == 1, step.said
    assert step.outputs["status"] == "1"
    assert step.outputs["changed"] == "true"
    assert "out:k-1" in step.outputs["comment"]
    assert step.outputs["comment"].strip() == step.summary.strip() == Path(step.outputs["comment-file"]).read_text("utf-8").strip()
    assert "::error file=" in step.said, "what is wrong is told at its line"
    assert Path(step.outputs["sarif"]).is_file()
    assert "id k captures out:k -> id k captures out:k-1" in step.said, "the log of the job has the text"


def test_the_action_says_nothing_where_nothing_changed(pull_request: Repository, tmp_path: Path) -> None:
    pull_request.git("revert", "--no-edit", "HEAD")
    step = run_action(pull_request, tmp_path / "runner", {"source": "python", "arguments": SERVED}, GITHUB_BASE_REF="main")
    assert (step.status, step.outputs["status"], step.outputs["changed"], step.outputs["comment"].strip()) == (0, "0", "false", "")


def test_the_action_outside_of_a_pull_request(pull_request: Repository, tmp_path: Path) -> None:
    assert "give the revision to compare with" in run_action(pull_request, tmp_path / "runner", {"source": "python"}).said
    step = run_action(pull_request, tmp_path / "runner", {"source": "python", "base": "main"})
    assert (step.status, step.outputs["changed"]) == (0, "true")
    step = run_action(pull_request, tmp_path / "runner", {"source": "python", "base": "nope"})
    assert (step.status, step.outputs) == (2, {"status": "2"})
    assert "nope: no commit of this repository" in step.said


def test_inputs_are_data_to_the_shell(pull_request: Repository, tmp_path: Path) -> None:
    """What a stranger may have written into an input, or called a branch, is never run."""
    mark = tmp_path / "run"
    evil = f"$(touch {mark}); touch {mark}"
    for inputs in ({"source": evil, "base": "main"}, {"base": evil}, {"base": "main", "source": "python", "arguments": f"--draft\n{evil}"}):
        assert run_action(pull_request, tmp_path / "runner", dict(inputs)).status == 2
    assert run_action(pull_request, tmp_path / "runner", {"source": "python"}, GITHUB_BASE_REF=evil).status == 2
    assert not mark.exists()
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert not [step["name"] for step in action["runs"]["steps"] if "${{" in step["run"]], "expressions stand in env alone"
