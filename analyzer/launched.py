"""What the engine does on its way to the setter: one launch for each draft, held against what its config says."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .configs import Config, load_config
from .contract_file import is_contract
from .evaluation import Target
from .flows.flow import Flow
from .keys import dropped_entries, missed_entries, names_in
from .memory import collect, is_full
from .opening import Opened
from .request import Request
from .steps import task
from .trained import read_trainer

if TYPE_CHECKING:
    from .launches import Gated, Launch


def configs_with(request: Request, draft: str | None) -> dict[str, Config]:
    """The configs in hand, by whose they are."""
    named = {"draft": draft, "target": request.target}
    return {role: load_config(path) for role, path in named.items() if path is not None}


def with_flags(request: Request, one: Opened, configs: Mapping[str, Config]) -> Opened:
    """The flow as it is launched with the flags that were given; as it stands where they are not known."""
    if request.serve_args is None:
        return one
    from .valueflow.defaults import launched_with  # networkx is imported only where a way is followed

    return replace(one, program=launched_with(one.program, one.tree, configs, request.serve_args))


def launched(request: Request, one: Opened, asked: Opened, configs: Mapping[str, Config]) -> Iterator[Launch]:
    """What the engine does on its way to the setter, with a draft, or with none in hand; ``asked`` is launched with the flags that were
    given."""
    if not asked.targets:
        return
    if is_full(0):
        collect()  # the last targets' models are done
    with task("record", "the launch", asked.program.flow.name):
        done = launch_of(asked, configs, watched=asked is not one)
        done = replace(done, gated=gated_off(request, one, asked, done, configs)) if asked is not one and "draft" in configs else done
        done = replace(done, ranks=ranks_of(asked.program.flow))
        done = with_misses(request, asked, done, configs) if "draft" in configs else done
    yield done


def ranks_of(flow: Flow) -> int | None:
    """Over how many ranks the launch flags spread a model's layers, as far as flags are given."""
    values = flow.pipeline.flags.values if flow.pipeline.flags is not None else {}
    return next((value for name in flow.stages.flags if isinstance(value := values.get(name), int)), None)


def launch_of(one: Opened, configs: Mapping[str, Config], *, watched: bool = False) -> Launch:
    """One launch. One target class stands for all."""
    from .valueflow.launching import launch  # networkx is imported only where a way is followed

    found = one.targets[0]
    target = Target(one.program, found.cls, found.setter, one.layers, one.config)
    return launch(one.program, one.tree, target, found, configs, watched=watched)


def gated_off(request: Request, one: Opened, asked: Opened, done: Launch, configs: Mapping[str, Config]) -> Gated | None:
    """What keeps the ids from being looked at with the flags that were given; None where they are, or what the tree makes of the flags is
    not known."""
    from .gating import gated, is_looked_at

    flags = asked.program.flow.pipeline.flags
    if flags is None or not flags.settled or is_looked_at(done):
        return None

    def without(name: str) -> Launch:
        others = tuple(each for each in request.serve_args or () if each[0] != name)
        return launch_of(with_flags(replace(request, serve_args=others), one, configs), configs)

    own = launch_of(one, configs, watched=True)
    return gated(done, flags, own, one.program.flow.pipeline.launch, configs["draft"], without)


def with_misses(request: Request, one: Opened, done: Launch, configs: Mapping[str, Config]) -> Launch:
    """The launch, with what the trainer that was given looks up, and which lookups miss what the draft's config has elsewhere."""
    pipeline, draft = one.program.flow.pipeline, configs["draft"]
    lookups, dropped = done.lookups, done.dropped
    if request.train is not None and not is_contract(request.train):
        names = (*pipeline.keys, *pipeline.moved, *names_in(draft.values))
        looked, left_out, read = read_trainer(request.train, one.program, configs, names)
        one.further.append(read)
        lookups, dropped = lookups + looked, dropped + left_out
    spellings = dict.fromkeys(pipeline.keys, pipeline.spellings)
    missed = missed_entries(lookups, draft, pipeline.moved, spellings)
    told = tuple(dropped_entries(dropped, lookups, draft, pipeline.keys, has_target="target" in configs))
    in_made = [each.lookup for each in told]
    missed = (each for each in missed if not any(one.key == each.lookup.key and one.is_near(each.lookup) for one in in_made))
    return replace(done, lookups=lookups, missed=tuple(missed), dropped=told)
