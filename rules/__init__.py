"""The rules, in the order of their codes."""
from __future__ import annotations

from ..analyzer.rule import Rule
from . import (
    captured_point_mismatch,
    default_in_effect,
    inconsistent_readers,
    key_not_read,
    not_established,
    order_mismatch,
    overwritten_capture,
    renamed_key,
    stage_mismatch,
    unreadable_file,
    width_mismatch,
)

RULES: tuple[Rule, ...] = (
    captured_point_mismatch.RULE,
    order_mismatch.RULE,
    stage_mismatch.RULE,
    width_mismatch.RULE,
    default_in_effect.RULE,
    key_not_read.RULE,
    inconsistent_readers.RULE,
    renamed_key.RULE,
    overwritten_capture.RULE,
    not_established.RULE,
    unreadable_file.RULE,
)
