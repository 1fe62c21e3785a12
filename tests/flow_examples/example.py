"""What an example is, and the classes that examples share."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Example(NamedTuple):
    """``code`` stands at ``place`` and leads on; it no longer does with ``cut[1]`` instead of ``cut[0]``. ``also`` is at the file's end."""

    place: str
    code: str
    cut: tuple[str, str]
    also: str = ""
    more: Mapping[str, str] = {}
    """Code at other places, which the edit leaves as it is."""


def keep(code: str, cut: tuple[str, str], also: str = "") -> Example:
    return Example("keep", code, cut, also)


BOX = """
class Box:
    def __init__(self, ids=None, other=None):
        self.ids = ids
        self.other = other
"""
PAIR = """
from dataclasses import dataclass


@dataclass
class Pair:
    first: list
    second: list
"""
