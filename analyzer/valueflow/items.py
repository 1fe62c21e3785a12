"""Collections: what is known of their items, and whether a value counts as true."""
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..values import External
from .domain import UNKNOWN, Exact, Items, Object, Val, join, join_all
from .fields import front
from .store import State
from .tracks import ELEMENT, ITEMS

if TYPE_CHECKING:
    from .engine import Engine

MOST_ITEMS = 256
"""Items of a collection that are told apart."""
MOST_ALTERNATIVES = 4
"""Collections that a value may be, which are looked at one by one."""


def items_of(state: State, val: Val) -> tuple[Val, ...] | None:
    """The items of a tuple or list whose items are known."""
    match val.only:
        case Items(items):
            return items
        case Object() as thing:
            known = state.fields(thing).get(ITEMS)
            if known is not None and isinstance(known.only, Items):
                return tuple(front(val, item) for item in known.only.items)
    return None


def alternatives(state: State, val: Val) -> tuple[Val, ...]:
    """The collections that a value may be, each by itself, where it is one of several and the items of each are known; else ()."""
    each = tuple(replace(val, things=(thing,)) for thing in val.things)
    known = 1 < len(each) <= MOST_ALTERNATIVES and not val.open and all(items_of(state, one) is not None for one in each)
    return each if known else ()


def read_element(state: State, holder: Val, item: Val | None) -> Val:
    """One item of a collection: ``item`` where it is known, else what stands for any of them."""
    if item is None:
        parts: list[Val] = []
        for thing in holder.things:
            match thing:
                case Items(items):
                    parts += items
                case Object():
                    fields = state.fields(thing)
                    known = fields.get(ITEMS)
                    if known is not None and isinstance(known.only, Items):
                        parts += known.only.items
                    elif ELEMENT in fields:
                        parts.append(fields[ELEMENT])
                    elif thing.element is not None:
                        parts.append(thing.element)
        item = join_all(parts) if parts else UNKNOWN
    found = front(holder, item)
    return replace(found, marks=holder.marks) if holder.marks else found


def is_list(thing: object) -> bool:
    """Whether a thing is a list, or another collection that is no object of the tree's, that the program made."""
    return isinstance(thing, Object) and thing.made and thing.is_plain


def entries_of(state: State, holder: Val) -> dict[str, Val]:
    """The entries of a dict whose keys are texts; of what may be several, those of each."""
    found: dict[str, Val] = {}
    for thing in holder.objects:
        for slot, val in state.fields(thing).items():
            if slot.startswith("['"):
                name = slot[2:-2]
                found[name] = front(holder, val) if name not in found else join(found[name], front(holder, val))
    return found


def is_whole_dict(state: State, holder: Val) -> bool:
    """Whether all entries of a dict are known."""
    thing = holder.only
    return isinstance(thing, Object) and thing.made and ELEMENT not in state.fields(thing) and thing.path.startswith("dict#")


def fill(state: State, val: Val) -> None:
    """A dict without entries goes where it may be given some: from here on it is not known to have none."""
    for thing in val.objects:
        if thing.made and thing.path.startswith("dict#") and not state.fields(thing):
            state.write(thing, ELEMENT, UNKNOWN)


def new_dict(engine: Engine, state: State, entries: dict[str, Val]) -> Val:
    engine.serial += 1
    made = Object(f"dict#{engine.serial}", External("builtins.dict"), made=True)
    for name, val in entries.items():
        state.write(made, f"[{name!r}]", val)
    return Val((made,))


def new_list(engine: Engine, state: State, items: tuple[Val, ...] | None, element: Val | None = None) -> Val:
    engine.serial += 1
    made = Object(f"list#{engine.serial}", made=True)
    if items is not None and len(items) <= MOST_ITEMS:
        state.write(made, ITEMS, Val((Items(items),)))
    else:
        state.write(made, ELEMENT, element or join_all(items or ()))
    return Val((made,))


def truth(engine: Engine, state: State, val: Val) -> bool | None:
    """Whether a value counts as true, where that is known."""
    answers = {True if engine.is_given(thing) else _truth(state, thing) for thing in val.things}
    return answers.pop() if len(answers) == 1 and not val.open else None


def _truth(state: State, thing: object) -> bool | None:
    match thing:
        case Exact(value=None | bool() | int() | float() | str() as value):
            return bool(value)
        case Exact():
            return True
        case Items(items):
            return bool(items)
        case Object(made=True) if thing.cls is None or ITEMS in state.fields(thing):
            known = state.fields(thing).get(ITEMS)
            return bool(known.only.items) if known is not None and isinstance(known.only, Items) else None
        case Object(made=True):
            return True
    return None
