"""A trainer's source: any folder with Python files, or a package, and the model of transformers beside it.

Unlike an engine a trainer may be a row of scripts. A script finds the modules beside it, so a file may be imported by several names;
it is one module all the same.
"""
from __future__ import annotations

import os
from collections import Counter
from functools import cached_property
from importlib import resources
from pathlib import PurePosixPath

from .archive import is_archive, open_archive
from .errors import BadInput
from .folder import open_any_folder
from .index import Index, Module
from .layout import HOLDERS
from .reasons import Why
from .source import SourceTree, Store, find_version, open_source
from .steps import count

MODEL = "transformers/__init__.py"
"""Where the model of transformers stands in the tree."""
MODEL_FILE = "transformers.stub"
MODEL_PRINTED = "(the model of transformers)"


class TrainerTree:
    """The trainer's files and the model of transformers."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.package = tree.package
        self.models = "transformers" not in {path.partition("/")[0] for path in tree.files}
        self.files = (*tree.files, MODEL) if self.models else tree.files
        for path in tree.files:
            count("files listed", (tree.root, path))

    def read(self, path: str) -> bytes:
        if path == MODEL and self.models:
            return resources.files("flowcheck.analyzer.library").joinpath(MODEL_FILE).read_bytes()
        return self.tree.read(path)

    def printed(self, path: str) -> str:
        return MODEL_PRINTED if path == MODEL and self.models else self.tree.printed(path)


class TrainerIndex(Index):
    """The modules of a trainer, each under every name by which it may be imported."""

    def __init__(self, tree: TrainerTree) -> None:
        super().__init__(tree, tree.tree.found_by)
        self.tree = tree
        self._by_path: dict[str, Module | None] = {}

    def module(self, name: str, why: Why | None = None) -> Module | None:
        path = self._paths.get(name)
        if path is None:
            return None
        if path not in self._by_path:
            self._by_path[path] = self._load(path, self.module_of(path), why)
        return self._by_path[path]

    @cached_property
    def _paths(self) -> dict[str, str]:
        """Whole names first, then those from the folder itself or one of its holders, then those that only one file has."""
        paths = {self.module_of(path): path for path in self.tree.files}
        packages = {path.rpartition("/")[0] for path in self.tree.files if path.endswith("/__init__.py")}
        top = self.tree.package
        if top not in packages:
            for holder in HOLDERS:
                start = f"{top}/{holder}/" if holder else f"{top}/"
                for path in self.tree.files:
                    if path.startswith(start):
                        paths.setdefault(self.module_of(path.removeprefix(start)), path)
        scripts = [path for path in self.tree.files if path.rpartition("/")[0] not in packages]
        count = Counter(PurePosixPath(path).stem for path in scripts)
        for path in scripts:
            stem = PurePosixPath(path).stem
            if count[stem] == 1:
                paths.setdefault(stem, path)
        return paths


def open_trainer(argument: str) -> TrainerTree:
    """Open what the user named; BadInput, in one line, where there is nothing to read."""
    name = os.path.basename(os.path.abspath(argument)) if argument and "\0" not in argument else ""
    if name and os.path.isdir(argument) and not os.path.isfile(os.path.join(argument, "__init__.py")):
        store: Store = open_any_folder(argument, keep_absolute=os.path.isabs(argument))
        return TrainerTree(SourceTree(store.printed(""), name, find_version(store, name), store.files, store, frozenset(store.files)))
    if os.path.isfile(argument) and argument.endswith(".json"):
        raise BadInput(f"{argument}: a JSON file is no trainer; give the trainer's source (`check --train` takes a contract too)")
    if os.path.isfile(argument) and is_archive(argument):
        archive = open_archive(argument, None, keep_absolute=os.path.isabs(argument))
        found = find_version(archive, archive.package)
        return TrainerTree(SourceTree(archive.printed(""), archive.package, found, archive.files, archive, frozenset(archive.files)))
    return TrainerTree(open_source(argument, name or "trainer"))
