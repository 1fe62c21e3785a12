"""Flows are data: what one pipeline is called, where it starts and ends, and what is supposed of the world around it."""
from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TypeAlias

from ..errors import BadInput
from ..layout import MEBIBYTE
from ..library.facts import Fact, Facts, Supposed
from ..library.stages import Boundaries
from ..nearest import told_nearest
from .detours import Detour, Stages
from .extending import extend
from .lines import line_of
from .shape import Misfit, check, flow_shape, short

Table: TypeAlias = Mapping[str, object]

ENGINES: Mapping[str, Mapping[str, str]] = {
    "sglang": {"eagle3": "eagle3", "dflash": "dflash", "dspark": "dspark"},
    "vllm": {"eagle3": "vllm_eagle3"},
}
"""By the package of an engine the flows that are built in, each with its file. The file that is called like the engine is what they share;
it is no flow by itself."""
BUILT_IN = tuple(dict.fromkeys(name for flows in ENGINES.values() for name in flows))
COMMON = "common"
"""What every flow has: a file that is no flow by itself either."""
PACKAGE = "sglang"
"""The engine whose flows are meant where no source tells which."""

LARGEST = MEBIBYTE
"""Bytes of a flow file."""
PIPELINE = ("keys", "spellings", "target_worker", "worker_methods", "draft_inputs", "projections")
BOUNDARIES = ("package", "stage", "declaration", "exit")
STAGES = ("starts", "ends", "handed", "flags")
SINK = ("class", "method", "hidden", "captured")
SUPPOSED = ("calls", "returns", "values")


@dataclass(frozen=True, slots=True)
class Written:
    """A flow file as it was given: its path, its text, and the table that it holds."""

    path: str
    text: str
    own: Table


@dataclass(frozen=True, slots=True)
class Sink:
    """The consumer of the captured tensors: a class of the package, its method, and that method's parameters for the hidden states and
    for the captured ones. Or, as ``returned``, the items of what the target's forward returns that hold the two."""

    cls: str = ""
    method: str = ""
    hidden: str = ""
    captured: str = ""
    returned: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags that an engine is launched with. ``named``: those that were given, ``values``: what the flags are in the end, as far as
    that is known, by the names of their fields. ``cls``: the class of the object that holds them, or "", ``holders``: what such objects
    are called where no class is declared. ``settled``: what the tree itself makes of the flags was followed to the end."""

    named: Mapping[str, Fact]
    values: Mapping[str, Fact]
    cls: str
    holders: frozenset[str]
    settled: bool


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The way before the setter and behind the consumer.

    ``keys``: the config keys that hold the ids. ``spellings``: other names under which configs carry them.
    ``target_worker``: the attributes by which a worker holds the target's worker.
    ``worker_methods``: the methods by which a worker is run. ``draft_inputs``: where the draft finds captured states on its batch,
    as ``object.attribute``. ``phases``: by the name of a phase, the functions that stand for it.
    ``projections``: the attributes of a draft model that project the captured states. ``paths``: by the name of a variable that holds
    the path of a model, whose config is loaded from there ("draft", "target"). ``launch``: the launch flags that the flow stands for,
    ``reader``: the parameters of what reads the keys. ``moved``: by the place of an entry, those to which a library moved it.
    ``flags``: those of a launch that is asked about; no part of a flow file.
    """

    keys: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    target_worker: tuple[str, ...] = ()
    worker_methods: tuple[str, ...] = ()
    draft_inputs: tuple[str, ...] = ()
    projections: tuple[str, ...] = ()
    phases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    launch: Mapping[str, Fact] = field(default_factory=dict)
    reader: Mapping[str, Fact] = field(default_factory=dict)
    moved: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    flags: Flags | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow.

    ``words``: text of which a file of the flow contains at least one. ``setters``: the methods that take the ids. ``fallbacks``: those
    that take them where a target has none of ``setters``. ``entry``: the module variable that lists the target classes; without one, each
    model that has a setter is a target, drafts aside: those have one of the ``draft_methods``. ``defaults``: methods of a target that
    answer what a setter is given where a config names no ids. ``configs``: where a constructor finds the target's config. ``layer_counts``
    and ``text_configs``: the config attributes that hold the number of layers and the language model's own config; ``layer_lists``: those
    with one entry for each layer.
    ``blank_inputs``: tensors that the forward is given and that say nothing of the tokens; ``tensor_inputs``: its parameters that are
    tensors though nothing says so. ``kernels``: outside functions, and those of the package that start a kernel, by qualified name,
    each with the model that runs it.
    """

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
    pipeline: Pipeline = Pipeline()
    fallbacks: tuple[str, ...] = ()
    boundaries: Boundaries = field(default_factory=Boundaries)
    layer_lists: tuple[str, ...] = ()
    stages: Stages = field(default_factory=Stages)
    detours: tuple[Detour, ...] = ()
    configs: tuple[str, ...] = ("config",)
    defaults: tuple[str, ...] = ()
    draft_methods: tuple[str, ...] = ()
    written: Written | None = field(default=None, compare=False)
    """The file that describes it; None of a flow that is built in."""


def load_flow(name: str, package: str = PACKAGE) -> Flow:
    """A built-in flow of an engine by name; raises :class:`BadInput` for any other."""
    flows = ENGINES[package]
    if name not in flows:
        known = f"there is {', '.join(flows)}" if name not in BUILT_IN else f"of {package} there is {', '.join(flows)}"
        raise BadInput(f"no flow named {name!r}: {known}; another one is described in a file given with --flow-file")
    return read_flow(built_in_text(flows[name]), f"{flows[name]}.toml")


def built_in_text(name: str) -> str:
    """The TOML text of what comes with the package."""
    return resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def load_flow_file(path: str) -> Flow:
    """The flow that a TOML file describes; raises :class:`BadInput`."""
    text = read_text(path)
    return replace(read_flow(text, path), written=Written(path, text, tomllib.loads(text)))


def read_text(path: str) -> str:
    """The text of a flow file; BadInput for what is none."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"{path}: the flow file cannot be read: it is {'a folder' if os.path.isdir(path) else 'no regular file'}")
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadInput(f"{path}: larger than {LARGEST // MEBIBYTE} MiB, which no flow file is")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise BadInput(f"{path}: the flow file cannot be read: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or a path that none can have
        raise BadInput(f"{path}: the flow file cannot be read: {error}") from error


def read_flow(text: str, place: str) -> Flow:
    """Build a flow from its TOML text; ``place`` names it in messages."""
    try:
        own = tomllib.loads(text)
        check(own, flow_shape(whole=False))
        data = inherit(own)
        check(data, flow_shape(whole=True))
        return build(data)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{place}: not TOML: {error}") from error
    except RecursionError as error:
        raise BadInput(f"{place}: nested too deeply for a flow") from error
    except Misfit as error:
        where = f"{place}:{line_of(text, error.path)}"
        raise BadInput(f"{where}: {error}; the README says how a flow is described") from error
    except BadInput as error:
        raise BadInput(f"{place}: {error}; the README says how a flow is described") from error


def inherit(data: dict[str, object]) -> dict[str, object]:
    """The table with what it takes over from the built-in one that its key ``extends`` names, and so on from there; in the end what every
    flow supposes."""
    if "extends" not in data:
        return extend(tomllib.loads(built_in_text(COMMON)), data)
    base = text(data, "extends")
    known = (*ENGINES, *dict.fromkeys(file for flows in ENGINES.values() for file in flows.values()))
    if base not in known:
        raise Misfit(f"extends names {short(base)!r}; {told_nearest(base, known)}", ("extends",))
    own = {key: value for key, value in data.items() if key != "extends"}
    taken = inherit(tomllib.loads(built_in_text(base)))
    if not set(table(own, "sink")) & set(table(taken, "sink")):  # another kind of consumer stands by itself
        taken = {key: value for key, value in taken.items() if key != "sink" or "sink" not in own}
    return extend(taken, own)


def build(data: Table) -> Flow:
    return Flow(
        name=text(data, "name"),
        package=text(data, "package"),
        words=texts(data, "words"),
        setters=texts(data, "setters"),
        entry=text(data, "entry") if "entry" in data else "",
        layer_counts=texts(data, "layer_counts"),
        text_configs=texts(data, "text_configs"),
        blank_inputs=texts(data, "blank_inputs"),
        tensor_inputs=texts(data, "tensor_inputs"),
        sink=build_sink(table(data, "sink")),
        kernels={name: text(table(data, "kernels"), name) for name in table(data, "kernels")},
        facts=build_facts(text(data, "package"), entries(data, "assumption")),
        pipeline=build_pipeline(table(data, "pipeline")),
        fallbacks=texts(data, "fallbacks"),
        layer_lists=texts(data, "layer_lists"),
        configs=texts(data, "configs") or ("config",),
        defaults=texts(data, "defaults"),
        draft_methods=texts(data, "draft_methods"),
        boundaries=build_boundaries(table(data, "boundaries")),
        stages=build_stages(table(data, "stages")),
        detours=tuple(map(build_detour, entries(data, "detour"))),
    )


def build_sink(data: Table) -> Sink:
    if "hidden_item" not in data:
        cls, method, hidden_name, captured_name = (text(data, key) for key in SINK)
        return Sink(cls, method, hidden_name, captured_name)
    hidden, captured = data["hidden_item"], data["captured_item"]
    assert isinstance(hidden, int)
    assert isinstance(captured, int)
    if hidden == captured:
        raise Misfit("sink.hidden_item and sink.captured_item are the same item of what the forward returns", ("sink", "captured_item"))
    return Sink(returned=(hidden, captured))


def build_pipeline(data: Table) -> Pipeline:
    phases, paths, moved = table(data, "phases"), table(data, "paths"), table(data, "moved")
    keys, spellings, target_worker, worker_methods, draft_inputs, projections = (texts(data, key) for key in PIPELINE)
    return Pipeline(
        keys, spellings, target_worker, worker_methods, draft_inputs, projections,
        {name: texts(phases, name) for name in phases},
        {name: text(paths, name) for name in paths},
        {name: fact(value, name) for name, value in table(data, "launch").items()},
        {name: fact(value, name) for name, value in table(data, "reader").items()},
        {name: texts(moved, name) for name in moved},
    )  # fmt: skip


def build_stages(data: Table) -> Stages:
    first, last = ({name: fact(value, name) for name, value in table(data, rank).items()} for rank in ("first", "last"))
    starts, ends, handed, flags = (texts(data, key) for key in STAGES)
    return Stages(starts, ends, handed, flags, first, last)


def build_detour(data: Table) -> Detour:
    values = {name: fact(value, name) for name, value in table(data, "values").items()}
    return Detour(text(data, "name"), text(data, "text"), values, texts(data, "opaque"))


def build_boundaries(data: Table) -> Boundaries:
    if not data:
        return Boundaries()
    named = table(data, "operations")
    package, stage, declaration, exit_ = (text(data, key) for key in BOUNDARIES)
    return Boundaries(package, stage, declaration, exit_, texts(data, "aside"), {name: text(named, name) for name in named})


def build_facts(package: str, assumptions: Sequence[Table]) -> Facts:
    supposed: dict[str, dict[str, Supposed]] = {kind: {} for kind in SUPPOSED}
    identities: dict[str, str] = {}
    sentences: dict[str, str] = {}
    for entry in assumptions:
        name = text(entry, "name")
        sentences[name] = text(entry, "text")
        for kind in SUPPOSED:
            supposed[kind] |= {key: Supposed(fact(value, key), name) for key, value in table(entry, kind).items()}
        identities |= dict.fromkeys(texts(table(entry, "identities"), "names"), name)
    return Facts(package, supposed["calls"], supposed["returns"], supposed["values"], identities, sentences)


def table(data: Table, key: str) -> dict[str, object]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise BadInput(f"{key} must be a table")
    return value


def entries(data: Table, key: str) -> list[dict[str, object]]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise BadInput(f"{key} must be tables, each under [[{key}]]")
    return value


def texts(data: Table, key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise BadInput(f"{key} must be a list of texts")
    return tuple(value)


def text(data: Table, key: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value:
        raise BadInput(f"{key} must be a text")
    return value


def fact(value: object, key: str) -> Fact:
    if not isinstance(value, bool | int | float | str):
        raise BadInput(f"what is supposed of {key} must be a number, a text, true or false")
    return value
