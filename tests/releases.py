"""Released source trees for tests: fetched once by version with pip, kept in a cache outside the checkout, never committed."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
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
