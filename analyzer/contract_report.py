"""The text of a contract: each selection of a trainer, what its id lists come to, and how the ids get in and out."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .behaviour import outcome
from .contract_json import assumptions_of, fed
from .report import Detail, legend_report, path_report, source_line, tone_of
from .request import ids_text
from .results import Clause, ContractAnalysis, EngineUse, Evaluation, Export, IdSource, Location, NotEstablished, TrainedList, Training
from .text import Line, Span, line

ORDER = {"ids": "as the ids", "layers": "as the layers", None: "not known"}
MOST_ROWS = 12
"""Rows of a run over every id that are shown besides the convention."""
_LABEL = 14


def contract_report(analysis: ContractAnalysis, by_ids: bool, detail: Detail) -> Iterator[Line]:
    """What the trainer trains on. ``by_ids``: the id lists were given, so each has an answer of its own."""
    if not detail.quiet:
        yield from _header(analysis)
    for training in analysis.trainings:
        yield line()
        yield line(Span(training.flow, "bold"), f"  {training.symbol}  ", Span(str(training.at), "dim"))
        first = next(each for each in analysis.trainings if each.flow == training.flow) is training
        yield from _training(training, by_ids, detail, tuple(map(_export, training.exports)) if first else ())
    yield from _gaps(analysis.not_established)
    if not detail.quiet:
        yield from legend_report(assumptions_of(analysis))


def _header(analysis: ContractAnalysis) -> Iterator[Line]:
    count = Counter(training.status for training in analysis.trainings)
    states = ", ".join(f"{count[status]} {status}" for status in ("established", "depends", "not established") if count[status])
    number = len(analysis.trainings)
    size = f", hidden size {analysis.hidden_size}" if analysis.hidden_size is not None else ""
    yield source_line(analysis.source)
    yield line(f"{number} selection{'' if number == 1 else 's'} for a target of {analysis.num_layers} layers{size}: {states or 'nothing'}")


def _training(training: Training, by_ids: bool, detail: Detail, exports: tuple[str, ...]) -> Iterator[Line]:
    all_rows = by_ids or detail.verbose
    rows = training.evaluated if all_rows else _telling(training)
    if training.status != "established" and not any(_says(training, row) for row in rows):
        yield from _fact("status", (_told(training.status, training.reason, training.reason_at),))
    yield from _fact("convention", tuple(map(_clause, training.convention)))
    if training.order is not None or training.status == "established":
        yield from _fact("order", (ORDER[training.order],))
    several = len({row.evaluation.num_layers for row in training.evaluated}) > 1
    for row in rows if all_rows else rows[:MOST_ROWS]:
        yield from _row(row, several, detail)
    if not all_rows and len(rows) > MOST_ROWS:
        yield from _fact("", (f"and {len(rows) - MOST_ROWS} more id lists; --verbose shows all",))
    yield from _fact("ids from", tuple(map(_source, training.sources)))
    yield from _fact("exports", exports)
    yield from _fact("engine", () if training.engine is None else (_engine(training.engine, training.status == "established"),))
    names = dict.fromkeys(one.name for one in training.assumptions)
    yield from _fact("assumes", (", ".join(names),) if names and not detail.quiet else ())


def _export(export: Export) -> str:
    """A place where the ids are written for an engine; told once for a flow."""
    return f"{export.key}: {export.mapping} ({export.at})"


def _says(training: Training, row: TrainedList) -> bool:
    """Whether a row that is shown gives the selection's reason."""
    evaluation = row.evaluation
    return (training.status, training.reason, training.reason_at) == (evaluation.status, evaluation.reason, evaluation.reason_at)


def _telling(training: Training) -> tuple[TrainedList, ...]:
    """Of a run over every id: the ones that the convention does not tell. These are the default, and where fc does not get what is
    recorded, or the answer is open though the selection is not."""
    whole = training.status == "established"
    return tuple(
        row
        for row in training.evaluated
        if row.evaluation.ids is None or (row.fc is not None and row.fc != row.evaluation.captured) or (whole and _is_open(row))
    )


def _is_open(row: TrainedList) -> bool:
    return row.evaluation.status != "established" or (row.evaluation.error is None and row.fc is None)


def _row(row: TrainedList, count: bool, detail: Detail) -> Iterator[Line]:
    evaluation = row.evaluation
    label = f"ids {ids_text(evaluation.ids)}" if evaluation.ids is not None else "default"
    yield from _fact(label, (*_outcome(evaluation, count), *_missing(row)))
    if detail.verbose:
        yield from path_report(evaluation)


def _outcome(evaluation: Evaluation, count: bool) -> tuple[str, ...]:
    first, *rest = outcome(evaluation)
    return (f"{first} of {evaluation.num_layers} layers" if count and evaluation.captured else first, *rest)


def _missing(row: TrainedList) -> Iterator[str]:
    """What fc gets, where that is not all that is recorded."""
    captured, fc = row.evaluation.captured, fed(row)
    if row.evaluation.status != "established" or row.evaluation.error is not None:
        return
    if fc is None:
        yield f"not established: what of this reaches fc: {_reason(row.fc_reason, row.fc_at)}"
    elif fc != captured:
        lost, other = Counter(captured or ()) - Counter(fc), Counter(fc) - Counter(captured or ())
        kept = tuple(point for point in captured or () if point in fc)
        if lost:
            yield f"not in fc: {', '.join(lost.elements())}"
        if other or kept != fc:
            yield f"fc gets {', '.join(fc) or 'nothing'}"


def _clause(clause: Clause) -> str:
    return f"{clause.when} {clause.captures if clause.captures.startswith('raises ') else f'trains {clause.captures}'}"


def _source(source: IdSource) -> str:
    default = f", default {source.default}" if source.default is not None else ""
    return f"{source.kind} {source.text}{default} ({source.at})"


def _engine(engine: EngineUse, established: bool) -> str:
    """Whom the trainer hands its ids to, and which source of it was read: the trainer alone does not say what that captures."""
    version = ", of any version" if engine.pinned is None else f" {engine.pinned}, asked for at {engine.pinned_at}"
    pinned = f"{engine.name}{version}"
    if engine.version is None and not established:
        return f"{pinned}; {engine.setter}: what that captures stands in the engine (--engine, --model)"
    model = f" of {engine.model}" if engine.model is not None else ""
    return f"{pinned}; {engine.setter}{model}, read in {engine.name} {engine.version or '(version unknown)'}"


def _gaps(entries: Sequence[NotEstablished]) -> Iterator[Line]:
    if entries:
        yield line()
        yield line(Span("Not established", "bold"))
    for entry in entries:
        yield line(f"  {entry.at}: ", Span(f"{entry.what}: {entry.reason}", "yellow"))


def _told(status: str, reason: str | None, at: Location | None) -> str:
    return status if reason is None else f"{status}: {_reason(reason, at)}"


def _reason(reason: str | None, at: Location | None) -> str:
    return f"{reason or 'no reason given'}{f' ({at})' if at is not None else ''}"


def _fact(label: str, texts: Sequence[str]) -> Iterator[Line]:
    """A label and what is so, one line for each text."""
    for number, text in enumerate(texts):
        shown = label if number == 0 else ""
        yield line(Span(f"  {shown:{_LABEL}} ", "dim"), Span(text, tone_of(text)))
