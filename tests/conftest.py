"""Fixtures that several tests share."""
from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from releases import Missing, release_wheel

FRAMES = sys.getrecursionlimit()
Release = Callable[[str], Path]


@pytest.fixture(autouse=True)
def as_python_starts() -> None:
    """An analysis asks for more frames and stops the garbage collection: the next test begins without."""
    sys.setrecursionlimit(FRAMES)
    gc.enable()


@pytest.fixture(scope="session")
def release() -> Release:
    """The wheel of a released SGLang by version; the test is skipped, with the reason, where it cannot be had."""

    def fetch(version: str) -> Path:
        found = release_wheel(version)
        if isinstance(found, Missing):
            pytest.skip(found.reason)
        return found

    return fetch


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
