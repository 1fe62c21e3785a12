"""Ways that a value takes through code, each with an edit that cuts it. The code stands at one place of the small engine.

The ids are in ``ids`` where they are kept (``keep``), the captured states in ``captured`` where they are given back (``give back``).
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from small_engine import KEY


class Example(NamedTuple):
    """``code`` stands at ``place`` and leads on; it no longer does with ``cut[1]`` instead of ``cut[0]``. ``also`` is at the file's end."""

    place: str
    code: str
    cut: tuple[str, str]
    also: str = ""
    more: Mapping[str, str] = {}
    """Code at other places, which the edit leaves as it is."""


def read(code: str, also: str = "", cut: tuple[str, str] = ("THE_KEY", "other_key")) -> Example:
    return Example("read", code.replace(cut[0], KEY), (KEY, cut[1]), also.replace(cut[0], KEY))


def keep(code: str, cut: tuple[str, str], also: str = "") -> Example:
    return Example("keep", code, cut, also)


BOX = """
class Box:
    def __init__(self, ids=None, other=None):
        self.ids = ids
        self.other = other
"""

PAIR = """
from dataclasses import dataclass


@dataclass
class Pair:
    first: list
    second: list
"""

READING = {
    "by subscript": read("ids = config['THE_KEY']"),
    "by attribute": read("ids = config.THE_KEY"),
    "by get": read("ids = config.get('THE_KEY')"),
    "by get with a default": read("ids = config.get('THE_KEY', [1, 2])"),
    "by getattr": read("ids = getattr(config, 'THE_KEY')"),
    "by getattr with a default": read("ids = getattr(config, 'THE_KEY', None)"),
    "in a table of the config": read("ids = config.eagle_config['THE_KEY']"),
    "in a table that may be missing": read("""
        eagle = getattr(config, 'eagle_config', None) or {}
        ids = eagle.get('THE_KEY')
    """),
    "in a table with a default": read("ids = getattr(config, 'eagle_config', {}).get('THE_KEY', None)"),
    "by a constant of the module": read("ids = getattr(config, IDS_KEY, None)", "IDS_KEY = 'THE_KEY'"),
    "by a variable": read("""
        wanted = 'THE_KEY'
        ids = config[wanted]
    """),
    "by a key that is put together": read("ids = config['THE_KEY' + '']"),
    "by one of several names": read("""
        for wanted in ('layer_ids', 'THE_KEY'):
            ids = getattr(config, wanted, None)
    """),
    "by a parameter": read("ids = look_up(config, 'THE_KEY')", "def look_up(config, key):\n    return getattr(config, key, None)"),
    "in a helper": read("ids = look_up(config)", "def look_up(config):\n    return config.THE_KEY"),
    "in a method": read("ids = self.look_up(config)", "    def look_up(self, config):\n        return config.THE_KEY"),
    "where a missing key raises": read("""
        try:
            ids = config['THE_KEY']
        except KeyError:
            ids = None
    """),
    "where a handler looks": read("""
        try:
            ids = config.layer_ids
        except AttributeError:
            ids = config.THE_KEY
    """),
    "where it is asked for first": read("ids = config.THE_KEY if hasattr(config, 'THE_KEY') else None"),
    "where it is looked for first": read("""
        ids = None
        if 'THE_KEY' in config:
            ids = config['THE_KEY']
    """),
    "in a walrus": read("""
        if (ids := config.get('THE_KEY')) is None:
            ids = [1]
    """),
    "into a structure": read("""
        box = Box(config.THE_KEY)
        ids = box.ids
    """, BOX),
    "from a file": read("""
        import json
        with open(self.server_args.speculative_draft_model_path + '/config.json') as file:
            config = json.load(file)
        ids = config['THE_KEY']
    """),
    "from the config as a dict": read("ids = config.to_dict()['THE_KEY']"),
    "from the dict below": read("ids = vars(config).get('THE_KEY')"),
    "from a list of the config's": read("ids = list(config.THE_KEY)"),
    "in an object that keeps the config": read("""
        box = Box(config)
        ids = box.ids.THE_KEY
    """, BOX),
    "in the constructor of an object": read("""
        settings = Settings(config)
        ids = settings.layers
    """, "class Settings:\n    def __init__(self, config):\n        self.config = config\n"
        "        self.layers = getattr(self.config, 'THE_KEY', None)"),
    "in a property of an object": read("ids = Settings(config).layers",
        "class Settings:\n    def __init__(self, config):\n        self.config = config\n\n"
        "    @property\n    def layers(self):\n        return self.config.THE_KEY"),
    "by a chain of defaults": read("ids = getattr(config, 'layer_ids', None) or getattr(config, 'THE_KEY', None) or [1]"),
    "by a default of a default": read("ids = config.get('layer_ids', config.get('THE_KEY'))"),
    "one of two configs": read("""
        one = config.first if self.server_args.flag else config.second
        ids = one.THE_KEY
    """),
    "of a sub-config that is an attribute": read("ids = config.text_config.eagle_config.THE_KEY"),
    "in an f-string": read("""
        prefix = 'THE_KEY'
        ids = config[f'{prefix}']
    """),
    "where the key is a class's constant": read("ids = getattr(config, Keys.IDS, None)", "class Keys:\n    IDS = 'THE_KEY'"),
    "in a loop over what there is": read("""
        for name, value in config.items():
            if name == 'THE_KEY':
                ids = value
    """),
}  # fmt: skip

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

CONTAINERS = {
    "a list by index": keep("self.ids = [ids, [1]][0]", ("][0]", "][1]")),
    "a list from its end": keep("self.ids = [[1], ids][-1]", ("[-1]", "[-2]")),
    "a list in a variable": keep("""
        pair = [ids, [1]]
        self.ids = pair[0]
    """, ("pair[0]", "pair[1]")),
    "a tuple unpacked": keep("""
        first, second = ids, [1]
        self.ids = first
    """, ("= first", "= second")),
    "a tuple swapped": keep("""
        first, second = ids, [1]
        first, second = second, first
        self.ids = second
    """, ("self.ids = second", "self.ids = first")),
    "a tuple in a tuple": keep("""
        (first, second), third = (ids, [1]), [2]
        self.ids = first
    """, ("self.ids = first", "self.ids = second")),
    "a tuple unpacked with a star": keep("""
        first, *rest = ids, [1], [2]
        self.ids = first
    """, ("self.ids = first", "self.ids = rest[0]")),
    "a star in a list": keep("self.ids = [*ids]", ("*ids", "*[1]")),
    "a star in the middle": keep("""
        pair = [[1], *[ids, [2]], [3]]
        self.ids = pair[1]
    """, ("pair[1]", "pair[2]")),
    "a dict by key": keep("""
        table = {'ids': ids, 'other': [1]}
        self.ids = table['ids']
    """, ("table['ids']", "table['other']")),
    "a dict by get": keep("""
        table = {'ids': ids, 'other': [1]}
        self.ids = table.get('ids')
    """, ("get('ids')", "get('other')")),
    "a dict by its constructor": keep("""
        table = dict(ids=ids, other=[1])
        self.ids = table['ids']
    """, ("table['ids']", "table['other']")),
    "a dict written later": keep("""
        table = {}
        table['ids'] = ids
        table['other'] = [1]
        self.ids = table['ids']
    """, ("= table['ids']", "= table['other']")),
    "a dict overwritten": keep("""
        table = {'ids': [1]}
        table['ids'] = ids
        self.ids = table['ids']
    """, ("= ids\n", "= ids\ntable['ids'] = [1]\n")),
    "a dict with an entry taken out": keep("""
        table = {'ids': ids}
        self.ids = table.get('ids', [1])
    """, ("table = {'ids': ids}", "table = {'ids': ids}\ndel table['ids']")),
    "a dict in a dict": keep("""
        table = {'one': {'ids': ids}, 'two': {'ids': [1]}}
        self.ids = table['one']['ids']
    """, ("table['one']", "table['two']")),
    "a dict spread into another": keep("""
        table = {'other': [1], **{'ids': ids}}
        self.ids = table['ids']
    """, ("table['ids']", "table['other']")),
    "a dict updated": keep("""
        table = {'ids': [1], 'other': [1]}
        table.update({'ids': ids})
        self.ids = table['ids']
    """, ("update({'ids'", "update({'other'")),
    "a dict's default set": keep("""
        table = {}
        self.ids = table.setdefault('ids', ids)
    """, ("table = {}", "table = {'ids': [1]}")),
    "a dict popped": keep("""
        table = {'ids': ids, 'other': [1]}
        self.ids = table.pop('ids')
    """, ("pop('ids')", "pop('other')")),
    "a dict's values": keep("""
        for each in {'ids': ids}.values():
            self.ids = each
    """, ("'ids': ids", "'ids': [1]")),
    "a dict's items": keep("""
        for name, each in {'ids': ids}.items():
            self.ids = each
    """, ("= each", "= name")),
    "a dict comprehension": keep("""
        table = {name: each for name, each in (('ids', ids),)}
        self.ids = table['ids']
    """, ("{name: each", "{name: [1]")),
    "a comprehension": keep("self.ids = [each for each in ids]", ("[each for", "[1 for")),
    "a comprehension with a test": keep("self.ids = [each for each in ids if each > 0]", ("in ids", "in [1, 2]")),
    "a comprehension over pairs": keep("self.ids = [b for a, b in [([1], ids)]][0]", ("[b for", "[a for")),
    "a comprehension in a comprehension": keep("self.ids = [x for xs in [ids] for x in xs]", ("[x for", "[1 for")),
    "a generator": keep("self.ids = tuple(each for each in ids)", ("(each for", "(1 for")),
    "a set": keep("self.ids = set(ids)", ("set(ids)", "set([1])")),
    "a set comprehension": keep("self.ids = {each for each in ids}", ("in ids", "in [1]")),
    "appended": keep("""
        box, other = [], []
        box.append(ids)
        other.append([1])
        self.ids = box[0]
    """, ("= box[0]", "= other[0]")),
    "appended one by one": keep("""
        box = []
        for each in ids:
            box.append(each)
        self.ids = box
    """, ("append(each)", "append(1)")),
    "extended": keep("""
        box = []
        box.extend(ids)
        self.ids = box
    """, ("extend(ids)", "extend([1])")),
    "inserted": keep("""
        box = [[1]]
        box.insert(0, ids)
        self.ids = box[0]
    """, ("box[0]", "box[1]")),
    "popped": keep("""
        box = [[1], ids]
        self.ids = box.pop()
    """, ("pop()", "pop(0)")),
    "not cleared": keep("""
        box = [ids]
        self.ids = box
    """, ("box = [ids]", "box = [ids]\nbox.clear()")),
    "added": keep("self.ids = [1] + list(ids)", ("list(ids)", "[2]")),
    "added in place": keep("""
        box = [1]
        box += ids
        self.ids = box
    """, ("+= ids", "+= [2]")),
    "sliced": keep("self.ids = ids[:2]", ("ids[:2]", "[1, 2][:2]")),
    "a slice of what is known": keep("self.ids = [[1], ids][1:][0]", ("[1:]", "[:1]")),
    "assigned to a slice": keep("""
        box = [1]
        box[:] = ids
        self.ids = box
    """, ("= ids\n", "= [2]\n")),
    "assigned to an index": keep("""
        box = [[1], [2]]
        box[1] = ids
        self.ids = box[1]
    """, ("= box[1]", "= box[0]")),
    "copied": keep("self.ids = ids.copy()", ("ids.copy", "[1].copy")),
    "copied by a library": keep("""
        import copy
        self.ids = copy.deepcopy(ids)
    """, ("(ids)", "([1])")),
    "a list through another name": keep("""
        box = []
        alias = box
        alias.append(ids)
        self.ids = box[0]
    """, ("alias = box", "alias = []\nbox.append([1])")),
    "zipped": keep("""
        for number, each in zip([1, 2], ids):
            self.ids = each
    """, ("= each", "= number")),
    "enumerated": keep("""
        for number, each in enumerate(ids):
            self.ids = each
    """, ("= each", "= number")),
    "mapped": keep("self.ids = list(map(int, ids))", ("int, ids", "int, [1]")),
    "mapped by a lambda": keep("self.ids = list(map(lambda each: each + 1, ids))", ("each + 1", "1")),
    "a deque": keep("""
        from collections import deque
        box = deque()
        box.append(ids)
        self.ids = box.popleft()
    """, ("append(ids)", "append([1])")),
}  # fmt: skip

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

TRANSFORMS = {
    "one more": keep("self.ids = [each + 1 for each in ids]", ("each + 1", "1 + 1")),
    "one more by a loop": keep("""
        self.ids = []
        for each in ids:
            self.ids.append(each + 1)
    """, ("each + 1", "1 + 1")),
    "times a number": keep("self.ids = [2 * each for each in ids]", ("2 * each", "2 * 1")),
    "sorted": keep("self.ids = sorted(ids)", ("(ids)", "([1])")),
    "sorted in place": keep("""
        box = list(ids)
        box.sort()
        self.ids = box
    """, ("list(ids)", "list([1])")),
    "the other way round": keep("self.ids = list(reversed(ids))", ("(ids)", "([1])")),
    "each once": keep("self.ids = sorted(set(ids))", ("(ids)", "([1])")),
    "the largest": keep("self.ids = [max(ids)]", ("max(ids)", "max([1])")),
    "each at least 0": keep("self.ids = [max(each, 0) for each in ids]", ("max(each, 0)", "max(1, 0)")),
    "as a tensor": keep("""
        import torch
        self.ids = torch.tensor(ids).tolist()
    """, ("(ids)", "([1])")),
    "as a text and back": keep("self.ids = [int(each) for each in ','.join(str(each) for each in ids).split(',')]", ("in ids", "in [1]")),
}  # fmt: skip

CONTROL_OF_IDS = {
    "a conditional expression": keep("self.ids = ids if self.flag else [1]", ("= ids if", "= [2] if")),
    "or a default": keep("self.ids = ids or [1]", ("ids or", "[2] or")),
    "one branch": keep("""
        if self.flag:
            self.ids = ids
        else:
            self.ids = [1]
    """, ("= ids", "= [2]")),
    "a branch that is never taken": keep("""
        self.ids = [1]
        if True:
            self.ids = ids
    """, ("if True", "if False")),
    "overwritten on both branches": keep("""
        self.ids = ids
        if self.flag:
            self.ids = [1]
        else:
            self.others = [2]
    """, ("self.others", "self.ids")),
    "where it is not None": keep("""
        self.ids = [1]
        if ids is not None:
            self.ids = ids
    """, ("is not None", "is None")),
    "a while loop": keep("""
        self.ids = [1]
        while self.flag:
            self.ids = ids
            break
    """, ("= ids", "= [2]")),
    "carried from one turn to the next": keep("""
        first, second = ids, [1]
        for _ in range(self.count):
            first, second = second, first
        self.ids = second
    """, ("first, second = ids, [1]", "first, second = [1], [1]")),
    "a loop's else": keep("""
        self.ids = [1]
        for _ in range(3):
            pass
        else:
            self.ids = ids
    """, ("= ids", "= [2]")),
    "a finally": keep("""
        try:
            self.ids = [1]
        finally:
            self.ids = ids
    """, ("= ids", "= [2]")),
    "an assertion": keep("""
        assert ids is not None
        self.ids = ids
    """, ("= ids", "= [1]")),
    "left by break": keep("""
        self.ids = [1]
        for _ in range(3):
            if self.flag:
                self.ids = ids
                break
    """, ("= ids", "= [2]")),
    "a handler": keep("""
        try:
            self.ids = self.table['ids']
        except KeyError:
            self.ids = ids
    """, ("= ids", "= [2]")),
    "what a handler overwrites": keep("""
        try:
            raise ValueError
        except ValueError:
            self.ids = ids
    """, ("= ids", "= [2]")),
    "a match": keep("""
        match self.mode:
            case 'one':
                self.ids = [1]
            case _:
                self.ids = ids
    """, ("= ids", "= [2]")),
    "of two conditions": keep("self.ids = [1] if self.a else ids if self.b else [2]", ("else ids", "else [3]")),
    "by isinstance": keep("""
        self.ids = [1]
        if isinstance(Box(), Box):
            self.ids = ids
    """, ("isinstance(Box()", "isinstance(Other()"), BOX + "\n\nclass Other:\n    pass"),
    "by a constant of the module": keep("""
        self.ids = [1]
        if ON:
            self.ids = ids
    """, ("ON = True", "ON = False"), "ON = True"),
    "where nothing is raised": keep("""
        if self.flag:
            raise ValueError
        self.ids = ids
    """, ("self.ids = ids", "self.ids = [1]")),
}  # fmt: skip


def asks(code: str, also: str = "", cut: tuple[str, str] = ("self.layers_to_capture", "self.others")) -> Example:
    return Example("test", code, cut, also)


TESTS = {
    "is it in": asks("if i in self.layers_to_capture:"),
    "is it in a set": asks("if i in set(self.layers_to_capture):"),
    "is it not out": asks("if not (i not in self.layers_to_capture):"),
    "the test has a name": asks("""
        wanted = i in self.layers_to_capture
        if wanted:
    """),
    "one test of two": asks("if self.training or i in self.layers_to_capture:"),
    "the test in a test": asks("""
        if not self.training:
          if i in self.layers_to_capture:
            pass
          if i in self.layers_to_capture:
    """),
    "is it equal to any": asks("if any(i == k for k in self.layers_to_capture):"),
    "is it equal to the first": asks("if i == self.layers_to_capture[0]:"),
    "is it counted": asks("if self.layers_to_capture.count(i) > 0:"),
    "is it past the first": asks("if i >= min(self.layers_to_capture):"),
    "left by continue": asks("""
        if i not in self.layers_to_capture:
            hidden_states = self.layers[i](hidden_states)
            continue
        if True:
    """),
    "in a method": Example("test", "if self.wants(i):", ("self.wants(i)", "self.hates(i)")),
    "a flag on a layer": Example("test", "if self.layers[i].wanted:", ("wanted", "unwanted"),
        more={"shift": "for k in layer_ids:\n    self.model.layers[k].wanted = True"}),
    "a flag for each layer": Example("test", "if self.wanted[i]:", ("wanted", "unwanted"),
        more={"shift": "self.model.wanted = [i in layer_ids for i in range(8)]"}),
    "a table of layers": Example("test", "if i in self.wanted:", ("wanted", "unwanted"),
        more={"shift": "self.model.wanted = {k: True for k in layer_ids}"}),
    "the number of layers that are wanted": Example("test", "if self.wanted > i:", ("wanted", "unwanted"),
        more={"shift": "self.model.wanted = max(layer_ids)"}),
    "the layer that is chosen": asks("for i in self.layers_to_capture:"),
    "one of the loop's layers": asks("for layer in [self.layers[k] for k in self.layers_to_capture]:"),
    "by a filter": asks("for _ in [k for k in self.layers_to_capture if k == i]:"),
}  # fmt: skip


def back(code: str, cut: tuple[str, str], also: str = "") -> Example:
    return Example("give back", code, cut, also)


TENSORS = {
    "as they are": back("return hidden_states, captured", (", captured", ", []")),
    "the first": back("return hidden_states, [captured[0]]", ("[captured[0]]", "[hidden_states]")),
    "in a tuple": back("return hidden_states, tuple(captured)", ("tuple(captured)", "tuple([hidden_states])")),
    "in a dict": back("""
        table = {'states': captured, 'others': []}
        return hidden_states, table['states']
    """, ("table['states']", "table['others']")),
    "concatenated": back("return hidden_states, [torch.cat(captured, dim=-1)]", ("(captured", "([hidden_states]")),
    "stacked": back("return hidden_states, [torch.stack(captured)]", ("(captured", "([hidden_states]")),
    "some rows": back("return hidden_states, [torch.cat(captured)[positions]]", ("(captured)", "([hidden_states])")),
    "on another device": back("return hidden_states, [c.to(positions.device) for c in captured]", ("[c.to(positions.device)",
        "[positions.to(c.device)")),
    "not the shape": back("return hidden_states, [captured[0].clone()]", (".clone()", ".shape")),
    "not the length": back("return hidden_states, [torch.stack(captured)]", ("torch.stack", "len")),
    "not one of its form": back("return hidden_states, [torch.clone(captured[0])]", ("torch.clone", "torch.zeros_like")),
    "not one of its size": back("return hidden_states, [captured[0].contiguous()]", ("contiguous()", "new_zeros(8)")),
    "not its type": back("return hidden_states, [captured[0].float()]", ("captured[0].float()", "hidden_states.to(captured[0].dtype)")),
    "added to another": back("return hidden_states, [captured[0] + hidden_states]", ("captured[0] + hidden_states",
        "hidden_states + hidden_states")),
    "written into a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer[:2] = captured[0]
        return hidden_states, [buffer]
    """, ("= captured[0]", "= hidden_states")),
    "copied into a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer.copy_(captured[0])
        return hidden_states, [buffer]
    """, ("copy_(captured[0])", "copy_(hidden_states)")),
    "copied into a part of a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer[:2].copy_(captured[0])
        return hidden_states, [buffer]
    """, ("copy_(captured[0])", "copy_(hidden_states)")),
    "written to an output": back("""
        buffer = torch.empty_like(hidden_states)
        torch.cat(captured, out=buffer)
        return hidden_states, [buffer]
    """, ("torch.cat(captured,", "torch.cat([hidden_states],")),
    "taken apart again": back("""
        first, second = torch.cat(captured).chunk(2)
        return hidden_states, [first]
    """, ("(captured)", "([hidden_states])")),
    "chained": back("return hidden_states, [torch.cat(captured).view(-1, 8).float().contiguous()]", ("(captured)", "([hidden_states])")),
    "through a module": back("return hidden_states, [self.layers[0](torch.cat(captured))]", ("(captured)", "([hidden_states])")),
    "through a module of torch": back("return hidden_states, [torch.nn.functional.silu(torch.cat(captured))]",
        ("(captured)", "([hidden_states])")),
    "where a mask chooses": back("return hidden_states, [torch.where(positions > 0, captured[0], hidden_states)]",
        ("captured[0], hidden", "hidden_states, hidden")),
}  # fmt: skip

CAPTURES = {
    "appended": Example("capture", "captured.append(hidden_states)", ("captured.append", "self.others.append")),
    "a copy": Example("capture", "captured.append(hidden_states.clone())", ("captured.append", "self.others.append")),
    "a sum": Example("capture", "captured.append(hidden_states + hidden_states)", ("captured.append", "self.others.append")),
    "added in place": Example("capture", "captured += [hidden_states]", ("captured +=", "other =")),
    "another list": Example("capture", "captured = captured + [hidden_states]", ("captured = captured", "other = captured")),
    "extended": Example("capture", "captured.extend([hidden_states])", ("captured.extend", "self.others.extend")),
    "inserted": Example("capture", "captured.insert(0, hidden_states)", ("captured.insert", "self.others.insert")),
    "a function appends": Example("capture", "take(captured, hidden_states)", ("take(captured", "take([]"),
        "def take(box, state):\n    box.append(state)"),
    "a bound method appends": Example("capture", "add = captured.append\nadd(hidden_states)", ("captured.append", "[].append")),
    "a dict": Example("capture", "table = {}\ntable[i] = hidden_states\ncaptured = list(table.values())",
        ("captured =", "other =")),
    "in a flat tensor": Example("capture", "captured.append(hidden_states.flatten(1)[:, 0])", ("captured.append", "self.others.append")),
    "in a table": Example("capture", "self.kept[i] = hidden_states", ("self.kept[i]", "self.others[i]"),
        more={"give back": "return hidden_states, list(self.kept.values())"}),
    "in a buffer": Example("capture", "self.buffer[i].copy_(hidden_states)", ("self.buffer[i]", "self.others[i]"),
        more={"give back": "return hidden_states, [self.buffer]"}),
    "in a slice of a buffer": Example("capture", "self.buffer[:, i] = hidden_states", ("self.buffer[:, i]", "self.others[:, i]"),
        more={"give back": "return hidden_states, [self.buffer]"}),
    "in a variable of its own": Example("capture", "first = hidden_states", ("first =", "other ="),
        more={"give back": "return hidden_states, [first]"}),
    "what the layer makes": Example("capture", "captured.append(self.layers[i](hidden_states))", ("captured.append", "self.others.append")),
    "on the model": Example("capture", "self.kept = hidden_states\ncaptured.append(self.kept)", ("append(self.kept)", "append(None)")),
}  # fmt: skip

PROCESSOR = {
    "the first two": Example("concatenate", "states = torch.cat([aux_hidden_states[0], aux_hidden_states[1]], dim=-1)",
        ("[aux_hidden_states[0], aux_hidden_states[1]]", "[hidden_states]")),
    "each made contiguous": Example("concatenate", "states = torch.cat(tuple(a.contiguous() for a in aux_hidden_states), -1)",
        ("in aux_hidden_states", "in [hidden_states]")),
    "stacked": Example("concatenate", "states = torch.stack(list(aux_hidden_states)).flatten(0, 1)", ("aux_hidden_states", "[hidden_states]")),
    "one after another": Example("concatenate", """
        states = aux_hidden_states[0]
        for each in aux_hidden_states[1:]:
            states = torch.cat([states, each], dim=-1)
    """, ("aux_hidden_states", "[hidden_states]")),
    "where there are any": Example("concatenate", """
        states = hidden_states
        if aux_hidden_states is not None:
            states = torch.cat(aux_hidden_states, dim=-1)
    """, ("is not None", "is None")),
    "where they are not empty": Example("concatenate", """
        states = hidden_states
        if len(aux_hidden_states) > 0:
            states = torch.cat(aux_hidden_states, dim=-1)
    """, ("cat(aux_hidden_states", "cat([hidden_states]")),
    "in a method": Example("concatenate", "states = join(aux_hidden_states)", ("join(aux_", "join([hidden_states], aux_"),
        "def join(states, others=None):\n    return torch.cat(states, dim=-1)"),
    "where they are asked for": Example("output",
        "return LogitsProcessorOutput(next_token_logits=logits, hidden_states=states if self.wanted else None)",
        ("states if", "logits if")),
    "by position": Example("output", "return LogitsProcessorOutput(logits, states)", ("logits, states", "states, logits")),
    "as numbers": Example("output", "return LogitsProcessorOutput(logits, states.cpu().tolist())", ("states.cpu", "logits.cpu")),
    "through numpy": Example("output", "return LogitsProcessorOutput(logits, torch.from_numpy(states.detach().numpy()))",
        ("states.detach", "logits.detach")),
    "written to the field": Example("output", """
        output = LogitsProcessorOutput(logits)
        output.hidden_states = states
        return output
    """, ("output.hidden_states", "output.other")),
}  # fmt: skip

WORKER = {
    "as the prefill's argument": Example("prefill", "self.forward_draft_extend(batch, output.hidden_states)",
        ("output.hidden_states", "None")),
    "by keyword": Example("prefill", "self.forward_draft_extend(batch, hidden_states=output.hidden_states)",
        ("output.hidden_states", "output.next_token_logits")),
    "on the batch": Example("draft input", "batch.spec_info = DraftInput(hidden_states=hidden_states)",
        ("=hidden_states)", "=None)")),
    "by position": Example("draft input", "batch.spec_info = DraftInput(hidden_states, None)",
        ("(hidden_states, None)", "(None, hidden_states)")),
    "written to the field": Example("draft input", "batch.spec_info = DraftInput()\nbatch.spec_info.hidden_states = hidden_states",
        ("spec_info.hidden_states =", "spec_info.verified_id =")),
    "not overwritten": Example("draft input", "batch.spec_info = DraftInput(hidden_states)\nbatch.other = None",
        ("batch.other", "batch.spec_info.hidden_states")),
    "on this batch": Example("draft input", "other = ScheduleBatch(batch.input_ids, None)\nbatch.spec_info = DraftInput(hidden_states)",
        ("batch.spec_info", "other.spec_info")),
    "copied into the draft's buffer": Example("draft input",
        "buffer = hidden_states.new_empty(8)\nbuffer[:4] = hidden_states\nbatch.spec_info = DraftInput(buffer)",
        ("= hidden_states\n", "= 0\n")),
    "on the forward batch": Example("run the draft", """
        made = ForwardBatch.init_new(batch)
        made.spec_info = batch.spec_info
        self.draft_runner.forward(made)
    """, ("made.spec_info = batch.spec_info", "made.spec_info = None")),
    "the draft's model is run": Example("run the draft", "self.draft_runner.model.forward(None, None, ForwardBatch.init_new(batch))",
        ("self.draft_runner", "self.target_worker.model_runner")),
    "what was captured is kept on the worker": Example("draft input",
        "self.kept = hidden_states\nbatch.spec_info = DraftInput(self.kept)", ("self.kept)", "self.other)")),
    "filtered on the batch": Example("run the draft", """
        batch.spec_info.hidden_states = batch.spec_info.hidden_states[batch.kept]
        self.draft_runner.forward(ForwardBatch.init_new(batch))
    """, ("= batch.spec_info.hidden_states", "= batch.spec_info.verified_id")),
    "by a method of the input": Example("draft input", "made = DraftInput()\nput(made, hidden_states)\nbatch.spec_info = made",
        ("put(made", "put(DraftInput()"), "def put(made, states):\n    made.hidden_states = states"),
    "in one call": Example("draft input", """
        self.draft_runner.forward(ForwardBatch(batch.input_ids, batch.positions, DraftInput(hidden_states)))
        batch.spec_info = None
    """, ("DraftInput(hidden_states)", "DraftInput(None, hidden_states)"), more={"run the draft": "pass"}),
    "a batch that is replaced": Example("run the draft", """
        from dataclasses import replace
        made = ForwardBatch(batch.input_ids, batch.positions)
        self.draft_runner.forward(replace(made, spec_info=batch.spec_info))
    """, ("=batch.spec_info", "=None")),
    "a batch that is copied": Example("run the draft", """
        import copy
        made = copy.copy(batch)
        self.draft_runner.forward(ForwardBatch.init_new(made))
    """, ("(made)", "(ScheduleBatch(None, None))")),
    "a worker of the draft's own": Example("run the draft", "DraftWorker(self.draft_runner).draft_extend(batch)",
        ("draft_extend(batch)", "draft_extend(ScheduleBatch(None, None))"),
        "class DraftWorker:\n    def __init__(self, draft_runner: ModelRunner):\n        self.draft_runner = draft_runner\n\n"
        "    def draft_extend(self, batch):\n        self.draft_runner.forward(ForwardBatch.init_new(batch))"),
    "by a plain function": Example("run the draft", "run(self.draft_runner, batch)", ("(self.draft_runner,", "(None,"),
        "def run(runner, batch):\n    return runner.forward(ForwardBatch.init_new(batch))"),
}  # fmt: skip

DRAFT = {
    "from its input": Example("look up", "hidden_states = forward_batch.spec_info.hidden_states",
        ("spec_info.hidden_states", "spec_info.verified_id")),
    "by another name": Example("look up", "info = forward_batch.spec_info\nhidden_states = info.hidden_states",
        ("info.hidden_states", "info.verified_id")),
    "normed first": Example("project", "hidden_states = self.fc(self.norm(hidden_states))", ("(hidden_states)", "(embeds)")),
    "where the width differs": Example("project", """
        if hidden_states.shape[-1] != embeds.shape[-1]:
            hidden_states = self.fc(hidden_states)
    """, ("self.fc(", "self.norm(")),
    "not with the embedding": Example("project", "hidden_states = self.fc(hidden_states)",
        ("self.fc(hidden_states)", "self.fc(torch.cat([embeds, hidden_states], dim=-1))")),
    "more rows": Example("project", "hidden_states = self.fc(torch.cat([hidden_states, embeds], dim=0))", ("dim=0", "dim=-1")),
    "not another projection": Example("project", "hidden_states = self.fc(hidden_states)", ("self.fc", "self.other_fc")),
    "not another module's": Example("project", "hidden_states = self.fc(hidden_states)", ("self.fc", "torch.nn.functional.fc")),
    "a pair that it returns": Example("project", "hidden_states, _ = self.fc(hidden_states)", ("self.fc", "self.norm")),
    "in a conditional expression": Example("project", "hidden_states = self.fc(hidden_states) if self.wide else hidden_states",
        ("self.fc", "self.norm")),
    "by its forward": Example("project", "hidden_states = self.fc.forward(hidden_states)", ("self.fc", "self.norm")),
    "by another name": Example("project", "project = self.fc\nhidden_states = project(hidden_states)", ("self.fc", "self.norm")),
    "by its weight": Example("project", "hidden_states = torch.nn.functional.linear(hidden_states, self.fc.weight)",
        ("self.fc", "self.norm")),
    "by keyword": Example("project", "hidden_states = self.fc(input=hidden_states)", ("input=hidden_states", "input=embeds")),
    "in a method": Example("project", "hidden_states = self.project(hidden_states)", ("project(hidden_states)", "project(embeds)")),
}  # fmt: skip

SET = "self.model.set_eagle3_layers_to_capture"
SETTING = {
    "as it is": Example("hand over", f"{SET}(self.ids)", ("self.ids", "self.server_args.ids")),
    "by keyword": Example("hand over", f"{SET}(layer_ids=self.ids)", ("self.ids", "None")),
    "where the model has a setter": Example("hand over",
        f"if hasattr(self.model, 'set_eagle3_layers_to_capture'):\n    {SET}(self.ids)", ("(self.ids)", "([1])")),
    "by a bound method": Example("hand over", f"setter = {SET}\nsetter(self.ids)", ("(self.ids)", "([1])")),
    "by the setter's name": Example("hand over", "getattr(self.model, 'set_eagle3_layers_to_capture')(self.ids)", ("(self.ids)", "([1])")),
    "in a function": Example("hand over", "hand(self.model, self.ids)", ("self.ids)", "[1])"),
        "def hand(model, ids):\n    model.set_eagle3_layers_to_capture(ids)"),
    "in another method": Example("hand over", "self.pass_on(self.ids)", ("self.ids)", "[1])"),
        f"    def pass_on(self, ids):\n        {SET}(ids)"),
    "by another object": Example("hand over", "Passer(self.model).pass_on(self.ids)", ("self.ids)", "[1])"),
        f"class Passer:\n    def __init__(self, model):\n        self.model = model\n\n    def pass_on(self, ids):\n        {SET}(ids)"),
    "with the runner in hand": Example("hand over", "Passer().pass_on(self)", ("pass_on(self)", "pass_on(None)"),
        "class Passer:\n    def pass_on(self, runner: ModelRunner):\n        runner.model.set_eagle3_layers_to_capture(runner.ids)"),
    "last": Example("hand over", f"{SET}([1])\n{SET}(self.ids)", ("(self.ids)", f"(self.ids)\n{SET}([1])")),
    "by one branch": Example("hand over", f"if self.flag:\n    {SET}(self.ids)\nelse:\n    {SET}([1])", ("(self.ids)", "([2])")),
    "to the target alone": Example("hand over", f"{SET}(self.ids)", ("self.model.", "self.other_model.")),
    "as a list of the setter's": Example("shift", "self.model.layers_to_capture = list(layer_ids)", ("layer_ids", "[1]")),
    "into a set": Example("shift", "self.model.layers_to_capture = {k for k in layer_ids}", ("in layer_ids", "in [1]")),
    "where there are any": Example("shift", """
        if layer_ids is None:
            self.model.layers_to_capture = [2, 4]
        else:
            self.model.layers_to_capture = [k + 1 for k in layer_ids]
    """, ("is None", "is not None")),
    "on the inner model": Example("shift", "self.model.layers_to_capture = layer_ids", ("self.model.layers", "self.layers")),
    "not reset behind": Example("shift", "self.model.layers_to_capture = layer_ids", ("= layer_ids",
        "= layer_ids\nself.model.layers_to_capture = []")),
    "by a setter of the inner model": Example("shift", "set_inner(self.model, layer_ids)", ("(self.model, layer_ids)", "(self.model, [1])"),
        "def set_inner(model, ids):\n    model.layers_to_capture = ids"),
    "one by one": Example("shift", "for k in layer_ids:\n    self.model.layers_to_capture.append(k)", ("append(k)", "append(0)")),
    "checked first": Example("shift", """
        for k in layer_ids:
            if k >= 8:
                raise ValueError(k)
        self.model.layers_to_capture = layer_ids
    """, ("= layer_ids", "= [1]")),
}  # fmt: skip

THEMES = {
    "setting": SETTING, "reading": READING, "objects": OBJECTS, "names": NAMES, "containers": CONTAINERS,
    "calls": CALLS, "transforms": TRANSFORMS,
    "control of ids": CONTROL_OF_IDS, "tests": TESTS, "tensors": TENSORS, "captures": CAPTURES, "processor": PROCESSOR, "worker": WORKER, "draft": DRAFT,
}  # fmt: skip
