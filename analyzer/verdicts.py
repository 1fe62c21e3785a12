"""The table of verdicts: one row for each source, draft and target class."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from .agreement import Verdict, verdict
from .results import Analysis, Comparison, Side
from .text import Line, Span, Tone, line

_WORDS: dict[Verdict, str] = {"undecidable": "undecidable (no training side)"}
_TONES: dict[Verdict, Tone] = {"same": "bold", "other": "red", "order": "red", "stage": "red", "width": "red", "not established": "yellow"}
_GAP = "  "


def verdict_table(analyses: Sequence[Analysis]) -> Iterator[Line]:
    """The rows under their titles; a column in which all rows are alike is left out, unless it holds the answer."""
    rows = [(name, comparison) for analysis, name in zip(analyses, names(analyses), strict=True) for comparison in analysis.comparisons]
    titles = _columns(analyses, [each for _, each in rows])
    columns = [title for title, shown in titles if shown]
    kept = [tuple(cell for cell, (_, shown) in zip(cells(name, each), titles, strict=True) if shown) for name, each in rows]
    widths = [max(map(len, column)) for column in zip(columns, *kept, strict=True)]
    yield line(Span(_padded(columns, widths) + "verdict", "dim"))
    for texts, (_, each) in zip(kept, rows, strict=True):
        found = verdict(each)
        yield line(_padded(texts, widths), Span(_WORDS.get(found, found), _TONES.get(found, "plain")))


def cells(name: str, comparison: Comparison) -> tuple[str, str, str, str, str]:
    """A row without its verdict: the source, the draft, the target class, what is served and what was trained."""
    return name, comparison.draft or "", comparison.model, _served(comparison), _trained(comparison.trained)


def _columns(analyses: Sequence[Analysis], comparisons: Sequence[Comparison]) -> tuple[tuple[str, bool], ...]:
    """The titles before the verdict, and whether the column is shown."""
    drafts = {each.draft for each in comparisons}
    with_training = any(each.trained is not None for each in comparisons)
    return ("source", len(analyses) > 1), ("draft", len(drafts) > 1), ("target", True), ("served", True), ("trained", with_training)


def _padded(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{text:{width}}{_GAP}" for text, width in zip(texts, widths, strict=True))


def names(analyses: Sequence[Analysis]) -> tuple[str, ...]:
    """What to call the sources: by their versions where these tell them apart, else by where they lie."""
    versions = [analysis.source.version for analysis in analyses]
    apart = None not in versions and len(set(versions)) == len(versions)
    return tuple(f"{each.source.package} {each.source.version}" if apart else each.source.root for each in analyses)


def _served(comparison: Comparison) -> str:
    points = _points(comparison.served)
    return f"{points} (default)" if comparison.default is not None and comparison.served.points is not None else points


def _trained(side: Side | None) -> str:
    return "" if side is None else _points(side)


def _points(side: Side) -> str:
    return side.status if side.points is None else ", ".join(side.points) or "nothing"
