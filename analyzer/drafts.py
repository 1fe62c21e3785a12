"""The drafts that ``--draft`` names: configs, folders that hold one, and folders of such."""
from __future__ import annotations

import os
from collections.abc import Iterable

from .configs import FILE_NAME, Config
from .contract_file import BESIDE
from .errors import BadInput
from .layout import printable
from .training_facts import FlowWords

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
    return path.endswith(".json") and not path.endswith(INDEX_ENDING) and os.path.basename(path) != BESIDE


def flow_of_draft(draft: Config, flows: Iterable[FlowWords]) -> str | None:
    """The flow that a draft's config tells that it is for: by words in the names of its classes, else by the keys that it has, at its top
    level or one below."""
    flows = tuple(flows)
    named = draft.values.get("architectures")
    classes = " ".join(map(str, named)).lower() if isinstance(named, list) else ""
    by_class = (flow.name for flow in flows if any(word in classes for word in flow.words))
    keys = {*draft.values, *(key for value in draft.values.values() if isinstance(value, dict) for key in value)}
    by_key = (flow.name for flow in flows if keys & {*flow.keys})
    return next(by_class, None) or next(by_key, None)
