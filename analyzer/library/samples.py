"""Collections of samples: how many there are is not known, and each is made alike."""

from __future__ import annotations

from ..values import ExternalObject, Instance, ListValue, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
SAMPLES = "torch.utils.data.DataLoader"
SAMPLE = "#sample"
"""What a list holds as often as samples were walked."""
PARAMETERS = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn")


def loader(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``DataLoader(dataset, collate_fn=…)``: walking it gives batches of what ``dataset[i]`` answers; with no batch size, those alone."""
    given = {**dict(zip(PARAMETERS, args, strict=False)), **keywords}
    dataset = machine.pick(given.get("dataset"))
    if not machine.recording() or not isinstance(dataset, Instance):
        return machine.mystery("loader", "a loader of something unknown", not_none=True)
    single = machine.pick(given.get("batch_size", 1)) is None and machine.pick(given.get("batch_sampler")) is None
    attrs = machine.heap.new(dataset=dataset, collate=given.get("collate_fn"), single=single)
    return ExternalObject(SAMPLES, machine.fresh_key("loader"), attrs)


def draw(machine: Host, samples: Value) -> Value:
    """One element of what a loop of unknown length walks."""
    if isinstance(samples, ListValue) and SAMPLE in samples.state:
        return samples.state[SAMPLE]
    if not isinstance(samples, ExternalObject) or samples.cls != SAMPLES:
        return machine.mystery("each", "a loop that runs an unknown number of times")
    item = machine.subscript(samples.attrs["dataset"], machine.mystery("index", "the number of a sample", not_none=True))
    collate = machine.pick(samples.attrs["collate"])
    given = item if samples.attrs["single"] is True else machine.new_list((item,))
    batch = machine.call(collate, (given,), {}) if collate is not None else item
    return (machine.mystery("number", "the number of a batch", not_none=True), batch) if samples.attrs.get("numbered") is True else batch


def numbered(machine: Host, samples: Value) -> Value | None:
    """``enumerate`` of samples; None of anything else."""
    if not isinstance(samples, ExternalObject) or samples.cls != SAMPLES:
        return None
    held = {name: samples.attrs[name] for name in ("dataset", "collate", "single")}
    attrs = machine.heap.new(**held, numbered=True)
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
