"""The chain of one flow in one target class: what is shared by its parts, from the readers of the keys to the draft's projection."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from ..evaluation import Program
from ..flows.flow import Pipeline
from ..graph import FlowGraph
from ..other_ways import Overlaid
from ..results import Location, NotEstablished
from ..source import SourceTree
from ..values import ClassValue, FunctionValue, Instance, ListValue
from .asked import Miss, Question, SetterCall
from .domain import Items, Object, Origin, Val
from .engine import Engine
from .relevance import Key, Relevance
from .roots import Life
from .store import Fields
from .types import Types

DRAFT = "draft:"
"""What the path of a draft model begins with."""


def contents(val: Val) -> Iterator[Object]:
    """The objects that a value may be, or that a tuple holds."""
    yield from val.objects
    for thing in val.things:
        if isinstance(thing, Items):
            yield from (each for item in thing.items for each in item.objects)


@dataclass
class Chain:
    """The parts of one analysis.

    ``fields`` are the classes and attributes that turned out to hold a model, ``calls`` the calls of a setter, ``missing`` what was not
    followed, ``assumptions`` the names of those used, ``doubts`` what no proof can rest on, ``missed`` the lookups of a key
    that found nothing, ``workers`` the classes that were run, ``settled`` what attributes of the drafts' parts are by their config,
    ``rewritten`` the entries of configs that are written to, ``lives`` those of the objects that come to a setter, where these must be
    run from the beginning. ``runners`` are those objects, and ``left`` is what they hold in the end: where they run the target
    themselves.
    """

    program: Program
    tree: SourceTree
    target: Object
    question: Question
    graph: FlowGraph
    types: Types
    architectures: tuple[str, ...] = ()
    fields: set[tuple[ClassValue, str]] = field(default_factory=set)
    missing: dict[Location, NotEstablished] = field(default_factory=dict)
    backings: dict[Instance | ListValue, Object] = field(default_factory=dict)
    called: dict[Key, tuple[tuple[FunctionValue, ClassValue | None], ...]] = field(default_factory=dict)
    calls: list[SetterCall] = field(default_factory=list)
    assumptions: set[str] = field(default_factory=set)
    doubts: dict[Location, NotEstablished] = field(default_factory=dict)
    missed: list[Miss] = field(default_factory=list)
    overlaid: list[Overlaid] = field(default_factory=list)
    staged: list[Location] = field(default_factory=list)
    workers: list[ClassValue] = field(default_factory=list)
    rewritten: set[Origin] = field(default_factory=set)
    settled: dict[ClassValue, dict[str, Val]] = field(default_factory=dict)
    lives: list[Life] = field(default_factory=list)
    runners: dict[ClassValue, Object] = field(default_factory=dict)
    left: dict[Object, Fields] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def pipeline(self) -> Pipeline:
        return self.program.flow.pipeline

    def searching(self, words: frozenset[str]) -> Relevance:
        """What leads to one of the words."""
        return Relevance(self.types, words, self.called)

    @cached_property
    def projecting(self) -> Relevance:
        """What leads to a projection."""
        return self.searching(frozenset(f"{name}(" for name in self.question.projections))

    @cached_property
    def setting(self) -> Relevance:
        """What leads to a key or a setter."""
        return self.searching(frozenset((*self.question.keys, *self.question.setters)))

    @cached_property
    def forwarding(self) -> Relevance:
        """What leads to the forward of a model, or to the target's worker."""
        forwards = {f"{name}{call}" for _, name in self.fields for call in ("(", ".forward(")}
        return self.searching(frozenset((*forwards, *self.pipeline.target_worker, *self.holding)))

    @property
    def holding(self) -> Iterator[str]:
        """The attributes by which what runs the target holds it, by itself or in a list; where a worker runs it, that is looked for."""
        for thing in () if self.pipeline.target_worker else self.runners.values():
            for name, val in self.left.get(thing, {}).items():
                inner = (each for one in val.objects for field in self.left.get(one, {}).values() for each in contents(field))
                if self.target in (*val.objects, *inner):
                    yield name

    def engine(
        self, relevance: Relevance, drafts: tuple[Object, ...] = (), graph: FlowGraph | None = None, *, reading: bool = False
    ) -> Engine:
        """A new engine on the same graph; ``drafts`` stand for the models that are not reached through the target's worker. ``reading``: it
        runs what comes before the setter, as all that look for it do."""
        reading = reading or relevance is self.setting
        made = Engine(
            self.question, self.types.machine, self.program.code, self.types, graph or self.graph, relevance,
            lambda thing: self.model(thing, drafts, reading), self.guess, self.projecting, drafts,
        )  # fmt: skip
        made.backings = self.backings
        made.model_fields = self.fields
        made.rewritten = self.rewritten
        made.reading, made.numbers = reading, self.numbers
        made.settled = self.settle if relevance is not self.projecting else None
        return made

    def settle(self, thing: Object, name: str) -> Val | None:
        """What an attribute of a draft, or of a part of it, is by the draft's config; None where that does not tell."""
        from .drafts import settled_fields

        if not thing.path.startswith(DRAFT) or not isinstance(thing.cls, ClassValue):
            return None
        if thing.cls not in self.settled:
            self.settled[thing.cls] = settled_fields(self, thing.cls)
        return self.settled[thing.cls].get(name)

    def finished(self, engine: Engine) -> None:
        """Keep what an engine's run came to beside the graph."""
        self.missing |= engine.unfollowed
        self.doubts |= engine.doubts
        self.missed += engine.missed
        self.overlaid += engine.overlaid.values()
        self.staged += engine.journal.staged
        self.calls += engine.setter_calls
        self.assumptions |= engine.assumptions

    def model(self, thing: Object, drafts: tuple[Object, ...], reading: bool) -> tuple[Object, ...]:
        """The models that a field holds: the target's on the reading side and where the way to it leads through the target's worker, else a
        draft."""
        if thing.field is None or not self.holds_model(*thing.field):
            return ()
        if not self.pipeline.target_worker:  # what holds the target is asked for its setter
            return (self.target,)
        through_target = any(part in self.pipeline.target_worker for part in thing.path.split("."))
        return (self.target,) if reading or through_target else drafts

    def guess(self, cls: ClassValue, name: str) -> tuple[ClassValue, ...]:
        """The classes of a target's worker that is declared nowhere: those that hold a model."""
        del cls
        owners = sorted({owner for owner, _ in self.fields}, key=lambda owner: owner.qualified)
        return tuple(owners) if name in self.pipeline.target_worker else ()

    def holds_model(self, cls: ClassValue, name: str) -> bool:
        order = self.types.order(cls)
        return any(name == each and (owner in order or cls in self.types.order(owner)) for owner, each in self.fields)
