"""Small source trees for tests: as folders, zips and tars."""
from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.source import SourceTree, open_source

FILES = {
    "sglang/__init__.py": "",
    "sglang/version.py": '__version__ = "1.2.3"\n',
    "sglang/srt/models/tulip.py": "def set_eagle3_layers_to_capture(self, layer_ids): ...\n",
    "sglang/srt/utils.py": "print('nothing of interest')\n",
    "sglang/srt/kernels.cpp": "int main() {}\n",
}
LISTED = ("sglang/__init__.py", "sglang/srt/models/tulip.py", "sglang/srt/utils.py", "sglang/version.py")


def plant(folder: Path, files: Mapping[str, str] = FILES, below: str = "") -> Path:
    for name, text in files.items():
        path = folder / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write_zip(path: Path, files: Mapping[str, str | bytes] = FILES, below: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(below + name, text)
    return path


def write_tar(path: Path, mode: str, files: Mapping[str, str | bytes] = FILES, below: str = "") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            entry = tarfile.TarInfo(below + name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def refusal(argument: str | Path, package: str = "sglang") -> str:
    with pytest.raises(BadInput) as caught:
        open_source(str(argument), package)
    message = str(caught.value)
    assert "\n" not in message
    return message


def reasons(tree: SourceTree) -> list[str]:
    """Why things were left out, without their places."""
    return [note.rsplit(": ", 1)[1] for note in tree.notes]
