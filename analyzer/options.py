"""The values of command-line options, from text to data. What cannot be read is bad input, said in one line."""
from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import BadInput
from .request import Ids, ServeArg

MOST_LAYERS = 10_000
MOST_IDS = 1_000
FORMATS = ("text", "json")
"""What every command offers."""
REPORT_FORMATS = ("text", "concise", "json", "sarif", "github", "markdown", "junit")
"""What a command offers that reports findings."""
PICTURES = ("svg", "png", "pdf", "dot", "mmd")
VIEWS = ("pipeline", "path", "flow", "compare", "models")
"""What a picture shows; the first unless another is named."""

_INTEGER = re.compile(r"-?[0-9]{1,6}")
_NUMBER = re.compile(r"-[0-9.]+(e-?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Output:
    """One rendering that was asked for; ``file`` None means stdout."""

    format: str
    file: str | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """One picture that was asked for; ``kind`` is one of PICTURES."""

    kind: str
    file: str


def read_drawings(files: Sequence[str], outputs: Sequence[Output]) -> tuple[Drawing, ...]:
    """The pictures that each ``-o FILE`` asks for, by the endings of the names."""
    taken = [output.file for output in outputs]
    for file in files:
        if [*files, *taken].count(file) > 1:
            raise BadInput(f"two results for {file}: give each a file of its own")
    return tuple(_drawing(file) for file in files)


def _drawing(file: str) -> Drawing:
    kind = os.path.splitext(file)[1].lower().removeprefix(".")
    if kind not in PICTURES:
        raise BadInput(f"-o {file}: a picture's name ends in one of {', '.join(f'.{each}' for each in PICTURES)}")
    return Drawing(kind, file)


def read_view(text: str | None, *, drawn: bool) -> str:
    """The view of ``--view``, which is about a picture."""
    if text is None:
        return VIEWS[0]
    if text not in VIEWS:
        raise BadInput(f"--view {_short(text)}: there is no such view; there are {', '.join(VIEWS)}")
    if not drawn:
        raise BadInput(f"--view {text} is about a picture: name its file with -o, as in -o {text}.svg")
    return text


def read_outputs(short: str | None, long: Sequence[str], formats: Sequence[str] = FORMATS) -> tuple[Output, ...]:
    """The renderings that ``--format`` and each ``--output-format FORMAT[:FILE]`` ask for, of the ``formats`` that the command has; text on
    stdout where none is named."""
    given = [*([("--format", short)] if short is not None else []), *(("--output-format", text) for text in long)]
    found = tuple(_output(option, text, formats) for option, text in given) or (Output("text", None),)
    files = [output.file for output in found]
    for file in files:
        if files.count(file) > 1:
            raise BadInput(f"two results for {file or 'stdout'}: give each --output-format a file of its own, as in json:report.json")
    return found


def _output(option: str, text: str, formats: Sequence[str]) -> Output:
    name, colon, file = text.partition(":")
    if option == "--format" and colon:
        raise BadInput(f"{option} {text}: takes a format only; write --output-format {text}")
    if name not in formats:
        wrong = f"{name} is no format of this command" if name in REPORT_FORMATS else f"unknown format {name!r}"
        raise BadInput(f"{option} {text}: {wrong}; there are {', '.join(formats)}")
    if colon and not file:
        raise BadInput(f"{option} {text}: no file after the colon")
    return Output(name, file or None)


def read_id_lists(texts: Sequence[str]) -> tuple[Ids, ...] | None:
    """The id lists of each ``--ids``, without repeats; None where there is no ``--ids``."""
    return tuple(dict.fromkeys(_id_list(text) for text in texts)) if texts else None


def _id_list(text: str) -> Ids:
    stripped = text.strip()
    if stripped == "default":
        return None
    if stripped == "[]":
        return ()
    inner = stripped[1:-1] if stripped.startswith("[") and stripped.endswith("]") else stripped
    parts = [part.strip() for part in inner.split(",")]
    for part in parts:
        if not _INTEGER.fullmatch(part):
            raise BadInput(f"--ids {_short(text)}: {_short(part)!r} is not a layer id; write --ids=-1,2,30 or --ids default")
    if len(parts) > MOST_IDS:
        raise BadInput(f"--ids: {len(parts)} ids in one list; at most {MOST_IDS}")
    return tuple(int(part) for part in parts)


def read_serve_args(text: str | None) -> tuple[ServeArg, ...] | None:
    """The launch flags of ``--serve-args``, with underscores for dashes; of one that is given twice the last one counts."""
    if text is None:
        return None
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"--serve-args {_short(text)}: {error}") from error
    found: list[tuple[str, list[str]]] = []
    for word in words:
        name, equals, value = word.partition("=")
        if re.fullmatch(r"--[A-Za-z][\w-]*", name):
            found.append((name[2:].replace("-", "_"), [value] if equals else []))
        elif not found or (word.startswith("-") and not _NUMBER.fullmatch(word)):
            raise BadInput(f"--serve-args {_short(text)}: {_short(word)!r} is no flag; write --name value, --name=value or --name")
        else:
            found[-1][1].append(word)
    return tuple({name: (name, tuple(values)) for name, values in found}.values())


def first(given: Sequence[str] | None) -> str | None:
    """The first value of an option that is repeatable."""
    return given[0] if given else None


def rest(given: Sequence[str] | None) -> tuple[str, ...]:
    """Its further values."""
    return tuple(given[1:]) if given else ()


def read_layers(text: str | None) -> int | None:
    """The layer count of ``--layers``, held between 1 and MOST_LAYERS."""
    if text is None:
        return None
    layers = int(text) if _INTEGER.fullmatch(text) else 0
    if not 1 <= layers <= MOST_LAYERS:
        raise BadInput(f"--layers {_short(text)}: a layer count from 1 to {MOST_LAYERS} is needed")
    return layers


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
