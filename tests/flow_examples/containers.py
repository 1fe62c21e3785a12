"""The ids in lists, tuples, dicts and sets."""
from __future__ import annotations

from .example import keep

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
