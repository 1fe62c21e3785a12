"""The pictures: what is condensed, how it looks in each format, and that no name from the source gets out of its label."""
from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from graph_examples import BATCH, CONFIG, DRAFT, INFO, LLAMA, LOGITS, RUNNER, WORKER, Drawer, covered, cut_pipeline, pipeline

from flowcheck.analyzer import draw
from flowcheck.analyzer.captions import file_lines, link_to
from flowcheck.analyzer.chart import LINK_KINDS, SPOT_KINDS, Chart
from flowcheck.analyzer.draw import LINES, SHAPES, dot, drawn, program
from flowcheck.analyzer.drawings import ready, write_charts
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.escape import terminal
from flowcheck.analyzer.flow_chart import flow_chart
from flowcheck.analyzer.graph import EDGE_KINDS, NODE_KINDS, Edge, FlowGraph, Node, NodeKind
from flowcheck.analyzer.looks import DARK, LOOKS
from flowcheck.analyzer.mermaid import LINES as MERMAID_LINES
from flowcheck.analyzer.mermaid import SHAPES as MERMAID_SHAPES
from flowcheck.analyzer.mermaid import mermaid
from flowcheck.analyzer.options import Drawing
from flowcheck.analyzer.picture import MOST_ARROWS, MOST_BOXES, Arrow, Picture, picture
from flowcheck.analyzer.results import Location

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
TOOL = shutil.which("dot") or shutil.which(draw.PURE, path=os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]))
needs_tool = pytest.mark.skipif(TOOL is None, reason="neither Graphviz nor graphviz-pure is installed")

NASTY = (
    'say "hi" \\',
    "end",
    "click n0 href",
    "%%{init: {}}%%",
    "]]] --> n9[x",
    '"]; evil [label="x',
    "<script>alert(1)</script>",
    "<b>bold</b>",
    "&lt;b&gt; &amp;#34;",
    "#quot; #35;",
    "`md` **bold** __init__",
    "javascript:alert(1)",
    "a\nb\r\tc\x00\x1b[31m\u202e",
    "\\N \\G \\l",
    "1. item",
    "- item",
    "subgraph x",
    "style a:b#34;",
    "fa:fa-ban",
    "$$x^2$$",
    "ünïcödé ☃ \udcff",
)


def labels(shown: Picture) -> list[str]:
    return [box.label for box in shown.boxes]


def arrow(shown: Picture, source: str, target: str) -> Arrow:
    """The arrow between two boxes, by their labels."""
    ids = {box.label: box.id for box in shown.boxes}
    (found,) = [each for each in shown.arrows if (each.source, each.target) == (ids[source], ids[target])]
    return found


def flow_of(graph: FlowGraph) -> Chart:
    """The drawing of a flow graph."""
    return flow_chart(picture(graph))


def chain(*steps: tuple[NodeKind, str]) -> FlowGraph:
    """A graph of one way, in one file."""
    graph = FlowGraph("eagle3", "A")
    way = Drawer(graph)
    for number, (kind, label) in enumerate(steps, 1):
        way.to("a.py", number, kind, label)
    return graph


class TestPicture:
    def test_what_only_hands_a_value_on_is_folded(self) -> None:
        shown = picture(pipeline())
        assert "layer_ids" not in labels(shown)
        shift = arrow(shown, "ModelRunner.eagle_aux_hidden_state_layer_ids", "[val + 1 for val in layer_ids]")
        assert shift.notes == ("+1", "[2, 30, 58] -> [3, 31, 59]")
        assert [str(place) for place in shift.places] == [f"{RUNNER}:623", f"{LLAMA}:778", f"{LLAMA}:790"]

    def test_each_file_of_the_main_path_keeps_a_box(self) -> None:
        shown = picture(pipeline())
        assert [file for file, _ in shown.files] == [CONFIG, RUNNER, LLAMA, LOGITS, WORKER, INFO, BATCH, DRAFT]
        assert dict(shown.files)[WORKER][0].label == "logits_output.hidden_states"

    def test_a_place_is_one_box_whatever_context_it_ran_in(self) -> None:
        both = pipeline(context="prefill", graph=pipeline(context="verify"))
        assert len(both.nodes) > len(pipeline().nodes)
        assert labels(picture(both)) == labels(picture(pipeline()))
        (capture,) = [box for box in picture(both).boxes if box.kind == "capture"]
        assert capture.contexts == ("verify", "prefill")

    def test_the_main_path_is_marked(self) -> None:
        shown = picture(pipeline())
        assert [box.label for box in shown.boxes if not box.main] == ["hidden_size_in * 3"]
        assert [each.kind for each in shown.arrows if not each.main] == ["width"]

    def test_what_decides_keeps_its_own_notes_alone(self) -> None:
        graph = chain(("key", "k"), ("test", "ready"))
        parameter = graph.add(Node("parameter", "ids", Location("a.py", 8)))
        shift = Node("transform", "shift", Location("a.py", 9))
        graph.connect(Edge(graph.of_kind("test")[0], parameter, "control"))
        graph.connect(Edge(parameter, shift, "data", "+1", "[1]", "[2]"))
        decided = arrow(picture(graph), "ready", "shift")
        assert (decided.kind, decided.notes) == ("control", ())

    def test_a_place_where_ways_meet_is_not_folded(self) -> None:
        graph = FlowGraph("eagle3", "A")
        middle = Node("variable", "middle", Location("a.py", 50))
        for number in range(3):
            graph.connect(Edge(Node("field", f"in{number}", Location("a.py", number + 1)), middle))
            graph.connect(Edge(middle, Node("field", f"out{number}", Location("a.py", number + 60))))
        shown = picture(graph)
        assert "middle" in labels(shown)
        assert len(shown.arrows) == 6

    def test_a_crowd_is_thinned_but_not_on_the_main_path(self) -> None:
        graph = pipeline()
        for number in range(200):
            byway = Drawer(graph, graph.of_kind("key")[0])
            byway.to(RUNNER, 1000 + number, "reader", f"config.other{number}")
            byway.to(RUNNER, 2000 + number, "test", f"other{number}")
            graph.connect(Edge(byway.nodes[-1], graph.of_kind("capture")[0], "control"))
        shown = picture(graph)
        assert len(shown.boxes) <= MOST_BOXES
        assert len(shown.arrows) <= MOST_ARROWS
        assert [box.label for box in shown.boxes if box.main] == [box.label for box in picture(pipeline()).boxes if box.main]
        assert f"{len(shown.boxes)} of {shown.places} places" in dot(flow_chart(shown))

    def test_a_long_main_path_is_folded_too(self) -> None:
        kinds: tuple[NodeKind, ...] = ("attribute", "field", "transform")
        long = [(kinds[number % 3], f"step{number}") for number in range(90)]
        shown = picture(chain(("key", "k"), *long, ("consumer", "fc")))
        assert [box.kind for box in shown.boxes] == ["key", *["transform"] * 30, "consumer"]

    def test_a_way_without_an_end_is_drawn_as_far_as_it_goes(self) -> None:
        shown = picture(chain(("key", "k"), ("reader", "r"), ("attribute", "a")))
        assert labels(shown) == ["k", "r", "a"]

    def test_nothing_is_a_picture_too(self) -> None:
        shown = picture(FlowGraph("eagle3", "A"))
        assert shown.boxes == ()
        assert "eagle3 · A" in dot(flow_chart(shown))
        assert "eagle3 · A" in mermaid(flow_chart(shown))

    def test_a_broken_way_is_said_in_the_title(self) -> None:
        assert "no unbroken way from the key to the consumer" in dot(flow_of(cut_pipeline()))
        assert "no unbroken way" not in dot(flow_of(pipeline()))
        assert [box.at.line for box in picture(cut_pipeline()).boxes if box.kind == "variable"] == [522]
        assert "not established: 2, see the text" in mermaid(flow_of(covered(pipeline())))

    def test_cycles_and_long_ways_end(self) -> None:
        graph = chain(*[("variable", f"v{number}") for number in range(3000)])
        graph.connect(Edge(graph.nodes[-1], graph.nodes[0]))
        assert len(picture(graph).boxes) <= MOST_BOXES


def test_each_kind_has_a_look() -> None:
    assert set(LOOKS) == set(SHAPES) == set(MERMAID_SHAPES) == set(SPOT_KINDS)
    assert set(LINES) == set(MERMAID_LINES) == set(LINK_KINDS)
    assert set(NODE_KINDS) < set(SPOT_KINDS)
    assert set(EDGE_KINDS) < set(LINK_KINDS)
    assert {look.fill for look in LOOKS.values()} <= set(DARK)


class TestDot:
    source = dot(flow_of(pipeline()))

    def test_each_file_is_a_cluster(self) -> None:
        assert self.source.count("subgraph cluster_") == 8

    def test_what_decides_is_dashed_and_an_assumption_is_marked(self) -> None:
        assert re.search(r"n5 -> n6 \[.*style=dashed", self.source)
        assert re.search(r'n11 -> n12 \[label="  assumes single-rank .*arrowhead=empty', self.source)
        assert re.search(r"n14 -> n13 \[.*style=dotted", self.source)

    def test_values_stand_on_the_arrows(self) -> None:
        assert r'label="  +1 \l  [2, 30, 58] -> [3, 31, 59] \l"' in self.source

    def test_boxes_lead_to_their_lines(self) -> None:
        assert f'URL="./{LLAMA}#L790"' in self.source


@pytest.mark.parametrize(
    ("file", "title"),
    [
        ("a.py", ("", "a.py")),
        ("engine/srt/models/a.py", ("engine/srt/models", "a.py")),
        ("python/sglang-0.5.10/sglang/srt/models/a.py", ("…/sglang/srt/models", "a.py")),
        ("x/" + "y" * 60 + "/a.py", ("…/" + "y" * 60, "a.py")),
    ],
)
def test_a_file_is_titled_by_the_end_of_its_path(file: str, title: tuple[str, str]) -> None:
    assert file_lines(file) == title


class TestLinks:
    def test_they_are_relative_to_the_picture(self, here: Path) -> None:
        assert link_to(Location("engine/a.py", 3), "") == "./engine/a.py#L3"
        assert link_to(Location("engine/a.py", 3), "docs/pictures") == "../../engine/a.py#L3"
        assert link_to(Location("engine/a.py", 3), str(here / "engine")) == "./a.py#L3"

    @pytest.mark.parametrize("file", ["javascript:alert(1)", "//evil.example/x", "data:text/html,x", 'a"b', "a b#c?d", "a\x00b", "\udcff"])
    def test_none_leaves_the_tree(self, file: str) -> None:
        made = link_to(Location(file, 1), "")
        assert re.fullmatch(r"(\./|(\.\./)+)[\w./%~-]*#L1", made)
        assert ":" not in made


@needs_tool
class TestGraphviz:
    def test_an_svg_holds_every_box_and_link(self) -> None:
        shown = picture(pipeline())
        root = ET.fromstring(drawn(dot(flow_chart(shown)), "svg"))
        texts = [text.text for text in root.iter(f"{SVG}text")]
        assert {"aux_hidden_states", "torch.cat(aux_hidden_states,", "dim=-1)", "forward · llama_eagle3.py:163"} <= set(texts)
        assert f"./{DRAFT}#L163" in [anchor.get(LINK) for anchor in root.iter(f"{SVG}a")]

    def test_a_png_is_one(self) -> None:
        content = drawn(dot(flow_of(pipeline())), "png")
        assert content.startswith(b"\x89PNG")
        assert int.from_bytes(content[16:20], "big") > 800

    def test_a_way_back_to_the_key_is_drawn(self) -> None:
        graph = pipeline()
        for end in graph.of_kind("field", "transform"):
            graph.connect(Edge(end, graph.of_kind("key")[0]))
        assert ET.fromstring(drawn(dot(flow_of(graph)), "svg")).tag == f"{SVG}svg"

    def test_it_says_what_it_cannot_draw(self) -> None:
        with pytest.raises(BadInput, match="did not draw the picture: "):
            drawn("digraph {", "svg")

    @pytest.mark.parametrize("text", NASTY)
    def test_a_nasty_name_stays_what_it_is(self, text: str) -> None:
        root = ET.fromstring(drawn(dot(nasty(text)), "svg"))
        texts = ["".join(each.text or "" for each in group.iter(f"{SVG}text")) for group in root.iter(f"{SVG}g")]
        shown = "".join(terminal(text).split())
        assert sum(shown in "".join(found.split()) for found in texts) >= 6  # in two boxes, and on an arrow, with what is around each
        allowed = {"svg", "g", "style", "title", "polygon", "polyline", "path", "text", "a", "ellipse"}
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
        assert all((anchor.get(LINK) or "./").startswith(("./", "../")) for anchor in root.iter(f"{SVG}a"))

    @pytest.mark.parametrize("text", NASTY)
    def test_a_nasty_name_makes_no_dot_of_its_own(self, text: str) -> None:
        command = [TOOL or "", "-Tdot_json"]
        done = subprocess.run(command, input=dot(nasty(text)).encode(), capture_output=True, check=True)
        parsed = json.loads(done.stdout)
        assert [found["name"] for found in parsed["objects"] if "nodes" not in found and found["name"][0] != "%"] == ["n0", "n1", "n2"]
        assert len(parsed["edges"]) == 2


def nasty(text: str) -> Chart:
    """A drawing with the text wherever the source has a say."""
    graph = FlowGraph("eagle3", text)
    way = Drawer(graph)
    way.to(f"{text}.py", 1, "key", text, "")
    way.to("b.py", 2, "transform", text, text, does=f"{text} ", before=text, after=f"{text}  ", context=text)
    way.to("c.py", 3, "consumer", "fc", text, assumes=text)
    return flow_of(graph)


def mermaid_texts(source: str) -> Iterator[str]:
    """The quoted texts, as Mermaid would show them. All else must be of a known form."""
    quoted = re.compile(r'"([^"]*)"')
    form = re.compile(
        r'flowchart TB|  head[\[]Q[\]]:::headLine|  subgraph file\d+\[Q\]|    n\d+\W{1,2}Q\W{1,2}:::\w+Place|  end|  head ~~~ n0'
        r'|  n\d+ (==>|-->|--o|-\.->)(\|Q\|)? n\d+|  click n\d+ href Q Q|  classDef \w+ [\w:#,-]+|  class n[\dn,]+ main'
    )
    for line in source.splitlines():
        assert form.fullmatch(quoted.sub("Q", line)), line
        for text in quoted.findall(line):
            yield html.unescape(re.sub(r"#(\d+);", r"&#\1;", text))


class TestMermaid:
    def test_it_reads_like_a_flow_chart(self) -> None:
        lines = mermaid(flow_of(pipeline())).splitlines()
        assert lines[0] == "flowchart TB"
        assert f'  subgraph file2["{LLAMA}"]' in lines
        assert '  n2 ==>|"+1<br/>[2, 30, 58] -#62; [3, 31, 59]"| n3' in lines
        assert '  n5 -.->|"append<br/>out:2, out:30, out:58"| n6' in lines
        assert f'  click n13 href "./{DRAFT}#L163" "consumer: self.fc(hidden_states) · LlamaModel.forward · {DRAFT}:163"' in lines

    @pytest.mark.parametrize("text", NASTY)
    def test_a_nasty_name_stays_within_its_quotes(self, text: str) -> None:
        source = mermaid(nasty(text))
        shown = terminal(text)
        assert any(found.replace("<br/>", "").startswith(f"transform{shown}") for found in mermaid_texts(source))
        quoted = [found for found in re.findall(r'"([^"]*)"', source.replace("<br/>", "")) if not found.startswith("./")]
        assert not [found for found in quoted if re.search(r"[<>`\\&]|%%|__|style|fa:fa", found)]


@pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")
class TestPrograms:
    @pytest.fixture
    def bin(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The only folder in which programs are looked for."""
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path / "scripts"))
        return tmp_path

    @staticmethod
    def install(folder: Path, name: str, script: str = "cat") -> Path:
        folder.mkdir(exist_ok=True)
        tool = folder / name
        tool.write_text(f"#!/bin/sh\n/bin/{script}\n")
        tool.chmod(0o755)
        return tool

    @pytest.mark.parametrize("kind", ["svg", "png"])
    def test_without_any_it_says_what_to_install(self, bin: Path, kind: str) -> None:
        with pytest.raises(BadInput, match=f"a picture as {kind} needs Graphviz: pip install graphviz-pure"):
            program(kind)

    def test_a_pdf_needs_graphviz_itself(self, bin: Path) -> None:
        self.install(bin, draw.PURE)
        with pytest.raises(BadInput, match="a PDF needs Graphviz: "):
            ready([Drawing("svg", "a.svg"), Drawing("pdf", "a.pdf")])
        dot_program = self.install(bin, "dot")
        assert program("pdf") == str(dot_program)

    def test_the_texts_need_none(self, bin: Path, here: Path) -> None:
        drawings = [Drawing("dot", "a.dot"), Drawing("mmd", "a.mmd")]
        ready(drawings)
        write_charts(flow_of(pipeline()), drawings)
        assert sorted(path.name for path in here.glob("a.*")) == ["a.dot", "a.mmd"]

    def test_the_one_beside_python_is_found_off_the_path(self, bin: Path) -> None:
        tool = self.install(bin / "scripts", draw.PURE)
        assert program("svg") == str(tool)

    def test_graphviz_itself_comes_first(self, bin: Path) -> None:
        self.install(bin, draw.PURE)
        tool = self.install(bin, "dot")
        assert program("svg") == str(tool)

    def test_none_is_taken_from_the_working_directory(self, here: Path, monkeypatch: pytest.MonkeyPatch, bin: Path) -> None:
        self.install(here / "tree", "dot")
        monkeypatch.chdir(here / "tree")
        monkeypatch.setenv("PATH", ".")
        with pytest.raises(BadInput, match="pip install"):
            program("svg")

    def test_what_the_program_says_is_passed_on_in_one_line(self, bin: Path) -> None:
        self.install(bin, "dot", 'echo "Format: png not recognized" >&2; exit 1')
        with pytest.raises(BadInput, match=r"^dot did not draw the picture: Format: png not recognized$"):
            drawn("digraph {}", "png")


@needs_tool
def test_a_picture_in_another_folder_links_back(here: Path) -> None:
    (here / "docs").mkdir()
    write_charts(flow_of(pipeline()), [Drawing("svg", "docs/flow.svg")])
    assert f'href="../{DRAFT}#L163"' in (here / "docs/flow.svg").read_text("utf-8")
