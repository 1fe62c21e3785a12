"""Lists, dicts and sets: what their methods put in, and what they hand out."""
from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..values import ClassValue
from .assignment import captured
from .converters import dropped, forget
from .domain import NONE, OWN_DEFAULT, UNKNOWN, Exact, Items, Object, Val, join, join_all
from .fields import front
from .items import entries_of, fill, is_list, items_of, new_list, read_element
from .journal import note_overrides
from .lookups import look_up, reads_entry
from .store import State
from .texts import text_of
from .tracks import ELEMENT, ITEMS, shown, tracked

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments

PUT = frozenset({"append", "add", "appendleft", "put", "put_nowait", "push"})
PUT_ALL = frozenset({"extend", "update"})
HAND_OUT = frozenset({"pop", "popleft", "popitem", "values", "items", "copy", "get", "setdefault", "get_nowait"})
WRITE_IN_PLACE = frozenset({"copy_", "add_", "fill_", "index_copy_", "scatter_", "masked_scatter_"})


def call_collection(engine: Engine, node: ir.Call, holder: Val, arguments: Arguments, state: State) -> Val | None:
    """A method of a collection or an in-place method of a tensor; None where it is something else."""
    assert isinstance(node.func, ir.Attribute)
    name = node.func.attr
    if name == "extend" and extend(state, holder, arguments):
        return NONE
    doubt_method(engine, state, name, holder, arguments, node.at)
    if name in WRITE_IN_PLACE:
        return write_in_place(engine, node, holder, arguments, state)
    if name == "get" and (found := config_get(engine, node, holder, arguments, state)) is not None:
        return found
    things = [thing for thing in holder.objects if not _has_method(engine, thing, name)]
    if not things or len(things) < len(holder.things):
        if name in PUT and not holder.things and any(tracked(state, val) for val in arguments.all()):
            engine.lost(f"{name}(…)", "the collection that is given a tracked value is not known", node.at)
        return None
    return call_named(engine, state, node, name, text_of(node.func), holder, things, arguments)


TOLD = frozenset({*PUT, "get", "items", "keys", "values", "copy", "index", "count", "clear", "insert", "pop", "to_dict", "startswith"})
"""Methods of collections of which it is told exactly what they do to known items."""
OF_COLLECTIONS = frozenset(name for kind in (list, dict, set, deque, Generator) for name in dir(kind))
"""The methods that a collection of no class of the tree's may have; any other raises there."""
CHANGES = frozenset({"update", "pop", "popitem", "setdefault", "clear", "__setitem__", "__setattr__", "__delitem__"})
"""Methods that change a config."""


def doubt_method(engine: Engine, state: State, name: str, holder: Val, arguments: Arguments, at: ir.At) -> None:
    """A method that may change what is followed, in a way that is not told exactly."""
    if name in CHANGES:
        fill(state, holder)
        forget(engine, holder)
    if name == "update":
        names = [*arguments.keywords, *(each for val in arguments.positional for each in entries_of(state, val))]
        note_overrides(engine, holder, names, at)
    if name in CHANGES and any(role == "draft" for role, _ in holder.origin):
        engine.doubt(f"{name}() changes the config", at)
    exact_pop = name == "pop" and items_of(state, holder) is not None
    if name not in TOLD or (name == "pop" and not exact_pop):
        for thing in holder.objects:
            if matters(engine, state, holder, thing) and (thing.cls is not None or name in OF_COLLECTIONS):
                doubt_list(engine, state, name, holder, thing, at)
    if is_list(holder.only) and name in PUT_ALL and any(tracked(state, val) for val in arguments.all()):
        engine.doubt(f"the order in which {name}() adds is not told exactly", at)


def matters(engine: Engine, state: State, holder: Val, thing: Object) -> bool:
    """Whether a change to a collection may change what is followed: an entry of a config, ids (also such as are given in their stead,
    before the setter), or captured states."""
    if not (thing.loaded or is_list(thing)):
        return False
    followed = thing.loaded or bool(holder.marks or tracked(state, Val((thing,))))
    return followed or (engine.reading and (thing.path == OWN_DEFAULT or bool(shown(state, Val((thing,))))))


def doubt_list(engine: Engine, state: State, name: str, holder: Val, thing: Object, at: ir.At) -> None:
    """A list is changed in a way that is not told exactly. What it holds is any of that from here on, in any order, behind a place on the
    way: that counts where it leads to the projection. What a config holds, or a setter was given, is doubted wherever it leads."""
    own = is_list(thing) and thing.cls is None and not holder.marks and thing.path != OWN_DEFAULT
    if not own or is_handed(engine, state, thing):
        engine.doubt(f"what {name}() does to a list is not told exactly", at)
        return
    before = read_element(state, Val((thing,)), None)
    label = f"{name}()"
    after = engine.tracks.move(state, before, engine.maker("transform", label, at), label=label)
    state.heap[thing] = {ELEMENT: replace(after, open=True)}


def is_handed(engine: Engine, state: State, thing: Object) -> bool:
    """Whether a setter was given a list, or something that holds it: it may be kept as it is, by the model too."""
    models = [each for each in state.heap if each.backing is not None]
    pending = [*(call.ids for call in engine.setter_calls), *(val for each in models for val in state.fields(each).values())]
    seen: set[Object] = set()
    while engine.setter_calls and pending:
        val = pending.pop()
        pending += [item for each in val.things if isinstance(each, Items) for item in each.items]
        new = [each for each in val.objects if each not in seen]
        seen.update(new)
        pending += [item for each in new for item in state.fields(each).values()]
    return thing in seen


def extend_in_place(engine: Engine, node: ir.AugmentedAssign, state: State) -> bool:
    """``items += more``, which changes the list itself, where both are known; what is not told exactly is a doubt."""
    if not isinstance(node.target, ir.Name | ir.Attribute):
        return False
    holder = engine.evaluate(node.target, state)
    if node.op == "+" and is_list(holder.only) and not state.control and put_behind(state, holder, engine.evaluate(node.value, state)):
        return True
    if any(matters(engine, state, holder, thing) and not state.control for thing in holder.objects):
        engine.doubt(f"what {node.op}= does to a list is not told exactly", node.at)
    return False


def put_behind(state: State, holder: Val, right: Val) -> bool:
    """The items of another list behind those of this one, where their order is known; False where it is not."""
    only, items, more = holder.only, items_of(state, holder), items_of(state, right)
    if not isinstance(only, Object):
        return False
    if items is not None and more is not None:
        state.write(only, ITEMS, Val((Items((*items, *more)),)))
        return True
    if not right.things or right.open or not all(map(is_list, right.things)):
        return False
    if items != ():  # how many there are is not known, but their order is
        add_all(state, only, right)
    else:
        state.heap[only] = {ELEMENT: read_element(state, right, None)}
    return True


def extend(state: State, holder: Val, arguments: Arguments) -> bool:
    """``items.extend(more)``, which is ``items += more``."""
    alone = len(arguments.positional) == 1 and not arguments.keywords
    return alone and is_list(holder.only) and not state.control and put_behind(state, holder, arguments.positional[0])


def add_all(state: State, thing: Object, more: Val) -> None:
    """The items of another list behind those of this one; what is tracked in one of them alone is mixed with others from here on."""
    left, right = read_element(state, Val((thing,)), None), read_element(state, more, None)
    mixed = bool(tracked(state, left)) != bool(tracked(state, right))
    state.heap[thing] = {ELEMENT: replace(join(left, right), mixed=mixed or left.mixed or right.mixed)}


def call_named(
    engine: Engine, state: State, node: ir.Call, name: str, label: str, holder: Val, things: list[Object], arguments: Arguments
) -> Val | None:
    """A method of collections by its name."""
    if name == "clear":
        for thing in things:
            empty(state, thing, certain=holder.only is thing)
        return NONE
    if name == "insert" and (done := insert(engine, state, node, label, holder, arguments)):
        return NONE if done else None
    if name in PUT or name in PUT_ALL or name == "insert":
        for val in (*arguments.positional[1 if name == "insert" else 0 :], *arguments.keywords.values()):
            for thing in things:
                put(engine, state, label, node.at, holder, thing, _items_in(state, val) if name in PUT_ALL else val)
        return NONE
    if name in HAND_OUT:
        taken = pop(state, holder, arguments) if name in ("pop", "popleft") else None
        return hand_out(engine, state, holder, things, arguments, name) if taken is None else taken
    if name == "count":  # how often something is in it tells of what it holds
        return replace(UNKNOWN, marks=tracked(state, holder))
    return None


def insert(engine: Engine, state: State, node: ir.Call, label: str, holder: Val, arguments: Arguments) -> bool:
    """``items.insert(place, item)`` where the items are known, and the place; False where they are not."""
    items, only = items_of(state, holder), holder.only
    place = arguments.positional[0].only if len(arguments.positional) == 2 else None
    if items is None or not isinstance(only, Object) or not isinstance(place, Exact) or not isinstance(place.value, int):
        return False
    val = engine.tracks.move(state, arguments.positional[1], engine.maker("collection", label, node.at), label=label)
    kept = list(items)
    kept.insert(place.value, val)
    state.write(only, ITEMS, Val((Items(tuple(kept)),)))
    return True


def pop(state: State, holder: Val, arguments: Arguments) -> Val | None:
    """``items.pop(place)`` where the items are known, and the place."""
    items, only = items_of(state, holder), holder.only
    place = arguments.positional[0].only if arguments.positional else Exact(-1)
    if not items or not isinstance(only, Object) or not isinstance(place, Exact) or not isinstance(place.value, int):
        return None
    if not -len(items) <= place.value < len(items):
        return None
    kept = list(items)
    taken = kept.pop(place.value)
    state.write(only, ITEMS, Val((Items(tuple(kept)),)))
    return taken


def empty(state: State, thing: Object, *, certain: bool) -> None:
    """Take everything out of a collection, where it is surely this one."""
    if certain:
        state.heap[thing] = {name: val for name, val in state.fields(thing).items() if not name.startswith("[") and name != ELEMENT}
        state.write(thing, ITEMS, Val((Items(()),)))


def delete_item(engine: Engine, state: State, target: ir.Subscript) -> None:
    """``del items[:]``, ``del table[key]``."""
    holder, key = engine.evaluate(target.value, state), engine.evaluate(target.index, state).only
    for thing in holder.objects:
        if isinstance(target.index, ir.Slice) and target.index.lower is target.index.upper is None:
            empty(state, thing, certain=holder.only is thing)
        elif thing.loaded or is_list(thing):
            if matters(engine, state, holder, thing):
                engine.doubt("an item of a list is deleted", target.at)
        elif isinstance(key, Exact) and holder.only is thing:
            state.heap[thing] = {name: val for name, val in state.fields(thing).items() if name != f"[{key.value!r}]"}


def _has_method(engine: Engine, thing: Object, name: str) -> bool:
    return isinstance(thing.cls, ClassValue) and isinstance(engine.types.find(thing.cls, name)[1], ClassValue)


def _items_in(state: State, val: Val) -> Val:
    return read_element(state, val, None)


def config_get(engine: Engine, node: ir.Call, holder: Val, arguments: Arguments, state: State) -> Val | None:
    """``config.get(key, default)``."""
    if not arguments.positional:
        return None
    key = arguments.positional[0].only
    if not isinstance(key, Exact) or not isinstance(key.value, str):
        return None
    default = arguments.positional[1] if len(arguments.positional) > 1 else arguments.keywords.get("default", NONE)
    if (found := dropped(engine, state, holder, key.value, default, node.at)) is not None:
        return found
    if not reads_entry(engine, state, holder, key.value):
        return None
    return look_up(engine, state, holder, key.value, default, node.at)


def put(engine: Engine, state: State, label: str, at: ir.At, holder: Val, thing: Object, val: Val) -> None:
    """Add a value. Under a test on a tracked value this is the capture, whatever the value itself comes from."""
    control = state.control | holder.marks
    if control and not val.marks and not is_plain(val):
        capture = captured(engine, control, label, at)
        val = replace(val, marks=frozenset({capture}))
    else:
        val = engine.tracks.move(state, val, lambda: engine.node("collection", label, at), label=label)
        for mark in val.marks if control else ():
            engine.tracks.hop(control, mark, "control")
    add(engine, state, thing, val, certain=holder.only is thing)


def is_plain(val: Val) -> bool:
    """A constant: it is no tensor, and adding it to a collection captures nothing."""
    return isinstance(val.only, Exact)


def add(engine: Engine, state: State, thing: Object, val: Val, *, certain: bool) -> None:
    """One more item; a list whose items were known is known no more where it may have been another."""
    fields = state.fields(thing)
    known = fields.get(ITEMS)
    if known is not None and isinstance(known.only, Items):
        if certain and len(known.only.items) < 64:
            state.write(thing, ITEMS, Val((Items((*known.only.items, val)),)))
            return
        before: Val | None = join_all(known.only.items) if known.only.items else None
        state.write(thing, ITEMS, UNKNOWN)
    else:
        before = fields.get(ELEMENT)
    state.write(thing, ELEMENT, val if before is None else join(before, val))


def hand_out(engine: Engine, state: State, holder: Val, things: list[Object], arguments: Arguments, name: str) -> Val:
    """One of the items, or a view or copy of all of them."""
    if name == "copy":
        items = items_of(state, holder)
        made = new_list(engine, state, items, None if items is not None else read_element(state, holder, None))
        return replace(made, marks=holder.marks) if all(map(is_list, things)) else replace(UNKNOWN, marks=holder.marks)
    parts: list[Val] = []
    for thing in things:
        fields = state.fields(thing)
        key = arguments.positional[0].only if arguments.positional else None
        if isinstance(key, Exact) and f"[{key.value!r}]" in fields:
            parts.append(front(holder, fields[f"[{key.value!r}]"]))
        else:
            parts += [front(holder, val) for slot, val in fields.items() if slot.startswith("[") or slot == ELEMENT]
            if (known := fields.get(ITEMS)) is not None and known.things:
                parts.append(read_element(state, holder, None))
    found = replace(join_all(parts), open=True) if parts else UNKNOWN
    if name == "items":
        return new_list(engine, state, None, Val((Items((UNKNOWN, found)),)))
    return new_list(engine, state, None, found) if name == "values" else found


def write_in_place(engine: Engine, node: ir.Call, holder: Val, arguments: Arguments, state: State) -> Val:
    """``buffer.copy_(x)``: what the buffer is called by holds what was written."""
    assert isinstance(node.func, ir.Attribute)
    given = [val for val in arguments.all() if tracked(state, val)]
    target = node.func.value
    label = f"{text_of(target)}.{node.func.attr}"
    if not given:
        if state.control and holder.marks != state.control:
            made = captured(engine, state.control, label, node.at)
            _assign_base(engine, state, target, replace(holder, marks=frozenset({made})), node.at)
        return holder
    stored = engine.tracks.move(state, join_all(given), lambda: engine.node("collection", label, node.at), label=label)
    _assign_base(engine, state, target, stored, node.at)
    return stored


def _assign_base(engine: Engine, state: State, target: ir.Expression, val: Val, at: ir.At) -> None:
    """Write to what a slice is taken of: all of the buffer, as far as is told apart."""
    while isinstance(target, ir.Subscript):
        target = target.value
    if isinstance(target, ir.Name | ir.Attribute):
        engine.assign(state, target, val, at)


