"""The index: which modules a source tree holds, and which statements give each of their names its value.

Modules are parsed when they are first asked for and never imported. A module that cannot be parsed is remembered in
:attr:`Index.unreadable` and answers None, so that whoever needed it can say what stood in the way.
"""
from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import PurePosixPath
from typing import Protocol

from .reasons import ASKED, Why
from .scope import Scope, build_scope, declared_globals
from .steps import count, task

__all__ = ["Index", "Module", "Scope", "Tree", "decode_lines"]


class Tree(Protocol):
    """What the index needs of a source tree: POSIX paths that start with the package, and their bytes."""

    @property
    def files(self) -> tuple[str, ...]: ...

    @property
    def package(self) -> str: ...

    def read(self, path: str) -> bytes: ...


class Module:
    """One parsed file. ``lines`` are its lines without line ends, as the positions in ``tree`` count them."""

    def __init__(self, path: str, name: str, tree: ast.Module, lines: list[str]) -> None:
        self.path = path
        self.name = name
        self.tree = tree
        self.lines = lines
        self._class_scopes: dict[ast.ClassDef, Scope] = {}
        self._stored: dict[ast.ClassDef, frozenset[str]] = {}

    def __repr__(self) -> str:
        return f"Module({self.name!r}, {self.path!r})"

    @property
    def is_package(self) -> bool:
        return PurePosixPath(self.path).name == "__init__.py"

    @cached_property
    def is_ascii(self) -> bool:
        """Whether columns in bytes and in characters are the same throughout."""
        return all(line.isascii() for line in self.lines)

    @cached_property
    def scope(self) -> Scope:
        """The names of the module's top level."""
        return build_scope(self.tree.body, walrus=self._has_walrus)

    @cached_property
    def declared_global(self) -> frozenset[str]:
        """The names that some function of this module declares ``global``, and may therefore rebind."""
        if not any("global" in line for line in self.lines):
            return frozenset()
        return declared_globals(self.tree.body)

    def class_scope(self, node: ast.ClassDef) -> Scope:
        """The names of the body of one of this module's classes."""
        scope = self._class_scopes.get(node)
        if scope is None:
            scope = self._class_scopes[node] = build_scope(node.body, walrus=self._has_walrus)
        return scope

    def resolve_relative(self, module: str, level: int) -> str:
        """The absolute name of ``module`` in ``from ..module import x``; one that climbs too far keeps its dots and exists nowhere."""
        if level == 0:
            return module
        parts = self.name.split(".")
        climb = level - 1 if self.is_package else level
        if climb >= len(parts):
            return "." * level + module
        base = parts[: len(parts) - climb]
        return ".".join([*base, module] if module else base)

    @cached_property
    def tests(self) -> tuple[ast.If | ast.While | ast.IfExp, ...]:
        """All that asks a condition, the outer before the inner."""
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, ast.If | ast.While | ast.IfExp))

    @cached_property
    def global_reads(self) -> tuple[ast.Name, ...]:
        """Where the module reads variables that some function of it declares ``global``."""
        names = self.declared_global
        if not names:
            return ()
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Name))
        return tuple(node for node in nodes if node.id in names and isinstance(node.ctx, ast.Load))

    def stored_attributes(self, node: ast.ClassDef) -> frozenset[str]:
        """The attributes that the body of one of this module's classes stores, of whatever object."""
        stored = self._stored.get(node)
        if stored is None:
            attributes = (each for each in ast.walk(node) if isinstance(each, ast.Attribute))
            stored = self._stored[node] = frozenset(each.attr for each in attributes if isinstance(each.ctx, ast.Store))
        return stored

    @cached_property
    def _has_walrus(self) -> bool:
        return any(":=" in line for line in self.lines)


class Index:
    """The modules of one tree, by dotted name."""

    def __init__(self, tree: Tree, found_by: Callable[[str], str | None] = lambda path: None) -> None:
        """``found_by`` tells which search has found a file."""
        self.read: set[str] = set()
        self.reasons: dict[str, str] = {}
        """Why each file was read, also one that cannot be parsed."""
        self._found_by = found_by
        self.unreadable: dict[str, str] = {}
        self._tree = tree
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str, why: Why | None = None) -> Module | None:
        """The module of that name, parsed once; None if there is no such file or it cannot be read. ``why`` it is asked for."""
        try:
            return self._modules[name]
        except KeyError:
            path = self._paths.get(name)
            module = self._modules[name] = self._load(path, name, why) if path is not None else None
            return module

    def exists(self, name: str) -> bool:
        """Whether there is such a module or package, also one without an ``__init__.py``; parses nothing."""
        return name in self._paths or name in self._folders

    def inside(self, name: str) -> list[str]:
        """The modules and packages right inside a package."""
        inner = (each.removeprefix(f"{name}.") for each in (*self._paths, *self._folders) if each.startswith(f"{name}."))
        return sorted({each for each in inner if "." not in each})

    def module_of(self, path: str) -> str:
        """The dotted name under which the file at ``path`` is imported."""
        return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Name -> path. A package hides a module of the same name, as in Python."""
        paths: dict[str, str] = {}
        for path in self._tree.files:
            if path.endswith(".py"):
                name = self.module_of(path)
                if name not in paths or path.endswith("/__init__.py"):
                    paths[name] = path
        return paths

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The dotted names of all folders that hold Python files, at any depth."""
        folders: set[str] = set()
        for path in self._paths.values():
            folder = path.rpartition("/")[0].replace("/", ".")
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition(".")[0]
        return frozenset(folders)

    def _load(self, path: str, name: str, why: Why | None) -> Module | None:
        self.reasons[path] = why() if why is not None else self._found_by(path) or ASKED
        try:
            with task("index"):
                data = self._tree.read(path)
                tree = _parse(data)
                lines = decode_lines(data)
        except SyntaxError as error:
            self.unreadable[path] = f"line {error.lineno or 1}: {error.msg}"
        except (OSError, RecursionError, ValueError, MemoryError) as error:
            self.unreadable[path] = f"line 1: {str(error) or type(error).__name__}"
        else:
            self.read.add(path)
            count("files parsed")
            return Module(path, name, tree, lines)
        return None


def _parse(data: bytes) -> ast.Module:
    with warnings.catch_warnings():  # the tree's own sins (`"\d"`) are not ours to print
        warnings.simplefilter("ignore")
        return ast.parse(data)


def decode_lines(data: bytes) -> list[str]:
    """The lines of a Python file as its parser counts them: only ``\\n``, ``\\r\\n`` and ``\\r`` end one."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")
