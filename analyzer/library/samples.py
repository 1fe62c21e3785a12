"""Collections of samples: how many there are is not known, and each is made alike."""

from __future__ import annotations

from ..values import ExternalObject, Instance, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
SAMPLES = "torch.utils.data.DataLoader"


def loader(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``DataLoader(dataset, collate_fn=…)``: walking it gives batches of what ``dataset[i]`` answers."""
    dataset = machine.pick(args[0] if args else keywords.get("dataset"))
    if not machine.recording() or not isinstance(dataset, Instance):
        return machine.mystery("loader", "a loader of something unknown", not_none=True)
    return ExternalObject(SAMPLES, machine.fresh_key("loader"), machine.heap.new(dataset=dataset, collate=keywords.get("collate_fn")))


def draw(machine: Host, samples: Value) -> Value:
    """One element of what a loop of unknown length walks."""
    if not isinstance(samples, ExternalObject) or samples.cls != SAMPLES:
        return machine.mystery("each", "a loop that runs an unknown number of times")
    item = machine.subscript(samples.attrs["dataset"], machine.mystery("index", "the number of a sample", not_none=True))
    collate = machine.pick(samples.attrs["collate"])
    batch = machine.call(collate, (machine.new_list((item,)),), {}) if collate is not None else item
    return (machine.mystery("number", "the number of a batch", not_none=True), batch) if samples.attrs.get("numbered") is True else batch


def numbered(machine: Host, samples: Value) -> Value | None:
    """``enumerate`` of samples; None of anything else."""
    if not isinstance(samples, ExternalObject) or samples.cls != SAMPLES:
        return None
    attrs = machine.heap.new(dataset=samples.attrs["dataset"], collate=samples.attrs["collate"], numbered=True)
    return ExternalObject(SAMPLES, machine.fresh_key("loader"), attrs)


def same(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A progress bar shows what it walks, and changes nothing."""
    return args[0] if args else keywords.get("iterable")


FUNCTIONS: dict[str, Model] = {
    SAMPLES: loader,
    "torch.utils.data.dataloader.DataLoader": loader,
    "tqdm.tqdm": same,
    "tqdm.auto.tqdm": same,
    "tqdm.rich.tqdm": same,
}
