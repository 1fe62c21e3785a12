"""The file of settings: ``flowcheck.toml``, or the table ``[tool.flowcheck]`` of ``pyproject.toml``, in the working directory or the
nearest folder above it that has one. It gives options of the command line that are not given there. Paths in it are relative to its folder.
"""
from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..rules import RULES
from .contract_settings import CONTRACTS, read_contracts
from .contracts import NamedContract
from .errors import BadInput
from .flows.lines import key_lines
from .layout import printable, printed_path
from .nearest import hint
from .options import REPORT_FORMATS, read_outputs
from .paths import PathIgnore
from .rule import meant_by, severity
from .setting_values import Table, Values, kind
from .toml_file import read_toml_text

FILES = ("flowcheck.toml", "pyproject.toml")
"""In one folder the first wins."""
TABLE = "flowcheck"

Option: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says. ``options`` are values of options, by the names of their parameters. ``shown`` is how the file is printed. Where it
    names no source, what is checked are the sources that its ``contracts`` name."""

    shown: str
    folder: str
    options: Mapping[str, Option]
    ignores: tuple[PathIgnore, ...] = ()
    contracts: tuple[NamedContract, ...] = ()

    def defaults(self, command: str) -> dict[str, object]:
        """The options that a command takes from the file: ``check`` all, others what says which engine and which target it is about."""
        taken = {name: value for name, value in self.options.items() if name in OF_COMMAND.get(command, ()) or command == "check"}
        if command == "check" and "source" not in taken and (named := dict.fromkeys(one.source for one in self.contracts if one.source)):
            taken["source"] = tuple(named)
        for name in () if command == "check" else ("source", *(("flow_file",) if command == "trace" else ())):
            several = taken.pop(name, ())
            taken.update({name: several[0]} if len(several) == 1 else {})
        return {name: list(value) if isinstance(value, tuple) else value for name, value in taken.items()}


OF_COMMAND: Mapping[str, tuple[str, ...]] = {
    "wiring": ("source", "target", "layers", "flow_file"),
    "graph": ("source", "target", "layers", "flow_file"),
    "trace": ("target", "flow_file"),
    "contract": ("target", "layers"),
    "diff": (
        "source", "draft", "target", "train", "train_config", "train_engine", "serve_args", "flow", "model", "layers", "select", "ignore",
        "fail_on", "flow_file",
    ),
}  # fmt: skip


def find_settings(folder: str) -> Settings | None:
    """The settings for a working directory; None where no file has any. A ``pyproject.toml`` without the table is passed over."""
    while True:
        for name in FILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (found := read_settings(path, printed_path(path, keep_absolute=False), named=False)) is not None:
                return found
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def read_settings(path: str, shown: str, *, named: bool = True) -> Settings | None:
    """The settings in a file; BadInput in one line, which names the file and the key. ``named``: the user gave this file by name, so that
    one without settings is a mistake."""
    shown = printable(shown)
    is_project = os.path.basename(path) == "pyproject.toml"
    text = read_toml_text(path, shown, "file of settings", "" if named or not is_project else TABLE)
    if text is None:
        return None
    try:
        at = _place(tomllib.loads(text), shown, is_project)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{shown}: not TOML: {error or 'nested too deeply'}; mend the file") from error
    if at is None and named:
        raise BadInput(f"{shown}: has no table [tool.{TABLE}]; give a file that has one")
    return None if at is None else _Reader(shown, os.path.dirname(os.path.abspath(path)), key_lines(text), at).settings(text)


def _place(document: Table, shown: str, is_project: bool) -> tuple[str, ...] | None:
    """The keys that lead to flowcheck's table: that of the tool's name where there is one, else the whole of a file that is its own."""
    tool = document.get("tool", {})
    if not isinstance(tool, dict) or TABLE not in tool:
        return None if is_project else ()
    if not isinstance(tool[TABLE], dict):
        raise BadInput(f"{shown}: tool.{TABLE} must be a table")
    beside = None if is_project else next((key for key in document if key != "tool"), None)
    if beside is not None:
        raise BadInput(f"{shown}: {printable(beside[:80])}: stands beside the table [tool.{TABLE}]; put all into one of the two")
    return ("tool", TABLE)


@dataclass(frozen=True, slots=True)
class _Reader(Values):
    """Reads the whole table."""

    def settings(self, content: str) -> Settings:
        table: Table = tomllib.loads(content)
        for step in self.at:
            inner = table[str(step)]
            assert isinstance(inner, dict)
            table = inner
        options: dict[str, Option] = {}
        known = (*KEYS, PER_PATH, CONTRACTS)
        for key, value in table.items():
            if key not in known:
                self.refuse(key, f"there is no such setting{hint(key.replace('_', '-'), known) or '; there are ' + ', '.join(known)}")
            if key in KEYS:
                options[key.replace("-", "_")] = KEYS[key](self, key, value)
        ignores, contracts = self.ignores(table.get(PER_PATH, {})), read_contracts(self, table.get(CONTRACTS, []))
        return Settings(self.shown, self.folder, options, tuple(ignores), contracts)

    def inside(self, key: str, value: object) -> str:
        """A file that is written: it must lie below the folder, for the settings may be as foreign as the source that they lie beside."""
        path = os.path.realpath(os.path.join(self.folder, self.text(key, value)))
        if not path.startswith(os.path.join(os.path.realpath(self.folder), "")):
            self.refuse(key, f"{value} does not lie below the folder of this file; give such a file on the command line")
        return self.path(key, value)

    def rules(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(self.checked(key, each, lambda text: meant_by(RULES, text)) for each in self.texts(key, value))

    def severity(self, key: str, value: object) -> str:
        return self.checked(key, self.text(key, value), severity)

    def outputs(self, key: str, value: object) -> tuple[str, ...]:
        return tuple(self.output(key, each) for each in self.texts(key, value))

    def output(self, key: str, text: str) -> str:
        name, colon, file = self.checked(key, text, lambda each: read_outputs(None, [each], REPORT_FORMATS)).partition(":")
        return f"{name}:{self.inside(key, file)}" if colon else name

    def ignores(self, value: object) -> Iterator[PathIgnore]:
        if not isinstance(value, dict):
            self.refuse(PER_PATH, f"must be a table of patterns and rules, not {kind(value)}")
        inner = replace(self, at=(*self.at, PER_PATH), around=(f'{PER_PATH}."', '"'))
        for pattern, names in value.items():
            found = (rule.code for text in inner.rules(pattern, names) for rule in meant_by(RULES, text))
            yield PathIgnore(self.folder, pattern, frozenset(found))


PER_PATH = "per-path-ignores"
KEYS: Mapping[str, Callable[[_Reader, str, object], Option]] = {
    "source": _Reader.sources,
    "draft": _Reader.paths,
    "target": _Reader.path,
    "train": _Reader.source,
    "train-config": _Reader.path,
    "train-engine": _Reader.source,
    "serve-args": _Reader.flags,
    "flow": _Reader.texts,
    "model": _Reader.texts,
    "layers": _Reader.number,
    "select": _Reader.rules,
    "ignore": _Reader.rules,
    "fail-on": _Reader.severity,
    "baseline": _Reader.inside,
    "flow-file": _Reader.paths,
    "output-format": _Reader.outputs,
}
