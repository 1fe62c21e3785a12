"""Ways that a value takes through code, each with an edit that cuts it. The code stands at one place of the small engine.

The ids are in ``ids`` where they are kept (``keep``), the captured states in ``captured`` where they are given back (``give back``).
"""
from __future__ import annotations

from .calls import CALLS
from .containers import CONTAINERS
from .control import CONTROL_OF_IDS, TESTS, TRANSFORMS
from .engine import DRAFT, SETTING, WORKER
from .example import Example
from .objects import NAMES, OBJECTS
from .reading import READING
from .tensors import CAPTURES, PROCESSOR, TENSORS

THEMES: dict[str, dict[str, Example]] = {
    "reading": READING,
    "objects": OBJECTS,
    "names": NAMES,
    "containers": CONTAINERS,
    "calls": CALLS,
    "transforms": TRANSFORMS,
    "control of ids": CONTROL_OF_IDS,
    "setting": SETTING,
    "tests": TESTS,
    "captures": CAPTURES,
    "tensors": TENSORS,
    "processor": PROCESSOR,
    "worker": WORKER,
    "draft": DRAFT,
}
