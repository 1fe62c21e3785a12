"""What the analysis says: plain frozen data, as rendered by the reports. The field names are those of the JSON documents."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Literal, TypeAlias

from .frozen import frozen
from .launches import Launch
from .location import Location as Location
from .location import Place as Place
from .other_ways import Bypass, Overlaid, Spread
from .reasons import FileRead
from .setter_facts import Asked as Asked
from .setter_facts import Marks as Marks
from .setter_facts import Missed as Missed
from .surroundings import Surroundings

Status: TypeAlias = Literal["established", "depends", "not established"]


@frozen()
class Step:
    """One hop of a derivation: what happened to the value, its text before and after, and where."""

    label: str
    before: str
    after: str
    at: Location

    def __str__(self) -> str:
        return f"{self.before} --({self.label}, {self.at})--> {self.after}"


@frozen()
class Condition:
    """One open condition and the answer that was supposed for it. ``branch_at``: where a branch is taken by it, maybe in a caller."""

    text: str
    at: Location
    value: bool
    branch_at: Location | None = field(default=None, compare=False)


@frozen()
class Alternative:
    """One result of an evaluation that depends on conditions. ``captured`` is None where it raised, and where it is not established under
    these conditions, for a ``reason``."""

    conditions: tuple[Condition, ...]
    captured: tuple[str, ...] | None
    error: str | None
    reason: str | None = None


@frozen()
class Overwritten:
    """A captured point that is lost: ``kept_at`` is where the tensor was put into a collection, ``written_at`` where it was written in
    place last; it is not lost ``unless`` what a variable of a module says at import no longer holds: then it may be whole."""

    point: str
    kept_at: Location
    written_at: tuple[Location, ...]
    unless: Condition | None = None


@frozen()
class Assumption:
    """A named supposition of the flow that a result used, in a sentence."""

    name: str
    text: str


@frozen()
class Evaluation:
    """What one target captures for one id list (None is the default) and layer count.

    ``captured`` is None unless ``status`` is established and nothing was raised. ``error`` reads ``ExceptionClass: text (file:line)``.
    ``layers_to_capture`` is what the setter left in the model, where that is known. ``path`` derives the captured points from the ids.
    ``asked`` are the conditions of the setter, ``numbers`` what it compared ids and other values with, ``computed`` the places (with the
    column) where it calculated. ``overwritten`` tells of captured points that were lost later. ``refused``: what is raised is an error of
    the program's own, from a ``raise`` or ``assert``. ``loops`` are those that walk the layers.
    """

    ids: tuple[int, ...] | None
    num_layers: int
    layers_to_capture: tuple[int, ...] | None
    captured: tuple[str, ...] | None
    error: str | None
    status: Status
    reason: str | None
    reason_at: Location | None
    assumptions: tuple[Assumption, ...]
    depends_on: tuple[Alternative, ...]
    path: tuple[Step, ...]
    asked: tuple[Asked, ...] = ()
    numbers: tuple[tuple[int, ...], ...] = ()
    overwritten: tuple[Overwritten, ...] = ()
    computed: tuple[tuple[Location, int], ...] = ()
    refused: bool = False
    loops: tuple[Location, ...] = ()


@frozen()
class Clause:
    """One clause of a convention: ``when`` ("id k", "id -1", "default", with a condition where it has one) and what it ``captures``.

    ``conditions`` are those of ``when``: what the program asks of the ids, where, and the answer.
    """

    when: str
    captures: str
    conditions: tuple[Condition, ...] = ()


@frozen()
class ForwardPlace:
    """The forward that walks the layers: its class and place."""

    cls: str
    at: Location


@frozen()
class Wiring:
    """What one setter of one target class wires: the convention and the evaluations it was read from. ``beside``: of ids that come to
    nothing alone, what a list of one of them and one in the middle of the stack comes to. ``spread`` and ``bypasses`` are other ways
    through its forward, where they come to something else. ``shadowed``: earlier definitions of the setter in the same class."""

    flow: str
    model: str
    at: Location
    setter: str
    forward: ForwardPlace | None
    convention: tuple[Clause, ...]
    status: Status
    reason: str | None
    reason_at: Location | None
    assumptions: tuple[Assumption, ...]
    evaluated: tuple[Evaluation, ...]
    marks: Marks | None = None
    beside: tuple[Evaluation, ...] = ()
    spread: Spread | None = None
    bypasses: tuple[Bypass, ...] = ()
    shadowed: tuple[Location, ...] = ()


@frozen()
class Side:
    """What one side of a draft feeds to its ``fc``: the engine that serves it or the trainer that trained it.

    ``points`` is None unless ``status`` is established. ``ids`` are the ids that select them, where they come from one list. ``at`` is the
    place where the ids come from; ``path`` leads from there to the concatenation. ``missed`` tells of ids that are not captured.
    """

    points: tuple[str, ...] | None
    ids: tuple[int, ...] | None
    status: Status
    reason: str | None
    reason_at: Location | None
    at: Location | None
    assumptions: tuple[Assumption, ...] = ()
    path: tuple[Step, ...] = ()
    overwritten: tuple[Overwritten, ...] = ()
    missed: Missed | None = None


@frozen()
class TrainedList:
    """What one id list comes to in a trainer: all that it records (``evaluation.captured``), and which of that reaches the draft's fc.

    ``fc`` is None where it is not established; ``fc_reason`` and ``fc_at`` say why and where.
    """

    evaluation: Evaluation
    fc: tuple[str, ...] | None
    fc_reason: str | None = None
    fc_at: Location | None = None


@frozen()
class IdSource:
    """Where a selection takes its ids from. ``kind`` is one of config, command line, environment, parameter, attribute, literal and
    formula; ``text`` names it as the trainer does (a key, an option, an expression), ``default`` is what stands in for it, if known."""

    kind: str
    text: str
    at: Location
    default: str | None = None


@frozen()
class Export:
    """A place where a trainer writes the ids for the one who serves the draft: the ``key``, and what it makes of them on the way."""

    key: str
    mapping: str
    at: Location


@frozen()
class EngineUse:
    """An engine's setter that a trainer hands its ids to. ``pinned`` is the version that the trainer asks for, ``pinned_at`` where;
    ``version`` that of the engine's source that was given, None where none was."""

    name: str
    setter: str
    pinned: str | None
    pinned_at: Location | None
    version: str | None = None
    model: str | None = None


@frozen()
class Training:
    """One place in a trainer where hidden states of the target are selected for the draft, and what it comes to.

    ``at`` is the subscript, append, hook registration or setter call. ``order`` says what the concatenation follows: the list of ids or
    the layers; None where it is not known. ``status`` sums up ``evaluated``.
    """

    flow: str
    symbol: str
    at: Location
    order: Literal["ids", "layers"] | None
    convention: tuple[Clause, ...]
    status: Status
    reason: str | None
    reason_at: Location | None
    assumptions: tuple[Assumption, ...]
    evaluated: tuple[TrainedList, ...]
    sources: tuple[IdSource, ...] = ()
    exports: tuple[Export, ...] = ()
    engine: EngineUse | None = None


@frozen()
class Width:
    """How many features the draft's projection takes, and what says so: ``text`` is a tensor's name and shape, or an expression."""

    features: int
    text: str
    at: Location


@frozen()
class Entry:
    """An entry of a draft's config: the keys that lead to it, joined by dots, its value in a short text, and its place."""

    key: str
    value: str
    at: Location


@frozen()
class DefaultInEffect:
    """A guess stands in for ids. ``at`` is the lookup that finds nothing in the draft's config, ``key`` what it looks for. ``unread``
    are the entries of that config that name ids all the same."""

    key: str
    at: Location
    unread: tuple[Entry, ...] = ()


@frozen()
class Comparison:
    """What one target class serves a given draft with, held against what that draft was trained on.

    ``trained`` is None where no trainer was given. ``hidden_size`` is the target's, where its config was given. ``suggested`` are ids with
    which the target class serves what was trained, proved by evaluating them; None where there are none or none are needed. ``draft`` is
    the draft's config as printed. ``default`` is there where the engine is proved to serve what it takes without any ids. ``widths`` are
    those that the projection is made with (any of them, where there are several), ``weights`` is that of the weights beside the config.
    ``overlaid``: the engine runs stages of the target of which each replaces what those before it captured; ``staged``: the loop in which
    it runs stages.
    """

    flow: str
    model: str
    served: Side
    trained: Side | None
    hidden_size: int | None = None
    suggested: tuple[int, ...] | None = None
    draft: str | None = None
    num_layers: int | None = None
    default: DefaultInEffect | None = None
    widths: tuple[Width, ...] = ()
    weights: Width | None = None
    overlaid: Overlaid | None = None
    staged: Location | None = None


@frozen()
class NotEstablished:
    """Something that could not be proved or read: what, why and where."""

    what: str
    reason: str
    at: Location


@frozen()
class SourceFacts:
    """The tree that was read. ``root`` as printed, ``package`` its top-level package, ``version`` None where nothing in the tree names it;
    ``files`` counts the Python files, ``read`` those parsed. ``revision`` is the git revision, as the user wrote it, if the tree is that
    of one: then printed paths begin with it and a colon."""

    root: str
    package: str
    version: str | None
    files: int
    read: int
    revision: str | None = None


@frozen()
class Analysis:
    """The result of one run over one source."""

    source: SourceFacts
    wirings: tuple[Wiring, ...]
    not_established: tuple[NotEstablished, ...]
    comparisons: tuple[Comparison, ...] = ()
    launches: tuple[Launch, ...] = ()
    excerpt: Callable[[Location], str | None] = field(default=lambda at: None, compare=False, repr=False)
    """The text of a line, where it can be read."""
    around: Surroundings = field(default_factory=Surroundings, compare=False, repr=False)
    files: tuple[FileRead, ...] = field(default=(), compare=False, repr=False)
    siblings: tuple[Wiring, ...] = ()
    """Wirings of targets that were not asked for, where what one of those that were captures may be held against what they do."""


@frozen()
class ContractAnalysis:
    """What a trainer trains on: its selections. ``hidden_size`` is the target's, where its config was given."""

    source: SourceFacts
    num_layers: int
    hidden_size: int | None
    trainings: tuple[Training, ...]
    not_established: tuple[NotEstablished, ...] = ()
