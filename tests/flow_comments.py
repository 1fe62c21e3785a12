"""What the comments in a fixture's tree claim.

``# flow: ids 1,2 of 8 -> out:1, out:2`` stands on or above the ``def`` of a setter, or on or above the ``class`` of a target that
inherits its setter, and says what is captured for these ids and this many layers::

    # flow: default of 8 -> out:1, out:3, out:4
    # flow: ids -1 of 8 -> raises TypeError
    # flow: ids 3 of 8 with small.json -> out:3          the target's config is configs/small.json
    # flow: ids 3 of 8 -> depends: out:3 | nothing       both answers, in any order
    # flow: ids 3 of 8 -> not established
    # flow: dspark ids 3 of 8 -> out:3                   of a class with setters of several flows: that of this one

``# trained: out:2, out:30 with small.json`` stands on or above the line of a trainer that puts the states together which its draft reads;
the target's config is configs/small.json.

``# finds: FC901`` stands on or above the line of a finding of the bare run, ``# finds: FC214 with draft.json`` on or above that of one that
only the check of this draft has. A claim that is right and that the program does not
meet yet ends in ``; a known gap: REASON``.
"""
from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flowcheck.analyzer.request import Ids
from flowcheck.analyzer.results import Alternative, Evaluation

CLAIM = re.compile(
    r"((?P<flow>eagle3|dflash|dspark) )?(?P<ids>default|ids (?P<list>-?\d+(,-?\d+)*|none)) of (?P<layers>\d+)( with (?P<config>\S+))?"
    r" -> (?P<says>.+?)(; a known gap: (?P<gap>.+))?"
)
FINDS = re.compile(r"(?P<code>FC\d+)( with (?P<draft>\S+))?")
QUIET = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


@dataclass(frozen=True, slots=True)
class Claim:
    """One ``# flow:`` comment: the line of the code that it stands on or above, and what it says."""

    file: Path
    line: int
    ids: Ids
    layers: int
    config: str | None
    says: tuple[str, ...]
    gap: str | None
    flow: str | None = None

    @property
    def text(self) -> str:
        ids = "default" if self.ids is None else ",".join(map(str, self.ids)) or "none"
        flow = f" {self.flow}" if self.flow else ""
        return f"{self.file.name}:{self.line}{flow} ids {ids} of {self.layers}" + (f" with {self.config}" if self.config else "")


@dataclass(frozen=True, slots=True)
class Trained:
    """One ``# trained:`` comment."""

    file: Path
    line: int
    says: str
    config: str


@dataclass(frozen=True, slots=True)
class Found:
    """One ``# finds:`` comment."""

    file: Path
    line: int
    code: str
    draft: str | None = None


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """The comments of a file, each with the line of the code that it stands on or above. Decorators are passed over."""
    waiting: list[str] = []
    in_decorator = False
    with tokenize.open(path) as file:
        text = file.read()
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            if lines[line - 1][:column].strip():
                yield line, token.string
            else:
                waiting.append(token.string)
        elif token.type == tokenize.NEWLINE:
            in_decorator = False
        elif token.type not in QUIET and not in_decorator:
            in_decorator = token.string == "@" and not lines[token.start[0] - 1][: token.start[1]].strip()
            if not in_decorator:
                yield from ((token.start[0], each) for each in waiting)
                waiting = []


def claims(path: Path) -> list[Claim]:
    return [claim(path, line, text) for line, comment in comments(path) if (text := after(comment, "flow:"))]


def findings(path: Path) -> list[Found]:
    said = ((line, text) for line, comment in comments(path) if (text := after(comment, "finds:")))
    return [Found(path, line, match["code"], match["draft"]) for line, text in said for match in FINDS.finditer(text)]


def trainings(path: Path) -> list[Trained]:
    said = ((line, text.rpartition(" with ")) for line, comment in comments(path) if (text := after(comment, "trained:")))
    return [Trained(path, line, says, config) for line, (says, _, config) in said]


def after(comment: str, mark: str) -> str:
    text = comment.removeprefix("#").strip()
    return text.removeprefix(mark).strip() if text.startswith(mark) else ""


def claim(path: Path, line: int, text: str) -> Claim:
    found = CLAIM.fullmatch(text)
    assert found is not None, f"{path}:{line}: this is no claim: {text}"
    listed = found["list"]
    ids: Ids = None if listed is None else () if listed == "none" else tuple(map(int, listed.split(",")))
    return Claim(path, line, ids, int(found["layers"]), found["config"], answers(found["says"]), found["gap"], found["flow"])


def answers(says: str) -> tuple[str, ...]:
    """The answers of a claim; more than one where it depends."""
    if not says.startswith("depends:"):
        return (says.strip(),)
    several = tuple(sorted(part.strip() for part in says.removeprefix("depends:").split("|")))
    assert len(several) > 1, f"one answer depends on nothing: {says}"
    return several


def spoken(evaluation: Evaluation) -> tuple[str, ...]:
    """An evaluation in the words of a claim."""
    if evaluation.status == "not established":
        return ("not established",)
    if evaluation.status == "depends":
        return tuple(sorted({answer(each) for each in evaluation.depends_on}))
    return (answer(evaluation),)


def answer(result: Evaluation | Alternative) -> str:
    if result.reason is not None:
        return "not established"
    if result.error is not None:
        return f"raises {result.error.partition(':')[0]}"
    return ", ".join(result.captured or ()) or "nothing"
