"""What puts captured tensors together; and what the model of transformers (``transformers.stub``) cannot say in Python: where tensors come
from, and that a forward begins and ends."""

from __future__ import annotations

from ..values import BoundMethod, FunctionValue, Instance, Tensor, Unknown, Value
from .host import Host, Model
from .torch_models import pure

Args = tuple[Value, ...]
Keywords = dict[str, Value]
ROOT = "config"
"""The key of the target's config."""
ASSUMED = "transformers-model"


def target_config(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """The target's own config; not that of a path that is called after a draft."""
    if args and machine.is_draft(args[0]):
        return machine.mystery("config", "the config of a draft", not_none=True)
    machine.assume(ASSUMED)
    return machine.unknown(ROOT, "the target's config", not_none=True)


def embedded(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """What enters layer 0."""
    return machine.opaque("embed_tokens", (machine.source("tokens", blank=False),), exact=True)


def computed(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A tensor that a part of the model makes of another one."""
    name, tensor = args[0], machine.pick(args[1])
    assert isinstance(name, str)
    return machine.opaque(name, (tensor,), exact=True) if isinstance(tensor, Tensor) else machine.mystery(name, "made of something unknown")


def begins(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    machine.begin_walk()
    return None


def ends(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """The model, the stream after its last layer, and the norm of that."""
    model, stream, normed = map(machine.pick, args)
    if isinstance(stream, Tensor) and isinstance(normed, Tensor):
        machine.note("walks", (model, machine.content(stream), machine.content(normed)))
    return None


def entering(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """What a layer of an open target is handed; what layer 0 is, that is ``embed``, whatever it was made of."""
    index, hidden = args[0], machine.pick(args[1])
    if isinstance(hidden, Tensor) or index != 0:
        return hidden
    return machine.opaque("embed_tokens", (machine.source("tokens", blank=False),), exact=True)


def left(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """The stream after a layer of an open target: after the last one the walk is through."""
    if len(args) > 2:
        machine.note_flat()
    machine.note_end(args[0], args[1], None)
    return None


def normed(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """The final norm of an open target."""
    machine.note_end(None, args[0], args[1])
    return None


def keeps_layers(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """Whether the trainer leaves the layer count of a config alone that it loads the target with."""
    config = machine.pick(args[0])
    return isinstance(config, Unknown) and not machine.is_written(config, "num_hidden_layers")


def unknown(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.mystery("transformers", machine.show(args[0]) if args else "something of transformers", not_none=True)


def layers_return_tuples(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """Releases differ: a decoder layer returned a tuple until 4.53 or so, and returns its hidden states alone since."""
    return machine.unknown("layers_return_tuples", "whether a decoder layer returns a tuple hangs on the release of transformers")


def torch_cat(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``torch.cat``: opaque to the stream; in a trainer its parts are noted, in their order.

    Hidden states have at most three axes, so axis 2 is the last one, that of the features. Axis 0 or 1 may be it where there are fewer.
    """
    axis = machine.pick(args[1] if len(args) > 1 else keywords.get("dim", keywords.get("axis", 0)))
    number = int(axis) if isinstance(axis, int) else None
    parts = parts_of(machine, args, keywords)
    if any(part is None or isinstance(part, tuple | int | str) for part in parts or ()):
        return machine.raise_error("TypeError", "expected Tensor as element in argument 0")
    if number not in (-1, 2) and (rows := same_rows(machine, parts)) is not None:
        return rows
    result = pure(machine, function, args, keywords)
    if number not in (-2, -3):
        machine.note_join(result, parts, number in (-1, 2))
    return result


def torch_stack(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``torch.stack``: a new axis, which a later reshape may make one with the features."""
    parts = parts_of(machine, args, keywords)
    if (rows := same_rows(machine, parts)) is not None:
        return rows
    axis = machine.pick(args[1] if len(args) > 1 else keywords.get("dim", keywords.get("axis", 0)))
    result = pure(machine, function, args, keywords)
    machine.note_join(result, parts, False, int(axis) if isinstance(axis, int) else None)
    return result


def parts_of(machine: Host, args: Args, keywords: Keywords) -> tuple[Value, ...] | None:
    """The tensors that are put together, where all are known."""
    walked = machine.iterate(args[0] if args else keywords.get("tensors", ())) if machine.recording() else None
    return None if walked is None else tuple(map(machine.pick, walked))


def same_rows(machine: Host, parts: tuple[Value, ...] | None) -> Tensor | None:
    """Rows that all hold one point are that point."""
    if not parts or not all(isinstance(part, Tensor) for part in parts):
        return None
    contents = [machine.content(part) for part in parts if isinstance(part, Tensor)]
    return machine.tensor(contents[0]) if all(content == contents[0] for content in contents[1:]) else None


def torch_pad(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``pad(x, (0, 0, …))`` adds rows, in a trainer; the first pair is about the features."""
    padding = machine.pick(args[1] if len(args) > 1 else keywords.get("pad"))
    tensor = machine.pick(args[0]) if args else keywords.get("input")
    if machine.recording() and isinstance(tensor, Tensor) and isinstance(padding, tuple) and padding[:2] == (0, 0):
        return machine.tensor(machine.content(tensor))
    return pure(machine, function, args, keywords)


def torch_compile(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``torch.compile(model)`` computes what the model does."""
    if machine.recording() and args and isinstance(args[0], Instance | FunctionValue | BoundMethod):
        return args[0]
    return pure(machine, function, args, keywords)


FUNCTIONS: dict[str, Model] = {
    "torch.compile": torch_compile,
    "torch.cat": torch_cat,
    "torch.concat": torch_cat,
    "torch.concatenate": torch_cat,
    "torch.stack": torch_stack,
    "torch.hstack": torch_stack,
    "torch.nn.functional.pad": torch_pad,
    "flowcheck_model.target_config": target_config,
    "flowcheck_model.embedded": embedded,
    "flowcheck_model.computed": computed,
    "flowcheck_model.begins": begins,
    "flowcheck_model.ends": ends,
    "flowcheck_model.entering": entering,
    "flowcheck_model.left": left,
    "flowcheck_model.normed": normed,
    "flowcheck_model.keeps_layers": keeps_layers,
    "flowcheck_model.unknown": unknown,
    "flowcheck_model.layers_return_tuples": layers_return_tuples,
}
