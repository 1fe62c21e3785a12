"""The command line. Parses, calls the pipeline and prints; everything but typer is imported where it is used."""
from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .arguments import (
    SETTINGS,
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
    Select,
    ServeArgs,
    Source,
    Sources,
    Target,
    TraceTrain,
    Train,
    TrainConfig,
    TrainEngine,
    Trainer,
    Verbose,
    View,
    WriteBaseline,
    given,
    is_of_file,
)

if TYPE_CHECKING:
    from .diffing import Analyzer
    from .graph import GraphAnalysis
    from .report import Detail
    from .request import ContractRequest, Request
    from .results import Analysis, ContractAnalysis
    from .traces import Trace

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Says which hidden states of a target model reach a speculative draft's fc, proved from the engine's source. "
    "`flowcheck SOURCE` is the same as `flowcheck check SOURCE`; for a folder named like a command write ./NAME.",
)


@app.callback(invoke_without_command=True)
def _group(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from importlib.metadata import version as installed

        from .output import write

        write(None, f"flowcheck {installed('flowcheck')}\n")
        raise typer.Exit


@app.command()
def check(
    ctx: typer.Context, source: Sources, isolated: Isolated = False, config: Config = None,
    draft: Drafts = None, target: Target = None, train: Train = None, train_config: TrainConfig = None,
    train_engine: TrainEngine = None, serve_args: ServeArgs = None, flow: Flows = None, model: Models = None,
    layers: Layers = None, select: Select = None, ignore: Ignore = None, fail_on: FailOn = "warning",
    baseline: Baseline = None, write_baseline: WriteBaseline = False, flow_file: FlowFiles = None, contract: Contracts = None,
    format: ReportFormat = None, output_format: Outputs = None, quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what every target class captures and what is wrong with it, also with the draft and the trainer that are given."""
    from .check_command import check_sources, chosen_contracts, read_living
    from .checked import asked_for
    from .options import REPORT_FORMATS, first, read_layers, read_outputs, read_serve_args, rest
    from .request import Request

    if format is not None and is_of_file(ctx, "output_format"):
        output_format = None
    if not is_of_file(ctx, "train"):  # the file's are about another trainer
        train_config = None if is_of_file(ctx, "train_config") and train is not None else train_config
        train_engine = None if is_of_file(ctx, "train_engine") and train is not None else train_engine
    outputs, detail = read_outputs(format, output_format or (), REPORT_FORMATS), _detail(quiet, verbose)
    living = read_living(select or (), ignore or (), fail_on, baseline, write_baseline, ctx.meta.get(SETTINGS))
    drafts = tuple(draft or ())
    narrowed = tuple(flow or ()), tuple(model or ()), target, read_layers(layers), None, first(flow_file)
    compared = drafts[0] if drafts else None, train, train_config, drafts[1:], train_engine
    launch = read_serve_args(serve_args)
    asked = [Request(each, *narrowed, *compared, judged=True, serve_args=launch, more_flow_files=rest(flow_file)) for each in source]
    about = given(ctx, "draft", "target", "train", "train_config", "train_engine", "model", "flow")
    contracts = chosen_contracts(ctx.meta.get(SETTINGS), contract or (), about)
    return check_sources(asked_for(asked, contracts, alone=bool(contract)), pipeline(), living, outputs, detail)


@app.command()
def wiring(
    source: Source, isolated: Isolated = False, config: Config = None,
    flow: Flows = None, model: Models = None, target: Target = None, layers: Layers = None, ids: IdLists = None,
    flow_file: FlowFiles = None, format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what the target classes capture, for every id or for the --ids given."""
    from .options import first, read_id_lists, read_layers, read_outputs, rest
    from .output import emit
    from .request import Request

    outputs, detail = read_outputs(format, output_format or ()), _detail(quiet, verbose)
    narrowed = tuple(flow or ()), tuple(model or ()), target, read_layers(layers), read_id_lists(ids or ())
    request = Request(source, *narrowed, first(flow_file), more_flow_files=rest(flow_file))
    analysis = pipeline()(request)
    emit(outputs, {"text": lambda colour: _wiring_text(analysis, request, detail, colour), "json": lambda _: _wiring_json(analysis)})
    return 0


@app.command()
def graph(
    source: Source, isolated: Isolated = False, config: Config = None,
    draft: Draft = None, target: Target = None, train: Train = None, train_config: TrainConfig = None, train_engine: TrainEngine = None,
    serve_args: ServeArgs = None, flow: Flows = None, model: Models = None, layers: Layers = None, ids: IdLists = None,
    flow_file: FlowFiles = None, view: View = None, output: Drawings = None,
    format: Format = None, output_format: Outputs = None, quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Follow the ids from the config key to the draft's fc: hop by hop, as data, or as a picture."""
    from .graph_command import read_asked, show_graph
    from .options import first, read_id_lists, read_layers, read_serve_args, rest
    from .request import Request
    from .views import Runs

    detail, asked = _detail(quiet, verbose), read_asked(output or (), format, output_format or (), view)
    narrowed = tuple(flow or ()), tuple(model or ()), target, read_layers(layers), read_id_lists(ids or ())
    compared = first(flow_file), draft, train, train_config, (), train_engine
    request = Request(source, *narrowed, *compared, serve_args=read_serve_args(serve_args), more_flow_files=rest(flow_file))
    show_graph(request, Runs(graph_pipeline(), pipeline()), asked, detail)
    return 0


@app.command()
def diff(
    ctx: typer.Context, revisions: Revisions, isolated: Isolated = False, config: Config = None,
    source: DiffSource = ".", merge_base: MergeBase = False,
    draft: Drafts = None, target: Target = None, train: Train = None, train_config: TrainConfig = None,
    train_engine: TrainEngine = None, serve_args: ServeArgs = None, flow: Flows = None, model: Models = None,
    layers: Layers = None, select: Select = None, ignore: Ignore = None, fail_on: FailOn = "warning", flow_file: FlowFiles = None,
    contract: Contracts = None, format: ReportFormat = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what a change did to the wirings: of git revisions, folders or wheels; of one of them and the work tree."""
    from .check_command import chosen_contracts, read_living
    from .checked import Asked
    from .diff_command import diff_sides, read_sides
    from .options import REPORT_FORMATS, first, read_layers, read_outputs, read_serve_args, rest
    from .request import Request

    outputs, detail = read_outputs(format, output_format or (), REPORT_FORMATS), _detail(quiet, verbose)
    living = read_living(select or (), ignore or (), fail_on, None, False, ctx.meta.get(SETTINGS))
    drafts = tuple(draft or ())
    narrowed = tuple(flow or ()), tuple(model or ()), target, read_layers(layers), None, first(flow_file)
    compared = drafts[0] if drafts else None, train, train_config, drafts[1:], train_engine
    launch = read_serve_args(serve_args)
    sides = read_sides(revisions, source, from_base=merge_base)
    request = Request(source, *narrowed, *compared, judged=True, serve_args=launch, more_flow_files=rest(flow_file))
    about = given(ctx, "draft", "target", "train", "train_config", "train_engine", "model", "flow")
    asked = Asked(request, chosen_contracts(ctx.meta.get(SETTINGS), contract or (), about), alone=bool(contract))
    return diff_sides(sides, asked, pipeline(), living, outputs, detail)


@app.command()
def trace(
    source: Source, key: Key, isolated: Isolated = False, config: Config = None,
    draft: Draft = None, target: Target = None, flow: Flow = None, flow_file: FlowFile = None,
    train: TraceTrain = None, output: Drawings = None, format: Format = None, output_format: Outputs = None,
    quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Find every reader of a config key: the value that each gets, and where it goes."""
    from .graph_command import read_asked
    from .request import Request
    from .trace_command import show_trace

    detail, asked = _detail(quiet, verbose), read_asked(output or (), format, output_format or ())
    flows = () if flow is None else (flow,)
    request = Request(source, flows, target=target, flow_file=flow_file, draft=draft, train=train)
    show_trace(trace_pipeline()(request, key), asked, detail)
    return 0


@app.command()
def contract(
    trainer: Trainer, isolated: Isolated = False, config: Config = None,
    flow: Flows = None, layers: Layers = None, target: Target = None, ids: IdLists = None,
    train_config: TrainConfig = None, engine: Engine = None, model: Models = None, output: ContractFile = None,
    format: Format = None, output_format: Outputs = None, quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False,
) -> int:  # fmt: skip
    """Say what a trainer trains a draft on, for every id or for the --ids given, or write it to a file that check --train reads."""
    from .contract_command import check_file, show_contract
    from .options import read_id_lists, read_layers, read_outputs
    from .request import ContractRequest

    detail, formats = _detail(quiet, verbose), output_format or ()
    outputs = read_outputs(format, formats) if format is not None or formats or output is None else ()
    chosen = read_layers(layers), target, read_id_lists(ids or ()), train_config, engine
    request = ContractRequest(trainer, tuple(flow or ()), *chosen, tuple(model or ()))
    check_file(output, request, outputs)
    show_contract(contract_pipeline()(request), request, output, outputs, detail)
    return 0


@app.command()
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


@app.command()
def explain(
    rule: Annotated[str, typer.Argument(metavar="CODE|NAME", help="The rule.")],
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


def _detail(quiet: bool, verbose: bool) -> Detail:
    from .errors import BadInput
    from .report import Detail

    if quiet and verbose:
        raise BadInput("--quiet and --verbose exclude each other")
    return Detail(quiet, verbose)


def _wiring_text(analysis: Analysis, request: Request, detail: Detail, colour: bool) -> str:
    from ..rules import RULES
    from .judging import judge_all
    from .report import wiring_report
    from .text import paint

    return paint(wiring_report(analysis, judge_all(analysis, RULES).findings, request.ids is not None, detail), colour)


def _wiring_json(analysis: Analysis) -> str:
    from .json_report import dumps, wiring_document

    return dumps(wiring_document(analysis))


def with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command first, which is ``check`` where they name none."""
    from .invocation import command_first

    group = typer.main.get_group(app)
    options = [option for command in group.commands.values() for option in command.params]
    takes_value = {name for option in options if not getattr(option, "is_flag", True) for name in option.opts}
    return command_first(arguments, group.commands, takes_value)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 or 1 by the findings, 2 where it could not be done, in one line on stderr."""
    from .errors import BadInput
    from .invocation import complain, report_bug

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = app(with_command(given), prog_name="flowcheck", standalone_mode=False)
    except typer.Abort:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 (what is no bad input is a bug of ours, and must not end in the status of a finding)
        if isinstance(error, BadInput) or hasattr(error, "format_message"):  # the latter: typer's usage errors
            complain(error, "--debug" in given)
        else:
            report_bug()
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)

