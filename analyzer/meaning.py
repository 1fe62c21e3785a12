"""What an evaluation says, without how the program says it: no places, no names of variables, no wording of messages. Two evaluations of
one id list mean the same where a refactoring lies between them that changes nothing.
"""
from __future__ import annotations

import ast
import re
import warnings
from typing import TypeAlias

from .results import Condition, Evaluation

Meaning: TypeAlias = "tuple[object, ...]"

_NUMBER = re.compile(r"(?<=\w)#\d+")
"""What tells two unknown values of one call apart. To Python it is a comment, behind which nothing would count."""


def meaning(evaluation: Evaluation) -> Meaning:
    """What is captured or which exception is raised; the answers where it depends; nothing more where it is not established."""
    if evaluation.status == "not established":
        return ("not established",)
    if evaluation.status == "depends":
        return "depends", frozenset(
            (frozenset(map(asked, each.conditions)), each.captured, raised(each.error), each.reason is not None)
            for each in evaluation.depends_on
        )
    return "established", evaluation.captured, raised(evaluation.error)


def raised(error: str | None) -> str | None:
    """The class of an exception."""
    return error if error is None else error.partition(":")[0]


def asked(condition: Condition) -> tuple[str, bool]:
    """A condition without the names of variables, and its answer."""
    return skeleton(condition.text), condition.value


def skeleton(text: str) -> str:
    """An expression with every variable called alike; what is no expression stays as it is, but for its blanks."""
    plain = _NUMBER.sub("", " ".join(text.split()))
    try:
        with warnings.catch_warnings():  # the tree's own sins are not ours to print
            warnings.simplefilter("ignore")
            tree = ast.parse(plain, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = "_"
        return ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return plain
