"""Fixtures that several tests share."""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from releases import Missing, release_wheel

Release = Callable[[str], Path]


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
