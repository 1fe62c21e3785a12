"""The rules, in the order of their codes."""
from __future__ import annotations

from ..analyzer.rule import Rule
from . import captured_point_mismatch, not_established, order_mismatch, unreadable_file

RULES: tuple[Rule, ...] = (captured_point_mismatch.RULE, order_mismatch.RULE, not_established.RULE, unreadable_file.RULE)
