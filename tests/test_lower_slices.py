"""Slices: how a statement is cut out of its file, where its parts stand, and what is said when it cannot be lowered."""
from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from lowered import expression_of, function_of, spell, statement_of
from string_tree import module_of

from flowcheck.analyzer import ir
from flowcheck.analyzer.lower import LoweringError, lower_function


def test_a_string_of_several_lines_keeps_its_indentation() -> None:
    module = module_of('class A:\n    def f(self):\n        return """a\n        b\n"""\n')
    node = module.tree.body[0]
    assert isinstance(node, ast.ClassDef)
    assert isinstance(node.body[0], ast.FunctionDef)
    assert spell(lower_function(module, node.body[0]).body) == r"[Return(Const('a\n        b\n'))]"


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 1\n",
        "class A:\n    def f(self):\n# at the margin\n        if x:\n            return 1\n",
        "class A:\n    @a(\n  b)\n    # between\n    def f(self):\n        if x: \\\n  return 1\n",
        "\x0cclass A:\n\x0c    def f(self):\n        if x:\n            return 1\n",
        "class A:\r\n    def f(self):\r\n        if x:\r\n            return 1\r\n",
        "class A:\n  x = 1\n  def f(self):\n   if x:\n        return 1 # done\n  # below\n",
    ],
    ids=["tabs", "comment", "decorator", "form feed", "carriage returns", "uneven"],
)
def test_a_method_is_cut_out_however_it_is_indented(source: str) -> None:
    module = module_of(source.encode())
    method = next(node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef))
    assert spell(lower_function(module, method).body) == "[If(Name('x'), [Return(Const(1))], [])]"


def test_statements_that_share_a_line() -> None:
    source = "a = 1; b = [\n  2]; c = 3  # three\n"
    assert [spell(statement_of(source, position)) for position in range(3)] == [
        "Assign([Name('a')], Const(1))",
        "Assign([Name('b')], Display('list', [Const(2)]))",
        "Assign([Name('c')], Const(3))",
    ]


def test_places_count_lines_of_the_file_and_characters() -> None:
    function = function_of("# é\n\n\ndef f(ü):\n    return 'äöü' + ü.naïve(x)\n".encode())
    returned = function.body[0]
    assert isinstance(returned, ir.Return)
    assert isinstance(returned.value, ir.Binary)
    call = returned.value.right
    assert isinstance(call, ir.Call)
    assert (function.at, returned.at, call.at, call.arguments[0].value.at) == ((4, 0), (5, 4), (5, 19), (5, 27))


def test_a_place_leaves_out_parentheses_as_python_does() -> None:
    expression = expression_of("((a) + b)")
    assert isinstance(expression, ir.Binary)
    assert (expression.at, expression.left.at, expression.right.at) == ((1, 1), (1, 2), (1, 7))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = " + "x + " * 900 + "x", "nested too deeply"),
        ("x = " + "'a' " * 20_000, "libcst cannot parse it"),
        ("x = " + "x and " * 100_000 + "x", "a boolean expression of too many operands"),
    ],
    ids=["depth", "libcst", "boolean"],
)
def test_what_cannot_be_lowered_is_said_with_its_place(source: str, reason: str) -> None:
    with pytest.raises(LoweringError, match=reason) as caught:
        statement_of(f"pass\n{source}\n", 1)
    assert (caught.value.path, caught.value.line) == ("pkg/example.py", 2)


def test_importing_the_package_does_not_import_libcst() -> None:
    code = "import sys, flowcheck.analyzer.lower; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
