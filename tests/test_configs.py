"""Configs: what is read of a sound one, and the line that a broken one gets."""
from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowcheck.analyzer.configs import Config, load_config
from flowcheck.analyzer.errors import BadInput
from flowcheck.analyzer.json_text import Json, JsonError, parse_json

SOUND = """{
  "architectures": ["TulipForCausalLM"],
  "num_hidden_layers": 36,
  "hidden_size": 4096,
  "eagle_config": {
    "eagle_aux_hidden_state_layer_ids": [1, 17,
      33]
  }
}
"""


def load(folder: Path, text: str | bytes) -> Config:
    path = folder / "config.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config("config.json")


def refusal(argument: str) -> str:
    with pytest.raises(BadInput) as caught:
        load_config(argument)
    message = str(caught.value)
    assert message.isprintable()
    return message


class TestSound:
    def test_by_file_and_by_folder(self, here: Path) -> None:
        config = load(here, SOUND)
        assert load_config(".") == load_config(str(here / "config.json")) == config
        assert config.path_printed == "config.json"
        assert config.values == json.loads(SOUND)

    def test_lines(self, here: Path) -> None:
        config = load(here, SOUND)
        assert config.line_of("num_hidden_layers") == 3
        assert config.line_of("eagle_config", "eagle_aux_hidden_state_layer_ids") == 6
        assert config.line_of("eagle_config", "eagle_aux_hidden_state_layer_ids", 2) == 7
        assert config.line_of("eagle_config", "no such key") == 5
        assert config.line_of("no such key") == 1

    def test_facts_may_lie_under_the_text_config(self, here: Path) -> None:
        config = load(here, '{"text_config": {"num_hidden_layers": 48, "hidden_size": 8}, "hidden_size": 16}')
        assert config.fact("num_hidden_layers") == 48
        assert config.fact("hidden_size") == 16
        assert config.fact("architectures") is None

    @pytest.mark.parametrize("text", ["{}", ' \t\r\n{ "architectures" : null , "text_config" : null } ', '{"architectures": []}'])
    def test_nothing_is_required(self, here: Path, text: str) -> None:
        assert load(here, text).fact("num_hidden_layers") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: a value is missing"),
        ("{", "1:2: a key in double quotes is missing"),
        ('{"a": 1,\n "b" 2}', "2:6: a colon is missing"),
        ('{"a": 1\n "b": 2}', "2:2: a comma or a closing brace is missing"),
        ('{"a": [1 2]}', "1:10: a comma or a closing bracket is missing"),
        ('{"a": 1,}', "1:9: a key in double quotes is missing"),
        ('{"a": [1,]}', "1:10: a value is missing"),
        ("{'a': 1}", "1:2: a key in double quotes is missing"),
        ('{"a": 1} x', "1:10: nothing may follow"),
        ('{"a": "x\ny"}', "1:9: invalid control character"),
        ('{"a": "\\ud800"}', "1:7: half of a surrogate pair"),
        ('{"a": 1,\n "a": 2}', "2:2: the key 'a' is there twice, first in line 1"),
        ('{"b": {"a": 1, "a": 1}}', "1:16: the key 'a' is there twice"),
        ('{"a": NaN}', "1:7: NaN is not a JSON number"),
        ('{"a": [0.0,\n Infinity]}', "2:2: Infinity is not a JSON number"),
        ('{"a": -Infinity}', "1:7: -Infinity is not a JSON number"),
        ('{"a": 1e999}', "1:7: 1e999 is too large"),
        ('{"a": ' + "9" * 5000 + "}", "1:7: a number of 5000 digits"),
        ("[" * 100_000, "1:66: nested deeper than 64 levels"),
        ('{"a":' * 100_000, "1:326: nested deeper than 64 levels"),
        ("[" + "1," * 300_000 + "1]", "more than 200000 values"),
        ("[1]", "1:1: a config is a JSON object, this is a list"),
        ("null", "1:1: a config is a JSON object, this is null"),
        (b'{"a": "\xff"}', "1:8: not UTF-8"),
        (b"{}\n\xe4", "2:1: not UTF-8"),
        (b"\xef\xbb\xbf{}", "1:1: begins with a byte-order mark"),
        ('{\n "num_hidden_layers": "36"}', "2:2: num_hidden_layers must be a whole number from 1 to 10000, not the text '36'"),
        ('{"num_hidden_layers": 0}', "1:2: num_hidden_layers must be"),
        ('{"num_hidden_layers": true}', "not true"),
        ('{"num_hidden_layers": null}', "not null"),
        ('{"num_hidden_layers": 1e2}', "not 100.0"),
        ('{"num_hidden_layers": 1000000000}', "not 1000000000"),
        ('{"hidden_size": -1}', "hidden_size must be a whole number"),
        ('{"text_config": {\n "num_hidden_layers": []}}', "2:2: text_config.num_hidden_layers must be a whole number"),
        ('{"text_config": 3}', "1:2: text_config must be an object, not 3"),
        ('{"architectures": "TulipForCausalLM"}', "1:2: architectures must be a list of class names, not the text 'TulipForCausalLM'"),
        ('{"architectures": ["a",\n {}]}', "2:2: architectures.1 must be the name of a class, not an object"),
        ('{"hidden_size": "\x1b[31m"}'.replace("\x1b", "\\u001b"), "not the text '\\x1b[31m'"),
    ],
)
def test_broken_configs(here: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(BadInput):
        load(here, text)
    message = refusal("config.json")
    assert message.startswith("config.json:")
    assert said in message


class TestNoConfig:
    @pytest.mark.parametrize("argument", ["none.json", "organisation/model", "", "a\0b", "config.json/inner"])
    def test_no_such_file(self, here: Path, argument: str) -> None:
        (here / "config.json").write_text("{}")
        assert "no such file" in refusal(argument)

    def test_a_folder_without_one(self, here: Path) -> None:
        assert refusal(str(here)).startswith("config.json: no such file")

    def test_what_is_no_file(self, here: Path) -> None:
        os.mkfifo(here / "config.json")
        assert "not a file" in refusal(".")

    def test_too_large(self, here: Path) -> None:
        with open(here / "config.json", "wb") as stream:
            stream.truncate(9 << 20)
        assert "larger than 8 MiB" in refusal(".")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_agrees_with_the_standard_reader(value: Json, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse_json(text).value == json.loads(text)


@given(st.text(st.sampled_from('{}[]",:0123456789.eE+-truefalsn \n\\u"'), max_size=40))
def test_takes_nothing_that_the_standard_reader_refuses(text: str) -> None:
    try:
        ours = parse_json(text).value
    except JsonError:
        return
    assert ours == json.loads(text)
