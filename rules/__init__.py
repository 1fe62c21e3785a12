"""The rules, in the order of their codes."""
from __future__ import annotations

from ..analyzer.rule import Rule
from . import (
    captured_point_mismatch,
    default_in_effect,
    falsy_config_value,
    inconsistent_readers,
    key_not_read,
    not_established,
    order_mismatch,
    override_misses_reader,
    overwritten_capture,
    read_without_writer,
    renamed_key,
    reset_by_later_call,
    set_after_use,
    silent_setter,
    stage_mismatch,
    stale_state,
    swallowed_lookup,
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
    swallowed_lookup.RULE,
    inconsistent_readers.RULE,
    renamed_key.RULE,
    falsy_config_value.RULE,
    override_misses_reader.RULE,
    reset_by_later_call.RULE,
    set_after_use.RULE,
    stale_state.RULE,
    write_without_reader.RULE,
    read_without_writer.RULE,
    silent_setter.RULE,
    overwritten_capture.RULE,
    not_established.RULE,
    unreadable_file.RULE,
)
