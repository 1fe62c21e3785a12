"""Expressions: each becomes a value of the domain; what changes the state changes it in place."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..values import MISSING, ClassValue, EnumMember, External
from .calls import call
from .conditions import boolean, compare, conditional
from .converters import dropped, filtered, note_dict
from .domain import NONE, UNKNOWN, Closure, Exact, Items, Object, Val, exact, join, join_all
from .fields import front, initial, read_attribute, whole
from .items import MOST_ITEMS, alternatives, entries_of, is_list, is_whole_dict, items_of, new_dict, new_list, read_element, truth
from .lookups import doubt_table, kept, look_up, origin_of, path_in, raise_on_missing, reads_entry, reads_key
from .measures import computed, negated, part_of
from .setters import seek_model
from .store import State
from .texts import index_text, text_of
from .tracks import ELEMENT, ITEMS, shown, tracked

if TYPE_CHECKING:
    from .engine import Engine

SOME_ITEMS = "items[if …]"
"""The label of those items of a collection for which a condition holds."""


def evaluate(engine: Engine, node: ir.Expression, state: State) -> Val:
    """The value of one expression."""
    match node:
        case ir.Const():
            return exact(node.value)
        case ir.Name():
            return name(engine, node.id, state)
        case ir.Attribute():
            return attribute(engine, node, state)
        case ir.Subscript():
            return subscript(engine, node, state)
        case ir.Call():
            return call(engine, node, state)
        case ir.Binary():
            return binary(engine, node, state)
        case ir.Unary():
            return unary(engine, node, state)
        case ir.Boolean():
            return boolean(engine, node, state)
        case ir.Compare():
            return compare(engine, node, state)
        case ir.Conditional():
            return conditional(engine, node, state)
        case ir.Lambda():
            owner = engine.frame.owner
            return Val((Closure(node.function, engine.frame.module, owner, {**engine.frame.around, **state.names}),))
    return _made(engine, node, state)


def _made(engine: Engine, node: ir.Expression, state: State) -> Val:
    """Displays, comprehensions and what wraps an expression."""
    match node:
        case ir.Starred():
            return evaluate(engine, node.value, state)
        case ir.Display():
            return display(engine, node, state)
        case ir.DictDisplay():
            return dict_display(engine, node, state)
        case ir.Comprehension():
            return comprehension(engine, node, state)
        case ir.NamedExpression():
            val = evaluate(engine, node.value, state)
            state.names[node.target.id] = engine.tracks.move(state, val, lambda: engine.node("variable", node.target.id, node.target.at))
            return val
        case ir.FormattedString():
            parts = [evaluate(engine, part, state) for part in node.parts]
            return replace(UNKNOWN, origin=frozenset().union(*(origin_of(engine, part) for part in parts)))
        case ir.Await():
            return evaluate(engine, node.value, state)
        case ir.Yield():
            val = evaluate(engine, node.value, state) if node.value is not None else NONE
            engine.frame.yields.append(read_element(state, val, None) if node.delegate else val)
            return UNKNOWN
        case ir.Slice():
            for part in (node.lower, node.upper, node.step):
                if part is not None:
                    evaluate(engine, part, state)
            return UNKNOWN
    return UNKNOWN


def unary(engine: Engine, node: ir.Unary, state: State) -> Val:
    val = evaluate(engine, node.operand, state)
    if node.op == "not":
        answer = truth(engine, state, val)
        return replace(negated(val) if answer is None else exact(not answer), marks=val.marks, about=val.about)
    only = val.only
    return exact(-only.value) if node.op == "-" and isinstance(only, Exact) and isinstance(only.value, int | float) else UNKNOWN


def name(engine: Engine, wanted: str, state: State) -> Val:
    found = state.names.get(wanted) or engine.frame.around.get(wanted)
    if found is not None:
        return found
    value = engine.types.name(engine.frame.module, wanted)
    if value is MISSING:
        state.unsure = True
        return UNKNOWN
    return whole(engine, value, f"{engine.frame.module.name}.{wanted}")


def attribute(engine: Engine, node: ir.Attribute, state: State) -> Val:
    holder = evaluate(engine, node.value, state)
    raise_on_missing(engine, state, holder, node.at, node.attr)
    if (default := dropped(engine, state, holder, node.attr, None, node.at)) is not None:
        return default
    doubt_table(engine, holder, node.attr, node.at)
    if reads_key(engine, state, holder, node.attr):
        return look_up(engine, state, holder, node.attr, None, node.at)
    seek_model(engine, node, holder, state)
    return kept(engine, state, holder, read_attribute(engine, state, holder, node.attr), node.attr, node.at)


def subscript(engine: Engine, node: ir.Subscript, state: State) -> Val:
    holder, index = evaluate(engine, node.value, state), evaluate(engine, node.index, state)
    key = index.only
    text = key.value if isinstance(key, Exact) and isinstance(key.value, str) else ""
    raise_on_missing(engine, state, holder, node.at, text)
    if text and reads_entry(engine, state, holder, text):
        return look_up(engine, state, holder, text, None, node.at)
    if text and (path := path_in(engine, holder, text)) is not None:
        return path
    if isinstance(key, Exact) and isinstance(key.value, str) and (member := enum_member(engine, holder, key.value)) is not None:
        return member
    if isinstance(key, Exact) and isinstance(key.value, int | str) and not holder.origin & engine.rewritten:
        known = [item for thing in holder.things for item in _at(state, holder, thing, key.value)]
        if known:
            return join_all(known)
    if (part := part_of(holder, node.index, index)) is not None:
        return part
    if holder.marks and not any(map(is_list, holder.things)):
        return transformed(engine, state, holder, f"[{index_text(node.index)}]", node)
    if isinstance(node.index, ir.Slice) and (part := sliced(engine, node.index, holder, state)) is not None:
        return part
    if (inside := tracked(state, holder)) and all(map(is_list, holder.things)):  # one of them, or some: no longer all of them in order
        return transformed(engine, state, replace(holder, marks=inside), f"items[{index_text(node.index)}]", node)
    objects = [initial(engine, thing, ELEMENT) for thing in holder.objects if ELEMENT not in state.fields(thing)]
    if isinstance(node.index, ir.Slice):
        return holder
    state.unsure = True
    stored = [front(holder, fields[ELEMENT]) for thing in holder.objects if ELEMENT in (fields := state.fields(thing))]
    stored += entries_of(state, holder).values() if key is None else ()
    found = join_all((*stored, *objects)) if stored or any(val.things for val in objects) else UNKNOWN
    if found.objects or not index.marks:
        return replace(found, marks=found.marks | index.marks) if found.objects else found  # which object it is tells of the index
    chosen = engine.node("capture", f"{text_of(node.value)}[{index_text(node.index)}]", node.at)
    engine.tracks.hop(index.marks, chosen, "control", "chosen by")
    return found.marked(chosen)


def sliced(engine: Engine, node: ir.Slice, holder: Val, state: State) -> Val | None:
    """A slice of a list whose items are known; None where they, or the ends, are not."""
    if several := alternatives(state, holder):
        parts = [sliced(engine, node, each, state) for each in several]
        return None if None in parts else join_all(part for part in parts if part is not None)
    items = items_of(state, holder)
    ends = [engine.evaluate(part, state).only if part is not None else Exact(None) for part in (node.lower, node.upper, node.step)]
    numbers = [end.value for end in ends if isinstance(end, Exact) and (end.value is None or isinstance(end.value, int))]
    if items is None or len(numbers) != 3 or numbers[2] == 0 or not all(map(is_list, holder.things)):
        return None
    make = engine.maker("transform", f"items[{index_text(node)}]", node.at)
    kept = (read_element(state, holder, item) for item in items[slice(*numbers)])
    return new_list(engine, state, tuple(engine.tracks.move(state, item, make) for item in kept))


def enum_member(engine: Engine, holder: Val, name: str) -> Val | None:
    """``Enumeration["NAME"]``."""
    only = holder.only
    if not isinstance(only, Exact) or not isinstance(only.value, ClassValue):
        return None
    found = read_attribute(engine, State(), holder, name)
    return found if isinstance(found.only, Exact) and isinstance(found.only.value, EnumMember) else None


def _at(state: State, holder: Val, thing: object, key: int | str) -> list[Val]:
    match thing:
        case Items(items) if isinstance(key, int) and -len(items) <= key < len(items):
            return [items[key]]
        case Object():
            fields = state.fields(thing)
            if isinstance(key, int) and (known := fields.get(ITEMS)) is not None:
                return [front(holder, item) for only in known.things for item in _at(state, holder, only, key)]
            if f"[{key!r}]" in fields:
                return [front(holder, fields[f"[{key!r}]"])]
    return []


def transformed(engine: Engine, state: State, val: Val, label: str, node: ir.Expression, after: Val | None = None) -> Val:
    """A tracked value after one operation."""
    result = after or replace(UNKNOWN, mixed=val.mixed)
    made = engine.node("transform", label, node.at)
    engine.tracks.hop(val.marks, made, "data", label, shown(state, val), shown(state, result))
    return replace(result, marks=frozenset({made}), mixed=val.mixed)


def binary(engine: Engine, node: ir.Binary, state: State) -> Val:
    left, right = evaluate(engine, node.left, state), evaluate(engine, node.right, state)
    result = arithmetic(engine, node.op, left, right, state)
    source = left if left.marks else right
    if source.marks and not result.objects:
        other = shown(state, right if source is left else left)
        text = (f"{node.op} {other or '…'}") if source is left else f"{other or '…'} {node.op}"
        marked = replace(source, marks=left.marks | right.marks)
        return transformed(engine, state, marked, text, node, result)
    return computed(left, right) or replace(result, origin=origin_of(engine, left) | origin_of(engine, right))


def arithmetic(engine: Engine, op: str, left: Val, right: Val, state: State) -> Val:
    """``left op right`` where both are exact; lists are joined."""
    match left.only, right.only:
        case Exact(value=int() as a), Exact(value=int() as b):
            value = _computed(op, int(a), int(b))
            return UNKNOWN if value is None else exact(value)
        case Object(), Object() if op == "+":
            left_items, right_items = items_of(state, left), items_of(state, right)
            if left_items is not None and right_items is not None:
                return new_list(engine, state, (*left_items, *right_items))
            if tracked(state, left) or tracked(state, right):
                return new_list(engine, state, None, join(read_element(state, left, None), read_element(state, right, None)))
    return UNKNOWN


def _computed(op: str, a: int, b: int) -> int | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "//" if b:
            return a // b
        case "%" if b:
            return a % b
    return None


# ------------------------------------------------------------------ collections


def display(engine: Engine, node: ir.Display, state: State) -> Val:
    parts: list[Val] = []
    known = True
    for item in node.items:
        val = evaluate(engine, item, state)
        if isinstance(item, ir.Starred):
            inner = items_of(state, val)
            known = known and inner is not None
            parts += inner if inner is not None else (read_element(state, val, None),)
        else:
            parts.append(val)
    if not known and len({bool(tracked(state, part)) for part in parts}) > 1:
        return new_list(engine, state, None, replace(join_all(parts), mixed=True))
    if node.kind == "tuple" and known:
        return Val((Items(tuple(parts)),))
    return new_list(engine, state, tuple(parts) if known else None, join_all(parts))


def dict_display(engine: Engine, node: ir.DictDisplay, state: State) -> Val:
    engine.serial += 1
    made = Object(f"dict#{engine.serial}", External("builtins.dict"), made=True)
    for key, item in node.items:
        val = evaluate(engine, item, state)
        if key is None:
            for name, entry in entries_of(state, val).items():
                state.write(made, f"[{name!r}]", entry)
            if not is_whole_dict(state, val):
                state.write(made, ELEMENT, UNKNOWN)
            continue
        at = evaluate(engine, key, state).only
        if isinstance(at, Exact) and isinstance(at.value, str | int):
            state.write(made, f"[{at.value!r}]", engine.tracks.move(state, val, engine.maker("collection", "dict", item.at)))
        else:
            state.write(made, ELEMENT, val)
    return note_dict(engine, state, Val((made,)), node.at)


def comprehension(engine: Engine, node: ir.Comprehension, state: State) -> Val:
    if node.kind == "dict" and (some := filtered(engine, node, state)) is not None:
        return some
    iterable = evaluate(engine, node.clauses[0].iterable, state)
    if node.kind != "dict" and (several := alternatives(state, iterable)):
        return join_all(_collected(engine, node, each, state) for each in several)
    return _collected(engine, node, iterable, state)


def _collected(engine: Engine, node: ir.Comprehension, iterable: Val, state: State) -> Val:
    """What a comprehension makes of what its first clause walks."""
    outer = dict(state.names)
    parts: list[Val] = []
    keys: list[Val] = []
    known = _run_clauses(engine, node, 0, state, parts, keys, iterable)
    state.names = outer
    if node.kind == "dict":
        named = {key.only.value: part for key, part in zip(keys, parts, strict=False) if isinstance(key.only, Exact)}
        texts = {key: part for key, part in named.items() if isinstance(key, str) and not part.marks}
        if known and len(texts) == len(parts):
            return note_dict(engine, state, new_dict(engine, state, texts), node.at)
        return UNKNOWN if not any(part.marks for part in parts) else new_list(engine, state, None, join_all(parts))
    return new_list(engine, state, tuple(parts) if known else None, join_all(parts))


def asks_for_none(condition: ir.Expression) -> bool:
    """Whether a condition leaves out nothing but None, which is no tensor."""
    match condition:
        case ir.Compare(comparisons=(("is not", ir.Const(value=None)),)):
            return True
    return False


def _run_clauses(
    engine: Engine, node: ir.Comprehension, depth: int, state: State, parts: list[Val], keys: list[Val], walked: Val | None = None
) -> bool:
    """Collect the elements; False where how many there are is not known."""
    if depth == len(node.clauses):
        keys += [evaluate(engine, node.element, state)] if node.value is not None else []
        parts.append(evaluate(engine, node.value or node.element, state))
        return True
    clause = node.clauses[depth]
    iterable = evaluate(engine, clause.iterable, state) if walked is None else walked
    items = items_of(state, iterable)
    known = items is not None and len(items) <= MOST_ITEMS
    before = state.control
    for item in items if known and items is not None else (None,):
        element = read_element(state, iterable, item)
        if items is None and not engine.reading and not all(map(asks_for_none, clause.conditions)):  # which of them is not known
            element = engine.tracks.move(state, element, engine.maker("transform", SOME_ITEMS, clause.target.at), label=SOME_ITEMS)
        engine.assign(state, clause.target, element, clause.target.at)
        tests = [evaluate(engine, condition, state) for condition in clause.conditions]
        answers = [truth(engine, state, test) for test in tests]
        if False in answers:
            continue
        state.control = before | frozenset(mark for test in tests for mark in test.marks)
        known = _run_clauses(engine, node, depth + 1, state, parts, keys) and known and None not in answers
        state.control = before
    return known
