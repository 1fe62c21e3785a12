"""The standard library, as far as model code uses it."""

from __future__ import annotations

from ..values import BoundMethod, DictValue, ExternalObject, FunctionValue, Instance, ListValue, Partial, Value
from .builtin_functions import collect, dict_, nothing
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]


def partial(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return Partial(args[0], args[1:], tuple(keywords.items()))


def environment(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """An environment variable: unset, so the default."""
    machine.assume("environment")
    default = args[1] if len(args) > 1 else keywords.get("default")
    return machine.from_outside(args[0], default) if isinstance(args[0], str) else default


def field(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    made = ExternalObject("dataclasses.field", machine.fresh_key("field"), machine.heap.new())
    for name, value in keywords.items():
        made.attrs[name] = value
    return made


def default_dict(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    made = machine.new_dict({})
    if args and args[0] is not None:
        made.state["#factory"] = args[0]
    return made


def deque(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    if len(args) > 1 or "maxlen" in keywords:
        return machine.mystery("deque", "a deque of bounded length", not_none=True)
    return collect("list")(machine, function, args, keywords)


def islice(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[0])
    bounds = [b for b in map(machine.pick, args[1:]) if b is None or isinstance(b, int)]
    if items is None or len(bounds) < len(args) - 1:
        return machine.unknown_items("list")
    return machine.new_list(tuple(items)[slice(*bounds)])


def chain(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    found: list[Value] = []
    for source in args:
        items = machine.iterate(source)
        if items is None:
            return machine.unknown_items("list")
        found.extend(items)
    return machine.new_list(tuple(found))


def cast(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return args[1]


def copied(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A shallow copy; of an object, one with the same attributes."""
    value = machine.pick(args[0])
    if isinstance(value, ListValue):
        items = machine.items_of(value)
        return machine.new_list(items, modules=value.modules) if isinstance(items, tuple) else machine.unknown_items("list")
    if isinstance(value, DictValue):
        return dict_(machine, function, (value,), {})
    if isinstance(value, Instance):
        made = Instance(value.cls, machine.heap.new())
        for name, held in machine.attrs_of(value).items():
            made.attrs[name] = held
        return made
    return value


def reduce(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    items = machine.iterate(args[1])
    if items is None or (not items and len(args) < 3):
        return machine.mystery("reduce", "a reduction over a collection that is not known")
    result = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        result = machine.call(args[0], (result, item), {})
    return result


def no_context(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.mystery("context", "a context manager that does nothing", not_none=True)


def logger(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return ExternalObject("logging.Logger", "logger", machine.heap.new())


OPERATORS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}


def operator_function(op: str) -> Model:
    return lambda machine, function, args, keywords: machine.binary(op, args[0], args[1])


def bound_method(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``types.MethodType(function, instance)``, and ``function.__get__(instance, owner)``."""
    made = machine.pick(args[0]) if len(args) > 1 else None
    if isinstance(made, FunctionValue):
        return BoundMethod(made, args[1])
    return machine.mystery("method", "a method made of something unknown", not_none=True)


def contains(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.compare("in", args[1], args[0])


FUNCTIONS: dict[str, Model] = {
    "functools.partial": partial,
    "functools.reduce": reduce,
    "os.getenv": environment,
    "os.environ.get": environment,
    "dataclasses.field": field,
    "collections.defaultdict": default_dict,
    "collections.OrderedDict": dict_,
    "collections.deque": deque,
    "itertools.islice": islice,
    "itertools.chain": chain,
    "typing.cast": cast,
    "types.MethodType": bound_method,
    "copy.copy": copied,
    "contextlib.nullcontext": no_context,
    "contextlib.suppress": no_context,
    "warnings.warn": nothing,
    "logging.getLogger": logger,
    "operator.contains": contains,
    **{f"operator.{name}": operator_function(op) for name, op in OPERATORS.items()},
}
SILENT = ("logging.", "warnings.")
