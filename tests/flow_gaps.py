"""Examples of which the value flow does not know the answer yet, or gives a wrong one, and why."""
from __future__ import annotations

LOST = {
    "reading: by a key that is put together": "texts are not added",
    "objects: a dataclass replaced": "dataclasses.replace is not modelled",
    "objects: a namespace": "types.SimpleNamespace is not modelled",
    "objects: a property that is set": "the setter of a property is not run",
    "objects: an attribute of the class": "what is written to a class is not kept",
    "objects: a variable of the module": "global variables that a function writes are not kept",
    "containers: a tuple unpacked with a star": "a star among the targets",
    "containers: a dict by its constructor": "dict(…) is not modelled",
    "containers: a dict spread into another": "a dict spread into a dict",
    "containers: a dict updated": "update does not know keys",
    "containers: a dict's default set": "setdefault does not set",
    "containers: inserted": "insert appends",
    "containers: a slice of what is known": "a slice of a list of known items",
    "containers: assigned to a slice": "the known items are not replaced",
    "containers: assigned to an index": "the known items are not replaced",
    "containers: a deque": "collections.deque is not modelled",
    "calls: by two stars": "the items of a dict as keywords",
    "calls: into two stars": "what two stars take in is not told by key",
    "calls: through two stars": "the items of a dict as keywords",
    "calls: a closure that writes": "nonlocal variables",
    "calls: a function in a table": "a dict at the module's level",
    "calls: a partial": "functools.partial is not modelled",
    "calls: bound by a partial": "functools.partial is not modelled",
    "calls: a decorated function": "decorators that wrap",
    "calls: a generator function": "what is yielded is not collected",
    "calls: a recursive function": "a function that calls itself",
    "calls: a context": "__enter__ is not run",
    "transforms: as a text and back": "texts of ids",
    "tests: is it counted": "what a method of the collection tells",
    "tests: left by continue": "what comes after a branch that is left early hangs on its test",
    "tests: a table of layers": "a dict comprehension is not told by its keys",
    "tests: the layer that is chosen": "how often a loop runs hangs on what it walks",
    "tests: one of the loop's layers": "how often a loop runs hangs on what it walks",
    "tests: by a filter": "how often a loop runs hangs on what it walks",
    "tensors: on another device": "a method of a tensor that a function of the tree, not run, handed out",
    "tensors: written to an output": "out= is not modelled",
    "captures: added in place": "only a call that adds to a collection is a capture",
    "captures: another list": "only a call that adds to a collection is a capture",
    "captures: a dict": "only a call that adds to a collection is a capture",
    "captures: a function appends": "a function is not run for the test alone that leads to it",
    "captures: a bound method appends": "a method of a list in a variable",
}
"""Ways that are not seen."""

INVENTED = {
    "containers: inserted": "insert appends",
    "containers: popped": "pop hands out any of the items",
    "containers: mapped by a lambda": "map hands on what it walks",
}
"""Ways that are seen where there is none."""
