"""Following a flow through each target class that was asked for: its graph, with the values that the wiring's evaluation proved."""
from __future__ import annotations

from dataclasses import replace

from .configs import Config, load_config
from .errors import BadInput
from .evaluation import Program, Target
from .graph import Edge, FlowGraph, Node
from .request import Ids, Request
from .results import Assumption, Evaluation
from .source import SourceTree
from .steps import task
from .target import ConfigFacts
from .valueflow.build import build_graph, make_question
from .valueflow.net import JOINED, ROWS
from .wiring import Found


def follow(program: Program, tree: SourceTree, found: list[Found], config: ConfigFacts, layers: int, request: Request) -> list[Followed]:
    """The graph of each class."""
    if request.ids is not None and (request.draft is not None or len(request.ids) > 1):
        raise BadInput("--ids stands for the ids in a draft's config: give one list of them, or --draft")
    configs = configs_in_hand(request)
    ids = request.ids[0] if request.ids else None
    followed = []
    for number, one in enumerate(found, 1):
        with task("record", "target classes", one.cls.name, number, len(found)):
            followed.append(follow_one(program, tree, one, config, layers, configs, ids))
    return followed


Followed = tuple[FlowGraph, tuple[Assumption, ...]]


def configs_in_hand(request: Request) -> dict[str, Config]:
    """The configs that were named, by whose they are."""
    named = {"draft": request.draft, "target": request.target}
    return {role: load_config(path) for role, path in named.items() if path is not None}


def follow_one(
    program: Program, tree: SourceTree, one: Found, config: ConfigFacts, layers: int, configs: dict[str, Config], ids: Ids
) -> Followed:
    """One class: the graph, and the assumptions that it rests on."""
    target = Target(program, one.cls, one.setter, layers, config)
    draft = configs.get("draft")
    named = draft.values.get("architectures") if draft is not None else None
    architectures = tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()
    graph, used = build_graph(program, tree, target, one, make_question(program.flow, configs, ids), architectures)
    known = ids if ids is not None else ids_read(graph)
    evaluation = target.evaluate(known) if known is not None else None
    if evaluation is not None:
        graph.proved = evaluation
        annotate(graph, evaluation)
        used |= {assumption.name for assumption in evaluation.assumptions}
    texts = program.flow.facts.texts
    return graph, tuple(Assumption(name, texts.get(name, name)) for name in sorted(used))


def ids_read(graph: FlowGraph) -> Ids:
    """The ids that the readers of the key were seen to get; None where that is not known, or differs."""
    found = {edge.after for edge in graph.edges if edge.target.kind == "reader" and edge.after.startswith("[")}
    if len(found) != 1:
        return None
    text = found.pop().strip("[]")
    return tuple(int(part) for part in text.split(", ")) if text else ()


def annotate(graph: FlowGraph, evaluation: Evaluation) -> None:
    """Write what was proved for these ids on the hops: the ids between key and test, the points from the capture on."""
    points = f"[{', '.join(evaluation.captured)}]" if evaluation.captured else ""
    captures = graph.of_kind("capture")
    kept = graph.reached(captures, without=[node for node in graph.nodes if not keeps_points(node)])
    alone = len({node.at for node in captures}) == 1  # of several captures it is not told here which takes which point
    graph.rewrite(lambda edge: annotated(edge, points, kept, alone))


def keeps_points(node: Node) -> bool:
    """Whether the captured points are still those behind a place, in the same order: a concatenation and a choice of rows keep them."""
    return node.kind != "transform" or node.label in JOINED or ROWS.fullmatch(node.label) is not None


def annotated(edge: Edge, points: str, kept: set[Node], alone: bool) -> Edge:
    if edge.kind == "width" or edge.target not in kept or not points or not keeps_points(edge.target):
        return edge
    if edge.target.kind == "capture":
        return replace(edge, after=edge.after or points) if alone else edge
    return replace(edge, before=edge.before or points, after=edge.after or points) if edge.source in kept else edge
