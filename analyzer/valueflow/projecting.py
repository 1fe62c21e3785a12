"""What decides whether a draft projects captured states: the comparisons of their width on which that hangs."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..graph import FlowGraph, Node
from ..launches import WidthGate
from ..values import ClassValue
from .chain import DRAFT, Chain
from .domain import Fits, Object, Val, is_constant
from .drafts import built_fields, draft_models, ways_in
from .engine import Engine
from .journal import Journal
from .roots import run_root
from .widths import width_made


def width_gates(chain: Chain) -> Iterator[WidthGate]:
    """Those of all drafts that it may be, each place once for each draft."""
    drafts = draft_models(chain)
    for draft in drafts:
        found: dict[WidthGate, None] = {}
        for way in ways_in(chain, draft):
            engine = chain.engine(chain.projecting, (draft,), FlowGraph(chain.graph.flow, chain.graph.model))
            engine.settled = settler(chain)
            engine.journal.measuring = True
            run_root(engine, way.function, draft.cls, way.heap, Val((draft,)), way.given)  # type: ignore[arg-type]
            found |= dict.fromkeys(gates_of(chain, engine, draft, alone=len(drafts) == 1))
        yield from found


def settler(chain: Chain) -> Callable[[Object, str], Val | None] | None:
    """What tells the attributes of a draft's parts by the config in hand: constants, and the config itself."""
    known: dict[ClassValue, dict[str, Val]] = {}

    def settle(thing: Object, name: str) -> Val | None:
        if not thing.path.startswith(DRAFT) or not isinstance(thing.cls, ClassValue):
            return None
        if thing.cls not in known:
            known[thing.cls] = built_fields(chain, thing.cls)
        found = known[thing.cls].get(name)
        if found is None or is_constant(found):
            return found and Val(found.things)
        return found if found.origin == {("draft", ())} and not found.things else None

    return settle if "draft" in chain.question.configs else None


def gates_of(chain: Chain, engine: Engine, draft: Object, *, alone: bool) -> Iterator[WidthGate]:
    """``alone``: no other draft can be meant, so that the config in hand is its own."""
    journal = engine.journal
    checked = journal.checked or any(branch in journal.tests for branch, _ in journal.refused)
    for projection, arms in journal.projected:
        for branch, which in arms:
            other = (branch, not which)
            if other in journal.refused or projects_there(journal, other):
                continue
            doubted = checked or other in journal.doubted
            for test in journal.tests.get(branch, ()):
                gate = gate_of(draft, test, projection, which)
                yield replace(gate, checked=doubted, other=width_of(chain, test) if alone else None)


def projects_there(journal: Journal, arm: tuple[int, bool]) -> bool:
    """Whether the projection runs whatever the answer, or another one does."""
    return any(arm in arms for _, arms in journal.projected)


def gate_of(draft: Object, test: Fits, projection: Node, which: bool) -> WidthGate:
    skipping = frozenset(answer for answer in test.forces if (answer != test.negated) is not which)
    name = draft.path.removeprefix(DRAFT)
    return WidthGate(name, test.text, test.at, test.column, projection.label, projection.at, test.op, None, skipping, checked=False)


def width_of(chain: Chain, test: Fits) -> int | None:
    """How wide the other side of a comparison is, by the draft's config; None where that does not tell."""
    if not isinstance(test.other, tuple):
        return test.other
    known = [width_made(chain, maker) for maker in test.other]
    return known[0] if len(set(known)) == 1 else None
