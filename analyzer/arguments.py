"""What the commands take: each argument and option with its name, its metavar and its line of help."""
from __future__ import annotations

from typing import Annotated

import typer

from . import completion


def isolate(ctx: typer.Context, given: bool) -> bool:
    """``--isolated``: remembered before the file is looked for."""
    ctx.meta[ISOLATED] = given
    _together(ctx)
    return given


def configure(ctx: typer.Context, given: str | None) -> str | None:
    """The settings of a file become the defaults of the command. A shell that asks how a line goes on has no use for them."""
    if ctx.resilient_parsing:
        return given
    import os

    from .given import SETTINGS
    from .settings import find_settings, read_settings

    ctx.meta[GIVEN] = given
    _together(ctx)
    if ctx.meta.get(ISOLATED):
        return given
    settings = find_settings(os.getcwd()) if given is None else read_settings(given, given)
    if settings is not None:
        ctx.meta[SETTINGS] = settings
        ctx.default_map = settings.defaults(ctx.info_name or "")
    return given


def _together(ctx: typer.Context) -> None:
    if ctx.meta.get(ISOLATED) and ctx.meta.get(GIVEN) is not None:
        raise typer.BadParameter("--config and --isolated exclude each other")


ISOLATED, GIVEN = "flowcheck.isolated", "flowcheck.config"


Source = Annotated[str, typer.Argument(metavar="SOURCE", help="A folder, an archive (wheel, zip, tar) or an installed package.")]
Flows = Annotated[
    list[str] | None,
    typer.Option("--flow", metavar="NAME", autocompletion=completion.flows, help="Only this flow. Repeatable."),
]
Models = Annotated[list[str] | None, typer.Option("--model", metavar="CLASS", help="Only this target class. Repeatable.")]
Target = Annotated[str | None, typer.Option("--target", metavar="DIR|CONFIG", help="The target's config.json, or its folder.")]
Sources = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE", help="Folders, archives (wheel, zip, tar) or installed packages: of several, each by itself."),
]
Revisions = Annotated[
    list[str],
    typer.Argument(metavar="[OLD] NEW", help="Git revisions, folders or wheels; of one alone, what has changed since in the work tree."),
]
DiffSource = Annotated[
    str,
    typer.Option("--source", metavar="DIR", help="The folder of the work tree that revisions are read at.", show_default="here"),
]
MergeBase = Annotated[bool, typer.Option("--merge-base", help="Begin where OLD and NEW (or BASE and HEAD) parted.")]
Draft = Annotated[str | None, typer.Option("--draft", metavar="DIR|CONFIG", help="The draft's config.json, or its folder.")]
Train = Annotated[
    str | None,
    typer.Option("--train", metavar="SOURCE|CONTRACT", help="The source of the trainer that the draft was trained with, or its contract."),
]
Drafts = Annotated[
    list[str] | None,
    typer.Option("--draft", metavar="DIR|CONFIG", help="A draft's config.json, its folder, or a folder of drafts. Repeatable."),
]
TrainConfig = Annotated[str | None, typer.Option("--train-config", metavar="FILE", help="The config of the training run, in JSON.")]
TrainEngine = Annotated[
    str | None, typer.Option("--train-engine", metavar="SOURCE", help="The source of the engine that the trainer captures with.")
]
ServeArgs = Annotated[str | None, typer.Option("--serve-args", metavar="\"FLAGS\"", help="The flags that the engine is launched with.")]
Layers = Annotated[str | None, typer.Option("--layers", metavar="N", help="The number of layers of the target.")]
IdLists = Annotated[
    list[str] | None,
    typer.Option("--ids", metavar="2,30,58|default", autocompletion=completion.id_lists, help="An id list. Repeatable."),
]
Drawings = Annotated[
    list[str] | None,
    typer.Option("-o", "--output", metavar="FILE", help="Draw a picture: .svg, .png, .pdf, .dot or .mmd. Repeatable."),
]
Key = Annotated[str, typer.Argument(metavar="KEY", autocompletion=completion.keys, help="The name of an entry of a config.")]
Flow = Annotated[
    str | None,
    typer.Option("--flow", metavar="NAME", autocompletion=completion.flows, help="The flow by whose way the engine is launched."),
]
View = Annotated[
    str | None,
    typer.Option(
        "--view", metavar="VIEW", autocompletion=completion.views,
        help="What the picture shows: pipeline (default), path, flow, compare or models.",
    ),
]
TraceTrain = Annotated[str | None, typer.Option("--train", metavar="SOURCE", help="The source of a trainer: its readers too.")]
Trainer = Annotated[str, typer.Argument(metavar="TRAINER", help="A folder, an archive or an installed package.")]
Engine = Annotated[str | None, typer.Option("--engine", metavar="SOURCE", help="The source of the engine that the trainer captures with.")]
ContractFile = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the contract of one list of ids: a .json.")]
FlowFile = Annotated[str | None, typer.Option("--flow-file", metavar="FILE", help="A TOML file that describes a flow.")]
FlowFiles = Annotated[list[str] | None, typer.Option("--flow-file", metavar="FILE", help="A TOML file that describes a flow. Repeatable.")]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select", metavar="CODES", autocompletion=completion.rules, help="Only these rules: codes, names, families (FC2). Repeatable."
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="CODES", autocompletion=completion.rules, help="Not these rules. Repeatable.")
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", metavar="info|warning|error", autocompletion=completion.severities, help="Exit with 1 on findings this bad."
    ),
]
Format = Annotated[
    str | None, typer.Option("--format", metavar="text|json", autocompletion=completion.formats, help="The format on stdout.")
]
ReportFormat = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", autocompletion=completion.report_formats,
        help="The format on stdout: text, concise, json, sarif, github, markdown, junit.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output-format", metavar="FORMAT[:FILE]", autocompletion=completion.report_formats, help="A format and its file. Repeatable."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="The bare result: no header, no legend; of a check the findings alone.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="With the derivation of each result, hop by hop.")]
Baseline = Annotated[str | None, typer.Option("--baseline", metavar="FILE", help="Do not report the findings that this file knows.")]
WriteBaseline = Annotated[bool, typer.Option("--write-baseline", help="Write what is found now to the baseline.")]
Contracts = Annotated[
    list[str] | None,
    typer.Option(
        "--contract", metavar="NAME", autocompletion=completion.contracts,
        help="Check this contract of the settings, and nothing else. Repeatable.",
    ),
]
Isolated = Annotated[bool, typer.Option("--isolated", is_eager=True, callback=isolate, help="Without any file of settings.")]
Config = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", is_eager=True, callback=configure, help="The file of settings: a flowcheck.toml or pyproject.toml."
    ),
]
Timings = Annotated[bool, typer.Option("--timings", help="Say on stderr what each step took, and the slowest target classes.")]
Rule = Annotated[str, typer.Argument(metavar="CODE|NAME", autocompletion=completion.rule, help="The rule.")]
Debug = Annotated[bool, typer.Option("--debug", help="A traceback for bad input too.")]
