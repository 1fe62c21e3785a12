"""What is made of the ids, and what hangs on a condition."""
from __future__ import annotations

from .example import BOX, Example, keep

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
