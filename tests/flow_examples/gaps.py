"""Examples of which the value flow does not know the answer yet, or gives a wrong one, and why."""
from __future__ import annotations

LOST = {
    "setting: by the setter's name": "only a call that names the setter is one",
    "setting: by another object": "the search begins in the class or function that calls the setter, not in what calls that",
    "reading: by a key that is put together": "texts are not added",
    "reading: in an f-string": "texts are not put together",
    "reading: in a loop over what there is": "the entries of a config are not walked",
    "objects: a parameter written to": "a function that nothing tracked goes into is not run, so that what it returns is another object",
    "objects: a namespace": "types.SimpleNamespace is not modelled",
    "objects: a property that is set": "the setter of a property is not run",
    "objects: an attribute of the class": "what is written to a class is not kept",
    "objects: a variable of the module": "global variables that a function writes are not kept",
    "names: a closure sees what is written later": "a closure keeps the variables as they were when it was made",
    "containers: a tuple unpacked with a star": "a star among the targets",
    "containers: a dict updated": "update does not know keys",
    "containers: a dict's default set": "setdefault does not set",
    "containers: assigned to a slice": "the known items are not replaced",
    "containers: assigned to an index": "the known items are not replaced",
    "containers: a deque": "collections.deque is not modelled",
    "calls: a closure that writes": "nonlocal variables",
    "calls: a function in a table": "a dict at the module's level",
    "calls: a recursive function": "a function that calls itself",
    "transforms: as a text and back": "texts of ids",
    "control of ids: a match": "match statements",
    "tests: a table of layers": "a dict comprehension is not told by its keys",
    "tensors: written to an output": "out= is not modelled",
    "captures: another list": "only a call that adds to a collection is a capture",
    "captures: in a slice of a buffer": "only a call that adds to a collection is a capture",
    "captures: in a variable of its own": "only a call that adds to a collection is a capture",
    "draft: by its forward": "only a call that names the projection is one",
    "draft: in a variable": "only a call that names the projection is one",
    "draft: by its weight": "only a call that names the projection is one",
}
"""Ways that are not seen."""

INVENTED = {
    "names: a closure does not keep what was": "a closure keeps the variables as they were when it was made",
    "containers: mapped by a lambda": "map hands on what it walks",
}
"""Ways that are seen where there is none."""
