"""Other targets of a tree, for comparison: run where a draft is served other points by the target that its config names than it was trained
on, and a plain shift of its ids would have served it."""
from __future__ import annotations

from collections.abc import Sequence

from .fates import would_serve
from .opening import Opened
from .results import Comparison, Wiring
from .target import read_target
from .wiring import DEFAULT_LAYERS, Job, evaluate_all

SHIFTS = ("out:k", "out:k-1", "out:k+1")
MOST_SIBLINGS = 16
"""Targets that are run beside the one that was asked for."""


def siblings(one: Opened, compared: Sequence[Comparison]) -> tuple[Wiring, ...]:
    """The wirings of some of the targets that the config does not name, as without a config; none where no draft would profit."""
    if not one.others or not any(would_serve(each, says) for each in compared for says in SHIFTS):
        return ()
    job = Job(one.program, read_target(None, one.program.flow), DEFAULT_LAYERS, one.others[:MOST_SIBLINGS])
    return tuple(evaluate_all([job], None)[0])
