"""The layouts in which drafts are published, against engines that read the ids at different places: what is served is the list where the
reader looks for it, else the default, and never a guess of ours."""
from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest
from flowed import changed
from small_engine import KEY
from sources import plant

from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Comparison
from flowcheck.analyzer.rule import Finding, Severity, judge
from flowcheck.rules import RULES

FACTS = ("FC301", "FC303", "FC307", "FC901")
"""What is told of every target, where no draft is hit."""
SETTER = """
if layer_ids is None:
    layer_ids = [1, 2, 3]
self.model.layers_to_capture = [k + 1 for k in layer_ids]
"""
TOP = f'ids = getattr(config, "{KEY}", None)'
NESTED = f"""
try:
    eagle_config = getattr(config, "eagle_config", None)
    eagle_config.get("use_aux_hidden_state", True)
    ids = eagle_config["{KEY}"]
except:
    ids = None
"""
READERS = {
    "at the top": TOP,
    "at the top, by attribute": f"""
try:
    ids = config.{KEY}
except AttributeError:
    ids = None
""",
    "nested": NESTED,
    "nested, with a dict that stands in": f'ids = (getattr(config, "eagle_config", None) or {{}}).get("{KEY}")',
    "nested, then at the top": f"""
ids = None
eagle_config = getattr(config, "eagle_config", None)
if eagle_config is not None:
    ids = eagle_config.get("{KEY}")
if ids is None:
    ids = getattr(config, "{KEY}", None)
""",
    "nested, where it is there": f"""
if hasattr(config, "eagle_config") and "{KEY}" in config.eagle_config:
    ids = config.eagle_config["{KEY}"]
else:
    ids = None
""",
}
IDS = [0, 2, 4]
LAYOUTS: dict[str, dict[str, object]] = {
    "nested": {"eagle_config": {"use_aux_hidden_state": True, KEY: IDS}},
    "top": {KEY: IDS},
    "speculators": {
        "architectures": ["Eagle3Speculator"], "speculators_model_type": "eagle3", KEY: IDS,
        "speculators_config": {"algorithm": "eagle3", "verifier": {"name_or_path": "x"}},
        "transformer_layer_config": {"hidden_size": 16, "num_hidden_layers": 1},
    },
    "another spelling": {"aux_hidden_states_layer_ids": IDS},
    "dflash": {"dflash_config": {"target_layer_ids": IDS}, "num_target_layers": 8},
    "a flag alone": {"eagle_config": {"use_aux_hidden_state": True}},
    "a null": {"eagle_config": None},
    "nothing": {"draft_vocab_size": 32000},
}
READ = {
    "at the top": {"top", "speculators"},
    "at the top, by attribute": {"top", "speculators"},
    "nested": {"nested"},
    "nested, with a dict that stands in": {"nested"},
    "nested, then at the top": {"nested", "top", "speculators"},
    "nested, where it is there": {"nested"},
}
NO_IDS = {"a flag alone", "a null", "nothing"}
TARGETS: dict[str, dict[str, object]] = {
    "plain": {"architectures": ["TulipForCausalLM"], "num_hidden_layers": 8, "hidden_size": 16},
    "multimodal": {"architectures": ["TulipForCausalLM"], "text_config": {"num_hidden_layers": 8, "hidden_size": 16}},
}


def compared(folder: Path, reader: str, draft: dict[str, object], target: str = "plain") -> tuple[Comparison, list[Finding]]:
    """What the small engine, with this reader, serves to a draft; and what is found of it."""
    files = changed({"read": reader, "shift": SETTER})  # the flow says which runner reads: not that of a draft's worker
    tree = plant(folder / "engine", {name: text.replace("is_draft", "is_draft_worker") for name, text in files.items()})
    (folder / "draft.json").write_text(json.dumps(draft, indent=1))
    (folder / "target.json").write_text(json.dumps(TARGETS[target]))
    found = analyze(Request(str(tree), draft="draft.json", target="target.json"))
    (comparison,) = found.comparisons
    return comparison, [each for each in judge(found, RULES) if each.code not in FACTS or each.severity > Severity.INFO]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_served(reader: str, layout: str, here: Path) -> None:
    comparison, findings = compared(here, READERS[reader], LAYOUTS[layout])
    served, default = comparison.served, comparison.default
    assert served.status == "established", served.reason
    if layout in READ[reader]:
        assert (served.points, served.ids, default) == (("out:0", "out:2", "out:4"), (0, 2, 4), None)
        assert findings == []
        return
    assert (served.points, served.ids) == (("out:1", "out:2", "out:3"), None)
    assert default is not None
    assert default.at.file.endswith("model_runner.py")
    (finding,) = findings
    assert finding.code == "FC105"
    assert finding.severity == (Severity.INFO if layout in NO_IDS else Severity.WARNING)
    assert bool(default.unread) == (layout not in NO_IDS)
    assert all(entry.at.file == "draft.json" and entry.value == "[0, 2, 4]" and entry.at.line > 1 for entry in default.unread)


def test_a_target_with_a_text_config(here: Path) -> None:
    comparison, _ = compared(here, TOP, LAYOUTS["top"], "multimodal")
    assert (comparison.served.points, comparison.hidden_size, comparison.num_layers) == (("out:0", "out:2", "out:4"), 16, 8)


def test_a_list_that_a_reader_falls_back_on_is_a_default(here: Path) -> None:
    comparison, (finding,) = compared(here, f'ids = getattr(config, "{KEY}", [0, 1])', LAYOUTS["nested"])
    assert (comparison.served.points, comparison.served.ids) == (("out:0", "out:1"), (0, 1))
    assert finding.message.startswith("served out:0, out:1 by the default [0, 1]: ")
    assert comparison.default is not None and comparison.default.unread[0].key == f"eagle_config.{KEY}"


def test_a_null_at_the_right_place_asks_for_the_default(here: Path) -> None:
    comparison, (finding,) = compared(here, TOP, {KEY: None})
    assert comparison.served.points == ("out:1", "out:2", "out:3") and comparison.served.ids is None
    assert comparison.default is not None and comparison.default.unread == ()
    assert finding.severity == Severity.INFO


STAND_IN = 'found = getattr(config, "eagle_config", None) or {}'
OPEN = {
    "a condition that is not known": f'ids = getattr(config, "{KEY}", None) if self.server_args.eagle else [0]',
    "another config": f'ids = getattr(AutoConfig.from_pretrained(self.server_args.other), "{KEY}", None)',
    "something outside": f'import other; ids = other.read(config, "{KEY}")',
    "a list of its own": "ids = [0, 1]",
    "the config is changed": f'config.update(self.server_args.more); ids = getattr(config, "{KEY}", None)',
    "under an unknown name": f'setattr(config, self.server_args.name, [5]); ids = getattr(config, "{KEY}", None)',
    "by way of its dict": f'config.__dict__.update(self.server_args.more); ids = getattr(config, "{KEY}", None)',
    "a dict that is filled": f'{STAND_IN}; found.setdefault("{KEY}", [5]); ids = found.get("{KEY}")',
    "a dict that another fills": f'import other; {STAND_IN}; other.add(found); ids = found.get("{KEY}")',
    "a dict of two": f'ids = {{**(getattr(config, "eagle_config", None) or {{}}), **self.server_args.more}}.get("{KEY}")',
    "one of two handlers": f"""
try:
    ids = config.{KEY}
except KeyError:
    ids = [7]
except AttributeError:
    ids = None
""",
    "written again in the end": f"""
try:
    ids = config.{KEY}
except AttributeError:
    ids = None
finally:
    ids = [7]
""",
}


@pytest.mark.parametrize("reader", OPEN.values(), ids=OPEN)
def test_what_is_not_told_exactly_is_no_default(reader: str, here: Path) -> None:
    comparison, (finding, *_) = compared(here, reader, LAYOUTS["nothing"])
    assert (comparison.served.points, comparison.served.status) == (None, "not established")
    assert (finding.code, finding.severity) == ("FC901", Severity.WARNING)


def test_a_handler_that_may_not_run_is_no_default(here: Path) -> None:
    """The lookup does not raise: what the handler writes is not served."""
    comparison, _ = compared(here, NESTED.replace("ids = None", "ids = [1]"), LAYOUTS["nested"])
    assert (comparison.served.ids, comparison.default) == ((0, 2, 4), None)


MADE = """
from transformers import PretrainedConfig
text = getattr(config, "text_config", None)
if text is not None:
    text = PretrainedConfig.from_dict(TABLE)
    config.text_config = text
ids = getattr(config if text is None else text, "KEY", None)
""".replace("KEY", KEY)


class TestAConfigInAConfig:
    draft: ClassVar[dict[str, object]] = {"text_config": {"hidden_size": 16, KEY: IDS}}

    def test_made_of_the_entry_as_it_is(self, here: Path) -> None:
        comparison, findings = compared(here, MADE.replace("TABLE", "text"), self.draft)
        assert (comparison.served.points, findings) == (("out:0", "out:2", "out:4"), [])

    @pytest.mark.parametrize("table", ['text | {"more": 1}', "changed(text)"])
    def test_made_of_something_else(self, table: str, here: Path) -> None:
        comparison, _ = compared(here, MADE.replace("TABLE", table), self.draft)
        assert comparison.served.status == "not established"
