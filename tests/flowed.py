"""What the value flow makes of the small engine, or of it with other code in some of its places: asked by place, never by line."""
from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent, indent
from typing import TypeAlias

from small_engine import ENGINE
from sources import plant

from flowcheck.analyzer.graph import Edge, FlowGraph, Node
from flowcheck.analyzer.pipeline import draw_graphs
from flowcheck.analyzer.request import Request

Puts: TypeAlias = Mapping[str, str]
"""By the name of a place, the code that stands there instead; by the name of a file, what is added to its end."""
PLACE = re.compile(r"# at: ([\w ]+?) *$")


@dataclass(frozen=True, slots=True)
class Flowed:
    """A graph, and where the places are."""

    graph: FlowGraph
    places: Mapping[str, tuple[str, int]]

    def at(self, place: str) -> tuple[Node, ...]:
        """The nodes on the line of a place."""
        file, line = self.places[place]
        return tuple(node for node in self.graph.nodes if node.at.line == line and node.at.file.endswith(file))

    def leads(self, source: str, target: str) -> bool:
        """Whether a way leads from one place to another."""
        return self.graph.path(self.at(source), self.at(target)) is not None

    @property
    def whole(self) -> bool:
        """Whether a way leads from where the ids are read to the draft's projection."""
        return self.graph.path(self.graph.of_kind("reader"), self.graph.of_kind("consumer")) is not None

    def passes(self, place: str) -> bool:
        """Whether a way from a reader to the projection leads over a place."""
        ways = set(self.graph.between(self.graph.of_kind("reader"), self.graph.of_kind("consumer")))
        return bool(ways & set(self.at(place)))

    def hops(self, place: str) -> tuple[Edge, ...]:
        """The hops that end at a place."""
        return tuple(edge for edge in self.graph.edges if edge.target in self.at(place))

    def phases(self, worker: str = "EagleWorker") -> tuple[str, ...]:
        (found,) = (each.phases for each in self.graph.coverage if each.what == worker)
        return found


def flowed(
    puts: Puts | None = None, *, ids: tuple[int, ...] | None = None, draft: Path | None = None, model: str = "TulipForCausalLM"
) -> Flowed:
    """The flow through the small engine with other code in some places, once for each question."""
    return _flowed(tuple(sorted((puts or {}).items())), ids, draft, model)


@cache
def _flowed(puts: tuple[tuple[str, str], ...], ids: tuple[int, ...] | None, draft: Path | None, model: str) -> Flowed:
    files = changed(dict(puts))
    asked = None if ids is None else (ids,)
    with tempfile.TemporaryDirectory() as folder:
        source = str(plant(Path(folder), files))
        found = draw_graphs(Request(source, models=(model,), layers=8, ids=asked, draft=None if draft is None else str(draft)))
    (graph,) = found.graphs
    return Flowed(graph, dict(places(files)))


def changed(puts: Puts) -> dict[str, str]:
    """The engine with other code in it. Each of ``puts`` has to find its place."""
    files = dict(ENGINE)
    for where, code in puts.items():
        if where in files or where.endswith(".py"):
            files[where] = f"{files.get(where, '')}\n{code}"
        else:
            files = {name: put(text, where, code) for name, text in files.items()}
            assert sum(f"# put: {where}\n" in text for text in files.values()) == 1, where
            files = {name: text.replace(f"# put: {where}\n", f"# at: {where}\n") for name, text in files.items()}
    for name, text in files.items():
        ast.parse(text, name)
    return files


def put(text: str, place: str, code: str) -> str:
    """The code in the place of the line that is called so, as deep as that; its last line is called so then."""

    def replaced(found: re.Match[str]) -> str:
        return f"{indent(dedent(code).strip(), found[1])}  # put: {place}\n"

    return re.sub(rf"^( *)\S.*# at: {place}\n", replaced, text, flags=re.MULTILINE)


def places(files: Mapping[str, str]) -> list[tuple[str, tuple[str, int]]]:
    return [
        (found[1], (name, number))
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (found := PLACE.search(line))
    ]
