"""What is done with the residual stream of a batch between and behind the stages, and the table of a boundary package's operations."""

from __future__ import annotations

from ..values import Value
from .stages import Call, Operation, Stream, append, declare, declare_attention, finish, finish_exit, open_exit, prepare, show

NORM = ("post_residual_addition",)
"""Keywords that the final norm hands on."""


def start(call: Call) -> Value:
    key = call.batch()
    call.end()
    call.write(key, Stream())
    return None


def clear(call: Call) -> Value:
    key = call.batch()
    call.end()
    call.write(key, None)
    return None


def set_written(call: Call) -> Value:
    """A tensor becomes the stream."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    call.write(key, Stream(hidden))
    return hidden


def handed(call: Call) -> Value:
    """What is pending, its sum over the ranks completed: on one rank, itself."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    call.stream(key, hidden)
    return hidden


def take(call: Call) -> Value:
    """The end of a stream to which all has been added."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    if call.stream(key, hidden).pending is not None:
        raise call.unknown("takes a stream to which something is still to be added")
    call.write(key, None)
    return hidden


def residual(call: Call) -> Value:
    key = call.batch()
    call.end()
    return call.stream(key).residual


def snapshot(call: Call) -> Value:
    """The whole stream in memory of its own."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    stream = call.stream(key, hidden)
    if stream.pending is None or stream.residual is None:
        return call.machine.tensor_method(hidden, "clone", (), {})
    return call.whole(stream, hidden)


def capture_output(call: Call) -> Value:
    """``(handle, snapshot)``."""
    call.take("self")
    return (call.take("hidden_states"), snapshot(call))


def fold(call: Call) -> Value:
    """What is pending is added now."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    stream = call.stream(key, hidden)
    if stream.transform is not None:
        raise call.unknown("adds what is still to be transformed")
    whole = call.whole(stream, hidden)
    call.write(key, Stream(whole))
    return whole


def add(call: Call) -> Value:
    """Something further is added to what is pending, in place."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    extra = call.take("extra")
    call.end()
    call.stream(key, hidden)
    call.machine.tensor_method(hidden, "add_", (extra,), {})
    return hidden


def final_norm(call: Call) -> Value:
    """The end of a stream: what is pending is added, and the sum is normed, by the model's own norm."""
    hidden, key = call.tensor("hidden_states"), call.batch()
    norm, capture = call.take("layernorm"), call.take("capture")
    further: dict[str, Value] = {name: value for name in NORM if (value := call.option(name)) is not None}
    call.end()
    stream = call.stream(key, hidden)
    call.write(key, None)
    if stream.transform is not None:
        raise call.unknown("norms what is still to be transformed")
    if stream.pending is None or stream.residual is None:
        show(call, capture, hidden)
        return call.machine.call(norm, (hidden,), {})
    if not call.is_plain(stream.update):
        raise call.unknown("adds what is not added plainly")
    normed, whole = call.pair(call.machine.call(norm, (stream.pending, stream.residual), further))
    show(call, capture, whole)
    return normed


def branch_input(call: Call) -> Value:
    """A stage that branches off another one's input."""
    call.take("self"), call.take("source")
    hidden, key = call.tensor("hidden_states"), call.batch()
    call.end()
    if call.stream(key).pending is not None:
        raise call.unknown("branches off a stage that has ended")
    return hidden


def branch_output(call: Call) -> Value:
    call.take("self")
    hidden = call.tensor("hidden_states")
    call.batch()
    call.end()
    return hidden


def merge_branch(call: Call) -> Value:
    """What a branch made is added to what is pending."""
    call.take("self"), call.take("source")
    made, hidden, key = call.tensor("contribution"), call.tensor("hidden_states"), call.batch()
    call.end()
    stream = call.stream(key, hidden)
    if stream.pending is None or stream.transform is not None:
        raise call.unknown("merges a branch into what does not wait to be added")
    merged = call.machine.binary("+", made, hidden)
    call.write(key, Stream(stream.residual, merged, stream.update))
    return merged


def part(call: Call) -> Value:
    """The sum of a part over the ranks: on one rank, the part."""
    call.take("self"), call.take("group")
    hidden = call.tensor("hidden_states")
    call.batch()
    call.end()
    return hidden


OPERATIONS: dict[str, Operation] = {
    "declare-attention": declare_attention,
    "declare-ffn": declare,
    "append": append,
    "prepare": prepare,
    "finish": finish,
    "open-exit": open_exit,
    "finish-exit": finish_exit,
    "start": start,
    "clear": clear,
    "set-written": set_written,
    "handed": handed,
    "take": take,
    "residual": residual,
    "snapshot": snapshot,
    "capture-output": capture_output,
    "fold": fold,
    "add": add,
    "final-norm": final_norm,
    "branch-input": branch_input,
    "branch-output": branch_output,
    "merge-branch": merge_branch,
    "part": part,
}
"""What an operation of a boundary package does, by the word that a flow calls it by."""
