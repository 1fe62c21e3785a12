"""Statements: each takes a state and hands back the state behind it, or None where control does not get there."""
from __future__ import annotations

from dataclasses import replace
from functools import reduce

from .. import ir
from .assignment import assign, assign_statement, known_items
from .contexts import enter_context
from .domain import UNKNOWN, Exact, Items, Object, Val
from .engine import Engine
from .fields import initial, whole
from .holders import delete_item, extend_in_place, put
from .items import alternatives, is_list, items_of, new_list, read_element, truth
from .journal import assigned_text, note_branch, note_falsy, note_swallowed
from .lookups import decided_by_missing
from .measures import answers_in, flagged
from .store import Raising, State, joined
from .texts import text_of
from .tracks import tracked

PASSES = 2
"""Times that the body of a loop is run: the second sees what the first left behind."""
MOST_ITERATIONS = 64
"""Items of a known list that are walked one by one."""
ONLY_ITEM = "the only item"
"""What becomes of a list that is found to have one item: as of a concatenation, it is all of it."""


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
            assign_statement(engine, node, state)
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
            return _with(engine, node, state)
        case ir.Try():
            return _try(engine, node, state)
        case ir.Raise():
            raise Raising(state)
        case ir.Assert():
            _assert(engine, node, state)
        case ir.Break():
            engine.frame.breaks.append(state)
            return None
        case ir.Continue():
            engine.frame.continues.append(state)
            return None
        case ir.Delete():
            _delete(engine, node, state)
        case ir.Import() | ir.ImportFrom():
            _import(engine, node, state)
        case ir.DefineFunction():
            _define(engine, node, state)
        case ir.DefineClass():
            state.names[node.name] = UNKNOWN
        case ir.OpaqueStatement():
            engine.doubt("a statement that is not understood", node.at)
    return state


def _assert(engine: Engine, node: ir.Assert, state: State) -> None:
    test = engine.evaluate(node.test, state)
    answer = truth(engine, state, test)
    engine.journal.checked = engine.journal.checked or bool(answers_in(test))
    if answer is False and engine.journal.measuring:
        raise Raising(state)
    state.unsure = answer is not True or state.unsure


def _define(engine: Engine, node: ir.DefineFunction, state: State) -> None:
    if node.function.nonlocals:
        engine.doubt("a function inside another writes its variables", node.at)
    state.names[node.function.name] = engine.evaluate(ir.Lambda(node.function, node.at), state)


def _with(engine: Engine, node: ir.With, state: State) -> State | None:
    for item, target in node.items:
        val = enter_context(engine, engine.evaluate(item, state), state, node.at)
        if target is not None:
            assign(engine, state, target, val, node.at)
    return run_block(engine, node.body, state)


def _delete(engine: Engine, node: ir.Delete, state: State) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            state.names.pop(target.id, None)
        elif isinstance(target, ir.Subscript):
            delete_item(engine, state, target)
        elif isinstance(target, ir.Attribute):
            for thing in engine.evaluate(target.value, state).objects:
                state.write(thing, target.attr, UNKNOWN)


def _return(engine: Engine, node: ir.Return, state: State) -> None:
    val = engine.evaluate(node.value, state) if node.value is not None else Val((Exact(None),))
    val = flagged(engine, val)
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


def _augmented(engine: Engine, node: ir.AugmentedAssign, state: State) -> None:
    if extend_in_place(engine, node, state):
        return
    added = isinstance(node.value, ir.Display | ir.Comprehension) and node.op == "+"
    if added and (holder := engine.evaluate(node.target, state)).objects:
        val = engine.evaluate(node.value, state)
        for thing in holder.objects:
            put(engine, state, text_of(node.target), node.at, holder, thing, read_element(state, val, None))
        return
    val = engine.evaluate(ir.Binary(node.op, node.target, node.value, node.at), state)
    assign(engine, state, node.target, val, node.at)


# ---------------------------------------------------------------------- control


def _if(engine: Engine, node: ir.If, state: State) -> State | None:
    test = engine.evaluate(node.test, state)
    decided_by_missing(engine, test, node.at)
    answer = truth(engine, state, test)
    note_branch(engine, node, answer)
    if answer is not None:
        note_falsy(engine, test, assigned_text(node, answer), node.at)
    if answer is not None and not test.marks:
        return run_block(engine, node.body if answer else node.orelse, state)
    before = state.control
    engine.assumptions.add("open-branches")
    marks = engine.tested(state, node.test, test)
    engine.raised = False
    state.control = before | marks
    other = state.copy()
    narrow(engine, node.test, state, True)
    narrow(engine, node.test, other, False)
    handed = engine.handed
    engine.open += 1
    branch = engine.journal.branch(test)
    yes = _arm(engine, node.body, state, (branch, True))
    then = engine.handed
    no = _arm(engine, node.orelse, other, (branch, False))
    engine.open -= 1
    if (yes is None) != (no is None):  # what comes behind a branch that is left early is in the other one
        engine.journal.arms.append((branch, yes is not None))
    if (then > handed) != (engine.handed > then):  # followed are the runs in which the ids are handed over
        after = (yes if then > handed else no) or yes or no
    else:
        after = joined(yes, no, lambda t, n: initial(engine, t, n))
    if after is not None:
        left = (yes is None) != (no is None) and not engine.raised
        engine.frame.left = engine.frame.left or left
        after.control = before | marks if left else before  # what comes behind a branch that is left early hangs on its test
    return after


def _arm(engine: Engine, block: ir.Block, state: State, arm: tuple[int, bool]) -> State | None:
    """One of the two ways at a condition; noted is whether it raises."""
    frame, raises = engine.frame, engine.journal.raises
    before = len(frame.results), len(frame.breaks), len(frame.continues)
    with engine.journal.arm(*arm):
        after = _caught(engine, block, state)
    if after is None and before == (len(frame.results), len(frame.breaks), len(frame.continues)):
        engine.journal.refused.add(arm)
    elif engine.journal.raises > raises:
        engine.journal.doubted.add(arm)
    return after


def _caught(engine: Engine, block: ir.Block, state: State) -> State | None:
    """Where a block ends that is taken under an open condition; one that raises is left."""
    try:
        with engine.journal.ending():
            return run_block(engine, block, state)
    except Raising as raising:
        raising.state.unsure = True
        state.unsure = True
        engine.raised = True
        engine.journal.raises += 1
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
        case ir.Compare(left=ir.Call(func=ir.Name("len"), arguments=(ir.Argument(value=ir.Name() as held),)), comparisons=(comparison,)):
            relation, count = comparison
            if isinstance(count, ir.Const) and (relation, count.value, answer) in (("==", 1, True), ("!=", 1, False)):
                _only_item(engine, held, state)
        case ir.Unary(op="not", operand=inner):
            narrow(engine, inner, state, not answer)
        case ir.Boolean(op="and", left=left, right=right) if answer:
            narrow(engine, left, state, True)
            narrow(engine, right, state, True)


def _only_item(engine: Engine, held: ir.Name, state: State) -> None:
    """A list is known to have one item: that is all of it."""
    val = state.names.get(held.id)
    if val is None or val.open or not val.things or not all(map(is_list, val.things)) or items_of(state, val) is not None:
        return
    item = engine.tracks.move(state, read_element(state, val, None), engine.maker("transform", ONLY_ITEM, held.at), label=ONLY_ITEM)
    assign(engine, state, held, new_list(engine, state, (item,)), held.at)


def _for(engine: Engine, node: ir.For, state: State) -> State | None:
    iterable = engine.evaluate(node.iterable, state)
    if several := alternatives(state, iterable):
        ends = [_over(engine, node, each, state.copy()) for each in several]
        return reduce(lambda one, other: joined(one, other, lambda t, n: initial(engine, t, n)), ends)
    return _over(engine, node, iterable, state)


def _over(engine: Engine, node: ir.For, iterable: Val, state: State) -> State | None:
    """A loop over one collection."""
    known = iterable.only
    items = known.items if isinstance(known, Items) else known_items(state, known) if isinstance(known, Object) else None
    if items is not None and 0 < len(items) <= MOST_ITERATIONS:
        return _walk(engine, node, state, tuple(read_element(state, iterable, item) for item in items))
    element = read_element(state, iterable, None)
    walked = tracked(state, iterable)
    if walked:  # how often the body runs hangs on what is walked
        before, state.control = state.control, state.control | walked
        after = _loop(engine, node.body, node.orelse, state, lambda inner: assign(engine, inner, node.target, element, node.at))
        if after is not None:
            after.control = before
        return after
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
    engine.open += 1
    for _ in range(PASSES):
        assert after is not None
        inner = after.copy()
        begin(inner)
        ended = _caught(engine, body, inner)
        for other in (*frame.breaks, *frame.continues):
            ended = joined(ended, other, lambda t, n: initial(engine, t, n))
        frame.breaks, frame.continues = [], []
        after = joined(after, ended, lambda t, n: initial(engine, t, n))
    engine.open -= 1
    frame.breaks, frame.continues = outer
    assert after is not None
    after.control = state.control
    return run_block(engine, orelse, after)


def _try(engine: Engine, node: ir.Try, state: State) -> State | None:
    """The body; and each handler from where the body may have raised: at its beginning, its end or between."""
    before, unsure = state.copy(), state.unsure
    state.unsure = False
    looked = len(engine.journal.lookups)
    raised: State | None = None
    try:
        with engine.journal.ending():
            after = run_block(engine, node.body, state)
        may_raise = state.unsure or (after is not None and after.unsure)
    except Raising as raising:
        after, raised, may_raise = None, raising.state, True
    ends = run_block(engine, node.orelse, after) if after is not None else None
    if may_raise:
        start = raised.copy() if raised is not None else joined(before, after, lambda t, n: initial(engine, t, n))
        engine.open += 1
        for handler in node.handlers:
            assert start is not None
            note_swallowed(engine, node, handler, looked, certain=raised is not None)
            ends = joined(ends, _caught(engine, handler.body, start.copy()), lambda t, n: initial(engine, t, n))
        engine.open -= 1
        if raised is not None and not node.handlers:
            raise Raising(raised)
    if ends is not None:
        ends.unsure = unsure
        return run_block(engine, node.final, ends)
    return None
