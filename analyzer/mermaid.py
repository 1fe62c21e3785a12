"""Pictures as Mermaid text, which forges and note programs draw themselves."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from .captions import LONGEST_LABEL, arrow_lines, box_hint, file_lines, link, small_print, title_lines
from .escape import clipped, mermaid_text
from .graph import EdgeKind, NodeKind
from .picture import Arrow, Box, Picture

SHAPES: Mapping[NodeKind, tuple[str, str]] = MappingProxyType({
    "key": ("[/", "/]"), "reader": ("[", "]"), "variable": ("(", ")"), "attribute": ("(", ")"), "parameter": ("(", ")"),
    "argument": ("(", ")"), "transform": ("[[", "]]"), "test": ("{{", "}}"), "capture": ("([", "])"), "collection": ("[(", ")]"),
    "field": ("[", "]"), "return": ("(", ")"), "consumer": ("[[", "]]"), "width": (">", "]"),
})  # fmt: skip
"""How the text of each kind is bracketed, which is its shape."""

COLOURS: Mapping[str, tuple[NodeKind, ...]] = MappingProxyType({
    "#fff2cc": ("key", "reader"), "#ffffff": ("variable", "parameter", "argument", "return", "width"), "#f1f3f4": ("attribute",),
    "#fde0cc": ("transform",), "#efe3f5": ("test",), "#d9f0e4": ("capture", "collection"), "#dcebf9": ("field",), "#bcd9f5": ("consumer",),
})  # fmt: skip

LINES: Mapping[EdgeKind, str] = MappingProxyType({"data": "-->", "call": "-->", "control": "-.->", "width": "--o"})
MAIN_LINE = "==>"
LEGEND = "thick: the main path · dashed: decides whether · with a ring: makes the width"


def mermaid(shown: Picture, folder: str = "") -> str:
    """The picture as the text of a Mermaid flow chart. Links are relative to ``folder``, where the file will lie."""
    return "".join(f"{line}\n" for line in _lines(shown, folder))


def _lines(shown: Picture, folder: str) -> Iterator[str]:
    head = "<br/>".join(mermaid_text(line) for line in title_lines(shown, LEGEND) if line)
    yield "flowchart TB"
    yield f'  head["{head}"]:::headLine'
    for number, (file, boxes) in enumerate(shown.files):
        folder_name, name = file_lines(file)
        yield f'  subgraph file{number}["{mermaid_text(f"{folder_name}/{name}" if folder_name else name)}"]'
        yield from (f"    {_box(box)}" for box in boxes)
        yield "  end"
    if shown.boxes:
        yield f"  head ~~~ {shown.boxes[0].id}"
    yield from (f"  {_arrow(arrow)}" for arrow in shown.arrows)
    yield from (f'  click {box.id} href "{link(box.at, folder)}" "{mermaid_text(box_hint(box))}"' for box in shown.boxes)
    yield "  classDef headLine fill:none,stroke:none,color:#222222"
    for colour, kinds in COLOURS.items():
        yield from (f"  classDef {_class(kind)} fill:{colour},stroke:#5f6368,color:#222222" for kind in kinds)
    yield "  classDef main stroke:#0b4f8a,stroke-width:2px"
    main = [box.id for box in shown.boxes if box.main]
    if main:
        yield f"  class {','.join(main)} main"


def _box(box: Box) -> str:
    left, right = SHAPES[box.kind]
    label = f"{box.kind}<br/>{mermaid_text(clipped(box.label, LONGEST_LABEL))}<br/>{mermaid_text(small_print(box))}"
    return f'{box.id}{left}"{label}"{right}:::{_class(box.kind)}'


def _arrow(arrow: Arrow) -> str:
    line = MAIN_LINE if arrow.main and arrow.kind in ("data", "call") else LINES[arrow.kind]
    label = "<br/>".join(mermaid_text(text) for text in arrow_lines(arrow))
    return f'{arrow.source} {line}|"{label}"| {arrow.target}' if label else f"{arrow.source} {line} {arrow.target}"


def _class(kind: NodeKind) -> str:
    """A class of its own name: ``return`` and the like may mean something to Mermaid."""
    return f"{kind}Place"
