"""The ids in attributes and variables: what is written to one is not read from another."""
from __future__ import annotations

from .example import BOX, PAIR, keep

OBJECTS = {
    "another attribute": keep("""
        self.first = ids
        self.second = [1]
        self.ids = self.first
    """, ("= self.first", "= self.second")),
    "an attribute of a new object": keep("""
        box = Box()
        box.ids = ids
        self.ids = box.ids
    """, ("= box.ids", "= box.other"), BOX),
    "two objects of a class": keep("""
        one, two = Box(), Box()
        one.ids = ids
        two.ids = [1]
        self.ids = one.ids
    """, ("= one.ids", "= two.ids"), BOX),
    "two objects of a class, built alike": keep("""
        one, two = Box(ids), Box([1])
        self.ids = one.ids
    """, ("= one.ids", "= two.ids"), BOX),
    "two objects made at one line": keep("""
        boxes = [make(each) for each in (ids, [1])]
        self.ids = boxes[0].ids
    """, ("boxes[0]", "boxes[1]"), BOX + "\ndef make(each):\n    return Box(each)"),
    "two names of one object": keep("""
        one = Box()
        two = one
        one.ids = ids
        self.ids = two.ids
    """, ("two = one", "two = Box()"), BOX),
    "an object in an object": keep("""
        outer = Box(Box())
        outer.ids.ids = ids
        self.ids = outer.ids.ids
    """, ("= outer.ids.ids", "= outer.ids.other"), BOX),
    "a function writes to it": keep("""
        box, other = Box(), Box()
        fill(box, ids)
        self.ids = box.ids
    """, ("fill(box", "fill(other"), BOX + "\ndef fill(box, ids):\n    box.ids = ids"),
    "written last": keep("""
        self.ids = [1]
        self.ids = ids
    """, ("= ids", "= ids\nself.ids = [1]")),
    "a variable written last": keep("""
        first = ids
        self.ids = first
    """, ("first = ids", "first = ids\nfirst = [1]")),
    "written last by a call": keep("""
        self.ids = ids
        self.touch()
    """, ("self.touch()", "self.reset()"),
        "    def touch(self):\n        self.touched = True\n\n    def reset(self):\n        self.ids = [1]"),
    "not deleted": keep("""
        box = Box(ids)
        self.ids = getattr(box, 'ids', [1])
    """, ("box = Box(ids)", "box = Box(ids)\ndel box.ids"), BOX),
    "a variable not deleted": keep("""
        other = [1]
        self.ids = ids
    """, ("self.ids = ids", "del ids\nids = other\nself.ids = ids")),
    "by setattr": keep("""
        self.ids = [1]
        setattr(self, 'ids', ids)
    """, ("'ids'", "'others'")),
    "by getattr": keep("""
        box = Box(ids, [1])
        self.ids = getattr(box, 'ids')
    """, ("'ids'", "'other'"), BOX),
    "by a name in a variable": keep("""
        box = Box(ids, [1])
        for attr in ('ids',):
            self.ids = getattr(box, attr)
    """, ("('ids',)", "('other',)"), BOX),
    "a dataclass by position": keep("""
        pair = Pair([1], ids)
        self.ids = pair.second
    """, ("pair.second", "pair.first"), PAIR),
    "a dataclass by keyword": keep("""
        pair = Pair(second=ids, first=[1])
        self.ids = pair.second
    """, ("pair.second", "pair.first"), PAIR),
    "a dataclass replaced": keep("""
        from dataclasses import replace
        pair = replace(Pair([1], ids), first=[2])
        self.ids = pair.second
    """, ("first=[2]", "second=[2]"),
        PAIR),
    "a named tuple": keep("""
        pair = Pair([1], ids)
        self.ids = pair.second
    """, ("pair.second", "pair.first"),
        "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    first: list\n    second: list"),
    "a namespace": keep("""
        box = SimpleNamespace(ids=ids, other=[1])
        self.ids = box.ids
    """, ("= box.ids", "= box.other"), "from types import SimpleNamespace"),
    "a property": keep("""
        self.hidden = ids
        self.ids = self.shown
    """, ("self.hidden =", "self.unseen ="), "    hidden = None\n\n    @property\n    def shown(self):\n        return self.hidden"),
    "a property that is set": keep("""
        self.shown = ids
        self.ids = self.hidden
    """, ("self.shown =", "self.unseen ="),
        "    hidden = None\n\n    @property\n    def shown(self):\n        return self.hidden\n\n"
        "    @shown.setter\n    def shown(self, value):\n        self.hidden = value"),
    "an attribute of the class": keep("""
        Shared.ids = ids
        self.ids = Shared.ids
    """, ("Shared.ids = ids", "Shared.other = ids"), "class Shared:\n    ids = None\n    other = None"),
    "a variable of the module": keep("""
        keep_for_later(ids)
        self.ids = LATER
    """, ("keep_for_later(ids)", "keep_for_later([1])"), "LATER = None\n\n\ndef keep_for_later(ids):\n    global LATER\n    LATER = ids"),
    "a parameter written to": keep("""
        box = Box()
        same = fill(box)
        same.ids = ids
        self.ids = box.ids
    """, ("return box", "return Box()"), BOX + "\ndef fill(box):\n    return box"),
    "one of two objects by a test": keep("""
        one, two = Box(), Box([1])
        box = one if self.flag else two
        box.ids = ids
        self.ids = one.ids
    """, ("box.ids = ids", "box.other = ids"), BOX),
    "objects in a list": keep("""
        boxes = [Box(), Box()]
        boxes[0].ids = ids
        self.ids = boxes[0].ids
    """, ("= boxes[0].ids", "= boxes[1].ids"), BOX),
    "objects in a dict": keep("""
        boxes = {'one': Box(), 'two': Box()}
        boxes['one'].ids = ids
        self.ids = boxes['one'].ids
    """, ("= boxes['one'].ids", "= boxes['two'].ids"), BOX),
    "an object that is copied": keep("""
        import copy
        one = Box(ids)
        two = copy.copy(one)
        self.ids = two.ids
    """, ("Box(ids)", "Box([1])"), BOX),
    "an attribute of a fresh object again": keep("""
        box = Box(ids)
        self.ids = box.ids
    """, ("box = Box(ids)", "box = Box(ids)\nbox = Box()"), BOX),
    "an attribute of the parent class": keep("""
        child = Child(ids)
        self.ids = child.ids
    """, ("child.ids", "child.other"), BOX + "\n\nclass Child(Box):\n    pass"),
    "an attribute that a parent's constructor writes": keep("""
        child = Child(ids)
        self.ids = child.ids
    """, ("Child(ids)", "Child([1])"), BOX + "\n\nclass Child(Box):\n    def __init__(self, ids):\n        super().__init__(ids)"),
}  # fmt: skip

NAMES = {
    "two names at once": keep("first = second = ids\nself.ids = first", ("first = second = ids", "second = ids\nfirst = [1]")),
    "two targets at once": keep("self.ids, self.others = ids, [1]", ("self.ids, self.others", "self.others, self.ids")),
    "a name of another function": keep("""
        first = ids
        touch()
        self.ids = first
    """, ("first = ids", "first = [1]"), "def touch():\n    first = None\n    return first"),
    "a name that a comprehension has too": keep("""
        first = ids
        [first for first in [[1]]]
        self.ids = first
    """, ("first = ids", "first = [2]")),
    "the comprehension's own": keep("self.ids = [each for each in ids]", ("in ids]", "in [1]]")),
    "a name that a loop has too": keep("""
        first = [1]
        for first in [ids]:
            pass
        self.ids = first
    """, ("in [ids]", "in [[2]]")),
    "a parameter of the same name": keep("""
        first = [1]
        self.ids = same(ids)
    """, ("same(ids)", "same([2])"), "def same(first):\n    return first"),
    "a closure sees what is written later": keep("""
        first = [1]
        kept = lambda: first
        first = ids
        self.ids = kept()
    """, ("first = ids", "first = [2]")),
    "a closure does not keep what was": keep("""
        first = ids
        kept = lambda: first
        self.ids = kept()
    """, ("self.ids = kept", "first = [2]\nself.ids = kept")),
    "a default is what was": keep("""
        first = ids
        kept = lambda each=first: each
        first = [1]
        self.ids = kept()
    """, ("first = ids", "first = [2]")),
    "a module's constant that a variable hides": keep("""
        FIRST = ids
        self.ids = FIRST
    """, ("FIRST = ids", "OTHER = ids"), "FIRST = [1]"),
    "an import that a variable hides": keep("""
        from os import path
        path = ids
        self.ids = path
    """, ("path = ids", "other = ids")),
    "an attribute, not a variable": keep("""
        self.first = ids
        first = [1]
        self.ids = self.first
    """, ("= self.first", "= first")),
    "the object's attribute, not the class's": keep("""
        box = Shared()
        box.first = ids
        self.ids = box.first
    """, ("= box.first", "= Shared.first"), "class Shared:\n    first = None"),
    "walrus": keep("self.ids = first if (first := ids) else [1]", (":= ids", ":= [2]")),
    "annotated": keep("first: list = ids\nself.ids = first", ("list = ids", "list = [1]")),
    "augmented": keep("first = [1]\nfirst += ids\nself.ids = first", ("+= ids", "+= [2]")),
    "a text is not what it names": keep("first = 'ids' and ids\nself.ids = first", ("'ids' and ids", "'ids'")),
}  # fmt: skip
