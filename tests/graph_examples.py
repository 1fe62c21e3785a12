"""Flow graphs made by hand for the tests of what shows them: the way of EAGLE-3's ids in a llama-like target, on a short tree."""
from __future__ import annotations

from dataclasses import dataclass, field

from flowcheck.analyzer.graph import Coverage, Edge, EdgeKind, FlowGraph, GraphAnalysis, Node, NodeKind
from flowcheck.analyzer.results import Assumption, Location, NotEstablished, SourceFacts

ENGINE = "engine/srt"
KEY = "eagle_aux_hidden_state_layer_ids"
RUNNER, LLAMA, LOGITS = f"{ENGINE}/model_executor/model_runner.py", f"{ENGINE}/models/llama.py", f"{ENGINE}/layers/logits_processor.py"
WORKER, INFO = f"{ENGINE}/speculative/eagle_worker.py", f"{ENGINE}/speculative/eagle_info.py"
BATCH, DRAFT = f"{ENGINE}/model_executor/forward_batch_info.py", f"{ENGINE}/models/llama_eagle3.py"
CONFIG = "draft/config.json"
IDS, SHIFTED = "[2, 30, 58]", "[3, 31, 59]"


@dataclass(slots=True)
class Drawer:
    """Draws one way: each call of ``to`` adds a node and the hop that leads to it."""

    graph: FlowGraph
    at: Node | None = None
    nodes: list[Node] = field(default_factory=list)

    def to(self, file: str, line: int, kind: NodeKind, label: str, symbol: str = "", *, edge: EdgeKind = "data", does: str = "",
           before: str = "", after: str = "", assumes: str = "", context: str = "") -> Node:  # fmt: skip
        node = self.graph.add(Node(kind, label, Location(file, line), 0, symbol, context))
        if self.at is not None:
            self.graph.connect(Edge(self.at, node, edge, does, before, after, assumes))
        self.at = node
        self.nodes.append(node)
        return node


def pipeline(model: str = "LlamaForCausalLM", context: str = "", graph: FlowGraph | None = None) -> FlowGraph:
    """From the key of the config to ``fc``: shifted by one, tested by the loop, captured, concatenated and handed to the draft."""
    graph = graph or FlowGraph("eagle3", model)
    way = Drawer(graph)
    way.to(CONFIG, 7, "key", KEY)
    way.to(RUNNER, 363, "reader", f'getattr(config, "{KEY}", None)', "ModelRunner.initialize", after=IDS)
    way.to(RUNNER, 363, "attribute", f"ModelRunner.{KEY}", "ModelRunner.initialize", before=IDS, after=IDS)
    way.to(RUNNER, 623, "argument", f"self.{KEY}", "ModelRunner.init_aux_hidden_state_capture", before=IDS, after=IDS)
    way.to(LLAMA, 778, "parameter", "layer_ids", f"{model}.set_eagle3_layers_to_capture", edge="call", before=IDS, after=IDS)
    way.to(LLAMA, 790, "transform", "[val + 1 for val in layer_ids]", f"{model}.set_eagle3_layers_to_capture", does="+1", before=IDS,
           after=SHIFTED)  # fmt: skip
    way.to(LLAMA, 790, "attribute", "LlamaModel.layers_to_capture", f"{model}.set_eagle3_layers_to_capture", before=SHIFTED, after=SHIFTED)
    way.to(LLAMA, 382, "test", "i in self.layers_to_capture", "LlamaModel.forward", before=SHIFTED, after="i = 3, 31, 59")
    way.to(LLAMA, 383, "capture", "aux_hidden_states.append(hidden_states + residual)", "LlamaModel.forward", edge="control", does="append",
           after="out:2, out:30, out:58", context=context)  # fmt: skip
    capture = way.to(LLAMA, 383, "collection", "aux_hidden_states", "LlamaModel.forward", context=context)
    way.to(LLAMA, 405, "return", "hidden_states, aux_hidden_states", "LlamaModel.forward", context=context)
    way.to(LLAMA, 522, "variable", "aux_hidden_states", f"{model}.forward", edge="call", does="unpack", context=context)
    way.to(LOGITS, 292, "parameter", "aux_hidden_states", "LogitsProcessor.forward", edge="call", context=context)
    way.to(LOGITS, 553, "transform", "torch.cat(aux_hidden_states, dim=-1)", "LogitsProcessor.forward", does="torch.cat", context=context)
    way.to(LOGITS, 349, "field", "LogitsProcessorOutput.hidden_states", "LogitsProcessor.forward", context=context)
    way.to(WORKER, 299, "variable", "logits_output.hidden_states", "EAGLEWorker.forward_draft_extend", context=context)
    way.to(INFO, 878, "field", "EagleDraftInput.hidden_states", "EAGLEWorker.forward_draft_extend", context=context)
    way.to(BATCH, 413, "field", "ForwardBatch.spec_info", "ForwardBatch.init_new", assumes="single-rank", context=context)
    way.to(DRAFT, 161, "variable", "forward_batch.spec_info.hidden_states", "LlamaModel.forward", context=context)
    consumer = way.to(DRAFT, 163, "consumer", "self.fc(hidden_states)", "LlamaModel.forward")
    width = Drawer(graph)
    width.to(DRAFT, 136, "width", "hidden_size_in * 3", "LlamaModel.__init__")
    graph.connect(Edge(width.nodes[0], consumer, "width", "in_features", after="12288"))
    assert capture in graph.nodes
    return graph


def covered(graph: FlowGraph) -> FlowGraph:
    """With what was followed, and what was not."""
    lost = NotEstablished("replay", "the graph runner's buffers are not in the tree", Location(WORKER, 410))
    graph.coverage.append(Coverage("EAGLEWorker", Location(WORKER, 66), ("prefill", "verify")))
    graph.coverage.append(Coverage("EAGLEWorkerV2", Location(f"{ENGINE}/speculative/eagle_worker_v2.py", 90), (), (lost,)))
    graph.not_established.append(NotEstablished("MultiLayerEagleWorker", "its forward is a kernel", Location(WORKER, 500)))
    return graph


def cut_pipeline() -> FlowGraph:
    """The way to the capture, and from the batch on: what lies between is not known."""
    whole, graph = pipeline(), FlowGraph("eagle3", "LlamaForCausalLM")
    for edge in whole.edges:
        if edge.target.at.file != LOGITS:
            graph.connect(edge)
    return graph


def analysis(*graphs: FlowGraph) -> GraphAnalysis:
    """A run over a tree with these graphs."""
    return GraphAnalysis(SourceFacts("engine", "engine", "1.0", 12, 7), graphs, (Assumption("single-rank", "One rank holds every layer."),))
