"""The width of a draft's projection as its weights have it: read from the header of a safetensors file. No tensor is loaded.

Such a file begins with eight bytes, the length of a header; the header is JSON and tells the type and the shape of each tensor.
"""
from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .configs import folder_of
from .errors import BadInput
from .json_text import Json, JsonError, parse_json
from .layout import MEBIBYTE, printable, printed_path
from .results import Location, NotEstablished, Width

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
LENGTH_BYTES = 8
LARGEST_HEADER = 32 * MEBIBYTE
"""A header takes about a hundred bytes for each tensor."""
PLAIN_TYPES = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})
"""Types of which each element is one weight: packed ones tell less columns than there are."""
PACKED = ("qweight", "weight_packed", "weight_scale", "scales", "qzeros")
"""How the parts of a packed matrix are called."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the weights beside a draft's config say of the projection. Neither is there where there are no weights."""

    width: Width | None = None
    open: NotEstablished | None = None


def read_weights(draft: str, projections: Sequence[str]) -> Weights:
    """The input width of the projection in the weights beside a draft's config; BadInput where a file is broken."""
    folder = folder_of(draft)
    if folder is None or not projections:
        return Weights()
    keep = os.path.isabs(draft)
    if os.path.lexists(index := os.path.join(folder, INDEX)):
        found = [(name, file) for name, file in _index(index, _shown(index, keep)).items() if _is_projection(name, projections)]
        files = sorted({file for _, file in found})
        if not files:
            return _open(projections, _shown(index, keep))
    elif os.path.lexists(os.path.join(folder, WEIGHTS)):
        files = [WEIGHTS]
    else:
        return Weights()
    paths = [os.path.join(folder, file) for file in files]
    tensors = [(name, entry, _shown(path, keep)) for path in paths for name, entry in _header(path, _shown(path, keep)).items()]
    return _width([each for each in tensors if _is_projection(each[0], projections)], projections, _shown(paths[0], keep))


def _width(tensors: Sequence[tuple[str, Json, str]], projections: Sequence[str], shown: str) -> Weights:
    """The width that all tensors of the projection have."""
    widths = [_of_tensor(name, entry, place) for name, entry, place in tensors]
    known = [width for width in widths if width is not None]
    if not tensors or len(known) < len(widths):
        reason = "its type or its shape is not that of a plain matrix" if tensors else None
        return _open(projections, shown, reason)
    if len({width.features for width in known}) > 1:
        return _open(projections, shown, f"there are {', '.join(width.text for width in known)}")
    return Weights(known[0])


def _open(projections: Sequence[str], shown: str, reason: str | None = None) -> Weights:
    what = f"{projections[0]}.weight"
    why = f"the width of {what} in the weights is not known: {reason or 'no tensor is called so'}"
    return Weights(open=NotEstablished(what, why, Location(shown, 1)))


def _is_projection(name: str, projections: Sequence[str]) -> bool:
    """``fc.weight``, also behind the names of what holds it, unless that is one of several layers; a packed part of it too."""
    holder, _, last = name.rpartition(".")
    *around, own = holder.split(".")
    return own in projections and (last == "weight" or last.startswith(PACKED)) and not any(map(str.isdigit, around))


def _of_tensor(name: str, entry: Json, shown: str) -> Width | None:
    """The columns of a matrix; None for what is no plain one."""
    if not isinstance(entry, dict):
        raise BadInput(f"{shown}: {printable(name)} in the header has no shape; the file is damaged")
    shape, kind = entry.get("shape"), entry.get("dtype")
    sizes = [size for size in shape if isinstance(size, int) and not isinstance(size, bool)] if isinstance(shape, list) else []
    if not isinstance(shape, list) or len(sizes) != len(shape) or any(size < 0 for size in sizes):
        raise BadInput(f"{shown}: {printable(name)} in the header has no shape; the file is damaged")
    if len(sizes) != 2 or kind not in PLAIN_TYPES:
        return None
    return Width(sizes[1], f"{name} of shape {sizes}", Location(shown, 1))


# ------------------------------------------------------------------------ files


def _index(path: str, shown: str) -> Mapping[str, str]:
    """Which file of the folder holds which tensor."""
    size, data = _read(path, shown, 0, LARGEST_HEADER)
    if size > LARGEST_HEADER:
        raise BadInput(f"{shown}: larger than {LARGEST_HEADER // MEBIBYTE} MiB; this is no index of weights")
    files = _object(data, shown).get("weight_map")
    if not isinstance(files, dict):
        raise BadInput(f"{shown}: has no weight_map; this is no index of weights")
    found: dict[str, str] = {}
    for name, file in files.items():
        if not isinstance(file, str) or os.path.basename(file) != file or file in ("", os.pardir) or "\\" in file or "\0" in file:
            raise BadInput(f"{shown}: {printable(name)} is said to be in {printable(repr(file))}; a file of the same folder is needed")
        found[name] = file
    return found


def _header(path: str, shown: str) -> Mapping[str, Json]:
    """The header of a file of weights."""
    size, start = _read(path, shown, 0, LENGTH_BYTES)
    length = int.from_bytes(start, "little")
    if len(start) < LENGTH_BYTES or length > size - LENGTH_BYTES:
        raise BadInput(f"{shown}: too short for a safetensors file with the header that it announces; fetch it again")
    if length > LARGEST_HEADER:
        most = LARGEST_HEADER // MEBIBYTE
        raise BadInput(f"{shown}: announces a header of {length} bytes, more than {most} MiB; this is no safetensors file")
    _, data = _read(path, shown, LENGTH_BYTES, length)
    return {name: entry for name, entry in _object(data, shown).items() if name != "__metadata__"}


def _object(data: bytes, shown: str) -> dict[str, Json]:
    try:
        value = parse_json(data.rstrip(b" ").decode("utf-8")).value
    except UnicodeDecodeError as error:
        raise BadInput(f"{shown}: the header is not UTF-8; this is no safetensors file") from error
    except JsonError as error:
        raise BadInput(f"{shown}: the header cannot be read: {printable(str(error))}; the file is damaged") from error
    if not isinstance(value, dict):
        raise BadInput(f"{shown}: the header is not an object; the file is damaged")
    return value


def _read(path: str, shown: str, start: int, most: int) -> tuple[int, bytes]:
    """The size of a file and some of its bytes. What is no file is refused before it is read: a pipe would never answer. Links are
    followed, for caches of checkpoints consist of them."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise BadInput(f"{shown}: not a file; take it away, or give the config.json in another folder")
            stream.seek(start)
            return status.st_size, stream.read(most)
    except OSError as error:
        raise BadInput(f"{shown}: cannot be read ({error.strerror}); fetch it, or give the config.json in another folder") from error


def _shown(path: str, keep_absolute: bool) -> str:
    return printed_path(os.path.abspath(path), keep_absolute=keep_absolute)
