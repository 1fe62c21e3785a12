"""A target that a trainer does not make but is handed: an argument, an attribute, the model that a class is mixed into.

It is told by what is done with it: its ``layers`` are walked or hooked, or it is asked for all hidden states. Which object that is, the
trainer alone does not say, so every result rests on the assumption ``open-target``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..library.target_model import ROOT as CONFIG
from ..values import MISSING, BoundMethod, ClassValue, External, ExternalObject, FunctionValue, Instance, Super, Unknown, Value
from .names import module_name, module_slots
from .recording import OPEN
from .signals import GiveUp, Raised

if TYPE_CHECKING:
    from .machine import Machine

ASSUMED = "open-target"
STUB = "transformers"
LISTING = frozenset({"named_modules"})
"""Methods that list the modules of a model."""


def open_attribute(machine: Machine, owner: Unknown, name: str) -> Value:
    """An attribute of something unknown that is a part of the target by its name; MISSING where it is none."""
    ledger = machine.ledger
    if ledger is None or is_made(machine, owner.key):
        return MISSING
    names = ledger.names
    if name in names.layers:
        ledger.roots.add(owner.key)
        return machine.get_attribute(the_target(machine), "layers")
    if name in names.configs and any(root == owner.key or root.startswith(f"{owner.key}.") for root in ledger.known_roots):
        machine.assume(ASSUMED)
        return machine.unknown(CONFIG, "the target's config", not_none=True)
    if owner.key in ledger.known_roots:
        if name in names.starts or name in names.ends:
            machine.assume("single-rank")
            return 0 if name in names.starts else machine.num_layers
        part = "embed" if name in names.embeddings else "norm" if name in names.norms else None
        return machine.get_attribute(the_target(machine), part) if part is not None else MISSING
    return MISSING


def training_mode(machine: Machine, module: Value) -> Value:
    """``module.training``: in a trainer its own modules are, of the target it is not known; in an engine none is."""
    if machine.recording() and isinstance(module, Instance) and module.cls.module.name == STUB:
        return machine.mystery("training", "whether the target is in training mode", not_none=True)
    machine.assume("training-mode" if machine.recording() else "eval-mode")
    return machine.recording()


def is_made(machine: Machine, key: str) -> bool:
    """Whether an unknown is, or belongs to, an object that the trainer makes itself by calling a class: a draft, say."""
    ledger = machine.ledger
    if key.startswith(f"{STUB}#"):
        return True  # a part of a model that is known, of which the part is not
    return ledger is not None and any(key == made or key.startswith((f"{made}.", f"{made}[")) for made in ledger.made)


def note_made(machine: Machine, function: Value, made: Value) -> None:
    """Something outside was called: an object of a class is the trainer's own."""
    if machine.ledger is not None and isinstance(function, External) and isinstance(made, Unknown):
        last = function.name.rpartition(".")[2]
        if last[:1].isupper():
            machine.ledger.made.add(made.key)


def the_target(machine: Machine) -> Instance:
    """The one open target of a run."""
    ledger = machine.ledger
    assert ledger is not None
    machine.assume(ASSUMED)
    if ledger.target is None:
        module = machine.index.module(STUB)
        if module is None:
            raise GiveUp("the target is handed to the trainer, which has a transformers of its own", machine.location())
        with machine.module_frame(module, module_slots(machine, module)):
            made = machine.call(module_name(machine, module, "opened"), (), {})
            assert isinstance(made, Instance)
            machine.attrs_of(made)
        ledger.target = made
    return ledger.target


def open_call(machine: Machine, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value] | None:
    """What a call comes to that runs the target or its engine, boxed; None where it does neither."""
    ledger = machine.ledger
    if ledger is None or not isinstance(function, Unknown | External | ExternalObject | Super):
        return None
    name = machine.show(function).rpartition(".")[2]
    if name in ledger.names.setters:
        return set_layers(machine, name, args, keywords)
    if name in ledger.names.rpc:
        return call_worker(machine, args, keywords)
    if name in ledger.names.runs:
        run_target(machine)
        return (machine.mystery(name, "what the engine answers", not_none=True),)
    asked = [keyword for keyword in ledger.names.states if machine.pick(keywords.get(keyword)) is True]
    key = function.key if isinstance(function, Unknown | ExternalObject) else machine.show(function)
    if asked and not is_made(machine, key):
        ledger.roots.add(ledger.supers.get(key, owner_of(key)))
        return (machine.call(the_target(machine), (), {"output_hidden_states": True}),)
    if isinstance(function, Unknown) and name in LISTING and not is_made(machine, key):
        return (machine.call(machine.get_attribute(the_target(machine), name), (), {}),)
    if isinstance(function, Unknown) and ledger.target is not None and runs_target(machine, key):
        return (machine.call(the_target(machine), (), {}),)
    return None


def runs_target(machine: Machine, key: str) -> bool:
    """Whether a call of this is one of the model whose layers were looked into."""
    ledger = machine.ledger
    assert ledger is not None
    owner = owner_of(key)
    return any(root == owner or root.startswith(f"{owner}.") for root in ledger.roots)


def run_target(machine: Machine) -> None:
    """Run the target as an engine or a trainer's framework does: by the forward that was put in place of its own, if one was."""
    patched = [value for key, value in machine.written.items() if isinstance(key, str) and key.endswith(".forward")]
    for forward in map(machine.pick, patched):
        if isinstance(forward, BoundMethod | FunctionValue):
            machine.assume(ASSUMED)
            machine.call(forward, (), open_arguments(machine, forward))
            return
    ledger = machine.ledger
    if ledger is not None and ledger.target is not None:
        machine.call(ledger.target, (), {})


def open_arguments(machine: Machine, function: BoundMethod | FunctionValue) -> dict[str, Value]:
    """Something unknown for each parameter without a default; text alone is handed in."""
    inner = function.function if isinstance(function, BoundMethod) else function
    if not isinstance(inner, FunctionValue) or inner.node is None:
        return {}
    parameters = machine.code.function(inner.module, inner.node).parameters[1 if isinstance(function, BoundMethod) else 0 :]
    given: dict[str, Value] = {}
    for parameter in parameters:
        if parameter.kind not in ("star", "star-star") and parameter.default is None:
            supposed = machine.supposed_value(parameter.name)
            given[parameter.name] = supposed[0] if supposed else machine.unknown(parameter.name, f"an argument of {inner.name}")
    return given


def the_object(machine: Machine, cls: ClassValue, arguments: Callable[[Value, bool], dict[str, Value]]) -> Value:
    """The one object of a class that is entered. Where its class has no constructor, or changes what making an object means, it may
    be mixed into another one: of its attributes only those are known that its methods give it. A constructor that
    insists on an argument whose default is None was given one."""
    assert machine.ledger is not None and cls.node is not None
    held = machine.ledger.objects.get(cls.node)
    if held is None:
        init, _ = machine.find_in_class(cls, "__init__")
        mixed_in = init is MISSING and not cls.node.decorator_list
        mark = machine.heap.mark()
        try:
            held = None if mixed_in else made_of(machine, cls, arguments(init, False))
        except Raised as raised:
            if not raised.explicit:
                raise
            machine.heap.rollback(mark)
            held = made_of(machine, cls, arguments(init, True))
        if not isinstance(held, Instance):
            machine.assume("open-object")
            held = Instance(cls, machine.heap.new(**{OPEN: True}))
        machine.ledger.objects[cls.node] = held
    return held


def made_of(machine: Machine, cls: ClassValue, given: dict[str, Value]) -> Value:
    """An object, its constructor run at once."""
    made = machine.call(cls, (), given)
    if isinstance(made, Instance):
        machine.attrs_of(made)
    return made


def call_worker(machine: Machine, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value] | None:
    """``collective_rpc("method", args=(…))``: the method of the one class of the tree that has it; one answer for each worker
    (vLLM 0.11, ``v1/executor/multiproc_executor.py``)."""
    name = machine.pick(args[0]) if args else None
    found = machine.ledger.workers(name) if machine.ledger is not None and isinstance(name, str) else None
    if found is None:
        return None
    machine.assume("engine-worker")
    module, node = found
    cls = module_name(machine, module, node.name)
    if not isinstance(cls, ClassValue) or not isinstance(name, str):
        return None
    worker = the_object(machine, cls, lambda _, insists: {})
    given = machine.pick(keywords.get("args", ()))
    answer = machine.call(machine.get_attribute(worker, name), given if isinstance(given, tuple) else (), {})
    return (machine.new_list((answer,)),)


def owner_of(key: str) -> str:
    """The model of which this is the forward."""
    return key.removesuffix(".forward").removesuffix(".__call__")


def set_layers(machine: Machine, name: str, args: tuple[Value, ...], keywords: dict[str, Value]) -> tuple[Value]:
    """An engine's setter is handed the ids: what it makes of them is for the engine's source to say."""
    given = machine.pick(args[0]) if args else machine.pick(next(iter(keywords.values()), None))
    items = machine.iterate(given) if given is not None and not isinstance(given, Unknown) else None
    ids = None if items is None else tuple(machine.pick(item) for item in items)
    known = given is None or (ids is not None and all(isinstance(each, int) for each in ids))
    place = machine.location()
    if place is not None:
        machine.note("setters", (name, ids if known else None, known, place.file, place.line))
    machine.record("handed to the engine's setter", machine.show(given), name)
    return (None,)


def is_layer_class(machine: Machine, value: Instance, cls: Value) -> bool:
    """Whether ``isinstance(layer, SomeLayer)`` asks a layer of the open target whether it is one."""
    if machine.ledger is None or machine.ledger.target is None or value not in machine.members or not isinstance(cls, External):
        return False
    machine.assume(ASSUMED)
    return cls.name.endswith(("Layer", "Block"))
