"""The contracts that the settings name: the tables under ``[[contracts]]``."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from .contract_file import POINT_FORM, is_point
from .contracts import NamedContract
from .location import Location
from .nearest import hint
from .options import MOST_IDS, read_layers, read_serve_args
from .request import Trained
from .setting_values import Table, Values, kind

CONTRACTS = "contracts"
MOST_CONTRACTS = 1_000
LONGEST_NAME = 120

Read: TypeAlias = str | tuple[str, ...]


def read_contracts(settings: Values, value: object) -> tuple[NamedContract, ...]:
    """The contracts, in order; BadInput for what is wrong with one."""
    if not isinstance(value, list):
        settings.refuse(CONTRACTS, f"must be tables under [[{CONTRACTS}]], not {kind(value)}")
    if len(value) > MOST_CONTRACTS:
        settings.refuse(CONTRACTS, f"there are {len(value)} of them; at most {MOST_CONTRACTS}")
    found: dict[str, NamedContract] = {}
    for number, table in enumerate(value):
        inner = replace(settings, at=(*settings.at, CONTRACTS, number), around=(f"{CONTRACTS}[{number}].", ""))
        if not isinstance(table, dict):
            settings.refuse(CONTRACTS, f"must be tables under [[{CONTRACTS}]], and one of them is {kind(table)}")
        one = _contract(inner, table)
        if one.name in found:
            inner.refuse("name", f"{one.name!r} is there twice, first in line {found[one.name].at.line}")
        found[one.name] = one
    return tuple(found.values())


def _contract(values: Values, table: Table) -> NamedContract:
    for key in table:
        if key not in KEYS:
            near = hint(key.replace("_", "-"), KEYS)
            values.refuse(key, f"there is no such entry of a contract{near or '; there are ' + ', '.join(KEYS)}")
    for key in ("name", "draft"):
        if key not in table:
            values.refuse(key, "is missing: a contract says what it is called and which draft it is about")
    name = _name(values, "name", table["name"])
    named = replace(values, around=(f"contract {name!r}: ", ""))
    read = {key: KEYS[key](named, key, value) for key, value in table.items()}
    _check_training(named, read)
    layers, serve_args = _text(read, "layers"), _text(read, "serve-args")
    return NamedContract(
        name,
        Location(values.shown, values.line("name")),
        _text(read, "draft") or "",
        target=_text(read, "target"),
        layers=None if layers is None else read_layers(layers),
        train=_text(read, "train"),
        train_config=_text(read, "train-config"),
        train_engine=_text(read, "train-engine"),
        trained=Trained(_texts(read, "trained"), Location(values.shown, values.line("trained"))) if "trained" in read else None,
        flows=_texts(read, "flow"),
        models=_texts(read, "model"),
        serve_args=None if serve_args is None else read_serve_args(serve_args),
        source=_text(read, "source"),
        description=_text(read, "description"),
    )


def _check_training(values: Values, read: Mapping[str, Read]) -> None:
    """What a contract says of the training must be said once."""
    if "trained" in read and "train" in read:
        values.refuse("trained", "stands beside `train`, which says what was trained too: leave out one of them")
    beside = next((key for key in ("train-config", "train-engine") if key in read), None)
    if beside is not None and "train" not in read:
        values.refuse(beside, "is about a training run: give the trainer's source as `train`")
    if "train-config" in read and str(read["train"]).endswith(".json"):
        values.refuse("train-config", "stands beside a contract file, which holds the ids of its run: leave it out")


def _text(read: Mapping[str, Read], key: str) -> str | None:
    value = read.get(key)
    return value if isinstance(value, str) else None


def _texts(read: Mapping[str, Read], key: str) -> tuple[str, ...]:
    value = read.get(key, ())
    return value if isinstance(value, tuple) else ()


def _name(values: Values, key: str, value: object) -> str:
    """A name fits on a line of the report."""
    name = values.text(key, value)
    if len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        values.refuse(key, f"must be one line of at most {LONGEST_NAME} characters, without blanks around it")
    return name


def _points(values: Values, key: str, value: object) -> tuple[str, ...]:
    """Captured points, in the order of their concatenation."""
    points = values.texts(key, value)
    if len(points) > MOST_IDS:
        values.refuse(key, f"has {len(points)} points; at most {MOST_IDS}")
    wrong = next((point for point in points if not is_point(point)), None)
    if wrong is not None:
        values.refuse(key, f"must be {POINT_FORM}, not {kind(wrong)}")
    return points


KEYS: Mapping[str, Callable[[Values, str, object], Read]] = {
    "name": _name,
    "description": Values.text,
    "draft": Values.path,
    "target": Values.path,
    "layers": Values.number,
    "train": Values.source,
    "train-config": Values.path,
    "train-engine": Values.source,
    "trained": _points,
    "flow": Values.texts,
    "model": Values.texts,
    "serve-args": Values.flags,
    "source": Values.source,
}
