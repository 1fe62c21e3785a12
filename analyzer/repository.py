"""The git repository at hand: what its revisions are called and what they hold, asked of git itself. Nothing is fetched, and nothing of
the repository is run: git is only asked to resolve names and to hand out what it stores.
"""
from __future__ import annotations

import os
import subprocess
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO

from .errors import BadInput
from .layout import printable

COMMAND = ("git", "--no-pager", "-c", "protocol.allow=never", "-c", "core.quotePath=false")
ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
"""A partial clone must not fetch what it lacks, nobody is asked for a password, and messages are in one language."""
SHORT = 12
"""Digits of a commit that are printed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a revision: its path from the top, the id and the size of its content, and whether it is a link or no file at all."""

    path: str
    blob: str
    size: int
    kind: str


def run_git(arguments: Sequence[str]) -> bytes | None:
    """What git answers; None where it refuses. BadInput where there is no git."""
    try:
        done = subprocess.run(
            [*COMMAND, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT}
        )
    except FileNotFoundError as error:
        raise BadInput("git is not found on the PATH: it is needed to read a revision; install it, or give folders or wheels") from error
    if b"dubious ownership" in done.stderr:
        raise BadInput("git does not trust this repository, for it is another user's: see `git config --help` on safe.directory")
    return done.stdout if done.returncode == 0 else None


def top_level() -> str | None:
    """The folder of the work tree around the working directory; None outside of one."""
    found = run_git(("rev-parse", "--show-toplevel"))
    return os.fsdecode(found).rstrip("\n") if found is not None else None


def split_revision(argument: str) -> tuple[str, str | None]:
    """``REV:PATH`` as git writes it, in its two parts; the path None where there is none. A colon in braces is one of the revision's name,
    as in ``@{10:00}``."""
    depth = 0
    for position, character in enumerate(argument):
        depth += (character == "{") - (character == "}")
        if character == ":" and depth <= 0 and position:
            return argument[:position], argument[position + 1 :]
    return argument, None


def tree_of(revision: str) -> str | None:
    """The id of the tree that a revision names; None where it names none here."""
    return _resolved(revision, "tree")


def commit_of(revision: str) -> str | None:
    """The id of the commit that a revision names; None where it names none here."""
    return _resolved(revision, "commit")


def _resolved(revision: str, kind: str) -> str | None:
    if not revision or revision.startswith("-") or "\0" in revision or "\n" in revision:
        return None
    found = run_git(("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{{kind}}}"))
    return found.decode("ascii", "replace").strip() if found else None


def merge_base(one: str, other: str) -> str:
    """The commit at which two revisions parted, in short; BadInput where there is none, which in a shallow clone may only be missing."""
    commits = [commit_of(each) for each in (one, other)]
    for name, commit in zip((one, other), commits, strict=True):
        if commit is None:
            raise BadInput(f"{printable(name)}: no commit of this repository; fetch it, or name another")
    found = run_git(("merge-base", *(each for each in commits if each is not None)))
    if not found:
        raise BadInput(f"{printable(one)} and {printable(other)} have no common commit here; a shallow clone may lack it: fetch more of it")
    return found.decode("ascii", "replace").split()[0][:SHORT]


def entries_of(tree: str) -> Iterator[Entry]:
    """Every file of a tree, by path."""
    listed = run_git(("ls-tree", "-r", "-z", "-l", "--full-tree", tree))
    if listed is None:
        raise BadInput(f"git cannot list {tree}: the repository is damaged or incomplete; see `git fsck`")
    for record in listed.split(b"\0"):
        about, tab, path = record.partition(b"\t")
        if tab:
            mode, kind, blob, size = about.split()
            kinds = {b"120000": "link"}
            name = kinds.get(mode, "file" if kind == b"blob" else "other")
            yield Entry(os.fsdecode(path), blob.decode("ascii"), int(size) if size.isdigit() else 0, name)


@dataclass(slots=True, weakref_slot=True)
class Blobs:
    """Hands out contents by their ids, from one process of git that is started when the first is asked for."""

    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def read(self, blob: str) -> bytes:
        """The content; OSError where git does not have it."""
        process = self._process = self._process or self._started()
        asking, answering = _pipe(process.stdin), _pipe(process.stdout)
        asking.write(f"{blob}\n".encode("ascii"))
        asking.flush()
        answer = answering.readline().split()
        if len(answer) != 3:
            raise OSError("git does not have its content")
        content = answering.read(int(answer[2]))
        answering.read(1)
        return content

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*COMMAND, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT},
        )  # fmt: skip
        weakref.finalize(self, _end, process)
        return process


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _end(process: subprocess.Popen[bytes]) -> None:
    process.communicate()
