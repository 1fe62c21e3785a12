"""Reading a config: a key is looked up by attribute, subscript, ``get`` or ``getattr`` in something that was loaded from a config file."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..graph import Node
from ..launches import LookupStatus
from ..results import Location
from ..values import ClassValue, External
from .asked import Miss
from .domain import NONE, SOMETHING, UNKNOWN, Exact, Items, Object, Origin, Outside, Val, exact, join, join_all, role_of
from .fields import read_attribute
from .items import is_whole_dict
from .journal import OF_NOTHING, note_lookup, told, written_in
from .store import Raising, State
from .texts import text_of
from .tracks import ITEMS, shown, tracked

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments

ABSENT = object()
UNTOLD: frozenset[Origin] = frozenset({("", ())})
"""Where a flow's key is looked up of which it is not told whose config that is."""


def reads_key(engine: Engine, state: State, holder: Val, name: str) -> bool:
    """Whether looking up ``name`` here reads a config: one in hand that has it, or any for a key of the flow."""
    if any(_value(engine, origin, name) is not ABSENT for origin in holder.origin):
        return True
    asked = name in engine.question.keys or name == engine.question.traced
    return asked and not any(_own_attribute(engine, state, thing, name) for thing in holder.things)


def reads_entry(engine: Engine, state: State, holder: Val, name: str) -> bool:
    """Whether looking up a text here reads a config: what is looked into comes from one, or stands for an entry of one."""
    return bool(holder.origin or holder.about) or reads_key(engine, state, holder, name)


def _own_attribute(engine: Engine, state: State, thing: object, name: str) -> bool:
    """An attribute that the tree itself gives its objects, rather than a config's entry."""
    if not isinstance(thing, Object):
        return False
    if name in state.fields(thing):
        return True
    return isinstance(thing.cls, ClassValue) and any(name in engine.types.assigned(cls) for cls in engine.types.order(thing.cls))


def _value(engine: Engine, origin: Origin, name: str) -> object:
    """The entry of a config in hand; ABSENT where there is none."""
    role, path = origin
    config = engine.question.configs.get(role)
    holder: object = config.values if config is not None else ABSENT
    for part in path:
        holder = holder.get(part, ABSENT) if isinstance(holder, Mapping) else ABSENT
    return holder.get(name, ABSENT) if isinstance(holder, Mapping) else ABSENT


def origin_of(engine: Engine, val: Val) -> frozenset[Origin]:
    """Whose config something that is made of this value was loaded from: of the value itself, or of the model that it is the path of."""
    roles = {role_of(engine.question.paths, thing) for thing in val.things}
    return val.origin | {(role, ()) for role in roles if role is not None}


def path_in(engine: Engine, holder: Val, name: str) -> Val | None:
    """An entry of a launch's table that is the path of a model, as the flow says; None for every other."""
    found = [Object(f"{thing.path}.{name}", lasting=True) for thing in holder.objects if not thing.made]
    return Val(tuple(found)) if found and len(found) == len(holder.things) and all(engine.is_path(Val((each,))) for each in found) else None


def path_got(engine: Engine, holder: Val, arguments: Arguments) -> Val | None:
    """``table.get(name)`` where that is the path of a model."""
    key = arguments.positional[0].only if arguments.positional else None
    return path_in(engine, holder, key.value) if isinstance(key, Exact) and isinstance(key.value, str) else None


def bound(engine: Engine, holder: Val) -> bool:
    """Whether every config that the value may come from is in hand."""
    return bool(holder.origin) and all(role in engine.question.configs for role, _ in holder.origin)


def look_up(engine: Engine, state: State, holder: Val, name: str, default: Val | None, at: ir.At, text: str = "") -> Val:
    """The entry ``name``, or ``default``; None as default means that a missing entry raises. ``text`` is that of the default."""
    holder = as_entry(engine, holder) if name in engine.question.keys else holder
    origins = entries_of_config(holder)
    try:
        found = _look_up(engine, state, holder, name, default, at)
    except Raising:
        note_lookup(engine, name, origins, "raises", None, "", at)
        raise
    status: LookupStatus = "open" if not is_in_hand(engine, origins) else "default" if found.missing and default is not None else "read"
    if status == "read" and any(_value(engine, origin, name) is ABSENT for origin in origins):
        status = "open" if default is None else "default"
    stand_in = None if default is None else text or told(state, default)
    if name == engine.question.traced:
        for origin in origins or ():  # of two configs that it may be, one has the entry and one has not
            own: LookupStatus = "open" if default is None else "default"
            own = "open" if origin[0] not in engine.question.configs else "read" if _value(engine, origin, name) is not ABSENT else own
            note_lookup(engine, name, frozenset({origin}), own, stand_in, told(state, default or found) if own == "default" else "", at)
        if not origins:
            note_lookup(engine, name, origins, status, stand_in, told(state, found), at)
        found = traced(engine, state, holder, found, name, at)
    else:
        note_lookup(engine, name, origins or UNTOLD, status, stand_in, told(state, found), at)
    if engine.question.traced != name and engine.question.traced and holder.marks:  # a part of the entry that is traced
        found = engine.tracks.move(state, replace(found, marks=holder.marks), engine.maker("transform", f"[{name!r}]", at))
    about = frozenset((role, (*path, name)) for role, path in origins)
    return replace(found, about=about) if about != found.about else found


def traced(engine: Engine, state: State, holder: Val, found: Val, name: str, at: ir.At) -> Val:
    """What a reader of the traced key gets, be it the entry or what stands in for it: its way begins where the name is written."""
    frame, place = written_in(engine, name, at)
    reader = Node("reader", f"read {name}", engine.machine.place(frame.module.path, place.line), place.column, frame.symbol, frame.context)
    engine.graph.add(reader)
    text = told(state, found)
    entries = list(_entries(engine, holder, name))
    engine.tracks.hop(entries, reader, "data", "read", text, text)
    return replace(found, marks=frozenset({reader}))


def kept(engine: Engine, state: State, holder: Val, found: Val, name: str, at: ir.At) -> Val:
    """What an object of the tree has under the traced key's name: a reader of it too, where that object is a config."""
    if name != engine.question.traced:
        return part_of_config(engine, holder, found, name) if engine.question.traced else found
    frame, place = written_in(engine, name, at)
    where = engine.machine.place(frame.module.path, place.line)
    if (where.file, where.line, place.column) not in engine.question.places:
        return found
    text = told(state, found)
    note_lookup(engine, name, frozenset(), "read", None, text, at)
    marked = traced(engine, state, replace(holder, origin=frozenset()), found, name, at)
    engine.tracks.hop(found.marks, next(iter(marked.marks)))
    return marked


def part_of_config(engine: Engine, holder: Val, found: Val, name: str) -> Val:
    """An attribute of a config in hand whose file has no such entry: whatever it is, it is not the config itself."""
    if not holder.origin or found.origin != holder.origin or name.startswith("__") or not bound(engine, holder):
        return found
    return replace(found, origin=frozenset((role, (*path, name)) for role, path in holder.origin))


def passed(engine: Engine, state: State, node: ir.Call, vals: Iterable[Val], found: Val) -> Val:
    """What a builtin makes of what it is given: where a key is traced, that is on the way of its value."""
    marks = frozenset(mark for val in vals for mark in tracked(state, val))
    if not engine.question.traced or found.marks or not marks:
        return found
    made = engine.node("transform", text_of(node.func), node.at)
    engine.tracks.hop(marks, made, "data", "", "", shown(state, found))
    return found.marked(made)


def doubt_table(engine: Engine, holder: Val, name: str, at: ir.At) -> None:
    """An entry that is a table is asked for an attribute: a plain dict has none, a config that was made of one has."""
    if name in engine.question.keys and holder.only != SOMETHING.only and any(role == "draft" and path for role, path in holder.origin):
        engine.doubt(f"whether a table of the draft's config has its entries as attributes, as {name}, is not known", at)


def is_in_hand(engine: Engine, origins: frozenset[Origin]) -> bool:
    return bool(origins) and all(role in engine.question.configs for role, _ in origins)


def as_entry(engine: Engine, holder: Val) -> Val:
    """What is an attribute of a config and no entry of it stands for an entry that is missing: not for the config."""
    outside = [thing for thing in holder.things if isinstance(thing, Outside) and thing.receiver.origin == holder.origin]
    if not holder.origin or len(outside) != len(holder.things) or not outside:
        return holder
    names = {thing.name for thing in outside}
    return Val(open=True, origin=frozenset((role, (*path, name)) for role, path in holder.origin for name in names))


def entries_of_config(holder: Val) -> frozenset[Origin]:
    """The entries of configs that are looked into: those that the holder was read from, or stands for."""
    return holder.origin or holder.about


def _look_up(engine: Engine, state: State, holder: Val, name: str, default: Val | None, at: ir.At) -> Val:
    found = _found(engine, state, holder, name)
    if is_rewritten(engine, holder, name):
        if name not in engine.question.keys:
            state.unsure = True
            return join(replace(found, open=True), default or UNKNOWN)
        engine.doubt(f"{name} of the draft's config is read where it may have been written to", at)
    missing = bound(engine, holder) and any(_value(engine, origin, name) is ABSENT for origin in holder.origin)
    in_nothing = (name in engine.question.keys or holder.about) and is_empty_stand_in(engine, state, holder)
    if in_nothing or (missing and surely_missing(engine, holder, name)):
        return _missed(engine, state, name, default, at)
    if name in engine.question.keys and says_nothing(engine, holder, name):
        return _missed(engine, state, name, NONE, at)
    if not bound(engine, holder):
        state.unsure = True
    if engine.question.ids is not None and name in engine.question.keys and not found.things and not missing:
        return _read(engine, state, holder, found, name, at)
    if name in engine.question.keys and not (missing and default is not None and not found.things and not found.open):
        found = _read(engine, state, holder, found, name, at)
    if default is not None and (missing or not bound(engine, holder)):
        return join(found, default) if found.things or found.open else replace(default, missing=missing)
    if missing:
        state.unsure = True
    return found


def is_rewritten(engine: Engine, holder: Val, name: str) -> bool:
    """Whether an entry of the draft's config, or what holds it, may have been written to: it need not be what the file says."""
    ways = [(role, (*path, name)[:end]) for role, path in holder.origin if role == "draft" for end in range(len(path) + 2)]
    return bool(engine.rewritten) and any(way in engine.rewritten for way in ways)


def surely_missing(engine: Engine, holder: Val, name: str) -> bool:
    """Whether the draft's config, which is in hand, has no such entry. What is no key of the flow may be an attribute of the config's
    class; in a dict it is not."""
    of_draft = bool(holder.origin) and all(role == "draft" and role in engine.question.configs for role, _ in holder.origin)
    absent = of_draft and all(_value(engine, origin, name) is ABSENT for origin in holder.origin)
    in_dict = bool(holder.objects) and all(isinstance(thing, Object) and thing.loaded for thing in holder.things) and not holder.open
    return absent and (in_dict or (name in engine.question.keys and not holder.objects))


def says_nothing(engine: Engine, holder: Val, name: str) -> bool:
    """Whether the draft's config has a null where the ids should be."""
    of_draft = bool(holder.origin) and all(role == "draft" for role, _ in holder.origin)
    return of_draft and all(_value(engine, origin, name) is None for origin in holder.origin)


def has_entry(engine: Engine, holder: Val, name: str, at: ir.At) -> bool | None:
    """Whether the draft's config has an entry, where it is in hand; None for all else."""
    if not holder.origin or any(role != "draft" or role not in engine.question.configs for role, _ in holder.origin):
        return None
    if is_rewritten(engine, holder, name):
        return None
    found = {_value(engine, origin, name) is not ABSENT for origin in holder.origin}
    if found == {False}:
        miss(engine, name if name in engine.question.keys else "", at)
    return found.pop() if len(found) == 1 else None


def is_empty_stand_in(engine: Engine, state: State, holder: Val) -> bool:
    """Whether a lookup is in a dict without entries that the program made: ``eagle_config or {}``."""
    thing = holder.only
    of_program = isinstance(thing, Object) and is_whole_dict(state, holder) and not holder.origin
    return of_program and "draft" in engine.question.configs and isinstance(thing, Object) and not state.fields(thing)


def miss(engine: Engine, key: str, at: ir.At, default: str = "") -> None:
    """What the draft's config does not have decides here."""
    engine.missed.append(Miss(key, engine.location(at), default))


def decided_by_missing(engine: Engine, val: Val, at: ir.At) -> None:
    """A condition looks at what stands for a missing entry."""
    if val.missing and val.only == Exact(None):
        miss(engine, "", at)


def raise_on_missing(engine: Engine, state: State, holder: Val, at: ir.At, key: str = "") -> None:
    """What is asked of a None that stands for a missing entry raises; ``key`` is the entry that is asked for."""
    if holder.missing and holder.only == Exact(None):
        miss(engine, "", at)
        if key:
            note_lookup(engine, key, holder.about, "raises", None, OF_NOTHING, at)
        raise Raising(state)


def _missed(engine: Engine, state: State, name: str, default: Val | None, at: ir.At) -> Val:
    """A lookup that finds nothing: what stands in for the entry, or it raises."""
    if name in engine.question.keys:
        miss(engine, name, at, "" if default is None else shown(state, default))
    if default is None:
        raise Raising(state)
    return replace(default, missing=True)


def _found(engine: Engine, state: State, holder: Val, name: str) -> Val:
    if not holder.origin:
        plain = read_attribute(engine, state, replace(holder, marks=frozenset()), name)
        return plain if plain.objects else UNKNOWN
    parts: list[Val] = []
    for role, path in sorted(holder.origin):
        value = _value(engine, (role, path), name)
        if value is not ABSENT:
            entry = convert(engine, state, value, ".".join((role, *path, name)))
            parts.append(replace(entry, origin=frozenset({(role, (*path, name))}), missing=value is None))
        elif role not in engine.question.configs:
            parts.append(replace(UNKNOWN, origin=frozenset({(role, (*path, name))})))
    return join_all(parts)


def convert(engine: Engine, state: State, value: object, path: str) -> Val:
    """An entry of a JSON config."""
    match value:
        case None | bool() | int() | float() | str():
            return exact(value)
        case list():
            made = Object(path, made=True, loaded=True)
            state.write(made, ITEMS, Val((Items(tuple(convert(engine, state, item, f"{path}[{n}]") for n, item in enumerate(value))),)))
            return Val((made,))
        case dict():
            return Val((Object(path, External("builtins.dict"), made=True, loaded=True),))
    return UNKNOWN


def _read(engine: Engine, state: State, holder: Val, found: Val, name: str, at: ir.At) -> Val:
    """The reader of a key of the flow: here the tracked value begins."""
    if engine.question.ids is not None and not shown(state, found):
        found = convert(engine, state, list(engine.question.ids), name)
    reader = engine.node("reader", f"read {name}", at)
    engine.graph.add(reader)
    text = shown(state, found)
    for key in _entries(engine, holder, name):
        engine.tracks.hop((key,), reader, "data", "read", text, text)
    return replace(found, marks=frozenset({reader}))


def _entries(engine: Engine, holder: Val, name: str) -> Iterator[Node]:
    """The nodes of the config entries that are read."""
    for role, path in sorted(holder.origin):
        config = engine.question.configs.get(role)
        if config is not None and _value(engine, (role, path), name) is not ABSENT:
            yield Node("key", ".".join((*path, name)), Location(config.path_printed, config.line_of(*path, name)))
