"""What is said of a flow graph: its main path, the text, and the document ``flowcheck.graph/1``."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import jsonschema  # type: ignore[import-untyped, unused-ignore]
import pytest
from graph_examples import DRAFT, KEY, LLAMA, RUNNER, Drawer, analysis, covered, cut_pipeline, pipeline

from flowcheck.analyzer.graph import Edge, EdgeKind, FlowGraph, GraphAnalysis, Node, NodeKind
from flowcheck.analyzer.graph_report import graph_report
from flowcheck.analyzer.json_report import dumps, graph_document, schema
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.results import Location, NotEstablished
from flowcheck.analyzer.text import paint


def document(*graphs: FlowGraph) -> dict[str, list[dict[str, object]]]:
    """The document after a round through text, held against its schema."""
    loaded: dict[str, list[dict[str, object]]] = json.loads(dumps(graph_document(analysis(*graphs))))
    jsonschema.validate(loaded, schema("graph-1"))
    return loaded


def told(found: GraphAnalysis, **detail: bool) -> list[str]:
    return paint(graph_report(found, Detail(**detail)), colour=False).splitlines()


def tidy(line: str) -> str:
    """A line without the blanks that make columns."""
    return " ".join(line.split())


class TestMainPath:
    def test_it_leads_from_the_key_through_the_capture_to_the_consumer(self) -> None:
        path = pipeline().main_path()
        assert path is not None
        assert (path[0].source.kind, path[-1].target.kind) == ("key", "consumer")
        assert "capture" in [edge.target.kind for edge in path]

    def test_the_way_over_the_width_is_no_way(self) -> None:
        graph = cut_pipeline()
        width = Drawer(graph, graph.of_kind("key")[0])
        width.to(DRAFT, 140, "reader", f"len(config.{KEY})")
        width.to(DRAFT, 141, "width", "hidden_size * count", edge="width")
        graph.connect(Edge(width.nodes[-1], graph.of_kind("consumer")[0], "width"))
        assert graph.main_path() is None

    def test_values_go_before_what_only_decides(self) -> None:
        graph = pipeline()
        short = Drawer(graph, graph.of_kind("key")[0])
        short.to(RUNNER, 600, "test", f"config.{KEY} is not None")
        graph.connect(Edge(short.nodes[-1], graph.of_kind("capture")[0], "control"))
        path = graph.main_path()
        assert path is not None
        assert short.nodes[-1] not in [edge.source for edge in path]

    def test_a_capture_with_both_legs_is_preferred(self) -> None:
        graph = pipeline()
        dead = Drawer(graph, graph.of_kind("key")[0])
        dead.to(LLAMA, 900, "capture", "lost.append(hidden_states)")
        assert graph.main_path() == pipeline().main_path()

    def test_where_it_breaks_both_legs_are_known(self) -> None:
        graph = cut_pipeline()
        first, second = graph.legs()
        assert first is not None
        assert second is None
        assert graph.trails()[1][-1].target.at.line == 522
        assert graph.main_path() is None

    def test_a_trail_follows_values_and_nothing_else(self) -> None:
        graph = cut_pipeline()
        decided = Drawer(graph, graph.of_kind("collection")[0])
        decided.to(LLAMA, 700, "return", "aux_hidden_states", edge="control")
        decided.to(LLAMA, 701, "variable", "x")
        assert graph.trails()[1][-1].target.at.line == 522
        assert FlowGraph("eagle3", "A").trails() == ((), ())


class TestDocument:
    def test_nothing_is_a_document_too(self) -> None:
        empty = document()
        assert (empty["nodes"], empty["edges"], empty["graphs"]) == ([], [], [])

    def test_a_hop_holds_the_value_before_and_after(self) -> None:
        (shift,) = [edge for edge in document(pipeline())["edges"] if edge["label"] == "+1"]
        assert shift == {
            "source": f"eagle3/LlamaForCausalLM/{LLAMA}:778:parameter",
            "target": f"eagle3/LlamaForCausalLM/{LLAMA}:790:transform",
            "flow": "eagle3", "model": "LlamaForCausalLM", "kind": "data", "label": "+1", "file": LLAMA, "line": 790,
            "before": "[2, 30, 58]", "after": "[3, 31, 59]", "assumption": None,
        }  # fmt: skip

    def test_a_node_holds_its_place_and_context(self) -> None:
        nodes = document(pipeline(context="prefill"))["nodes"]
        (capture,) = [node for node in nodes if node["kind"] == "capture"]
        assert (capture["file"], capture["line"], capture["symbol"], capture["context"]) == (LLAMA, 383, "LlamaModel.forward", "prefill")

    def test_each_edge_joins_nodes_of_its_own_class(self) -> None:
        found = document(pipeline("A"), pipeline("B"), covered(pipeline("B")))
        ids = [node["id"] for node in found["nodes"]]
        whose = {node["id"]: (node["flow"], node["model"]) for node in found["nodes"]}
        assert len(ids) == len(set(ids)) == 3 * len(pipeline().nodes)
        assert {(whose[edge["source"]], whose[edge["target"]]) for edge in found["edges"]} == {
            (("eagle3", model),) * 2 for model in ("A", "B")
        }  # fmt: skip
        assert [graph["id"] for graph in found["graphs"]] == ["eagle3/A", "eagle3/B", "eagle3/B#2"]

    def test_an_id_does_not_hang_on_what_else_is_asked_for(self) -> None:
        alone, among = document(pipeline("B")), document(pipeline("A"), pipeline("B"))
        assert [node for node in among["nodes"] if node["model"] == "B"] == alone["nodes"]

    def test_places_on_one_line_have_ids_of_their_own(self) -> None:
        graph, at = FlowGraph("eagle3", "A"), Location("a.py", 1)
        graph.connect(Edge(Node("variable", "x", at, context="y"), Node("variable", "x [y]", at)))
        assert [node["id"] for node in document(graph)["nodes"]] == ["eagle3/A/a.py:1:variable", "eagle3/A/a.py:1:variable#2"]

    def test_the_main_path_is_given_by_its_nodes(self) -> None:
        (graph,) = document(pipeline())["graphs"]
        assert isinstance(graph["path"], list)
        assert (len(graph["path"]), graph["path"][0]) == (20, "eagle3/LlamaForCausalLM/draft/config.json:7:key")
        assert document(cut_pipeline())["graphs"][0]["path"] is None

    def test_what_was_not_followed_says_why(self) -> None:
        found = document(covered(pipeline()))
        phases = {part["what"]: part["phases"] for part in found["coverage"]}
        assert phases == {"EAGLEWorker": ["prefill", "verify"], "EAGLEWorkerV2": []}
        missing = found["coverage"][1]["missing"]
        assert isinstance(missing, list)
        assert missing[0]["reason"] == "the graph runner's buffers are not in the tree"
        assert [(entry["model"], entry["what"]) for entry in found["not_established"]] == [("LlamaForCausalLM", "MultiLayerEagleWorker")]

    def test_what_concerns_no_single_graph_names_none(self) -> None:
        unread = NotEstablished("file", "invalid syntax", Location("engine/x.py", 3))
        found = graph_document(GraphAnalysis(analysis().source, (pipeline(),), (), (unread,)))
        jsonschema.validate(json.loads(dumps(found)), schema("graph-1"))
        assert found["not_established"] == [
            {"flow": None, "model": None, "what": "file", "reason": "invalid syntax", "file": "engine/x.py", "line": 3}
        ]

    def test_the_schema_is_valid_closed_and_knows_every_kind(self) -> None:
        shipped = schema("graph-1")
        jsonschema.Draft202012Validator.check_schema(shipped)
        with pytest.raises(jsonschema.ValidationError, match="surprise"):
            jsonschema.validate({**graph_document(analysis()), "surprise": 1}, shipped)
        kinds = json.loads(json.dumps(shipped))["$defs"]
        assert kinds["node"]["properties"]["kind"]["enum"] == list(get_args(NodeKind))
        assert kinds["edge"]["properties"]["kind"]["enum"] == list(get_args(EdgeKind))


class TestText:
    def test_the_main_path_is_told_hop_by_hop(self) -> None:
        lines = [tidy(line) for line in told(analysis(pipeline()))]
        start = lines.index("eagle3 · LlamaForCausalLM 21 places, 20 hops")
        assert lines[start + 1 : start + 3] == [
            f"draft/config.json:7 key {KEY}",
            f'{RUNNER}:363 reader getattr(config, "{KEY}", None) [2, 30, 58]',
        ]
        assert f"{LLAMA}:790 transform [val + 1 for val in layer_ids] +1: [2, 30, 58] -> [3, 31, 59]" in lines
        assert f"{LLAMA}:790 attribute LlamaModel.layers_to_capture" in lines  # the value is the same as before
        assert f"{DRAFT}:163 consumer self.fc(hidden_states)" in lines

    def test_what_happens_and_what_is_assumed_stands_behind_the_hop(self) -> None:
        lines = told(analysis(pipeline()))
        assert any(line.endswith("append: out:2, out:30, out:58") for line in lines)
        assert any(line.endswith("ForwardBatch.spec_info  [assumes single-rank]") for line in lines)
        assert "  single-rank  One rank holds every layer." in lines

    def test_what_only_decides_says_so(self) -> None:
        graph = FlowGraph("eagle3", "A")
        test, capture = Node("test", "i in ids", Location(LLAMA, 382)), Node("capture", "x.append(y)", Location(LLAMA, 383))
        graph.connect(Edge(Node("key", KEY, Location("draft/config.json", 7)), test))
        graph.connect(Edge(test, capture, "control"))
        assert any(line.endswith("x.append(y)  only if so") for line in told(analysis(graph)))

    def test_a_broken_way_is_told_as_far_as_it_was_followed(self) -> None:
        lines = [tidy(line) for line in told(analysis(cut_pipeline()))]
        end = lines.index("not established: no way from a capture to the consumer; this is how far it was followed")
        assert lines[end - 2 : end] == [
            f"{LLAMA}:405 return hidden_states, aux_hidden_states",
            f"{LLAMA}:522 variable aux_hidden_states unpack",
        ]
        assert sum(":383 capture" in line for line in lines) == 1

    def test_a_key_that_nobody_reads_says_so(self) -> None:
        graph = FlowGraph("eagle3", "A")
        graph.add(Node("key", KEY, Location("draft/config.json", 7)))
        graph.add(Node("capture", "append", Location(LLAMA, 383)))
        assert told(analysis(graph), quiet=True)[-2:] == [
            "    not established: no way from the key to a capture",
            "    not established: no way from a capture to the consumer",
        ]

    def test_coverage_and_width_follow(self) -> None:
        lines = [tidy(line) for line in told(analysis(covered(pipeline())))]
        width = lines.index("Width")
        assert lines[width + 1 : width + 3] == [
            f"{DRAFT}:136 width hidden_size_in * 3",
            f"-> {DRAFT}:163 consumer self.fc(hidden_states) in_features: 12288",
        ]
        coverage = lines.index("Coverage")
        assert lines[coverage + 1].startswith("EAGLEWorker prefill, verify ")
        assert lines[coverage + 2].startswith("EAGLEWorkerV2 nothing was seen to arrive ")
        assert lines[coverage + 3].startswith("replay: the graph runner's buffers are not in the tree ")
        assert lines[lines.index("Not established") + 1].startswith("MultiLayerEagleWorker: its forward is a kernel ")

    def test_hops_off_the_main_path_are_told_to_who_asks(self) -> None:
        graph = pipeline()
        Drawer(graph, graph.of_kind("key")[0]).to(RUNNER, 700, "reader", "config.other")
        assert "  Other hops" not in told(analysis(graph))
        lines = [tidy(line) for line in told(analysis(graph), verbose=True)]
        assert lines[lines.index("Other hops") + 2] == f"-> {RUNNER}:700 reader config.other"

    def test_no_graph_is_said(self) -> None:
        assert told(analysis(), quiet=True) == ["no target class with a setter of the flow"]

    def test_no_name_drives_the_terminal(self) -> None:
        graph = FlowGraph("eagle3", "A\x1b[31m")
        graph.add(Node("key", "k\r\u202e", Location("a\x9b.py", 1)))
        assert all(line.isprintable() for line in told(analysis(graph)))


def test_every_run_says_the_same() -> None:
    code = (
        "from graph_examples import *; from flowcheck.analyzer.json_report import *; from flowcheck.analyzer.picture import picture\n"
        "from flowcheck.analyzer.flow_chart import flow_chart\n"
        "from flowcheck.analyzer.draw import dot; from flowcheck.analyzer.mermaid import mermaid\n"
        "found = pipeline(graph=pipeline(context='decode')); shown = flow_chart(picture(found))\n"
        "print(dumps(graph_document(analysis(found))), dot(shown), mermaid(shown))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=Path(__file__).parent, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, encoding="utf-8", check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(runs) == 1
