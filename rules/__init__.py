"""The rules, in the order of their codes."""
from __future__ import annotations

from ..analyzer.rule import Rule
from . import not_established, unreadable_file

RULES: tuple[Rule, ...] = (not_established.RULE, unreadable_file.RULE)
