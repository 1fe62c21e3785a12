"""The text of ``flowcheck trace``: the readers of a key by what they get, and the hops from each."""
from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from .files_report import files_report
from .graph import Edge, Node
from .report import Detail, source_line
from .text import Line, Span, Tone, line
from .traces import Got, Reader, Status, Trace

MOST_HOPS = 8
"""Hops of one reader that are told, where not all are asked for."""
MOST_TOLD = 20
"""Readers that get nothing, up to which the way of their values is told all the same."""
LONGEST_VALUE = 60
WIDEST_PLACE = 64
TITLES: dict[Status, str] = {"read": "Read", "default": "Default", "never": "Never"}
TONES: dict[Status, Tone] = {"read": "bold", "default": "yellow", "never": "dim"}


def trace_report(trace: Trace, detail: Detail) -> Iterator[Line]:
    """The readers that get the entry, those that get a default, those that get neither; then what only asks whether it is there."""
    if not detail.quiet:
        yield source_line(trace.source)
        yield from (line(f"{role}  ", Span(file, "dim")) for role, file in trace.configs)
    yield line(Span(trace.key, "bold"), f"  {counted(trace)}")
    width = min(max((len(str(each.mention.at)) for each in trace.readers), default=0), WIDEST_PLACE)
    hops = Hops(trace, detail)
    for status, title in TITLES.items():
        found = [each for each in trace.readers if each.best.status == status]
        reasons = dict.fromkeys(each.best.reason for each in found)
        groups = [(reason, [each for each in found if each.best.reason == reason]) for reason in reasons]
        for reason, readers in groups if status == "never" or not found else [(None, found)]:
            yield line()
            yield line("  ", Span(title, "bold"), f": {reason}" if reason else "")
            for reader in readers:
                yield from told(reader, width, status)
                if status != "never" or detail.verbose or len(trace.readers) <= MOST_TOLD:
                    yield from hops.of(reader)
    if trace.tests and not detail.quiet:
        yield line()
        yield line("  ", Span("Asked for", "bold"), ": whether there is such an entry")
        yield from (line("    ", Span(f"{each.at!s:{width}}", "dim"), f"  {each.lookup}") for each in trace.tests)
    if trace.not_established:
        yield line()
        yield line("  ", Span("Not established", "bold"))
        for entry in trace.not_established:
            yield line("    ", Span(f"{entry.what}: {entry.reason}", "yellow"), Span(f"  {entry.at}", "dim"))
    yield from files_report(trace.files) if detail.verbose else ()


def counted(trace: Trace) -> str:
    if not trace.readers:
        return f"no reader: no expression in {trace.source.files} files looks it up"
    numbers = Counter(each.best.status for each in trace.readers)
    parts = [f"{numbers[status]} {status}" for status in TITLES if numbers[status]]
    return f"{len(trace.readers)} {'reader' if len(trace.readers) == 1 else 'readers'}: {', '.join(parts)}"


def told(reader: Reader, width: int, status: Status) -> Iterator[Line]:
    """Where, how, and what comes of it; of several configs each."""
    mention = reader.mention
    where = Span(f"{mention.at!s:{width}}", "dim")
    yield line("    ", where, f"  {mention.lookup}", *gets(reader.got[0], status, mention.default))
    for got in reader.got[1:]:
        yield line("    ", " " * width, "  ", *gets(got, got.status, mention.default))


def gets(got: Got, status: Status, default: str | None) -> Iterator[Span]:
    """The value, and whose entry it is."""
    if got.status == "never":
        yield Span(f"  {got.reason}" if status != "never" else "", "dim")
        return
    value = short(json.dumps(got.value, ensure_ascii=False)) if got.value is not None else got.text or default or "not known"
    yield Span(f"  {got.status} {value}", TONES[got.status])
    yield Span(f"  {got.role}: {got.entry}" if got.role else "", "dim")
    yield Span(f"  ({got.reason})" if got.reason else "", "dim")


def short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


class Hops:
    """The hops that follow from readers."""

    def __init__(self, trace: Trace, detail: Detail) -> None:
        self.most = None if detail.verbose else MOST_HOPS
        self.after: dict[Node, list[Edge]] = {}
        self.starts: dict[object, list[Node]] = {}
        for node in trace.graph.nodes:
            if node.kind == "reader":
                self.starts.setdefault((node.at, node.column), []).append(node)
        for edge in trace.graph.edges:
            self.after.setdefault(edge.source, []).append(edge)

    def of(self, reader: Reader) -> Iterator[Line]:
        """The places that its value comes to, the nearest first, each once."""
        edges = self.reached(self.starts.get((reader.mention.at, reader.mention.column), []))
        for edge in edges[: self.most]:
            change = [text for text in (edge.label if edge.label != edge.target.label else "", edge.change) if text]
            became = Span(f"  {': '.join(change)}" if change else "", "bold")
            yield line("      -> ", Span(str(edge.at), "dim"), f"  {edge.target.kind}  {edge.target.label}", became)
        if self.most is not None and len(edges) > self.most:
            yield line("      ", Span(f"… and {len(edges) - self.most} more (--verbose)", "dim"))

    def reached(self, starts: Sequence[Node]) -> list[Edge]:
        known, pending = set(starts), deque(starts)
        found: dict[object, Edge] = {}
        while pending:
            for edge in self.after.get(pending.popleft(), ()):
                if edge.target not in known:
                    known.add(edge.target)
                    pending.append(edge.target)
                    found.setdefault((edge.at, edge.target.kind, edge.target.label), edge)  # in another context it is the same line
        return list(found.values())
