"""The command line. Parses, calls the pipeline and prints; everything but typer is imported where it is used."""
from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .arguments import (
    Baseline,
    Config,
    ContractFile,
    Contracts,
    Debug,
    DiffSource,
    Draft,
    Drafts,
    Drawings,
    Engine,
    FailOn,
    Flow,
    FlowFile,
    FlowFiles,
    Flows,
    Format,
    IdLists,
    Ignore,
    Isolated,
    Key,
    Layers,
    MergeBase,
    Models,
    Outputs,
    Quiet,
    ReportFormat,
    Revisions,
    Rule,
    Select,
    ServeArgs,
    Source,
    Sources,
    Target,
    Timings,
    TraceTrain,
    Train,
    TrainConfig,
    TrainEngine,
    Trainer,
    Verbose,
    View,
    WriteBaseline,
)
from .commands import Command, Commands
from .watching import watched

if TYPE_CHECKING:
    from .diffing import Analyzer
    from .graph import GraphAnalysis
    from .report import Detail
    from .request import ContractRequest, Request
    from .results import Analysis, ContractAnalysis
    from .traces import Trace


app = typer.Typer(
    cls=Commands, pretty_exceptions_enable=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]}
)


@app.callback(invoke_without_command=True)
def _group(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from importlib.metadata import version as installed

        from .output import write

        write(None, f"flowcheck {installed('flowcheck')}\n")
        raise typer.Exit


@app.command(cls=Command)
def check(
    ctx: typer.Context, source: Sources, isolated: Isolated = False, config: Config = None,
    draft: Drafts = None, target: Target = None, train: Train = None, train_config: TrainConfig = None,
    train_engine: TrainEngine = None, serve_args: ServeArgs = None, flow: Flows = None, model: Models = None,
    layers: Layers = None, select: Select = None, ignore: Ignore = None, fail_on: FailOn = "warning",
    baseline: Baseline = None, write_baseline: WriteBaseline = False, flow_file: FlowFiles = None, contract: Contracts = None,
    format: ReportFormat = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what every target class captures and what is wrong with it, also with the draft and the trainer that are given."""
    from .check_command import check_sources
    from .checked import asked_for
    from .given import contracts_of, detail_of, living_of, outputs_of, request_of
    from .options import REPORT_FORMATS

    outputs, detail, living = outputs_of(ctx, REPORT_FORMATS), detail_of(ctx), living_of(ctx)
    requests = [request_of(ctx, each, judged=True) for each in source]
    asked = asked_for(requests, contracts_of(ctx), alone=bool(contract))
    with watched(quiet=quiet, timings=timings):
        return check_sources(asked, pipeline(), living, outputs, detail)


@app.command(cls=Command)
def wiring(
    ctx: typer.Context, source: Source, isolated: Isolated = False, config: Config = None,
    flow: Flows = None, model: Models = None, target: Target = None, layers: Layers = None, ids: IdLists = None,
    flow_file: FlowFiles = None, format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what the target classes capture, for every id or for the --ids given."""
    from .given import detail_of, outputs_of, request_of
    from .output import emit

    outputs, detail, request = outputs_of(ctx), detail_of(ctx), request_of(ctx, source)
    with watched(quiet=quiet, timings=timings):
        analysis = pipeline()(request)
        texts = {"text": lambda colour: _wiring_text(analysis, request, detail, colour), "json": lambda _: _wiring_json(analysis)}
        emit(outputs, texts)
    return 0


@app.command(cls=Command)
def graph(
    ctx: typer.Context, source: Source, isolated: Isolated = False, config: Config = None,
    draft: Draft = None, target: Target = None, train: Train = None, train_config: TrainConfig = None, train_engine: TrainEngine = None,
    serve_args: ServeArgs = None, flow: Flows = None, model: Models = None, layers: Layers = None, ids: IdLists = None,
    flow_file: FlowFiles = None, view: View = None, output: Drawings = None, format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Follow the ids from the config key to the draft's fc: hop by hop, as data, or as a picture."""
    from .given import detail_of, request_of
    from .graph_command import read_asked, show_graph
    from .views import Runs

    detail, asked = detail_of(ctx), read_asked(output or (), format, output_format or (), view)
    request = request_of(ctx, source)
    with watched(quiet=quiet, timings=timings):
        show_graph(request, Runs(graph_pipeline(), pipeline()), asked, detail)
    return 0


@app.command(cls=Command)
def diff(
    ctx: typer.Context, revisions: Revisions, isolated: Isolated = False, config: Config = None,
    source: DiffSource = ".", merge_base: MergeBase = False,
    draft: Drafts = None, target: Target = None, train: Train = None, train_config: TrainConfig = None,
    train_engine: TrainEngine = None, serve_args: ServeArgs = None, flow: Flows = None, model: Models = None,
    layers: Layers = None, select: Select = None, ignore: Ignore = None, fail_on: FailOn = "warning", flow_file: FlowFiles = None,
    contract: Contracts = None, format: ReportFormat = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what a change did to the wirings: of git revisions, folders or wheels; of one of them and the work tree."""
    from .checked import Asked
    from .diff_command import diff_sides, read_sides
    from .given import contracts_of, detail_of, living_of, outputs_of, request_of
    from .options import REPORT_FORMATS

    outputs, detail, living = outputs_of(ctx, REPORT_FORMATS), detail_of(ctx), living_of(ctx)
    sides = read_sides(revisions, source, from_base=merge_base)
    asked = Asked(request_of(ctx, source, judged=True), contracts_of(ctx), alone=bool(contract))
    with watched(quiet=quiet, timings=timings):
        return diff_sides(sides, asked, pipeline(), living, outputs, detail)


@app.command(cls=Command)
def trace(
    ctx: typer.Context, source: Source, key: Key, isolated: Isolated = False, config: Config = None,
    draft: Draft = None, target: Target = None, flow: Flow = None, flow_file: FlowFile = None,
    train: TraceTrain = None, output: Drawings = None, format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Find every reader of a config key: the value that each gets, and where it goes."""
    from .given import detail_of, request_of
    from .graph_command import read_asked
    from .trace_command import show_trace

    detail, asked, request = detail_of(ctx), read_asked(output or (), format, output_format or ()), request_of(ctx, source)
    with watched(quiet=quiet, timings=timings):
        show_trace(trace_pipeline()(request, key), asked, detail)
    return 0


@app.command(cls=Command)
def contract(
    ctx: typer.Context, trainer: Trainer, isolated: Isolated = False, config: Config = None,
    flow: Flows = None, layers: Layers = None, target: Target = None, ids: IdLists = None,
    train_config: TrainConfig = None, engine: Engine = None, model: Models = None, output: ContractFile = None,
    format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, timings: Timings = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what a trainer trains a draft on, for every id or for the --ids given, or write it to a file that check --train reads."""
    from .contract_command import check_file, show_contract
    from .given import contract_request_of, detail_of, outputs_of

    detail, request = detail_of(ctx), contract_request_of(ctx, trainer)
    outputs = outputs_of(ctx) if format is not None or output_format or output is None else ()
    check_file(output, request, outputs)
    with watched(quiet=quiet, timings=timings):
        show_contract(contract_pipeline()(request), request, output, outputs, detail)
    return 0


@app.command(cls=Command)
def rules(format: Format = None, output_format: Outputs = None, debug: Debug = False) -> int:
    """List the rules."""
    from ..rules import RULES
    from .json_report import dumps
    from .options import read_outputs
    from .output import emit
    from .rule_pages import rules_document, rules_report
    from .text import paint

    outputs = read_outputs(format, output_format or ())
    emit(outputs, {"text": lambda colour: paint(rules_report(RULES), colour), "json": lambda _: dumps(rules_document(RULES))})
    return 0


@app.command(cls=Command)
def explain(
    rule: Rule,
    format: Format = None, output_format: Outputs = None, debug: Debug = False,
) -> int:  # fmt: skip
    """Print the page of a rule."""
    from ..rules import RULES
    from .json_report import dumps
    from .options import read_outputs
    from .output import emit
    from .rule import named
    from .rule_pages import rule_document, rule_report
    from .text import paint

    outputs, found = read_outputs(format, output_format or ()), named(RULES, rule)
    emit(outputs, {"text": lambda colour: paint(rule_report(found), colour), "json": lambda _: dumps(rule_document(found))})
    return 0


def pipeline() -> Analyzer:
    """The analysis, imported when it is needed."""
    from .pipeline import Analyzer

    return Analyzer()


def graph_pipeline() -> Callable[[Request], GraphAnalysis]:
    """The analysis of ``graph``, imported when it is needed."""
    from .pipeline import draw_graphs

    return draw_graphs


def trace_pipeline() -> Callable[[Request, str], Trace]:
    """The analysis of ``trace``, imported when it is needed."""
    from .pipeline import trace

    return trace


def contract_pipeline() -> Callable[[ContractRequest], ContractAnalysis]:
    """The analysis of ``contract``, imported when it is needed."""
    from .pipeline import contract

    return contract


def _wiring_text(analysis: Analysis, request: Request, detail: Detail, colour: bool) -> str:
    from ..rules import RULES
    from .judging import judge_all
    from .report import wiring_report
    from .text import paint

    return paint(wiring_report(analysis, judge_all(analysis, RULES).findings, request.ids is not None, detail), colour)


def _wiring_json(analysis: Analysis) -> str:
    from .json_report import dumps, wiring_document

    return dumps(wiring_document(analysis))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 or 1 by the findings, 2 where it could not be done, in one line on stderr."""
    from .errors import BadInput
    from .invocation import complain, report_bug

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = app(given, prog_name="flowcheck", standalone_mode=False)
    except typer.Abort:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 (what is no bad input is a bug of ours, and must not end in the status of a finding)
        if isinstance(error, BadInput) or hasattr(error, "format_message"):  # the latter: typer's usage errors
            complain(error, "--debug" in given)
        else:
            report_bug()
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)

