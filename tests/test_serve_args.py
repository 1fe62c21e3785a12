"""Launch flags: how they are read, and what they are where the engine asks for them."""
from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_engine import ENGINE, KEY
from sources import plant

from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.flows.flow import Flags, load_flow
from flowcheck.analyzer.launched import configs_with, with_flags
from flowcheck.analyzer.launches import Gated
from flowcheck.analyzer.opening import open_flows
from flowcheck.analyzer.options import read_serve_args
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis
from flowcheck.analyzer.rule import Severity, judge
from flowcheck.rules import RULES

ARGS = "sglang/srt/server_args.py"
RUNNER = "sglang/srt/model_runner.py"
HAND_OVER = "        self.model.set_eagle3_layers_to_capture(self.ids)  # at: hand over\n"
DATACLASS = '''\
from dataclasses import dataclass, field
from typing import Optional


@dataclass
class ServerArgs:
    model_path: str
    speculative_draft_model_path: Optional[str] = None
    speculative_algorithm: Optional[str] = None
    device: str = "cuda"
    topk: int = 4
    plain: bool = False
    names: list = field(default_factory=list)

    def __post_init__(self):
        if self.speculative_algorithm == "NEXTN":
            self.speculative_algorithm = "EAGLE3"
        self.adjust()

    def adjust(self):
        if self.names:
            self.device = "cpu"

    def shrink(self):
        self.topk = 1
'''


def request(folder: Path, text: str | None, *edits: tuple[str, str], draft: object = None, args: str = DATACLASS) -> Request:
    runner = ENGINE[RUNNER]
    for old, new in edits:
        assert old in runner, old
        runner = runner.replace(old, new)
    source = plant(folder / "tree", ENGINE | {RUNNER: runner, ARGS: args})
    config = folder / "draft.json"
    config.write_text(json.dumps(draft or {KEY: [2, 5]}))
    return Request(str(source), ("eagle3",), layers=8, draft=str(config), judged=True, serve_args=read_serve_args(text))


def flags(folder: Path, text: str, *edits: tuple[str, str], args: str = DATACLASS) -> Flags:
    asked = request(folder, text, *edits, args=args)
    (one,) = open_flows(asked, [load_flow("eagle3")])
    found = with_flags(asked, one, configs_with(asked, asked.draft)).program.flow.pipeline
    assert found.flags is not None
    return found.flags


class TestReading:
    """The text of the option."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("--speculative-algorithm EAGLE", (("speculative_algorithm", ("EAGLE",)),)),
            ("--topk=-1 --plain", (("topk", ("-1",)), ("plain", ()))),
            ("--topk -1", (("topk", ("-1",)),)),
            ("--sizes 1 2 4", (("sizes", ("1", "2", "4")),)),
            ("--topk 1 --topk 2", (("topk", ("2",)),)),
            ("--override '{\"a\": 1}'", (("override", ('{"a": 1}',)),)),
            ("", ()),
        ],
    )
    def test_forms(self, text: str, expected: object) -> None:
        assert read_serve_args(text) == expected

    def test_none_is_not_the_same_as_no_flags(self) -> None:
        assert read_serve_args(None) is None

    @pytest.mark.parametrize("text", ["EAGLE", "-x 1", "--topk 1 -x", "--topk '"])
    def test_what_is_no_flag(self, text: str) -> None:
        with pytest.raises(BadInput, match="--serve-args"):
            read_serve_args(text)


class TestTheTree:
    """Defaults, and what the class of the flags makes of them."""

    def test_named_ones_and_defaults(self, tmp_path: Path) -> None:
        found = flags(tmp_path, "--plain")
        assert found.settled and found.holders == {"server_args"}
        assert found.values["plain"] is True
        assert found.values["speculative_algorithm"] == "EAGLE3"

    def test_the_class_changes_one(self, tmp_path: Path) -> None:
        assert flags(tmp_path, "--speculative-algorithm NEXTN").values["speculative_algorithm"] == "EAGLE3"

    def test_what_hangs_on_something_unknown_is_not_known(self, tmp_path: Path) -> None:
        assert "device" not in flags(tmp_path, "--plain").values

    def test_what_another_method_writes_is_not_known(self, tmp_path: Path) -> None:
        assert "topk" not in flags(tmp_path, "--plain").values

    def test_what_other_code_writes_is_not_known(self, tmp_path: Path) -> None:
        assert "plain" not in flags(tmp_path, "--plain", (HAND_OVER, f"        self.server_args.plain = False\n{HAND_OVER}")).values

    def test_fields_by_names_that_are_not_written_down(self, tmp_path: Path) -> None:
        by_name = DATACLASS.replace("    def adjust(self):\n", "    def adjust(self):\n        setattr(self, self.device, 1)\n")
        found = flags(tmp_path, "--speculative-algorithm EAGLE3", args=by_name)
        assert not found.settled
        assert "speculative_algorithm" not in found.values

    def test_a_struct_has_fields_too(self, tmp_path: Path) -> None:
        struct = DATACLASS.replace("@dataclass\nclass ServerArgs:", "class ServerArgs(Struct):").replace(
            "from typing", "from msgspec import Struct\nfrom typing"
        )
        assert flags(tmp_path, "--plain", args=struct).settled

    def test_a_tree_without_such_a_class(self, tmp_path: Path) -> None:
        found = flags(tmp_path, "--anything 1", args="")
        assert not found.settled
        assert found.values == {"anything": 1}

    def test_a_flag_that_no_field_bears(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput) as raised:
            flags(tmp_path, "--speculative-algoritm EAGLE")
        text = str(raised.value)
        assert "has no field for --speculative-algoritm; the nearest is --speculative-algorithm" in text
        assert "\n" not in text

    def test_a_flag_by_its_other_name(self, tmp_path: Path) -> None:
        adding = 'parser.add_argument("--spec-topk", "--device", type=int)'
        aliased = f"{DATACLASS}\n    @staticmethod\n    def add(parser):\n        {adding}\n"
        assert flags(tmp_path, "--spec-topk 1", args=aliased).named == {"device": 1}


class TestTheLaunch:
    """Which way is followed."""

    GATED = (HAND_OVER, f"        if self.server_args.plain:\n            return\n{HAND_OVER}")

    def events(self, analysis: Analysis) -> list[str]:
        (launch,) = analysis.launches
        return [event.ids for life in launch.lives for event in life]

    def test_a_named_flag_decides(self, tmp_path: Path) -> None:
        assert self.events(analyze(request(tmp_path, "--plain", self.GATED))) == []

    def test_a_default_decides(self, tmp_path: Path) -> None:
        assert self.events(analyze(request(tmp_path, "", self.GATED))) == ["[2, 5]"]

    def test_by_getattr_too(self, tmp_path: Path) -> None:
        gated = (HAND_OVER, f'        if getattr(self.server_args, "plain", True):\n            return\n{HAND_OVER}')
        assert self.events(analyze(request(tmp_path, "", gated))) == ["[2, 5]"]

    def test_something_else_with_such_an_attribute_is_no_flag(self, tmp_path: Path) -> None:
        other = (HAND_OVER, f"        if self.options.plain:\n            return\n{HAND_OVER}")
        assert self.events(analyze(request(tmp_path, "--plain", other))) == ["[2, 5]"]


class TestGated:
    """Conditions on the way, and which of them keeps the engine from the ids."""

    def gated(self, folder: Path, text: str, *edits: tuple[str, str], args: str = DATACLASS, draft: object = None) -> Gated | None:
        (launch,) = analyze(request(folder, text, *edits, args=args, draft=draft)).launches
        return launch.gated

    def algorithm(self, test: str) -> tuple[str, str]:
        """The ids are read and handed over only if this is so."""
        return "        if not self.is_draft:\n", f"        if {test}:\n"

    def test_the_condition_and_the_flag(self, tmp_path: Path) -> None:
        gate = self.algorithm('self.server_args.speculative_algorithm == "EAGLE3"')
        found = self.gated(tmp_path, "--speculative-algorithm EAGLE --topk 2", gate)
        assert found is not None
        assert found.branch.test == 'self.server_args.speculative_algorithm == "EAGLE3"'
        assert (found.branch.answer, found.flags) == (False, (("speculative_algorithm", "EAGLE"),))
        assert (found.entry, found.value, found.wants) == (KEY, "[2, 5]", "speculative_algorithm = EAGLE3")
        assert [each.name for each in found.reads] == [KEY]

    def test_a_method_that_is_left_early(self, tmp_path: Path) -> None:
        reads = "        if not self.is_draft:\n"
        early = (reads, f"        if self.server_args.plain:\n            return\n{reads}")
        found = self.gated(tmp_path, "--plain", early)
        assert found is not None
        assert (found.branch.test, found.branch.answer, found.flags) == ("self.server_args.plain", True, (("plain", "true"),))

    def test_a_default(self, tmp_path: Path) -> None:
        found = self.gated(tmp_path, "", self.algorithm("self.server_args.plain"))
        assert found is not None and found.flags == ()

    def test_the_ids_are_read_all_the_same(self, tmp_path: Path) -> None:
        assert self.gated(tmp_path, "--speculative-algorithm EAGLE") is None

    def test_the_class_of_the_flags_mends_it(self, tmp_path: Path) -> None:
        gate = self.algorithm('self.server_args.speculative_algorithm == "EAGLE3"')
        assert self.gated(tmp_path, "--speculative-algorithm NEXTN", gate) is None

    def test_what_the_tree_makes_of_the_flags_is_not_known(self, tmp_path: Path) -> None:
        gate = self.algorithm('self.server_args.speculative_algorithm == "EAGLE3"')
        assert self.gated(tmp_path, "--speculative-algorithm EAGLE", gate, args="") is None

    def test_a_draft_without_ids(self, tmp_path: Path) -> None:
        gate = self.algorithm('self.server_args.speculative_algorithm == "EAGLE3"')
        assert self.gated(tmp_path, "--speculative-algorithm EAGLE", gate, draft={"hidden_size": 8}) is None

    def test_without_flags_nothing_is_noted(self, tmp_path: Path) -> None:
        (launch,) = analyze(request(tmp_path, None, self.algorithm("self.server_args.plain"))).launches
        assert launch.branches == () and launch.gated is None

    def test_what_is_served_is_its_consequence(self, tmp_path: Path) -> None:
        gate = self.algorithm('self.server_args.speculative_algorithm == "EAGLE3"')
        analysis = analyze(request(tmp_path, "--speculative-algorithm EAGLE", gate))
        (finding,) = (each for each in judge(analysis, RULES) if each.severity > Severity.INFO)
        assert finding.code == "FC214"
        assert [each.code for each in finding.consequences] == ["FC901"]
