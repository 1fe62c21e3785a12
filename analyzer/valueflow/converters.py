"""Converters: what makes a new table or config of entries of a config, and what it leaves out."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .. import ir
from ..launches import Dropped
from ..results import Location
from ..values import ClassValue, External
from .domain import UNKNOWN, Exact, Object, Origin, Val
from .items import entries_of, is_whole_dict, new_dict, truth
from .journal import entry_value, lookups_of, told
from .lookups import miss
from .store import State
from .tracks import ELEMENT, shown

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments


@dataclass(frozen=True, slots=True)
class Conversion:
    """Something that was made of entries of one table of a config: ``place``. ``without``: the entries that it surely has not, where others
    are not known; ``declared``: the fields that it has by default."""

    at: Location
    symbol: str
    place: Origin
    without: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()


def note_conversion(engine: Engine, state: State, made: Object, entries: Mapping[str, Val], at: ir.At, declared: frozenset[str]) -> None:
    """Remember what was made, where entries of one table of a config in hand keep their names in it."""
    kept = {(role, way[:-1]) for name, val in entries.items() for role, way in val.about if way[-1:] == (name,) and len(val.about) == 1}
    places = {place for place in kept if place[0] in engine.question.configs}
    if len(places) == 1 and len(kept) == 1:
        engine.converted[made] = Conversion(engine.location(at), engine.frame.symbol, places.pop(), declared=declared)


def note_dict(engine: Engine, state: State, made: Val, at: ir.At) -> Val:
    """A table that was written out."""
    for thing in made.objects:
        note_conversion(engine, state, thing, entries_of(state, made), at, frozenset())
    return made


def dict_of(engine: Engine, node: ir.Call, state: State) -> Val:
    """``dict(other, name=value)``."""
    entries: dict[str, Val] = {}
    known = True
    for argument in node.arguments:
        val = engine.evaluate(argument.value, state)
        if argument.keyword is None and val.origin and len(node.arguments) == 1:  # a copy of a config
            return replace(UNKNOWN, origin=val.origin)
        known = known and (argument.keyword is not None or is_whole_dict(state, val))
        entries |= {argument.keyword: val} if argument.keyword is not None else entries_of(state, val)
    made = new_dict(engine, state, entries)
    for thing in made.objects if not known else ():
        state.write(thing, ELEMENT, UNKNOWN)
    return note_dict(engine, state, made, node.at)


def forget(engine: Engine, val: Val) -> None:
    """What was made goes where it may be given more entries."""
    for thing in val.objects:
        engine.converted.pop(thing, None)


def filtered(engine: Engine, node: ir.Comprehension, state: State) -> Val | None:
    """``{k: v for k, v in config.items() if k in NAMES}``; None for all else. What is no entry of the file may be in it too."""
    match node.clauses:
        case (
            ir.Clause(
                target=ir.Display(items=(ir.Name(id=key), ir.Name(id=value))),
                iterable=ir.Call(func=ir.Attribute(value=table, attr="items"), arguments=()),
                conditions=conditions,
            ),
        ) if isinstance(node.element, ir.Name) and node.element.id == key and isinstance(node.value, ir.Name) and node.value.id == value:
            pass
        case _:
            return None
    holder = engine.evaluate(table, state)
    origin = next(iter(holder.origin), None)
    values = entry_value(engine, *origin) if origin is not None and len(holder.origin) == 1 else None
    if origin is None or not isinstance(values, Mapping) or not conditions or holder.origin & engine.rewritten:
        return None
    return _filtered(engine, conditions, (key, value), origin, list(map(str, values)), state, node.at)


def _filtered(
    engine: Engine, conditions: tuple[ir.Expression, ...], names: tuple[str, str], origin: Origin, keys: list[str], state: State, at: ir.At
) -> Val:
    outer, without = dict(state.names), set()
    for key in keys:
        state.names |= {names[0]: Val((Exact(key),)), names[1]: UNKNOWN}
        answers = [truth(engine, state, engine.evaluate(each, state)) for each in conditions]
        without |= {key} if False in answers else set()
    state.names = outer
    made = new_dict(engine, state, {})
    for thing in made.objects if len(without) < len(keys) else ():
        state.write(thing, ELEMENT, UNKNOWN)
        engine.converted[thing] = Conversion(engine.location(at), engine.frame.symbol, origin, frozenset(without))
    return made


def made_config(engine: Engine, node: ir.Call, name: str, arguments: Arguments, state: State) -> Val | None:
    """``LlamaConfig(hidden_size=…)`` and ``PretrainedConfig.from_dict({…})``: a config that has what it is given; None for all else."""
    last = name.rpartition(".")[2]
    entries: dict[str, Val] = {}
    if is_from_dict(name) and len(arguments.positional) == 1 and not arguments.keywords:
        table = arguments.positional[0]
        entries = entries_of(state, table) if isinstance(table.only, Object) and table.only in engine.converted else {}
        entries = {} if any(ELEMENT in state.fields(thing) for thing in table.objects) else entries
    elif last.endswith("Config") and not arguments.positional and arguments.complete:
        entries = arguments.keywords
    if not entries:
        return None
    engine.serial += 1
    owner = name.rpartition(".")[0] if is_from_dict(name) else name
    made = Object(f"{last}#{engine.serial}", External(owner), made=True)
    note_conversion(engine, state, made, entries, node.at, frozenset())
    if made not in engine.converted:
        return None
    for key, val in entries.items():
        state.write(made, key, engine.tracks.move(state, val, engine.maker("field", f"{last}.{key}", node.at)))
    return Val((made,))


def is_from_dict(name: str) -> bool:
    """Whether a function makes a library's config of a table, which has the same entries."""
    owner, _, last = name.rpartition(".")
    return last == "from_dict" and owner.endswith("Config")


def is_entry_made(name: str, arguments: Arguments) -> bool:
    """Whether it makes one of an entry of a config, as it is, and of nothing else."""
    only = arguments.positional[0].only if len(arguments.positional) == 1 and not arguments.keywords else None
    return is_from_dict(name) and isinstance(only, Object) and only.loaded


def dropped(engine: Engine, state: State, holder: Val, name: str, default: Val | None, at: ir.At, text: str = "") -> Val | None:
    """What a reader gets that asks for an entry which a converter left out; None where it is there, or nothing is known. Without a default
    only what is declared has one."""
    thing = holder.only
    made = engine.converted.get(thing) if isinstance(thing, Object) else None
    if made is None or not isinstance(thing, Object) or not is_left_out(state, thing, made, name):
        return None
    declared = state.fields(thing).get(name) if name in made.declared else None
    given = declared if declared is not None else default
    role, way = made.place
    if given is None or made.place in engine.rewritten:
        return None
    if entry_value(engine, role, (*way, name)) is None:
        return given if is_plain(thing) and declared is None else None
    label = (text if declared is None else "") or told(state, given)
    found = lookups_of(engine, name, frozenset({made.place}), "default", label, "", at)
    engine.journal.dropped += [Dropped(lookup, made.at, made.symbol) for lookup in found]
    if name in engine.question.keys:
        miss(engine, name, at, shown(state, given))
        return replace(given, missing=True)
    own = isinstance(thing.cls, External) and not is_plain(thing)  # a class from outside has defaults of its own
    return replace(given, open=given.open or own)


def is_plain(thing: Object) -> bool:
    """Whether it is the library's config for any model, which is asked for what it is given."""
    return isinstance(thing.cls, External) and thing.cls.name in ("transformers.PretrainedConfig", "transformers.PreTrainedConfig")


def is_left_out(state: State, thing: Object, made: Conversion, name: str) -> bool:
    fields = state.fields(thing)
    if f"[{name!r}]" in fields or (name in fields and name not in made.declared):
        return False
    if isinstance(thing.cls, ClassValue):
        return name in made.declared
    return name in made.without if made.without else ELEMENT not in fields


