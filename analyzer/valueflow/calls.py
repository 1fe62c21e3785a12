"""Calls: who is called, how arguments become parameters, and which callees are run."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .. import ir
from ..values import ClassValue, External, FunctionValue
from .converters import forget, note_conversion
from .domain import NONE, UNKNOWN, Closure, Exact, Form, Items, Known, Method, Object, Outside, Partial, Thing, Val, exact, join_all
from .fields import bind, initial, read_attribute
from .holders import call_collection, call_named
from .items import fill, is_list, new_list, read_element
from .journal import note_event
from .lookups import path_got, raise_on_missing
from .measures import made_by, size_of
from .outside import call_builtin, call_method_outside, call_outside
from .parameters import Arguments, as_argument, bind_parameters, read_arguments
from .parts import pass_part, projecting_methods
from .setters import is_inside, model_made, note_call, own_default, seek_model
from .sinks import project, projected
from .stages import note_overlaid
from .store import Raising, State, joined
from .texts import key_asked_for
from .tracks import ELEMENT, ITEMS, held

if TYPE_CHECKING:
    from .asked import Frame
    from .engine import Engine


RUNS = frozenset({"forward", "__call__"})
"""The methods by which a model is run."""


def call(engine: Engine, node: ir.Call, state: State) -> Val:
    """One call expression."""
    special = call_builtin(engine, node, state)
    if special is not None:
        return special
    holder = _holder(engine, node, state)
    arguments = read_arguments(engine, node, state)
    if holder is not None and isinstance(node.func, ir.Attribute):
        if node.func.attr == "get" and (path := path_got(engine, holder, arguments)) is not None:
            return path
        done = call_collection(engine, node, holder, arguments, state)
        if done is not None:
            return done
    callee = _callee(engine, node, holder, state)
    for place in projected(engine, node, holder, callee, arguments):
        found = project(engine, node, arguments, place, state)
        if found is not None:
            return found
    before = state.control
    if not any(isinstance(thing, Outside) for thing in callee.things):  # whether it is called at all hangs on the tracked value
        state.control = before | callee.marks
    results = [call_thing(engine, node, callee, thing, arguments, state) for thing in callee.things]
    state.control = before
    if not results:
        return call_outside(engine, node, callee, "", arguments, state)
    return join_all(results)


def _is_super(node: ir.Expression) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id == "super"


def _holder(engine: Engine, node: ir.Call, state: State) -> Val | None:
    """What a method is called on; None for a plain call and for ``super()``."""
    if not isinstance(node.func, ir.Attribute) or _is_super(node.func.value):
        return None
    holder = engine.evaluate(node.func.value, state)
    raise_on_missing(engine, state, holder, node.func.at, key_asked_for(node))
    return holder


def _callee(engine: Engine, node: ir.Call, holder: Val | None, state: State) -> Val:
    if not isinstance(node.func, ir.Attribute):
        return engine.evaluate(node.func, state)
    if holder is None:
        return _super(engine, state, node.func.attr)
    seek_model(engine, node.func, holder, state)
    return projecting_methods(engine, holder, node.func.attr) or read_attribute(engine, state, holder, node.func.attr)


def _super(engine: Engine, state: State, name: str) -> Val:
    """A method of ``super()``."""
    frame = engine.frame
    receiver = _receiver(engine, state)
    cls = receiver.objects[0].cls if receiver is not None and receiver.objects else None
    if frame.owner is None or not isinstance(cls, ClassValue) or receiver is None:
        return UNKNOWN
    found, owner = engine.types.find(cls, name, frame.owner)
    if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
        return bind(engine, state, found, receiver, cls)
    return UNKNOWN


def _receiver(engine: Engine, state: State) -> Val | None:
    code = engine.frame.code
    return state.names.get(code.parameters[0].name) if code is not None and code.parameters else None


# ---------------------------------------------------------------------- dispatch


def call_thing(engine: Engine, node: ir.Call, callee: Val, thing: Thing, arguments: Arguments, state: State) -> Val:
    """Call one of the things that the callee may be."""
    match thing:
        case Exact(value=FunctionValue() as function):
            return call_decorated(engine, node, Method(function, None), arguments, state)
        case Method(receiver=None):
            return enter(engine, node, thing, arguments, state)
        case Method():
            return call_decorated(engine, node, thing, arguments, state)
        case Exact(value=ClassValue() as cls):
            return construct(engine, node, cls, arguments, state)
        case Exact(value=External("functools.partial")) if arguments.positional:
            callee, *first = arguments.positional
            return Val((Partial(callee, tuple(first), arguments.keywords),))
        case Exact(value=External(name)):
            if (fact := engine.machine.supposed.calls.get(name)) is not None:
                return engine.fact(fact)
            return call_outside(engine, node, UNKNOWN, name, arguments, state)
        case Closure():
            return run_function(engine, node, thing, thing.code, arguments, state)
        case Partial():
            given = Arguments((*thing.positional, *arguments.positional), {**thing.keywords, **arguments.keywords}, {}, arguments.complete)
            return join_all(call_thing(engine, node, thing.callee, each, given, state) for each in thing.callee.things)
        case Object():
            return made_by(engine, thing, call_object(engine, node, thing, arguments, state))
        case Form():
            return size_of(thing, arguments.all())
        case Outside(receiver, name) if all(map(is_list, receiver.things)) and receiver.things and isinstance(node.func, ir.Name):
            done = call_named(engine, state, node, name, node.func.id, receiver, list(receiver.objects), arguments)
            return UNKNOWN if done is None else done
        case Outside(receiver, name):
            return call_method_outside(engine, node, receiver, name, arguments, state)
        case Known(value):
            known = engine.machine.supposed.values.get(f"{getattr(value, 'key', '')}()")
            return engine.fact(known) if known is not None else call_outside(engine, node, callee, "", arguments, state)
    return call_outside(engine, node, callee, "", arguments, state)


def call_object(engine: Engine, node: ir.Call, thing: Object, arguments: Arguments, state: State) -> Val:
    """Calling an object runs its ``__call__``, for a module its ``forward``."""
    if isinstance(thing.cls, ClassValue):
        for name in ("__call__", "forward"):
            found, owner = engine.types.find(thing.cls, name)
            if isinstance(found, FunctionValue) and isinstance(owner, ClassValue):
                passed = pass_part(engine, node, thing, found, arguments)
                return enter(engine, node, Method(found, Val((thing,))), arguments, state) if passed is None else passed
    name = thing.cls.name if isinstance(thing.cls, External) else thing.path.rpartition(".")[2]
    return call_method_outside(engine, node, UNKNOWN, name, arguments, state)


def construct(engine: Engine, node: ir.Call, cls: ClassValue, arguments: Arguments, state: State) -> Val:
    """A new object; its constructor is run where something tracked goes in, or something looked for can come of it."""
    engine.serial += 1
    made = Object(f"{cls.name}#{engine.serial}", cls, made=True, listing=engine.types.is_listing(cls))
    state.write(made, "#made", exact(True))
    if made.listing and not arguments.positional:
        state.write(made, ITEMS, Val((Items(()),)))
    elif made.listing:
        state.write(made, ELEMENT, read_element(state, arguments.positional[0], None))
    fields = engine.types.fields(cls)
    init, _ = engine.types.find(cls, "__init__")
    if fields:
        given = {**dict(zip(fields, arguments.positional, strict=False)), **arguments.keywords}
        places: dict[int | str, ir.Expression | None] = {**dict(arguments.places)}
        places |= {name: arguments.places.get(n) for n, name in enumerate(fields) if name not in arguments.places}
        for name, val in given.items():
            expression = places.get(name)
            at = expression.at if expression is not None else node.at
            label = f"{cls.name}.{name}"
            state.write(made, str(name), engine.tracks.move(state, val, engine.maker("field", label, at)))
        for name in fields:
            if name not in given and arguments.complete and (default := engine.field_default(cls, name)) is not None:
                state.write(made, name, default)
        note_conversion(engine, state, made, given, node.at, frozenset(fields).difference(given))
        after, after_owner = engine.types.find(cls, "__post_init__")
        if isinstance(after, FunctionValue) and isinstance(after_owner, ClassValue):
            enter(engine, node, Method(after, Val((made,))), Arguments((), {}, {}, True), state)
    elif isinstance(init, FunctionValue):
        enter(engine, node, Method(init, Val((made,))), arguments, state)
    return Val((model_made(engine, cls) or made,))


def call_decorated(engine: Engine, node: ir.Call, method: Method, arguments: Arguments, state: State) -> Val:
    """Call a function as its decorators leave it."""
    wrapper = wrapper_of(engine, method.function)
    if wrapper is None:
        return enter(engine, node, method, arguments, state)
    first = (method.receiver,) if method.receiver is not None else ()
    given = Arguments((*first, *arguments.positional), arguments.keywords, {}, arguments.complete)
    return join_all(call_thing(engine, node, wrapper, each, given, state) for each in wrapper.things)


def wrapper_of(engine: Engine, function: FunctionValue) -> Val | None:
    """What the tree's own decorators make of a function; None where there are none, or what they make is not known: they are then taken
    to run it."""
    if function.node is None or not function.node.decorator_list:
        return None
    if function.node not in engine.wrappers:
        engine.wrappers[function.node] = None
        engine.wrappers[function.node] = _wrapped(engine, function)
    return engine.wrappers[function.node]


def _wrapped(engine: Engine, function: FunctionValue) -> Val | None:
    code = engine.lower(function)
    found: Val | None = None
    for decorator in reversed(code.decorators) if code is not None else ():
        with engine.entered(engine.new_frame(code, function.module, function, function.owner, None, {}, None)):  # type: ignore[arg-type]
            only = engine.evaluate(decorator, State()).only
            if (isinstance(only, Exact) and isinstance(only.value, FunctionValue)) or isinstance(only, Closure):
                raw = found or Val((Method(function, None),))
                call = ir.Call(decorator, (), decorator.at)
                made = call_made(engine, call, only, raw)
                found = made if made.things and all(isinstance(each, Closure) for each in made.things) else found
    return found


def call_made(engine: Engine, node: ir.Call, decorator: Thing, raw: Val) -> Val:
    """Run a decorator on a function."""
    given = Arguments((raw,), {}, {}, True)
    match decorator:
        case Exact(value=FunctionValue() as function) if (code := engine.lower(function)) is not None:
            return run_function(engine, node, Method(function, None), code, given, State())
        case Closure():
            return run_function(engine, node, decorator, decorator.code, given, State())
    return UNKNOWN


def runs_model(engine: Engine, method: Method) -> bool:
    """Whether the target's model itself is run, from outside."""
    return method.receiver is not None and any(map(engine.is_root, method.receiver.objects)) and not is_inside(engine)


def enter(engine: Engine, node: ir.Call, method: Method, arguments: Arguments, state: State) -> Val:
    """Run a function of the tree, if that can matter; else what its annotation says comes of it."""
    function = method.function
    supposed = engine.supposed(function)
    if supposed is not None:
        return supposed
    if (own_ids := own_default(engine, method)) is not None:
        return own_ids
    if function.name in RUNS and runs_model(engine, method):
        note_event(engine, "run", state, None, node.at)
        note_overlaid(engine, node)
    if not engine.worth(function, method.receiver, tuple(arguments.all()), state):
        state.unsure = True  # it may raise
        for val in arguments.all():
            fill(state, val)
            forget(engine, val)
        return engine.declared_result(function, node)
    code = engine.lower(function)
    if code is None or engine.is_running(code, method.receiver):
        engine.doubt("a function that cannot be read, or calls itself", node.at)
        if any(held(state, val) or val.marks for val in arguments.all()):
            engine.lost(f"{function.name}(…)", "the function cannot be read, or calls itself", node.at)
        return engine.declared_result(function, node)
    found = run_function(engine, node, method, code, arguments, state)
    if function.name in engine.question.setters and method.receiver is not None:
        note_call(engine, method.receiver, arguments, node.at, state)
    own = method.receiver is not None and any(thing in engine.drafts for thing in method.receiver.objects)
    return UNKNOWN if own and not (engine.journal.measuring and engine.in_draft) else found


def run_function(engine: Engine, node: ir.Call, callee: Method | Closure, code: ir.Function, arguments: Arguments, state: State) -> Val:
    """Bind the arguments, run the body, join what it returned."""
    moved = Arguments(
        tuple(as_argument(engine, state, val, arguments, n, node) for n, val in enumerate(arguments.positional)),
        {name: as_argument(engine, state, val, arguments, name, node) for name, val in arguments.keywords.items()},
        arguments.places, arguments.complete,
    )  # fmt: skip
    if engine.frames:
        engine.frame.calling = node.at
    frame = _frame(engine, callee, code, node)
    inner = State({}, state.heap, state.control)
    with engine.entered(frame):
        engine.tracks.supposing = "models" if engine.is_model(callee) else ""
        bind_parameters(engine, inner, code, callee, moved)
        engine.tracks.supposing = ""
        try:
            end = engine.run_block(code.body, inner)
        except Raising as raising:
            end = None
            if not frame.results:
                raise Raising(replace(raising.state, names=state.names, control=state.control)) from None
    found = _returned(engine, state, [*frame.results, *([(NONE, end)] if end is not None else [])])
    return new_list(engine, state, None, join_all(frame.yields)) if code.is_generator else found


def _frame(engine: Engine, callee: Method | Closure, code: ir.Function, node: ir.Call) -> Frame:
    if isinstance(callee, Closure):
        return engine.new_frame(code, callee.module, None, callee.owner, None, callee.around, node.at)
    function = callee.function
    return engine.new_frame(code, function.module, function, function.owner, callee.receiver, {}, node.at)


def _returned(engine: Engine, state: State, results: list[tuple[Val, State]]) -> Val:
    """The caller's state and the value, joined over all ways out of the callee."""
    after: State | None = None
    for _, each in results:
        after = joined(after, replace(each, names={}), lambda thing, name: initial(engine, thing, name))
    if after is not None:
        state.heap, state.unsure = after.heap, state.unsure or after.unsure
    return join_all(val for val, _ in results) if results else UNKNOWN
