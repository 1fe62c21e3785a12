"""How the arguments of a call become the parameters of a function."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import ir
from ..values import ClassValue, FunctionValue
from .domain import SOMETHING, UNKNOWN, Closure, Items, Method, Val
from .items import entries_of, is_whole_dict, items_of, new_dict
from .store import State
from .texts import text_of
from .tracks import is_collection

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True, slots=True)
class Arguments:
    """The evaluated arguments of one call, with the expressions that they come from."""

    positional: tuple[Val, ...]
    keywords: dict[str, Val]
    places: dict[int | str, ir.Expression]
    complete: bool
    """False where a star brought in arguments that are not told apart."""

    def all(self) -> Iterator[Val]:
        yield from self.positional
        yield from self.keywords.values()


def read_arguments(engine: Engine, node: ir.Call, state: State) -> Arguments:
    positional: list[Val] = []
    keywords: dict[str, Val] = {}
    places: dict[int | str, ir.Expression] = {}
    complete = True
    for argument in node.arguments:
        val = engine.evaluate(argument.value, state)
        if argument.star == 1:
            items = items_of(state, val)
            complete = complete and items is not None
            positional += items or ()
        elif argument.star == 2:
            keywords |= entries_of(state, val)
            complete = complete and is_whole_dict(state, val)
        elif argument.keyword is not None:
            keywords[argument.keyword] = val
            places[argument.keyword] = argument.value
        else:
            places[len(positional)] = argument.value
            positional.append(val)
    return Arguments(tuple(positional), keywords, places, complete)


def bind_parameters(engine: Engine, state: State, code: ir.Function, callee: Method | Closure, arguments: Arguments) -> None:
    """Give each parameter its argument, its default, or an object of its declared class."""
    positional, keywords = list(arguments.positional), dict(arguments.keywords)
    places = parameter_places(callee.function if isinstance(callee, Method) else None)
    if isinstance(callee, Method) and callee.receiver is not None:
        positional.insert(0, callee.receiver)
    for number, parameter in enumerate(code.parameters):
        name = parameter.name
        if number == 0 and isinstance(callee, Method) and callee.receiver is not None:
            state.names[name] = positional.pop(0)
        elif parameter.kind == "star":
            state.names[name], positional = Val((Items(tuple(positional)),)), []
        elif parameter.kind == "star-star":
            state.names[name] = new_dict(engine, state, keywords)
        else:
            val = _argument(engine, state, parameter, positional, keywords, arguments.complete)
            _refine(engine, val, parameter.annotation)
            if val == UNKNOWN and parameter.default is None and (parameter.annotation or "").strip("\"' ").rpartition(".")[2] == "Tensor":
                val = SOMETHING
            at = places.get(name, code.at)
            state.names[name] = engine.tracks.move(state, val, engine.maker("parameter", name, at), "call")


def _refine(engine: Engine, val: Val, annotation: str | None) -> None:
    """An object of which nothing is known is what the parameter's annotation says."""
    bare = [thing for thing in val.objects if thing.cls is None and not thing.made]
    if bare and annotation is not None:
        types = [each for each in engine.types.annotation(engine.frame.module, annotation) if isinstance(each, ClassValue)]
        for thing in bare if len(types) == 1 else ():
            thing.cls = types[0]


def _argument(
    engine: Engine, state: State, parameter: ir.Parameter, positional: list[Val], keywords: dict[str, Val], complete: bool
) -> Val:
    if parameter.kind != "keyword-only" and positional:
        return positional.pop(0)
    if parameter.name in keywords:
        return keywords.pop(parameter.name)
    if parameter.default is not None and complete:
        return engine.evaluate(parameter.default, state)
    return engine.declared_parameter(parameter, f"{engine.frame.symbol}.{parameter.name}")


def parameter_places(function: FunctionValue | None) -> dict[str, ir.At]:
    if function is None or function.node is None:
        return {}
    arguments: ast.arguments = function.node.args
    return {a.arg: ir.At(a.lineno, a.col_offset) for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def as_argument(engine: Engine, state: State, val: Val, arguments: Arguments, place: int | str, node: ir.Call) -> Val:
    """A tracked value as an argument: a hop at the argument's own place."""
    expression = arguments.places.get(place)
    at = expression.at if expression is not None else node.at
    label = text_of(expression) if expression is not None else str(place)
    if not is_collection(val):
        return val
    return engine.tracks.move(state, val, lambda: engine.node("argument", label, at))
