"""What is journalled of a launch: in which order setter and model are called, and what readers make of a config."""
from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest
from small_engine import ENGINE, KEY
from sources import plant

from flowcheck.analyzer.launches import Dropped, Event, Launch
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis
from flowcheck.analyzer.rule import Finding, judge
from flowcheck.rules import RULES

FILE = "sglang/srt/model_runner.py"
READ = f'            ids = getattr(config, "{KEY}", None)  # at: read\n            self.ids = ids  # at: keep\n'
HAND_OVER = "        self.model.set_eagle3_layers_to_capture(self.ids)  # at: hand over\n"
SET_DEFAULT = "self.model.set_eagle3_layers_to_capture()"
NESTED = f'getattr(config, "eagle_config", None)["{KEY}"]'
RUN = "self.model.forward(None, None, None)"


def looked_at(folder: Path, *edits: tuple[str, str], draft: object = None) -> Analysis:
    """The small engine with other code in its runner, launched with this draft config or with none in hand."""
    runner = ENGINE[FILE]
    for old, new in edits:
        assert old in runner, old
        runner = runner.replace(old, new)
    source = plant(folder / "tree", ENGINE | {FILE: runner})
    config = folder / "draft.json"
    config.write_text(json.dumps(draft))
    return analyze(Request(str(source), ("eagle3",), layers=8, draft=None if draft is None else str(config), judged=True))


def launched(folder: Path, *edits: tuple[str, str], draft: object = None) -> Launch:
    (launch,) = looked_at(folder, *edits, draft=draft).launches
    return launch


def found(analysis: Analysis, *codes: str) -> list[Finding]:
    return [each for each in judge(analysis, RULES) if each.code in codes]


def codes(folder: Path, *edits: tuple[str, str], draft: object = None) -> set[str]:
    return {each.code for each in found(looked_at(folder, *edits, draft=draft), "FC208", "FC209")}


def longest(launch: Launch) -> tuple[Event, ...]:
    return max(launch.lives, key=len)


def in_hand_over(before: str = "", after: str = "") -> tuple[str, str]:
    """The method that hands the ids over, with statements before and behind."""
    return HAND_OVER, before + HAND_OVER + after


class TestEvents:
    """Calls of the setter, and runs of the model."""

    def test_in_the_order_in_which_they_happen(self, tmp_path: Path) -> None:
        launch = launched(tmp_path, in_hand_over(f"        {RUN}\n"), draft={KEY: [2, 5]})
        assert [(each.kind, each.ids, each.configured) for each in longest(launch)] == [("run", "", False), ("set", "[2, 5]", True)]

    def test_the_calls_that_lead_there(self, tmp_path: Path) -> None:
        (event,) = longest(launched(tmp_path))
        symbols = [each.symbol for each in event.stack]
        assert symbols[-3:] == ["ModelRunner.__init__", "ModelRunner.initialize", "ModelRunner.hand_over"]
        assert ENGINE[FILE].splitlines()[event.at.line - 1].endswith("# at: hand over")

    def test_without_a_config_the_ids_are_not_known(self, tmp_path: Path) -> None:
        (event,) = longest(launched(tmp_path))
        assert (event.ids, event.configured) == ("", True)

    def test_two_branches_exclude_each_other(self, tmp_path: Path) -> None:
        other = f"        if self.ids is None:\n            {SET_DEFAULT}\n        else:\n    {HAND_OVER}"
        default, configured = longest(launched(tmp_path, (HAND_OVER, other)))
        assert default.excludes(configured) and configured.excludes(default)
        assert not default.excludes(default)

    def test_what_comes_behind_a_branch_that_is_left_early_is_in_the_other_one(self, tmp_path: Path) -> None:
        early = f"        if self.server_args.plain:\n            {SET_DEFAULT}\n            return\n"
        default, configured = longest(launched(tmp_path, in_hand_over(early)))
        assert default.excludes(configured)

    def test_a_function_that_is_left_early_leaves_its_caller_alone(self, tmp_path: Path) -> None:
        early = f"        if self.server_args.plain:\n            {SET_DEFAULT}\n            return\n\n"
        edits = (("    def hand_over", f"    def begin(self):\n{early}    def hand_over"), in_hand_over("        self.begin()\n"))
        default, configured = longest(launched(tmp_path, *edits))
        assert not default.excludes(configured)

    def test_a_loop_that_goes_on_leaves_what_follows_alone(self, tmp_path: Path) -> None:
        loop = f"        for each in self.sizes:\n            if each:\n                {SET_DEFAULT}\n                continue\n"
        *defaults, configured = longest(launched(tmp_path, in_hand_over(loop)))
        assert defaults and not any(each.excludes(configured) for each in defaults)


class TestTheOrder:
    """What FC208 and FC209 make of it."""

    def test_a_run_before(self, tmp_path: Path) -> None:
        assert codes(tmp_path, in_hand_over(f"        {RUN}\n")) == {"FC209"}

    def test_a_run_behind(self, tmp_path: Path) -> None:
        assert codes(tmp_path, in_hand_over(after=f"        {RUN}\n")) == set()

    def test_the_default_and_a_run_before(self, tmp_path: Path) -> None:
        assert codes(tmp_path, in_hand_over(f"        {SET_DEFAULT}\n        {RUN}\n")) == {"FC208", "FC209"}

    def test_the_default_behind(self, tmp_path: Path) -> None:
        (finding,) = found(looked_at(tmp_path, in_hand_over(after=f"        {SET_DEFAULT}\n"), draft={KEY: [2, 5]}), "FC208")
        assert finding.message.startswith("the setter is called without ids and replaces the configured ids [2, 5]")

    def test_a_graph_runner_that_is_picked_from_a_table(self, tmp_path: Path) -> None:
        """What the entries of the table do is looked at, also those of the lambda that makes what is missing."""
        table = (
            "from collections import defaultdict\n\nfrom sglang.srt.models.registry import get_model\n\n\n"
            "class Graphs:\n    def __init__(self, runner):\n        runner.model.set_eagle3_layers_to_capture()\n\n\n"
            "class NoGraphs:\n    def __init__(self, runner):\n        self.runner = runner\n"
        )
        record = '    def record(self):\n        defaultdict(lambda: Graphs, {"cpu": NoGraphs})[self.server_args.device](self)\n\n'
        load = "        self.model = get_model(self.server_args)\n"
        call = (load, f"{load}        self.record()\n"), ("    def hand_over(self):\n", f"{record}    def hand_over(self):\n")
        top = "from sglang.srt.models.registry import get_model\n", table
        assert codes(tmp_path, top, *call, draft={KEY: [2, 5]}) == {"FC208"}

    def test_what_is_served_is_open_for_that_reason(self, tmp_path: Path) -> None:
        (finding,) = found(looked_at(tmp_path, in_hand_over(after=f"        {SET_DEFAULT}\n"), draft={KEY: [2, 5]}), "FC208")
        assert [each.code for each in finding.consequences] == ["FC901"]

    def test_only_one_of_them_happens(self, tmp_path: Path) -> None:
        early = f"        if self.server_args.plain:\n            {SET_DEFAULT}\n            {RUN}\n            return\n"
        assert codes(tmp_path, in_hand_over(early)) == set()

    def test_a_draft_without_ids_has_none_that_are_replaced(self, tmp_path: Path) -> None:
        assert codes(tmp_path, in_hand_over(f"        {SET_DEFAULT}\n        {RUN}\n"), draft={"hidden_size": 8}) == set()


class TestSwallowed:
    """An ``except`` around a lookup."""

    def reading(self, body: str, handler: str) -> tuple[str, str]:
        return READ, f"            try:\n                self.ids = {body}\n            {handler}\n                self.ids = None\n"

    def test_open_without_a_config(self, tmp_path: Path) -> None:
        (swallowed,) = launched(tmp_path, self.reading(NESTED, "except (KeyError, TypeError):")).swallowed
        assert (swallowed.catches, swallowed.target, swallowed.instead) == ("(KeyError, TypeError)", "self.ids", "None")
        assert not swallowed.certain
        assert "eagle_config." + KEY in {each.name for each in swallowed.lookups}

    def test_certain_with_a_config_that_lacks_the_key(self, tmp_path: Path) -> None:
        swallowed, *_ = launched(tmp_path, self.reading(f"config.{KEY}", "except:"), draft={"hidden_size": 8}).swallowed
        assert swallowed.certain
        assert [(each.name, each.status) for each in swallowed.lookups] == [(KEY, "raises")]

    def test_what_is_asked_of_a_none_is_named(self, tmp_path: Path) -> None:
        reader = self.reading('getattr(config, "eagle_config", None).get("ids")', "except AttributeError:")
        swallowed, *_ = launched(tmp_path, reader, draft={"hidden_size": 8}).swallowed
        assert [each.name for each in swallowed.lookups] == ["eagle_config.ids"]

    def test_nothing_is_swallowed_where_the_key_is(self, tmp_path: Path) -> None:
        assert launched(tmp_path, self.reading(f"config.{KEY}", "except:"), draft={KEY: [2, 5]}).swallowed == ()

    def test_a_handler_that_raises_swallows_nothing(self, tmp_path: Path) -> None:
        edit = (READ, f"            try:\n                self.ids = config.{KEY}\n            except:\n                raise ValueError\n")
        assert launched(tmp_path, edit).swallowed == ()


class TestFalsy:
    """Entries that are there and count as false."""

    def test_an_empty_list_or_something_else(self, tmp_path: Path) -> None:
        (falsy,) = launched(tmp_path, (READ, f"            self.ids = config.{KEY} or (1, 2)\n"), draft={KEY: []}).falsy
        assert (falsy.role, falsy.name, falsy.value, falsy.instead) == ("draft", KEY, "[]", "(1, 2)")

    def test_a_list_with_something_in_it(self, tmp_path: Path) -> None:
        assert launched(tmp_path, (READ, f"            self.ids = config.{KEY} or (1, 2)\n"), draft={KEY: [2]}).falsy == ()

    def test_an_entry_that_is_not_there(self, tmp_path: Path) -> None:
        edit = (READ, f'            self.ids = getattr(config, "{KEY}", None) or (1, 2)\n')
        assert launched(tmp_path, edit, draft={"hidden_size": 8}).falsy == ()


class TestDropped:
    """What is made of entries of a config, and asked for one that was left out."""

    DRAFT: ClassVar[dict[str, object]] = {KEY: [2, 5], "hidden_size": 8}
    GETS = f'kept.get("{KEY}")'
    ASKS = f'getattr(kept, "{KEY}", None)'

    def dropped(self, folder: Path, make: str, read: str, draft: object = None) -> tuple[Dropped, ...]:
        code = f"            {make}\n            ids = {read}\n            self.ids = ids\n"
        return launched(folder, (READ, code), draft=draft or self.DRAFT).dropped

    @pytest.mark.parametrize(
        ("make", "read"),
        [
            ('kept = {"hidden_size": config.hidden_size}', GETS),
            ("kept = dict(hidden_size=config.hidden_size)", GETS),
            ('kept = {k: getattr(config, k) for k in ("hidden_size",)}', GETS),
            ('kept = {k: v for k, v in config.to_dict().items() if k in ("hidden_size", "vocab_size")}', GETS),
            ("kept = AutoConfig(hidden_size=config.hidden_size)", ASKS),
            ('kept = AutoConfig.from_dict({"hidden_size": config.hidden_size})', ASKS),
        ],
        ids=["display", "dict", "names", "items", "class", "from_dict"],
    )
    def test_ways_of_making_one(self, tmp_path: Path, make: str, read: str) -> None:
        (found,) = self.dropped(tmp_path, make, read)
        assert (found.lookup.name, found.lookup.default, found.value) == (KEY, "None", "[2, 5]")
        assert (found.made_by, found.made_at.line) == ("ModelRunner.initialize", found.lookup.at.line - 1)

    @pytest.mark.parametrize(
        ("make", "read"),
        [
            (f'kept = {{"hidden_size": config.hidden_size, "{KEY}": config.{KEY}}}', GETS),
            ("kept = dict(config.to_dict())", GETS),
            ("kept = dict(config.to_dict(), hidden_size=config.hidden_size)", GETS),
            ('kept = {"hidden_size": config.hidden_size, **config.to_dict()}', GETS),
            (f'kept = {{k: getattr(config, k) for k in ("hidden_size", "{KEY}")}}', GETS),
            (f'kept = {{k: v for k, v in config.to_dict().items() if k in ("hidden_size", "{KEY}")}}', GETS),
            ('kept = {k: v for k, v in config.to_dict().items() if k != "hidden_size"}', GETS),
            ("kept = {k: v for k, v in config.to_dict().items() if self.is_kept(k)}", GETS),
            ("kept = AutoConfig(hidden_size=config.hidden_size, **self.others)", ASKS),
            ("kept = AutoConfig.from_dict(config.to_dict())", ASKS),
            ('kept = {"size": config.hidden_size}', GETS),
            ('kept = {"hidden_size": 8}', GETS),
            ('kept = {"hidden_size": config.hidden_size}; kept.update(self.others)', GETS),
            ('kept = {"hidden_size": config.hidden_size}; fill_in(kept)', GETS),
            (f'kept = {{"hidden_size": config.hidden_size}}; kept["{KEY}"] = config.{KEY}', GETS),
            ('kept = {"hidden_size": config.hidden_size}', f"{GETS} or config.{KEY}"),
        ],
    )
    def test_nothing_is_said(self, tmp_path: Path, make: str, read: str) -> None:
        assert self.dropped(tmp_path, make, read) == ()

    def test_a_config_without_the_entry(self, tmp_path: Path) -> None:
        assert self.dropped(tmp_path, 'kept = {"hidden_size": config.hidden_size}', self.GETS, {"hidden_size": 8}) == ()

    def test_a_dataclass(self, tmp_path: Path) -> None:
        fields = f"@dataclass\nclass Small:\n    hidden_size: int\n    {KEY}: list = None\n\n\nclass ModelRunner:"
        make = "            kept = Small(hidden_size=config.hidden_size)\n"
        declared = ("class ModelRunner:", f"from dataclasses import dataclass\n\n\n{fields}")
        (found,) = launched(tmp_path, declared, (READ, f"{make}            self.ids = kept.{KEY}\n"), draft=self.DRAFT).dropped
        assert (found.lookup.name, found.lookup.default) == (KEY, "None")

    def test_a_trainer(self, tmp_path: Path) -> None:
        exporter = f"""def export(draft_config):
    kept = {{"hidden_size": draft_config.hidden_size}}
    return kept.get("{KEY}", [1])
"""
        trainer = plant(tmp_path / "trainer", {"exporter/export.py": exporter})
        looked_at(tmp_path, draft=self.DRAFT)
        asked = Request(str(tmp_path / "tree"), ("eagle3",), layers=8, draft=str(tmp_path / "draft.json"), train=str(trainer), judged=True)
        (launch,) = analyze(asked).launches
        assert [(each.lookup.side, each.lookup.default, each.made_by) for each in launch.dropped] == [("training", "[1]", "export")]

    def test_the_default_that_comes_of_it_is_its_consequence(self, tmp_path: Path) -> None:
        code = f'            kept = {{"hidden_size": config.hidden_size}}\n            self.ids = {self.GETS}\n'
        (finding,) = found(looked_at(tmp_path, (READ, code), draft=self.DRAFT), "FC204", "FC201", "FC203")
        assert finding.code == "FC204"


class TestOverrides:
    """Writes to a config."""

    def test_a_write_beside_the_reader(self, tmp_path: Path) -> None:
        edit = (READ, f"            config.{KEY} = [1]\n            self.ids = config.eagle_config[\"{KEY}\"]\n")
        analysis = looked_at(tmp_path, edit, draft={"eagle_config": {KEY: [2, 5]}})
        (launch,) = analysis.launches
        assert [(each.role, each.name) for each in launch.overrides] == [("draft", KEY)]
        (finding,) = found(analysis, "FC207")
        assert f"its readers ask for eagle_config.{KEY} of the draft's config" in finding.message

    def test_a_write_where_it_is_read(self, tmp_path: Path) -> None:
        edit = (READ, f"            config.{KEY} = [1]\n            self.ids = config.{KEY}\n")
        assert found(looked_at(tmp_path, edit, draft={KEY: [2, 5]}), "FC207") == []
