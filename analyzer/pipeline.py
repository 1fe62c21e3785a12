"""The map of the program: from a source to what is proved of it, in seven steps.

1. find    `source` lists the files and greps the flow's words
2. index   `index` parses what is asked for
3. lower   `lower` turns the functions that are reached into IR, through libcst
4. run     `interpret` executes setter and forward abstractly, `evaluation` for one id list
5. record  every hop of a tracked value goes into the evaluation's path
6. judge   `wiring` reads the convention off the evaluations, `rules` look for defects
7. show    `report` and `json_report`
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .configs import load_config
from .errors import BadInput
from .evaluation import Program
from .flows.flow import BUILT_IN, Flow, load_flow, load_flow_file
from .index import Index
from .interpret.code import Code
from .library.tables import Library
from .request import Request
from .results import Analysis, NotEstablished, SourceFacts, Wiring
from .source import SourceTree, open_source
from .target import ConfigFacts
from .wiring import DEFAULT_LAYERS, Found, evaluate_all, find_targets

RECURSION = 20_000
"""Python frames for the interpreter: a call of the analysed program takes about twenty."""


def analyze(request: Request) -> Analysis:
    """Run a request; raises :class:`BadInput` for what a person can mend."""
    with room_to_run():
        return run(request)


@contextmanager
def room_to_run() -> Iterator[None]:
    """Deep recursion, and no garbage collection: everything lives to the end of the run, and looking for garbage finds none."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, RECURSION))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def run(request: Request) -> Analysis:
    """The seven steps."""
    flows = choose_flows(request)
    tree = open_source(request.source, flows[0].package)
    index = Index(tree)
    wirings: list[Wiring] = []
    problems: list[NotEstablished] = []
    for flow in flows:
        program = Program(index, flow, Code(), Library(dict(flow.kernels)), tree.printed)
        config = read_target(request, flow)
        found, unread = find_targets(program, tree)
        problems += unread
        layers = request.layers or config.num_layers() or DEFAULT_LAYERS
        wirings += evaluate_all(program, narrow(request, config, found, tree), config, layers, request.ids)
    return Analysis(facts(tree, index), tuple(wirings), tuple(problems))


def choose_flows(request: Request) -> list[Flow]:
    if request.flow_file is not None:
        flow = load_flow_file(request.flow_file)
        if request.flows and flow.name not in request.flows:
            raise BadInput(f"{request.flow_file} describes the flow {flow.name!r}, not {request.flows[0]!r}")
        return [flow]
    return [load_flow(name) for name in request.flows or BUILT_IN]


def read_target(request: Request, flow: Flow) -> ConfigFacts:
    return ConfigFacts(flow, load_config(request.target).values if request.target is not None else {})


def narrow(request: Request, config: ConfigFacts, found: list[Found], tree: SourceTree) -> list[Found]:
    """The targets that were asked for: by name, else by the config's architectures where one of them is a target here."""
    names = {one.cls.name for one in found}
    for model in request.models:
        if model not in names:
            raise BadInput(
                f"{tree.root}: no target class {model!r} with a setter of the flow; there are {', '.join(sorted(names)) or 'none'}"
            )
    wanted = set(request.models)
    architectures = config.values.get("architectures")
    if not wanted and isinstance(architectures, list | tuple):
        wanted = names & {a for a in architectures if isinstance(a, str)}
    return [one for one in found if not wanted or one.cls.name in wanted]


def facts(tree: SourceTree, index: Index) -> SourceFacts:
    return SourceFacts(tree.root, tree.package, tree.version, len(tree.files), len(index.read))
