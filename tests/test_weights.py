"""The width of the projection in a draft's weights: from the header alone, and broken files in one line."""
from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import pytest

from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.weights import INDEX, LARGEST_HEADER, WEIGHTS, read_weights

FC: dict[str, object] = {"dtype": "BF16", "shape": [16, 48], "data_offsets": [0, 1536]}
OTHER: dict[str, object] = {"dtype": "BF16", "shape": [16, 16], "data_offsets": [1536, 2048]}


def stored(header: object, data: bytes = b"") -> bytes:
    """A file of weights; the data may be missing, for nobody looks at it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def features(folder: Path, draft: str | None = None) -> int | None:
    width = read_weights(draft or str(folder), ("fc",)).width
    return None if width is None else width.features


@pytest.mark.parametrize("name", ["fc.weight", "model.fc.weight", "draft_model.midlayer.fc.weight"])
def test_the_projection_is_found_behind_what_holds_it(name: str, here: Path) -> None:
    (here / WEIGHTS).write_bytes(stored({"__metadata__": {"format": "pt"}, name: FC, "d2t": {"dtype": "I64", "shape": [7]}}))
    found = read_weights(".", ("fc",))
    assert found.width is not None and found.open is None
    assert (found.width.features, found.width.text, str(found.width.at)) == (48, f"{name} of shape [16, 48]", f"{WEIGHTS}:1")


def test_it_is_found_beside_a_config_that_is_named(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(stored({"fc.weight": FC}))
    assert features(tmp_path, str(tmp_path / "config.json")) == 48
    assert features(tmp_path, str(tmp_path / "mine.json")) is None, "a config of another name is not that of this folder"


def test_no_weights_say_nothing(tmp_path: Path) -> None:
    found = read_weights(str(tmp_path), ("fc",))
    assert (found.width, found.open) == (None, None)


def test_shards(tmp_path: Path) -> None:
    files = {"model.embed.weight": "a.safetensors", "model.fc.weight": "b.safetensors"}
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": files}))
    (tmp_path / "b.safetensors").write_bytes(stored({"model.fc.weight": FC}))
    assert features(tmp_path) == 48, "the other file is not needed"


def test_links_are_followed(tmp_path: Path) -> None:
    """A cache of checkpoints consists of them."""
    (tmp_path / "blob").write_bytes(stored({"fc.weight": FC}))
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / WEIGHTS).symlink_to("../blob")
    assert features(tmp_path / "snapshot") == 48


OPEN: dict[str, tuple[dict[str, object], str]] = {
    "none": ({"fcs.weight": FC, "fc.bias": FC, "xfc.weight": FC}, "no tensor is called so"),
    "several": ({"a.fc.weight": FC, "b.fc.weight": OTHER}, "there are a.fc.weight of shape [16, 48], b.fc.weight of shape [16, 16]"),
    "packed": ({"fc.weight": {**FC, "dtype": "I32"}}, "not that of a plain matrix"),
    "no matrix": ({"fc.weight": {**FC, "shape": [48]}}, "not that of a plain matrix"),
}


@pytest.mark.parametrize(("header", "reason"), OPEN.values(), ids=OPEN)
def test_what_is_not_told_is_not_established(header: dict[str, object], reason: str, tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(stored(header))
    found = read_weights(str(tmp_path), ("fc",))
    assert found.width is None and found.open is not None
    assert reason in found.open.reason


def test_two_of_one_width_are_one(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(stored({"a.fc.weight": FC, "b.fc.weight": FC}))
    assert features(tmp_path) == 48


BROKEN = {
    "empty": (b"", "too short"),
    "cut": (b"\x00" * 7, "too short"),
    "longer than the file": (struct.pack("<Q", 1000) + b"{}", "too short"),
    "absurd": (b"\xff" * 8 + b"{}", "too short"),
    "no JSON": (stored(b"{nonsense"), "the header cannot be read"),
    "a key twice": (stored(b'{"fc.weight": {}, "fc.weight": {}}'), "twice"),
    "nested without end": (stored(b"[" * 5000), "nested deeper"),
    "no object": (stored([1]), "not an object"),
    "not UTF-8": (stored(b'{"\xff": 1}'), "not UTF-8"),
    "no shape": (stored({"fc.weight": {"dtype": "F32"}}), "has no shape"),
    "a negative shape": (stored({"fc.weight": {**FC, "shape": [16, -48]}}), "has no shape"),
    "a tensor that is none": (stored({"fc.weight": 3}), "has no shape"),
}


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_one_line(data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(data)
    with pytest.raises(BadInput, match=said) as raised:
        read_weights(str(tmp_path), ("fc",))
    assert "\n" not in str(raised.value) and WEIGHTS in str(raised.value)


def test_a_header_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / WEIGHTS).open("wb") as file:
        file.write(struct.pack("<Q", LARGEST_HEADER + 1))
        file.truncate(LARGEST_HEADER + 100)
    with pytest.raises(BadInput, match="announces a header"):
        read_weights(str(tmp_path), ("fc",))


@pytest.mark.parametrize("file", ["../x.safetensors", "/x.safetensors", "a/b", "", "..", "a\\b", 3])
def test_a_shard_lies_in_the_same_folder(file: object, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"fc.weight": file}}))
    with pytest.raises(BadInput, match="a file of the same folder is needed"):
        read_weights(str(tmp_path), ("fc",))


@pytest.mark.parametrize("index", ["[]", "{}", '{"weight_map": 1}', "nonsense"])
def test_a_broken_index_is_one_line(index: str, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(index)
    with pytest.raises(BadInput, match=INDEX):
        read_weights(str(tmp_path), ("fc",))


def test_a_shard_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"fc.weight": "b.safetensors"}}))
    with pytest.raises(BadInput, match=r"b\.safetensors: cannot be read"):
        read_weights(str(tmp_path), ("fc",))


def test_an_index_without_a_projection(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"embed.weight": "b.safetensors"}}))
    found = read_weights(str(tmp_path), ("fc",))
    assert found.width is None and found.open is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have a name")
def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / WEIGHTS)
    with pytest.raises(BadInput, match="not a file"):
        read_weights(str(tmp_path), ("fc",))


def test_a_folder_or_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).mkdir()
    with pytest.raises(BadInput, match=r"not a file|cannot be read"):
        read_weights(str(tmp_path), ("fc",))
    (tmp_path / WEIGHTS).rmdir()
    (tmp_path / WEIGHTS).symlink_to("nowhere")
    with pytest.raises(BadInput, match="cannot be read"):
        read_weights(str(tmp_path), ("fc",))
