"""Steps 1 and 2 for each flow that is asked for: the tree is found and indexed, and its target classes are told."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from .configs import load_config
from .drafts import find_drafts
from .errors import BadInput
from .evaluation import Program
from .finding import find_targets
from .flow_check import check_in_tree, place
from .flows.flow import BUILT_IN, ENGINES, Flow, load_flow, load_flow_file
from .index import Index
from .interpret.code import Code
from .library.tables import Library
from .nearest import told_nearest
from .reasons import FileRead
from .request import Request
from .results import Location, NotEstablished, SourceFacts
from .source import SourceTree, find_package, open_source, packages_in
from .steps import count, task
from .target import ConfigFacts, read_target
from .wiring import DEFAULT_LAYERS, Found

LACKING = "no target class with a setter of the flow is called so"


Printed: TypeAlias = tuple[Callable[[str], str], Index]
"""What was read of a source, and how its paths are printed."""


@dataclass(frozen=True, slots=True)
class Opened:
    """One flow in one tree, with the target classes that were asked for, and ``others`` that a config leaves out."""

    program: Program
    tree: SourceTree
    config: ConfigFacts
    targets: list[Found]
    layers: int
    problems: list[NotEstablished]
    others: tuple[Found, ...] = ()
    further: list[Printed] = field(default_factory=list)
    """What was read of other sources: of the trainer, of the engine that it captures with."""


@dataclass(frozen=True, slots=True)
class Read:
    """A tree with all that was parsed and lowered of it, whichever flow asked for it."""

    tree: SourceTree
    index: Index
    code: Code


@dataclass(slots=True)
class Shared:
    """What requests about one source share: what was read of it, by its package. The next source takes the place of the last."""

    source: str | None = None
    read: dict[str, Read] = field(default_factory=dict)

    def of(self, source: str) -> dict[str, Read]:
        if source != self.source:
            self.source, self.read = source, {}
        return self.read


def open_flows(request: Request, flows: Sequence[Flow], shared: Shared | None = None) -> list[Opened]:
    """Steps 1 and 2 for each flow; flows of one package share what is read of it."""
    read = (shared or Shared()).of(request.source)
    opened = []
    for number, flow in enumerate(flows, 1):
        with task("find", "reading files", f"{flow.name} in {request.source}", number, len(flows)):
            opened.append(open_flow(request, flow, read))
    names = {found.cls.name for one in opened for found in one.targets}
    wanted = wanted_models(request, opened[0], names)
    problems = missing_targets(request, opened[0], names)
    opened[0].problems.extend(problems)
    return [narrowed(one, wanted, named=bool(request.models)) for one in opened]


def narrowed(one: Opened, wanted: set[str], *, named: bool) -> Opened:
    """The targets that are wanted; where nobody ``named`` them, the others are kept for comparison."""
    if not wanted:
        return one
    others = () if named else tuple(found for found in one.targets if found.cls.name not in wanted)
    return replace(one, targets=[found for found in one.targets if found.cls.name in wanted], others=others)


def open_flow(request: Request, flow: Flow, read: dict[str, Read]) -> Opened:
    """Steps 1 and 2: find and index."""
    if flow.package not in read:
        tree = open_package(request.source, flow)
        for path in tree.files:
            count("files listed", (tree.root, path))
        read[flow.package] = Read(tree, Index(tree, tree.found_by), Code(tree.printed))
    tree, index = read[flow.package].tree, read[flow.package].index
    program = Program(index, flow, read[flow.package].code, Library(dict(flow.kernels), boundaries=flow.boundaries), tree.printed)
    check_in_tree(program, tree)
    config = read_target(request.target, flow)
    found, unread = find_targets(program, tree, fallbacks=bool(request.drafts))
    problems = [each for each in unread if each.what != "file"]
    layers = request.layers or config.num_layers() or DEFAULT_LAYERS
    return Opened(program, tree, config, found, layers, problems)


def open_package(source: str, flow: Flow) -> SourceTree:
    """The tree; where it does not have the package that a flow file names, it is told where that stands."""
    try:
        return open_source(source, flow.package)
    except BadInput as error:
        if flow.written is None or "package" not in flow.written.own or not str(error).partition(": ")[2].startswith("no package"):
            raise
        where, near = place(flow.written, ("package",), flow.package), told_nearest(flow.package, packages_in(source))
        raise BadInput(f"{where}: package names {flow.package!r}: {source} has none that is called so; {near}") from error


def choose_flows(request: Request) -> list[Flow]:
    if request.flow_files:
        flows = [load_flow_file(path) for path in request.flow_files]
        names = [flow.name for flow in flows]
        for path, name in zip(request.flow_files, names, strict=True):
            if names.count(name) > 1:
                raise BadInput(f"{path}: another flow file describes the flow {name!r} too")
        wanted = [flow for flow in flows if not request.flows or flow.name in request.flows]
        for name in request.flows:
            if name not in names:
                raise BadInput(f"{request.flow_files[0]} describes the flow {names[0]!r}, not {name!r}")
        return wanted
    for name in request.flows:
        if name not in BUILT_IN:
            load_flow(name)  # raises
    package = find_package(request.source, [*ENGINES])
    return [load_flow(name, package) for name in request.flows or ENGINES[package]]


def wanted_models(request: Request, one: Opened, names: set[str]) -> set[str]:
    """The targets that are asked for: by name, else by the config's architectures where one of them is a target here; empty for all. An
    exact request is about those that are named, whether they are there or not."""
    if request.exact:
        return set(request.models or one.config.architectures())
    for model in request.models:
        if model not in names:
            known = ", ".join(sorted(names)) or "none"
            lost = "".join(f"; {each.at} cannot be read" for each in unreadable(one.program.index, one.tree)[:1])
            raise BadInput(f"{one.tree.root}: no target class {model!r} with a setter of the flow; there are {known}{lost}")
    return set(request.models) or names & set(one.config.architectures())


def missing_targets(request: Request, one: Opened, names: set[str]) -> list[NotEstablished]:
    """The config's classes where none of them is a target here: all targets are shown, but not the one that was meant; of an exact request
    none. Of that also each class that it names itself and that is no target here."""
    architectures, place = one.config.architectures(), one.config.place
    if request.models or place is None:
        root = Location(one.tree.printed(""), 1)
        return [NotEstablished(name, LACKING, root) for name in request.models if name not in names]
    if set(architectures) & names:
        return []
    return [NotEstablished(name, f"the config's architectures name it, and {LACKING}", place) for name in architectures]


def unreadable(index: Index, tree: SourceTree) -> list[NotEstablished]:
    """Each file that was asked for and could not be parsed."""
    found: list[NotEstablished] = []
    for path, message in sorted(index.unreadable.items()):
        line, _, text = message.partition(": ")
        number = line.removeprefix("line ")
        found.append(NotEstablished("file", text or message, Location(tree.printed(path), int(number) if number.isdigit() else 1)))
    return found


def facts(tree: SourceTree, index: Index) -> SourceFacts:
    return SourceFacts(tree.root, tree.package, tree.version, len(tree.files), len(index.read), tree.revision)


def files_read(read: Iterable[Printed], request: Request) -> tuple[FileRead, ...]:
    """Each file that was read, with the first reason for it: those of the sources, and the configs."""
    drafts = find_drafts(request.drafts) if request.drafts else ()
    named = dict.fromkeys(drafts, "a draft's config")
    others = (request.target, "the target's config"), (request.train_config, "the config of the run")
    named |= {path: text for path, text in others if path is not None}
    configs = {load_config(path).path_printed: text for path, text in named.items()}
    files: dict[str, str] = {}
    for printed, index in read:
        for path, reason in index.reasons.items():
            files.setdefault(printed(path), reason)
    return tuple(FileRead(*each) for each in sorted({**files, **configs}.items()))
