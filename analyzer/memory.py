"""Freeing what the machines of a run leave behind: cycles, which only a collection finds. Collections are off while a run goes on."""

from __future__ import annotations

import gc
import sys

MANY_BLOCKS = 1_000_000
"""Blocks of memory, of some hundred bytes, that are worth a collection."""


def is_full(since: int, many: int = MANY_BLOCKS) -> bool:
    """Whether many blocks were allocated since there were so many, and nobody collects them."""
    return not gc.isenabled() and sys.getallocatedblocks() - since >= many


def collect() -> int:
    """Free what nothing refers to. Returns how many blocks are in use."""
    gc.collect()
    return sys.getallocatedblocks()


def sweep(since: int = 0) -> int:
    """Free the machines of targets that are done, where many blocks were allocated ``since``. What lives on is set aside, so that it is
    looked at only once. Returns how many blocks are in use after the last such sweep."""
    if not is_full(since):
        return since
    used = collect()
    gc.freeze()
    return used
