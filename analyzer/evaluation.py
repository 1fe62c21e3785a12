"""Evaluating one setter of one target class: build the model, call the setter, run the forward, read what the consumer was given."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .flows.flow import Flow
from .index import Index
from .interpret.branch import pick, require
from .interpret.code import Code
from .interpret.heap import Mark
from .interpret.machine import Consumer, Machine
from .interpret.signals import GiveUp, NeedDecision, Raised
from .ir import Function
from .library.tables import Library
from .points import Stream, find_stream, name_point
from .results import Alternative, Assumption, Condition, Evaluation, Location, Step
from .target import ConfigFacts
from .values import (
    MISSING,
    Atom,
    BoundMethod,
    ClassValue,
    Content,
    FunctionValue,
    Id,
    Instance,

    Tensor,
    Unknown,
    Value,
)

MAX_RUNS = 24
"""Runs of one id list under different answers."""
MAX_DECISIONS = 6
"""Open conditions decided one after another before the result is given up."""
Ids = tuple[int, ...] | None
Answered: TypeAlias = "tuple[dict[str, bool], Outcome]"
"""The answers to the conditions that had to be decided, and what came of it."""


@dataclass(frozen=True, slots=True)
class Program:
    """One tree, read for one flow."""

    index: Index
    flow: Flow
    code: Code
    library: Library
    printed: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run came to: captured points, an exception of the program, or a reason why neither is known."""

    captured: tuple[str, ...] | None = None
    error: str | None = None
    reason: str | None = None
    at: Location | None = None
    before_layers: bool = False


@dataclass(slots=True)
class Model:
    """A target class built on a machine of its own, under some decided conditions."""

    machine: Machine
    instance: Instance
    mark: Mark


@dataclass(slots=True)
class Target:
    """One setter of one target class at one layer count."""

    program: Program
    cls: ClassValue
    setter: str
    num_layers: int
    config: ConfigFacts
    models: dict[tuple[tuple[str, bool], ...], Model | Outcome] = field(default_factory=dict)

    def evaluate(self, ids: Ids) -> Evaluation:
        """All answers for one id list."""
        run = Run(self)
        outcomes = run.explore(ids)
        return summarise(self, ids, run, self.runnable(run, ids, outcomes))

    def runnable(self, run: Run, ids: Ids, outcomes: list[Answered]) -> list[Answered]:
        """The outcomes without those of a configuration in which the model cannot be used at all: it raises before any layer runs, and
        whatever the ids are. At least one is kept."""
        if len(outcomes) == 1:
            return outcomes
        other: Ids = (0,) if ids is None else None
        kept = [
            (decided, outcome)
            for decided, outcome in outcomes
            if not outcome.before_layers or run.once(decided, other).error != outcome.error
        ]
        if kept and len(kept) < len(outcomes):
            run.assumptions.add("guards")
        return kept or outcomes

    def model(self, decided: Mapping[str, bool]) -> Model | Outcome:
        """The model built under these decisions, made once."""
        key = tuple(sorted(decided.items()))
        found = self.models.get(key)
        if found is None:
            found = self.models[key] = self.build(decided)
        return found

    def build(self, decided: Mapping[str, bool]) -> Model | Outcome:
        program = self.program
        machine = Machine(program.index, program.flow.facts, program.printed, program.code, program.library)
        machine.base_facts = dict(decided)
        machine.num_layers = self.num_layers
        machine.flow_folder = self.cls.module.path.rpartition("/")[0]
        machine.config_reader = self.config.reader(machine, self.num_layers)
        sink = program.flow.sink
        machine.consumer = Consumer(sink.cls, sink.method, sink.hidden, sink.captured)
        try:
            instance = construct(machine, self.cls)
        except Raised as raised:
            return Outcome(reason=f"building the model raises {raised.kind}: {raised.text}", at=raised.at)
        except GiveUp as limit:
            return Outcome(reason=limit.reason, at=limit.at)
        return Model(machine, instance, machine.heap.mark())


def construct(machine: Machine, cls: ClassValue) -> Instance:
    """Build the model as the engine does: from its config, all else as the constructor defaults it."""
    found, _ = machine.find_in_class(cls, "__init__")
    keywords: dict[str, Value] = {}
    with machine.in_module(cls.module):
        if isinstance(found, FunctionValue) and found.node is not None:
            code = machine.code.function(found.module, found.node)
            for parameter in code.parameters[1:]:
                if parameter.kind in ("star", "star-star") or parameter.default is not None:
                    continue
                machine_value = machine.unknown(parameter.name, "an argument of the model's constructor", not_none=True)
                keywords[parameter.name] = machine_value
            machine.assume("defaults")
        instance = machine.call(cls, (), keywords)
        if not isinstance(instance, Instance):
            raise GiveUp(f"{cls.name} does not build an object", machine.location())
        machine.construct(instance)
    return instance


@dataclass(slots=True)
class Run:
    """The runs of one id list, one for each answer to the conditions that had to be decided."""

    target: Target
    assumptions: set[str] = field(default_factory=set)
    conditions: dict[str, Unknown] = field(default_factory=dict)
    trail: tuple[Step, ...] = ()
    stored: tuple[int, ...] | None = None

    def explore(self, ids: Ids) -> list[tuple[dict[str, bool], Outcome]]:
        waiting: list[dict[str, bool]] = [{}]
        done: list[tuple[dict[str, bool], Outcome]] = []
        while waiting:
            decided = waiting.pop(0)
            try:
                done.append((decided, self.once(decided, ids)))
            except NeedDecision as need:
                condition = first_open(need.condition, decided)
                if condition is None or len(decided) >= MAX_DECISIONS or len(done) + len(waiting) >= MAX_RUNS:
                    done.append((decided, Outcome(reason=f"too many open conditions: {need.condition.key} ({need.why})", at=need.condition.at)))
                    continue
                self.conditions[condition.key] = condition
                waiting += [{**decided, condition.key: True}, {**decided, condition.key: False}]
        return done

    def once(self, decided: dict[str, bool], ids: Ids) -> Outcome:
        built = self.target.model(decided)
        if isinstance(built, Outcome):
            return built
        machine = built.machine
        known = set(machine.assumptions)
        machine.trail.clear()
        machine.made.clear()
        machine.run_clock = machine.heap.clock
        machine.steps = 0
        try:
            outcome = self.call(built, ids)
        except Raised as raised:
            outcome = raised_outcome(machine, raised)
        except GiveUp as limit:
            outcome = Outcome(reason=limit.reason, at=limit.at)
        except RecursionError:
            outcome = Outcome(reason="the program nests deeper than the analysis follows", at=machine.location())
        finally:
            machine.heap.rollback(built.mark)
            machine.frames.clear()
            machine.nesting = 0
            self.assumptions |= machine.assumptions
            machine.assumptions = known | machine.lasting
        self.trail = self.trail or tuple(machine.trail)
        return outcome

    def call(self, built: Model, ids: Ids) -> Outcome:
        machine, instance = built.machine, built.instance
        cls = self.target.cls
        machine.frames.clear()
        with machine.in_module(cls.module):
            call_setter(machine, instance, self.target.setter, ids)
            run_forward(machine, self.target.program.flow, instance)
            return read_sink(machine)


def first_open(condition: Unknown, decided: Mapping[str, bool]) -> Unknown | None:
    """The first undecided part of a condition that is not a conjunction itself."""
    if not condition.parts:
        return None if condition.key in decided else condition
    return next((found for part in condition.parts if (found := first_open(part, decided)) is not None), None)


def raised_outcome(machine: Machine, raised: Raised) -> Outcome:
    """An exception that ends the program. One that the program raises itself is not established where another guard was passed over: that
    one may have come first."""
    if raised.certain and not (raised.explicit and "guards" in machine.assumptions):
        return Outcome(error=str(raised), before_layers=machine.walk["order"] == ())
    return Outcome(reason=f"it may raise {raised.kind}: {raised.text}", at=raised.at)


def call_setter(machine: Machine, instance: Instance, setter: str, ids: Ids) -> None:
    """Hand the setter the config's ids; for the default nothing, or None where a parameter insists."""
    method = machine.get_attribute(instance, setter)
    args: tuple[Value, ...] = ()
    if ids is not None:
        args = (machine.list(tuple(Id(k) for k in ids)),)
        machine.record("config", "", f"[{', '.join(map(str, ids))}]")
    elif isinstance(method, BoundMethod) and isinstance(method.function, FunctionValue) and needs_argument(machine, method.function):
        args = (None,)
    machine.call(method, args, {})


def needs_argument(machine: Machine, function: FunctionValue) -> bool:
    code: Function = function.code or machine.code.function(function.module, function.node)  # type: ignore[arg-type]
    return any(p.default is None and p.kind in ("positional", "positional-only", "keyword-only") for p in code.parameters[1:])


def run_forward(machine: Machine, flow: Flow, instance: Instance) -> None:
    """Run the model's forward on a batch of which nothing is known but that it is text."""
    found, _ = machine.find_in_class(instance.cls, "forward")
    if not isinstance(found, FunctionValue) or found.node is None:
        raise GiveUp(f"{instance.cls.name} has no forward in the tree", machine.location())
    code = machine.code.function(found.module, found.node)
    keywords: dict[str, Value] = {}
    for parameter in code.parameters[1:]:
        if parameter.kind in ("star", "star-star") or parameter.default is not None:
            continue
        keywords[parameter.name] = argument(machine, flow, parameter.name, parameter.annotation)
    machine.call(BoundMethod(found, instance), (), keywords)


def argument(machine: Machine, flow: Flow, name: str, annotation: str | None) -> Value:
    if name in flow.tensor_inputs or (annotation is not None and "Tensor" in annotation):
        return machine.source(name, blank=name in flow.blank_inputs)
    return machine.unknown(name, "an argument of the forward", not_none=True)


def read_sink(machine: Machine) -> Outcome:
    """Name the points that reached the consumer."""
    if pick(machine, machine.sink.get("reached", MISSING)) is not True:
        return Outcome(reason="the consumer of the captured tensors is not reached", at=machine.location())
    captured = require(machine, machine.sink["captured"], "whether anything is captured depends on it")
    if captured is None:
        return Outcome(captured=())
    if isinstance(captured, Tensor):
        tensors: list[Value] = [captured]
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
    hidden = pick(machine, machine.sink["hidden"])
    if isinstance(hidden, Tensor) and isinstance(content := machine.content(hidden), Content):
        candidates.append((content, None))
    return find_stream(candidates, last)


def name_all(machine: Machine, tensors: list[Value], stream: Stream) -> Outcome:
    points: list[str] = []
    for place, value in enumerate(tensors):
        value = pick(machine, value)
        if not isinstance(value, Tensor):
            return Outcome(reason=f"captured entry {place} is no tensor that is known: {machine.show(value)}", at=machine.location())
        content = require(machine, machine.content(value), "the content of a captured tensor depends on it")
        kept = content if value.kept is None else require(machine, value.kept, "the content of a captured tensor depends on it")
        point = name_kept(content, kept, stream)
        if point is None:
            return Outcome(reason=why_unnamed(machine, content if not isinstance(content, Content) else kept), at=machine.location())
        points.append(point)
    return Outcome(captured=tuple(points))


def name_kept(content: Value, kept: Value, stream: Stream) -> str | None:
    """The point that a tensor held when it was collected; a whole point that has been written since then is lost."""
    if not isinstance(content, Content) or not isinstance(kept, Content):
        return None
    point = name_point(kept, stream)
    return f"{point}/overwritten" if point is not None and kept != content and "/" not in point else point


def why_unnamed(machine: Machine, content: Value) -> str:
    if isinstance(content, Content):
        names = ", ".join(sorted({str(atom) for atom in content.atoms()})[:4])
        return f"a captured tensor is not a part of the residual stream that is understood: {names}"
    reason = content.reason if isinstance(content, Unknown) else f"it hangs on {machine.show(content)[:60]}"
    return f"the content of a captured tensor is not known: {reason}"


def summarise(target: Target, ids: Ids, run: Run, outcomes: list[tuple[dict[str, bool], Outcome]]) -> Evaluation:
    """One evaluation out of the outcomes under each decision."""
    texts = target.program.flow.facts.texts
    assumptions = tuple(Assumption(name, texts.get(name, name)) for name in sorted(run.assumptions))
    unknown = next((o for _, o in outcomes if o.reason is not None), None)
    first = outcomes[0][1]
    common = dict(ids=ids, num_layers=target.num_layers, layers_to_capture=stored_ids(run.trail))
    if unknown is not None:
        return Evaluation(**common, captured=None, error=None, status="not established", reason=unknown.reason, reason_at=unknown.at,
                          assumptions=assumptions, depends_on=(), path=run.trail)  # type: ignore[arg-type]  # fmt: skip
    if all((o.captured, o.error) == (first.captured, first.error) for _, o in outcomes):
        return Evaluation(**common, captured=first.captured, error=first.error, status="established", reason=None, reason_at=None,
                          assumptions=assumptions, depends_on=(), path=run.trail)  # type: ignore[arg-type]  # fmt: skip
    return Evaluation(**common, captured=None, error=None, status="depends", reason=None, reason_at=None, assumptions=assumptions,
                      depends_on=tuple(alternative(run, decided, o) for decided, o in outcomes), path=run.trail)  # type: ignore[arg-type]  # fmt: skip


def alternative(run: Run, decided: Mapping[str, bool], outcome: Outcome) -> Alternative:
    conditions = tuple(
        Condition(key, run.conditions[key].at or Location("", 0), answer) for key, answer in decided.items() if key in run.conditions
    )
    return Alternative(conditions, outcome.captured, outcome.error)


def stored_ids(trail: tuple[Step, ...]) -> tuple[int, ...] | None:
    """The list that the setter left in the model: the last that was stored."""
    for step in reversed(trail):
        if step.label.endswith(" ="):
            return tuple(int(x) for x in step.after.strip("[]").split(", ") if x)
    return None


