"""Joins: one value that stands for two, by the condition that tells them apart.

Nothing is lost: where two values have no common description the join is a :class:`Phi`, and who needs to know which it is forks again
or asks for a decision. Tensors are joined by content: common parts plus one *phi atom* for what the current layer made in
either branch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeAlias

from ..values import EXACT_TYPES, MISSING, Atom, Content, Part, Slots, Tensor, Unknown, Value
from .phis import phi
from .rows import CUT, cut

if TYPE_CHECKING:
    from .machine import Machine

Reader: TypeAlias = Callable[[Slots, Hashable], Value]
"""Reads a slot as one branch left it."""


class Joiner:
    """Joins the two sides of one condition. ``first`` and ``second`` read slots as each side left them."""

    def __init__(self, machine: Machine, condition: Unknown, first: Reader, second: Reader) -> None:
        self.machine, self.condition, self.first, self.second = machine, condition, first, second
        self.phis: dict[tuple[Content, Content], Atom] = {}
        self.joined: dict[tuple[int, int], Tensor] = {}

    def join(self, a: Value, b: Value) -> Value:
        if a is b:
            return a
        if isinstance(a, EXACT_TYPES) and isinstance(b, EXACT_TYPES):
            same = a == b and isinstance(a, bool) == isinstance(b, bool) and type(a) is type(b)
            return a if same else phi(self.condition, a, b)
        match a, b:
            case tuple(), tuple() if len(a) == len(b):
                joined = tuple(self.join(x, y) for x, y in zip(a, b, strict=True))
                return a if all(x is y for x, y in zip(a, joined, strict=True)) else joined
            case Tensor(), Tensor():
                return self.tensors(a, b)
            case Content(), Content():
                return self.contents(a, b)
            case Unknown(), Unknown():
                return self.unknowns(a, b)
        return a if self.equal(a, b) else phi(self.condition, a, b)

    @staticmethod
    def equal(a: Value, b: Value) -> bool:
        return type(a) is type(b) and a is not MISSING and bool(a == b)

    def unknowns(self, a: Unknown, b: Unknown) -> Value:
        if a.key == b.key:
            return a
        key = f"({self.condition.key} ? {a.key} : {b.key})"
        return self.machine.unknown(
            key,
            a.reason,
            reads_ids=a.reads_ids or b.reads_ids or self.condition.reads_ids,
            not_none=a.not_none and b.not_none,
            positive=a.positive and b.positive,
        )

    def tensors(self, a: Tensor, b: Tensor) -> Value:
        if a.cell is b.cell:
            return a if a.kept is b.kept or a.kept is None else b if b.kept is None or a.kept == b.kept else phi(self.condition, a, b)
        found = self.joined.get((id(a.cell), id(b.cell)))
        if found is None:
            content = self.join(self.first(a.cell, "content"), self.second(b.cell, "content"))
            made = self.machine.tensor(content, exact=a.exact and b.exact, aliases=(a.cell, b.cell))
            found = cut(self.machine, made) if CUT in a.cell or CUT in b.cell else made
            self.joined[id(a.cell), id(b.cell)] = found
        return found

    def contents(self, a: Content, b: Content) -> Value:
        if a == b:
            return a
        common: dict[Part, int] = {}
        for part, count in a.parts.items():
            if shared := min(count, b.parts.get(part, 0)):
                common[part] = shared
        rest_a, rest_b = self.less(a, common), self.less(b, common)
        layer = self.machine.layer
        one_sided = not self.machine.recording() and bool(common) and bool(rest_a.parts) != bool(rest_b.parts)
        if not all(self.is_current(rest, layer) or (one_sided and not rest.parts) for rest in (rest_a, rest_b)):
            return phi(self.condition, a, b)
        atom = self.phis.get((rest_a, rest_b))
        if atom is None:
            post = any(part.post for rest in (rest_a, rest_b) for part in rest.atoms())
            maybe = self.condition if one_sided else None
            atom = self.machine.atom(f"({self.condition.key} ? … : …)", (a, b), post, maybe)
            self.phis[rest_a, rest_b] = atom
        return Content({**common, (atom, ()): 1})

    @staticmethod
    def less(content: Content, common: dict[Part, int]) -> Content:
        rest = {part: count - common.get(part, 0) for part, count in content.parts.items()}
        return Content({part: count for part, count in rest.items() if count})

    @staticmethod
    def is_current(rest: Content, layer: int) -> bool:
        return bool(rest.parts) and all(atom.layer == layer for atom in rest.atoms())
