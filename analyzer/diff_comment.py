"""A diff as a comment on a pull request: the changed rows and the drafts in tables, the changed path as a picture, details folded."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .behaviour import behaviour
from .check_comment import LONGEST_CELL, WRONG, add_finding
from .comment import Comment, block, picture
from .diff_groups import Group, grouped
from .diff_report import diff_report, is_folded
from .diff_told import hop_of, served, told_of_difference
from .diffing import Difference
from .escape import clipped, markdown_code, markdown_text
from .path_diagram import Way, diagram
from .report import Detail
from .request import ids_text
from .results import SourceFacts
from .rule import Finding
from .told import counted

KINDS = ("changed", "added", "removed")


def diff_comment(found: Difference, detail: Detail) -> str:
    """The comment; nothing where nothing changed."""
    if not found:
        return ""
    comment = Comment()
    groups = [group for kind in KINDS for group in grouped([each for each in found.wirings if each.kind == kind])]
    appeared = [each for each in found.appeared if not is_folded(each, detail)]
    comment.add(f"### flowcheck: {'; '.join(_headline(found, appeared)) or 'facts to know changed'}")
    comment.add(f"{_named(found.before.analysis.source)} → {_named(found.after.analysis.source)}")
    comment.table(("draft", "before", "after", "trained", "verdict"), _drafts(found), "draft", share=0.3)
    comment.table(("target", "what", "before", "after"), _rows(groups), "row", share=0.4)
    _picture(comment, groups)
    for each in appeared:
        add_finding(comment, each, told_of_difference(found)[0])
    gone = [each for each in found.gone if not is_folded(each, detail)]
    if gone:
        comment.fold(f"Findings that went: {counted(gone)}", block(map(str, gone)), "list of findings that went")
    everything = ["".join(span.text for span in line) for line in diff_report(replace(found, appeared=(), gone=()), detail)]
    if found.wirings or found.feeds:
        comment.fold("All rows, with the lines where both sides part", block(everything), "full text")
    return comment.text()


def _headline(found: Difference, appeared: Iterable[Finding]) -> Iterator[str]:
    for kind in KINDS:
        count = sum(each.kind == kind for each in found.wirings)
        if count:
            yield f"{count} wiring{'' if count == 1 else 's'} {kind}"
    if found.feeds:
        yield f"{len(found.feeds)} draft{'' if len(found.feeds) == 1 else 's'} fed differently"
    if told := counted(appeared):
        yield f"{told} appeared"


def _named(source: SourceFacts) -> str:
    return f"{markdown_code(f'{source.package} {source.version}' if source.version else source.package)} in {markdown_code(source.root)}"


def _drafts(found: Difference) -> Iterator[tuple[str, ...]]:
    for change in found.feeds:
        before, after = change.verdicts
        now = f"**{after}**" if after in WRONG or after == "broken" else after
        trained = change.trained.points if change.trained is not None else None
        sides = (_cell(served(change, new=False)), _cell(served(change, new=True)), _cell(", ".join(trained or ())))
        yield markdown_text(change.name), *sides, now if before == after else f"{before} → {now}"


def _rows(groups: Iterable[Group]) -> Iterator[tuple[str, ...]]:
    for group in groups:
        whom = f"{markdown_text(clipped(', '.join(group.models), LONGEST_CELL))}<br/>{markdown_code(group.change.wiring.setter)}"
        if group.change.kind != "changed":
            said = _cell("; ".join(behaviour(group.change.wiring)[0].texts))
            yield whom, group.change.kind, *((said, "") if group.change.kind == "removed" else ("", said))
        for row in group.change.rows:
            yield whom, markdown_text(row.what), _cell("; ".join(row.before)), _cell("; ".join(row.after))


def _cell(text: str) -> str:
    return markdown_code(clipped(text, LONGEST_CELL)) if text else ""


def _picture(comment: Comment, groups: Iterable[Group]) -> None:
    """The derivation of one id list before and after, of the first wiring of which both are known."""
    parting = next((each.change.parting for each in groups if each.change.parting is not None), None)
    if parting is not None:
        sides = zip(("before", "after"), parting.paths, parting.ends, strict=True)
        ways = [Way(title, tuple(map(hop_of, path)), end) for title, path, end in sides if path]
        comment.add(picture(diagram(ways, f"what ids {ids_text(parting.ids)} capture")), "picture")
