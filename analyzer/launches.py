"""What launching an engine does with configs and models, as data: lookups of entries, what comes of a miss, and in which order a setter is
called and the model is run. Nothing here says what is right."""
from __future__ import annotations

from typing import Literal, TypeAlias

from .frozen import frozen
from .location import Location

LookupStatus: TypeAlias = Literal["read", "default", "raises", "open"]
"""``open``: whether the entry is there is not known."""
LookupSide: TypeAlias = Literal["setter", "draft", "training"]
EventKind: TypeAlias = Literal["set", "run"]
Arms: TypeAlias = tuple[tuple[int, bool], ...]


@frozen()
class Call:
    """A place in a function on the way to something that happens."""

    symbol: str
    at: Location


@frozen()
class Lookup:
    """One lookup of the entry ``key`` in a config, in what ``path`` leads to. ``role``: whose config ("draft", "target"; "" where that is
    not told). ``at`` is where the name of the entry is written, ``symbol`` the function it is written in, ``scope`` the numbers of the runs
    of functions that lead there, that one last. ``default`` is the text of what stands in for a missing entry; None where a miss raises.
    ``value`` is what the reader gets, or "". ``side``: it happens on the way to the setter, while the draft is built, or in the trainer."""

    role: str
    path: tuple[str, ...]
    key: str
    at: Location
    column: int
    symbol: str
    scope: tuple[int, ...]
    default: str | None
    status: LookupStatus
    value: str
    side: LookupSide = "setter"

    @property
    def name(self) -> str:
        """The keys that lead to the entry, joined by dots."""
        return ".".join((*self.path, self.key))

    def is_near(self, other: Lookup) -> bool:
        """Whether one is made in the function that makes the other, or in one that calls it, or one function calls both: what one misses
        the other may find."""
        shorter = min(len(self.scope), len(other.scope))
        siblings = self.scope[:-1] == other.scope[:-1] != ()
        return self.side == other.side and (siblings or self.scope[:shorter] == other.scope[:shorter])


@frozen()
class Missed:
    """A lookup that finds nothing, while the config has such an entry elsewhere: ``entry`` at ``entry_at``, with ``value``. ``how``: it is
    at another place ("nested"), has a name that is alike ("spelled"), or is where a library moved it ("moved"). ``reads`` are other
    readers that get it."""

    lookup: Lookup
    how: Literal["nested", "spelled", "moved"]
    entry: str
    entry_at: Location
    value: str
    reads: tuple[Lookup, ...]


@frozen()
class Dropped:
    """A lookup in what was made of entries of a config, of one that was left out. The lookup is told as if it were made in the config
    itself; ``made_at`` is where the other entries were taken from there, ``made_by`` the function. ``entry`` stands at ``entry_at``."""

    lookup: Lookup
    made_at: Location
    made_by: str
    entry_at: Location = Location("", 0)
    value: str = ""


@frozen()
class Swallowed:
    """An ``except`` that puts ``instead`` into ``target``, where a lookup in its ``try`` would have put an entry. ``catches`` is the type
    that it names, or "". ``certain``: the configs in hand make the lookup raise."""

    at: Location
    lookups: tuple[Lookup, ...]
    catches: str
    target: str
    instead: str
    certain: bool


@frozen()
class Falsy:
    """An entry that is there and counts as false, and is treated like none: ``instead`` is what stands in for it."""

    at: Location
    column: int
    role: str
    name: str
    value: str
    instead: str


@frozen()
class Override:
    """A write to an entry of a config."""

    role: str
    path: tuple[str, ...]
    at: Location

    @property
    def name(self) -> str:
        return ".".join(self.path)


@frozen()
class Gate:
    """A place where a setter is called only if the model has it, and nothing happens if not."""

    setter: str
    at: Location


@frozen()
class Branch:
    """A condition that was met on the way, with a branch that names a key of the flow or a setter: ``test`` is its text, ``answer`` what it
    was known to be, ``names`` the answers to which such a branch belongs."""

    at: Location
    test: str
    answer: bool | None
    names: tuple[bool, ...]


@frozen()
class Gated:
    """A condition that keeps the engine from looking at the ids, with the flags that it is launched with: ``branch`` is met with another
    answer where the engine is launched as the flow is, with ``wants``. ``flags`` decide it, each with its value. ``entry``, at ``entry_at``
    with ``value``, is what is not looked at; ``reads`` are those that would."""

    branch: Branch
    flags: tuple[tuple[str, str], ...]
    wants: str
    entry: str
    entry_at: Location
    value: str
    reads: tuple[Lookup, ...]


@frozen()
class WidthGate:
    """A comparison of the width of captured states that decides whether a draft projects them: ``text``, at ``at`` in the class ``draft``
    or what it is made of. ``other`` is the width that it is compared with by ``op``, where the draft's config tells; with the answers in
    ``skipping`` the projection, at ``projected_at``, is passed over. ``checked``: a width that is wrong may raise all the same."""

    draft: str
    text: str
    at: Location
    column: int
    projection: str
    projected_at: Location
    op: str
    other: int | None
    skipping: frozenset[bool]
    checked: bool

    def skips(self, width: int) -> bool:
        """Whether states of this width are surely not projected, and nothing is said."""
        if self.other is None or self.checked:
            return False
        other = self.other
        answers = {"==": width == other, "!=": width != other, "<": width < other, ">": width > other, "<=": width <= other}
        return answers.get(self.op, width >= other) in self.skipping


@frozen()
class Event:
    """A call of a setter ("set") from outside the models, or a run of the target's model ("run"). ``stack`` are the calls that lead there,
    outermost first. ``ids`` is what the setter is given: "default", the list, or "" where it is not known; ``configured``: it comes
    from an entry of a config. ``arms`` are the branches that it happens in."""

    kind: EventKind
    stack: tuple[Call, ...]
    ids: str
    configured: bool
    arms: Arms

    @property
    def at(self) -> Location:
        return self.stack[-1].at

    def excludes(self, other: Event) -> bool:
        """Whether no run has both: they are in different branches of one condition."""
        return any(branch == one and which != two for branch, which in self.arms for one, two in other.arms)


@frozen()
class Launch:
    """What one flow's launch does. ``lives`` are the events of each object that comes to a setter, in the order in which they happen.
    ``model`` is the target class that stood in, ``draft`` the draft's config as printed, ``keys`` those of the flow.
    ``ranks``: over how many the launch flags spread the layers, None where they do not say.
    ``missed`` are the lookups that miss what the draft's config has elsewhere, ``dropped`` those of what a converter left
    out, ``gates`` are outside of the models. ``branches`` are
    noted where the launch flags are given; ``gated`` is what they come to. ``width_gates`` are those of the drafts that it may be."""

    flow: str
    model: str
    draft: str | None
    lives: tuple[tuple[Event, ...], ...]
    lookups: tuple[Lookup, ...]
    swallowed: tuple[Swallowed, ...]
    falsy: tuple[Falsy, ...]
    overrides: tuple[Override, ...]
    keys: tuple[str, ...] = ()
    missed: tuple[Missed, ...] = ()
    gates: tuple[Gate, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    branches: tuple[Branch, ...] = ()
    gated: Gated | None = None
    ranks: int | None = None
    width_gates: tuple[WidthGate, ...] = ()

    @property
    def looks(self) -> tuple[Lookup, ...]:
        """The lookups of the flow's keys on the way to the setter."""
        return tuple(each for each in self.lookups if each.key in self.keys and each.side == "setter")

    @property
    def sets(self) -> bool:
        """Whether a setter is called with what comes from a config, or with something that is not known."""
        return any(each.kind == "set" and (each.configured or not each.ids) for life in self.lives for each in life)
