"""The drafts that ``--draft`` names: configs, folders that hold one, and folders of such."""
from __future__ import annotations

import os
from collections.abc import Iterable

from .configs import FILE_NAME
from .errors import BadInput
from .layout import printable

MOST_DRAFTS = 1_000
INDEX_ENDING = ".index.json"
"""The index of a checkpoint's weights is no config."""


def find_drafts(named: Iterable[str]) -> tuple[str, ...]:
    """Each draft that is named, and those in a folder that is none itself, in the order of their names; none of them twice."""
    found = tuple(dict.fromkeys(each for argument in named for each in _drafts_of(argument)))
    if len(found) > MOST_DRAFTS:
        raise BadInput(f"--draft: {len(found)} drafts; at most {MOST_DRAFTS}")
    return found


def _drafts_of(argument: str) -> tuple[str, ...]:
    if "\0" in argument or not os.path.isdir(argument) or os.path.lexists(os.path.join(argument, FILE_NAME)):
        return (argument,)
    try:
        names = sorted(os.listdir(argument))
    except OSError as error:
        raise BadInput(f"{printable(argument)}: cannot be read ({error.strerror}); check its permissions") from error
    paths = [os.path.join(argument, name) for name in names if not name.startswith(".")]
    found = tuple(path for path in paths if _is_draft(path))
    if not found:
        raise BadInput(f"{printable(argument)}: no {FILE_NAME}, and no drafts in it; give the folder of a draft, or one of such folders")
    return found


def _is_draft(path: str) -> bool:
    if os.path.isdir(path):
        return os.path.lexists(os.path.join(path, FILE_NAME))
    return path.endswith(".json") and not path.endswith(INDEX_ENDING)
