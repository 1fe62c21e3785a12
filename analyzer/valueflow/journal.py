"""What a run does with configs and models, in the order in which it does it: lookups, what an ``except`` makes of a miss, what is done to
entries that count as false, calls of a setter, and runs of the target's model."""
from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import ir
from ..graph import Node
from ..launches import Arms, Branch, Call, Dropped, Event, EventKind, Falsy, Lookup, LookupSide, LookupStatus, Override, Swallowed
from ..results import Location
from .asked import Frame
from .domain import OWN_DEFAULT, Exact, Fits, Origin, Val
from .store import State
from .texts import index_text, text_of
from .tracks import shown, tracked

if TYPE_CHECKING:
    from .engine import Engine

OF_NOTHING = "nothing, for there is nothing to look into"
"""What a lookup gets that asks a None: that is no KeyError."""
LONGEST = 80
"""Characters of a value that are told."""
OPENING, CLOSING = {"list": "[", "tuple": "(", "set": "{"}, {"list": "]", "tuple": ")", "set": "}"}


@dataclass(slots=True)
class Journal:
    """``arms``: the branches that are open, by the number of their condition's run and which of the two it is; what happens in one arm
    comes neither before nor after what happens in the other. ``watched``: the names that a branch must have to be noted. ``tests``: the
    comparisons of widths that a branch hangs on (where ``measuring``), ``refused`` the arms that end in a raise, ``doubted`` those that
    may; ``projected`` are the calls of a projection, with the arms that were open; ``checked``: a width is asserted. ``raises`` counts the
    ways that end in a raise. ``staged``: the loops that run the target's stages, one after the other. ``drafts`` are the classes of the
    drafts: what their methods look up is not on the way to the setter."""

    lookups: list[Lookup] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    swallowed: list[Swallowed] = field(default_factory=list)
    falsy: list[Falsy] = field(default_factory=list)
    overrides: list[Override] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    watched: frozenset[str] = frozenset()
    drafts: frozenset[object] = frozenset()
    met: list[Branch] = field(default_factory=list)
    arms: list[tuple[int, bool]] = field(default_factory=list)
    branches: int = 0
    measuring: bool = False
    raises: int = 0
    tests: dict[int, tuple[Fits, ...]] = field(default_factory=dict)
    refused: set[tuple[int, bool]] = field(default_factory=set)
    doubted: set[tuple[int, bool]] = field(default_factory=set)
    projected: list[tuple[Node, Arms]] = field(default_factory=list)
    checked: bool = False
    staged: list[Location] = field(default_factory=list)

    @contextmanager
    def arm(self, branch: int, which: bool) -> Iterator[None]:
        with self.ending():
            self.arms.append((branch, which))
            yield

    @contextmanager
    def ending(self) -> Iterator[None]:
        """What begins in here ends with it."""
        before = len(self.arms)
        try:
            yield
        finally:
            del self.arms[before:]

    def branch(self, test: Val) -> int:
        self.branches += 1
        if tests := tuple(thing for thing in test.things if isinstance(thing, Fits)):
            self.tests[self.branches] = tests
        return self.branches


def stack(engine: Engine, at: ir.At) -> tuple[Call, ...]:
    """The calls that lead here, outermost first, and the place itself."""
    running = [(frame, frame.calling) for frame in engine.frames[:-1]]
    outer = [Call(frame.symbol, engine.machine.place(frame.module.path, place.line)) for frame, place in running if place is not None]
    return (*outer, Call(engine.frame.symbol, engine.location(at)))


def note_event(engine: Engine, kind: EventKind, state: State, ids: Val | None, at: ir.At) -> None:
    """A call of a setter, with what it is given, or a run of the model."""
    is_default = ids is not None and (ids.only == Exact(None) or getattr(ids.only, "path", "") == OWN_DEFAULT)
    text = "" if ids is None else "default" if is_default else shown(state, ids)
    configured = ids is not None and bool(tracked(state, ids))
    engine.journal.events.append(Event(kind, stack(engine, at), text, configured, tuple(engine.journal.arms)))


def note_lookup(
    engine: Engine, name: str, origins: frozenset[Origin], status: LookupStatus, default: str | None, value: str, at: ir.At
) -> None:
    """A lookup of an entry. It stands where its name is written: in a helper that is given the name, that is the helper's call."""
    engine.journal.lookups += lookups_of(engine, name, origins, status, default, value, at)


def lookups_of(
    engine: Engine, name: str, origins: frozenset[Origin], status: LookupStatus, default: str | None, value: str, at: ir.At
) -> Iterator[Lookup]:
    frame, place = written_in(engine, name, at)
    where = engine.machine.place(frame.module.path, place.line)
    nobody = [("", ())] if name == engine.question.traced and not origins else []
    for role, path in (*sorted(origins), *nobody):
        around = engine.frames[: engine.frames.index(frame) + 1]
        own = any(each.owner is not None and each.owner.node in engine.journal.drafts for each in around)
        side: LookupSide = "draft" if own and engine.side == "setter" else engine.side
        scope = tuple(each.number for each in around)
        yield Lookup(role, path, name, where, place.column, frame.symbol, scope, default, status, value[:LONGEST], side)


def written_in(engine: Engine, name: str, at: ir.At) -> tuple[Frame, ir.At]:
    """The innermost running function that has the name in its text, and the place in it."""
    for frame, place in zip(reversed(engine.frames), (at, *(frame.calling for frame in reversed(engine.frames[:-1]))), strict=True):
        if place is not None and mentions(frame, name):
            return frame, place
    return engine.frame, at


def mentions(frame: Frame, name: str) -> bool:
    node = frame.function.node if frame.function is not None else None
    first, last = (node.lineno, node.end_lineno) if node is not None else (frame.code.at.line if frame.code is not None else 1, None)
    return any(name in line for line in frame.module.lines[first - 1 : last])


def label(node: ir.Expression) -> str:
    text = f"{OPENING[node.kind]}{index_text(node)}{CLOSING[node.kind]}" if isinstance(node, ir.Display) else text_of(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def told(state: State, val: Val) -> str:
    """A value's text, where it is known."""
    match val.only:
        case Exact(value=None | bool() | float() | str() as value):
            return repr(value)
    return shown(state, val)


# ------------------------------------------------------------- what is treated like none


def note_falsy(engine: Engine, test: Val, instead: str, at: ir.At, *, flags: bool = False) -> None:
    """A condition asks whether an entry counts as true, and it is there and does not; ``instead`` is what stands in for it, or "". One that
    is true or false is asked for that, unless ``flags`` says that it is to be a value."""
    for role, way in sorted(test.about) if instead and not test.missing else ():
        value = entry_value(engine, role, way)
        if value in FALSY and (flags or not isinstance(value, bool)):
            engine.journal.falsy.append(Falsy(engine.location(at), at.column, role, ".".join(way), json.dumps(value), instead))


def entry_value(engine: Engine, role: str, way: tuple[str, ...]) -> object:
    config = engine.question.configs.get(role)
    value: object = config.values if config is not None else None
    for part in way:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def may_be_table(engine: Engine, origin: Origin) -> bool:
    """Whether what was read from a config may be a part of it that others can be written to; what is made of a plain entry is none."""
    role, way = origin
    return not way or role not in engine.question.configs or isinstance(entry_value(engine, role, way), Mapping)


FALSY: tuple[object, ...] = (0, [])
"""Values that say something, and count as false; 0 is equal to False."""


def assigned_text(node: ir.If, answer: bool) -> str:
    """What the branch that is taken puts where the entry is, or where the other branch puts what it makes of it; "" where it does not."""
    taken, other = (node.body, node.orelse) if answer else (node.orelse, node.body)
    places = {text_of(target) for each in assignments(other) for target in each.targets}
    tested = node.test.operand if isinstance(node.test, ir.Unary) else node.test
    mine = [each for each in taken if isinstance(each, ir.Assign)]
    return next((label(each.value) for each in mine if {text_of(target) for target in each.targets} & {*places, text_of(tested)}), "")


# --------------------------------------------------------------------- what is not entered


def note_branch(engine: Engine, node: ir.If, answer: bool | None) -> None:
    """A condition, where one of its branches names what is watched."""
    function = engine.frame.function.node if engine.frame.function is not None else None
    if function is None or not engine.journal.watched:
        return
    for found in ast.walk(function):
        if isinstance(found, ast.If) and found.lineno == node.at.line:
            rest = [each for each in ast.walk(function) if isinstance(each, ast.stmt) and each.lineno > (found.end_lineno or 0)]
            yes, no = [*found.body, *(rest if leaves(found.orelse) else ())], [*found.orelse, *(rest if leaves(found.body) else ())]
            inside = ((True, yes), (False, no))
            names = tuple(which for which, block in inside if any(names_one(each, engine.journal.watched) for each in block))
            text = ast.get_source_segment("\n".join(engine.frame.module.lines), found.test) or ast.unparse(found.test)
            branch = Branch(engine.location(node.at), " ".join(text.split()), answer, names)
            engine.journal.met += [branch] if names else []


def leaves(block: list[ast.stmt]) -> bool:
    """Whether what follows a block in its function is not run behind it."""
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise)


def names_one(node: ast.AST, names: frozenset[str]) -> bool:
    """Whether code has one of the names, as a name or as a text."""
    return any(
        (isinstance(each, ast.Attribute) and each.attr in names)
        or (isinstance(each, ast.Name) and each.id in names)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value in names)
        for each in ast.walk(node)
    )


# --------------------------------------------------------------------- what is swallowed


def note_swallowed(engine: Engine, node: ir.Try, handler: ir.Handler, looked: int, *, certain: bool) -> None:
    """A handler is run that puts something where the body would have put what it looks up."""
    lookups = tuple(dict.fromkeys(each for each in engine.journal.lookups[looked:] if each.status in ("raises", "open")))
    instead = {text_of(target): label(each.value) for each in assignments(handler.body) for target in each.targets}
    wanted = [text_of(target) for each in assignments(node.body) for target in each.targets]
    if any(isinstance(each, ir.Raise) for each in handler.body) or not lookups:
        return
    passes = all(isinstance(each, ir.Pass) for each in handler.body)
    target = next((name for name in wanted if name in instead), wanted[0] if wanted and passes else "")
    if not target and (returned := [each for each in handler.body if isinstance(each, ir.Return)]) and ends_in_return(node.body):
        target, value = "what is returned", returned[0].value
        instead[target] = "None" if value is None else label(value)
    catches = "" if handler.type is None else label(handler.type)
    if target and not (certain and catches == "KeyError" and any(each.value == OF_NOTHING for each in lookups)):
        told = instead.get(target, "what it was before")
        engine.journal.swallowed.append(Swallowed(engine.location(handler.at), lookups, catches, target, told, certain))


def ends_in_return(block: ir.Block) -> bool:
    return bool(block) and isinstance(block[-1], ir.Return)




def assignments(block: ir.Block) -> Iterator[ir.Assign]:
    """The assignments in a block, those of its branches included."""
    for statement in block:
        if isinstance(statement, ir.Assign):
            yield statement
        elif isinstance(statement, ir.If):
            yield from assignments(statement.body)
            yield from assignments(statement.orelse)


def note_overrides(engine: Engine, holder: Val, names: Iterable[str], at: ir.At) -> None:
    """Entries of a config are written."""
    for role, path in sorted(holder.origin):
        engine.journal.overrides += [Override(role, (*path, name), engine.location(at)) for name in names]
