"""The net under a comparison: whether what is captured is seen to reach the projection as it was captured, in every phase.

The target's own part is proved by the interpreter; this looks at what lies behind it. What is not known to keep the points and their
order is a gap, and so is a phase of a worker in which nothing arrives.
"""
from __future__ import annotations

import re
from collections.abc import Iterable

from ..flows.flow import Sink
from ..graph import Coverage, FlowGraph, Node
from ..results import Location, NotEstablished
from ..values import ClassValue
from .chain import Chain
from .holders import PUT
from .statements import ONLY_ITEM

ROWS = re.compile(
    r"\[(?!.*\.\.\.)([^,…]|\.to\(…\))*\]|cat of rows( of each)?"
    r"|\.(to|contiguous|clone|detach|type_as|float|half|bfloat16|cuda|cpu|copy_)"
)
"""Transforms that choose rows of a tensor, or change where and how it is stored: the points stay what they are."""
JOINED = frozenset({"cat", ONLY_ITEM})
"""The concatenation on the axis of the features, and what stands for that of one tensor."""


def gap(chain: Chain) -> NotEstablished | None:
    """What keeps the way from the target to the projection from being proved; None where nothing does."""
    graph, consumers = chain.graph, chain.graph.of_kind("consumer")
    starts = handed_over(chain.program.flow.sink, graph.nodes) or graph.of_kind("capture")
    place = starts[0].at if starts else _place(chain)
    if not consumers:
        return NotEstablished("the way to the draft", "what is captured is not seen to reach the projection of a draft", place)
    passed = set(graph.between(starts, consumers))
    before = set(graph.reached(starts, without={node for node in passed if node.label in JOINED and node.kind == "transform"}))
    for node in graph.nodes:
        if node in passed and (reason := changes(node, node in before and not takes_rows(graph, node))):
            return NotEstablished("the way to the draft", reason, node.at)
    if any(consumer in before for consumer in consumers):
        return NotEstablished("the way to the draft", "the projection is not seen to be given the concatenation", consumers[0].at)
    return missing_phase(chain)


def handed_over(sink: Sink, nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The parameter by which the consumer of the target is given the captured tensors."""
    symbol = f"{sink.cls}.{sink.method}"
    return tuple(node for node in nodes if node.kind == "parameter" and node.label == sink.captured and node.symbol == symbol)


def changes(node: Node, joined_later: bool) -> str | None:
    """Why what is behind a node may not be what was before it."""
    if node.kind != "transform":
        return None
    if node.label in JOINED:
        return None if joined_later else "what is concatenated is concatenated again"
    if not ROWS.fullmatch(node.label):
        return f"what {node.label} makes of the captured states is not told exactly"
    if joined_later and (node.label == "cat of rows" or ":" in node.label):
        return f"{node.label} before the captured states are concatenated may leave some out"
    return None


def takes_rows(graph: FlowGraph, node: Node) -> bool:
    """Whether a slice is one of single tensors, each as it was put into a collection: then it chooses rows of each, and leaves none out."""
    before = [each for each in graph.between(graph.of_kind("capture"), [node]) if each != node]
    plain = all(is_put(each) if each.kind in ("capture", "collection") else each.kind not in ("transform", "field") for each in before)
    return ":" in node.label and node.label.startswith("[") and plain and bool(before)


def is_put(node: Node) -> bool:
    """Whether a capture puts a tensor into a collection, rather than into a place of a larger tensor."""
    return node.label.rpartition(".")[2] in PUT


def missing_phase(chain: Chain) -> NotEstablished | None:
    """A phase that a worker has and in which nothing arrives, where it arrives in others; or no worker in which all is well."""
    covered = [part for part in chain.graph.coverage if part.phases]
    for part in covered:
        missing = [phase for phase in phases_had(chain, part) if phase not in part.phases]
        if missing:
            reason = f"nothing is seen to arrive at the draft through {part.what} in {', '.join(missing)}"
            return NotEstablished(part.what, reason, part.at)
    return None


def phases_had(chain: Chain, part: Coverage) -> list[str]:
    """The phases of which a worker has a function."""
    cls = next((worker for worker in chain.workers if worker.name == part.what), None)
    functions = chain.pipeline.phases.items() if cls is not None else ()
    return [phase for phase, names in functions if cls is not None and any(_has(chain, cls, name) for name in names)]


def _has(chain: Chain, cls: ClassValue, name: str) -> bool:
    return isinstance(chain.types.find(cls, name)[1], ClassValue)


def _place(chain: Chain) -> Location:
    cls = chain.target.cls
    assert isinstance(cls, ClassValue)
    return Location(chain.program.printed(cls.module.path), cls.node.lineno if cls.node is not None else 1)
