"""Statements: each takes a state and hands back the state behind it, or None where control does not get there."""
from __future__ import annotations

from dataclasses import replace

from .. import ir
from ..graph import Node, NodeKind
from .domain import UNKNOWN, Exact, Items, Object, Val, join_all
from .engine import Engine
from .fields import initial, whole
from .items import read_element, truth
from .store import Raising, State, joined
from .texts import text_of
from .tracks import ELEMENT, ITEMS, is_collection, shown

PASSES = 2
"""Times that the body of a loop is run: the second sees what the first left behind."""
MOST_ITERATIONS = 64
"""Items of a known list that are walked one by one."""


def run_block(engine: Engine, block: ir.Block, state: State) -> State | None:
    for statement in block:
        if not engine.count():
            return state
        after = run(engine, statement, state)
        if after is None:
            return None
        state = after
    return state


def run(engine: Engine, node: ir.Statement, state: State) -> State | None:
    """One statement."""
    match node:
        case ir.Assign():
            _assign(engine, node, state)
        case ir.AugmentedAssign():
            _augmented(engine, node, state)
        case ir.Evaluate():
            engine.evaluate(node.value, state)
        case ir.Return():
            _return(engine, node, state)
            return None
        case ir.If():
            return _if(engine, node, state)
        case ir.For():
            return _for(engine, node, state)
        case ir.While():
            return _loop(engine, node.body, node.orelse, state, lambda inner: engine.evaluate(node.test, inner))
        case ir.With():
            for item, target in node.items:
                val = engine.evaluate(item, state)
                if target is not None:
                    assign(engine, state, target, val, node.at)
            return run_block(engine, node.body, state)
        case ir.Try():
            return _try(engine, node, state)
        case ir.Raise():
            raise Raising(state)
        case ir.Assert():
            engine.evaluate(node.test, state)
        case ir.Break():
            engine.frame.breaks.append(state)
            return None
        case ir.Continue():
            engine.frame.continues.append(state)
            return None
        case ir.Delete():
            for target in node.targets:
                if isinstance(target, ir.Name):
                    state.names.pop(target.id, None)
        case ir.Import() | ir.ImportFrom():
            _import(engine, node, state)
        case ir.DefineFunction():
            state.names[node.function.name] = engine.evaluate(ir.Lambda(node.function, node.at), state)
        case ir.DefineClass():
            state.names[node.name] = UNKNOWN
        case ir.OpaqueStatement() | ir.Annotate() | ir.Pass():
            pass
    return state


def _return(engine: Engine, node: ir.Return, state: State) -> None:
    val = engine.evaluate(node.value, state) if node.value is not None else Val((Exact(None),))
    moved = engine.tracks.move(state, val, lambda: engine.node("return", f"return from {engine.frame.symbol}", node.at))
    engine.frame.results.append((moved, state))


def _import(engine: Engine, node: ir.Import | ir.ImportFrom, state: State) -> None:
    module = engine.frame.module
    if isinstance(node, ir.Import):
        for name, alias in node.names:
            bound = name if alias else name.split(".")[0]
            state.names[alias or bound] = whole(engine, engine.types.import_module(bound))
    else:
        target = module.resolve_relative(node.module, node.level)
        for name, alias in node.names or ():
            state.names[alias or name] = whole(engine, engine.types.import_name(module, target, name))


# ------------------------------------------------------------------ assignment


def _assign(engine: Engine, node: ir.Assign, state: State) -> None:
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
            state.names[target.id] = val
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
    known = [items for thing in val.objects if (items := _items(state, thing)) is not None and len(items) == count]
    columns = [*matching, *known]
    for place, each in enumerate(target.items):
        if columns:
            part = join_all(items[place] for items in columns)
        else:
            part = replace(UNKNOWN, marks=val.marks, mixed=val.mixed, origin=val.origin)
        assign(engine, state, each, part, at)


def _items(state: State, thing: Object) -> tuple[Val, ...] | None:
    found = state.fields(thing).get(ITEMS)
    match found.only if found is not None else None:
        case Items(items):
            return items
    return None


def _assign_attribute(engine: Engine, state: State, target: ir.Attribute, val: Val) -> None:
    holder = engine.evaluate(target.value, state)
    objects = holder.objects
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


def _augmented(engine: Engine, node: ir.AugmentedAssign, state: State) -> None:
    val = engine.evaluate(ir.Binary(node.op, node.target, node.value, node.at), state)
    assign(engine, state, node.target, val, node.at)


# ---------------------------------------------------------------------- control


def _if(engine: Engine, node: ir.If, state: State) -> State | None:
    test = engine.evaluate(node.test, state)
    answer = truth(engine, state, test)
    if answer is not None and not test.marks:
        return run_block(engine, node.body if answer else node.orelse, state)
    before = state.control
    engine.assumptions.add("open-branches")
    state.control = before | engine.tested(state, node.test, test)
    other = state.copy()
    narrow(engine, node.test, state, True)
    narrow(engine, node.test, other, False)
    handed = engine.handed
    yes = _caught(engine, node.body, state)
    then = engine.handed
    no = _caught(engine, node.orelse, other)
    if (then > handed) != (engine.handed > then):  # followed are the runs in which the ids are handed over
        after = (yes if then > handed else no) or yes or no
    else:
        after = joined(yes, no, lambda t, n: initial(engine, t, n))
    if after is not None:
        after.control = before
    return after


def _caught(engine: Engine, block: ir.Block, state: State) -> State | None:
    """Where a block ends that is taken under an open condition; one that raises is left."""
    try:
        return run_block(engine, block, state)
    except Raising as raising:
        raising.state.unsure = True
        state.unsure = True
        return None


def narrow(engine: Engine, test: ir.Expression, state: State, answer: bool) -> None:
    """What a branch learns about a variable from its own condition: that it is None, or is not."""
    match test:
        case ir.Compare(left=ir.Name(id=name), comparisons=(("is" | "is not" as op, ir.Const(value=None)),)) if name in state.names:
            val = state.names[name]
            if (op == "is") == answer:
                state.names[name] = Val((Exact(None),))
            else:
                state.names[name] = replace(val, things=tuple(t for t in val.things if t != Exact(None)), open=val.open)
        case ir.Unary(op="not", operand=inner):
            narrow(engine, inner, state, not answer)
        case ir.Boolean(op="and", left=left, right=right) if answer:
            narrow(engine, left, state, True)
            narrow(engine, right, state, True)


def _for(engine: Engine, node: ir.For, state: State) -> State | None:
    iterable = engine.evaluate(node.iterable, state)
    known = iterable.only
    items = known.items if isinstance(known, Items) else _items(state, known) if isinstance(known, Object) else None
    if items is not None and 0 < len(items) <= MOST_ITERATIONS:
        return _walk(engine, node, state, tuple(read_element(state, iterable, item) for item in items))
    element = read_element(state, iterable, None)
    return _loop(engine, node.body, node.orelse, state, lambda inner: assign(engine, inner, node.target, element, node.at))


def _walk(engine: Engine, node: ir.For, state: State, items: tuple[Val, ...]) -> State | None:
    """A list whose items are known, one by one."""
    frame = engine.frame
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []
    current: State | None = state
    for item in items:
        if current is None:
            break
        assign(engine, current, node.target, item, node.at)
        current = _caught(engine, node.body, current)
        for other in frame.continues:
            current = joined(current, other, lambda t, n: initial(engine, t, n))
        frame.continues = []
    if current is not None:
        current = run_block(engine, node.orelse, current)
    for other in frame.breaks:
        current = joined(current, other, lambda t, n: initial(engine, t, n))
    frame.breaks, frame.continues = outer
    return current


def _loop(engine: Engine, body: ir.Block, orelse: ir.Block, state: State, begin: object) -> State | None:
    """A loop of unknown length: not at all, or some times."""
    assert callable(begin)
    frame = engine.frame
    outer = frame.breaks, frame.continues
    frame.breaks, frame.continues = [], []
    after: State | None = state
    for _ in range(PASSES):
        assert after is not None
        inner = after.copy()
        begin(inner)
        ended = _caught(engine, body, inner)
        for other in (*frame.breaks, *frame.continues):
            ended = joined(ended, other, lambda t, n: initial(engine, t, n))
        frame.breaks, frame.continues = [], []
        after = joined(after, ended, lambda t, n: initial(engine, t, n))
    frame.breaks, frame.continues = outer
    assert after is not None
    after.control = state.control
    return run_block(engine, orelse, after)


def _try(engine: Engine, node: ir.Try, state: State) -> State | None:
    """The body; and each handler from where the body may have raised: at its beginning, its end or between."""
    before, unsure = state.copy(), state.unsure
    state.unsure = False
    raised: State | None = None
    try:
        after = run_block(engine, node.body, state)
        may_raise = state.unsure or (after is not None and after.unsure)
    except Raising as raising:
        after, raised, may_raise = None, raising.state, True
    ends = run_block(engine, node.orelse, after) if after is not None else None
    if may_raise:
        start = raised.copy() if raised is not None else joined(before, after, lambda t, n: initial(engine, t, n))
        for handler in node.handlers:
            assert start is not None
            ends = joined(ends, _caught(engine, handler.body, start.copy()), lambda t, n: initial(engine, t, n))
        if raised is not None and not node.handlers:
            raise Raising(raised)
    if ends is not None:
        ends.unsure = unsure
        return run_block(engine, node.final, ends)
    return None
