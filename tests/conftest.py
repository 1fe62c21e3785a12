"""Fixtures that several tests share."""
from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Protocol

import pytest
from releases import Missing, release_wheel

FRAMES = sys.getrecursionlimit()


class Release(Protocol):
    """Fetches the wheel of a released version."""

    def __call__(self, version: str, package: str = "sglang") -> Path: ...


@pytest.fixture(autouse=True)
def as_python_starts() -> None:
    """An analysis asks for more frames and stops the garbage collection: the next test begins without."""
    sys.setrecursionlimit(FRAMES)
    gc.enable()


@pytest.fixture(scope="session")
def release() -> Release:
    """The wheel of a release by version, of SGLang unless another package is named; the test is skipped, with the reason, where it
    cannot be had."""

    def fetch(version: str, package: str = "sglang") -> Path:
        found = release_wheel(version, package)
        if isinstance(found, Missing):
            pytest.skip(found.reason)
        return found

    return fetch


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
