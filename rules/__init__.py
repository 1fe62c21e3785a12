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
    read_without_writer,
    renamed_key,
    silent_setter,
    stage_mismatch,
    stale_state,
    unreadable_file,
    width_mismatch,
    write_without_reader,
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
    stale_state.RULE,
    write_without_reader.RULE,
    read_without_writer.RULE,
    silent_setter.RULE,
    overwritten_capture.RULE,
    not_established.RULE,
    unreadable_file.RULE,
)
