"""The value flow by example: a value's way through a piece of code, and the same code with one edit that cuts it."""
from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

import pytest
from flow_examples import THEMES
from flow_examples.example import Example
from flow_examples.gaps import INVENTED, LOST
from flowed import Flowed, flowed, places
from small_engine import ENGINE

FILES = {place: file for place, (file, _) in places(ENGINE)}
"""The file in which each place is."""

EXAMPLES = {f"{theme}: {name}": example for theme, examples in THEMES.items() for name, example in examples.items()}
PREFILL_ALONE = {"run the draft after decode": "pass"}
"""Without the other way to the draft, so that a cut one counts."""


def follow(example: Example) -> Flowed:
    one_way = PREFILL_ALONE if FILES[example.place].endswith("worker.py") else {}
    more = {FILES[example.place]: example.also} if example.also else {}
    return flowed({example.place: example.code, **example.more, **more, **one_way})


def edited(example: Example) -> Example:
    """With the edit in the code, or else in what is at the file's end."""
    old, new = example.cut
    code = dedent(example.code).strip()
    if old in code:
        return example._replace(code=code.replace(old, new))
    assert old in example.also, f"{old!r} is not in the example"
    return example._replace(also=example.also.replace(old, new))


def examples(gaps: Mapping[str, str]) -> pytest.MarkDecorator:
    assert gaps.keys() <= EXAMPLES.keys()
    marks = {name: [pytest.mark.xfail(strict=True, reason=reason)] for name, reason in gaps.items()}
    return pytest.mark.parametrize("example", [pytest.param(each, id=name, marks=marks.get(name, [])) for name, each in EXAMPLES.items()])


@examples(LOST)
def test_a_way(example: Example) -> None:
    assert follow(example).whole


@examples(INVENTED)
def test_a_cut_way(example: Example) -> None:
    assert not follow(edited(example)).whole
