"""Lowering: small sources in, the intermediate representation out."""
from __future__ import annotations

import pytest
from lowered import expression_of, function_of, spell, statement_of

from flowcheck.analyzer import ir

FORMAT = "OpaqueExpression('a format or conversion inside an f-string')"


def body_of(source: str) -> str:
    """The body of a function with these lines, spelled without the outer brackets."""
    lines = "".join(f"    {line}\n" for line in source.splitlines())
    return spell(function_of(f"async def f():\n{lines}").body)[1:-1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("ids", "Name('ids')"),
        ("None", "Const(None)"),
        ("True", "Const(True)"),
        ("1_000", "Const(1000)"),
        ("0x1F", "Const(31)"),
        ("1e3", "Const(1000.0)"),
        ("2j", "Const(2j)"),
        ("...", "EllipsisConst()"),
        ("b'a' b'b'", "Const(b'ab')"),
        ("('a'\n r'\\d')", r"Const('a\\d')"),
        ("self.model.ids", "Attribute(Attribute(Name('self'), 'model'), 'ids')"),
        ("x[0]", "Subscript(Name('x'), Const(0))"),
        ("x[1:]", "Subscript(Name('x'), Slice(Const(1), None, None))"),
        ("x[:a:2]", "Subscript(Name('x'), Slice(None, Name('a'), Const(2)))"),
        ("x[:, 0]", "Subscript(Name('x'), Display('tuple', [Slice(None, None, None), Const(0)]))"),
        ("x[a,]", "Subscript(Name('x'), Display('tuple', [Name('a')]))"),
        ("x[*a]", "Subscript(Name('x'), Display('tuple', [Starred(Name('a'))]))"),
        ("x[(a, b)]", "Subscript(Name('x'), Display('tuple', [Name('a'), Name('b')]))"),
        ("f()", "Call(Name('f'), [])"),
        (
            "f(a, *b, k=1, *c, **d)",
            (
                "Call(Name('f'), [Argument(Name('a'), None, 0), Argument(Name('b'), None, 1), Argument(Const(1), 'k', 0),"
                " Argument(Name('c'), None, 1), Argument(Name('d'), None, 2)])"
            ),
        ),
        ("a + b * -c", "Binary('+', Name('a'), Binary('*', Name('b'), Unary('-', Name('c'))))"),
        ("a // b ** ~c", "Binary('//', Name('a'), Binary('**', Name('b'), Unary('~', Name('c'))))"),
        ("a @ b << c", "Binary('<<', Binary('@', Name('a'), Name('b')), Name('c'))"),
        ("a and b and c", "Boolean('and', Boolean('and', Name('a'), Name('b')), Name('c'))"),
        ("a and (b and c)", "Boolean('and', Name('a'), Boolean('and', Name('b'), Name('c')))"),
        ("(a and b) and c", "Boolean('and', Boolean('and', Name('a'), Name('b')), Name('c'))"),
        ("a or not b and c", "Boolean('or', Name('a'), Boolean('and', Unary('not', Name('b')), Name('c')))"),
        ("0 <= i < n", "Compare(Const(0), [['<=', Name('i')], ['<', Name('n')]])"),
        ("a is not None", "Compare(Name('a'), [['is not', Const(None)]])"),
        ("a not in b", "Compare(Name('a'), [['not in', Name('b')]])"),
        ("a if b else c", "Conditional(Name('b'), Name('a'), Name('c'))"),
        ("(a, *b)", "Display('tuple', [Name('a'), Starred(Name('b'))])"),
        ("[a, 1]", "Display('list', [Name('a'), Const(1)])"),
        ("{a, 1}", "Display('set', [Name('a'), Const(1)])"),
        ("()", "Display('tuple', [])"),
        ("{'a': 1, **b}", "DictDisplay([[Const('a'), Const(1)], [None, Name('b')]])"),
        ("(a := 1)", "NamedExpression(Name('a'), Const(1))"),
        (
            "[i + 1 for i in ids if i if j]",
            "Comprehension('list', Binary('+', Name('i'), Const(1)), None, [Clause(Name('i'), Name('ids'), [Name('i'), Name('j')])])",
        ),
        (
            "{k: v for k, v in x}",
            "Comprehension('dict', Name('k'), Name('v'), [Clause(Display('tuple', [Name('k'), Name('v')]), Name('x'), [])])",
        ),
        (
            "f(a for b in c for a in b)",
            (
                "Call(Name('f'), [Argument(Comprehension('generator', Name('a'), None,"
                " [Clause(Name('b'), Name('c'), []), Clause(Name('a'), Name('b'), [])]), None, 0)])"
            ),
        ),
        ("{a for a in b}", "Comprehension('set', Name('a'), None, [Clause(Name('a'), Name('b'), [])])"),
        (
            "lambda a, *b, c=1, **d: a",
            (
                "Lambda(Function('<lambda>', [Parameter('a', 'positional', None, None), Parameter('b', 'star', None, None),"
                " Parameter('c', 'keyword-only', Const(1), None), Parameter('d', 'star-star', None, None)], [Return(Name('a'))], [],"
                " {'a', 'b', 'c', 'd'}, {}, {}, False, False))"
            ),
        ),
        ("f'layers.{i}.weight'", "FormattedString([Const('layers.'), Name('i'), Const('.weight')])"),
        ("f'{a!r:>{w}}' 'b' f'{c=}'", f"FormattedString([{FORMAT}, Const('bc='), {FORMAT}])"),
        ("f''", "FormattedString([])"),
        ("f'{{}}' 'x'", "FormattedString([Const('{}x')])"),
    ],
)
def test_expressions(source: str, expected: str) -> None:
    assert spell(expression_of(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b = 1", "Assign([Name('a'), Name('b')], Const(1))"),
        (
            "a, (b.c, *d[0]) = e",
            (
                "Assign([Display('tuple', [Name('a'), Display('tuple',"
                " [Attribute(Name('b'), 'c'), Starred(Subscript(Name('d'), Const(0)))])])], Name('e'))"
            ),
        ),
        ("a: int = 1", "Assign([Name('a')], Const(1))"),
        ("self.a: int", "Annotate(Attribute(Name('self'), 'a'))"),
        ("a @= b", "AugmentedAssign(Name('a'), '@', Name('b'))"),
        ("a.b //= 2", "AugmentedAssign(Attribute(Name('a'), 'b'), '//', Const(2))"),
        ("if a: pass\nelif b: pass\nelse: f()", "If(Name('a'), [Pass()], [If(Name('b'), [Pass()], [Evaluate(Call(Name('f'), []))])])"),
        ("if a: pass\nelse:\n  if b: pass", "If(Name('a'), [Pass()], [If(Name('b'), [Pass()], [])])"),
        ("for i, in x: break\nelse: pass", "For(Display('tuple', [Name('i')]), Name('x'), [Break()], [Pass()])"),
        ("while a: continue\nelse: pass", "While(Name('a'), [Continue()], [Pass()])"),
        (
            "with (a as b, c as (d, e)): pass",
            "With([[Name('a'), Name('b')], [Name('c'), Display('tuple', [Name('d'), Name('e')])]], [Pass()])",
        ),
        ("with a, b(): pass", "With([[Name('a'), None], [Call(Name('b'), []), None]], [Pass()])"),
        (
            "try: a\nexcept (B, C) as e: b\nexcept: c\nelse: d\nfinally: f",
            (
                "Try([Evaluate(Name('a'))], [Handler(Display('tuple', [Name('B'), Name('C')]), 'e', [Evaluate(Name('b'))]),"
                " Handler(None, None, [Evaluate(Name('c'))])], [Evaluate(Name('d'))], [Evaluate(Name('f'))])"
            ),
        ),
        ("raise", "Raise(None)"),
        ("raise A() from b", "Raise(Call(Name('A'), []))"),
        ("assert a, 'b'", "Assert(Name('a'), Const('b'))"),
        ("del a, b[0]", "Delete([Name('a'), Subscript(Name('b'), Const(0))])"),
        ("del (a, b)", "Delete([Display('tuple', [Name('a'), Name('b')])])"),
        ("import a.b, c.d as e", "Import([['a.b', None], ['c.d', 'e']])"),
        ("from . import a", "ImportFrom('', 1, [['a', None]])"),
        ("from ..a.b import (c as d, e,)", "ImportFrom('a.b', 2, [['c', 'd'], ['e', None]])"),
        ("from ...a import *", "ImportFrom('a', 3, None)"),
        ("match a:\n  case 1: pass", "OpaqueStatement('match a:\\n  case 1: pass')"),
        ("try: pass\nexcept* A: pass", "OpaqueStatement('try: pass\\nexcept* A: pass')"),
        (
            "class A(B, *C, metaclass=D):\n  'text'\n  a = 1",
            "DefineClass('A', [Name('B'), Starred(Name('C'))], [Assign([Name('a')], Const(1))])",
        ),
        ("'a docstring'", "Evaluate(Const('a docstring'))"),
        ("global a", "Pass()"),
    ],
)
def test_statements(source: str, expected: str) -> None:
    assert spell(statement_of(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return", "Return(None)"),
        ("return a, b", "Return(Display('tuple', [Name('a'), Name('b')]))"),
        ("'doc'\n\"\"\"more\"\"\"\npass", "Pass()"),
        ("a = yield", "Assign([Name('a')], Yield(None, False))"),
        ("await a", "Evaluate(Await(Name('a')))"),
        ("async with a as b: pass", "OpaqueStatement('async with a as b: pass')"),
        ("async for a in b: pass", "OpaqueStatement('async for a in b: pass')"),
        ("[a async for a in b]", "Evaluate(OpaqueExpression('[a async for a in b]'))"),
        ("a = 1; b = 2", "Assign([Name('a')], Const(1)), Assign([Name('b')], Const(2))"),
        ("global a\na = 1", "Assign([Name('a')], Const(1))"),
    ],
)
def test_statements_of_a_function(source: str, expected: str) -> None:
    assert body_of(source) == expected


def test_yield_from() -> None:
    function = function_of("def f():\n  yield from g()\n")
    assert spell(function.body) == "[Evaluate(Yield(Call(Name('g'), []), True))]"
    assert function.is_generator


def test_parameters() -> None:
    function = function_of("def f(a, b: int = 1, /, c=2, *d: 'T', e, g: dict[str, int] | None = None, **h) -> None: ...")
    assert [spell(parameter) for parameter in function.parameters] == [
        "Parameter('a', 'positional-only', None, None)",
        "Parameter('b', 'positional-only', Const(1), 'int')",
        "Parameter('c', 'positional', Const(2), None)",
        """Parameter('d', 'star', None, "'T'")""",
        "Parameter('e', 'keyword-only', None, None)",
        "Parameter('g', 'keyword-only', Const(None), 'dict[str, int] | None')",
        "Parameter('h', 'star-star', None, None)",
    ]


def test_decorators_and_async() -> None:
    function = function_of("@torch.no_grad()\n@(\n  wraps)\nasync def f(): pass")
    assert spell(function.decorators) == "[Call(Attribute(Name('torch'), 'no_grad'), []), Name('wraps')]"
    assert function.is_async
    assert function.at == (4, 0)


def test_a_function_knows_the_names_that_it_binds() -> None:
    function = function_of("""
        def f(a, *b, c=(outer := 1), **d):
            global g
            g = 1
            h: int
            i, (j, *k) = l.m = n[0] = 1
            import o.p, q as r
            from s import t as u
            for v in w: x += 1
            with y as z: del A
            try: pass
            except B as C: pass
            [D for D in E if (F := D)]
            def G(H=(J := 1)):
                nonlocal i
                K = i = 1
            class L:
                M = 1
            lambda N: (O := 1)
            match P:
                case [Q, *R] | {"k": Q, **R}: S = 1
            if (T := 1): pass
    """)
    assert " ".join(sorted(function.bound)) == "A C F G J L Q R S T a b c d h i j k o r u v x z"
    assert function.globals == {"g"}
    nested = next(each.function for each in function.body if isinstance(each, ir.DefineFunction))
    assert nested.bound == {"H", "K"}
    assert nested.nonlocals == {"i"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1", False),
        ("x = [(yield)]", True),
        ("def g(): yield", False),
        ("def g(a=(yield)): pass", True),
        ("lambda: (yield)", False),
        ("match x:\n        case 1: yield", True),
    ],
)
def test_a_generator_yields_in_its_own_body(body: str, expected: bool) -> None:
    assert function_of(f"def f():\n    {body}\n").is_generator is expected
