"""Calls of what lies outside the tree: builtins by what they do, all else by whether its result holds what it was given."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, ClassValue, External, Instance
from .apart import keeps_apart
from .converters import dict_of, dropped, forget, is_entry_made, made_config
from .domain import NONE, SOMETHING, UNKNOWN, Exact, Items, Object, Thing, Val, exact, is_constant, join, join_all
from .fields import NOT_CARRIED, built_attribute, read_attribute
from .flags import flag_of
from .items import MOST_ALTERNATIVES, alternatives, entries_of, fill, items_of, new_dict, new_list, read_element, truth
from .journal import may_be_table
from .kinds import is_instance
from .lookups import doubt_table, has_entry, kept, look_up, origin_of, passed, reads_entry
from .measures import handed_on
from .setters import is_own_default, seek_model
from .store import State
from .texts import text_of
from .tracks import ELEMENT, held, is_collection, shown, tracked

if TYPE_CHECKING:
    from .engine import Engine
    from .parameters import Arguments

FORM_ONLY = frozenset({
    "empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "arange", "rand_like", "is_tensor",
    "randn_like", "numel", "broadcast_shapes", "result_type", "isnan", "isinf", "equal", "allclose", "argmax", "argsort", "nonzero",
})  # fmt: skip
"""Functions of torch whose result has a tensor's form, or tells of it, but does not hold it."""
JOINS = frozenset({"cat", "concat", "concatenate"})
CATS = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "dstack", "column_stack"})
EACH_ROWS = "cat of rows of each"
"""The label of a concatenation of rows that belong to one tensor."""
COPIES = frozenset({"list", "tuple", "sorted", "reversed", "set", "frozenset", "deque", "iter"})

PLAIN_TEXT: dict[str, Callable[[str], str]] = {"upper": str.upper, "lower": str.lower, "strip": str.strip}

Builtin = Callable[["Engine", ir.Call, State], Val]


def call_builtin(engine: Engine, node: ir.Call, state: State) -> Val | None:
    """A call of a builtin by its name; None for every other."""
    if not isinstance(node.func, ir.Name) or node.func.id in state.names:
        return None
    found = BUILTINS.get(node.func.id)
    if found is None:
        return None
    only = engine.evaluate(node.func, state).only
    if only != Exact(External(f"builtins.{node.func.id}")):
        return None
    told = handed_on(engine, node.func.id, _values(engine, node, state)) if engine.journal.measuring else None
    return found(engine, node, state) if told is None else told


def _values(engine: Engine, node: ir.Call, state: State) -> list[Val]:
    return [engine.evaluate(argument.value, state) for argument in node.arguments]


def _getattr(engine: Engine, node: ir.Call, state: State) -> Val:
    holder, wanted, *rest = [*_values(engine, node, state), UNKNOWN][: max(2, len(node.arguments))]
    default = rest[0] if rest else None
    key = wanted.only
    if not isinstance(key, Exact) or not isinstance(key.value, str):
        if any(thing.backing is not None for thing in holder.objects):
            engine.doubt("an attribute of the model is asked for by a name that is not known", node.at)
        return UNKNOWN
    text = text_of(node.arguments[2].value) if len(node.arguments) > 2 else ""
    if (found := dropped(engine, state, holder, key.value, default, node.at, text)) is not None:
        return found
    doubt_table(engine, holder, key.value, node.at)
    if reads_entry(engine, state, holder, key.value):
        return look_up(engine, state, holder, key.value, default, node.at, text)
    unsure = state.unsure
    seek_model(engine, ir.Attribute(node.arguments[0].value, key.value, node.at), holder, state)
    found = kept(engine, state, holder, read_attribute(engine, state, holder, key.value), key.value, node.at)
    if default is None:
        return found
    state.unsure = unsure
    return found if _surely_has(engine, state, holder, key.value) else join(found, default)


def _surely_has(engine: Engine, state: State, holder: Val, name: str) -> bool:
    return bool(holder.things) and not holder.open and all(_has(engine, state, thing, name) is True for thing in holder.things)


def _has(engine: Engine, state: State, thing: object, name: str) -> bool | None:
    if isinstance(thing, Object):
        if name in state.fields(thing) or (not thing.made and flag_of(engine, thing, name) is not None):
            return True
        if isinstance(thing.cls, ClassValue):
            if engine.types.find(thing.cls, name)[0] is not MISSING:
                return True
            if isinstance(thing.backing, Instance):
                return True if built_attribute(engine, thing.backing, name) is not MISSING else None
            if any(name in engine.types.assigned(each) for each in engine.types.order(thing.cls)):
                return None
    return None


def _hasattr(engine: Engine, node: ir.Call, state: State) -> Val:
    holder, wanted = [*_values(engine, node, state), UNKNOWN, UNKNOWN][:2]
    key = wanted.only
    if isinstance(key, Exact) and isinstance(key.value, str):
        if (answer := has_entry(engine, holder, key.value, node.at)) is not None:
            return exact(answer)
        answers = {_has(engine, state, thing, key.value) for thing in holder.things} if not holder.open else {None}
        if len(answers) == 1 and (answer := answers.pop()) is not None:
            return exact(answer)
    return UNKNOWN


def _setattr(engine: Engine, node: ir.Call, state: State) -> Val:
    if len(node.arguments) == 3:
        holder, wanted, val = node.arguments
        key = engine.evaluate(wanted.value, state).only
        if isinstance(key, Exact) and isinstance(key.value, str):
            engine.assign(state, ir.Attribute(holder.value, key.value, node.at), engine.evaluate(val.value, state), node.at)
        elif any(each[0] == "draft" and may_be_table(engine, each) for each in engine.evaluate(holder.value, state).origin):
            engine.doubt("the draft's config is written to, under a name that is not known", node.at)
    return NONE


def _len(engine: Engine, node: ir.Call, state: State) -> Val:
    vals = _values(engine, node, state)
    items = items_of(state, vals[0]) if vals else None
    return passed(engine, state, node, vals, exact(len(items)) if items is not None else UNKNOWN)


def _copy(engine: Engine, node: ir.Call, state: State) -> Val:
    """``list``, ``tuple``, ``sorted`` and their like: another collection of the same items."""
    assert isinstance(node.func, ir.Name)
    name = node.func.id
    vals = _values(engine, node, state)
    if not vals:
        return new_list(engine, state, ())
    if name in ("list", "tuple") and is_own_default(state, vals[0]):
        return vals[0]
    items = items_of(state, vals[0])
    if items is not None and name in ("sorted", "set", "frozenset", "reversed"):
        items = _reordered(name, items) if len(node.arguments) == 1 else None
    marks = vals[0].marks
    made = new_list(engine, state, items, read_element(state, vals[0], None))
    if name in ("sorted", "set", "frozenset", "reversed") and (marks or held(state, vals[0])):
        node_made = engine.node("transform", name, node.at)
        engine.tracks.hop(tracked(state, vals[0]), node_made, "data", name, shown(state, vals[0]), shown(state, made))
        return replace(made, marks=frozenset({node_made}))
    return replace(made, marks=marks)


def _reordered(name: str, items: tuple[Val, ...]) -> tuple[Val, ...] | None:
    if name == "reversed":
        return items[::-1]
    if not all(is_constant(item) and isinstance(item.only, Exact) and isinstance(item.only.value, int) for item in items):
        return None
    by_value = {item.only.value: item for item in items if isinstance(item.only, Exact) and isinstance(item.only.value, int)}
    if name == "sorted":
        return tuple(sorted(items, key=lambda item: item.only.value if isinstance(item.only, Exact) else 0))  # type: ignore[arg-type, return-value]
    return tuple(by_value[key] for key in sorted(by_value))


def _enumerate(engine: Engine, node: ir.Call, state: State) -> Val:
    val = _values(engine, node, state)[0] if node.arguments else UNKNOWN
    items = items_of(state, val)
    if items is not None and len(node.arguments) == 1:
        marked = (replace(item, marks=val.marks or item.marks) for item in items)
        return new_list(engine, state, tuple(Val((Items((exact(n), item)),)) for n, item in enumerate(marked)))
    return new_list(engine, state, None, Val((Items((UNKNOWN, read_element(state, val, None))),)))


def _zip(engine: Engine, node: ir.Call, state: State) -> Val:
    vals = _values(engine, node, state)
    some = [alternatives(state, val) or (val,) for val in vals]
    ways = [[items_of(state, one) for one in way] for way in product(*some)] if prod(map(len, some)) <= MOST_ALTERNATIVES else []
    if vals and ways and not any(val.marks for val in vals) and all(each is not None for way in ways for each in way):
        rows = [[Val((Items(row),)) for row in zip(*(items or () for items in way), strict=False)] for way in ways]
        return join_all(new_list(engine, state, row) for row in dict.fromkeys(map(tuple, rows)))
    return new_list(engine, state, None, Val((Items(tuple(read_element(state, val, None) for val in vals)),)))


def _pass_on(engine: Engine, node: ir.Call, state: State) -> Val:
    """``int``, ``max``, ``next`` …: one of what it is given, or made of it."""
    vals = _values(engine, node, state)
    parts = [read_element(state, val, None) if val.things and not is_constant(val) else val for val in vals]
    if len(vals) == 1 and is_constant(vals[0]) and isinstance(node.func, ir.Name) and node.func.id == "int":
        is_int = isinstance(vals[0].only, Exact) and isinstance(vals[0].only.value, int)
        return vals[0] if is_int else passed(engine, state, node, vals, UNKNOWN)
    if isinstance(node.func, ir.Name) and node.func.id == "next":
        return join_all(parts)
    found = join_all(parts)
    return replace(UNKNOWN, marks=found.marks, mixed=found.mixed, origin=found.origin)


def _unknown(engine: Engine, node: ir.Call, state: State) -> Val:
    return passed(engine, state, node, _values(engine, node, state), UNKNOWN)


def _bool(engine: Engine, node: ir.Call, state: State) -> Val:
    vals = _values(engine, node, state)
    answer = truth(engine, state, vals[0]) if len(vals) == 1 else None
    if answer is None:
        return UNKNOWN
    return replace(exact(answer), marks=vals[0].marks, missing=vals[0].missing)


def _any_all(engine: Engine, node: ir.Call, state: State) -> Val:
    vals = _values(engine, node, state)
    marks = frozenset(mark for val in vals for mark in tracked(state, val))
    items = items_of(state, vals[0]) if len(vals) == 1 else None
    answers = {truth(engine, state, item) for item in items or ()}
    decides = isinstance(node.func, ir.Name) and node.func.id == "any"
    if items is not None and (decides in answers or None not in answers):
        return replace(exact(decides if decides in answers else not decides), marks=marks)
    return replace(UNKNOWN, marks=marks)


BUILTINS: dict[str, Builtin] = {
    "dict": dict_of,
    "getattr": _getattr, "hasattr": _hasattr, "setattr": _setattr, "isinstance": is_instance, "len": _len, "enumerate": _enumerate,
    "zip": _zip, "bool": _bool,
    **dict.fromkeys(COPIES, _copy), **dict.fromkeys(("int", "float", "max", "min", "next", "abs", "map", "filter"), _pass_on),
    **dict.fromkeys(("any", "all"), _any_all), **dict.fromkeys(("print", "range", "type", "sum", "str", "repr"), _unknown),
}  # fmt: skip


# ----------------------------------------------------------------- everything else


def call_outside(engine: Engine, node: ir.Call, callee: Val, name: str, arguments: Arguments, state: State) -> Val:
    """A function outside the tree, or one of which nothing is known (``name`` is then empty)."""
    state.unsure = True  # it may raise
    origin = callee.origin.union(*(origin_of(engine, val) for val in arguments.all()))
    last = name.rpartition(".")[2]
    given = [val for val in arguments.all() if tracked(state, val)]
    if (config := made_config(engine, node, name, arguments, state)) is not None:
        return config
    if name == "collections.defaultdict" and arguments.positional:
        return default_dict(engine, node, arguments, state)
    for val in arguments.all():
        fill(state, val)
        forget(engine, val)
        loaded = (thing for thing in val.objects if thing.loaded and thing.cls is not None and not is_entry_made(name, arguments))
        if any(thing.path.startswith("draft.") for thing in loaded):
            engine.doubt(f"what {last or 'a call'}() does with a part of the draft's config is not known", node.at)
    if not given:
        return replace(SOMETHING if is_entry_made(name, arguments) else UNKNOWN, origin=origin)
    copied = copy_of(engine, state, name, arguments)
    if copied is not None:
        return copied
    if not any(is_collection(val) for val in given):  # objects that hold something tracked: they stay what they are
        engine.assumptions.add("unfollowed-calls")
        return UNKNOWN
    if any((shown(state, val) and not is_constant(val)) or any(thing.loaded for thing in val.objects) for val in given):
        engine.doubt(f"what {last or 'a call'}() does with the value is not known", node.at)
    if not name.startswith(("torch", "copy.", "numpy", "functools", "itertools", "typing.cast")):
        engine.lost(f"{last or 'a call'}(…)", "what it does with the tracked value is not known", node.at)
        return UNKNOWN
    if last in FORM_ONLY:
        return UNKNOWN
    return _transform(engine, node, last, given, arguments, state)


def default_dict(engine: Engine, node: ir.Call, arguments: Arguments, state: State) -> Val:
    """``defaultdict(make, entries)``: what is made stands for every other entry."""
    from .calls import call_thing
    from .parameters import Arguments

    factory, *rest = arguments.positional
    made = new_dict(engine, state, entries_of(state, rest[0]) if rest else {})
    nothing = Arguments((), {}, {}, True)
    other = join_all(call_thing(engine, node, factory, thing, nothing, state) for thing in factory.things) if factory.things else UNKNOWN
    for thing in made.objects:
        state.write(thing, ELEMENT, other)
    return made


def _transform(engine: Engine, node: ir.Call, last: str, given: list[Val], arguments: Arguments, state: State) -> Val:
    label = last
    if last in JOINS:
        label = "cat" if _by_feature(arguments) else EACH_ROWS if keeps_apart(engine, node) else "cat of rows"
    made = engine.node("transform", label, node.at)
    marks = frozenset(mark for val in given for mark in tracked(state, val))
    engine.tracks.hop(marks, made, "data", label)
    widened = last in CATS and _by_feature(arguments) and any(_mixes(state, val) for val in arguments.positional)
    mixed = widened or any(val.mixed for val in given)
    return Val(open=True, marks=frozenset({made}), mixed=mixed)


def copy_of(engine: Engine, state: State, name: str, arguments: Arguments) -> Val | None:
    """``copy.copy(x)``, ``dataclasses.replace(x, field=…)``: another object that holds the same, but for what is given anew."""
    if name not in ("copy.copy", "copy.deepcopy", "dataclasses.replace") or not arguments.positional:
        return None
    original = arguments.positional[0]
    copies: list[Thing] = []
    for thing in original.objects:
        engine.serial += 1
        made = Object(f"{thing.path}#{engine.serial}", thing.cls, made=True, element=thing.element)
        state.heap[made] = {**state.fields(thing), **arguments.keywords}
        copies.append(made)
    return replace(original, things=tuple(copies)) if copies else None


def _by_feature(arguments: Arguments) -> bool:
    """Whether tensors are joined along another axis than the rows: more rows are padding, more features are other states."""
    axis = arguments.keywords.get("dim") or arguments.keywords.get("axis") or (arguments.positional[1:2] or (exact(0),))[0]
    return axis != exact(0)


def _mixes(state: State, val: Val) -> bool:
    """Whether a list of tensors holds tracked ones and others."""
    items = items_of(state, val)
    return (items is not None and len({bool(tracked(state, item)) for item in items}) > 1) or read_element(state, val, None).mixed


def call_method_outside(engine: Engine, node: ir.Call, receiver: Val, name: str, arguments: Arguments, state: State) -> Val:
    """A method of something outside the tree: of a tensor that is tracked, of a config, or of an object of which nothing is known."""
    if receiver.marks:
        if name in NOT_CARRIED:
            return UNKNOWN
        made = engine.node("transform", f".{name}", node.at)
        engine.tracks.hop(receiver.marks, made, "data", f".{name}")
        return Val(open=True, marks=frozenset({made}), mixed=receiver.mixed)
    if isinstance(receiver.only, Exact) and isinstance(receiver.only.value, str) and name in PLAIN_TEXT and not arguments.positional:
        return replace(exact(PLAIN_TEXT[name](receiver.only.value)), origin=receiver.origin)
    if receiver.origin:
        return replace(UNKNOWN, origin=receiver.origin)
    return call_outside(engine, node, receiver, name, arguments, state)
