"""What a command was given, as data: the request, the outputs, the rules. An option of one name means the same in every command."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from .check_command import Living, chosen_contracts, read_living
from .contracts import NamedContract
from .errors import BadInput
from .options import FORMATS, Output, read_id_lists, read_layers, read_outputs, read_serve_args
from .report import Detail
from .request import ContractRequest, Request
from .settings import Settings

SETTINGS = "flowcheck.settings"
"""Where a command finds the settings of the file, among what its context carries."""
ABOUT = ("draft", "target", "train", "train_config", "train_engine", "model", "flow")
"""The options that say what a check is about, in place of the contracts of the settings."""


class Source(Protocol):
    """Where a value is from: DEFAULT_MAP is the file of settings."""

    @property
    def name(self) -> str: ...


class Context(Protocol):
    """What the command line knows of a command that is run."""

    @property
    def params(self) -> Mapping[str, object]: ...
    @property
    def meta(self) -> Mapping[str, object]: ...
    def get_parameter_source(self, name: str, /) -> Source | None: ...


def texts(ctx: Context, name: str) -> tuple[str, ...]:
    """The values of an option, in order; none where it is not given."""
    value = ctx.params.get(name)
    return (value,) if isinstance(value, str) else tuple(map(str, value)) if isinstance(value, Sequence) else ()


def text(ctx: Context, name: str) -> str | None:
    """The value of an option that is given once; the first of several."""
    return next(iter(texts(ctx, name)), None)


def is_of(ctx: Context, name: str, source: str) -> bool:
    found = ctx.get_parameter_source(name)
    return found is not None and found.name == source


def detail_of(ctx: Context) -> Detail:
    """How much is printed."""
    quiet, verbose = bool(ctx.params.get("quiet")), bool(ctx.params.get("verbose"))
    if quiet and verbose:
        raise BadInput("--quiet and --verbose exclude each other")
    return Detail(quiet, verbose)


def outputs_of(ctx: Context, formats: Sequence[str] = FORMATS) -> tuple[Output, ...]:
    """The renderings that are wanted. ``--format`` takes the place of those that the file of settings names."""
    short = text(ctx, "format")
    long = () if short is not None and is_of(ctx, "output_format", "DEFAULT_MAP") else texts(ctx, "output_format")
    return read_outputs(short, long, formats)


def request_of(ctx: Context, source: str, *, judged: bool = False) -> Request:
    """The run over one source."""
    drafts, flow_files = texts(ctx, "draft"), texts(ctx, "flow_file")
    other = is_of(ctx, "train", "COMMANDLINE")  # what the file says of its trainer is not about this one
    train_config, train_engine = (
        None if other and is_of(ctx, name, "DEFAULT_MAP") else text(ctx, name) for name in ("train_config", "train_engine")
    )
    return Request(
        source, texts(ctx, "flow"), texts(ctx, "model"), text(ctx, "target"), read_layers(text(ctx, "layers")),
        read_id_lists(texts(ctx, "ids")), next(iter(flow_files), None), next(iter(drafts), None), text(ctx, "train"), train_config,
        drafts[1:], train_engine, judged, serve_args=read_serve_args(text(ctx, "serve_args")), more_flow_files=flow_files[1:],
    )  # fmt: skip


def contract_request_of(ctx: Context, trainer: str) -> ContractRequest:
    """The run over a trainer."""
    return ContractRequest(
        trainer, texts(ctx, "flow"), read_layers(text(ctx, "layers")), text(ctx, "target"), read_id_lists(texts(ctx, "ids")),
        text(ctx, "train_config"), text(ctx, "engine"), texts(ctx, "model"),
    )  # fmt: skip


def settings_of(ctx: Context) -> Settings | None:
    found = ctx.meta.get(SETTINGS)
    return found if isinstance(found, Settings) else None


def living_of(ctx: Context) -> Living:
    """How to live with what is found."""
    fail_on, baseline = text(ctx, "fail_on") or "warning", text(ctx, "baseline")
    write = bool(ctx.params.get("write_baseline"))
    return read_living(texts(ctx, "select"), texts(ctx, "ignore"), fail_on, baseline, write, settings_of(ctx))


def contracts_of(ctx: Context) -> tuple[NamedContract, ...]:
    """The contracts of the settings that are checked."""
    narrowed = [f"--{name.replace('_', '-')}" for name in ABOUT if is_of(ctx, name, "COMMANDLINE")]
    return chosen_contracts(settings_of(ctx), texts(ctx, "contract"), narrowed)
