"""The ids as arguments and results."""
from __future__ import annotations

from .example import keep

CALLS = {
    "by position": keep("self.ids = second([1], ids)", ("[1], ids", "ids, [1]"), "def second(a, b):\n    return b"),
    "by keyword": keep("self.ids = second(b=ids, a=[1])", ("b=ids, a=[1]", "a=ids, b=[1]"), "def second(a, b):\n    return b"),
    "keyword only": keep("self.ids = second([1], b=ids)", ("b=ids", "c=ids"), "def second(a, *, b=None, c=None):\n    return b"),
    "in place of a default": keep("self.ids = second([1], ids)", (", ids", ""), "def second(a, b=(1,)):\n    return b"),
    "by a star": keep("self.ids = second(*[[1], ids])", ("[1], ids", "ids, [1]"), "def second(a, b):\n    return b"),
    "by two stars": keep("self.ids = second(**{'a': [1], 'b': ids})", ("'a': [1], 'b': ids", "'a': ids, 'b': [1]"),
        "def second(a, b):\n    return b"),
    "into a star": keep("self.ids = second([1], ids)", ("[1], ids", "ids, [1]"), "def second(*args):\n    return args[1]"),
    "into two stars": keep("self.ids = second(a=[1], b=ids)", ("a=[1], b=ids", "a=ids, b=[1]"), "def second(**kw):\n    return kw['b']"),
    "through a star": keep("self.ids = outer([1], ids)", ("[1], ids", "ids, [1]"),
        "def outer(*args, **kw):\n    return second(*args, **kw)\n\n\ndef second(a, b):\n    return b"),
    "through two stars": keep("self.ids = outer(a=[1], b=ids)", ("a=[1], b=ids", "a=ids, b=[1]"),
        "def outer(*args, **kw):\n    return second(*args, **kw)\n\n\ndef second(a, b):\n    return b"),
    "one of two results": keep("""
        first, second = both(ids)
        self.ids = second
    """, ("= second", "= first"), "def both(ids):\n    return [1], ids"),
    "with a default that is the value": keep("self.ids = pick(None, ids)", ("(None, ids)", "([1], None)"),
        "def pick(a, b):\n    return b if a is None else a"),
    "a function in a function": keep("self.ids = outer(inner(ids))", ("inner(ids)", "inner([1])"),
        "def outer(each):\n    return each\n\n\ndef inner(each):\n    return each"),
    "a method of another object": keep("self.ids = Helper().same(ids)", ("same(ids)", "same([1])"),
        "class Helper:\n    def same(self, each):\n        return each"),
    "a method that returns its object": keep("self.ids = Helper().put(ids).kept", ("put(ids)", "put([1])"),
        "class Helper:\n    def put(self, each):\n        self.kept = each\n        return self"),
    "a module that is called": keep("self.ids = Helper()(ids)", ("(ids)", "([1])"),
        "from torch import nn\n\n\nclass Helper(nn.Module):\n    def forward(self, each):\n        return each"),
    "an abstract method": keep("self.ids = Real().give(ids)", ("give(ids)", "give([1])"),
        "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def give(self, each):\n        pass\n\n\n"
        "class Real(Base):\n    def give(self, each):\n        return each"),
    "a decorated function of torch's": keep("self.ids = same(ids)", ("(ids)", "([1])"),
        "import torch\n\n\n@torch.no_grad()\ndef same(each):\n    return each"),
    "inside of a context": keep("""
        import torch
        with torch.no_grad():
            self.ids = ids
    """, ("= ids", "= [1]")),
    "by two callers": keep("""
        first, second = same(ids), same([1])
        self.ids = first
    """, ("= first", "= second"), "def same(each):\n    return each"),
    "by an early return": keep("self.ids = choose(ids, self.flag)", ("ids, self.flag", "[1], self.flag"),
        "def choose(ids, flag):\n    if flag:\n        return [1]\n    return ids"),
    "a method": keep("self.ids = self.same(ids)", ("same(ids)", "same([1])"), "    def same(self, each):\n        return each"),
    "a static method": keep("self.ids = self.same(ids)", ("same(ids)", "same([1])"),
        "    @staticmethod\n    def same(each):\n        return each"),
    "a class method": keep("self.ids = self.same(ids)", ("same(ids)", "same([1])"),
        "    @classmethod\n    def same(cls, each):\n        return each"),
    "a method by its class": keep("self.ids = ModelRunner.same(self, ids)", ("self, ids", "self, [1]"),
        "    def same(self, each):\n        return each"),
    "a method in a variable": keep("""
        call = self.same
        self.ids = call(ids)
    """, ("call(ids)", "call([1])"), "    def same(self, each):\n        return each"),
    "a method by its name": keep("self.ids = getattr(self, 'same')(ids)", ("'same'", "'none'"),
        "    def same(self, each):\n        return each\n\n    def none(self, each):\n        return None"),
    "super": keep("self.ids = Child().same(ids)", ("Child()", "Other()"),
        "class Parent:\n    def same(self, each):\n        return each\n\n\n"
        "class Child(Parent):\n    def same(self, each):\n        return super().same(each)\n\n\n"
        "class Other(Parent):\n    def same(self, each):\n        return [1]"),
    "the method of the object's own class": keep("self.ids = Child().outer(ids)", ("Child()", "Parent()"),
        "class Parent:\n    def outer(self, each):\n        return self.inner(each)\n\n    def inner(self, each):\n        return [1]\n\n\n"
        "class Child(Parent):\n    def inner(self, each):\n        return each"),
    "a callable object": keep("self.ids = Same()(ids)", ("(ids)", "([1])"),
        "class Same:\n    def __call__(self, each):\n        return each"),
    "a closure": keep("""
        def kept():
            return ids
        other = [1]
        self.ids = kept()
    """, ("return ids", "return other")),
    "a closure that is handed out": keep("self.ids = make(ids)()", ("make(ids)", "make([1])"),
        "def make(ids):\n    def kept():\n        return ids\n    return kept"),
    "a closure that writes": keep("""
        kept = [1]
        def write():
            nonlocal kept
            kept = ids
        write()
        self.ids = kept
    """, ("= ids", "= [2]")),
    "a closure of one of two calls": keep("""
        one, two = make(ids), make([1])
        self.ids = one()
    """, ("one()", "two()"), "def make(ids):\n    def kept():\n        return ids\n    return kept"),
    "a lambda": keep("""
        second = lambda a, b: b
        self.ids = second([1], ids)
    """, ("[1], ids", "ids, [1]")),
    "a lambda's default": keep("""
        kept = lambda each=ids: each
        self.ids = kept()
    """, ("each=ids", "each=1")),
    "a function that is handed in": keep("self.ids = apply(same, ids)", ("apply(same", "apply(none"),
        "def apply(call, each):\n    return call(each)\n\n\ndef same(each):\n    return each\n\n\ndef none(each):\n    return None"),
    "a function in a table": keep("self.ids = TABLE['same'](ids)", ("['same']", "['none']"),
        "def same(each):\n    return each\n\n\ndef none(each):\n    return None\n\n\nTABLE = {'same': same, 'none': none}"),
    "a partial": keep("""
        from functools import partial
        call = partial(second, [1])
        self.ids = call(ids)
    """, ("second, [1])", "second, [1], [2])"), "def second(a, b, c=None):\n    return b"),
    "bound by a partial": keep("""
        from functools import partial
        call = partial(second, b=ids)
        self.ids = call([1])
    """, ("b=ids", "b=[2]"), "def second(a, b):\n    return b"),
    "a decorated function": keep("self.ids = same(ids)", ("(ids)", "([1])"),
        "from functools import wraps\n\n\ndef logged(call):\n    @wraps(call)\n    def inner(*args):\n        return call(*args)\n"
        "    return inner\n\n\n@logged\ndef same(each):\n    return each"),
    "a generator function": keep("""
        for each in both(ids):
            self.ids = each
    """, ("(ids)", "([2])"), "def both(ids):\n    yield ids"),
    "a recursive function": keep("self.ids = deep(ids, 2)", ("(ids", "([1]"),
        "def deep(ids, n):\n    if n == 0:\n        return ids\n    return deep(ids, n - 1)"),
    "a constructor that keeps it": keep("self.ids = Keeper(ids).give()", ("Keeper(ids)", "Keeper([1])"),
        "class Keeper:\n    def __init__(self, ids):\n        self.kept = ids\n\n    def give(self):\n        return self.kept"),
    "a context": keep("""
        with Keeper(ids) as kept:
            self.ids = kept
    """, ("Keeper(ids)", "Keeper([1])"),
        "class Keeper:\n    def __init__(self, ids):\n        self.kept = ids\n\n    def __enter__(self):\n        return self.kept\n\n"
        "    def __exit__(self, *args):\n        pass"),
}  # fmt: skip
