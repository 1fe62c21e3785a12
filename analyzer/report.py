"""The text of a run: wirings grouped by behaviour, or one answer for each id list; then what could not be established, and why."""
from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from .agreement import agreement
from .behaviour import Block, Fact, blocks, condition_places, evaluation_of, members, outcome, raised_at, special_rows
from .coverage import proved
from .files_report import files_report
from .json_report import legend, legend_of
from .request import ids_text
from .results import Analysis, Assumption, Comparison, DefaultInEffect, Evaluation, Side, SourceFacts, Wiring
from .rule import Finding, Severity
from .text import Line, Span, Tone, line
from .verdicts import verdict_table

SEVERITY_TONES: dict[Severity, Tone] = {Severity.INFO: "dim", Severity.WARNING: "yellow", Severity.ERROR: "red"}
_VERDICT: dict[str, Line] = {
    "same": line(Span(": served = trained", "bold")),
    "open": line(Span(": whether served = trained is not established", "yellow")),
}
_LABEL = 14
FACTS = ("FC301", "FC303", "FC307")
"""What the table of wirings tells too, as long as no id in hand is hit."""
UNDECIDABLE = "give the trainer's source with --train"


@dataclass(frozen=True, slots=True)
class Detail:
    """How much is printed."""

    quiet: bool = False
    verbose: bool = False
    brief: bool = False
    """Without the table of wirings, and without the sentences of the assumptions that are named there."""


def wiring_report(analysis: Analysis, findings: Sequence[Finding], by_ids: bool, detail: Detail) -> Iterator[Line]:
    """What the targets capture. ``by_ids``: the id lists were given, so each has an answer of its own."""
    if not detail.quiet:
        yield from _header(analysis)
    if not detail.brief:
        yield from _answers(analysis.wirings, detail) if by_ids else _table(analysis.wirings, detail)
    told = {(found.flow, found.model) for found in findings if found.path}
    if len({comparison.draft for comparison in analysis.comparisons}) > 1:
        yield line()
        yield from verdict_table((analysis,))
    yield from _comparisons(analysis.comparisons, told, detail)
    yield from findings_report(findings, detail, analysis)
    if not detail.quiet and not detail.brief:
        yield from legend_report(legend(analysis))
    yield from files_report(analysis.files) if detail.verbose else ()


def check_report(analysis: Analysis, findings: Sequence[Finding], detail: Detail) -> Iterator[Line]:
    """The wirings and the findings; the findings alone where little is wanted."""
    if detail.quiet:
        yield from findings_report(findings, detail, analysis)
    else:
        yield from wiring_report(analysis, findings, False, detail)


def sources_report(judged: Sequence[tuple[Analysis, Sequence[Finding]]], detail: Detail) -> Iterator[Line]:
    """Several sources: how each serves the drafts, in a table, then the findings of each. Without a draft, or with all details, each has
    its whole report."""
    compared = any(analysis.comparisons for analysis, _ in judged)
    if compared and not detail.quiet:
        yield from verdict_table([analysis for analysis, _ in judged])
    for number, (analysis, findings) in enumerate(judged):
        yield from (line(),) if (number or compared) and not detail.quiet else ()
        if compared and not detail.verbose and not detail.quiet:
            yield source_line(analysis.source)
            yield from findings_report(findings, detail, analysis)
        else:
            yield from check_report(analysis, findings, detail)


def findings_report(findings: Sequence[Finding], detail: Detail, analysis: Analysis, *, titled: bool = True) -> Iterator[Line]:
    """Defects first, then what could not be established, then comments that are of no use."""
    for title in ("Findings", "Not established", "Suppressions"):
        group = [found for found in findings if _titled(found) == title]
        if any(not is_folded(found, detail) for found in group):
            yield from (line(), line(Span(title, "bold"))) if titled and not detail.quiet else ()
            indent = "" if detail.quiet else "  "
            for found in (found for found in group if not is_folded(found, detail)):
                yield from finding_report(found, detail, indent, analysis)
    counted = Counter(found.code for found in findings if is_folded(found, detail))
    if counted and not detail.quiet and not detail.brief:
        told = ", ".join(f"{code} at {count} place{'' if count == 1 else 's'}" for code, count in sorted(counted.items()))
        yield from (line(), line(Span(f"Known of the default and of ids at the edges: {told} (--verbose tells each)", "dim")))


def is_folded(found: Finding, detail: Detail) -> bool:
    """Whether a fact stands in the table of wirings already."""
    return found.severity == Severity.INFO and found.code in FACTS and not detail.verbose


def _titled(found: Finding) -> str:
    return "Findings" if not found.code.startswith("FC9") else "Suppressions" if found.code == "FC903" else "Not established"


def source_line(source: SourceFacts) -> Line:
    """What was read."""
    name = Span(f"{source.package} {source.version or '(version unknown)'}", "bold")
    return line(name, f" in {source.root}: {source.files} files, {source.read} read")


def _header(analysis: Analysis) -> Iterator[Line]:
    counted = proved(analysis.wirings)
    yield source_line(analysis.source)
    yield line(str(counted))
    for reason in counted.reasons:
        text = f"on {reason.text}" if reason.status == "depends" else f"since {reason.text}"
        verb = reason.status if reason.status == "not established" or reason.wirings == 1 else "depend"
        yield line("  ", Span(f"{reason.wirings} {verb} {text}", "dim"))


def _table(wirings: Sequence[Wiring], detail: Detail) -> Iterator[Line]:
    for (flow, setter), group in _sections(wirings):
        for number, block in enumerate(blocks(group), 1):
            classes = sum(len(member.models) for member in block.members)
            yield line()
            yield line(Span(f"{flow} {setter}", "bold"), f" · behaviour {number} · {classes} target class{'' if classes == 1 else 'es'}")
            yield from _block(block, detail)


def _sections(wirings: Sequence[Wiring]) -> Iterable[tuple[tuple[str, str], list[Wiring]]]:
    sections: dict[tuple[str, str], list[Wiring]] = {}
    for wiring in wirings:
        sections.setdefault((wiring.flow, wiring.setter), []).append(wiring)
    return sections.items()


def _block(block: Block, detail: Detail) -> Iterator[Line]:
    used = [{assumption.name for assumption in _assumptions(member.wiring)} for member in block.members]
    common = set.intersection(*used)
    for fact in (*block.facts, *([Fact("assumes", (", ".join(sorted(common)),))] if common else [])):
        yield from _fact(fact)
    for member, names in zip(block.members, used, strict=True):
        yield line("    ", Span(", ".join(member.models), "bold"))
        yield line("      ", Span(_places(member.wiring, special_rows(member.wiring)), "dim"))
        if names - common:
            yield line(f"      assumes {', '.join(sorted(names - common))} too")
        default = evaluation_of(member.wiring, None)
        if detail.verbose and default is not None:
            yield from path_report(default)


def _fact(fact: Fact) -> Iterator[Line]:
    labels = (fact.label, *[""] * len(fact.texts))
    for label, text in zip(labels, fact.texts, strict=False):
        yield line(Span(f"  {label:{_LABEL}}", "dim"), Span(text, tone_of(text)))


def tone_of(text: str) -> Tone:
    return "red" if text.startswith("raises ") else "yellow" if text.startswith(("not established", "depends", "or ")) else "plain"


def _places(wiring: Wiring, rows: Sequence[Evaluation]) -> str:
    """The places of a wiring: its setter and its forward; where there are rows, the conditions that they hang on, and where they raise. The
    file once where it is the same."""
    raises: dict[str, list[str]] = {}
    for row in rows:
        place = raised_at(row.error)
        if place:
            raises.setdefault(place, []).append(ids_text(row.ids))
    home = f"{wiring.at.file}:"
    parts = [f"forward {wiring.forward.cls} {wiring.forward.at}"] if wiring.forward else []
    parts += [f"asks {place}" for place in condition_places(wiring) if rows]
    parts += [f"raises at {place} (ids {_some(ids)})" for place, ids in raises.items()]
    return "; ".join([f"setter {wiring.at}", *(part.replace(f" {home}", " line ") for part in parts)])


def _some(ids: Sequence[str]) -> str:
    shown = " · ".join(ids[:3])
    return shown if len(ids) <= 3 else f"{shown} and {len(ids) - 3} more"


def _answers(wirings: Sequence[Wiring], detail: Detail) -> Iterator[Line]:
    for member in members(wirings):
        wiring = member.wiring
        counts = {row.num_layers for row in wiring.evaluated}
        common = set.intersection(*({one.name for one in row.assumptions} for row in wiring.evaluated)) if wiring.evaluated else set()
        yield line()
        yield line(Span(", ".join(member.models), "bold"), f"  {wiring.flow} {wiring.setter}")
        yield line("  ", Span(_places(wiring, ()), "dim"))
        shared = [f"{count} layers" for count in counts if len(counts) == 1] + [f"assumes {', '.join(sorted(common))}"] * bool(common)
        yield from [line("  ", Span("; ".join(shared), "dim"))] if shared else []
        width = min(max((len(ids_text(row.ids)) for row in wiring.evaluated), default=0), 30)
        for row in wiring.evaluated:
            yield from _answer(row, width, len(counts) > 1, common, detail)
        if not wiring.evaluated:
            yield line("  ", Span(_whole(wiring), "yellow"))


def _whole(wiring: Wiring) -> str:
    where = f" ({wiring.reason_at})" if wiring.reason_at else ""
    return f"{wiring.status}: {wiring.reason or 'nothing was run'}{where}"


def _answer(row: Evaluation, width: int, count: bool, common: set[str], detail: Detail) -> Iterator[Line]:
    label = f"  {ids_text(row.ids):{width}}  " + (f"of {row.num_layers} layers  " if count else "")
    more = sorted({one.name for one in row.assumptions} - common)
    for number, text in enumerate(outcome(row)):
        assumed = f"  [assumes {', '.join(more)}]" if more and number == 0 else ""
        yield line(label if number == 0 else " " * len(label), Span(text, tone_of(text)), Span(assumed, "dim"))
    if detail.verbose:
        yield from path_report(row)


def path_report(evaluation: Evaluation) -> Iterator[Line]:
    for step in evaluation.path:
        yield line("        ", Span(str(step), "dim"))


def _comparisons(comparisons: Sequence[Comparison], told: AbstractSet[tuple[str | None, str | None]], detail: Detail) -> Iterator[Line]:
    """What each target class serves the draft, next to what the draft was trained on. ``told``: a finding prints the ways of these."""
    for comparison in comparisons:
        served, trained = comparison.served, comparison.trained
        verdict = _VERDICT.get(agreement(comparison) or "", line())
        ways = detail.verbose and (comparison.flow, comparison.model) not in told
        yield line()
        yield line(Span("Draft", "bold"), f"{_named(comparison, comparisons)} with {comparison.model}", *verdict)
        for label, side, default in (("served", served, comparison.default), ("trained", trained, None)):
            if side is not None:
                tone: Tone = "plain" if side.points is not None else "yellow"
                yield line(Span(f"  {label:{_LABEL}}", "dim"), Span(side_text(side, default), tone))
                yield from (line("        ", Span(str(step), "dim")) for step in side.path if ways)
        if trained is None and served.points is not None:
            yield line(Span(f"  {'trained':{_LABEL}}", "dim"), f"not known, so that the right list is not decidable: {UNDECIDABLE}")


def _named(comparison: Comparison, comparisons: Sequence[Comparison]) -> str:
    """The draft's path, where there are several."""
    return f" {comparison.draft}" if len({each.draft for each in comparisons}) > 1 else ""


def side_text(side: Side, default: DefaultInEffect | None) -> str:
    """The points of one side, and the ids that select them with their place; or that a guess stands in for ids."""
    if side.points is None:
        return f"{side.status}: {side.reason}" + (f" ({side.reason_at})" if side.reason_at else "")
    if default is not None:
        guess = "the default" if side.ids is None else f"the default {ids_text(side.ids)}"
        return f"{', '.join(side.points) or 'nothing'}  (a guess, {guess}: {default.key} is not found at {default.at})"
    ids = [f"ids {ids_text(side.ids)}"] if side.ids is not None else []
    place = ", ".join([*ids, *([str(side.at)] if side.at is not None else [])])
    return f"{', '.join(side.points) or 'nothing'}" + (f"  ({place})" if place else "")


def _assumptions(wiring: Wiring) -> tuple[Assumption, ...]:
    return legend_of((wiring,))


def legend_report(assumptions: Sequence[Assumption]) -> Iterator[Line]:
    """Each assumption with its sentence."""
    if not assumptions:
        return
    yield line()
    yield line(Span("Assumptions used", "bold"))
    width = max(len(assumption.name) for assumption in assumptions)
    for assumption in assumptions:
        label = f"  {assumption.name:{width}}  "
        for number, text in enumerate(textwrap.wrap(assumption.text, 100) or [""]):
            yield line(label if number == 0 else " " * len(label), text)


def finding_report(found: Finding, detail: Detail, indent: str, analysis: Analysis, around: Finding | None = None) -> Iterator[Line]:
    """A finding; ``around`` is the one that it follows from, which has told the ways."""
    yield line(indent, f"{found.at}: ", Span(str(found.severity), SEVERITY_TONES[found.severity]), f" {found.code} {found.message}")
    loud = found.severity > Severity.INFO and not detail.quiet
    yield from _excerpt(found, indent, analysis) if loud and (around is None or around.at != found.at) else ()
    yield from (line(f"{indent}  {hop.at}: {hop.label}") for hop in found.path if around is None and (detail.verbose or loud))
    if found.help and around is None:
        yield line(f"{indent}  help: {found.help}")
    for consequence in found.consequences:
        yield from finding_report(consequence, detail, indent + "    ", analysis, found)


def _excerpt(found: Finding, indent: str, analysis: Analysis) -> Iterator[Line]:
    """The line that a finding is about, with a mark below the place in it."""
    text = analysis.excerpt(found.at)
    if text is None:
        return
    first = len(text) - len(text.lstrip())
    number = str(found.at.line)
    column = max(found.column - 1 - first, 0) if found.column - 1 < len(text) else 0
    yield line(f"{indent}  ", Span(f"{number} | ", "dim"), text.lstrip().replace("\t", " "))
    yield line(f"{indent}  ", Span(f"{' ' * len(number)} | ", "dim"), " " * column, Span("^", SEVERITY_TONES[found.severity]))
