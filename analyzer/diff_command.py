"""The command ``diff``: which two sides are meant, and how what is different is printed."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..rules import RULES
from .check_command import Living
from .checked import Asked
from .diff_comment import diff_comment
from .diff_json import diff_document
from .diff_report import diff_report
from .diff_told import told_of_difference
from .diffing import Analyzer, difference
from .errors import BadInput
from .feeds import worse
from .flows.flow import ENGINES
from .formats import renderers
from .json_report import dumps
from .judging import judge_all
from .layout import printable, printed_path
from .options import Output
from .output import emit
from .paths import without_ignored
from .report import Detail
from .repository import merge_base, split_revision, top_level, tree_of
from .source import find_package, open_source
from .text import paint


@dataclass(frozen=True, slots=True)
class Sides:
    """The sources of the two sides, as SOURCE is written."""

    old: str
    new: str


def read_sides(arguments: Sequence[str], source: str, *, from_base: bool) -> Sides:
    """What the arguments name: ``OLD NEW``, ``OLD..NEW``, ``OLD...NEW`` (from where both parted), or ``BASE``, which is held against
    ``source`` in the work tree. With ``from_base`` the first is taken where the second, or HEAD, parted from it."""
    if len(arguments) > 2:
        raise BadInput(f"diff takes OLD and NEW, or BASE alone, not {len(arguments)} arguments; quote a name that has blanks")
    first, *rest = arguments
    if not rest and ".." in first and not os.path.lexists(first):
        old, dots, new = first.partition("...") if "..." in first else first.partition("..")
        first, rest, from_base = old or "HEAD", [new or "HEAD"], from_base or dots == "..."
    if from_base:
        if any(os.path.lexists(each) for each in (first, *rest)):
            raise BadInput("--merge-base is of two revisions: a folder or a wheel has none")
        first = merge_base(first, rest[0] if rest else "HEAD")
    return Sides(_side(first, source), _side(rest[0], source) if rest else source)


def _side(argument: str, source: str) -> str:
    """A folder, an archive or an installed package as it is; a revision with the folder of the source."""
    revision, folder = split_revision(argument)
    names_path = os.path.lexists(argument) and "\0" not in argument
    names_revision = folder is None and tree_of(revision) is not None
    if names_path and names_revision:
        shown = printable(argument)
        raise BadInput(f"{shown}: is a revision and a path: write ./{shown} for the path, or refs/heads/… in full")
    return f"{revision}:{_folder_of(source)}" if names_revision else argument


def _folder_of(source: str) -> str:
    """The folder of the source, from the top of the repository."""
    top = top_level()
    if top is None or not os.path.isdir(source):
        raise BadInput(f"{printable(source)}: not a folder of the repository at hand; name the one that holds the package with --source")
    path = os.path.relpath(os.path.realpath(source), os.path.realpath(top)).replace(os.sep, "/")
    if path == ".." or path.startswith("../"):
        raise BadInput(f"{printable(source)}: lies outside of the repository at hand ({printed_path(top, keep_absolute=False)})")
    return "" if path == "." else path


def diff_sides(
    sides: Sides, asked: Asked, analyze: Analyzer, living: Living, outputs: Sequence[Output], detail: Detail
) -> int:
    """Compare, and print what changed; 1 where something bad appeared, or a contract is no longer kept. Of the contracts those count that
    are about the source; one that names another engine is not touched by the change."""
    if not asked.request.flow_files:  # what is wrong with a name is said before anything is run
        open_source(sides.old, find_package(sides.old, [*ENGINES]))
    own = tuple(replace(each, source=None) for each in asked.contracts if each.source in (None, asked.request.source))
    old, new = (Asked(replace(asked.request, source=each), own, asked.alone) for each in (sides.old, sides.new))
    found = difference(old, new, analyze, lambda analysis: without_ignored(judge_all(analysis, living.rules, RULES), living.ignores))
    told = told_of_difference(found)
    texts = {
        **renderers(told, living.rules, living.least, detail),
        "text": lambda colour: paint(diff_report(found, detail), colour),
        "json": lambda _: dumps(diff_document(found)),
        "markdown": lambda _: diff_comment(found, detail),
    }
    emit(outputs, texts)
    bad = (*(each.severity for each in found.appeared), *worse(found.feeds))
    return 1 if any(each >= living.least for each in bad) or any(each.breaks for each in found.feeds) else 0
