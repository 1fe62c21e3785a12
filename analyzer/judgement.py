"""Which captured points a trainer concatenates, read off the ledger of its run."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .interpret.branch import require
from .interpret.ledger import Join, Ledger, Piece
from .interpret.machine import Machine
from .outcome import Handed, Outcome, name_kept
from .points import Stream
from .results import Location
from .values import Atom, Content, DictValue, ListValue, Tensor, Value

MORE_THAN_ONE = "more than one concatenation may feed fc"
UNEVEN = "samples are not all recorded alike"
HANDED_TWICE = "an engine is handed ids more than once, and not the same"
NOTHING_SEEN = "no concatenation of hidden states of the target is seen"


@dataclass(frozen=True, slots=True)
class Found:
    """The points of one concatenation, in order, and its place."""

    points: tuple[str, ...]
    at: Location | None
    recorded: tuple[str, ...]
    site: Location | None


@dataclass(slots=True)
class Judge:
    """Names what one run concatenated."""

    machine: Machine
    ledger: Ledger
    streams: tuple[Stream, ...]

    @property
    def own(self) -> set[Atom]:
        """What the target made."""
        return {atom for stream in self.streams for atom in (*stream.content.atoms(), *stream.finals)}

    def verdict(self) -> tuple[Outcome, Location | None]:
        """The one sequence of points that was concatenated, and where; or why there is none."""
        if (place := self.uneven()) is not None:
            return Outcome(reason=f"{UNEVEN} ({place})"), None
        found: dict[tuple[str, ...], Found] = {}
        unknown: Outcome | None = None
        fed = {single(entry) for entry in self.entries("fed") if single(entry) in self.ledger.joins or self.point(Piece(entry, entry))}
        for atom, join in self.outermost():
            answer = self.read(atom, join)
            if isinstance(answer, Outcome) and not join.features and self.is_other(join):
                self.machine.assume("other-joins")  # rows are added, as in a shift by one token
                continue
            if isinstance(answer, Outcome) and self.holds_target(join):
                return answer, None
            if isinstance(answer, Outcome):
                unknown = unknown or (None if self.is_other(join) else answer)
                continue
            if answer is not None and fed and atom not in fed:
                return Outcome(reason="a layer of the draft is fed with a hidden state that is not this concatenation", at=answer.at), None
            if answer is not None:
                found.setdefault(answer.points, answer)
        if unknown is not None:
            self.machine.assume("other-joins")
        if len(found) == 1:
            ((points, one),) = found.items()
            return Outcome(captured=points, recorded=one.recorded, site=one.site), one.at
        if not found:
            return unknown or Outcome(reason=NOTHING_SEEN, silent=True), None
        shown = "; ".join(f"{', '.join(points)} at {found[points].at}" for points in sorted(found))
        return Outcome(reason=f"{MORE_THAN_ONE}: {shown}", at=next(iter(found.values())).at), None

    def holds_target(self, join: Join) -> bool:
        """Whether a concatenation is known to hold something of the target."""
        return any(self.related(piece.now) or self.related(piece.then) for piece in join.pieces or ())

    def is_other(self, join: Join) -> bool:
        """Whether a part of a concatenation is known, and is nothing of the target: then it is none of hidden states."""
        return any(isinstance(piece.now, Content) and not self.related(piece.now) for piece in join.pieces or ())

    def handed(self) -> Outcome | None:
        """What an engine's setter was given; calls that differ may be of one model or of two, so that none of them is known to count."""
        found: dict[tuple[Value, ...], Handed] = {}
        for entry in self.entries("setters"):
            assert isinstance(entry, tuple)
            name, ids, known, file, line = entry
            assert isinstance(name, str) and isinstance(file, str) and isinstance(line, int)
            held = tuple(int(each) for each in ids if isinstance(each, int)) if isinstance(ids, tuple) else None
            found[name, ids, known] = Handed(name, held, known is True, Location(file, line))
        if not found:
            return None
        last = [*found.values()][-1]
        if len(found) > 1:
            places = ", ".join(f"{each.setter} at {each.at}" for each in found.values())
            return Outcome(reason=f"{HANDED_TWICE}: {places}", at=last.at)
        reason = f"the ids are handed to {last.setter}: what is captured is for the engine's source to say"
        return Outcome(reason=reason, at=last.at, handed=last)

    def uneven(self) -> str | None:
        """A place that saves other points for one sample than for another."""
        seen: dict[Value, object] = {}
        for entry in self.entries("saved"):
            assert isinstance(entry, tuple)
            place, record = entry
            held = self.shape(record)
            if seen.setdefault(place, held) != held:
                return str(place)
        return None

    def records(self) -> bool:
        """Whether something of the target was saved to a file."""
        return any(isinstance(entry, tuple) and self.holds(entry[1]) for entry in self.entries("saved"))

    def holds(self, value: Value) -> bool:
        """Whether a saved value holds something of the target."""
        match value:
            case Tensor():
                return self.related(value.cell.get("content"))
            case tuple():
                return any(map(self.holds, value))
            case ListValue():
                return self.holds(value.state.get("items"))
            case DictValue():
                return any(map(self.holds, value.state.values()))
        return False

    def shape(self, value: Value) -> object:
        """What a saved value holds, in points."""
        match value:
            case Tensor():
                now = value.cell.get("content")
                return self.point(Piece(now if value.kept is None else value.kept, now))
            case tuple():
                return tuple(self.shape(each) for each in value)
            case ListValue():
                return self.shape(value.state.get("items"))
            case DictValue():
                return {str(key): self.shape(each) for key, each in value.state.items()}
        return None

    def outermost(self) -> Iterator[tuple[Atom, Join]]:
        """The concatenations that are no part of another one, nor made of what came of another one: that one feeds fc, if any does."""
        logged = {atom for entry in self.entries("joins") if isinstance(entry, Content) for atom in entry.atoms()}
        inner = {part for atom in logged for piece in self.ledger.joins[atom].pieces or () if (part := single(piece.now)) is not None}
        later = {atom for atom in logged if self.is_later(self.ledger.joins[atom])}
        consumed = {atom for entry in self.entries("consumed") if isinstance(entry, Content) for atom in entry.atoms()}
        for atom in sorted(logged - inner - later - consumed, key=lambda each: (each.at.file, each.at.line) if each.at else ("", 0)):
            yield atom, self.ledger.joins[atom]

    def is_later(self, join: Join) -> bool:
        """Whether what a concatenation has of the target came to it through another one."""
        pieces = join.pieces or ()
        if any(self.point(piece) is not None for piece in pieces):
            return False
        contents = [inner for piece in pieces if isinstance(piece.now, Content) for atom in piece.now.atoms() for inner in atom.inputs]
        return any(atom in self.ledger.joins for content in contents for atom in self.behind(content))

    @staticmethod
    def behind(value: Value) -> set[Atom]:
        """The atoms of a tensor and of all that it was made of."""
        waiting, seen = list(value.atoms()) if isinstance(value, Content) else [], set[Atom]()
        while waiting:
            atom = waiting.pop()
            if atom not in seen:
                seen.add(atom)
                waiting += [inner for content in atom.inputs for inner in content.atoms()]
        return seen

    def entries(self, kind: str) -> tuple[Value, ...]:
        held = self.ledger.log[kind]
        return held if isinstance(held, tuple) else ()

    def read(self, atom: Atom, join: Join) -> Found | Outcome | None:
        """The points of a concatenation; None where it has nothing to do with the target; else why it is not known."""
        pieces = self.spread(join)
        if pieces is None or any(not isinstance(piece.now, Content) for piece in pieces):
            related = pieces is None or any(self.related(piece.now) for piece in pieces)
            if not join.features and not related:
                return None
            return Outcome(reason="what is concatenated here is not known", at=join.at) if join.features or related else None
        if not any(self.related(piece.now) or self.related(piece.then) for piece in pieces):
            return None
        if not join.features:
            return Outcome(reason="whether hidden states are put together on the axis of the features is not known", at=join.at)
        points = [self.point(piece) for piece in pieces]
        named = tuple(point for point in points if point is not None)
        if len(named) < len(points):
            return Outcome(reason=f"part {points.index(None)} of the concatenation is no captured point that is understood", at=join.at)
        changed = self.changed(atom)
        if changed is not None:
            return changed
        recorded = tuple(self.point(piece) or "?" for piece in self.recorded(pieces))
        return Found(named, join.at, named if "?" in recorded else recorded, self.site(pieces[0], named[0]))

    def recorded(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        """What the pieces were kept with before some of it was cut off."""
        for entry in self.entries("slices"):
            assert isinstance(entry, tuple)
            before, after = entry
            if isinstance(before, tuple) and after == tuple(piece.now for piece in pieces):
                return self.recorded(tuple(Piece(now, now) for now in before))
        return pieces

    def site(self, piece: Piece, point: str) -> Location | None:
        """Where a piece is selected: what was indexed, or put into a collection between the layers, else the hook on its layer."""
        hooked: Location | None = None
        for entry in self.entries("sites"):
            assert isinstance(entry, tuple)
            kind, what, file, line = entry
            assert isinstance(file, str) and isinstance(line, int)
            if kind != "hook" and what in (piece.now, piece.then):
                return Location(file, line)
            if kind == "hook" and hooked is None and (what is None or (isinstance(what, int) and point.partition("/")[0] == f"out:{what}")):
                hooked = Location(file, line)
        return hooked

    def spread(self, join: Join) -> tuple[Piece, ...] | None:
        """The pieces, those of a concatenation in it put in its place."""
        found: list[Piece] = []
        if join.pieces is None:
            return None
        for piece in join.pieces:
            atom = single(piece.now)
            inner = self.ledger.joins.get(atom) if atom is not None else None
            if inner is None:
                found.append(piece)
                continue
            parts = self.spread(inner)
            if parts is None or not inner.features:
                return None
            found.extend(parts)
        return tuple(found)

    def point(self, piece: Piece) -> str | None:
        """The point that a piece is, by the one forward that it belongs to."""
        names = {name for stream in self.streams if (name := name_kept(piece.now, piece.then, stream)) is not None}
        return names.pop() if len(names) == 1 else None

    def related(self, value: Value) -> bool:
        """Whether a tensor holds something of the target, or something that was made of it."""
        if not isinstance(value, Content):
            return False
        return bool(self.own & self.behind(value))

    def changed(self, atom: Atom) -> Outcome | None:
        """Whether something of torch makes another tensor out of a concatenation: its columns may be others then."""
        for entry in self.entries("changed"):
            assert isinstance(entry, tuple)
            content, name, place = entry
            if isinstance(content, Content) and atom in content.atoms():
                return Outcome(reason=f"{name!s} may change the concatenation before fc ({place!s})", at=atom.at)
        return None


def single(value: Value) -> Atom | None:
    """The one atom that a tensor holds, unscaled."""
    if isinstance(value, Content) and len(value.parts) == 1:
        ((atom, scales),) = value.parts
        return None if scales else atom
    return None


def read_streams(machine: Machine, ledger: Ledger) -> tuple[Stream, ...] | str:
    """The residual stream of each forward of the target, or why one is not understood."""
    found: dict[Content, frozenset[Atom]] = {}
    models: set[Value] = set()
    walks = ledger.log["walks"]
    for entry in walks if isinstance(walks, tuple) else ():
        assert isinstance(entry, tuple)
        models.add(entry[0])
        content, normed = (require(machine, part, "the residual stream depends on it") for part in entry[1:])
        if not isinstance(content, Content) or not isinstance(normed, Content):
            return "the residual stream of the target is changed by something that is not known"
        layers = {atom.layer for atom in content.atoms()}
        if layers != set(range(-1, machine.num_layers)) or any(count != 1 for count in content.parts.values()):
            return "not every layer of the target is in the residual stream once"
        final = single(normed)
        found[content] = found.get(content, frozenset()) | ({final} if final is not None else set())
    if len(models) > 1:
        return "more than one model of transformers runs, and which is the target is not known"
    return tuple(Stream(content, finals) for content, finals in found.items())


def judge_run(machine: Machine, ledger: Ledger) -> tuple[Outcome, Location | None]:
    """What a run of a trainer concatenated, and where."""
    streams = read_streams(machine, ledger)
    if isinstance(streams, str):
        return Outcome(reason=streams), None
    judge = Judge(machine, ledger, streams)
    ledger.recorded = judge.records()
    verdict = judge.verdict()
    if verdict[0].silent and (handed := judge.handed()) is not None:
        verdict = handed, None
    ledger.ended = True
    return verdict
