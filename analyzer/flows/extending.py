"""A flow's table laid over the one that it extends."""
from __future__ import annotations

from collections.abc import Mapping

NAMED = "name"
"""The key by which the entries of a list of tables are the same entry."""


def extend(base: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Tables are laid over each other key by key, lists of named tables entry by entry; of anything else the extending one stands."""
    return dict(base) | {key: _over(base[key], value) if key in base else value for key, value in own.items()}


def _over(base: object, own: object) -> object:
    if isinstance(base, dict) and isinstance(own, dict):
        return extend(base, own)
    if _is_named(base) and _is_named(own):
        assert isinstance(base, list) and isinstance(own, list)
        entries = {entry[NAMED]: entry for entry in base}
        for entry in own:
            entries[entry[NAMED]] = extend(entries.get(entry[NAMED], {}), entry)
        return list(entries.values())
    return own


def _is_named(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and isinstance(each.get(NAMED), str) for each in value)
