"""What a finding is called in a report that outlives it: by what a baseline knows it, and its number among those that are alike."""
from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from .baseline import Key, key_of
from .results import SourceFacts
from .rule import Finding
from .symbols import Symbols


@dataclass(frozen=True, slots=True)
class Identity:
    """The name of a finding, that stays while lines move. ``number`` counts from 1."""

    key: Key
    number: int

    @property
    def fingerprint(self) -> str:
        """The identity in few characters."""
        text = json.dumps(astuple(self.key))
        return f"{hashlib.sha256(text.encode()).hexdigest()[:32]}:{self.number}"

    def __str__(self) -> str:
        whom = (self.key.file, self.key.symbol, self.key.flow, self.key.model, self.key.draft)
        return " ".join((self.key.code, *(text for text in whom if text))) + (f" #{self.number}" if self.number > 1 else "")


def identities(findings: Sequence[Finding], source: SourceFacts, symbols: Symbols) -> list[Identity]:
    """One for each finding. Those that are alike are numbered down the file."""
    keys = [key_of(each, source, symbols, ".") for each in findings]
    numbers = [0] * len(findings)
    seen: Counter[Key] = Counter()
    for index in sorted(range(len(findings)), key=lambda each: (findings[each].at.line, findings[each].column, findings[each].message)):
        seen[keys[index]] += 1
        numbers[index] = seen[keys[index]]
    return [Identity(key, number) for key, number in zip(keys, numbers, strict=True)]
