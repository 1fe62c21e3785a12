"""Small results for the tests of what is printed: a llama-like target of four layers, and the ways in which one can be different."""
from __future__ import annotations

from dataclasses import replace

from flowcheck.analyzer.request import Ids
from flowcheck.analyzer.results import (
    Alternative,
    Analysis,
    Assumption,
    Clause,
    Comparison,
    Condition,
    Evaluation,
    ForwardPlace,
    Location,
    NotEstablished,
    Side,
    SourceFacts,
    Step,
    Wiring,
)

LAYERS = 4
LLAMA = Location("engine/llama.py", 70)
SINGLE_RANK = Assumption("single-rank", "One rank holds every layer.")
NO_DEEPSTACK = Assumption("no-deepstack", "No image embeddings are added between layers.")


def evaluation(ids: Ids, *captured: str, at: Location = LLAMA) -> Evaluation:
    """An established answer."""
    shifted = None if ids is None else tuple(i + 1 for i in ids)
    path = (Step("+ 1", str(list(ids or ())), str(list(shifted or ())), at),)
    return Evaluation(ids, LAYERS, shifted, captured, None, "established", None, None, (SINGLE_RANK,), (), path)


def raising(ids: Ids, error: str) -> Evaluation:
    """An established exception."""
    return replace(evaluation(ids), captured=None, error=error)


def depending(ids: Ids, text: str, yes: tuple[str, ...], no: str) -> Evaluation:
    """An answer that hangs on one condition: points where it holds, an exception where it does not."""
    at = Location("engine/llama.py", 33)
    answers = (Alternative((Condition(text, at, True),), yes, None), Alternative((Condition(text, at, False),), None, no))
    return replace(evaluation(ids), captured=None, status="depends", depends_on=answers)


def unproved(ids: Ids, reason: str, at: Location | None) -> Evaluation:
    """An answer that is not established."""
    return replace(evaluation(ids), captured=None, status="not established", reason=reason, reason_at=at, path=())


def every_id(at: Location = LLAMA) -> tuple[Evaluation, ...]:
    """What a bare run evaluates of a target that adds one and captures before each layer."""
    return (
        evaluation(None, "out:0", "out:1", "out:2", at=at),
        raising((-1,), f"TypeError: hidden + None ({at.file}:41)"),
        *(evaluation((k,), f"out:{k}", at=at) for k in range(LAYERS - 1)),
        evaluation((LAYERS - 1,), at=at),
        evaluation((LAYERS,), at=at),
        evaluation((2, 0, 1), "out:0", "out:1", "out:2", at=at),
        evaluation((2, 2), "out:2", at=at),
    )


def wiring(model: str = "LlamaForCausalLM", at: Location = LLAMA, evaluated: tuple[Evaluation, ...] | None = None) -> Wiring:
    """An established wiring: id k captures out:k."""
    return Wiring(
        flow="eagle3",
        model=model,
        at=at,
        setter="set_layers",
        forward=ForwardPlace("LlamaModel", Location(at.file, 30)),
        convention=(Clause("default", "out:0, out:L//2-1, out:L-2"), Clause("id k", "out:k")),
        status="established",
        reason=None,
        reason_at=None,
        assumptions=(SINGLE_RANK,),
        evaluated=every_id(at) if evaluated is None else evaluated,
    )


def unknown_wiring(model: str = "TulipForCausalLM", reason: str = "make_blocks is not in the tree") -> Wiring:
    """A wiring that is not established at all."""
    place = Location("engine/tulip.py", 9)
    return replace(wiring(model, place, ()), convention=(), forward=None, status="not established", reason=reason, reason_at=place)


SERVED = Side(("out:0", "out:2"), (0, 2), "established", None, None, Location("draft/config.json", 7), (SINGLE_RANK,))
RECORDED = Assumption("recorded-files", "What is saved is what is loaded.")
TRAINED = replace(SERVED, at=Location("trainer/features.py", 20), assumptions=(RECORDED,), path=(Step("hook", "hook", "layer 2", LLAMA),))
OPEN_SIDE = Side(None, None, "not established", "no model that is known", Location("trainer/features.py", 3), None)


def comparison(served: Side = SERVED, trained: Side | None = TRAINED) -> Comparison:
    """A draft with the llama-like target: served what it was trained on, unless told otherwise."""
    return Comparison("eagle3", "LlamaForCausalLM", served, trained, 16)


def analysis(
    *wirings: Wiring, not_established: tuple[NotEstablished, ...] = (), comparisons: tuple[Comparison, ...] = ()
) -> Analysis:
    """A run over a tree with these wirings."""
    return Analysis(SourceFacts("engine", "engine", "1.0", 12, 3), wirings, not_established, comparisons)
