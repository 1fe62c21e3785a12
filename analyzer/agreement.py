"""Whether what is served is what was trained, as far as the names of the points prove it.

A whole point (``embed``, ``out:k``, ``final``) names one tensor. A stage (``out:k/normed``) names a kind of tensors: two of a kind need not
be the same, while two of different kinds or layers are not.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from .results import Comparison

Agreement: TypeAlias = Literal["same", "other", "open"]


def agreement(comparison: Comparison) -> Agreement | None:
    """How both sides compare; None where a side is missing or not established."""
    pairs = paired(comparison)
    if pairs is None:
        return None
    if len(set(map(len, pairs))) > 1:
        return "other"
    found = {agree(one, other) for one, other in zip(*pairs, strict=True)}
    return "other" if "other" in found else "open" if "open" in found else "same"


def agree(served: str, trained: str) -> Agreement:
    """How two points compare."""
    if served == trained:
        return "same" if is_whole(served) else "open"
    (layer, stage), (other_layer, other_stage) = stage_of(served), stage_of(trained)
    if "overwritten" in (stage, other_stage):  # it is not what it is called after, and may be anything else
        return "other" if layer == other_layer and "" in (stage, other_stage) else "open"
    if layer == other_layer and {stage, other_stage} == {"", "scaled"}:  # by what is not told: it may be by one
        return "open"
    if (layer, other_stage) == ("final", "normed") or (other_layer, stage) == ("final", "normed"):
        return "open"
    return "other"


def doubt(comparison: Comparison) -> str:
    """Why it is open whether both sides are the same."""
    served, trained = paired(comparison) or ((), ())
    one, other = next(pair for pair in zip(served, trained, strict=True) if agree(*pair) == "open")
    if one == other:
        return f"both sides give {one}, which need not be the same tensor"
    return f"served {one} and trained {other} may be the same tensor or not"


def is_whole(point: str) -> bool:
    """Whether a point names one tensor."""
    return not stage_of(point)[1]


def stage_of(point: str) -> tuple[str, str]:
    """A point and its stage; the stage is empty of a whole point."""
    whole, _, stage = point.partition("/")
    return whole, stage


def paired(comparison: Comparison) -> tuple[Sequence[str], Sequence[str]] | None:
    trained = comparison.trained
    if trained is None or comparison.served.points is None or trained.points is None:
        return None
    return comparison.served.points, trained.points
