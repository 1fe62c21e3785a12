"""argparse: the options of a program, and their values. Nobody gives an option, unless the training config does."""

from __future__ import annotations

from ..values import MISSING, BuiltinMethod, External, ExternalObject, ListValue, Slots, Unknown, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
PARSER = "argparse.ArgumentParser"
ASSUMED = "command-line"
FLAGS = {"store_true": False, "store_false": True}


def parser(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    for name in ("parents", "argument_default"):
        if keywords.get(name) is not None:
            return machine.raise_error("GiveUp", f"a parser of the command line is made with {name}, which is not followed")
    return ExternalObject(PARSER, machine.fresh_key("parser"), machine.heap.new())


def add_argument(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``parser.add_argument("--layer-ids", …)``: the value where it is not given. Of options that share one the first counts."""
    attrs = receiver(function).attrs
    names = [name for name in args if isinstance(name, str)]
    if not names or len(names) < len(args):
        return machine.raise_error("GiveUp", "an option of the command line by a name that is not known")
    long = next((name for name in names if name.startswith("--")), names[0])
    dest = keywords.get("dest")
    name = dest if isinstance(dest, str) else long.lstrip("-").replace("-", "_")
    made = machine.mystery("option", "an option of the command line", not_none=True)
    first = machine.pick(attrs.get(f"option {name}", MISSING))
    if must_be_given(long, keywords):
        machine.heap.write(attrs, f"must {name}", True)
        value: Value = machine.unknown(name, f"the command line must give {long}", not_none=True)
    elif first is MISSING:
        value = converted(machine, default_of(machine, attrs, name, keywords), keywords.get("type"))
    elif isinstance(first, str) and keywords.get("type") is not None:
        return machine.raise_error("GiveUp", f"two options of the command line share {name}, and which converts it is not followed")
    else:
        return made
    machine.heap.write(attrs, f"type {name}", keywords.get("type"))
    machine.heap.write(attrs, f"option {name}", machine.from_outside(name, value))
    return made


def must_be_given(long: str, keywords: Keywords) -> bool:
    """Whether the command line must give an option, so that no default counts; so it is told, too, of a place without a default."""
    if long.startswith("-"):
        return keywords.get("required", False) is not False
    return "default" not in keywords or keywords.get("nargs") not in ("?", "*")


def default_of(machine: Host, attrs: Slots, name: str, keywords: Keywords) -> Value:
    """An option's own default, else what the parser has for it."""
    if "default" in keywords:
        return keywords["default"]
    of_parser = machine.pick(attrs.get(f"default {name}", MISSING))
    if of_parser is not MISSING:
        return of_parser
    action = keywords.get("action")
    return FLAGS.get(action) if isinstance(action, str) else None


def converted(machine: Host, default: Value, kind: Value) -> Value:
    """A default that is a string is read like one from the command line."""
    return machine.call(kind, (default,), {}) if isinstance(default, str) and kind is not None else default


def parse(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``parser.parse_args()``."""
    given = args[0] if args else keywords.get("args")
    into = args[1] if len(args) > 1 else keywords.get("namespace")
    if not is_command_line(machine, machine.pick(given)):
        return machine.raise_error("GiveUp", "the options are given here as a list of arguments, which is not followed")
    if machine.pick(into) is not None:
        return machine.raise_error("GiveUp", "the options are written into an object of the program, which is not followed")
    machine.assume(ASSUMED)
    space = machine.heap.new()
    for key, value in receiver(function).attrs.items():
        kind, _, name = key.partition(" ") if isinstance(key, str) else ("", "", "")
        if kind == "option" or (kind == "default" and receiver(function).attrs.get(f"option {name}", MISSING) is MISSING):
            space[name] = value
            if isinstance(value, ListValue | tuple):
                machine.record(f"option {name}", machine.show(value), machine.show(value))
    return ExternalObject("argparse.Namespace", machine.fresh_key("options"), space)


def is_command_line(machine: Host, given: Value) -> bool:
    """Whether these arguments are those of the command line: none are named, or ``sys.argv``, or a parameter that nothing decides."""
    if isinstance(given, ListValue):
        return machine.items_of(given) == ()
    if isinstance(given, Unknown):
        return given.key.isidentifier()
    return given is None or given == () or (isinstance(given, External) and given.name == "sys.argv")


def parse_known(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return parse(machine, function, args, keywords), machine.unknown_items("list")


def set_defaults(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``parser.set_defaults(layer_ids=…)``: for the options that there are, and for later ones that have no default of their own."""
    attrs = receiver(function).attrs
    for name, value in keywords.items():
        given = machine.from_outside(name, value)
        machine.heap.write(attrs, f"default {name}", given)
        is_there = machine.pick(attrs.get(f"option {name}", MISSING)) is not MISSING
        if is_there and machine.pick(attrs.get(f"must {name}", False)) is False:
            machine.heap.write(attrs, f"option {name}", converted(machine, given, machine.pick(attrs.get(f"type {name}"))))
    return None


def group(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A group of options belongs to its parser."""
    return receiver(function)


def receiver(function: Value) -> ExternalObject:
    assert isinstance(function, BuiltinMethod) and isinstance(function.receiver, ExternalObject)
    return function.receiver


FUNCTIONS: dict[str, Model] = {PARSER: parser}
METHODS: dict[str, Model] = {
    "add_argument": add_argument,
    "parse_args": parse,
    "parse_known_args": parse_known,
    "set_defaults": set_defaults,
    "add_argument_group": group,
    "add_mutually_exclusive_group": group,
}
