"""How control leaves a statement: values for what stays inside one function, exceptions for what crosses functions."""

from __future__ import annotations

import ast
from typing import TypeAlias

from ..frozen import frozen
from ..results import Location
from ..values import Unknown, Value


@frozen()
class Return:
    value: Value


@frozen()
class Break:
    pass


@frozen()
class Continue:
    pass


Signal: TypeAlias = Return | Break | Continue | None
"""How a block ended; None where it ran to its end."""


class Raised(Exception):
    """The interpreted program raised. ``certain`` is false where an operand or the way here was a guess; ``explicit`` is true for a
    ``raise`` or ``assert`` of the program: a guard of its own."""

    def __init__(
        self, kind: str, text: str, at: Location | None, certain: bool = True, value: Value = None, explicit: bool = False
    ) -> None:
        super().__init__(kind, text)
        self.kind, self.text, self.at, self.certain, self.value, self.explicit = kind, text, at, certain, value, explicit
        self.building = False
        """Whether the constructor of a part of the model raised it."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" + (f" ({self.at})" if self.at else "")


class NeedDecision(Exception):
    """The two sides of a condition do not join: the run must be repeated with the condition decided, once for each answer."""

    def __init__(self, condition: Unknown, why: str) -> None:
        super().__init__(condition.key, why)
        self.condition, self.why = condition, why
        self.making = False
        """Whether the constructor of a module asks, in a statement that could be passed over."""
        self.building = False
        """Whether it is asked while the model is built."""
        self.under: list[Unknown] = []
        """The open conditions under which it is asked, from the innermost."""


class TooDeep(NeedDecision):
    """Too many open conditions inside one another: whoever called something that cannot matter may go on without its answer."""


class GiveUp(Exception):
    """A limit of the analysis: the result is not established."""

    def __init__(self, reason: str, at: Location | None) -> None:
        super().__init__(reason)
        self.reason, self.at = reason, at


class MadeLate(GiveUp):
    """A postponed constructor changes what the program has read since it should have run: ``classes`` are those that must not be
    postponed."""

    def __init__(self, at: Location | None) -> None:
        super().__init__("a part of the model is made when it is needed, and changes what was read before that", at)
        self.classes: list[ast.ClassDef | None] = []
