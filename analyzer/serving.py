"""Which id list reaches a target's setter for a given draft config: the way from the key to the setter."""
from __future__ import annotations

from dataclasses import dataclass

from .configs import Config
from .evaluation import Program
from .results import Location, Status, Step
from .target import ConfigFacts
from .wiring import Found


@dataclass(frozen=True, slots=True)
class ServedIds:
    """The ids that a setter is given for a draft config; None stands for the default where ``status`` is established.

    ``entry`` is the line of the config that they stand in, ``path`` leads from there to the setter.
    """

    ids: tuple[int, ...] | None
    status: Status
    reason: str | None
    reason_at: Location | None
    entry: Location | None
    path: tuple[Step, ...]


def served_ids(program: Program, target: Found, draft: Config, config: ConfigFacts) -> ServedIds:
    """The ids that this target's setter is given. Never a guess: a list in the config that nobody is seen to read reaches nobody."""
    reason = "the way from the key of the draft's config to the setter is not followed yet"
    place = Location(program.printed(target.function.module.path), target.function.node.lineno if target.function.node else 1)
    return ServedIds(None, "not established", reason, place, Location(draft.path_printed, 1), ())
