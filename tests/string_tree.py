"""A source tree made of strings, for tests of what reads one."""
from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from flowcheck.analyzer.index import Index, Module


@dataclass(frozen=True, slots=True)
class StringTree:
    """Paths and their content; text is dedented."""

    content: dict[str, str | bytes]
    package: str = "pkg"

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self.content)

    def read(self, path: str) -> bytes:
        text = self.content[path]
        return dedent(text).lstrip("\n").encode() if isinstance(text, str) else text


def module_of(source: str | bytes) -> Module:
    """The one module of a tree that holds nothing else."""
    index = Index(StringTree({"pkg/example.py": source}))
    module = index.module("pkg.example")
    assert module is not None, index.unreadable
    return module
