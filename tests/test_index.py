"""The index: finding modules by name, reading them once, and the statements behind each name."""
from __future__ import annotations

import argparse
import ast
import asyncio.base_events
import dataclasses
import json.decoder
import symtable
from pathlib import Path
from types import ModuleType

import pytest
from string_tree import StringTree, module_of

from flowcheck.analyzer.index import Index


def test_modules_are_found_by_their_dotted_name() -> None:
    index = Index(StringTree({"pkg/__init__.py": "", "pkg/models/llama.py": "x = 1", "pkg/data.txt": ""}))
    package, llama = index.module("pkg"), index.module("pkg.models.llama")
    assert package is not None
    assert package.is_package
    assert llama is not None
    assert (llama.path, llama.name, llama.is_package, llama.lines) == ("pkg/models/llama.py", "pkg.models.llama", False, ["x = 1"])
    assert index.module("pkg.models.absent") is None
    assert index.module("pkg.data") is None


def test_a_folder_without_init_exists_but_is_no_module() -> None:
    index = Index(StringTree({"pkg/srt/models/llama.py": "", "pkg/empty/readme.md": ""}))
    assert [name for name in ("pkg", "pkg.srt", "pkg.srt.models", "pkg.srt.models.llama") if index.exists(name)] == [
        "pkg",
        "pkg.srt",
        "pkg.srt.models",
        "pkg.srt.models.llama",
    ]
    assert not index.exists("pkg.empty")
    assert not index.exists("pkg.srt.mod")
    assert index.module("pkg.srt") is None
    assert index.read == set()


def test_a_package_hides_a_module_of_the_same_name() -> None:
    for paths in (("pkg/a.py", "pkg/a/__init__.py"), ("pkg/a/__init__.py", "pkg/a.py")):
        module = Index(StringTree(dict.fromkeys(paths, ""))).module("pkg.a")
        assert module is not None
        assert module.path == "pkg/a/__init__.py"


def test_a_module_is_read_once() -> None:
    index = Index(StringTree({"pkg/a.py": "", "pkg/b.py": ""}))
    assert index.module("pkg.a") is index.module("pkg.a")
    assert index.read == {"pkg/a.py"}


def test_the_name_of_a_path() -> None:
    index = Index(StringTree({}))
    assert index.module_of("pkg/models/llama.py") == "pkg.models.llama"
    assert index.module_of("pkg/models/__init__.py") == "pkg.models"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"x = 1\nif x\n", "line 2: expected ':'"),
        (b"x = \0\n", "null bytes"),
        (b"x = '\xff'\n", "line 1: (unicode error)"),
        (b"# coding: nope\n", "line 1: unknown encoding: nope"),
        (b"x = " + b"(" * 1_000, "line 1: too many nested parentheses"),
        (b"x = " + b"-" * 100_000 + b"1", "line 1: "),
        (b"x = x" + b" + x" * 50_000, "line 1: "),
    ],
    ids=["syntax", "null", "encoding", "cookie", "parentheses", "signs", "sum"],
)
def test_what_cannot_be_parsed_is_remembered_with_its_line(source: bytes, message: str) -> None:
    index = Index(StringTree({"pkg/bad.py": source}))
    assert index.module("pkg.bad") is None
    assert index.exists("pkg.bad")
    assert message in index.unreadable["pkg/bad.py"]
    assert index.unreadable["pkg/bad.py"].startswith("line ") or "null" in message
    assert index.read == set()


def test_a_file_that_cannot_be_read_is_remembered() -> None:
    class Broken(StringTree):
        def read(self, path: str) -> bytes:
            raise OSError("gone")

    index = Index(Broken({"pkg/a.py": ""}))
    assert index.module("pkg.a") is None
    assert index.unreadable == {"pkg/a.py": "line 1: gone"}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"\xef\xbb\xbfx = 1\n", ["x = 1", ""]),
        (b"# coding: latin-1\nx = '\xe9'\n", ["# coding: latin-1", "x = 'é'", ""]),
        (b"x = 1\r\ny = 2\rz = 3", ["x = 1", "y = 2", "z = 3"]),
        (b"x = 1\x0c\ny = '\xc2\x85\xe2\x80\xa8'\n", ["x = 1\x0c", "y = '\x85\u2028'", ""]),
    ],
    ids=["byte order mark", "coding cookie", "line ends", "no line ends"],
)
def test_lines_are_those_that_the_parser_counts(source: bytes, lines: list[str]) -> None:
    module = module_of(source)
    assert module.lines == lines
    assert [node.lineno for node in module.tree.body] == [number for number, line in enumerate(lines, 1) if "=" in line]


@pytest.mark.parametrize(
    ("importer", "module", "level", "expected"),
    [
        ("pkg/a/b.py", "os.path", 0, "os.path"),
        ("pkg/a/b.py", "c", 1, "pkg.a.c"),
        ("pkg/a/b.py", "", 1, "pkg.a"),
        ("pkg/a/b.py", "c.d", 2, "pkg.c.d"),
        ("pkg/a/__init__.py", "c", 1, "pkg.a.c"),
        ("pkg/a/__init__.py", "", 2, "pkg"),
        ("pkg/a/b.py", "c", 3, "...c"),
    ],
)
def test_relative_imports(importer: str, module: str, level: int, expected: str) -> None:
    index = Index(StringTree({importer: ""}))
    found = index.module(index.module_of(importer))
    assert found is not None
    assert found.resolve_relative(module, level) == expected


BINDINGS = """
    import a, a.b.c as d, e.f
    from x import g, h as i
    j = k = 1
    (l, [m, *n]) = j
    o += 1
    p: int = 1
    q: int
    for r in s: t = 1
    while u: v = 1
    with w as x, y: z = 1
    try: A = 1
    except B as C: D = 1
    else: E = 1
    finally: F = 1
    if G: H = 1
    elif I: J = 1
    else: K = 1
    def L(M=(N := 1)): O = 1
    class P(Q): R = 1
    del S
    match T:
        case {"k": U, **V} | [U, *V] if (W := 1): X = 1
    print([Y := Z for Z in j], lambda: (AA := 1))
"""


def test_every_way_to_bind_a_name() -> None:
    scope = module_of(BINDINGS).scope
    assert " ".join(sorted(scope.names)) == "A C D E F H J K L N P S U V W X Y a d e g i j k l m n o p r t v x z"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("cfg.ids = []", "cfg"),
        ("cfg.inner.ids[0] += 1", "cfg"),
        ("cfg['k'] = 1", "cfg"),
        ("cfg.update(k=1)", "cfg"),
        ("cfg.inner[0].append(1)", "cfg"),
        ("del cfg['k']", "cfg"),
        ("for cfg.x in (): pass", "cfg"),
        ("if True:\n  for i in ():\n    cfg.append(i)", "cfg"),
    ],
)
def test_a_change_of_what_a_name_holds_counts(change: str, name: str) -> None:
    scope = module_of(f"cfg = make()\n{change}\n").scope
    assert [statement.lineno for statement in scope.names[name]] == [1, 2]


@pytest.mark.parametrize("use", ["f(cfg)", "print(cfg.ids)", "x = cfg.pop()", "def f():\n  cfg.x = 1", "class A:\n  cfg = 1"])
def test_a_use_of_a_name_does_not_count(use: str) -> None:
    scope = module_of(f"cfg = make()\n{use}\n").scope
    assert len(scope.names["cfg"]) == 1


def test_a_statement_stands_once_for_a_name_and_for_all_that_is_nested_in_it() -> None:
    module = module_of("""
        if FAST:
            from fast import norm, cat
            norm = cat(norm)
        else:
            norm = None
        norm = norm or None
    """)
    assert module.scope.names["norm"] == (module.tree.body[0], module.tree.body[1])


def test_stars_are_found_wherever_they_stand_at_the_top_level() -> None:
    scope = module_of("from a import *\ntry:\n  from b import *\nexcept E:\n  from c import *\n").scope
    assert [star.module for star in scope.stars] == ["a", "b", "c"]
    assert scope.names == {}


def test_a_class_has_a_scope_of_its_own() -> None:
    module = module_of("""
        class Config:
            ids: list = [1]
            width: int
            def forward(self): x = 1
            forward.kind = 1
        class Empty: pass
    """)
    config, empty = (node for node in module.tree.body if isinstance(node, ast.ClassDef))
    assert {name: len(found) for name, found in module.class_scope(config).names.items()} == {"ids": 1, "forward": 2}
    assert module.class_scope(config) is module.class_scope(config)
    assert module.class_scope(empty).names == {}


def test_names_that_functions_declare_global() -> None:
    module = module_of("""
        class A:
            def f(self):
                if x:
                    global _cache, _other
        async def g():
            with y:
                def h():
                    global _deep
    """)
    assert module.declared_global == {"_cache", "_other", "_deep"}
    assert module_of("x = 1").declared_global == set()


def test_a_chain_of_elif_can_be_of_any_length() -> None:
    source = "if x: y0 = 1\n" + "".join(f"elif x == {number}: y{number} = 1\n" for number in range(1, 900))
    assert len(module_of(source).scope.names) == 900


@pytest.mark.parametrize("library", [argparse, dataclasses, json.decoder, asyncio.base_events, ast], ids=lambda module: module.__name__)
def test_no_name_that_python_binds_is_missing(library: ModuleType) -> None:
    source = Path(str(library.__file__)).read_bytes()
    symbols = symtable.symtable(source.decode(), "library", "exec").get_symbols()
    bound = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()}
    assert bound
    assert bound <= set(module_of(source).scope.names)
