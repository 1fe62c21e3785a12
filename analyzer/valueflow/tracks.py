"""Following tracked values: each hop becomes a node, and an edge from wherever the value was last."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..graph import Edge, EdgeKind, FlowGraph, Node
from .domain import Exact, Items, Method, Object, Partial, Val
from .store import State

ITEMS = "#items"
"""The field of a list that holds its items as a tuple, where each is known."""
ELEMENT = "#element"
"""The field of a collection that stands for any item of it."""
DEPTH = 5
"""Objects inside one another that are searched for tracked values."""

Fronts = dict[Node, frozenset[Node]]
"""For each node that put a tracked value somewhere, the nodes from which its next hop starts."""


@dataclass(slots=True)
class Tracks:
    """Writes the hops of one run into a graph. ``supposing`` names what the hops that are being written rest on, each by itself."""

    graph: FlowGraph
    supposing: str = ""

    def hop(
        self, sources: Iterable[Node], target: Node, kind: EdgeKind = "data", label: str = "", before: str = "", after: str = ""
    ) -> None:
        self.graph.add(target)
        for source in sorted(sources, key=lambda node: node.id):
            self.graph.connect(Edge(source, target, kind, label, before, after, self.supposing))

    def move(self, state: State, val: Val, make: Callable[[], Node], kind: EdgeKind = "data", label: str = "") -> Val:
        """The value after one more hop; unchanged, and without a node, where nothing tracked is in it. The items of a tuple stay apart."""
        if val.marks:
            node, inside = make(), held(state, val)
            self.hop(val.marks.union(*inside.values()), node, kind, label, shown(state, val), shown(state, val))
            return replace(val, marks=frozenset({node}), carry=frozenset((root, node) for root in inside))
        match val.things:
            case (Items(items),):
                moved = tuple(self.move(state, item, make, kind, label) for item in items)
                return val if moved == items else replace(val, things=(Items(moved),))
        fronts = held(state, val)
        if not fronts:
            return val
        nodes = {root: replace(made, holds=root.label) for made in (make(),) for root in fronts}
        for root, sources in fronts.items():
            self.hop(sources, nodes[root], kind, label)
        return replace(val, carry=frozenset(nodes.items()))


def is_collection(val: Val) -> bool:
    """Whether a value is tracked itself, or is a plain collection, which then counts for what it holds."""
    plain = (isinstance(thing, Items) or (isinstance(thing, Object) and thing.is_plain) for thing in val.things)
    return bool(val.marks) or (bool(val.things) and all(plain))


def tracked(state: State, val: Val) -> frozenset[Node]:
    """The nodes that a value comes from: its own, or those of what a collection holds."""
    if val.marks:
        return val.marks
    return frozenset().union(*held(state, val).values()) if val.things else frozenset()


def held(state: State, val: Val, depth: int = DEPTH) -> Fronts:
    """What is tracked inside a value, by the node that put it there."""
    return _held(state, val, depth, set())


def holds(state: State, thing: Object) -> bool:
    """Whether something tracked is in the fields of an object, also of one that lasts."""
    return any(val.marks or held(state, val) for val in state.fields(thing).values())


def _by_root(carry: Iterable[tuple[Node, Node]]) -> Fronts:
    found: Fronts = {}
    for root, via in carry:
        found[root] = found.get(root, frozenset()) | {via}
    return found


HOLDERS = frozenset({Items, Partial, Method, Object})
"""Kinds of things that have others in them."""


def _may_hold(val: Val) -> bool:
    for thing in val.things:  # noqa: SIM110 (a loop, for this is asked most often of all)
        if type(thing) in HOLDERS:
            return True
    return False


def _inside(state: State, thing: object, depth: int, seen: set[Object]) -> Fronts:
    match thing:
        case Items(items):
            parts = items
        case Partial(callee, positional, keywords):
            parts = (callee, *positional, *keywords.values())
        case Method(_, receiver):
            parts = (receiver,) if receiver is not None else ()
        case Object():
            if thing in seen or thing.lasting:
                return {}
            seen.add(thing)
            parts = tuple(state.fields(thing).values())
        case _:
            return {}
    found: dict[Node, frozenset[Node]] = {}
    for part in parts:
        if not part.marks and not _may_hold(part):
            continue
        inner = {mark: frozenset({mark}) for mark in part.marks} if part.marks else _held(state, part, depth - 1, seen)
        for root, front in inner.items():
            found[root] = found.get(root, frozenset()) | front
    return found


def _held(state: State, val: Val, depth: int, seen: set[Object]) -> Fronts:
    found: dict[Node, frozenset[Node]] = {}
    if depth <= 0 or not _may_hold(val):
        return found
    for thing in val.things:
        for root, front in _inside(state, thing, depth, seen).items():
            found[root] = found.get(root, frozenset()) | front
    for root, via in _by_root(val.carry).items() if found and val.carry else ():
        if root in found:
            found[root] = via
    return found


def shown(state: State, val: Val) -> str:
    """The value's text where it is known exactly: a number, or a list of numbers."""
    match val.only:
        case Exact(value=int() as number) if not isinstance(number, bool):
            return str(int(number))
        case Items(items):
            parts = [shown(state, item) for item in items]
            return f"[{', '.join(parts)}]" if all(parts) else ""
        case Object() as thing:
            inner = state.fields(thing).get(ITEMS)
            return shown(state, inner) if inner is not None else ""
    return ""
