"""Which condition keeps an engine from looking at the ids of a draft, with the flags that it is launched with."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from .configs import Config
from .flows.flow import Flags
from .keys import entries_of, short
from .launches import Branch, Gated, Launch
from .library.facts import Fact
from .results import Location


def gated(
    launch: Launch, flags: Flags, own: Launch, wants: Mapping[str, Fact], draft: Config, without: Callable[[str], Launch]
) -> Gated | None:
    """What gates the ids off in a launch with these flags. ``own`` is that of the flow with the same draft, which ``wants`` some flags, and
    ``without`` launches with all flags but one."""
    if is_looked_at(launch) or not is_looked_at(own) or not own.looks:
        return None
    entries = dict(entries_of(draft.values))
    entry = next((place for place, value in entries.items() if place[-1] in launch.keys and value and isinstance(value, list)), None)
    branch = next((each for each in launch.branches if decides(each, launch, own)), None)
    if entry is None or branch is None:
        return None
    named = flags.named
    alone = [name for name in named if is_looked_at(without(name))] if len(named) > 1 else []
    given = tuple((name, told(value)) for name, value in named.items() if name in alone or not alone)
    at = Location(draft.path_printed, draft.line_of(*entry))
    of_flow = ", ".join(f"{name} = {told(value)}" for name, value in wants.items())
    return Gated(branch, given, of_flow, ".".join(entry), at, short(entries[entry]), own.looks)


def is_looked_at(launch: Launch) -> bool:
    """Whether a key of the flow is looked up on the way to the setter, or the setter called with what may come from a config."""
    return bool(launch.looks) or launch.sets


def decides(branch: Branch, launch: Launch, own: Launch) -> bool:
    """Whether a condition always has one answer in a launch, by which a branch is left out that names a key or a setter, and may have the
    other one in the flow's own."""
    here = {each.answer for each in launch.branches if each.at == branch.at}
    others = {each.answer for each in own.branches if each.at == branch.at}
    return here == {branch.answer} and branch.answer is not None and (not branch.answer) in branch.names and bool(others - here)


def told(value: Fact) -> str:
    return value if isinstance(value, str) else json.dumps(value)

