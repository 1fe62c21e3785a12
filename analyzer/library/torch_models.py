"""torch, and the kernels that write their arguments: what they do to a captured point."""

from __future__ import annotations

from ..values import BoundMethod, ExternalObject, ListValue, Tensor, Value
from .hooks import register
from .host import Host, Model

Args = tuple[Value, ...]
Keywords = dict[str, Value]

MODULE_BASES = frozenset(
    {
        "transformers.PreTrainedModel",
        "transformers.modeling_utils.PreTrainedModel",
        "torch.nn.Module",
        "torch.nn.modules.module.Module",
        "torch.nn.modules.Module",
    }
)
MODULE_ATTRIBUTES = frozenset(
    {
        "training",
        "register_buffer",
        "register_parameter",
        "register_module",
        "add_module",
        "parameters",
        "named_parameters",
        "buffers",
        "named_buffers",
        "children",
        "named_children",
        "modules",
        "named_modules",
        "to",
        "eval",
        "train",
        "apply",
        "cuda",
        "cpu",
        "half",
        "float",
        "bfloat16",
        "double",
        "type",
        "state_dict",
        "load_state_dict",
        "requires_grad_",
        "zero_grad",
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "get_submodule",
        "get_parameter",
        "get_buffer",
        "extra_repr",
        "share_memory",
        "compile",
        "_modules",
        "_parameters",
        "_buffers",
        "_forward_hooks",
        "_forward_pre_hooks",
        "_backward_hooks",
        "_state_dict_hooks",
        "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks",
        "_register_load_state_dict_pre_hook",
        "register_load_state_dict_pre_hook",
        "register_load_state_dict_post_hook",
        "register_state_dict_pre_hook",
        "register_full_backward_pre_hook",
        "_get_name",
        "_apply",
        "dump_patches",
        "T_destination",
        "call_super_init",
        "set_extra_state",
        "get_extra_state",
        "to_empty",
        "ipu",
        "xpu",
        "mtia",
        "_load_from_state_dict",
        "_save_to_state_dict",
    }
)
"""What every torch module has besides what its own classes give it (torch 2.9, ``torch/nn/modules/module.py``)."""


def module_list(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``nn.ModuleList``: a list whose members may be the layers."""
    source = args[0] if args else keywords.get("modules", ())
    items = machine.iterate(source)
    if items is None:
        held = machine.new_list((), modules=True)
        machine.heap.write(held.state, "items", machine.mystery("items", "a list of modules of unknown length"))
        return held
    made = machine.new_list(tuple(items), modules=True)
    machine.enlist(made)
    return made


def module_dict(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return args[0] if args else machine.new_dict({})


def parameter(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.mystery("parameter", "a trained parameter", not_none=True)


def module_of_torch(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """Any other module class of torch: an object that is opaque when called."""
    name = machine.show(function)
    return ExternalObject(name, machine.fresh_key(name), machine.heap.new())


def tensors(args: Args) -> tuple[Tensor, ...]:
    found: list[Tensor] = []
    for value in args:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, tuple):
            found.extend(tensors(value))
    return tuple(found)


def pure(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A function of torch that reads its arguments and answers something new."""
    name = machine.show(function)
    spread: list[Value] = []
    for value in (*args, *keywords.values()):
        if isinstance(value, ListValue):
            spread.extend(machine.iterate(value) or ())
        else:
            spread.append(value)
    held = tensors(tuple(spread))
    if "out" in keywords or name.endswith("_"):
        for tensor in held:
            machine.write_content(tensor, machine.mystery("content", f"{name} may write it"))
    return (
        machine.opaque(name, held) if held or name.startswith("torch.") else machine.mystery(name, f"{name} is not modelled", not_none=True)
    )


def buffer(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A new tensor that holds nothing of the stream."""
    return machine.opaque(machine.show(function), (), exact=True)


def as_method(name: str) -> Model:
    """A function of torch that is the tensor's method of that name."""

    def model(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
        held = machine.pick(args[0]) if args else keywords.get("input")
        if isinstance(held, Tensor):
            return machine.tensor_method(held, name, args[1:], {k: v for k, v in keywords.items() if k != "input"})
        return pure(machine, function, args, keywords)

    return model


def add(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    if len(args) == 2 and not keywords:
        return machine.binary("+", args[0], args[1])
    return pure(machine, function, args, keywords)


def fused_add_norm(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``kernel(x, residual, weight, eps)``: both are written, ``residual`` becomes the sum and ``x`` its norm.

    SGLang 0.5.9, ``layers/layernorm.py:146``.
    """
    x, residual = (machine.pick(a) for a in (*args, *keywords.values())[:2])
    if not isinstance(x, Tensor) or not isinstance(residual, Tensor):
        return machine.call_outside(function, args, keywords)
    total = machine.binary("+", x, residual)
    assert isinstance(total, Tensor)
    machine.write_content(residual, machine.content(total))
    normed = machine.opaque(machine.show(function), (residual,), exact=True)
    machine.write_content(x, machine.content(normed))
    return None


def norm_add_scale(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``kernel(x, weight, residual=…, scalar=…)``: a new tensor, the norm of what is given besides, added to the residual, and scaled.

    SGLang 0.5.12, ``layers/gemma4_fused_ops.py:54`` and ``:146``: wrappers of Triton kernels, so that parameters go by their names.
    """
    residual, scalar = (machine.pick(keywords.get(name)) for name in ("residual", "scalar"))
    others = (*args, *(value for name, value in keywords.items() if name not in ("residual", "scalar")))
    if not isinstance(residual, Tensor) or not tensors(others):
        return machine.call_outside(function, args, keywords)
    normed = machine.opaque(machine.show(function), tensors(others), exact=True)
    total = machine.binary("+", normed, residual)
    return total if scalar is None else machine.binary("*", total, scalar)


def norm_kernel(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """``kernel(x, weight, eps)``: a new tensor, the norm of ``x``."""
    held = tensors((*args[:1], *keywords.values()))
    return machine.opaque(machine.show(function), held[:1], exact=True)


def module_method(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    """A method that a module has from torch."""
    assert isinstance(function, BoundMethod) or args
    receiver = args[0] if args else None
    name = machine.show(function).rpartition(".")[2]
    rest = args[1:]
    match name:
        case "register_buffer" | "register_parameter" | "add_module" | "register_module" if len(rest) >= 2 and isinstance(rest[0], str):
            machine.set_attribute(receiver, rest[0], rest[1])
            return None
        case "to" | "eval" | "train" | "cuda" | "half" | "requires_grad_" | "apply" | "float" | "bfloat16":
            return receiver
        case "get_submodule" if rest and isinstance(rest[0], str):
            found = submodule(machine, receiver, rest[0])
            machine.note_module(found)
            return found
        case "state_dict" if machine.recording():
            return ExternalObject("torch.state_dict", machine.fresh_key("state_dict"), machine.heap.new())
        case "register_forward_hook" | "register_forward_pre_hook":
            return register(machine, receiver, name, rest, keywords)
    return machine.mystery(name, f"torch's {name} of a module", not_none=True)


def submodule(machine: Host, module: Value, path: str) -> Value:
    """``module.get_submodule("layers.3.mlp")``."""
    for part in path.split(".") if path else ():
        module = machine.subscript(module, int(part)) if part.isdigit() else machine.get_attribute(module, part)
    return module


def stream_context(machine: Host, function: Value, args: Args, keywords: Keywords) -> Value:
    return machine.mystery(machine.show(function), "a device, stream or event", not_none=True)


NORMS = (
    "torch.rms_norm",
    "torch.layer_norm",
    "torch.nn.functional.rms_norm",
    "torch.nn.functional.layer_norm",
    "torch.nn.functional.normalize",
)
FUNCTIONS: dict[str, Model] = {
    "torch.nn.ModuleList": module_list,
    "torch.nn.ModuleDict": module_dict,
    "torch.nn.Parameter": parameter,
    "torch.nn.parameter.Parameter": parameter,
    "torch.add": add,
    **dict.fromkeys(NORMS, norm_kernel),
    "torch.clone": as_method("clone"),
    "torch.reshape": as_method("reshape"),
    "torch.flatten": as_method("flatten"),
    "torch.chunk": as_method("chunk"),
    "torch.split": as_method("split"),
    "torch.tensor_split": as_method("tensor_split"),
    "torch.unbind": as_method("unbind"),
    "torch.squeeze": as_method("squeeze"),
    "torch.unsqueeze": as_method("unsqueeze"),
    "torch.index_select": as_method("index_select"),
}
BUFFERS = (
    "torch.empty",
    "torch.zeros",
    "torch.ones",
    "torch.empty_like",
    "torch.zeros_like",
    "torch.ones_like",
    "torch.arange",
    "torch.full",
    "torch.tensor",
    "torch.as_tensor",
)
