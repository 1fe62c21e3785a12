"""An engine as a trainer uses it: the version that it asks for, and what that engine's source makes of the ids that it is handed."""
from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from .evaluation import Program, Target
from .index import Module
from .outcome import Handed
from .results import EngineUse, Evaluation, Location
from .source import SourceTree

SPLITTING = frozenset({"chunk", "split", "tensor_split", "narrow", "index_select", "flip", "roll", "unflatten"})
"""Methods that pick or move columns where they are not told to go along the tokens."""
PIN = r"(?<![\w-]){name}(?:\[[^\]]*\])?\s*\(?\s*==\s*(?P<version>[0-9][\w.+!-]*)"


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine's source that was given, read for one flow, and the target classes that were asked for."""

    program: Program
    tree: SourceTree
    targets: tuple[Target, ...]


def pinned(tree: SourceTree, package: str) -> tuple[str, Location] | None:
    """The version of a package that a trainer asks for, and where."""
    pattern = re.compile(PIN.format(name=re.escape(package)), re.IGNORECASE)
    for place, text in tree.requirements():
        found = pattern.search(text)
        if found is not None:
            return found["version"].rstrip("."), Location(place, text.count("\n", 0, found.start()) + 1)
    return None


def engine_use(trainer: SourceTree, package: str, handed: Handed, engine: Engine | None) -> EngineUse:
    """Which engine is used, and how."""
    pin = pinned(trainer, package)
    version, at = pin if pin is not None else (None, None)
    model = engine.targets[0].cls.name if engine is not None and len(engine.targets) == 1 else None
    return EngineUse(package, handed.setter, version, at, engine.tree.version if engine is not None else None, model)


def compose(use: EngineUse, handed: Handed, engine: Engine | None) -> Evaluation | str:
    """What the engine captures with the ids that it is handed; or why it is not known."""
    asked = f"{use.name} {use.pinned}, which the trainer asks for ({use.pinned_at})" if use.pinned is not None else f"{use.name}"
    if engine is None:
        how = "give it with --engine (of check: --train-engine)"
        return f"the ids are handed to {use.setter}: what is captured is for the source of {asked} to say; {how}"
    if not handed.known:
        return f"which ids are handed to {use.setter} is not known"
    fitting = [target for target in engine.targets if target.setter == handed.setter]
    if len(fitting) != 1:
        names = ", ".join(sorted(target.cls.name for target in fitting)) or "none"
        return f"which target class of {use.name} is trained for is not known: give --model; with {use.setter} there are {names}"
    return fitting[0].evaluate(handed.ids)


def taken_apart(module: Module, printed: Callable[[str], str]) -> Location | None:
    """The place in a module at which columns of something are picked, split or moved: it may be what the engine hands over."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SPLITTING and not by_rows(node):
            return Location(printed(module.path), node.lineno)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and is_cut(node.slice.elts[-1:]):
            return Location(printed(module.path), node.lineno)
    return None


def by_rows(node: ast.Call) -> bool:
    """Whether a split is told to be along the tokens."""
    axes = [each.value for each in node.keywords if each.arg in ("dim", "axis")]
    return any(isinstance(axis, ast.Constant) and axis.value == 0 for axis in axes)


def is_cut(last: list[ast.expr]) -> bool:
    """Whether the last index of several is a part of an axis."""
    return any(isinstance(each, ast.Slice) and (each.lower is not None or each.upper is not None) for each in last)
