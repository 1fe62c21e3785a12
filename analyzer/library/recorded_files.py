"""Files that one program of a trainer writes and another one reads: what is saved under a key is what is loaded under it."""

from __future__ import annotations

from ..values import MISSING, DictValue, ListValue, Phi, SetValue, Tensor, Unknown, Value
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]
ASSUMED = "recorded-files"
LOADED = "#loaded"
"""The mark of a dict that was loaded: a key that nobody saves is asked of another file."""


def save(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``torch.save(record, path)``: the record as it is now. The weights of a module are no record: their keys are paths to parameters."""
    record = machine.pick(args[0]) if args else machine.pick(keywords.get("obj", keywords.get("tensors", MISSING)))
    if isinstance(record, DictValue):
        machine.note("saved", (machine.here(), frozen(machine, record)))
        machine.record("saved", "a record", ", ".join(map(machine.show, keys_of(machine, record))) or "an open dict")
    elif isinstance(record, Unknown | Phi | Tensor | ListValue | tuple) and not machine.show(record).endswith(".state_dict()"):
        machine.note("saved", (machine.here(), None))
    return None


def load(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``torch.load(path)``: what one place of the trainer saved; a key that more than one place saves is not known."""
    writers: dict[Value, Value] = {}
    for entry in machine.noted_entries("saved"):
        assert isinstance(entry, tuple)
        writers[entry[0]] = entry[1]
    if not writers or not machine.recording():
        return machine.mystery("loaded", "what is loaded from a file is not known", not_none=True)
    machine.assume(ASSUMED)
    records = [record for record in writers.values() if isinstance(record, DictValue)]
    made = records[0] if len(records) == len(writers) == 1 else merged(machine, records, open_=len(records) < len(writers))
    machine.record("loaded", "what was saved", ", ".join(map(machine.show, keys_of(machine, made))) or "an open dict")
    loaded = frozen(machine, made)
    assert isinstance(loaded, DictValue)
    loaded.state[LOADED] = True
    return loaded


def merged(machine: Host, records: list[DictValue], *, open_: bool) -> DictValue:
    """What files of several kinds hold under keys that only one kind has."""
    made = machine.new_dict({})
    for record in records:
        for key, value in machine.entries(record) or ():
            others = [other for other in records if other is not record and key in keys_of(machine, other)]
            doubtful = bool(others) or open_
            shown = machine.show(key)
            new = machine.mystery("loaded", f"more than one place may save {shown}", not_none=True) if doubtful else frozen(machine, value)
            machine.set_item(made, key, new)
    machine.heap.write(made.state, "#open", True)
    return made


def keys_of(machine: Host, record: DictValue) -> list[Value]:
    return [key for key, _ in machine.entries(record) or ()]


def frozen(machine: Host, value: Value) -> Value:
    """A copy of a value that nothing changes any more, containers and tensors included."""
    value = machine.pick(value)
    match value:
        case DictValue():
            made = machine.new_dict({})
            held = machine.entries(value)
            for key, each in held or ():
                machine.set_item(made, key, frozen(machine, each))
            if held is None:
                machine.heap.write(made.state, "#open", True)
            return made
        case ListValue():
            items = machine.items_of(value)
            if not isinstance(items, tuple):
                return machine.unknown_items("list")
            return machine.new_list(tuple(frozen(machine, each) for each in items))
        case SetValue():
            return machine.unknown_items("set")
        case tuple():
            return tuple(frozen(machine, each) for each in value)
        case Tensor():
            return Tensor(machine.tensor(machine.content(value)).cell, value.kept)
    return value


FUNCTIONS: dict[str, Model] = {
    "torch.save": save,
    "torch.load": load,
    "safetensors.torch.save_file": save,
    "safetensors.torch.load_file": load,
}
