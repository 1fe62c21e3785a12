"""From tensors to captured points: what the consumer was given, said in the words of the residual stream.

``out:k`` is defined by the end of the forward: the content that the final norm consumes, less what layers above k made.
"""
from __future__ import annotations

from dataclasses import dataclass

from .values import Atom, Content, Part, Unknown


@dataclass(frozen=True, slots=True)
class Stream:
    """The residual stream as the final norm consumes it, and the atoms that are its norm."""

    content: Content
    finals: frozenset[Atom]

    def up_to(self, layer: int) -> dict[Part, int]:
        """The part that was made before the layers (layer -1) or by layers 0..layer."""
        return {part: count for part, count in self.content.parts.items() if part[0].layer <= layer}

    @property
    def last(self) -> int:
        return self.content.depth


def find_stream(candidates: list[tuple[Content, Atom | None]], last_layer: int) -> Stream | str:
    """The stream among what was seen outside of the layers, or the reason why there is none.

    A candidate is a content and the atom that was made from it; the stream holds what entered layer 0 and something that the last layer
    made.
    """
    whole = [
        (content, atom)
        for content, atom in candidates
        if any(a.layer == -1 for a in content.atoms()) and any(a.layer == last_layer for a in content.atoms())
    ]
    if not whole:
        return "no tensor was found that holds the whole residual stream after the last layer"
    content = whole[0][0]
    if any(other != content for other, _ in whole[1:]):
        return "more than one tensor outside of the layers looks like the whole residual stream"
    if any(count != 1 for count in content.parts.values()):
        return "a part of the residual stream is added more than once"
    return Stream(content, frozenset(atom for _, atom in whole if atom is not None))


def name_point(content: Content, stream: Stream) -> str | None:
    """The captured point of one tensor, with its stage; None where the content is not understood."""
    parts = content.parts
    if len(parts) == 1:
        ((atom, scales),) = parts
        if atom in stream.finals:
            return "final/scaled" if scales else "final"
        if atom.inputs and atom not in set(stream.content.atoms()):
            inner = name_point(atom.inputs[0], stream) if len(atom.inputs) == 1 else None
            return f"{inner}/normed" if inner is not None and "/" not in inner and is_norm(atom) else None
    if not parts:
        return None
    layer = content.depth
    whole = stream.up_to(layer)
    point = "embed" if layer == -1 else f"out:{layer}"
    stripped = strip_scales(parts, whole)
    if stripped is None:
        return None
    if stripped == "scaled":
        return f"{point}/scaled"
    if parts == whole or stripped == "whole":
        return point
    return f"{point}/{missing_stage(parts, whole, layer)}"


def open_part(content: Content, stream: Stream) -> Unknown | None:
    """The condition on which it hangs whether the stream holds a part that this content does not; None where there is none."""
    held = set(content.atoms())
    if not any(atom in held for atom in stream.content.atoms()):
        return None
    missing = (atom for atom, _ in stream.up_to(content.depth) if atom not in held)
    return next((atom.maybe for atom in missing if atom.maybe is not None), None)


def is_norm(atom: Atom) -> bool:
    """Whether an opaque result is known to be a norm of its one input."""
    return "norm" in atom.name.lower()


def strip_scales(parts: dict[Part, int], whole: dict[Part, int]) -> str | None:
    """How the parts compare with the stream's, scalings aside: ``whole``, ``part``, ``scaled``, or None where they are not parts of it.

    The stream may be scaled after the capture: then all its parts carry the same further factors.
    """
    by_atom = dict(whole.keys())
    suffixes: set[tuple[str, ...]] = set()
    extra = False
    for (atom, scales), count in parts.items():
        if atom not in by_atom or count != 1:
            return None
        full = by_atom[atom]
        if full[: len(scales)] == scales:
            suffixes.add(full[len(scales) :])
        elif scales[: len(full)] == full:
            extra = True
        else:
            return None
    if extra:
        return "scaled" if len(parts) == len(whole) else None
    if len(suffixes) > 1:
        return None
    return "whole" if len(parts) == len(whole) else "part"


def missing_stage(parts: dict[Part, int], whole: dict[Part, int], layer: int) -> str:
    """What is missing of the stream after ``layer``."""
    held = {atom for atom, _ in parts}
    if all(atom.layer == layer for atom in held):
        return "no-residual"
    missing = [atom for atom, _ in whole if atom not in held]
    if all(atom.post for atom in missing):
        return "before-injection"
    return "incomplete"
