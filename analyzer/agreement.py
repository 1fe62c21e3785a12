"""Whether what is served is what was trained, as far as the names of the points prove it.

A whole point (``embed``, ``out:k``, ``final``) names one tensor. A stage (``out:k/normed``) names a kind of tensors: two of a kind need not
be the same, while two of different kinds or layers are not.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from .results import Comparison, Width

Agreement: TypeAlias = Literal["same", "other", "open"]
Difference: TypeAlias = Literal["point", "order", "stage"]
Verdict: TypeAlias = Literal["same", "other", "order", "stage", "width", "not established", "undecidable"]


def agreement(comparison: Comparison) -> Agreement | None:
    """How both sides compare; None where a side is missing or not established."""
    pairs = paired(comparison)
    if pairs is None:
        return None
    if len(set(map(len, pairs))) > 1:
        return "other"
    found = {agree(one, other) for one, other in zip(*pairs, strict=True)}
    return "other" if "other" in found else "open" if "open" in found else "same"


def difference(comparison: Comparison) -> Difference | None:
    """How what is served differs from what was trained, where it is proved that it does: the order, the stage of the same layers in the
    same order, or else the points."""
    pairs = paired(comparison)
    if pairs is None or agreement(comparison) != "other":
        return None
    if sorted(pairs[0]) == sorted(pairs[1]):
        return "order"
    layers = [[layer_of(point, comparison.num_layers) for point in side] for side in pairs]
    return "stage" if layers[0] == layers[1] else "point"


def layer_of(point: str, num_layers: int | None) -> str:
    """The layer that a point comes from: the final norm is a stage of what the last layer puts out."""
    whole = stage_of(point)[0]
    return f"out:{num_layers - 1}" if whole == "final" and num_layers is not None else whole


def misfits(comparison: Comparison) -> tuple[Width, ...]:
    """The widths of the projection that are not that of what is served: that of the weights, and those that it is made with, where none of
    these is."""
    points, size = comparison.served.points, comparison.hidden_size
    if points is None or size is None:
        return ()
    made = () if any(width.features == len(points) * size for width in comparison.widths) else comparison.widths
    stored = comparison.weights
    return (*([stored] if stored is not None and stored.features != len(points) * size else ()), *made)


def verdict(comparison: Comparison) -> Verdict:
    """The comparison in one word. Without a training side nothing but a width can be wrong."""
    found = difference(comparison)
    if found is not None:
        return "other" if found == "point" else found
    if misfits(comparison):
        return "width"
    if comparison.served.points is None:
        return "not established"
    if comparison.trained is None:
        return "undecidable"
    return "same" if agreement(comparison) == "same" else "not established"


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
