"""Parameters and arguments: what a function takes and what a call hands over."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Literal

import libcst as cst

from .. import ir
from .context import Lowering, Twin, child, children

Kind = Literal["positional-only", "positional", "star", "keyword-only", "star-star"]


def lower_parameters(low: Lowering, node: cst.Parameters, twin: Twin, at: ir.At) -> tuple[ir.Parameter, ...]:
    """The parameters in source order. Defaults are evaluated outside the function, so lower them before entering it."""
    return tuple(
        ir.Parameter(
            name=parameter.name.value,
            kind=kind,
            default=low.optional(parameter.default, default, at),
            annotation=_annotation(low, parameter, twin_parameter),
        )
        for kind, parameter, twin_parameter, default in _with_twins(node, twin)
    )


def _with_twins(node: cst.Parameters, twin: Twin) -> Iterator[tuple[Kind, cst.Param, Twin, Twin]]:
    """Each parameter with its kind, its twin and its default's twin."""
    positional = [*node.posonly_params, *node.params]
    defaults = iter(children(twin, "defaults", sum(each.default is not None for each in positional)))

    def some(kind: Kind, name: str, parameters: Sequence[cst.Param]) -> Iterator[tuple[Kind, cst.Param, Twin, Twin]]:
        for each, its_twin in zip(parameters, children(twin, name, len(parameters)), strict=True):
            yield kind, each, its_twin, next(defaults) if each.default is not None else None

    yield from some("positional-only", "posonlyargs", node.posonly_params)
    yield from some("positional", "args", node.params)
    if isinstance(node.star_arg, cst.Param):
        yield "star", node.star_arg, child(twin, "vararg"), None
    count = len(node.kwonly_params)
    for each, its_twin, default in zip(
        node.kwonly_params, children(twin, "kwonlyargs", count), children(twin, "kw_defaults", count), strict=True
    ):
        yield "keyword-only", each, its_twin, default
    if node.star_kwarg is not None:
        yield "star-star", node.star_kwarg, child(twin, "kwarg"), None


def _annotation(low: Lowering, parameter: cst.Param, twin: Twin) -> str | None:
    if parameter.annotation is None:
        return None
    return low.text(parameter.annotation.annotation, child(twin, "annotation"))


def lower_arguments(low: Lowering, node: cst.Call, twin: Twin, at: ir.At) -> tuple[ir.Argument, ...]:
    """The arguments of a call in source order. ``ast`` keeps those with a keyword (``**x`` too) apart from the others."""
    named = sum(1 for argument in node.args if _is_named(argument))
    keywords = iter(children(twin, "keywords", named))
    others = iter(children(twin, "args", len(node.args) - named))
    return tuple(
        _argument(low, argument, next(keywords) if _is_named(argument) else next(others), at) for argument in node.args
    )


def _argument(low: Lowering, argument: cst.Arg, twin: Twin, at: ir.At) -> ir.Argument:
    if isinstance(twin, ast.keyword) or argument.star == "*":
        twin = child(twin, "value")
    keyword = argument.keyword.value if argument.keyword is not None else None
    return ir.Argument(low.expression(argument.value, twin, at), keyword, _STARS[argument.star])


def _is_named(argument: cst.Arg) -> bool:
    return argument.keyword is not None or argument.star == "**"


_STARS: dict[str, Literal[0, 1, 2]] = {"": 0, "*": 1, "**": 2}
