"""Entering a trainer: its functions, the methods of its objects and its programs, with arguments of which nothing is known."""
from __future__ import annotations

import ast

from .entries import DEFINING, Entry, Scan
from .index import Module
from .interpret.machine import Machine
from .interpret.names import decorators, module_name
from .interpret.open_target import STUB, run_target, the_object
from .ir import At, Const, Parameter
from .library.recorded_files import frozen
from .library.samples import SAMPLE
from .library.target_model import ROOT
from .lifecycle import CALLED
from .values import BoundMethod, ClassValue, DictValue, FunctionValue, ListValue, Value


def enter(machine: Machine, entry: Entry, *, everything_open: bool, is_made: bool, passed: frozenset[str]) -> Value:
    """Run a function of the trainer; what nobody passes has its default, where nothing in the trainer calls it. The methods of a class
    that are entered one after the other are those of one object; ``is_made`` says that the trainer makes it somewhere,
    ``passed`` which parameters calls of that name pass."""
    if isinstance(entry.node, ast.Module):
        run_program(machine, entry.module)
        return None
    if entry.called:
        machine.assume("unseen-callers")
    with machine.in_module(entry.module):
        machine.frame.at = At(entry.line, entry.node.col_offset)
        owner = module_name(machine, entry.module, entry.cls.name if entry.cls is not None else entry.node.name)
        function: Value = owner
        if isinstance(owner, ClassValue) and entry.cls is not None:
            found, _ = machine.find_in_class(owner, entry.node.name)
            receiver: Value = owner
            if isinstance(found, FunctionValue) and not is_static(entry.node):
                opened = everything_open or is_made
                receiver = the_object(machine, owner, lambda init, insists: arguments(machine, init, opened, insists=insists))
            function = None if entry.node.name == "__init__" else machine.get_attribute(receiver, entry.node.name)
        is_open = everything_open or entry.called or entry.node.name in CALLED
        given = arguments(machine, function, is_open, passed=passed)
        answer = None if function is None else machine.call(function, (), given)
    machine.frames.clear()
    return answer


def note_returned(machine: Machine, entry: Entry, answer: Value) -> None:
    """What a function answers that nothing in the trainer calls may be what the files hold that others read."""
    answer = machine.pick(answer)
    if isinstance(answer, ListValue) and SAMPLE in answer.state:
        answer = machine.pick(answer.state[SAMPLE])
    items = (machine.iterate(answer) or ()) if isinstance(answer, ListValue | tuple) else (answer,)
    records = [record for record in map(machine.pick, items) if isinstance(record, DictValue)]
    if records and not machine.noted_entries("saved"):
        machine.assume("returned-records")
        with machine.in_module(entry.module):
            machine.frame.at = At(entry.line, 0)
            for record in records:
                made = frozen(machine, record)
                for key, value in machine.entries(made) or () if isinstance(made, DictValue) else ():
                    if value is None:  # what the function leaves empty is for whoever calls it to fill in
                        machine.set_item(made, key, machine.mystery("field", "a field that is left empty"))
                machine.note("saved", (machine.here(), made))
        machine.frames.clear()


def run_handed_target(machine: Machine, scan: Scan) -> None:
    """Run the target that the trainer was handed, where none has run: its walks are still to come."""
    if not machine.noted_entries("walks"):
        with machine.in_module(scan.index.module(STUB) or next(iter(scan.modules()))):
            run_target(machine)
        machine.frames.clear()


def run_program(machine: Machine, module: Module) -> None:
    """Run what a file does when it is started as a program."""
    machine.heap.order.is_script = True
    with machine.in_module(module):
        machine.frame.slots["__name__"] = "__main__"
        if machine.ledger is not None:
            machine.ledger.ran.add(module.tree)
        for statement in module.tree.body:
            if not isinstance(statement, DEFINING):
                machine.frame.at = At(statement.lineno, statement.col_offset)
                machine.run_statement(machine.code.statement(module, statement))
    machine.frames.clear()


def is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is called on its class."""
    return bool({"staticmethod", "classmethod"} & set(decorators(node)))


def arguments(
    machine: Machine, function: Value, is_open: bool, *, insists: bool = False, passed: frozenset[str] = frozenset()
) -> dict[str, Value]:
    """What a function is given: as the training config says, else nothing is known of it; a default stays one unless ``is_open``, or it is
    None and the function ``insists`` on something else, or it is among those that are ``passed`` somewhere."""
    bound = isinstance(function, BoundMethod)
    inner = function.function if isinstance(function, BoundMethod) else function
    if not isinstance(inner, FunctionValue) or inner.node is None:
        return {}
    code = machine.code.function(inner.module, inner.node)
    skipped = 1 if bound or (inner.owner is not None and not is_static(inner.node)) else 0
    given: dict[str, Value] = {}
    reason = f"an argument of {inner.name}, which nothing in the trainer passes"
    for parameter in code.parameters[skipped:]:
        if parameter.kind == "star-star":
            extra = passed - {each.name for each in code.parameters}
            given |= {name: machine.unknown(name, reason) for name in sorted(extra)}
        if parameter.kind in ("star", "star-star"):
            continue
        value = machine.given_value(parameter.name)
        if value is not None:
            given[parameter.name] = value[0]
        elif is_open or parameter.name in passed or has_no_default(parameter, insists):
            key = parameter.name if parameter.name != ROOT else f"{inner.name}.{ROOT}"  # the trainer's config is not the target's
            given[parameter.name] = machine.unknown(key, reason)
        else:
            machine.assume("call-defaults")
    return given


def has_no_default(parameter: Parameter, insists: bool) -> bool:
    """Whether a parameter must be given: it has no default, or None where the function ``insists`` on something else."""
    default = parameter.default
    return default is None or (insists and isinstance(default, Const) and default.value is None)
