"""The schema of SARIF, as OASIS publishes it."""
from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped, unused-ignore]

SCHEMA = Path(__file__).parent / "schemas/sarif-2.1.0.json"


@cache
def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))
    return loaded


def valid(text: str) -> dict[str, Any]:
    """The log in a text, held against the schema."""
    loaded: dict[str, Any] = json.loads(text)
    jsonschema.validators.validator_for(schema())(schema()).validate(loaded)
    return loaded
