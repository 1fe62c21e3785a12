"""A git repository of a small engine, made for one test: that of ``fixtures/ids-changed-after-training``, with a draft, its target and the
trainer. A change is a text put in another's place."""
from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "ids-changed-after-training"
TARGET = "python/sglang/srt/models/deepseek_like.py"
RUNNER = "python/sglang/srt/model_executor/model_runner.py"
DRAFT = "drafts/kimi-eagle3"
SERVED = ("--draft", DRAFT, "--target", "drafts/target.json", "--train", "training")


@dataclass(frozen=True, slots=True)
class Repository:
    """The top of a work tree."""

    top: Path

    def git(self, *arguments: str) -> str:
        """What git prints; nothing of the user's own settings is used."""
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        names = {f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in (("NAME", "n"), ("EMAIL", "n@localhost"))}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ("git", *arguments), cwd=self.top, check=True, capture_output=True, text=True, env={**inherited, **own, **names}
        )
        return done.stdout.strip()

    def commit(self, message: str = "change") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def change(self, path: str, old: str, new: str) -> None:
        """Put ``new`` in the place of ``old``, which must be there."""
        file = self.top / path
        text = file.read_text("utf-8")
        assert old in text, f"{path} has no {old!r}"
        file.write_text(text.replace(old, new), "utf-8")


def make_repository(top: Path) -> Repository:
    """The engine in ``python/``, the draft in ``drafts/`` and the trainer in ``training/``, as one commit."""
    shutil.copytree(FIXTURE / "tree" / "sglang", top / "python" / "sglang", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(FIXTURE / "tree" / "draft_training", top / "training", ignore=shutil.ignore_patterns("__pycache__"))
    (top / DRAFT).mkdir(parents=True)
    shutil.copy(FIXTURE / "configs" / "good.json", top / DRAFT / "config.json")
    shutil.copy(FIXTURE / "configs" / "target.json", top / "drafts" / "target.json")
    repository = Repository(top)
    repository.git("init", "--quiet", "--initial-branch", "main")
    repository.commit("first")
    return repository
