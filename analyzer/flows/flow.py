"""Flows are data: what one pipeline is called, where it starts and ends, and what is supposed of the world around it."""
from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from ..errors import BadInput
from ..library.facts import Fact, Facts, Supposed

BUILT_IN = ("eagle3",)


@dataclass(frozen=True, slots=True)
class Sink:
    """The consumer of the captured tensors: a class and method of the package, its parameters for the hidden states and the captures."""

    cls: str
    method: str
    hidden: str
    captured: str


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow. ``words``: text that a file of the flow must contain. ``setters``: the methods that take the ids. ``entry``: the module
    variable that lists the target classes. ``layer_counts`` and ``text_configs``: the config attributes that hold the number of layers and
    the language model's own config. ``blank_inputs``: tensors that the forward is given and that say nothing of the tokens;
    ``tensor_inputs``: its parameters that are tensors though nothing says so. ``kernels``: outside functions by name, each with the
    model that runs it."""

    name: str
    package: str
    words: tuple[str, ...]
    setters: tuple[str, ...]
    entry: str
    layer_counts: tuple[str, ...]
    text_configs: tuple[str, ...]
    blank_inputs: tuple[str, ...]
    tensor_inputs: tuple[str, ...]
    sink: Sink
    kernels: Mapping[str, str]
    facts: Facts


def load_flow(name: str) -> Flow:
    """A built-in flow by name; raises :class:`BadInput` for any other."""
    if name not in BUILT_IN:
        raise BadInput(f"no flow named {name!r}: there is {', '.join(BUILT_IN)}; another one is described in a file given with --flow-file")
    text = resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return read_flow(text, f"{name}.toml")


def load_flow_file(path: str) -> Flow:
    """The flow that a TOML file describes; raises :class:`BadInput`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: the flow file cannot be read ({error})") from error
    return read_flow(text, path)


def read_flow(text: str, place: str) -> Flow:
    """Build a flow from its TOML text; ``place`` names it in messages."""
    try:
        data = tomllib.loads(text)
        return build(data)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{place}: not TOML: {error}") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(f"{place}: not a description of a flow: {error!r} is missing or of the wrong type") from error


def build(data: dict[str, object]) -> Flow:
    sink = table(data, "sink")
    return Flow(
        name=text_of(data["name"]),
        package=text_of(data["package"]),
        words=texts(data["words"]),
        setters=texts(data["setters"]),
        entry=text_of(data["entry"]),
        layer_counts=texts(data["layer_counts"]),
        text_configs=texts(data.get("text_configs", [])),
        blank_inputs=texts(data.get("blank_inputs", [])),
        tensor_inputs=texts(data.get("tensor_inputs", [])),
        sink=Sink(text_of(sink["class"]), text_of(sink["method"]), text_of(sink["hidden"]), text_of(sink["captured"])),
        kernels={name: text_of(shape) for name, shape in table(data, "kernels").items()},
        facts=build_facts(data),
    )


def build_facts(data: dict[str, object]) -> Facts:
    calls: dict[str, Supposed] = {}
    returns: dict[str, Supposed] = {}
    values: dict[str, Supposed] = {}
    identities: dict[str, str] = {}
    sentences: dict[str, str] = {}
    for entry in entries(data.get("assumption", [])):
        name = text_of(entry["name"])
        sentences[name] = text_of(entry["text"])
        calls |= {key: Supposed(fact(value), name) for key, value in table(entry, "calls").items()}
        returns |= {key: Supposed(fact(value), name) for key, value in table(entry, "returns").items()}
        values |= {key: Supposed(fact(value), name) for key, value in table(entry, "values").items()}
        identities |= dict.fromkeys(texts(table(entry, "identities").get("names", [])), name)
    return Facts(text_of(data["package"]), calls, returns, values, identities, sentences)


def table(data: dict[str, object], key: str) -> dict[str, object]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise TypeError(key)
    return value


def entries(value: object) -> list[dict[str, object]]:
    if not isinstance(value, list) or not all(isinstance(x, dict) for x in value):
        raise TypeError("assumption")
    return value


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(value)
    return tuple(text_of(x) for x in value)


def text_of(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def fact(value: object) -> Fact:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(value)
