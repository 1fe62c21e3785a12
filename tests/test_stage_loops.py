"""Loops in which a runner runs the stages of a target, and what is left of what they capture."""
from __future__ import annotations

import ast

import pytest

from flowcheck.analyzer.valueflow.stages import kept_as, rounds

LOOP = """
def run(stages, x):
    out, kept = None, []
    for stage in stages:
{body}
    return join(kept)
"""


def read_after(body: str) -> int | None:
    """The line that reads what the last round has left; None where something is left of the others, or that is not told."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    function = ast.parse(LOOP.format(body=lines)).body[0]
    found = [kept_as(function, loop, bound.elts[1].id) for loop, bound in rounds(function, 5) if isinstance(bound.elts[1], ast.Name)]
    return next((line for line in found if line is not None), None)


@pytest.mark.parametrize(
    "body",
    [
        "out, kept = stage(x, out)",
        "out, kept = stage.forward(x, out)",
        "out, new = stage(x, out)\nkept = new",
        "out, new = stage(x, out)\nkept = list(new)",
        "out, new = stage(x, out)\nif stage.is_last:\n    kept = new",
    ],
)
def test_only_what_the_last_stage_captured_is_left(body: str) -> None:
    assert read_after(body) == 5 + len(body.splitlines())


@pytest.mark.parametrize(
    "body",
    [
        "out, new = stage(x, out)\nkept += new",
        "out, new = stage(x, out)\nkept.extend(new)",
        "out, new = stage(x, out)\nkept = kept + new",
        "out, new = stage(x, out)\nkept = [*kept, *new]",
        "out, kept = stage(x, out, kept)",
        "out, new = stage(x, out)\nprint(new)\nkept = new",
        "out, _ = stage(x, out)",
        "out, kept = self.model(x, out)",
        "out, kept = stage(x, out)\nkept = keep(kept)",
    ],
)
def test_something_is_done_with_what_was_there_before(body: str) -> None:
    assert read_after(body) is None
