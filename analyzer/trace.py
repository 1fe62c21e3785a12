"""Joining what is written with what was run: which value each reader of a key gets, and why where it gets none."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from .configs import Config
from .evaluation import Program, Target
from .graph import FlowGraph
from .index import Index
from .interpret.code import Code
from .json_text import Json
from .launches import Lookup
from .location import Location
from .results import NotEstablished, SourceFacts
from .source import SourceTree
from .traces import Got, Mention, Reader, Trace
from .trainer import TrainerIndex, open_trainer
from .valueflow.mentions import short
from .valueflow.tracing import Tracing, trace_trainer, trace_tree, ways
from .wiring import Found

NO_CONFIG = "no config is in hand"
NO_RUN = "no run with the configs in hand comes here"
UNKNOWN_HOLDER = "what it looks into is not known to be a config in hand"
HANDED = "supposed: the config that this function is handed is the {}'s"


def trace_key(
    program: Program, tree: SourceTree, source: SourceFacts, key: str, configs: Mapping[str, Config],
    target: tuple[Target, Found] | None, models: Sequence[str], train: str | None,
) -> tuple[Trace, list[tuple[Callable[[str], str], Index]]]:  # fmt: skip
    """All readers of a key in the engine, and in the trainer that is given; and what was read of both."""
    engine = trace_tree(program, tree, key, configs, target, models)
    tracings = [engine]
    if train is not None:
        opened = open_trainer(train)
        there = Program(TrainerIndex(opened), program.flow, Code(opened.printed), program.library, opened.printed)
        tracings.append(trace_trainer(there, opened.tree, key, configs, engine.chain.graph))
    graph: FlowGraph = ways(engine.chain.graph, key)
    readers = tuple(reader for each in tracings for reader in readers_of(each, configs))
    tests = tuple(each.mention for tracing in tracings for each in tracing.found if each.mention.form == "test")
    problems = tuple(problem for each in tracings for problem in (*each.problems, *unreadable(each, each.chain.program.index)))
    made = Trace(source, key, readers, tests, graph, tuple((role, each.path_printed) for role, each in configs.items()), problems)
    return made, [(each.chain.program.printed, each.chain.program.index) for each in tracings]


def unreadable(tracing: Tracing, index: Index) -> Iterator[NotEstablished]:
    """The files that could not be parsed: what is in them is not told."""
    for path, message in sorted(index.unreadable.items()):
        line, _, text = message.partition(": ")
        number = line.removeprefix("line ")
        yield NotEstablished("file", text or message, Location(tracing.chain.program.printed(path), int(number) if number.isdigit() else 1))


def readers_of(tracing: Tracing, configs: Mapping[str, Config]) -> Iterator[Reader]:
    """Each mention with what runs saw it get; then the lookups by a name that is made elsewhere."""
    seen: dict[tuple[Location, int], list[Lookup]] = {}
    for lookup in tracing.lookups:
        seen.setdefault((lookup.at, lookup.column), []).append(lookup)
    told: list[Reader] = []
    for mention in (each.mention for each in tracing.found if each.mention.form != "test"):
        lookups = seen.pop((mention.at, mention.column), [])
        ran = [got_of(lookup, mention, configs) for lookup in lookups]
        told.append(Reader(mention, best_first(ran or list(declared(mention, tracing.key, configs)) or [unreached(configs)], configs)))
    tests = {(each.mention.at, each.mention.column) for each in tracing.found}
    for (at, column), lookups in seen.items():
        real = [lookup for lookup in lookups if lookup.role]
        if real and (at, column) not in tests:
            mention = Mention("helper", at, column, real[0].symbol, line_at(tracing, at), real[0].default)
            told.append(Reader(mention, best_first([got_of(lookup, mention, configs) for lookup in real], configs)))
    yield from sorted(told, key=lambda each: (each.mention.at.file, each.mention.at.line, each.mention.column))


def best_first(got: Sequence[Got], configs: Mapping[str, Config]) -> tuple[Got, ...]:
    """What runs saw, each once. What nothing is known of goes where another run knows more, and so does a lookup in a table that the config
    does not have where it may be one in a table that it has."""
    once = [each for number, each in enumerate(got) if each not in got[:number]]
    known = [each for each in once if each.role or each.status != "never"]
    real = [each for each in known if not each.role or is_in_table(each, configs)]
    return tuple(real or known or once)


def is_in_table(got: Got, configs: Mapping[str, Config]) -> bool:
    *path, _ = got.entry.split(".")
    return got.role not in configs or not path or isinstance(entry(configs[got.role], path), dict)


def got_of(lookup: Lookup, mention: Mention, configs: Mapping[str, Config]) -> Got:
    """What one lookup of a run comes to."""
    role, name = lookup.role, lookup.name if lookup.role else ""
    supposed = HANDED.format(role) if lookup.side == "training" else None
    match lookup.status:
        case "read" if role in configs:
            return Got(role, name, "read", entry(configs[role], (*lookup.path, lookup.key)), lookup.value, supposed)
        case "read":
            value, known = literal(lookup.value)
            reason = None if known else "an object of the program keeps it; its value is not known"
            return Got("", "", "read", value, lookup.value, reason)
        case "default":
            text = mention.default if mention.default is not None else lookup.default or ""
            return Got(role, name, "default", literal(lookup.value or text)[0], lookup.value or text, supposed)
        case "raises":
            return Got(role, name, "never", reason=f"the {role}'s config has no {name}, and a miss raises")
    if not role:
        return Got("", "", "never", reason=UNKNOWN_HOLDER if configs else NO_CONFIG)
    if role not in configs:
        return Got(role, name, "never", reason=f"the {role}'s config is not in hand" if configs else NO_CONFIG)
    lacks = f"the {role}'s config has no {name}: it is what the program or the config's class makes it, or a miss raises"
    return Got(role, name, "never", reason=lacks)


def declared(mention: Mention, key: str, configs: Mapping[str, Config]) -> Iterator[Got]:
    """What a config class of the tree makes of the tables that say that they are of its kind."""
    for role, config in configs.items() if mention.model_type else ():
        for path, table in tables(config.values):
            if table.get("model_type") == mention.model_type:
                name, reason = ".".join((*path, key)), f"supposed: made of what says model_type {mention.model_type!r}"
                if key in table:
                    yield Got(role, name, "read", table[key], "", reason)
                elif mention.default is not None:
                    yield Got(role, name, "default", literal(mention.default)[0], mention.default, reason)


def tables(values: Mapping[str, Json], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, Json]]]:
    yield path, values
    for name, value in values.items():
        if isinstance(value, dict):
            yield from tables(value, (*path, name))


def unreached(configs: Mapping[str, Config]) -> Got:
    return Got("", "", "never", reason=NO_RUN if configs else NO_CONFIG)


def entry(config: Config, path: Sequence[str]) -> Json:
    value: Json = dict(config.values)
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def literal(text: str) -> tuple[Json, bool]:
    """The value of a text of Python, where it is one that JSON has; and whether it is."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None, False
    return (as_json(value), True) if is_json(value) else (None, False)


def as_json(value: object) -> Json:
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, dict):
        return {str(name): as_json(each) for name, each in value.items()}
    return value if value is None or isinstance(value, bool | int | float | str) else None


def is_json(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(is_json, value))
    if isinstance(value, dict):
        return all(isinstance(name, str) and is_json(each) for name, each in value.items())
    return value is None or (isinstance(value, bool | int | float | str) and value == value)  # NaN is not equal to itself


def line_at(tracing: Tracing, at: Location) -> str:
    """The line of a lookup that does not name the key."""
    program = tracing.chain.program
    for path in tracing.chain.tree.files:
        if program.printed(path) == at.file:
            module = program.index.module(program.index.module_of(path))
            return short(module.lines[at.line - 1]) if module is not None else ""
    return ""
