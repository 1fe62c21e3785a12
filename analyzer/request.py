"""What a run is asked for: plain frozen data between the command line and the pipeline."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .location import Location

Ids: TypeAlias = tuple[int, ...] | None
"""One id list; None stands for the default."""
ServeArg: TypeAlias = tuple[str, tuple[str, ...]]
"""One launch flag, as a field is called, and the words behind it: none for a bare one."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Captured points, in order, that a draft is said to have been trained on, and the place where that is said."""

    points: tuple[str, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Request:
    """One run over one source.

    ``flows`` and ``models`` narrow the run; empty means all of them. ``target`` is the path of the target's config (a file or its
    folder). ``ids`` are the id lists to evaluate; None lets the program run every id and the default. ``flow_file`` describes a
    flow that is not built in, and so do ``more_flow_files``.
    ``draft`` is the path of the draft's config, ``more_drafts`` are those of others, ``train`` the
    source of the trainer, ``train_config`` the path of the training run's config, ``train_engine`` the source of the
    engine that the trainer captures with. ``judged``: rules will look at it. ``serve_args`` are the flags that the engine is launched
    with; None where they are not known. ``trained`` says in place of a trainer what the draft was trained on. ``exact``: it is about the
    target classes that are named, by ``models`` or by the target's config, and about nothing where none of them is a target here; and
    about the flows of the drafts alone.
    """

    source: str
    flows: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    target: str | None = None
    layers: int | None = None
    ids: tuple[Ids, ...] | None = None
    flow_file: str | None = None
    draft: str | None = None
    train: str | None = None
    train_config: str | None = None
    more_drafts: tuple[str, ...] = ()
    train_engine: str | None = None
    judged: bool = False
    serve_args: tuple[ServeArg, ...] | None = None
    more_flow_files: tuple[str, ...] = ()
    trained: Trained | None = None
    exact: bool = False

    @property
    def drafts(self) -> tuple[str, ...]:
        """The paths of all drafts."""
        return (*(() if self.draft is None else (self.draft,)), *self.more_drafts)


    @property
    def flow_files(self) -> tuple[str, ...]:
        """The paths of all flow files."""
        return (*(() if self.flow_file is None else (self.flow_file,)), *self.more_flow_files)


@dataclass(frozen=True, slots=True)
class ContractRequest:
    """One run over a trainer: what does it train a draft on?

    ``target`` is the path of the target's config, which gives the layer count and the hidden size; ``ids`` as in :class:`Request`.
    ``train_config`` is the path of the training run's config. ``engine`` is the source of the engine that the trainer hands its ids to,
    where it has one, and ``models`` its target classes.
    """

    source: str
    flows: tuple[str, ...] = ()
    layers: int | None = None
    target: str | None = None
    ids: tuple[Ids, ...] | None = None
    train_config: str | None = None
    engine: str | None = None
    models: tuple[str, ...] = ()


def ids_text(ids: Ids) -> str:
    """An id list as ``--ids`` takes it."""
    return "default" if ids is None else ",".join(map(str, ids)) or "[]"
