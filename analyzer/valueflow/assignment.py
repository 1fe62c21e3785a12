"""Assignment: what is tracked makes a hop to the variable, attribute or collection that it is put in."""
from __future__ import annotations

from dataclasses import replace

from .. import ir
from ..graph import Node, NodeKind
from ..launches import Override
from ..values import ClassValue, FunctionValue, Instance
from .domain import UNKNOWN, Exact, Items, Object, Something, Val, join_all
from .engine import Engine
from .fields import front, initial
from .items import is_list
from .measures import flagged, forms_in, widths
from .setters import is_inside
from .store import State
from .texts import text_of
from .tracks import ELEMENT, ITEMS, held, is_collection, shown


def assign_statement(engine: Engine, node: ir.Assign, state: State) -> None:
    """``x.a = f(x.a)`` where ``x`` may be several objects is done for each of them: what is read from one is not written to another."""
    target = node.targets[0]
    held_in = state.names.get(target.value.id) if isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name) else None
    if held_in is not None and len(held_in.objects) > 1 and isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name):
        for thing in held_in.objects:
            state.names[target.value.id] = replace(held_in, things=(thing,), open=True)  # open: it may be another, which keeps what it has
            assign(engine, state, target, engine.evaluate(node.value, state), node.at)
        state.names[target.value.id] = held_in
        return
    val = engine.evaluate(node.value, state)
    for each in node.targets:
        assign(engine, state, each, val, node.at)


def assign(engine: Engine, state: State, target: ir.Expression, val: Val, at: ir.At) -> None:
    """Bind a target; what is tracked makes a hop."""
    match target:
        case ir.Name():
            if is_collection(val):
                val = engine.tracks.move(state, val, lambda: engine.node("variable", target.id, target.at))
            state.names[target.id] = flagged(engine, val)
        case ir.Starred():
            assign(engine, state, target.value, val, at)
        case ir.Display():
            _unpack(engine, state, target, val, at)
        case ir.Attribute():
            _assign_attribute(engine, state, target, val)
        case ir.Subscript():
            _assign_item(engine, state, target, val)
        case _:
            pass


def _unpack(engine: Engine, state: State, target: ir.Display, val: Val, at: ir.At) -> None:
    count = len(target.items)
    matching = [t.items for t in val.things if isinstance(t, Items) and len(t.items) == count]
    known = [items for thing in val.objects if (items := known_items(state, thing)) is not None and len(items) == count]
    named = [fields for thing in val.objects if len(fields := named_items(engine, state, val, thing)) == count]
    columns = [*matching, *known, *named]
    forms = [form for form in forms_in(val) if form.whole]
    for place, each in enumerate(target.items):
        if columns:
            part = join_all(items[place] for items in columns)
        elif forms and place == count - 1:
            part = widths(forms)
        else:
            part = replace(UNKNOWN, marks=val.marks, mixed=val.mixed, origin=val.origin)
        assign(engine, state, each, part, at)


def named_items(engine: Engine, state: State, holder: Val, thing: Object) -> tuple[Val, ...]:
    """The fields of a named tuple, in order; empty for anything else."""
    if not isinstance(thing.cls, ClassValue) or not thing.made:
        return ()
    names = engine.types.fields(thing.cls)
    return tuple(front(holder, state.fields(thing).get(name, UNKNOWN)) for name in names)


def known_items(state: State, thing: Object) -> tuple[Val, ...] | None:
    found = state.fields(thing).get(ITEMS)
    match found.only if found is not None else None:
        case Items(items):
            return items
    return None


def _assign_attribute(engine: Engine, state: State, target: ir.Attribute, val: Val) -> None:
    holder = engine.evaluate(target.value, state)
    objects = holder.objects
    if is_there(engine, state, holder, target.attr, val):
        return
    doubt_write(engine, holder, (target.attr,), target.at, val)
    doubt_attribute(engine, holder, target)
    for thing in objects:
        kind: NodeKind = "field" if _carries_batch(thing) else "attribute"
        label = f"{class_name(thing)}.{target.attr}"
        stored = engine.tracks.move(state, val, engine.maker(kind, label, target.at))
        stored = decided(engine, state, state.control | holder.marks, stored, label, target.at)
        if stored == UNKNOWN or (stored.only != Exact(None) and engine.holds_model(thing, target.attr)):
            stored = initial(engine, thing, target.attr)  # of what is kept here nothing is known but its place; or it is a model
        if holder.only is not thing:
            stored = join_all((stored, state.fields(thing).get(target.attr) or initial(engine, thing, target.attr)))
        state.write(thing, target.attr, stored)
    if not objects and val.marks:
        engine.lost(f"{target.attr} =", "the object that is given a tracked value is not known", target.at)


def is_there(engine: Engine, state: State, holder: Val, name: str, val: Val) -> bool:
    """Whether a model, or a part of one, is given the part that it has there already."""
    thing = holder.only
    if not isinstance(thing, Object) or not isinstance(thing.backing, Instance) or holder.origin:
        return False
    before = state.fields(thing).get(name) or initial(engine, thing, name)
    return isinstance(val.only, Object) and val.only.backing is not None and before.only is val.only


def doubt_attribute(engine: Engine, holder: Val, target: ir.Attribute) -> None:
    """A write that code of the program takes up, or that lands where every object sees it."""
    for thing in holder.things:
        if isinstance(thing, Exact) and thing.value is not None:
            engine.doubt(f"{target.attr} of a class or a module is written", target.at)
        elif isinstance(thing, Object) and isinstance(thing.cls, ClassValue):
            taken = (target.attr, "__setattr__")
            if any(isinstance(engine.types.find(thing.cls, name)[0], FunctionValue) for name in taken):
                engine.doubt(f"a write to {target.attr} runs code of its class", target.at)


def doubt_write(engine: Engine, holder: Val, entry: tuple[str, ...] | None, at: ir.At, val: Val = UNKNOWN) -> None:
    """A write to a config, or from outside to a model. What is written to an entry of a config is not kept: it must not be read later; but
    for a config that was made of just that entry."""
    for role, path in holder.origin:
        if entry is not None and val.only == Something() and val.origin == {(role, (*path, *entry))}:
            continue
        if entry is not None:
            engine.rewritten.add((role, (*path, *entry)))
            engine.journal.overrides.append(Override(role, (*path, *entry), engine.location(at)))
        elif role == "draft":
            engine.doubt("the draft's config is written to", at)
    if any(isinstance(thing.backing, Instance) for thing in holder.objects) and not is_inside(engine):
        engine.doubt("the model is written to from outside", at)


def is_captured(state: State, val: Val) -> bool:
    """Whether a value that is kept under a test may be a tensor: nothing tracked, and no constant."""
    return not val.marks and not isinstance(val.only, Exact) and not held(state, val) and not shown(state, val)


def captured(engine: Engine, control: frozenset[Node], label: str, at: ir.At) -> Node:
    """The capture: a test on a tracked value decides that something is kept."""
    capture = engine.node("capture", label, at)
    engine.tracks.hop(control, capture, "control", "if so")
    return capture


def decided(engine: Engine, state: State, control: frozenset[Node], val: Val, label: str, at: ir.At) -> Val:
    """A constant that is written under a test on a tracked value, or to an object that one chose, is a flag: it tells of that value."""
    if not control or val.marks or not (isinstance(val.only, Exact) or shown(state, val)):
        return val
    node = engine.node("attribute", label, at)
    engine.tracks.hop(control, node, "control")
    return val.marked(node)


def class_name(thing: Object) -> str:
    return thing.cls.name.rpartition(".")[2] if thing.cls is not None else thing.path.rpartition(".")[2]


def _carries_batch(thing: Object) -> bool:
    """An object that is handed from call to call, rather than one that lives as long as the engine."""
    return thing.made and thing.backing is None


def _assign_item(engine: Engine, state: State, target: ir.Subscript, val: Val) -> None:
    holder, index = engine.evaluate(target.value, state), engine.evaluate(target.index, state)
    place = index.only.value if isinstance(index.only, Exact) else None
    doubt_write(engine, holder, (place,) if isinstance(place, str) else () if isinstance(place, int) else None, target.at)
    inside = holder.marks or held(state, holder) or (shown(state, holder) and not holder.origin)
    if any((is_list(thing) and inside) or (thing.loaded and not holder.origin) for thing in holder.objects):
        engine.doubt("an item of a list or of a config is written over", target.at)
    if state.control and is_captured(state, val):
        val = val.marked(captured(engine, state.control, text_of(target), target.at))
    for thing in holder.objects:
        stored = engine.tracks.move(state, val, lambda: engine.node("collection", text_of(target), target.at))
        key = index.only
        if isinstance(key, Exact) and isinstance(key.value, str | int):
            state.write(thing, f"[{key.value!r}]", stored)
        before = state.fields(thing).get(ELEMENT)
        state.write(thing, ELEMENT, stored if before is None else join_all((before, stored)))
    if not holder.objects and val.marks and isinstance(target.value, ir.Name):  # a slice of a tensor takes the tracked one in
        stored = engine.tracks.move(state, val, lambda: engine.node("collection", text_of(target), target.at))
        state.names[target.value.id] = join_all((holder, stored))
    elif not holder.objects and val.marks and isinstance(target.value, ir.Attribute):
        before = engine.evaluate(target.value, state)
        assign(engine, state, target.value, join_all((before, val)), target.at)
