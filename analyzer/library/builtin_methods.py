"""Methods of Python's own containers and texts."""

from __future__ import annotations

from ..values import BuiltinMethod, ListValue, SetValue, Tensor, Value
from .dict_methods import DICT_METHODS
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
TEXT_METHODS = frozenset(
    {
        "startswith",
        "endswith",
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "split",
        "rsplit",
        "replace",
        "format",
        "join",
        "removeprefix",
        "removesuffix",
        "find",
        "isdigit",
        "title",
        "partition",
        "rpartition",
        "count",
        "capitalize",
        "index",
        "splitlines",
        "casefold",
    }
)
MAX_TEXT = 10_000
MOST_ITEMS = 2_000
"""Items of a list that a trainer fills one by one: each step keeps the list as it was."""


def receiver(function: Value) -> Value:
    assert isinstance(function, BuiltinMethod)
    return function.receiver


def items(machine: Host, function: Value) -> tuple[Value, ...] | None:
    value = receiver(function)
    assert isinstance(value, ListValue | SetValue)
    found = machine.items_of(value)
    return found if isinstance(found, tuple) else None


def store(machine: Host, function: Value, new: tuple[Value, ...]) -> None:
    value = receiver(function)
    assert isinstance(value, ListValue | SetValue)
    machine.heap.write(value.state, "items", new)


def append(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is not None and len(held) >= MOST_ITEMS and machine.recording():
        value = receiver(function)
        assert isinstance(value, ListValue)
        machine.heap.write(value.state, "items", machine.mystery("items", f"a list of more than {MOST_ITEMS} items"))
    elif held is not None:
        store(machine, function, (*held, machine.kept(args[0])))
        shown = machine.show(machine.content(args[0]) if isinstance(args[0], Tensor) else args[0])
        if isinstance(args[0], Tensor) or not machine.recording():
            machine.record("append", shown, f"{len(held) + 1} in the list")
        machine.note_kept(args[0])
    return None


def extend(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held, more = items(machine, function), machine.iterate(args[0])
    if held is not None:
        if more is None:
            value = receiver(function)
            assert isinstance(value, ListValue | SetValue)
            machine.heap.write(value.state, "items", machine.mystery("items", "a list is extended by something unknown"))
        else:
            store(machine, function, (*held, *map(machine.kept, more)))
            for each in more:
                machine.note_kept(each)
    return None


def insert(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held, place = items(machine, function), machine.pick(args[0])
    if held is not None and isinstance(place, int):
        changed = list(held)
        changed.insert(place, machine.kept(args[1]))
        store(machine, function, tuple(changed))
    elif held is not None:
        return machine.raise_error("GiveUp", "an insertion at a place that is not known")
    return None


def pop(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held, place = items(machine, function), machine.pick(args[0] if args else -1)
    if held is None or not isinstance(place, int):
        return machine.mystery("pop", "an item of a list that is not known")
    if not -len(held) <= place < len(held):
        return machine.raise_error("IndexError", "pop from empty list" if not held else "pop index out of range")
    changed = list(held)
    taken = changed.pop(place)
    store(machine, function, tuple(changed))
    return taken


def remove(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is None:
        return None
    for place, item in enumerate(held):
        answer = machine.compare("==", item, args[0])
        if answer is True:
            store(machine, function, (*held[:place], *held[place + 1 :]))
            return None
        if answer is not False:
            return machine.raise_error("GiveUp", "a removal of something that is not known")
    return machine.raise_error("ValueError", "list.remove(x): x not in list")


def index(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    for place, item in enumerate(held or ()):
        answer = machine.compare("==", item, args[0])
        if answer is True:
            return place
        if answer is not False:
            return machine.mystery("index", "the place of something that is not known", not_none=True)
    if held is None:
        return machine.mystery("index", "a place in a list that is not known", not_none=True)
    return machine.raise_error("ValueError", f"{machine.show(args[0])} is not in list")


def count(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    answers = [machine.compare("==", item, args[0]) for item in held or ()]
    if held is None or not all(isinstance(a, bool) for a in answers):
        return machine.mystery("count", "a count in a list that is not known", not_none=True)
    return sum(a is True for a in answers)


def clear(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    store(machine, function, ())
    return None


def reverse(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is not None:
        store(machine, function, tuple(reversed(held)))
    return None


def sort(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is None:
        return None
    if keywords.get("key") is None and all(isinstance(x, int | float) for x in held):
        store(machine, function, tuple(sorted(held, reverse=keywords.get("reverse") is True)))  # type: ignore[type-var]
        return None
    return machine.raise_error("GiveUp", "a sort by something that is not known")


def copy(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value, held = receiver(function), items(machine, function)
    if held is None:
        return machine.unknown_items("set" if isinstance(value, SetValue) else "list")
    return machine.set_from(held) if isinstance(value, SetValue) else machine.new_list(held)


def add(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is None:
        return None
    answers = [machine.compare("==", item, args[0]) for item in held]
    if True in answers:
        return None
    if any(a is not False for a in answers):
        return machine.raise_error("GiveUp", "a set is given something that is not known")
    store(machine, function, (*held, args[0]))
    return None


def update_set(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    for source in args:
        more = machine.iterate(source)
        if more is None:
            return machine.raise_error("GiveUp", "a set is given something that is not known")
        for item in more:
            add(machine, function, (item,), {})
    return None


def discard(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    held = items(machine, function)
    if held is not None:
        store(machine, function, tuple(x for x in held if machine.compare("==", x, args[0]) is not True))
    return None


def combine(op: str) -> Model:
    """``union``, ``intersection`` and ``difference``."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        result = receiver(function)
        for other in args:
            more = machine.iterate(other)
            result = machine.unknown_items("set") if more is None else machine.binary(op, result, machine.set_from(tuple(more)))
        return result

    return model


# ----------------------------------------------------------------------- text


def text(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    assert isinstance(function, BuiltinMethod) and isinstance(function.receiver, str)
    plain = [tuple(a) if isinstance(a, tuple) else a for a in map(machine.pick, args)]
    if function.name == "join" and args and (walked := machine.iterate(args[0])) is not None:
        plain = [tuple(walked)]
    exact = all(isinstance(a, str | int) or (isinstance(a, tuple) and all(isinstance(x, str) for x in a)) for a in plain)
    if function.name not in TEXT_METHODS or not exact or keywords or len(function.receiver) > MAX_TEXT:
        return machine.mystery("text", "a text that is not known", not_none=True)
    try:
        result = getattr(str, function.name)(function.receiver, *plain)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        return machine.raise_error(type(error).__name__, str(error), certain=False)
    return machine.new_list(tuple(result)) if isinstance(result, list) else result


def operator(op: str, *, reflected: bool = False) -> Model:
    """A number's operator as a method: ``(1).__add__``."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        if len(args) != 1 or keywords:
            return machine.raise_error("TypeError", f"expected 1 argument, got {len(args)}")
        one, other = receiver(function), machine.pick(args[0])
        if not isinstance(other, int):
            return machine.mystery("number", "an operator of a number that is given no whole number", not_none=True)
        return machine.binary(op, other, one) if reflected else machine.binary(op, one, other)

    return model


INT_METHODS: dict[str, Model] = {
    "__add__": operator("+"),
    "__radd__": operator("+", reflected=True),
    "__sub__": operator("-"),
    "__rsub__": operator("-", reflected=True),
    "__mul__": operator("*"),
}
__all__ = ["DICT_METHODS", "INT_METHODS", "LIST_METHODS", "SET_METHODS", "text"]

LIST_METHODS: dict[str, Model] = {
    "append": append,
    "appendleft": lambda m, f, a, k: insert(m, f, (0, *a), k),
    "extend": extend,
    "insert": insert,
    "pop": pop,
    "popleft": lambda m, f, a, k: pop(m, f, (0,), k),
    "remove": remove,
    "index": index,
    "count": count,
    "clear": clear,
    "reverse": reverse,
    "sort": sort,
    "copy": copy,
}
SET_METHODS: dict[str, Model] = {
    "add": add,
    "update": update_set,
    "discard": discard,
    "remove": remove,
    "clear": clear,
    "copy": copy,
    "union": combine("|"),
    "intersection": combine("&"),
    "difference": combine("-"),
}
