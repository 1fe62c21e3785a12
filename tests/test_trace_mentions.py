"""Which expressions look a key up: one small source in, the readers out."""
from __future__ import annotations

from pathlib import Path

import pytest
from sources import plant

from flowcheck.analyzer.pipeline import trace
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.traces import Mention, Trace

KEY = "rope_theta"
BASE = {"sglang/__init__.py": ""}
HELPER = "def _cfg_get(config, key, default=None):\n    return getattr(config, key, default)\n\n\n"
METHOD = "class Layer:\n    def __init__(self, config):\n        self.config = config\n        {}\n"


def traced(folder: Path, source: str, **files: str) -> Trace:
    """What is said of the key in a tree of this one file, and of others."""
    others = {f"sglang/{name}.py": text for name, text in files.items()}
    return trace(Request(str(plant(folder / "tree", BASE | {"sglang/one.py": source} | others))), KEY)


def found(folder: Path, source: str, **files: str) -> list[tuple[str, str, str | None]]:
    """The form, the text and the default of each reader."""
    told = traced(folder, source, **files)
    return [(each.mention.form, each.mention.lookup, each.mention.default) for each in told.readers]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(config):\n    return config.rope_theta\n", ("attribute", "config.rope_theta", None)),
        ("def f(x):\n    return x.hf_config.rope_theta\n", ("attribute", "x.hf_config.rope_theta", None)),
        ("def f(config):\n    return config.rope_parameters['rope_theta']\n", ("subscript", "config.rope_parameters['rope_theta']", None)),
        ("def f(config):\n    return config.to_dict()['rope_theta']\n", ("subscript", "config.to_dict()['rope_theta']", None)),
        ("def f(c):\n    return c.get('rope_theta')\n", ("method", "c.get('rope_theta')", "None")),
        ("def f(c):\n    return c.get('rope_theta', 1e4)\n", ("method", "c.get('rope_theta', 1e4)", "10000.0")),
        ("def f(c):\n    return c.to_dict().get('rope_theta', 5)\n", ("method", "c.to_dict().get('rope_theta', 5)", "5")),
        ("def f(c):\n    return c.pop('rope_theta')\n", ("method", "c.pop('rope_theta')", None)),
        ("def f(**kwargs):\n    return kwargs.pop('rope_theta', 7)\n", ("method", "kwargs.pop('rope_theta', 7)", "7")),
        ("def f(c):\n    return c.setdefault('rope_theta', 7)\n", ("method", "c.setdefault('rope_theta', 7)", "7")),
        ("def f(c):\n    return getattr(c, 'rope_theta')\n", ("getattr", "getattr(c, 'rope_theta')", None)),
        ("def f(c):\n    return getattr(c, 'rope_theta', None)\n", ("getattr", "getattr(c, 'rope_theta', None)", "None")),
        ("NAME = 'rope_theta'\n\n\ndef f(c):\n    return c[NAME]\n", ("subscript", "c[NAME]", None)),
        ("def f(c):\n    for n in ('rope_theta', 'x'):\n        print(c[n])\n", ("subscript", "c[n]", None)),
        ("def f(c):\n    for n, d in (('rope_theta', 1),):\n        print(getattr(c, n, d))\n", ("getattr", "getattr(c, n, d)", "d")),
        ("def f(c):\n    return [c.get(n) for n in ['rope_theta']]\n", ("method", "c.get(n)", "None")),
        ("from operator import itemgetter\nask = itemgetter('rope_theta')\n", ("helper", "itemgetter('rope_theta')", None)),
        ("def f(c):\n    match c:\n        case {'rope_theta': x}:\n            return x\n", ("pattern", "'rope_theta'", None)),
        (METHOD.format("self.theta = self.config.rope_theta"), ("attribute", "self.config.rope_theta", None)),
        (HELPER + "def f(c):\n    return _cfg_get(c, 'rope_theta')\n", ("helper", "_cfg_get(c, 'rope_theta')", "None")),
        (HELPER + "def f(c):\n    return _cfg_get(c, 'rope_theta', 3)\n", ("helper", "_cfg_get(c, 'rope_theta', 3)", "3")),
        (HELPER + "x = _cfg_get(0, key='rope_theta', default=3)\n", ("helper", "_cfg_get(0, key='rope_theta', default=3)", "3")),
        (HELPER + "def two(c, k):\n    return _cfg_get(c, k)\n\n\nx = two(0, 'rope_theta')\n", ("helper", "two(0, 'rope_theta')", "None")),
        ("def f(c):\n    get = lambda k, d=4: c.get(k, d)\n    return get('rope_theta')\n", ("helper", "get('rope_theta')", "4")),
        ("def f(c):\n    def get(k):\n        return c[k]\n    return get('rope_theta')\n", ("helper", "get('rope_theta')", None)),
        ("def f(c):\n    get = c.get if c else None\n    return get('rope_theta', 6)\n", ("helper", "get('rope_theta', 6)", "6")),
        (
            "class Reader:\n    def ask(self, k):\n        return self.table[k]\n\n\ndef f(x):\n    return x.ask('rope_theta')\n",
            ("helper", "x.ask('rope_theta')", None),
        ),
        ("import dataclasses\n\n\n@dataclasses.dataclass\nclass A:\n    rope_theta: int = 1\n", ("field", "rope_theta: int = 1", "1")),
        ("from pydantic import BaseModel\n\n\nclass A(BaseModel):\n    rope_theta: float\n", ("field", "rope_theta: float", None)),
        ("import msgspec\n\n\nclass A(msgspec.Struct):\n    rope_theta: int = 3\n", ("field", "rope_theta: int = 3", "3")),
        ("class AConfig:\n    rope_theta = 3\n", ("field", "rope_theta = 3", "3")),
        ("class AConfig:\n    def __init__(self, rope_theta=8):\n        self.rope_theta = rope_theta\n", ("parameter", "rope_theta", "8")),
    ],
)  # fmt: skip
def test_a_lookup_is_found(tmp_path: Path, source: str, expected: tuple[str, str, str | None]) -> None:
    assert found(tmp_path, source) == [expected]


@pytest.mark.parametrize(
    "source",
    [
        "def f(config):\n    config.rope_theta = 3\n    config['rope_theta'] = 3\n    del config.rope_theta\n",
        METHOD.format("self.rope_theta = 3\n        print(self.rope_theta)"),
        "class Part:\n    def __init__(self):\n        self.rope_theta = 1\n\n\ndef f(part: Part):\n    return part.rope_theta\n",
        "def f(rope_theta):\n    print('rope_theta', rope_theta)\n    return f(rope_theta=3)\n",
        "from sglang import two\n\n\ndef f():\n    return two.rope_theta\n",
        "class Layer:\n    rope_theta: float\n",
        "# rope_theta\nTEXT = 'rope_theta of the config'\n",
    ],
    ids=["written", "own attribute", "of another class", "a name", "a module's", "declared in no config", "a comment"],
)
def test_what_is_no_lookup(tmp_path: Path, source: str) -> None:
    assert found(tmp_path, source, two="rope_theta = 3\n") == []


def test_a_helper_of_another_module(tmp_path: Path) -> None:
    source = "from sglang.two import _cfg_get\n\n\ndef f(c):\n    return _cfg_get(c, 'rope_theta', 2)\n"
    assert found(tmp_path, source, two=HELPER) == [("helper", "_cfg_get(c, 'rope_theta', 2)", "2")]


@pytest.mark.parametrize(("head", "asked"), [("from sglang.two import NAME", "NAME"), ("import sglang.two as names", "names.NAME")])
def test_a_constant_of_another_module(tmp_path: Path, head: str, asked: str) -> None:
    source = f"{head}\n\n\ndef f(c):\n    return c.get({asked}, 2)\n"
    assert found(tmp_path, source, two="NAME = 'rope_theta'\n") == [("method", f"c.get({asked}, 2)", "2")]


def test_a_lookup_in_the_default_of_another(tmp_path: Path) -> None:
    source = "def f(c):\n    return c.sub.get('rope_theta', getattr(c, 'rope_theta', 2))\n"
    assert [form for form, _, _ in found(tmp_path, source)] == ["method", "getattr"]


def test_what_only_asks_whether_it_is_there(tmp_path: Path) -> None:
    told = traced(tmp_path, "def f(c):\n    return hasattr(c, 'rope_theta') or 'rope_theta' in c or 'rope_theta' not in c\n")
    assert not told.readers
    assert [(each.form, each.lookup) for each in told.tests] == [
        ("test", "hasattr(c, 'rope_theta')"), ("test", "'rope_theta' in c"), ("test", "'rope_theta' not in c")
    ]  # fmt: skip


def test_where_it_is(tmp_path: Path) -> None:
    source = "class Outer:\n    def f(self, config):\n        é = config.rope_theta; ü = config.rope_theta\n"
    told = [each.mention for each in traced(tmp_path, source).readers]
    assert [(each.at.line, each.column, each.symbol) for each in told] == [(3, 12, "Outer.f"), (3, 35, "Outer.f")]


def test_nested_classes_and_functions_have_their_names(tmp_path: Path) -> None:
    method = "    def f(self, c):\n        def g():\n            return c.rope_theta\n"
    source = f"class A:\n    class BConfig:\n        rope_theta: int = 1\n\n{method}"
    told: list[Mention] = [each.mention for each in traced(tmp_path, source).readers]
    assert [(each.form, each.symbol) for each in told] == [("field", "A.BConfig"), ("attribute", "A.f.g")]


def test_a_file_that_cannot_be_parsed_is_told(tmp_path: Path) -> None:
    told = traced(tmp_path, "def f(:\n    rope_theta\n")
    assert [each.what for each in told.not_established] == ["file"]
