"""Released source trees for tests: fetched once by version with pip, kept in a cache outside the checkout, never committed."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

SECONDS = 300


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a release is not at hand."""

    reason: str


def cache_folder() -> Path:
    """Where fetched wheels are kept; ``FLOWCHECK_CACHE`` names another place."""
    named = os.environ.get("FLOWCHECK_CACHE")
    return Path(named).expanduser() if named else Path.home() / ".cache" / "flowcheck-tests"


def release_wheel(version: str, package: str = "sglang") -> Path | Missing:
    """The wheel of a released version, fetched on first use."""
    home = cache_folder() / f"{package}-{version}"
    try:
        kept = sorted(home.glob("*.whl"))
        return kept[0] if kept else _fetch(f"{package}=={version}", home)
    except (OSError, subprocess.SubprocessError) as error:
        return Missing(f"{package} {version} cannot be fetched: {error}")


def can_install() -> str | None:
    """Why packages cannot be installed from the index here; None where they can."""
    with tempfile.TemporaryDirectory() as scratch:
        found = _fetch("typer", Path(scratch))
    return found.reason if isinstance(found, Missing) else None


def _fetch(requirement: str, home: Path) -> Path | Missing:
    """Download into a folder of its own first, so that parallel runs and interrupted ones leave nothing half done."""
    home.mkdir(parents=True, exist_ok=True)
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input"]
    with tempfile.TemporaryDirectory(dir=home) as scratch:
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", scratch, requirement]
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        wheels = sorted(Path(scratch).glob("*.whl"))
        if run.returncode or not wheels:
            said = run.stderr.strip().splitlines() or [f"pip ended with status {run.returncode}"]
            return Missing(f"{requirement} cannot be fetched: {said[-1][:200]}")
        return wheels[0].replace(home / wheels[0].name)


def with_edit(wheel: Path, folder: Path, file: str, line: int, old: str, new: str) -> Path:
    """The Python files of a wheel in a folder, with one word of one line replaced."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.endswith(".py")])
    path = folder / file
    lines = path.read_text("utf-8").splitlines(keepends=True)
    assert lines[line - 1].count(old) == 1, f"{file}:{line} does not say {old!r} once"
    lines[line - 1] = lines[line - 1].replace(old, new)
    path.write_text("".join(lines), "utf-8")
    return folder
