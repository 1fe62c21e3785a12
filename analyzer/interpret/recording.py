"""What a run of a trainer leaves behind: the walks through the target, the concatenations, what was saved to files; and what it was given.

Idle in an engine, where nothing keeps a ledger.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from ..index import Index
from ..library.facts import Facts
from ..values import MISSING, Atom, Content, Id, Instance, ListValue, Phi, Slots, Tensor, Unknown, Value
from .ledger import Given, Join, Ledger, Piece
from .phis import alternatives
from .signals import GiveUp, MadeLate, NeedDecision, TooDeep
from .state import State

OPEN = "#open"
"""The mark of an object whose making is not seen."""
GIVEN = "#given"
"""The mark of ids that stand in for a value from outside: a trainer may be given them as a text, and take that apart."""
LOGS = ("walks", "joins", "saved", "changed", "fed", "setters", "sites", "slices", "consumed")
"""Tuples that only grow: where branches meet they hold what was seen on either side."""
LEARNING = re.compile(r"torch\.nn\.([A-Z]|functional\.linear$)")
"""How the names of what may be a layer of the draft begin."""
MOST_WALKS = 64  # forwards of the target in one run of a trainer
RESHAPING = re.compile(r"torch\.(?!nn\.[A-Z])|tensor[.\[]|Tensor ")
"""How the names of torch's operations begin, those of its modules aside."""
FEEDING = frozenset({f"torch.nn.functional.{name}" for name in ("linear", "rms_norm", "layer_norm", "dropout")}) | frozenset(
    f"torch.{name}" for name in ("cat", "concat", "concatenate")
)
"""Operations that leave the columns of what they are given where they are, or use them up; concatenations are noted by themselves."""


Opening: TypeAlias = Literal["never", "asks too much", "asks"]
"""When the constructor of a module leaves open what it makes: never, where it asks too many questions or one that nothing answers, or where
it asks any."""


class Recording(State):
    """The state, with the ledger of a trainer's run."""

    written: Slots
    members: dict[Instance, int]

    def __init__(self, index: Index, facts: Facts, printed: Callable[[str], str]) -> None:
        super().__init__(index, facts, printed)
        self.ledger: Ledger | None = None
        self.opening: Opening = "never"
        """Of an engine: which constructors of modules leave open what they make."""
        self.forgiven = False
        """While a statement of a constructor runs that may be passed over."""
        self.root: Instance | None = None

    def keep_ledger(self, given: Given, *, everything_open: bool) -> Ledger:
        """From here on this is the run of a trainer."""
        log = self.heap.new_aside(**dict.fromkeys(LOGS, ()))
        log.born = 0
        self.ledger = Ledger(log, given, everything_open)
        return self.ledger

    def construct(self, instance: Instance) -> None:
        """Run the constructor of an object. Where it asks open questions, the object is one of whose making nothing is known: a draft's
        parts hang on its config, not on the target; and of an engine's layers most parts say nothing of the stream."""
        try:
            super().construct(instance)
        except (NeedDecision, GiveUp) as open_question:
            if isinstance(open_question, MadeLate):
                raise
            if self.ledger is None and not self.may_open(instance, open_question):
                raise
            if self.ledger is not None and isinstance(open_question, GiveUp):
                raise
            instance.pending.clear()
            if self.ledger is not None:
                self.assume("open-object")
                self.ledger.made.add(instance.cls.name)
            instance.attrs[OPEN] = True  # outlives every branch, as what a constructor does

    def may_open(self, instance: Instance, question: NeedDecision | GiveUp) -> bool:
        """Whether an object of an engine may be one of whose making nothing is known: neither the model nor a layer."""
        return self.forgives(question) and instance is not self.root and instance not in self.members

    def forgives(self, question: NeedDecision | GiveUp) -> bool:
        """Whether a constructor that asks this may leave open what it makes. A question that can be decided once for the whole model is
        asked before it is passed over."""
        if self.opening == "asks too much" and isinstance(question, NeedDecision):
            return isinstance(question, TooDeep) or "#" in question.condition.key
        return self.opening != "never"

    def note(self, kind: str, value: Value) -> None:
        """Add an entry to one of the logs."""
        if self.ledger is not None:
            held = self.ledger.log[kind]
            assert isinstance(held, tuple)
            self.heap.write(self.ledger.log, kind, (*held, value))

    def in_flow_code(self, path: str) -> bool:
        """Everything in a trainer is its own code."""
        return self.ledger is not None or super().in_flow_code(path)

    def opaque(self, name: str, inputs: tuple[Tensor, ...], *, exact: bool = False) -> Tensor:
        made = super().opaque(name, inputs, exact=exact)
        if self.ledger is not None and RESHAPING.match(name) and name not in FEEDING:
            for tensor in inputs:
                self.note_change(tensor.cell.get("content"), name)
        if self.ledger is not None and LEARNING.match(name):
            for tensor in inputs:
                self.note("fed", tensor.cell.get("content"))
        return made

    def tensor(self, content: Value, *, exact: bool = True, aliases: tuple[Slots, ...] = ()) -> Tensor:
        made = super().tensor(content, exact=exact, aliases=aliases)
        if self.ledger is not None and isinstance(content, Content) and (len(content.parts) > 1 or any(s for _, s in content.parts)):
            self.note_change(content, "arithmetic")
        return made

    def write_content(self, tensor: Tensor, content: Value) -> None:
        self.note_change(tensor.cell.get("content"), "a write in place")
        super().write_content(tensor, content)

    def lose_content(self, tensor: Tensor, content: Value) -> None:
        """A callee that nothing is known of was given the tensor: what it holds afterwards is not known, what it gave is."""
        super().write_content(tensor, content)

    def note_change(self, content: Value, name: str) -> None:
        """Something else is made of a tensor, maybe of a concatenation."""
        if self.ledger is not None and isinstance(content, Content) and any(atom in self.ledger.joins for atom in content.atoms()):
            self.note("changed", (content, name, self.here()))

    def show_module(self, module: Instance) -> str:
        """A module in words: a layer by its number."""
        index = self.members.get(module)
        return f"layer {index}" if index is not None else module.cls.name

    def layer_of(self, module: Instance) -> int | None:
        """The number of a layer; None of another module."""
        return self.members.get(module)

    def is_written(self, value: Unknown, name: str) -> bool:
        """Whether the trainer writes an attribute of something unknown."""
        return self.noted(self.written, f"{value.key}.{name}") is not MISSING

    def here(self) -> str:
        """The place of the running call."""
        return str(self.location())

    def recording(self) -> bool:
        """Whether this is the run of a trainer."""
        return self.ledger is not None

    def noted_entries(self, kind: str) -> tuple[Value, ...]:
        """The entries of one of the logs."""
        held = self.ledger.log[kind] if self.ledger is not None else ()
        return held if isinstance(held, tuple) else ()

    def note_site(self, kind: str, what: Value) -> None:
        """Here a hidden state of the target is selected: the content of a tensor, or for a hook the number of the layer."""
        if (place := self.location()) is not None and not place.file.startswith("("):
            self.note("sites", (kind, what, place.file, place.line))

    def note_slice(self, before: tuple[Piece, ...], after: tuple[Piece, ...]) -> None:
        """Of some hidden states that are kept together a part is taken."""
        if self.ledger is not None and len(after) < len(before):
            self.note("slices", (tuple(piece.now for piece in before), tuple(piece.now for piece in after)))

    def note_cut(self, before: Value, after: Value) -> None:
        """A list or tuple is cut."""
        if self.ledger is None or not isinstance(before, tuple) or not isinstance(after, tuple) or not after:
            return
        if all(isinstance(each, Tensor) for each in before) and len(before) != self.num_layers + 1:
            self.note_slice(tuple(map(self.piece, before)), tuple(map(self.piece, after)))

    def consume(self, atom: Atom) -> None:
        """A stack goes on as something else: it feeds nothing as it is."""
        self.note("consumed", Content({(atom, ()): 1}))

    def is_draft(self, value: Value) -> bool:
        """Whether a value is called after a draft."""
        key = value.key.lower() if isinstance(value, Unknown) else value.lower() if isinstance(value, str) else ""
        return self.ledger is not None and any(word in key for word in self.ledger.names.drafts)

    def note_module(self, value: Value) -> None:
        """torch hands out this value as a part of a model, under a name that the trainer tries."""
        if self.ledger is not None and isinstance(value, Unknown):
            self.ledger.modules.add(value.key)
            self.assume("open-target")

    def note_kept(self, value: Value) -> None:
        """A tensor goes into a collection; between the layers of the target it is selected there."""
        if self.ledger is not None and isinstance(value, Tensor) and self.walk["inside"] is not True and self.walk["order"]:
            self.note_site("append", value.cell.get("content"))

    def note_flat(self) -> None:
        """An engine's layer runs: its hidden states have no axis of batches."""
        if self.ledger is not None:
            self.ledger.flat = True

    def note_end(self, layer: Value, stream: Value, normed: Value) -> None:
        """The open target's stream after its last layer, or its final norm; the norm completes the walk that ended last."""
        if self.ledger is None or not isinstance(stream, Tensor) or (layer is not None and layer != self.num_layers - 1):
            return
        content, walks = stream.cell.get("content"), self.ledger.log["walks"]
        assert isinstance(walks, tuple)
        if layer is not None:
            self.note("walks", (self.ledger.target, content, content))
        elif isinstance(normed, Tensor) and walks and isinstance(walks[-1], tuple) and walks[-1][1] == content:
            self.note("walks", (walks[-1][0], content, normed.cell.get("content")))

    def note_join(self, result: Value, parts: tuple[Value, ...] | None, features: bool, axis: int | None = None) -> None:
        """A concatenation was made."""
        if self.ledger is None or not isinstance(result, Tensor):
            return
        content = result.cell.get("content")
        pieces = None if parts is None else tuple(self.piece(part) for part in parts)
        if isinstance(content, Content):
            for atom in content.atoms():
                self.ledger.joins[atom] = Join(pieces, features, self.location(), axis)
            self.note("joins", content)

    @staticmethod
    def piece(part: Value) -> Piece:
        if not isinstance(part, Tensor):
            return Piece(part, part)
        now = part.cell.get("content")
        return Piece(now if part.kept is None else part.kept, now)

    def begin_walk(self) -> None:
        """A forward of the target begins: its layers have not run yet."""
        if self.ledger is None:
            raise GiveUp("a model of transformers runs in the engine", self.location())
        walks = self.ledger.log["walks"]
        if isinstance(walks, tuple) and len(walks) >= MOST_WALKS:
            raise GiveUp(f"the target runs more than {MOST_WALKS} times", self.location())
        self.made.clear()  # a second batch goes the same way: what is made of it is the same point
        for key, value in (("layer", -1), ("inside", False), ("order", ()), ("finals", ())):
            self.heap.write(self.walk, key, value)

    # ------------------------------------------------------- from outside

    def from_outside(self, key: str, default: Value) -> Value:
        """A value that a caller, the command line or a config decides: as given, unknown while everything is open, else its default."""
        if self.ledger is None:
            return default
        given = self.given_value(key)
        if given is not None:
            return given[0]
        return self.unknown(key, "nothing in the source decides it", not_none=self.ledger.open) if self.ledger.open else default

    def given_value(self, key: str) -> tuple[Value] | None:
        """The id list that stands in for a value from outside, boxed: one list for each, however often it is asked for."""
        if self.ledger is None:
            return None
        self.ledger.asked.setdefault(key, self.location())
        found = self.ledger.given.find(key)
        if found is None:
            return None
        name, ids = found
        if not isinstance(ids, tuple):
            return (self.unknown(key, f"the training config gives {name} in more than one way") if ids is MISSING else ids,)
        slot = f"given {key}"
        held = self.noted(self.written, slot)
        if not isinstance(held, ListValue):
            held = ListValue(self.heap.new(items=tuple(Id(k) for k in ids), **{GIVEN: True}))
            self.heap.write(self.written, slot, held)
            shown = f"[{', '.join(map(str, ids))}]"
            if (step := self.ledger.given.steps.get(name)) is not None:
                self.trail.append(step)
            self.record(f"bound to {key}", shown, shown)
        return (held,)

    def supposed_value(self, key: str) -> tuple[Value] | None:
        return self.given_value(key) or super().supposed_value(key)

    def note_flow(self, name: str, value: Value) -> None:
        """A value from outside is bound to a parameter or attribute unchanged."""
        if self.ledger is not None and isinstance(value, Unknown):
            self.ledger.flows.add((value.key, name))
        elif isinstance(value, Phi):
            for each in alternatives(value):
                self.note_flow(name, each)
