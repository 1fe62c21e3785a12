"""A check as a comment on a pull request: what there is, in tables; the way of the worst finding, as a picture; each finding, folded."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .agreement import verdict
from .comment import Comment, block, picture
from .contracts import Kept
from .coverage import proved
from .escape import clipped, markdown_code, markdown_text
from .path_diagram import diagram, ways_of
from .report import Detail, is_folded
from .results import Analysis
from .rule import Finding, Severity
from .told import Told, aside_text, counted, plain_path
from .verdicts import cells, names

LONGEST_CELL = 400
"""Characters of the source in one cell."""
MOST_HOPS = 60
MOST_SOURCES = 50

WRONG = ("other", "order", "stage", "width")


def check_comment(told: Sequence[Told], detail: Detail) -> str:
    """The comment. Facts that the table of wirings tells are counted, as in the text."""
    shown = [(found, each) for each in told for found in each.present if not is_folded(found, detail)]
    shown.sort(key=lambda item: -item[0].severity)
    findings = [found for found, _ in shown]
    comment = Comment()
    comment.add(f"### flowcheck: {counted(findings) or 'nothing found'}")
    comment.add("\n".join(f"* {_about(each.analysis)}" for each in told[:MOST_SOURCES]))
    comment.left_out["source"] += max(len(told) - MOST_SOURCES, 0)
    _verdicts(comment, [each.analysis for each in told])
    add_contracts(comment, [kept for each in told for kept in each.contracts])
    comment.table(("", "rule", "where", "what"), (_row(*item) for item in shown), "row", share=0.45)
    add_worst(comment, findings)
    for item in shown:
        add_finding(comment, *item)
    _facts(comment, told, detail)
    return comment.text()


def add_worst(comment: Comment, findings: Sequence[Finding]) -> None:
    """The ways of the worst finding that has any, as a picture."""
    bad = sorted((each for each in findings if each.path and each.severity > Severity.INFO), key=lambda each: -each.severity)
    if bad:
        end = f"{bad[0].code} {bad[0].rule}"
        comment.add(picture(diagram(ways_of(bad[0]), end)), "picture")


def add_finding(comment: Comment, found: Finding, told: Told) -> None:
    """A finding with its path, folded."""
    place = markdown_code(f"{plain_path(found.at.file, told.analysis.source)}:{found.at.line}")
    comment.fold(f"{found.code} {markdown_text(found.rule)} at {place}", _body(found, told), "finding's detail")


def _about(analysis: Analysis) -> str:
    source = analysis.source
    name = markdown_code(f"{source.package} {source.version or '(version unknown)'}")
    return f"{name} in {markdown_code(source.root)}: {proved(analysis.wirings)}"


def _verdicts(comment: Comment, analyses: Sequence[Analysis]) -> None:
    """Each draft with each target class: what it is served, what it was trained on. A column in which all rows are alike is left out."""
    rows = [(name, each) for name, analysis in zip(names(analyses), analyses, strict=True) for each in analysis.comparisons]
    titles = ("source", "draft", "target", "served", "trained", "verdict")
    kept = {"target", "served", "trained", "verdict", *(["source"] if len(analyses) > 1 else [])}
    kept |= {"draft"} if len({each.draft for _, each in rows}) > 1 else set()
    table = []
    for name, each in rows:
        found = verdict(each)
        texts = [markdown_code(clipped(text, LONGEST_CELL)) if text else "" for text in cells(name, each)]
        row = zip(titles, (*texts, f"**{found}**" if found in WRONG else found), strict=True)
        table.append([text for title, text in row if title in kept])
    comment.table([title for title in titles if title in kept], table, "verdict", share=0.3)


def add_contracts(comment: Comment, contracts: Sequence[Kept]) -> None:
    """Each contract, and whether it is kept."""
    rows = []
    for kept in contracts:
        sides = (None, None) if kept.comparison is None else (kept.comparison.served, kept.comparison.trained)
        texts = [markdown_code(clipped(", ".join(side.points), LONGEST_CELL)) if side and side.points else "" for side in sides]
        status = kept.status if kept.status == "kept" else f"**{kept.status}**"
        rows.append((markdown_text(kept.contract.name), *texts, status))
    comment.table(("contract", "served", "trained", "verdict"), rows, "contract", share=0.3)


def _row(found: Finding, told: Told) -> tuple[str, ...]:
    place = f"{plain_path(found.at.file, told.analysis.source)}:{found.at.line}"
    severity = f"**{found.severity}**" if found.severity == Severity.ERROR else str(found.severity)
    message = markdown_text(clipped(found.message, LONGEST_CELL))
    return severity, f"{found.code} {markdown_text(found.rule)}", markdown_code(clipped(place, LONGEST_CELL)), message


def _body(found: Finding, told: Told) -> str:
    """What is folded away: the message, the line, the path, what follows from it, and the help."""
    parts = [f"**{found.severity}**: {markdown_text(found.message)}"]
    excerpt = told.analysis.excerpt(found.at)
    if excerpt is not None:
        parts.append(block([f"{found.at.line} | {excerpt.strip()}"]))
    if found.path:
        parts.append(block(_hops(found)))
    parts += [f"* so {each.severity} {each.code}: {markdown_text(each.message)}" for each in found.consequences]
    if found.help is not None:
        parts.append(f"**help**: {markdown_text(found.help)}")
    return "\n\n".join(parts)


def _hops(found: Finding) -> Iterator[str]:
    for hop in found.path[:MOST_HOPS]:
        yield f"{hop.at}: {hop.label}"
    if len(found.path) > MOST_HOPS:
        yield f"and {len(found.path) - MOST_HOPS} more hops"


def _facts(comment: Comment, told: Sequence[Told], detail: Detail) -> None:
    """How often what is only counted is there, and what was set aside."""
    folded = Counter(found.code for each in told for found in each.present if is_folded(found, detail))
    if folded:
        facts = ", ".join(f"{code} at {count} place{'' if count == 1 else 's'}" for code, count in sorted(folded.items()))
        comment.add(f"<sub>Known of the default and of ids at the edges: {facts}.</sub>")
    aside = aside_text([each for one in told for each in one.aside])
    if aside:
        comment.add(f"<sub>Set aside: {aside}.</sub>")
