"""The command ``check``: what is asked of every source, and what is done with what is found: judged, set aside, printed, written down."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..rules import RULES
from .baseline import Baseline, Book, baseline_text, read_baseline
from .checked import Asked, Checked, check_source
from .contracts import NamedContract
from .errors import BadInput
from .escape import terminal
from .formats import renderers
from .json_report import dumps
from .judging import Judged, judge_all
from .kept_json import checked_document
from .kept_report import checked_report
from .layout import printed_path
from .nearest import hint
from .options import Output
from .output import emit, write
from .paths import PathIgnore, without_ignored
from .report import Detail
from .request import Request
from .results import Analysis
from .rule import Rule, Severity, chosen, severity
from .settings import Settings
from .steps import make_room
from .text import Line, Span, line, paint
from .told import aside_text
from .told_contracts import told_of

DEFAULT_BASELINE = ".flowcheck-baseline.json"


@dataclass(frozen=True, slots=True)
class Living:
    """How to live with what is found: the rules that are run, from which severity on the run fails, what is ignored by its path, and the
    baseline, which is to be written anew or read; the file that ``settings`` come from, as it is printed."""

    rules: tuple[Rule, ...]
    least: Severity
    ignores: tuple[PathIgnore, ...] = ()
    baseline: str | None = None
    write: bool = False
    settings: str | None = None


def read_living(
    select: Sequence[str], ignore: Sequence[str], fail_on: str, baseline: str | None, write_it: bool, settings: Settings | None
) -> Living:
    """What the options and the file of settings say of it. A baseline that is to be written and is named nowhere lies beside that file."""
    ignores = settings.ignores if settings is not None else ()
    if write_it and baseline is None:
        beside = settings.folder if settings is not None else os.getcwd()
        baseline = printed_path(os.path.join(beside, DEFAULT_BASELINE), keep_absolute=False)
    return Living(chosen(RULES, select, ignore), severity(fail_on), ignores, baseline, write_it, settings.shown if settings else None)


def chosen_contracts(settings: Settings | None, names: Sequence[str], narrowed: Sequence[str]) -> tuple[NamedContract, ...]:
    """The contracts that are checked: those that are named, else all of the settings, unless options of the command line say what the run
    is about."""
    contracts = settings.contracts if settings is not None else ()
    if not names:
        return () if narrowed else contracts
    if narrowed:
        raise BadInput(f"--contract: a contract says itself what it is about: leave out {narrowed[0]}")
    known = {each.name: each for each in contracts}
    for name in names:
        if name not in known:
            there = hint(name, tuple(known)) or f"; there are {', '.join(known) or 'none'}"
            where = settings.shown if settings is not None else "no file of settings"
            raise BadInput(f"--contract {name}: {where} has no contract of this name{there}")
    return tuple(known[name] for name in dict.fromkeys(names))


def check_sources(
    asked: Sequence[Asked], analyze: Callable[[Request], Analysis], living: Living, outputs: Sequence[Output], detail: Detail
) -> int:
    """Check every source by itself, and print; 1 where something bad is found that nothing sets aside."""
    known = read_baseline(living.baseline) if living.baseline is not None and not living.write else None
    checked = [check_source(each, analyze, lambda analysis: _judged(analysis, living)) for each in asked]
    if living.write and living.baseline is not None:
        known = _written([part for each in checked for part in each.parts], living.baseline)
    book = None if known is None else Book(known)
    checked = [each.without_known(book) if book else each for each in checked]
    gone = book.gone([analysis for each in checked for analysis, _ in each.parts], living.rules) if book else 0
    texts = {
        **renderers([told_of(each) for each in checked], living.rules, living.least, detail),
        "text": lambda colour: paint((*checked_report(checked, detail), *_aside_report(checked, gone, living.settings, detail)), colour),
        "json": lambda _: dumps(checked_document(checked, gone)),
    }
    emit(outputs, texts)
    return 1 if any(each.fails(living.least) for each in checked) else 0


def _judged(analysis: Analysis, living: Living) -> Judged:
    return without_ignored(judge_all(analysis, living.rules, RULES), living.ignores)


def _written(judged: Sequence[tuple[Analysis, Judged]], file: str) -> Baseline:
    """The baseline of all that is found now."""
    if not file.endswith(".json"):
        raise BadInput(f"--baseline {file}: a baseline's name ends in .json")
    text, count = baseline_text(judged, file)
    write(file, text)
    make_room()
    findings = f"{count} finding{'' if count == 1 else 's'}"
    print(f"flowcheck: {findings} written to {terminal(file)}; --baseline {terminal(file)} leaves them out from now on", file=sys.stderr)
    return read_baseline(file)


def _aside_report(checked: Sequence[Checked], gone: int, settings: str | None, detail: Detail) -> Iterator[Line]:
    """How many findings are not reported, and by what; with all details, each of them. Where the settings are from."""
    aside = [each for one in checked for each in one.aside]
    if detail.quiet or not (aside or gone or settings):
        return
    yield line()
    if aside:
        yield line(Span("Set aside", "bold"), ": ", aside_text(aside))
    for each in aside if detail.verbose else ():
        found = each.finding
        yield line(f"  {found.at}: {found.severity} {found.code} {found.message}", Span(f"  [{each.by}: {each.reason}]", "dim"))
    if gone:
        entries = f"{gone} {'entry' if gone == 1 else 'entries'} of the baseline {'is' if gone == 1 else 'are'} gone"
        yield line(f"{entries}: write it anew with --write-baseline")
    if settings is not None:
        yield line(Span(f"Settings of {settings}", "dim"))
