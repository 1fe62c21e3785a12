"""What a flow supposes of the world outside its code: data that the interpreter consults, each entry under a named assumption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Fact: TypeAlias = None | bool | int | float | str
"""A supposed value. A string that starts with ``@`` names an object of which only attributes are supposed; ``@none`` is None, ``@opaque``
stands for the answer of a function that is not looked into."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """One supposed value and the assumption that it belongs to."""

    value: Fact
    assumption: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The supposed world of one flow.

    ``calls``: by the name of a function of the analysed package, what it answers. ``returns``: by the class that a function is annotated to
    return. ``values``: by the key of an unknown value
    (``forward_batch.can_run_tbo``; ``*.pp_group`` for an attribute of whatever it is), what it is.
    ``identities``: functions and methods that hand back their first tensor
    (a collective on one rank). ``texts``: the sentence of each assumption.
    """

    package: str
    calls: Mapping[str, Supposed] = field(default_factory=dict)
    returns: Mapping[str, Supposed] = field(default_factory=dict)
    values: Mapping[str, Supposed] = field(default_factory=dict)
    identities: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TargetNames:
    """How a trainer calls the parts of a target that it is handed.

    ``layers``: its lists of decoder layers, ``starts`` and ``ends`` the first one of this rank and the one behind its last;
    ``embeddings``, ``norms``: what comes before them and behind, ``configs``: its config. ``drafts``: words in what is called after a
    draft. ``states``: the keyword that asks for all hidden states. ``setters``: the methods of an engine that take the ids, ``rpc``
    those that run a named method in its worker, ``runs`` those that run its model; ``extractions`` name the interface through which it
    hands over hidden states by ids.
    """

    layers: frozenset[str] = frozenset()
    embeddings: frozenset[str] = frozenset()
    norms: frozenset[str] = frozenset()
    configs: frozenset[str] = frozenset()
    drafts: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    setters: frozenset[str] = frozenset()
    rpc: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    extractions: frozenset[str] = frozenset()
