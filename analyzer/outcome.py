"""One run on a built model: call the setter, run the forward, name what the consumer was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .flows.flow import Flow
from .interpret.branch import pick, require
from .interpret.buffers import pieces_of
from .interpret.layers import reached
from .interpret.machine import Machine
from .interpret.signals import GiveUp, NeedDecision, Raised
from .ir import Function, Parameter
from .points import Stream, find_stream, name_point, open_part
from .results import Condition, Location, Overwritten, Step
from .values import MISSING, Atom, BoundMethod, ClassValue, Content, FunctionValue, Id, Instance, Tensor, Unknown, Value

Ids = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Handed:
    """A call of an engine's setter: with which ids (None for none or the default), where they are known."""

    setter: str
    ids: Ids
    known: bool
    at: Location


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to: captured points, an exception of the program, or a reason why neither is known."""

    captured: tuple[str, ...] | None = None
    error: str | None = None
    reason: str | None = None
    at: Location | None = None
    before_layers: bool = False
    guarded: bool = False
    """The program raises itself, and other guards of it were passed over before."""
    refused: bool = False
    """The program raises itself."""
    silent: bool = False
    """Of a trainer: it ran to its end, and nothing of the target is known to have been concatenated."""
    recorded: tuple[str, ...] | None = None
    """Of a trainer: all that is kept together with what is captured, where that is more."""
    site: Location | None = None
    """Of a trainer: the place where the first captured point is selected."""
    handed: Handed | None = None
    """Of a trainer: what it hands to an engine's setter."""
    overwritten: tuple[Overwritten, ...] = ()
    switch: Unknown | None = None
    """The switch by which captured points are lost: with the other answer they may be whole."""

    @property
    def result(self) -> tuple[tuple[str, ...] | None, str | None, bool]:
        """What two outcomes must share to be one answer: of all of which nothing is proved there is one."""
        return self.captured, self.error, self.reason is not None


def first_open(condition: Unknown, decided: Mapping[str, bool]) -> Unknown | None:
    """The first undecided part of a condition that is not a conjunction itself."""
    if not condition.parts:
        return None if condition.key in decided else condition
    return next((found for part in condition.parts if (found := first_open(part, decided)) is not None), None)


def raised_outcome(machine: Machine, raised: Raised) -> Outcome:
    """An exception that ends the program."""
    if raised.building and not machine.recording():
        return Outcome(reason=f"building the model raises {raised.kind}: {raised.text}", at=raised.at)
    if raised.certain:
        guarded = raised.explicit and "guards" in machine.assumptions
        return Outcome(error=str(raised), at=raised.at, before_layers=machine.walk["order"] == (), guarded=guarded, refused=raised.explicit)
    return Outcome(reason=f"it may raise {raised.kind}: {raised.text}", at=raised.at)


def lacks_consumer(machine: Machine) -> bool:
    """Whether all layers ran to the end of the forward, and nothing was there that could take what they leave: then nothing is captured."""
    return machine.walk["order"] == tuple(range(machine.num_layers)) and not machine.may_consume and not machine.recording()


def call_setter(machine: Machine, instance: Instance, setter: str, ids: Ids, defaults: Sequence[str] = ()) -> None:
    """Hand the setter the config's ids; for the default what the target says that it is, where it has one of the methods ``defaults``, else
    nothing, or None where a parameter insists."""
    method = machine.get_attribute(instance, setter)
    args: tuple[Value, ...] = ()
    own = next((name for name in defaults if isinstance(machine.find_in_class(instance.cls, name)[0], FunctionValue)), None)
    if ids is not None:
        handed = tuple(Id(k) for k in ids)
        args = (machine.new_list(handed),)
        if machine.asking is not None:
            machine.asking.handed = handed
        if (place := place_of(machine, method)) is not None:
            machine.trail.append(Step("handed to the setter", "config", f"[{', '.join(map(str, ids))}]", place))
    elif own is not None:
        args = (machine.call(machine.get_attribute(instance, own), (), {}),)
    elif isinstance(method, BoundMethod) and isinstance(method.function, FunctionValue) and needs_argument(machine, method.function):
        args = (None,)
    machine.call(method, args, {})


def place_of(machine: Machine, method: Value) -> Location | None:
    """The place of a method's definition."""
    function = method.function if isinstance(method, BoundMethod) else None
    if not isinstance(function, FunctionValue) or function.node is None:
        return None
    return machine.place(function.module.path, function.node.lineno)


def needs_argument(machine: Machine, function: FunctionValue) -> bool:
    code: Function = function.code or machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    return any(p.default is None and p.kind in ("positional", "positional-only", "keyword-only") for p in code.parameters[1:])


def run_forward(machine: Machine, flow: Flow, instance: Instance, given: Mapping[str, Value] | None = None) -> Value:
    """Run the model's forward on a batch of which nothing is known but that it is text, and what it is ``given`` besides by name; what it
    returns."""
    found, _ = machine.find_in_class(instance.cls, "forward")
    if not isinstance(found, FunctionValue) or found.node is None:
        raise GiveUp(f"{instance.cls.name} has no forward in the tree", machine.location())
    keywords: dict[str, Value] = {}
    for parameter in forward_parameters(machine, instance.cls):
        if parameter.kind in ("star", "star-star") or parameter.default is not None:
            continue
        keywords[parameter.name] = argument(machine, flow, parameter.name, parameter.annotation)
    return machine.call(BoundMethod(found, instance), (), {**keywords, **(given or {})})


def read_answer(machine: Machine, flow: Flow, answer: Value) -> Outcome:
    """Name the points that reached the consumer, or that a forward returned, where the flow says that they are there."""
    if flow.sink.returned is not None and (none := take_returned(machine, answer, *flow.sink.returned)) is not None:
        return none
    return read_sink(machine)


def take_returned(machine: Machine, answer: Value, hidden: int, captured: int) -> Outcome | None:
    """What a forward returned is what the consumer is given, where the flow says so; the outcome where nothing captured is in it."""
    answer = require(machine, answer, "what the forward returns depends on it")
    if isinstance(answer, tuple) and max(hidden, captured) < len(answer):
        reached(machine, answer[hidden], answer[captured])
        return None
    if isinstance(answer, Tensor) and lacks_consumer(machine):
        machine.heap.write(machine.sink, "hidden", answer)
        return Outcome(captured=())
    shown = "no tuple" if not isinstance(answer, tuple) else f"a tuple of {len(answer)}"
    return Outcome(reason=f"what the forward returns is {shown} that is known to hold the captured states", at=machine.location())


def forward_parameters(machine: Machine, cls: ClassValue) -> tuple[Parameter, ...]:
    """The parameters of a class's forward; of one that hands on all it is given those of the next in the order of resolution."""
    parameters: tuple[Parameter, ...] = ()
    after: ClassValue | None = None
    while True:
        found, owner = machine.find_in_class(cls, "forward", after=after)
        if not isinstance(found, FunctionValue) or found.node is None or not isinstance(owner, ClassValue):
            return parameters
        parameters = machine.code.function(found.module, found.node).parameters[1:]
        if not any(parameter.kind == "star" for parameter in parameters):
            return parameters
        after = owner


def argument(machine: Machine, flow: Flow, name: str, annotation: str | None) -> Value:
    if name in flow.tensor_inputs or (annotation is not None and "Tensor" in annotation):
        return machine.source(name, blank=name in flow.blank_inputs)
    return machine.unknown(name, "an argument of the forward", not_none=True)


def read_sink(machine: Machine) -> Outcome:
    """Name the points that reached the consumer."""
    if pick(machine, machine.sink.get("reached", MISSING)) is not True:
        if lacks_consumer(machine):
            return Outcome(captured=())
        return Outcome(reason="the consumer of the captured tensors is not reached", at=machine.location())
    captured = require(machine, machine.sink["captured"], "whether anything is captured depends on it")
    if captured is None:
        return Outcome(captured=())
    if isinstance(captured, Tensor):
        pieces = pieces_of(machine, captured)
        if isinstance(pieces, str):
            return Outcome(reason=pieces, at=machine.location())
        tensors: list[Value] = pieces or [captured]
    else:
        found = machine.iterate(captured)
        if found is None:
            return Outcome(reason="what reaches the consumer is not a known list of tensors", at=machine.location())
        tensors = found
    if not tensors:
        return Outcome(captured=())
    stream = the_stream(machine)
    if isinstance(stream, str):
        return Outcome(reason=stream, at=machine.location())
    return name_all(machine, tensors, stream)


def the_stream(machine: Machine) -> Stream | str:
    order = machine.walk["order"]
    if not isinstance(order, tuple) or not order:
        return "no layer of the model was seen to run"
    last = order[-1]
    assert isinstance(last, int)
    finals = machine.walk["finals"]
    candidates: list[tuple[Content, Atom | None]] = []
    for made in finals if isinstance(finals, tuple) else ():
        assert isinstance(made, Tensor)
        content = made.cell.get("#made")
        if isinstance(content, Content):
            candidates += [(inner, atom) for atom in content.atoms() for inner in atom.inputs]
    hidden = pick(machine, machine.sink.get("hidden", MISSING))
    if isinstance(hidden, Tensor) and isinstance(content := machine.content(hidden), Content):
        candidates.append((content, None))
    return find_stream(candidates, last)


@dataclass(frozen=True, slots=True)
class Kept:
    """A captured tensor: the point that it held when it was collected, and whether it has been ``written`` since then: under a ``switch``
    that stands as at import, or (too) whatever the switches: then it is ``sure``, as long as the switch does not move the tensor."""

    tensor: Tensor
    point: str
    written: bool
    switch: Unknown | None
    sure: bool

    @property
    def spared(self) -> bool:
        """Whether it is no whole point anyway, and nothing but a switch decides whether it is written."""
        return self.switch is not None and not self.sure and "/" in self.point

    @property
    def hangs(self) -> bool:
        """Whether the other answer to a switch may spare it."""
        return self.written and self.switch is not None and not self.spared

    def named(self, switched: bool) -> str:
        """The point by its name. What was no whole point to begin with has the stage that it had, while no more than a switch decides
        whether it is written; ``switched`` tells that this is settled."""
        if not self.written or (self.spared and not switched):
            return self.point
        return f"{self.point.partition('/')[0]}/overwritten"


def name_all(machine: Machine, tensors: list[Value], stream: Stream) -> Outcome:
    found: list[Kept] = []
    hangs = "the content of a captured tensor depends on it"
    for place, value in enumerate(tensors):
        value = pick(machine, value)
        if not isinstance(value, Tensor):
            return Outcome(reason=f"captured entry {place} is no tensor that is known: {machine.show(value)}", at=machine.location())
        hit = value.kept is not None and is_hit(machine, value)
        content = machine.content(value) if hit else require(machine, machine.content(value), hangs)
        kept = content if value.kept is None else require(machine, value.kept, hangs)
        if isinstance(kept, Content) and (condition := open_part(kept, stream)) is not None:
            raise NeedDecision(condition, "whether it is the whole stream depends on it")
        one = read_kept(value, content, kept, stream, hit)
        if one is None:
            return Outcome(reason=why_unnamed(machine, content if not isinstance(content, Content) else kept), at=machine.location())
        found.append(one)
    switch = next((one.switch for one in found if one.hangs), None)
    points = tuple(one.named(switch is not None) for one in found)
    lost = tuple(each for one, point in zip(found, points, strict=True) for each in overwritten(one, point))
    return Outcome(captured=points, overwritten=lost, switch=switch)


def is_hit(machine: Machine, tensor: Tensor) -> bool:
    """Whether a tensor was written in place since it was collected."""
    return require(machine, tensor.cell.get("hit", MISSING), "whether it is written in place depends on it") is True


def read_kept(tensor: Tensor, content: Value, kept: Value, stream: Stream, hit: bool) -> Kept | None:
    """The point that a tensor held when it was collected; None where it is not understood, or may have been written or not."""
    if not isinstance(kept, Content) or not (isinstance(content, Content) or hit):
        return None
    point = name_point(kept, stream)
    if point is None:
        return None
    switches = tensor.cell.get("switch")
    switch = switches[0] if isinstance(switches, tuple) else None
    return Kept(tensor, point, kept != content, switch if isinstance(switch, Unknown) else None, isinstance(tensor.cell.get("sure"), tuple))


def name_kept(content: Value, kept: Value, stream: Stream) -> str | None:
    """The point that a tensor held when it was collected, as far as its contents tell; a whole point that has been written since then is
    lost."""
    if not isinstance(content, Content) or not isinstance(kept, Content):
        return None
    point = name_point(kept, stream)
    return f"{point}/overwritten" if point is not None and kept != content and "/" not in point else point


def overwritten(kept: Kept, point: str) -> Iterator[Overwritten]:
    """Where a point that was lost was kept, and where its tensor was written."""
    written, kept_at = kept.tensor.cell.get("written"), kept.tensor.kept_at
    if not point.endswith("/overwritten") or kept_at is None or not isinstance(written, tuple):
        return
    places = (place for place in written if isinstance(place, tuple))
    where = (Location(file, line) for file, line in places if isinstance(file, str) and isinstance(line, int))
    switch = kept.switch
    unless = None if switch is None or switch.at is None else Condition(switch.key, switch.at, True)
    yield Overwritten(point, kept_at, tuple(where), unless)


def why_unnamed(machine: Machine, content: Value) -> str:
    if isinstance(content, Content):
        names = ", ".join(sorted({str(atom) for atom in content.atoms()})[:4])
        return f"a captured tensor is not a part of the residual stream that is understood: {names}"
    reason = content.reason if isinstance(content, Unknown) else f"it hangs on {machine.show(content)[:60]}"
    return f"the content of a captured tensor is not known: {reason}"
