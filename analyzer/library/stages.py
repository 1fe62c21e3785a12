"""Stage boundaries: what the operations of an engine's boundary package do to the residual stream on one rank.

Layers that are built from stages hand on one tensor; the residual, and what the last stage put out and nobody has added yet, belong to
the batch. Which functions these are is data of the flow. Their parameters are bound by the tree's own signatures, and reads, updates,
transforms and norms are the tree's own code: what is not known here ends in *not established*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..values import FunctionValue, Instance, Phi, Tensor, Unknown, Value
from .host import Host

READ = ("read", "update", "output_transform")
"""What is read of a declaration."""
ATTENTION, NORM = "#attention", "#norm"
REASON = "how a stage reads and writes the residual stream depends on it"
STAGE, BATCH = "#stage", "#batch"
"""Where a boundary keeps its declaration, and an exit its boundary and its batch."""


@dataclass(frozen=True, slots=True)
class Boundaries:
    """A boundary package as the flow describes it.

    ``package``: the module that everything of it lies in. ``stage``, ``declaration``, ``exit``: the classes whose objects stand for a
    stage, for its description and for its end. ``aside``: parameters that say nothing of the stream on one rank. ``operations``: by
    qualified name, what a function does.
    """

    package: str = ""
    stage: str = ""
    declaration: str = ""
    exit: str = ""
    aside: tuple[str, ...] = ()
    operations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stream:
    """The residual, what is pending, the update that will add it, and what is done to it first."""

    residual: Value = None
    pending: Value = None
    update: Value = None
    transform: Value = None


class Call:
    """One call of an operation: its parameters by name. A parameter that no operation takes is not understood."""

    def __init__(
        self, machine: Host, boundaries: Boundaries, function: FunctionValue, given: dict[str, Value], bound: dict[str, Value]
    ) -> None:
        self.machine, self.boundaries, self.name = machine, boundaries, function.name
        self.left = {name for name, value in given.items() if value is not None and name not in boundaries.aside}
        self.given, self.bound = given, bound

    def take(self, name: str) -> Value:
        """A parameter of the tree's function; one that it does not have is not understood."""
        self.left.discard(name)
        if name not in self.bound:
            raise self.unknown(f"has no parameter {name!r}")
        return self.machine.pick(self.bound[name])

    def option(self, name: str) -> Value:
        """A keyword that the call may have."""
        self.left.discard(name)
        return self.machine.pick(self.bound.get(name))

    def tensor(self, name: str) -> Tensor:
        value = self.take(name)
        if not isinstance(value, Tensor):
            raise self.unknown(f"is given {self.machine.show(value)[:60]} for a tensor")
        return value

    def end(self) -> None:
        if self.left:
            raise self.unknown(f"is given {', '.join(sorted(self.left))}, which is not modelled")

    def unknown(self, what: str) -> Exception:
        return self.machine.limit(f"the stage boundary's {self.name} {what}")

    # --------------------------------------------------------------- the stream

    def batch(self) -> str:
        batch = self.take("forward_batch")
        if not isinstance(batch, Unknown):
            raise self.unknown("is given a batch that is not understood")
        return batch.key

    def stream(self, key: str, hidden: Tensor | None = None) -> Stream:
        """The stream of a batch; ``hidden`` must be what it handed out last."""
        held = self.machine.require(self.machine.streams.get(key), "the residual stream depends on it")
        if not isinstance(held, tuple):
            raise self.unknown("meets a batch whose stream was not started here")
        stream = Stream(*(self.machine.require(part, "the residual stream depends on it") for part in held))
        last = stream.residual if stream.pending is None else stream.pending
        if hidden is not None and isinstance(last, Tensor) and last.cell is not hidden.cell:
            raise self.unknown("is given a tensor that is not what the stream handed out")
        return stream

    def write(self, key: str, stream: Stream | None) -> None:
        held = None if stream is None else (stream.residual, stream.pending, stream.update, stream.transform)
        self.machine.heap.write(self.machine.streams, key, held)

    def is_plain(self, update: Value) -> bool:
        return self.fact(update, "is_plain_add")

    def fact(self, owner: Value, name: str) -> bool:
        """What an update or a read says of itself."""
        value = self.machine.pick(self.machine.get_attribute(owner, name))
        if not isinstance(value, bool):
            raise self.unknown(f"does not know {name} of {self.machine.show(owner)[:60]}")
        return value

    def unbound(self, owner: Value) -> Value:
        """A read or an update that needs nothing of the batch."""
        if self.machine.pick(self.machine.get_attribute(owner, "bind")) is not None:
            raise self.unknown(f"meets {self.machine.show(owner)[:60]}, which is bound to each batch")
        return owner

    def whole(self, stream: Stream, hidden: Tensor) -> Value:
        """What is pending and the residual, added."""
        if stream.pending is None or stream.residual is None:
            return hidden
        if not self.is_plain(stream.update):
            raise self.unknown("adds what is not added plainly")
        return self.machine.binary("+", stream.pending, stream.residual)

    def pair(self, value: Value) -> tuple[Value, Value]:
        if isinstance(value, tuple) and len(value) == 2:
            return value
        if isinstance(value, Phi):
            return self.machine.subscript(value, 0), self.machine.subscript(value, 1)
        raise self.unknown("reads something that is no pair of input and residual")


Operation: TypeAlias = Callable[[Call], Value]


def declare(call: Call, attention: bool = False) -> Value:
    """A stage is described: how it reads its input, and how what it puts out is added."""
    for name in READ:
        call.take(name)
    call.end()
    return call.machine.bare(call.boundaries.declaration, {**call.bound, ATTENTION: attention})


def declare_attention(call: Call) -> Value:
    return declare(call, True)


def append(call: Call) -> Value:
    """``append_stages((declaration, norm), …)``: one boundary for each."""
    stages = call.take("stages")
    call.end()
    made: list[Value] = []
    for item in stages if isinstance(stages, tuple) else (None,):
        parts = call.machine.pick(item)
        if not isinstance(parts, tuple) or len(parts) not in (2, 3):
            raise call.unknown("is given a stage that is not understood")
        plan = call.machine.mystery("plan", "how a stage moves its rows", not_none=True)
        made.append(call.machine.bare(call.boundaries.stage, {STAGE: parts[0], NORM: parts[1], "declaration": parts[0], "plan": plan}))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Declared:
    """A stage as it was described, and its norm."""

    attention: bool
    read: Value
    update: Value
    transform: Value
    norm: Value


def declared_of(call: Call, boundary: Value) -> Declared:
    """The description of a boundary."""
    found = boundary.attrs.get(STAGE) if isinstance(boundary, Instance) else None
    kinds: list[Value] = []

    def each(value: Value) -> Value:
        kinds.append(value.attrs.get(ATTENTION) if isinstance(value, Instance) else None)
        return None

    call.machine.lift(found, each)
    if not isinstance(boundary, Instance) or not kinds or any(kind is not kinds[0] or not isinstance(kind, bool) for kind in kinds):
        raise call.unknown("is called on a stage that was not declared here")
    parts = (call.machine.require(call.machine.get_attribute(found, name), REASON) for name in READ)
    read, update, transform = parts
    for owner in (read, update):
        call.unbound(owner)
    return Declared(kinds[0] is True, read, update, transform, boundary.attrs[NORM])


def prepare(call: Call) -> Value:
    """What is pending is added, the stage's input is read, and the stream is shown to who captures it."""
    declared = declared_of(call, call.take("self"))
    hidden, key = call.tensor("hidden_states"), call.batch()
    stream = call.stream(key, hidden)
    capture, collector, extra = (call.option(name) for name in ("capture", "capture_gathered", "post_residual_addition"))
    quantized = call.option("quant_format")
    call.end()
    if not declared.attention and (capture is not None or collector is not None):
        raise call.unknown("is given a capture in front of what is no attention")
    if isinstance(extra, Phi | Unknown) and capture is not None:
        raise call.unknown("may be given something that is added behind the capture")
    early = (stream.residual is None and stream.pending is None) or extra is not None
    if early:
        owned = {"owned": True} if stream.pending is not None and stream.residual is not None else {}
        show(call, capture, call.whole(stream, hidden) if capture is not None else None, **owned)
    options: dict[str, Value] = {"quant_format": "" if quantized is None else quantized, "post_residual_addition": extra}
    read, residual = read_input(call, declared, stream, hidden, options)
    call.write(key, Stream(residual))
    if not early:
        show(call, capture, residual, owned=False)
    if collector is not None:
        show(call, call.machine.get_attribute(collector, "capture"), residual, owned=False)
    return read


def show(call: Call, capture: Value, value: Value, **owned: Value) -> None:
    """The capture is called. That the stream is not written later is not for it to know, so that it must copy."""
    call.machine.lift(capture, lambda each: None if each is None else call.machine.call(each, (value,), dict(owned)))


def read_input(call: Call, declared: Declared, stream: Stream, hidden: Tensor, options: dict[str, Value]) -> tuple[Value, Value]:
    """The input of a stage and the new residual, by the stage's own read."""
    run, read, norm = call.machine.call, declared.read, declared.norm
    if stream.pending is None:
        entering = stream.residual is None
        held = run(call.machine.get_attribute(read, "init_residual"), (hidden,), {}) if entering else hidden
        return call.pair(run(call.machine.get_attribute(read, "read"), (held, norm, options["quant_format"]), {}))
    if stream.residual is None:
        raise call.unknown("adds what is pending to no residual")
    value = transformed(call, stream.transform, stream.pending)
    return call.pair(run(call.machine.get_attribute(read, "update_and_read"), (stream.update, value, stream.residual, norm), options))


def transformed(call: Call, transform: Value, value: Value) -> Value:
    return value if transform is None else call.machine.call(call.machine.get_attribute(transform, "apply"), (value,), {})


def finish(call: Call) -> Value:
    """A stage ends: what it put out waits to be added, or is added here."""
    boundary, hidden, key = call.take("self"), call.tensor("hidden_states"), call.batch()
    call.end()
    return end_stage(call, boundary, hidden, key)


def end_stage(call: Call, boundary: Value, hidden: Tensor, key: str) -> Value:
    declared, stream = declared_of(call, boundary), call.stream(key)
    update, transform = declared.update, declared.transform
    if stream.pending is not None or stream.residual is None:
        raise call.unknown("ends a stage that was not prepared")
    applied = call.fact(update, "applied_at_exit")
    if declared.attention and applied:
        raise call.unknown("writes the residual at the end of an attention")
    if declared.attention:
        call.write(key, Stream(stream.residual, hidden, update, transform))
        return hidden
    value = transformed(call, transform, hidden)
    if not applied:
        call.write(key, Stream(stream.residual, value, update))
        return value
    written = call.machine.call(call.machine.get_attribute(update, "update"), (value, stream.residual), {})
    call.write(key, Stream(written))
    return written


def open_exit(call: Call) -> Value:
    """``with boundary.exit(batch) as end: …; end.finish(output)``."""
    boundary, batch = call.take("self"), call.take("forward_batch")
    call.end()
    if declared_of(call, boundary).attention:
        raise call.unknown("is opened on an attention")
    scope = call.machine.mystery("scope", "what is set while a stage ends", not_none=True)
    return call.machine.bare(call.boundaries.exit, {STAGE: boundary, BATCH: batch, "_scope": scope})


def finish_exit(call: Call) -> Value:
    end, hidden = call.take("self"), call.tensor("hidden_states")
    call.end()
    batch = end.attrs.get(BATCH) if isinstance(end, Instance) else None
    if not isinstance(end, Instance) or not isinstance(batch, Unknown):
        raise call.unknown("ends a stage that was not opened here")
    return end_stage(call, end.attrs[STAGE], hidden, batch.key)
