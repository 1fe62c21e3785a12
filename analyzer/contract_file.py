"""A contract file (``flowcheck.contract/1``): what a draft was trained on, as its trainer wrote it down, read back as the training side.

The file is as untrusted as a config. It is believed in what it says of a trainer that is not at hand; it must say one thing.
"""
from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .configs import folder_of
from .errors import BadInput
from .json_file import Node, Wanted, parse, read_json
from .json_text import Document
from .layout import printed_path
from .options import MOST_IDS, MOST_LAYERS
from .request import Ids, Trained, ids_text
from .results import Assumption, Location, Side, Status, Step

SCHEMA = "flowcheck.contract/1"
BESIDE = "contract.json"
"""The name of a contract that is shipped with its draft."""
CONTRACT = Wanted("contract", "a contract file", "write it again with `flowcheck contract`")
STATUSES: Mapping[str, Status] = {"established": "established", "depends": "depends", "not established": "not established"}
STAGES = frozenset(("no-residual", "normed", "unreduced", "before-injection", "incomplete", "scaled", "overwritten"))
BELIEVED = Assumption("contract-file", "the contract that was given is that of this draft, and stands as flowcheck wrote it")
SAID = Assumption("named-contract", "a draft was trained on the points that the settings say")
MOST_LINES = 10_000_000
LARGEST_SIZE = 10_000_000
LARGEST_ID = 999_999
"""As large as ``--ids`` takes one."""

POINT_FORM = "a captured point: embed, out:k or final, and out:k/STAGE of a part"
_POINT = re.compile(r"(?:embed|final|out:(?P<layer>0|[1-9][0-9]{0,4}))(?:/(?P<stage>[a-z-]+))?")


@dataclass(frozen=True, slots=True)
class Row:
    """What one list of ids comes to. ``fc`` is None where it is not established, for ``reason``; ``at`` is its line of the contract."""

    ids: Ids
    num_layers: int
    fc: tuple[str, ...] | None
    status: Status
    reason: str | None
    at: Location
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """One place of the trainer where hidden states are selected: ``trained_at`` in the trainer, ``at`` in the contract."""

    flow: str
    symbol: str
    trained_at: Location
    at: Location
    status: Status
    reason: str | None
    rows: tuple[Row, ...]
    engine: str | None


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract file. ``trainer`` is its package with the version, ``hidden_size`` that of the target where it is known."""

    at: Location
    trainer: str
    hidden_size: int | None
    selections: tuple[Selection, ...]


def is_contract(argument: str) -> bool:
    """Whether ``--train`` names a contract file. A folder that holds one is a trainer all the same."""
    return argument.endswith(".json") and "\0" not in argument and os.path.isfile(argument)


def contract_beside(draft: str) -> str | None:
    """The contract that lies beside the config of a draft, where one does: a file of the usual name with the schema of a contract. Other
    tools have files of that name too; one that cannot be read is told, for it may have been one."""
    folder = folder_of(draft)
    path = os.path.join(folder or "", BESIDE)
    if folder is None or not os.path.lexists(path):
        return None
    shown = printed_path(os.path.abspath(path), keep_absolute=os.path.isabs(path))
    value = read_json(path, shown, CONTRACT).value
    named = value.get("schema") if isinstance(value, dict) else None
    return path if isinstance(named, str) and named.startswith("flowcheck.contract/") else None


def read_contract_file(argument: str) -> Contract:
    """The contract in a file; BadInput, in one line with the place, where it is not sound."""
    shown = printed_path(os.path.abspath(argument), keep_absolute=os.path.isabs(argument))
    return _contract(shown, read_json(argument, shown, CONTRACT))


def read_contract_text(text: str, shown: str) -> Contract:
    """The contract in a text that is to stand in the file ``shown``."""
    return _contract(shown, parse(text, shown, CONTRACT))


# ------------------------------------------------------------------ the side


def contract_side(contract: Contract, flow: str, layers: int | None, hidden_size: int | None) -> Side:
    """What the contract says that reaches ``fc``, for a target with these layers. Its selections must all come to the same."""
    chosen = [selection for selection in contract.selections if selection.flow == flow]
    if (misfit := _misfit(contract, chosen, flow, layers, hidden_size)) is not None:
        return _open(misfit, chosen[0].at if chosen else contract.at)
    assert layers is not None
    sides = [_side(contract, selection, layers) for selection in chosen]
    doubtful = next((side for side in sides if side.points is None), None)
    if doubtful is not None:
        return doubtful
    first = sides[0]
    other = next((side for side in sides if side.points != first.points), None)
    if other is None:
        return first if all(side.ids == first.ids for side in sides) else replace(first, ids=None)
    shown = " and ".join(f"{', '.join(side.points or ())} ({side.path[-1].at})" for side in (first, other))
    return _open(f"the trainer has more than one selection in the contract: {shown}", other.at or contract.at)


def side_said(trained: Trained, layers: int | None) -> Side:
    """What the settings say that a draft was trained on, for a target with these layers."""
    beyond = next((point for point in trained.points if layers is not None and is_beyond(point, layers)), None)
    if beyond is not None:
        return _open(f"{beyond} is said to be trained, and the target has {layers} layers", trained.at)
    path = (Step("the settings", f"{len(trained.points)} points", ", ".join(trained.points), trained.at),)
    return Side(trained.points, None, "established", None, None, trained.at, (SAID,), path)


def _misfit(contract: Contract, chosen: list[Selection], flow: str, layers: int | None, hidden_size: int | None) -> str | None:
    """Why the contract is not for this flow of this target."""
    if not chosen:
        flows = ", ".join(dict.fromkeys(selection.flow for selection in contract.selections))
        return f"the contract is for {flows or 'no flow'}, not for {flow}"
    if layers is None:
        return "how many layers the target has is not known: give its config with --target"
    if contract.hidden_size is not None and hidden_size is not None and contract.hidden_size != hidden_size:
        return f"the contract is for a target with hidden size {contract.hidden_size}, this one has {hidden_size}"
    return None


def _side(contract: Contract, selection: Selection, layers: int) -> Side:
    """What one selection comes to, where the contract has one answer for this layer count."""
    rows = [row for row in selection.rows if row.num_layers == layers]
    if not rows:
        counts = ", ".join(map(str, sorted({row.num_layers for row in selection.rows})))
        if not counts:
            return _open(selection.reason or "the contract has no list of ids", selection.at)
        return _open(f"the contract is for a target with {counts} layers, this one has {layers}", selection.at)
    if len(rows) > 1:
        return _open(f"the contract has {len(rows)} lists of ids, and which of them the draft was trained on is not known", selection.at)
    (row,) = rows
    if row.fc is None:
        return _open(row.reason or selection.reason or "the contract gives no reason", row.at, row.status, row.assumptions)
    if selection.status != "established":
        return _open(selection.reason or "the contract gives no reason", selection.at, selection.status, row.assumptions)
    if not row.fc:
        return _open("nothing reaches fc, the contract says", row.at, "not established", row.assumptions)
    points, ids = ", ".join(row.fc), f"ids {ids_text(row.ids)}"
    with_engine = f" with {selection.engine}" if selection.engine is not None else ""
    path = (
        Step("the contract", ids, points, row.at),
        Step(f"recorded of {contract.trainer}{with_engine}", selection.symbol, points, selection.trained_at),
    )
    assumptions = tuple(sorted((BELIEVED, *row.assumptions), key=lambda assumption: assumption.name))
    return Side(row.fc, row.ids, "established", None, None, row.at, assumptions, path)


def _open(reason: str, at: Location, status: Status = "not established", assumptions: tuple[Assumption, ...] = ()) -> Side:
    """A side that names no points."""
    return Side(None, None, "depends" if status == "depends" else "not established", reason, at, at, assumptions)


# ------------------------------------------------------------------ reading


def _contract(shown: str, document: Document) -> Contract:
    root = Node(shown, CONTRACT, document, document.value)
    _check_schema(root)
    source = root.member("source")
    version = source.member("version").text_or_none()
    size = root.member("hidden_size").given()
    layers = root.member("num_layers").number(1, MOST_LAYERS)
    for row in (row for entry in root.member("trainings").entries() for row in entry.member("evaluated").entries()):
        if row.member("num_layers").number(1, MOST_LAYERS) != layers:
            row.member("num_layers").refuse(f"must be {layers}, as in the contract as a whole")
    texts = {entry.member("name").text(): entry.member("text").text() for entry in root.member("assumptions").entries()}
    return Contract(
        Location(shown, 1),
        source.member("package").text() + (f" {version}" if version else ""),
        None if size is None else size.number(1, LARGEST_SIZE),
        tuple(_selection(entry, texts) for entry in root.member("trainings").entries()),
    )


def _check_schema(root: Node) -> None:
    """A contract of another version is another language, even where it looks alike."""
    named = root.member("schema")
    found = named.text()
    if found == SCHEMA:
        return
    if re.fullmatch(r"flowcheck\.contract/[0-9]{1,9}", found):
        raise BadInput(f"{named.place}: is of schema {found}; this flowcheck reads {SCHEMA}: update flowcheck, or write the contract again")
    named.must_be(SCHEMA)


def _selection(node: Node, texts: Mapping[str, str]) -> Selection:
    assumed = _assumptions(node, texts)
    engine = node.member("engine").given()
    if (order := node.member("order").given()) is not None:
        order.one_of(("ids", "layers"))
    return Selection(
        node.member("flow").text(),
        node.member("symbol").text(),
        Location(node.member("file").text(), node.member("line").number(1, MOST_LINES)),
        Location(node.file, node.line),
        STATUSES[node.member("status").one_of(STATUSES)],
        node.member("reason").text_or_none(),
        tuple(_row(entry, texts, assumed) for entry in node.member("evaluated").entries()),
        None if engine is None else _engine(engine),
    )


def _engine(node: Node) -> str:
    """The engine that the trainer was read with."""
    version = node.member("version").text_or_none() or node.member("pinned").text_or_none()
    return node.member("name").text() + (f" {version}" if version else "")


def _row(node: Node, texts: Mapping[str, str], outer: Mapping[str, Assumption]) -> Row:
    layers = node.member("num_layers").number(1, MOST_LAYERS)
    given, fc, error = node.member("ids").given(), node.member("fc"), node.member("error").text_or_none()
    status = STATUSES[node.member("status").one_of(STATUSES)]
    points = _points(fc, layers)
    if points is not None and (status != "established" or error is not None):
        fc.refuse(f"must be null where {'the trainer raises' if error is not None else f'the status is {status!r}'}")
    _points(node.member("captured"), layers)
    assumed = {**outer, **_assumptions(node, texts)}
    return Row(
        None if given is None else _ids(given),
        layers,
        points,
        status,
        _why(node, status, error),
        Location(fc.file, fc.line),
        tuple(assumed[name] for name in sorted(assumed)),
    )


def _why(node: Node, status: Status, error: str | None) -> str | None:
    """Why a row has no fc, in the contract's own words."""
    reasons = [node.member(key).text_or_none() for key in ("fc_reason", "reason")]
    if error is not None:
        return f"the trainer raises {error}"
    return next((reason for reason in reasons if reason), "it depends on a condition of the trainer" if status == "depends" else None)


def _ids(node: Node) -> tuple[int, ...]:
    entries = node.entries()
    if len(entries) > MOST_IDS:
        node.refuse(f"has {len(entries)} ids; at most {MOST_IDS}")
    return tuple(entry.number(-LARGEST_ID, LARGEST_ID) for entry in entries)


def _points(node: Node, layers: int) -> tuple[str, ...] | None:
    """Captured points, in order."""
    if node.value is None:
        return None
    entries = node.entries()
    if len(entries) > MOST_IDS:
        node.refuse(f"has {len(entries)} points; at most {MOST_IDS}")
    return tuple(_point(entry, layers) for entry in entries)


def _point(node: Node, layers: int) -> str:
    """The name of a captured point of a target with these layers."""
    text = node.text()
    if not is_point(text):
        node.must_be(POINT_FORM)
    if is_beyond(text, layers):
        node.refuse(f"is {text}, and the target has {layers} layers")
    return text


def is_point(text: str) -> bool:
    """Whether this is the name of a captured point."""
    found = _POINT.fullmatch(text)
    return found is not None and (found["stage"] is None or found["stage"] in STAGES)


def is_beyond(point: str, layers: int) -> bool:
    """Whether a point is one that a target with these layers does not have."""
    found = _POINT.fullmatch(point)
    return found is not None and found["layer"] is not None and int(found["layer"]) >= layers


def _assumptions(node: Node, texts: Mapping[str, str]) -> dict[str, Assumption]:
    """What was supposed, each with its sentence."""
    found: dict[str, Assumption] = {}
    for entry in node.member("assumptions").entries():
        name = entry.text()
        if name not in texts:
            entry.refuse(f"is {name!r}, which the assumptions at the end do not describe")
        found[name] = Assumption(name, texts[name])
    return found
