"""Other ways through a target's forward: its layers spread over two ranks, and what the flow supposes not to run. What is captured there is
held against what is captured on the plain way."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .evaluation import Target
from .flows.detours import Detour
from .index import Module
from .interpret.branch import pick
from .interpret.dispatch import OPAQUE
from .interpret.machine import Machine
from .interpret.reachable import reachable
from .interpret.signals import GiveUp, MadeLate, NeedDecision, Raised
from .library.facts import Fact, Supposed
from .other_ways import Bypass, Spread, SpreadRun
from .outcome import Ids, Outcome, call_setter, forward_parameters, read_answer, run_forward, take_returned, the_stream
from .points import Stream, name_point
from .results import Evaluation, Location
from .runs import Model, Run
from .values import MISSING, Content, Instance, ListValue, Tensor, Value

STAGED = "stages"
"""The assumption that two ranks share the layers; no result of a wiring rests on it."""


@contextmanager
def supposing(machine: Machine, values: Mapping[str, Fact], name: str, opaque: tuple[str, ...] = ()) -> Iterator[Asked]:
    """For a time, something else is supposed of the world outside; what was told under the other suppositions is not told again."""
    before = machine.supposed, machine.summaries, machine.told
    asked = Asked({**machine.supposed.values, **{key: Supposed(value, name) for key, value in values.items()}}, machine, values)
    calls = {**machine.supposed.calls, **{each: Supposed(OPAQUE, name) for each in opaque}}
    machine.supposed, machine.summaries, machine.told = replace(machine.supposed, values=asked, calls=calls), {}, {}
    try:
        yield asked
    finally:
        machine.summaries.clear()
        machine.told.clear()
        machine.supposed, machine.summaries, machine.told = before


class Asked(dict[str, Supposed]):
    """What is supposed, and where the program asked for what is supposed otherwise than on the plain way."""

    def __init__(self, values: Mapping[str, Supposed], machine: Machine, other: Mapping[str, Fact]) -> None:
        super().__init__(values)
        self.machine, self.other = machine, other
        self.places: dict[tuple[Module, int], None] = {}

    def get(self, key: str, default: object = None) -> Supposed | None:  # type: ignore[override]
        if key in self.other and not self.machine.inside and self.machine.frames:
            self.places[self.machine.frame.module, self.machine.frame.at.line] = None
        return super().get(key)


# ------------------------------------------------------------- several ranks


@dataclass(slots=True)
class Staged(Run):
    """A run on two ranks, the second of which starts with layer ``begins``. ``point`` is what the ids capture on one rank, ``held``:
    the first rank hands it on, or leaves it somewhere; ``loop``: where the second walks its layers; ``left``: where the first leaves the
    forward, ``gate``: the condition by which it does."""

    begins: int = 0
    point: str = ""
    held: bool = False
    loop: Location | None = None
    left: tuple[Location, ...] = ()
    gate: Location | None = None

    def call(self, built: Model, ids: Ids) -> Outcome:
        machine, instance, flow = built.machine, built.instance, self.target.flow
        machine.frames.clear()
        with machine.in_module(self.target.cls.module):
            names = [each.name for each in forward_parameters(machine, instance.cls) if each.name in flow.stages.handed]
            models = list(spread_models(machine, instance, flow.stages.starts, flow.stages.ends))
            if not names or not models:
                return Outcome(reason="the layers are not spread over ranks")
            call_setter(machine, instance, self.target.setter, ids, self.target.flow.defaults)
            mark = machine.heap.mark()
            for model, _, end in models:
                machine.heap.write(model.attrs, end, self.begins)
            machine.noticed.left = []
            with supposing(machine, flow.stages.first, STAGED):
                handed = run_forward(machine, flow, instance)
            self.left = tuple(at for _, at in ways_out(machine))
            self.gate = next((gate for gate, _ in ways_out(machine) if gate is not None), None)
            machine.noticed.left = None
            if machine.walk["order"] != tuple(range(self.begins)) or pick(machine, machine.sink.get("reached", MISSING)) is True:
                return Outcome(reason="the first rank does not end where the second begins")
            written = [write.after for write in machine.heap.collect(mark).values() if write.slots.born <= mark.clock]
            for model, start, end in models:
                machine.heap.write(model.attrs, start, self.begins)
                machine.heap.write(model.attrs, end, machine.num_layers)
            with supposing(machine, flow.stages.last, STAGED):
                answer = run_forward(machine, flow, instance, {names[0]: first_of(handed)})
            self.loop = machine.loops[-1] if machine.loops else None
            if machine.walk["order"] != tuple(range(machine.num_layers)):
                return Outcome(reason="the second rank does not go on where the first ends")
            outcome, stream = read_answer(machine, flow, answer), the_stream(machine)
            self.held = isinstance(stream, str) or holds(machine, [handed, *written], self.point, stream)
            return outcome


def spread_models(machine: Machine, root: Instance, starts: tuple[str, ...], ends: tuple[str, ...]) -> Iterator[tuple[Instance, str, str]]:
    """The parts of a model that know which layers they have: all of them, as on one rank; each with the two attributes."""
    for part in reachable([root]):
        if isinstance(part, Instance):
            first = [name for name in starts if part.attrs.get(name) == 0]
            last = [name for name in ends if part.attrs.get(name) == machine.num_layers]
            if first and last:
                yield part, first[0], last[0]


def first_of(handed: Value) -> Value:
    """What the next rank is handed: of several results the first."""
    return handed[0] if isinstance(handed, tuple) and handed else handed


def holds(machine: Machine, values: list[Value], point: str, stream: Stream) -> bool:
    """Whether a captured point is among what these values lead to."""
    for value in reachable(values):
        content = pick(machine, value.cell.get("content")) if isinstance(value, Tensor) else None
        if isinstance(content, Content) and name_point(content, stream) == point:
            return True
    return False


def spread_of(target: Target, rows: tuple[Evaluation, ...]) -> Spread | None:
    """What two ids capture where a second rank takes over between them, and where the two are known to go; None where that is not known,
    or as on one rank."""
    start = target.num_layers // 2
    known = {layer: row for row in rows if (layer := layer_of(row)) is not None}
    early, late = known.get(start - 2), known.get(target.num_layers - 2)
    if early is None or late is None or target.num_layers - 2 < start or not target.flow.stages.starts:
        return None
    first, second = (spread_run(target, start, *rows) for rows in ((early, late), (late, early)))
    if first is None or second is None:
        return None
    whole = first.reached == (first.point,) or (first.held and not first.reached)
    return None if whole and second.reached == (second.point,) else Spread(start, first, second)


def spread_run(target: Target, start: int, row: Evaluation, other: Evaluation) -> SpreadRun | None:
    """One id on two ranks; beside the other one, where it raises alone for want of any capture; None where it is not understood."""
    (point,), (beside,) = row.captured or ("",), other.captured or ("",)
    for ids in (row.ids or (), tuple(sorted((*(row.ids or ()), *(other.ids or ()))))):
        probe = Staged(target, target.attempts[0], begins=start, point=point)
        outcome = run(probe, ids)
        if outcome is not None and outcome.captured is not None:
            reached = list(outcome.captured)
            if ids != row.ids:
                if beside not in reached:
                    return None
                reached.remove(beside)
            return SpreadRun(row.ids or (), point, tuple(reached), probe.held, probe.loop, probe.left, probe.gate)
    return None


def layer_of(row: Evaluation) -> int | None:
    """The layer whose whole output one id captures, where that is all."""
    if row.status != "established" or row.ids is None or len(row.ids) != 1 or row.captured is None or len(row.captured) != 1:
        return None
    name, _, layer = row.captured[0].partition(":")
    return int(layer) if name == "out" and layer.isdigit() else None


# -------------------------------------------------------- what may run after all


@dataclass(slots=True)
class Aside(Run):
    """A run with something that is supposed not to run; ``asked`` are the places that ask for it. What is captured is told by number."""

    detour: Detour = field(default_factory=lambda: Detour("", "", {}))
    asked: tuple[Location, ...] = ()

    def call(self, built: Model, ids: Ids) -> Outcome:
        machine, instance = built.machine, built.instance
        machine.frames.clear()
        machine.noticed.entrusted = ()
        with machine.in_module(self.target.cls.module):
            call_setter(machine, instance, self.target.setter, ids, self.target.flow.defaults)
            with supposing(machine, self.detour.values, self.detour.name, self.detour.opaque) as asked:
                answer = run_forward(machine, self.target.flow, instance)
            self.asked = deciding(machine, list(asked.places))
            returned = self.target.flow.sink.returned
            none = take_returned(machine, answer, *returned) if returned is not None else None
            count = reached_consumer(machine) if none is None else 0 if none.captured is not None else None
        return Outcome(reason="what the consumer is given is not known") if count is None else Outcome(captured=("",) * count)


def reached_consumer(machine: Machine) -> int | None:
    """How many tensors the consumer was given; None where that is not known."""
    if pick(machine, machine.sink.get("reached", MISSING)) is not True:
        return None
    captured = pick(machine, machine.sink["captured"])
    if captured is None:
        return 0
    entrusted = (each.state for each in reachable(machine.noticed.entrusted) if isinstance(each, ListValue))
    if isinstance(captured, ListValue) and not any(each is captured.state for each in entrusted):
        items = captured.state.get("items")
        return len(items) if isinstance(items, tuple) else None
    return None


def bypasses_of(target: Target, rows: tuple[Evaluation, ...]) -> Iterator[Bypass]:
    """The ways on which ids are not captured that are on the plain one: one of an early layer, one of the middle, one of a late layer."""
    known = {layer: row for row in rows if (layer := layer_of(row)) is not None}
    tried = [known[layer] for layer in dict.fromkeys((1, target.num_layers // 2, target.num_layers - 2)) if layer in known]
    ids = tuple(k for row in tried for k in row.ids or ())
    points = tuple(point for row in tried for point in row.captured or ())
    for detour in target.flow.detours if tried else ():
        probe = Aside(target, target.attempts[0], detour=detour)
        answers = explored(probe, ids)
        counts = {len(outcome.captured) if outcome.captured is not None else None for outcome in answers}
        if probe.asked and len(counts) == 1 and (count := counts.pop()) is not None and count < len(points):
            yield Bypass(detour.name, detour.text, ids, points, count, probe.asked)


def explored(probe: Aside, ids: Ids) -> list[Outcome]:
    """What the run comes to under each answer to what it asks; that it raises under some says nothing of the others."""
    try:
        return [outcome for _, outcome in probe.explore(ids) if outcome.error is None]
    except (NeedDecision, MadeLate, GiveUp, Raised):
        return []


def deciding(machine: Machine, places: list[tuple[Module, int]]) -> tuple[Location, ...]:
    """Those of some places at which a statement asks a condition, in their order; where none is, those at which an expression does, else
    all."""
    for kinds in ((ast.If, ast.While), (ast.IfExp,)):
        found = [(module, line) for module, line in places if any(asks_at(node, line, kinds) for node in module.tests)]
        if found:
            break
    return tuple(machine.place(module.path, line) for module, line in found or places)


def asks_at(node: ast.If | ast.While | ast.IfExp, line: int, kinds: tuple[type[ast.If | ast.While | ast.IfExp], ...]) -> bool:
    return isinstance(node, kinds) and node.test.lineno <= line <= (node.test.end_lineno or 0)


def ways_out(machine: Machine) -> list[tuple[Location | None, Location]]:
    """Where functions returned, each with the innermost condition that it hangs on."""
    found = []
    for module, line in machine.noticed.left or ():
        tests = (node for node in module.tests if isinstance(node, ast.If))
        around = [node.lineno for node in tests if node.lineno < line <= (node.end_lineno or 0)]
        found.append((machine.place(module.path, max(around)) if around else None, machine.place(module.path, line)))
    return found


def run(probe: Staged, ids: Ids) -> Outcome | None:
    """The outcome under the first answers that the target was run under; None where something is left to decide."""
    leaves = probe.target.leaves.get(probe.attempt)
    decided = dict(leaves.answers[0]) if leaves is not None and leaves.answers else {}
    if leaves is not None:
        probe.seen.conditions.update(leaves.conditions)
    try:
        return probe.once(decided, ids)
    except (NeedDecision, MadeLate, GiveUp, Raised):
        return None
