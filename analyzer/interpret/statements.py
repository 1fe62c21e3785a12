"""Statements: one handler for each kind of node, in a table. A handler answers how control leaves the statement."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from .. import ir
from ..values import ClassValue, ExternalObject, Instance, Partial, Scope, Slots, Value
from .arithmetic import augmented
from .asking import calculated, note
from .assign import assign, delete
from .branch import choose_block, pick
from .effects import looks_at_its_own
from .loops import for_, while_
from .names import bind_import
from .operators import condition
from .recovery import run_forgiving
from .signals import Break, Continue, GiveUp, Raised, Return, Signal
from .switches import take

if TYPE_CHECKING:
    from .machine import Machine

Handler: TypeAlias = Callable[..., Signal]
"""Runs one kind of statement: the machine and the node."""


def run_block(machine: Machine, block: ir.Block) -> Signal:
    """Run statements until one leaves."""
    frame = machine.frame
    for statement in block:
        machine.count_step()
        frame.at = statement.at
        handler = HANDLERS[type(statement)]
        if frame.forgiving and not machine.nesting:
            signal = run_forgiving(machine, frame, statement, partial(handler, machine, statement))
        else:
            signal = handler(machine, statement)
        if signal is not None:
            return signal
    return None


def evaluate_(machine: Machine, node: ir.Evaluate) -> Signal:
    machine.evaluate(node.value)
    return None


def assign_(machine: Machine, node: ir.Assign) -> Signal:
    value = machine.evaluate(node.value)
    for target in node.targets:
        assign(machine, target, value)
    return None


def augmented_(machine: Machine, node: ir.AugmentedAssign) -> Signal:
    before = machine.evaluate(node.target)
    if machine.asking is not None:
        calculated(machine, node.at)
    assign(machine, node.target, augmented(machine, node.op, before, machine.evaluate(node.value), node.at))
    return None


def return_(machine: Machine, node: ir.Return) -> Signal:
    value = machine.evaluate(node.value) if node.value is not None else None
    if machine.noticed.left is not None and not machine.inside:
        machine.noticed.left.append((machine.frame.module, node.at.line))
    return Return(value)


def if_(machine: Machine, node: ir.If) -> Signal:
    before, machine.switch_read = machine.switch_read, None
    known = condition(machine, machine.evaluate(node.test))
    if machine.asking is not None:
        note(machine, node.test, known)
    switch = machine.switch_read
    machine.switch_read = switch or before
    if isinstance(known, bool):
        return take(machine, node, known, switch) if switch is not None else run_block(machine, node.body if known else node.orelse)
    return choose_block(machine, known, lambda side: run_block(machine, node.body if side else node.orelse))


def with_(machine: Machine, node: ir.With) -> Signal:
    return enter_items(machine, node.items, node.body)


def enter_items(machine: Machine, items: tuple[tuple[ir.Expression, ir.Expression | None], ...], body: ir.Block) -> Signal:
    if not items:
        return run_block(machine, body)
    (context, target), *rest = items
    manager = pick(machine, machine.evaluate(context))
    if isinstance(manager, ExternalObject) and isinstance(manager.attrs.get("call"), Partial):
        return through_generator(machine, manager, target, lambda: enter_items(machine, tuple(rest), body))
    entered: Value = machine.mystery("entered", "what a context manager outside the vocabulary gives")
    if isinstance(manager, Instance) and machine.has_method(manager, "__enter__"):
        entered = machine.call_method(manager, "__enter__", (), context.at)
    if target is not None:
        assign(machine, target, entered)
    signal = enter_items(machine, tuple(rest), body)
    if isinstance(manager, Instance) and machine.has_method(manager, "__exit__"):
        machine.call_method(manager, "__exit__", (None, None, None), context.at)
    return signal


def through_generator(machine: Machine, manager: ExternalObject, target: ir.Expression | None, body: Callable[[], Signal]) -> Signal:
    """Run the body of a ``with`` at the ``yield`` of its generator."""
    call = manager.attrs["call"]
    assert isinstance(call, Partial)
    outer = machine.frame
    ended: list[Signal] = []

    def consume(value: Value) -> None:
        machine.frames.append(outer)
        try:
            if target is not None:
                assign(machine, target, value)
            ended.append(body())
        finally:
            machine.frames.pop()

    machine.run_generator(call, consume)
    if not ended or (len(ended) > 1 and any(signal is not None for signal in ended)):
        raise GiveUp("a context manager that does not yield once", machine.location())
    return ended[-1]


def try_(machine: Machine, node: ir.Try) -> Signal:
    frame, depth = machine.frame, len(machine.frames)
    parked = len(frame.parks)
    machine.catching.append(lambda raised: any(catches(machine, h, raised) for h in node.handlers))
    waiting = len(machine.catching)
    try:
        try:
            signal = run_block(machine, node.body)
        finally:
            del machine.catching[waiting - 1 :]
        if signal is None:
            signal = run_block(machine, node.orelse)
    except Raised as raised:
        del machine.frames[depth:]
        del frame.parks[parked:]
        handler = next((h for h in node.handlers if catches(machine, h, raised)), None)
        if handler is None:
            run_block(machine, node.final)
            raise
        if handler.name:
            machine.bind_name(handler.name, machine.mystery(handler.name, "a caught exception", not_none=True))
        machine.handling.append(raised)
        try:
            signal = run_block(machine, handler.body)
        finally:
            machine.handling.pop()
    last = run_block(machine, node.final)
    return last if last is not None else signal


def catches(machine: Machine, handler: ir.Handler, raised: Raised) -> bool:
    if handler.type is None:
        return True
    caught = pick(machine, machine.evaluate(handler.type))
    names = [machine.exception_name(c) for c in (caught if isinstance(caught, tuple) else (caught,))]
    return any(is_a(kind, n) for kind in machine.exception_kinds(raised.kind, raised.value) for n in names)


def is_a(kind: str, caught: str) -> bool:
    """Whether an exception class is another's, by the builtin hierarchy; unknown classes are plain exceptions."""
    if kind == caught or caught in ("Exception", "BaseException"):
        return True
    one, other = getattr(builtins, kind, None), getattr(builtins, caught, None)
    return isinstance(one, type) and isinstance(other, type) and issubclass(one, other)


def raise_(machine: Machine, node: ir.Raise) -> Signal:
    if node.exception is None:
        current = machine.handling[-1] if machine.handling else None
        raise current or machine.raised("Exception", "re-raised", node.at, certain=False)
    value = pick(machine, machine.evaluate(node.exception))
    text = machine.exception_text(value)
    certain = True if of_this_run(machine) else None
    raised = machine.raised(machine.exception_name(value), text, node.at, certain=certain)
    raised.value, raised.explicit = value, True
    raise raised


def of_this_run(machine: Machine) -> bool:
    """Whether the running method looks at nothing but its object, and that was made in this run: no guess about what was launched or
    registered before decides whether it raises."""
    function, slots = machine.frame.function, machine.frame.slots
    if machine.recording() or function is None or function.node is None:
        return False
    parameters = machine.code.function(function.module, function.node).parameters
    receiver = slots.get(parameters[0].name) if len(parameters) == 1 else None
    is_new = isinstance(receiver, Instance) and receiver.attrs.born > machine.run_clock
    return is_new and function.owner is not None and looks_at_its_own(machine, function.node)


def assert_(machine: Machine, node: ir.Assert) -> Signal:
    known = condition(machine, machine.evaluate(node.test))
    if machine.asking is not None:
        note(machine, node.test, known)

    def side(holds: bool) -> Signal:
        if not holds:
            raised = machine.raised("AssertionError", "an assertion fails", node.at)
            raised.explicit = True
            raise raised
        return None

    return side(known) if isinstance(known, bool) else choose_block(machine, known, side)


def nothing(machine: Machine, node: ir.Statement) -> Signal:
    return None


def break_(machine: Machine, node: ir.Break) -> Signal:
    return Break()


def continue_(machine: Machine, node: ir.Continue) -> Signal:
    return Continue()


def delete_(machine: Machine, node: ir.Delete) -> Signal:
    for target in node.targets:
        delete(machine, target)
    return None


def import_(machine: Machine, node: ir.Import | ir.ImportFrom) -> Signal:
    bind_import(machine, node)
    return None


def define_function(machine: Machine, node: ir.DefineFunction) -> Signal:
    machine.bind_name(node.function.name, machine.define(node.function))
    return None


def define_class(machine: Machine, node: ir.DefineClass) -> Signal:
    """A class made inside a function: its body runs in a scope of its own."""
    frame = machine.frame
    bases = tuple(machine.evaluate(base) for base in node.bases)
    slots: Slots = machine.heap.new()
    cls = ClassValue(frame.module, node.name, None, bases, slots)
    outer = frame.scope
    frame.scope = Scope(slots, outer, None, is_class=True)
    machine.defining.append(cls)
    try:
        run_block(machine, node.body)
    finally:
        frame.scope = outer
        machine.defining.pop()
    machine.bind_name(node.name, cls)
    return None


def opaque(machine: Machine, node: ir.OpaqueStatement) -> Signal:
    raise GiveUp(f"a statement outside the vocabulary: {node.text[:60]}", machine.location(node.at))


HANDLERS: dict[type, Handler] = {
    ir.Evaluate: evaluate_,
    ir.Assign: assign_,
    ir.AugmentedAssign: augmented_,
    ir.Annotate: nothing,
    ir.Return: return_,
    ir.If: if_,
    ir.For: for_,
    ir.While: while_,
    ir.With: with_,
    ir.Try: try_,
    ir.Raise: raise_,
    ir.Assert: assert_,
    ir.Pass: nothing,
    ir.Break: break_,
    ir.Continue: continue_,
    ir.Delete: delete_,
    ir.Import: import_,
    ir.ImportFrom: import_,
    ir.DefineFunction: define_function,
    ir.DefineClass: define_class,
    ir.OpaqueStatement: opaque,
}
