"""Calls: who is called, how arguments are bound, and whether the callee is entered or left opaque."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..library.hooks import SLOTS
from ..values import (
    EXACT_TYPES,
    MISSING,
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    DictValue,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    ListValue,
    Partial,
    Phi,
    Scope,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from .again import told_again
from .beside import is_beside
from .boundaries import drives_stages, run_operation
from .branch import lift, resume, unpark
from .classes import find_in_class, instantiate, is_module_class
from .consumers import may_take
from .effects import collects, may_capture
from .hooks import is_hooked, run_hooked
from .layers import carries_embedding, reached
from .names import decorators
from .open_target import is_made, note_made, open_call
from .phis import alternatives
from .reach import may_hold_layers
from .recovery import is_forgiving
from .signals import GiveUp, NeedDecision, Raised, Return, TooDeep
from .state import MAX_CALLS, Frame
from .statements import run_block
from .watch import watch_source

if TYPE_CHECKING:
    from .machine import Consumer, Machine


def call(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Call any value."""
    match function:
        case BoundMethod():
            return call_bound(machine, function, args, keywords)
        case FunctionValue():
            return call_function(machine, function, args, keywords)
        case Instance():
            return call_instance(machine, function, args, keywords)
        case ClassValue():
            return instantiate(machine, function, args, keywords)
        case External() | BuiltinMethod():
            return machine.call_library(function, args, keywords)
        case Partial():
            return call(machine, function.function, (*function.args, *args), {**dict(function.keywords), **keywords})
        case Phi():
            return lift(machine, function, lambda f: call(machine, f, args, keywords))
        case Unknown():
            return call_unknown(machine, function, args, keywords)
        case None | bool() | int() | float() | str() | tuple() | ListValue() | DictValue():
            names = {ListValue: "list", DictValue: "dict", type(None): "NoneType"}
            name = names.get(type(function), type(function).__name__)
            raise machine.raised("TypeError", f"{name!r} object is not callable")
    return call_outside(machine, function, args, keywords)


def call_bound(machine: Machine, method: BoundMethod, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A method of a module that stands in the list of layers opens that layer, as calling the module does."""
    receiver = method.receiver
    if isinstance(receiver, Instance) and receiver in machine.members and not machine.inside and tensors_in(args, keywords):
        return machine.in_layer(receiver, args, keywords, lambda: call(machine, method.function, (receiver, *args), keywords))
    return call(machine, method.function, (receiver, *args), keywords)


def call_instance(machine: Machine, instance: Instance, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Calling an object runs its ``__call__``, for a torch module its ``forward``."""
    found, owner = find_in_class(machine, instance.cls, "__call__")
    if isinstance(found, Phi):
        return lift(machine, found, lambda each: call_found(machine, instance, each, owner, args, keywords))
    return call_found(machine, instance, found, owner, args, keywords)


def call_found(
    machine: Machine, instance: Instance, found: Value, owner: ClassValue | External | None, args: tuple[Value, ...],
    keywords: dict[str, Value],
) -> Value:  # fmt: skip
    """Call an object by the ``__call__`` that its class has."""
    if (found is MISSING or not isinstance(owner, ClassValue)) and is_module_class(machine, instance.cls):
        if "forward" in instance.attrs:
            return call(machine, machine.get_attribute(instance, "forward"), args, keywords)
        found = find_in_class(machine, instance.cls, "forward")[0]
    if not isinstance(found, FunctionValue):
        if found is not MISSING and not isinstance(found, External):
            return call(machine, found, args, keywords)
        return call_outside(machine, instance, args, keywords)
    if is_hooked(machine, instance):
        return call_hooked(machine, found, instance, args, keywords)
    return call_bound(machine, BoundMethod(found, instance), args, keywords)


def call_hooked(machine: Machine, forward: FunctionValue, instance: Instance, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A module with hooks; those of a layer belong to the layer."""

    def run() -> Value:
        return run_hooked(machine, instance, args, keywords, lambda given, named: call(machine, forward, (instance, *given), named))

    if instance in machine.members and not machine.inside and tensors_in(args, keywords):
        return machine.in_layer(instance, args, keywords, run)
    return run()


def call_unknown(machine: Machine, function: Unknown, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Calling something unknown: a supposed answer, else an unknown that is the same for the same arguments."""
    machine.may_consume |= may_take(machine, function, (*args, *keywords.values()))
    opened = open_call(machine, function, args, keywords)
    if opened is not None:
        return opened[0]
    if function.key.rpartition(".")[2] in SLOTS:
        if is_made(machine, function.key):
            return machine.mystery("handle", "a hook on a part of a model that the trainer makes itself", not_none=True)
        raise GiveUp(f"a forward hook is registered on something that is not known: {machine.show(function)}", machine.location())
    identity = machine.identity_of(function.key.rpartition(".")[2], args, keywords)
    if identity is not None:
        return identity
    if not tensors_in(args, keywords):
        shown = ", ".join([*(machine.show(a) for a in args), *(f"{k}={machine.show(v)}" for k, v in keywords.items())])
        key = f"{function.key}({shown})"
        known = machine.supposed_value(key)
        machine.clobber(args, keywords, function.key)
        return known[0] if known else machine.unknown(key, function.reason, reads_ids=function.reads_ids)
    return call_outside(machine, function, args, keywords)


def call_outside(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A callee of which nothing is known: its result is one fresh atom, and what it was given may have been written."""
    opened = open_call(machine, function, args, keywords)
    if opened is not None:
        return opened[0]
    tensors = tensors_in(args, keywords)
    shown = machine.show(function)
    machine.may_consume |= may_take(machine, function, (*args, *keywords.values()))
    if tensors and any(may_collect(machine, v) for v in (*args, *keywords.values())):
        raise GiveUp(f"{shown} is not modelled, and is given tensors and something that it may capture into", machine.location())
    reads_ids = any(machine.reads_ids(v) for v in (*args, *keywords.values()))
    machine.clobber(args, keywords, shown)
    if not tensors:
        made = machine.mystery(shown, f"{shown} is outside the tree and not modelled", reads_ids=reads_ids)
        note_made(machine, function, made)
        return made
    if isinstance(function, ExternalObject) and function.cls == "torch.nn.Identity" and args:
        return args[0]
    if isinstance(function, ExternalObject) and function.cls.startswith("torch.nn."):
        return machine.opaque(shown, tensors)
    for tensor in tensors:
        if machine.is_stream(tensor):
            machine.lose_content(tensor, machine.mystery(shown, f"{shown} is not modelled and may write its argument"))
    return machine.opaque(shown, tensors)


def may_collect(machine: Machine, value: Value) -> bool:
    """Whether a value is something that a callee could put a tensor into: a collector, or a method of one."""
    if isinstance(value, Phi):
        return any(may_collect(machine, each) for each in alternatives(value))
    if isinstance(value, BoundMethod):
        return may_collect(machine, value.receiver) or isinstance(value.receiver, ListValue)
    if isinstance(value, BuiltinMethod):
        return isinstance(value.receiver, ListValue | DictValue | SetValue)
    return isinstance(value, Instance) and not is_module_class(machine, value.cls) and collects(machine, value.cls)


def tensors_in(args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Tensor, ...]:
    """The tensors among arguments, those in tuples and Phis included."""
    found: list[Tensor] = []
    for value in (*args, *keywords.values()) if keywords else args:
        kind = type(value)
        if kind is Tensor:
            found.append(value)  # type: ignore[arg-type]
        elif kind is tuple:
            found.extend(tensors_in(value, {}))  # type: ignore[arg-type]
        elif kind is Phi:
            found.extend(tensors_in(tuple(alternatives(value)), {}))
    return tuple(found)


def must_enter(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> bool:
    """Whether a callee's effects or results matter to the stream, so that it may not be left opaque."""
    tensors = tensors_in(args, keywords)
    if not tensors or machine.recording() or any(carries_embedding(machine, t) for t in tensors):
        return True
    receiver = args[0] if function.owner is not None and args else None
    others = [v for v in (*args, *keywords.values()) if v is not receiver]
    if isinstance(receiver, ListValue) or any(holds_code(machine, v) for v in others):
        return True
    plain = not isinstance(receiver, Instance) or not is_module_class(machine, receiver.cls)
    if not machine.inside and (machine.in_flow_code(function.module.path) or not plain) and may_hold_layers(machine, function, receiver):
        return True
    return drives_stages(machine, function) or may_capture(machine, function)


def holds_code(machine: Machine, value: Value) -> bool:
    """Whether a value could capture when it is called or written to."""
    kind = type(value)
    if kind in EXACT_TYPES or kind is Unknown or kind is Tensor:
        return False
    if isinstance(value, Phi):
        return any(holds_code(machine, each) for each in alternatives(value))
    if isinstance(value, tuple):
        return any(holds_code(machine, v) for v in value)
    if isinstance(value, Instance):
        return is_module_class(machine, value.cls) or collects(machine, value.cls)
    return isinstance(value, ListValue | DictValue | SetValue | FunctionValue | BoundMethod | BuiltinMethod | Partial)


def call_function(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Call a function of the tree."""
    if (
        machine.consumer is not None
        and function.name == machine.consumer.method
        and function.owner is not None
        and function.owner.name == machine.consumer.cls
    ):
        return consume(machine, machine.consumer, function, args, keywords)
    if (supposed := machine.supposed_call(function, args, keywords)) is not None:
        return supposed[0]
    if function.owner is None and (kernel := machine.library.kernel(f"{function.module.name}.{function.name}")) is not None:
        return kernel(machine, function, args, keywords)
    if function.owner is not None and (identity := machine.identity_of(function.name, args[1:], keywords)) is not None:
        return identity
    if (boundary := run_operation(machine, function, args, keywords)) is not None:
        return boundary[0]
    if not must_enter(machine, function, args, keywords):
        machine.havoc(function, args)
        return machine.opaque(function.name, tensors_in(args, keywords))
    if function.node is not None and "contextmanager" in decorators(function.node):
        manager = ExternalObject("contextlib.contextmanager", machine.fresh_key(function.name), machine.heap.new())
        manager.attrs["call"] = Partial(function, args, tuple(keywords.items()))
        return manager
    if (
        machine.in_flow_code(function.module.path)
        or tensors_in(args, keywords)
        or any(holds_code(machine, v) for v in (*args, *keywords.values()))
    ):
        if machine.recording() and is_beside(machine, function):
            return run_aside(machine, function, args, keywords)
        return told_again(machine, function, args, keywords, lambda: run_function(machine, function, args, keywords, None))
    return told_again(machine, function, args, keywords, lambda: run_aside(machine, function, args, keywords))


def run_aside(machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """Run a function outside of the flow's code that is given neither tensors nor anything that could capture, or one of a trainer that
    has nothing to do with the target. Where it asks more open questions than are followed, its answer is unknown, and so is what it may
    have written."""
    mark, depth, nesting, catching = machine.heap.mark(), len(machine.frames), machine.nesting, len(machine.catching)
    try:
        return run_function(machine, function, args, keywords, None)
    except NeedDecision as deep:
        if not isinstance(deep, TooDeep) and not machine.recording():
            raise
        del machine.frames[depth:], machine.catching[catching:]
        machine.nesting = nesting
        machine.heap.rollback(mark)
        machine.havoc(function, args)
        return machine.mystery(
            function.name, f"{function.name} asks too many open questions, the last one {deep.condition.key[:60]}", not_none=True
        )


def consume(machine: Machine, consumer: Consumer, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """The call that ends the flow: note what it was given."""
    code = machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    frame = Frame(None, function.module, function, machine.heap.new(), code.at)
    machine.bind_arguments(function, code, args, keywords, frame)
    reached(machine, frame.slots.get(consumer.hidden, MISSING), frame.slots.get(consumer.captured, MISSING))
    return machine.mystery("logits", "what the consumer answers", not_none=True)


def run_function(
    machine: Machine, function: FunctionValue, args: tuple[Value, ...], keywords: dict[str, Value], on_yield: Callable[[Value], None] | None
) -> Value:
    """Run a function's body; a generator is run to its end and answers the list of what it yields."""
    code = function.code or machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    if len(machine.frames) > MAX_CALLS:
        raise GiveUp(f"more than {MAX_CALLS} calls inside one another", machine.location())
    machine.count_step()
    if machine.ledger is not None and function.node is not None:
        machine.ledger.ran.add(function.node)
    slots = machine.heap.new_aside()
    frame = Frame(Scope(slots, function.outer, code), function.module, function, slots, code.at, forgiving=is_forgiving(machine, function))
    collected = machine.new_list((), iterator=True)
    if code.is_generator:
        frame.on_yield = on_yield or (lambda value: machine.append(collected, value))
    machine.bind_arguments(function, code, args, keywords, frame)
    machine.frames.append(frame)
    depth = len(machine.frames)
    try:
        try:
            signal = run_block(machine, code.body)
        except Raised as raised:
            if frame.reads_mutable:
                raised.certain = False
            del machine.frames[depth:]
            signal = resume(machine, raised)
        signal = unpark(machine, 0, signal, Return)
    finally:
        del machine.frames[depth - 1 :]
    if code.is_generator:
        return watch_source(machine, collected, function)
    result = signal.value if isinstance(signal, Return) else None
    if result is None and frame.reads_mutable and machine.frames:
        machine.frame.reads_mutable = True
    return result
