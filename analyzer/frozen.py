"""Records that nobody changes: what ``dataclass(frozen=True, slots=True)`` says, held by the type checker alone.

A frozen dataclass sets each field past its own guard, which takes several times as long as setting it. The interpreter makes millions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:
    """A class whose instances are never written after they are made; equal and hashed by their fields, or with ``eq=False`` by identity."""

    def make(cls: type[T]) -> type[T]:
        return dataclass(slots=True, eq=eq, unsafe_hash=eq, repr=repr)(cls)

    return make
