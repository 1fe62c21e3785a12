"""argparse: the options of a program, and their values. Nobody gives an option, unless the training config does."""

from __future__ import annotations

from ..values import MISSING, BuiltinMethod, ExternalObject, ListValue, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
PARSER = "argparse.ArgumentParser"
ASSUMED = "command-line"
FLAGS = {"store_true": False, "store_false": True}


def parser(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return ExternalObject(PARSER, machine.fresh_key("parser"), machine.heap.new())


def add_argument(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``parser.add_argument("--layer-ids", …)``: the option's value where it is not given."""
    made = receiver(function)
    names = [name for name in args if isinstance(name, str)]
    if not names or len(names) < len(args):
        return machine.raise_error("GiveUp", "an option of the command line by a name that is not known")
    long = next((name for name in names if name.startswith("--")), names[0])
    dest = keywords.get("dest")
    name = dest if isinstance(dest, str) else long.lstrip("-").replace("-", "_")
    machine.heap.write(made.attrs, f"option {name}", machine.from_outside(name, default_of(machine, name, long, keywords)))
    return machine.mystery("option", "an option of the command line", not_none=True)


def default_of(machine: Host, name: str, long: str, keywords: Keywords) -> Value:
    action = keywords.get("action")
    if isinstance(action, str) and action in FLAGS:
        return keywords.get("default", FLAGS[action])
    default = keywords.get("default", MISSING)
    if default is MISSING and (not long.startswith("-") or keywords.get("required", False) is not False):
        return machine.unknown(name, f"the command line must give {long}", not_none=True)
    if isinstance(default, str) and "type" in keywords:
        return machine.call(keywords["type"], (default,), {})
    return None if default is MISSING else default


def parse(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``parser.parse_args()``."""
    machine.assume(ASSUMED)
    space = machine.heap.new()
    for key, value in receiver(function).attrs.items():
        if isinstance(key, str) and key.startswith("option "):
            name = key.removeprefix("option ")
            space[name] = value
            if isinstance(value, ListValue | tuple):
                machine.record(f"option {name}", machine.show(value), machine.show(value))
    return ExternalObject("argparse.Namespace", machine.fresh_key("options"), space)


def parse_known(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return parse(machine, function, args, keywords), machine.unknown_items("list")


def set_defaults(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    for name, value in keywords.items():
        machine.heap.write(receiver(function).attrs, f"option {name}", machine.from_outside(name, value))
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
