"""The views of ``flowcheck graph``: what each shows of the story, of a small tree, and of a draft that nothing is proved of."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from conftest import Release
from graph_examples import Drawer, cut_pipeline, pipeline
from test_draw import NASTY, SVG, needs_tool

from flowcheck.analyzer import cli
from flowcheck.analyzer.chart import Chart, Link, Spot
from flowcheck.analyzer.compare_chart import compare_chart, told_steps
from flowcheck.analyzer.draw import dot, drawn
from flowcheck.analyzer.escape import terminal
from flowcheck.analyzer.graph import FlowGraph
from flowcheck.analyzer.looks import ACCENT, BAD, DARK, FRAME, GREY, INK, LOOKS, MAIN, PAPER, RED
from flowcheck.analyzer.mermaid import mermaid
from flowcheck.analyzer.models_chart import models_chart
from flowcheck.analyzer.options import VIEWS
from flowcheck.analyzer.path_chart import path_chart
from flowcheck.analyzer.pipeline import analyze, draw_graphs, hold_together
from flowcheck.analyzer.pipeline_chart import pipeline_chart
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Comparison, Location, Side, Step
from flowcheck.analyzer.wrapping import wrapped

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
STORY = FIXTURES / "ids-changed-after-training"
SHIPPED = Request("tree/sglang", draft="configs/bad.json", target="configs/target.json")
Capture = pytest.CaptureFixture[str]


def titles(chart: Chart) -> list[str]:
    return [spot.title for spot in chart.spots]


def spot(chart: Chart, title: str) -> Spot:
    (found,) = [each for each in chart.spots if each.title == title]
    return found


def links_from(chart: Chart, title: str) -> list[Link]:
    return [link for link in chart.links if link.source == spot(chart, title).id]


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STORY)


@pytest.mark.usefixtures("story")
class TestPipeline:
    @pytest.fixture
    def chart(self) -> Chart:
        return pipeline_chart(draw_graphs(SHIPPED).graphs[0])

    def test_it_has_one_box_a_component(self, chart: Chart) -> None:
        assert titles(chart) == [
            "bad.json", "ModelRunner", "KimiLikeForConditionalGeneration", "DeepseekLikeForCausalLM, DeepseekLikeModel", "LogitsProcessor",
            "EagleWorker", "DraftInput", "ForwardBatch", "LlamaDraftModel", "fc",
        ]  # fmt: skip
        assert [(link.source, link.target) for link in chart.links] == [(f"n{number}", f"n{number + 1}") for number in range(9)]

    def test_what_goes_over_the_arrows_is_told(self, chart: Chart) -> None:
        assert links_from(chart, "ModelRunner")[0].notes == ("[-1, 2, 30]",)
        (captured,) = links_from(chart, "DeepseekLikeForCausalLM, DeepseekLikeModel")
        assert (captured.notes, captured.after) == (("embed, out:2, out:30",), "embed, out:2, out:30")
        assert spot(chart, "fc").small == ("input: embed, out:2, out:30", "input width 21504")

    def test_what_only_hands_on_is_on_the_arrow(self, chart: Chart) -> None:
        (back,) = links_from(chart, "LogitsProcessor")
        assert back.notes[1].endswith("ModelRunner, TpModelWorker")

    def test_a_component_says_what_it_does(self, chart: Chart) -> None:
        model = spot(chart, "DeepseekLikeForCausalLM, DeepseekLikeModel")
        assert model.kind == "capture"
        assert "makes + 1: [2, 30] -> [3, 31] (line 104)" in model.small
        assert "captures aux_hidden_states.append (lines 67, 70, 73)" in model.small


def test_points_are_told_only_as_far_as_they_are_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that turns the states round before the draft gets them: what arrives is not what was captured, in its order."""
    shutil.copytree(STORY, tmp_path / "story")
    monkeypatch.chdir(tmp_path / "story")
    worker = Path("tree/sglang/srt/speculative/eagle_worker.py")
    text = worker.read_text("utf-8")
    for kept in ("hidden_states=output.hidden_states[accepted]", "hidden_states=output.hidden_states)"):
        assert kept in text
        text = text.replace(kept, kept.replace("[accepted]", "").replace("output.hidden_states", "output.hidden_states.flip(-1)"))
    worker.write_text(text, "utf-8")
    chart = pipeline_chart(draw_graphs(SHIPPED).graphs[0])
    assert spot(chart, "fc").small == ("input width 21504",)
    assert links_from(chart, "DeepseekLikeForCausalLM, DeepseekLikeModel")[0].after == "embed, out:2, out:30"
    assert [links_from(chart, name)[0].after for name in ("EagleWorker", "DraftInput")] == ["", ""]


def test_a_broken_way_is_drawn_in_parts() -> None:
    for chart in (pipeline_chart(cut_pipeline()), path_chart(cut_pipeline(), lambda at: None)):
        assert "no unbroken way" in chart.notice
        assert chart.below
        assert {end for link in chart.links for end in (link.source, link.target)} <= {each.id for each in chart.spots}


@pytest.mark.usefixtures("story")
class TestPath:
    def test_every_hop_has_its_line_of_code(self) -> None:
        found = draw_graphs(SHIPPED)
        chart = path_chart(found.graphs[0], found.excerpt)
        way = found.graphs[0].main_path() or ()
        assert [each.place for each in chart.spots] == [way[0].source.at, *(hop.at for hop in way)]
        assert spot(chart, "9  transform  + 1").code.startswith("104 | self.model.layers_to_capture = [layer_id + 1 for layer_id in")
        assert [link.notes for link in chart.links if "->" in str(link.notes)] == [("[2, 30] -> [3, 31]",)]

    def test_a_file_has_a_frame_each_time_the_way_comes_to_it(self) -> None:
        chart = path_chart(draw_graphs(SHIPPED).graphs[0], lambda at: None)
        files = [frame.title for frame in chart.frames]
        assert files.count("deepseek_like.py") == 2
        assert len({frame.id for frame in chart.frames}) == len(files)


@pytest.mark.usefixtures("story")
class TestCompare:
    @staticmethod
    def compared(draft: str, train: str | None = "tree/draft_training") -> Chart:
        found = hold_together(Request("tree/sglang", draft=draft, target="configs/target.json", train=train))
        (one,) = found.comparisons
        assert one.trained is not None
        return compare_chart(one, one.trained, found.excerpt)

    def test_the_first_differing_edge_is_marked_in_three_ways(self) -> None:
        chart = self.compared("configs/bad.json")
        (bad,) = [link for link in chart.links if link.emphasis == "bad" and link.kind == "data"]
        assert bad.source == spot(chart, "key eagle_config.eagle_aux_hidden_state_layer_ids").id
        assert bad.notes == ("differs",)
        assert re.search(rf'\tn?{bad.source} -> {bad.target} \[.*color="(#\w+):#\w+:\1"', dot(chart))
        assert chart.notice == "other hidden states are served than were trained"

    def test_what_comes_to_fc_stands_side_by_side(self) -> None:
        chart = self.compared("configs/bad.json")
        points = {each.id: each.title for each in chart.spots if each.kind == "point"}
        pairs = [("out:2", "embed"), ("out:30", "out:2"), ("out:58", "out:30")]
        assert [(points[one], points[other]) for one, other in chart.level] == pairs
        assert [link.kind for link in chart.links if link.id.startswith("pair")] == ["other"] * 3

    def test_where_they_agree_it_says_so(self) -> None:
        chart = self.compared("configs/good.json")
        assert chart.notice == "served = trained"
        assert not [each for each in (*chart.links, *chart.spots) if each.emphasis == "bad"]
        assert [link.notes for link in chart.links if link.id.startswith("pair")] == [("same",)] * 3

    def test_what_is_not_established_is_told_with_reason_and_place(self) -> None:
        at = Location("engine/a.py", 7)
        served = Side(None, None, "not established", "a kernel stands in the way", at, None)
        trained = Side(("out:2",), (2,), "established", None, None, None)
        chart = compare_chart(Comparison("eagle3", "A", served, trained), trained, lambda at: None)
        assert chart.notice == "what is served is not established"
        (open_one,) = [each for each in chart.spots if each.kind == "open"]
        assert (open_one.title, open_one.small) == ("not established", ("a kernel stands in the way", "engine/a.py:7"))
        assert [link.notes for link in chart.links] == [("?",)]

    def test_a_shift_is_where_equal_ids_part(self) -> None:
        at = Location("engine/a.py", 7)
        path = (Step("key", "ids", "[2]", Location("draft.json", 1)), Step("- 1", "[2]", "[1]", at), Step("M.ids =", "[1]", "[1]", at))
        served, trained = (Side((point,), (2,), "established", None, None, None, (), path) for point in ("out:1", "out:2"))
        chart = compare_chart(Comparison("eagle3", "A", served, trained), trained, lambda at: None)
        (bad,) = [link for link in chart.links if link.emphasis == "bad" and link.kind == "data"]
        assert [each.title for each in chart.spots if each.id == bad.target] == ["- 1"]

    def test_what_parts_at_no_hop_is_marked_where_it_arrives(self) -> None:
        at, elsewhere = Location("setter.py", 3), Location("config.json", 2)
        steps = (Step("key ids", "[2]", "[2]", at), Step("append", "a tensor", "1 in the list", at))
        served = Side(("out:1",), (2,), "established", None, None, elsewhere, (), steps)
        trained = Side(("out:2",), (3,), "established", None, None, at, (), steps)
        chart = compare_chart(Comparison("eagle3", "Tulip", served, trained), trained, lambda at: None)
        assert [link.id for link in chart.links if link.emphasis == "bad"] == ["pair0"]
        assert [each.title for each in chart.spots if each.emphasis == "bad"] == ["out:1"]

    def test_a_hop_that_comes_again_is_told_once(self) -> None:
        taken = [Step("append", f"a tensor of 9 parts up to layer {layer}", "1 in the list", Location("a.py", 3)) for layer in (2, 30)]
        assert [told.values for told in told_steps(taken)] == [("of layer 2", "of layer 30")]


class TestModels:
    @staticmethod
    def chart(case: str) -> Chart:
        found = analyze(Request(str(FIXTURES / case / "tree")))
        return models_chart(found.source, found.wirings)

    def test_classes_come_together_by_convention(self) -> None:
        chart = self.chart("one-class-apart")
        assert [(each.word, each.title, each.small) for each in chart.spots] == [
            ("4 target classes", "id k captures out:k", ("AsterForCausalLM, BorageForCausalLM, CrocusForCausalLM, DaisyForCausalLM",)),
            ("1 target class", "id k captures out:k-1", ("ElderForCausalLM",)),
        ]
        assert chart.below == ((chart.spots[0].id, chart.spots[1].id),)

    def test_each_flow_has_a_frame(self) -> None:
        chart = self.chart("index-tests")
        assert len({frame.title for frame in chart.frames}) == len(chart.frames) > 1
        assert len({each.id for each in chart.spots}) == len(chart.spots)

    def test_what_raises_comes_in_one_box(self) -> None:
        assert spot(self.chart("setter-shapes"), "id k raises").small == (
            "– StarForCausalLM: raises ValueError: not enough values to unpack (expected at least 2, got 1)",
        )

    def test_what_is_open_has_a_box_of_its_own_and_says_why(self) -> None:
        chart = self.chart("opaque-capture")
        (found,) = [each for each in chart.spots if each.kind == "open"]
        assert "not established" in found.title
        assert re.search(r"– \w+: .+ \(.+:\d+\)", found.small[0])
        assert "not established" in chart.notice


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("DeepseekForConditionalGeneration", ("DeepseekForConditional", "Generation")),
        ("eagle_config.eagle_aux_hidden_state_layer_ids", ("eagle_config.eagle_aux_", "hidden_state_layer_ids")),
        ("[val + 1 for val in layer_ids]", ("[val + 1 for val in", "layer_ids]")),
        ("x" * 30, ("x" * 24, "x" * 6)),
        (" ", ()),
    ],
)
def test_long_names_are_wrapped_where_a_reader_would_part_them(text: str, lines: tuple[str, ...]) -> None:
    assert wrapped(text, 24) == lines
    assert "".join("".join(lines).split()) == "".join(text.split())


def hostile(text: str) -> list[Chart]:
    """Charts with the text wherever the source has a say."""
    graph = FlowGraph("eagle3", text)
    way = Drawer(graph)
    way.to(f"{text}.py", 1, "key", text, text)
    way.to("b.py", 2, "transform", text, text, does=text, before=text, after=f"[{text}", assumes=text)
    way.to("c.py", 3, "consumer", text, text)
    at = Location(f"{text}.py", 3)
    served = Side((text, text), (2,), "established", None, None, at, (), (Step(text, text, f"{text} ", at),))
    open_one = Side(None, None, "not established", text, at, at, (), (Step(text, text, f"{text} ", at),))
    compared = compare_chart(Comparison("eagle3", text, served, open_one), open_one, lambda at: text)
    return [pipeline_chart(graph), path_chart(graph, lambda at: text), compared]


@needs_tool
@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_name_stays_text(text: str) -> None:
    wanted = "".join(terminal(text).split())
    for chart in hostile(text):
        root = ET.fromstring(drawn(dot(chart), "svg"))
        shown = "".join("".join(each.text or "" for each in root.iter(f"{SVG}text")).split())
        assert wanted in shown
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "g", "style", "title", "polygon", "polyline", "path", "text", "a", "ellipse"}
        assert {each.id for each in chart.spots} <= {group.get("id") for group in root.iter(f"{SVG}g")}
        quoted = [found for found in re.findall(r'"([^"]*)"', mermaid(chart).replace("<br/>", "")) if not found.startswith("./")]
        assert not [found for found in quoted if re.search(r"[<>`\\&]|%%|__|style|fa:fa", found)]


@needs_tool
def test_an_svg_has_other_colours_on_a_dark_page() -> None:
    content = drawn(dot(pipeline_chart(pipeline())), "svg").decode()
    assert content.count("<style>") == 1
    used = set(re.findall(r'(?:fill|stroke)="(#\w+)"', content.split("</style>")[1]))
    assert used <= set(DARK)
    assert "@media (prefers-color-scheme:dark)" in content


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_texts_are_legible_on_every_box_light_and_dark() -> None:
    for behind in {PAPER, FRAME, RED, *(look.fill for look in LOOKS.values())}:
        for ink in (INK, GREY, ACCENT, BAD, MAIN):
            for one, other in ((ink, behind), (DARK[ink], DARK[behind])):
                light, dark = sorted((luminance(one), luminance(other)), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (one, other)


@pytest.mark.usefixtures("story")
class TestCommand:
    @staticmethod
    def run(*options: str) -> int:
        with pytest.raises(SystemExit) as ended:
            cli.main(["graph", "tree/sglang", "--target", "configs/target.json", *options])
        return int(str(ended.value.code))

    @pytest.mark.parametrize("view", VIEWS)
    def test_every_run_draws_the_same(self, view: str, tmp_path: Path) -> None:
        given = ["--draft", "configs/bad.json", *(["--train", "tree/draft_training"] if view == "compare" else [])]
        drawn_twice = []
        for seed in ("1", "2"):
            files = [tmp_path / f"{seed}.{kind}" for kind in ("dot", "mmd")]
            asked = [part for file in files for part in ("-o", str(file))]
            command = [sys.executable, "-m", "flowcheck", "graph", "tree/sglang", "--target", "configs/target.json", *given]
            subprocess.run([*command, "--view", view, *asked], env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
            drawn_twice.append([file.read_text("utf-8") for file in files])
        assert drawn_twice[0] == drawn_twice[1]
        assert drawn_twice[0][0].startswith("digraph {")

    def test_the_pipeline_is_what_is_drawn_unless_another_view_is_named(self, tmp_path: Path) -> None:
        file, named = tmp_path / "a.mmd", tmp_path / "b.mmd"
        assert self.run("--draft", "configs/bad.json", "-o", str(file)) == 0
        assert self.run("--draft", "configs/bad.json", "--view", "pipeline", "-o", str(named)) == 0
        assert file.read_text("utf-8") == named.read_text("utf-8")

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (["--view", "map", "-o", "x.svg"], "--view map: there is no such view; there are pipeline, path, flow, compare, models"),
            (["--view", "path"], "--view path is about a picture: name its file with -o"),
            (["--view", "compare", "-o", "x.dot"], "give its config with --draft"),
            (["--view", "compare", "--draft", "configs/bad.json", "-o", "x.dot"], "nothing says what configs/bad.json was trained on"),
            (["--view", "compare", "--draft", "configs/bad.json", "--ids", "1", "-o", "x.dot"], "leave out --ids"),
            (["--view", "models", "--ids", "1", "-o", "x.dot"], "leave out --ids"),
            (["--train", "tree/draft_training"], "only --view compare shows"),
        ],
    )
    def test_what_cannot_be_drawn_is_said(self, options: list[str], said: str, capsys: Capture) -> None:
        assert self.run(*options) == 2
        assert said in capsys.readouterr().err


@pytest.mark.release
@pytest.mark.parametrize("version", ["0.5.9"])
def test_the_pipeline_of_a_release_fits_on_a_page(version: str, release: Release) -> None:
    request = Request(str(release(version)), flows=("eagle3",), models=("LlamaForCausalLM",), layers=32, ids=((2, 16, 29),))
    chart = pipeline_chart(draw_graphs(request).graphs[0])
    assert titles(chart)[:3] == ["ModelRunner", "LlamaForCausalLM, LlamaModel", "LogitsProcessor"]
    assert titles(chart)[-1] == "fc"
    assert len(chart.spots) <= 12
    assert spot(chart, "fc").small[0] == "input: out:2, out:16, out:29"
