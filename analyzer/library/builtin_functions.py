"""Python's builtin functions."""

from __future__ import annotations

from ..values import (
    MISSING,
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    DictValue,
    External,
    ExternalObject,
    FunctionValue,
    Id,
    Instance,
    ListValue,
    Partial,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from .host import Host, Model
from .iterators import enumerate_, filter_, iter_, map_, next_, quantifier, reversed_, zip_

Args = tuple[Value, ...]
Keywords = dict[str, Value]
MAX_RANGE = 100_000


def length(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0])
    if isinstance(value, Phi):
        return machine.lift(value, lambda v: length(machine, function, (v,), {}))
    if isinstance(value, Tensor):
        return machine.unknown(f"shape({value.cell.number}).len", "the length of a tensor", not_none=True, positive=True)
    if isinstance(value, Unknown) and (known := machine.config_attribute(value, "len()", f"len({value.key})")) is not MISSING:
        return known
    if isinstance(value, Unknown | External | ExternalObject):
        return machine.unknown(f"len({machine.show(value)})", "the length of something unknown", not_none=True)
    if isinstance(value, Instance) and (method := machine.lookup_default(value, "__len__", MISSING)) is not MISSING:
        return machine.call(method, (), {})
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, ListValue) and value.iterator:
        return machine.raise_error("TypeError", "object of type 'generator' has no len()")
    if isinstance(value, SetValue):
        held = machine.items_of(value)
        return len(held) if isinstance(held, tuple) else machine.mystery("len", "the size of a set that is not known", not_none=True)
    items = machine.iterate(value)
    return machine.mystery("len", "the length of a collection that is not known", not_none=True) if items is None else len(items)


def range_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    bounds = [machine.pick(a) for a in args]
    for place, bound in enumerate(bounds):
        if isinstance(bound, Phi):
            return machine.lift(bound, lambda v, p=place: range_(machine, function, (*args[:p], v, *args[p + 1 :]), {}))  # type: ignore[misc]
    if all(isinstance(b, int) for b in bounds) and bounds:
        try:
            made = range(*(int(b) for b in bounds if isinstance(b, int)))
        except ValueError as error:
            return machine.raise_error("ValueError", str(error))
        if len(made) <= MAX_RANGE:
            return made
        return machine.mystery("range", "a range too long to walk", not_none=True)
    if any(b is None or isinstance(b, str | ListValue) for b in bounds):
        return machine.raise_error("TypeError", "object cannot be interpreted as an integer")
    made_of = machine.mystery("range", "a range with bounds that are not known", not_none=True)
    if len(bounds) == 1:
        machine.note_length(made_of, bounds[0])
    return made_of


def collect(kind: str) -> Model:
    """``list``, ``tuple``, ``set`` and ``frozenset`` of something."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        if args and isinstance(phi := machine.pick(args[0]), Phi):
            return machine.lift(phi, lambda v: model(machine, function, (v,), keywords))
        items = machine.iterate(args[0]) if args else []
        if items is None:
            return machine.mystery("tuple", "a tuple of unknown length", not_none=True) if kind == "tuple" else machine.unknown_items(kind)
        return tuple(items) if kind == "tuple" else machine.new_list(tuple(items)) if kind == "list" else machine.set_from(tuple(items))

    return model


def dict_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    made = machine.new_dict({})
    if args:
        machine.call(BuiltinMethod(made, "update"), (args[0],), {})
    for key, value in keywords.items():
        machine.set_item(made, key, value)
    return made


def sorted_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[0])
    if items is None or ("key" in keywords and keywords["key"] is not None):
        return machine.unknown_items("list")
    if all(isinstance(x, int | float) for x in items) or all(isinstance(x, str) for x in items):
        return machine.new_list(tuple(sorted(items, reverse=keywords.get("reverse") is True)))  # type: ignore[type-var]
    return machine.new_list(tuple(items)) if len(items) < 2 else machine.unknown_items("list")


def extreme(name: str) -> Model:
    """``min`` and ``max``."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        items = machine.iterate(args[0]) if len(args) == 1 else list(args)
        reads = any(isinstance(x, Id) or (isinstance(x, Unknown) and x.reads_ids) for x in items or ())
        if items is None or keywords.keys() - {"default"} or not all(isinstance(x, int | float) for x in items):
            return machine.mystery(name, f"the {name} of values that are not known", reads_ids=reads, not_none=True)
        if not items:
            return keywords["default"] if "default" in keywords else machine.raise_error("ValueError", f"{name}() arg is an empty sequence")
        return max(items) if name == "max" else min(items)  # type: ignore[type-var]

    return model


def sum_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[0])
    total: Value = args[1] if len(args) > 1 else keywords.get("start", 0)
    for item in items or ():
        total = item if isinstance(total, int) and total == 0 and isinstance(item, Tensor) else machine.binary("+", total, item)
    return machine.mystery("sum", "a sum of unknown length", not_none=True) if items is None else total


def isinstance_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0])
    if isinstance(value, Phi):
        return machine.lift(value, lambda v: isinstance_(machine, function, (v, args[1]), {}))
    answer = machine.is_instance(value, args[1])
    return (
        machine.unknown(f"isinstance({machine.show(value)}, {machine.show(args[1])})", "the type of something unknown")
        if answer is None
        else answer
    )


def issubclass_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    answer = machine.is_subclass(machine.pick(args[0]), machine.pick(args[1]))
    return (
        machine.unknown(f"issubclass({machine.show(args[0])}, {machine.show(args[1])})", "a class that is not known")
        if answer is None
        else answer
    )


def getattr_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    name = machine.pick(args[1])
    if not isinstance(name, str):
        return machine.mystery("getattr", "an attribute by a name that is not known")
    if len(args) == 2:
        return machine.get_attribute(args[0], name)
    return machine.lookup_default(args[0], name, args[2])


def setattr_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    name = machine.pick(args[1])
    if isinstance(name, str):
        machine.set_attribute(args[0], name, args[2])
        return None
    return machine.raise_error("GiveUp", "an attribute is set by a name that is not known")


def hasattr_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    name = machine.pick(args[1])
    return (
        machine.has_attribute(args[0], name)
        if isinstance(name, str)
        else machine.mystery("hasattr", "an attribute by a name that is not known")
    )


def delattr_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    name = machine.pick(args[1])
    if isinstance(name, str):
        machine.set_attribute(args[0], name, MISSING)
    return None


def callable_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0])
    if isinstance(value, FunctionValue | BoundMethod | Partial | ClassValue | BuiltinMethod):
        return True
    if isinstance(value, Instance):
        return (
            machine.lookup_default(value, "__call__", MISSING) is not MISSING
            or machine.lookup_default(value, "forward", MISSING) is not MISSING
        )
    if isinstance(value, Unknown | External | ExternalObject | Phi):
        return machine.unknown(f"callable({machine.show(value)})", "something unknown")
    return False


def type_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.class_of(machine.pick(args[0])) if len(args) == 1 else machine.mystery("type", "a class made at run time")


def number(kind: type[int | float]) -> Model:
    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        value = machine.pick(args[0]) if args else 0
        if isinstance(value, Id) and kind is int:
            return value
        if isinstance(value, bool | int | float | str) and len(args) < 2:
            try:
                return kind(value)
            except (ValueError, OverflowError) as error:
                return machine.raise_error(type(error).__name__, str(error))
        if value is None or isinstance(value, ListValue | DictValue):
            return machine.raise_error("TypeError", f"{kind.__name__}() argument must be a string or a number, not {machine.show(value)}")
        if isinstance(value, Phi):
            return machine.lift(value, lambda v: model(machine, function, (v, *args[1:]), keywords))
        positive = isinstance(value, Unknown) and value.positive
        reads = isinstance(value, Unknown) and value.reads_ids
        return machine.unknown(
            f"{kind.__name__}({machine.show(value)})", "a number that is not known", not_none=True, positive=positive, reads_ids=reads
        )

    return model


def bool_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.truth(args[0]) if args else False


def str_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0]) if args else ""
    if isinstance(value, str | bool | float) or value is None:
        return str(value)
    return str(int(value)) if isinstance(value, int) else machine.mystery("text", "a text made of something unknown", not_none=True)


def abs_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0])
    return abs(value) if isinstance(value, int | float) else machine.mystery("abs", "a number that is not known", not_none=True)


def round_(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    value = machine.pick(args[0]) if args else None
    digits = machine.pick(args[1]) if len(args) > 1 else keywords.get("ndigits")
    if isinstance(value, int | float) and (digits is None or isinstance(digits, int)):
        return round(value, digits) if digits is not None else round(value)
    return machine.mystery("round", "a number that is not known", not_none=True)


def nothing(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return None


def static(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``name = staticmethod(function)`` in the body of a class: what is found there is bound to no object."""
    return Partial(args[0], (), ()) if len(args) == 1 else machine.mystery("staticmethod", "staticmethod of more than one")


FUNCTIONS: dict[str, Model] = {
    "staticmethod": static,
    "len": length,
    "range": range_,
    "list": collect("list"),
    "tuple": collect("tuple"),
    "set": collect("set"),
    "frozenset": collect("set"),
    "dict": dict_,
    "sorted": sorted_,
    "reversed": reversed_,
    "enumerate": enumerate_,
    "zip": zip_,
    "map": map_,
    "filter": filter_,
    "min": extreme("min"),
    "max": extreme("max"),
    "sum": sum_,
    "any": quantifier(True),
    "all": quantifier(False),
    "isinstance": isinstance_,
    "issubclass": issubclass_,
    "getattr": getattr_,
    "setattr": setattr_,
    "hasattr": hasattr_,
    "delattr": delattr_,
    "callable": callable_,
    "type": type_,
    "int": number(int),
    "float": number(float),
    "bool": bool_,
    "str": str_,
    "abs": abs_,
    "round": round_,
    "print": nothing,
    "iter": iter_,
    "next": next_,
    "object.__init__": nothing,
}
