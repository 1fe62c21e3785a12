"""The table of models: which one runs a call of something outside the tree."""

from __future__ import annotations

from ..values import (
    BuiltinMethod,
    ClassValue,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    ListValue,
    SetValue,
    Tensor,
    Unknown,
    Value,
)
from . import (
    builtin_functions,
    builtin_methods,
    command_line,
    hooks,
    recorded_files,
    samples,
    standard,
    streams,
    target_model,
    torch_models,
)
from .host import Host, Model
from .stages import Boundaries

KEPT = frozenset(
    {
        "torch.no_grad",
        "torch.inference_mode",
        "torch.enable_grad",
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "torch.compile",
        "typing.overload",
        "typing.final",
        "typing_extensions.override",
        "typing.override",
        "functools.cached_property",
        "contextlib.contextmanager",
        "abc.abstractmethod",
        "builtins.staticmethod",
        "builtins.classmethod",
        "builtins.property",
        "dataclasses.dataclass",
        "torch.compiler.disable",
        "torch._dynamo.disable",
        "torch.jit.ignore",
        "torch.jit.unused",
        "typing.no_type_check",
        "functools.total_ordering",
    }
)
"""Decorators that keep what a function does."""
NATIVE: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "str": (str,),
    "bytes": (bytes,),
    "tuple": (tuple,),
    "list": (ListValue,),
    "dict": (DictValue,),
    "set": (SetValue,),
    "frozenset": (SetValue,),
    "range": (range,),
    "NoneType": (type(None),),
    "type": (ClassValue,),
}
ABSTRACT: dict[str, tuple[type, ...]] = {
    "Sequence": (ListValue, tuple, str, range),
    "Mapping": (DictValue,),
    "Iterable": (ListValue, DictValue, SetValue, tuple, str, range),
    "Callable": (FunctionValue,),
    "Collection": (ListValue, DictValue, SetValue, tuple, str, range),
}


NO_BOUNDARIES = Boundaries()


class Library:
    """All models. ``without`` names some to leave out: answers must then become *not established*, never others."""

    def __init__(self, kernels: dict[str, str], without: frozenset[str] = frozenset(), boundaries: Boundaries = NO_BOUNDARIES) -> None:
        shapes: dict[str, Model] = {
            "fused-add-norm": torch_models.fused_add_norm,
            "norm": torch_models.norm_kernel,
            "norm-add-scale": torch_models.norm_add_scale,
            "pure": torch_models.pure,
            "buffer": torch_models.buffer,
        }
        functions: dict[str, Model] = {f"builtins.{name}": model for name, model in builtin_functions.FUNCTIONS.items()}
        functions |= standard.FUNCTIONS | torch_models.FUNCTIONS | dict.fromkeys(torch_models.BUFFERS, torch_models.buffer)
        for models in (target_model, recorded_files, command_line, samples):
            functions |= models.FUNCTIONS
        functions |= {name: shapes[shape] for name, shape in kernels.items()}
        self.functions = {name: model for name, model in functions.items() if name not in without}
        self.kernels = {name: model for name, model in self.functions.items() if name in kernels}
        self.boundaries = boundaries
        self.operations = {name: streams.OPERATIONS[word] for name, word in boundaries.operations.items() if name not in without}
        self.list_methods = frozenset(builtin_methods.LIST_METHODS)

    def kernel(self, name: str) -> Model | None:
        """The model of a kernel of the tree itself, by its qualified name."""
        return self.functions.get(name) if name in self.kernels else None

    def find(self, function: Value) -> Model | None:
        """The model of a callee, or None where there is none."""
        if isinstance(function, BuiltinMethod):
            return self.method(function)
        if not isinstance(function, External):
            return None
        name = function.name
        found = self.functions.get(name)
        if found is not None:
            return found
        head, _, last = name.rpartition(".")
        if head in torch_models.MODULE_BASES:
            return torch_models.module_method
        if name.startswith("builtins."):
            return exception if last.endswith(("Error", "Exception", "Warning", "StopIteration")) else None
        return self.outside(name, last)

    def outside(self, name: str, last: str) -> Model | None:
        """Whole regions: torch's functions are pure unless their name says otherwise, loggers are silent."""
        if name.startswith(standard.SILENT):
            return builtin_functions.nothing
        if name.startswith("torch.nn.functional."):
            return torch_models.pure
        if name.startswith("torch.nn.") and last[:1].isupper():
            return torch_models.module_of_torch
        if name.startswith(("torch.cuda.", "torch.get_device_module", "torch.device", "torch.npu.")):
            return torch_models.stream_context
        if name.startswith("torch.") and not name.startswith(("torch.ops.", "torch.distributed.", "torch.library.")):
            return torch_models.pure
        return None

    def method(self, function: BuiltinMethod) -> Model | None:
        receiver, name = function.receiver, function.name
        if isinstance(receiver, Tensor):
            return tensor_method
        if isinstance(receiver, ListValue):
            return builtin_methods.LIST_METHODS.get(name)
        if isinstance(receiver, SetValue):
            return builtin_methods.SET_METHODS.get(name)
        if isinstance(receiver, DictValue):
            return builtin_methods.DICT_METHODS.get(name)
        if isinstance(receiver, str):
            return builtin_methods.text
        if isinstance(receiver, tuple):
            return tuple_method
        if isinstance(receiver, int):
            return builtin_methods.INT_METHODS.get(name)
        return self.method_outside(receiver.cls, name) if isinstance(receiver, ExternalObject) else None

    @staticmethod
    def method_outside(cls: str, name: str) -> Model | None:
        """A method of an object of an outside class."""
        if cls.startswith("logging."):
            return builtin_functions.nothing
        if cls == command_line.PARSER:
            return command_line.METHODS.get(name)
        return hooks.remove if cls == hooks.HANDLE and name == "remove" else None

    def keeps_function(self, name: str) -> bool:
        return name in KEPT

    def is_module_base(self, name: str) -> bool:
        return name in torch_models.MODULE_BASES

    def has_attribute(self, base: str, name: str) -> bool:
        """Whether an outside base class has an attribute."""
        return base in torch_models.MODULE_BASES and name in torch_models.MODULE_ATTRIBUTES

    def is_instance(self, value: Value, cls: Value) -> bool | None:
        """``isinstance`` of a value that is no object of the tree; None where it cannot be told."""
        if isinstance(value, Unknown | External | ExternalObject | EnumMember):
            return None
        if isinstance(cls, External):
            last = cls.name.rpartition(".")[2]
            if cls.name.startswith("builtins.") and last in NATIVE:
                return (
                    isinstance(value, NATIVE[last]) and not (last == "tuple" and isinstance(value, Tensor))
                    if not self.may_be_tuple(value)
                    else None
                )
            if cls.name in ("torch.Tensor", "torch._tensor.Tensor"):
                return isinstance(value, Tensor) if not self.may_be_tuple(value) else None
            if last in ABSTRACT and cls.name.startswith(("typing.", "collections.")):
                return isinstance(value, ABSTRACT[last])
            if isinstance(value, ListValue) and last == "ModuleList":
                return value.modules
            return None if isinstance(value, Instance | Tensor) else False
        if isinstance(cls, ClassValue):
            return None if self.may_be_tuple(value) else False
        return None

    def may_be_tuple(self, value: Value) -> bool:
        return isinstance(value, Tensor) and not value.exact


def exception(machine: Host, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """A builtin exception is made."""
    assert isinstance(function, External)
    made = ExternalObject(function.name, machine.fresh_key(function.name), machine.heap.new())
    made.attrs["text"] = args[0] if args and isinstance(args[0], str) else ""
    return made


def tensor_method(machine: Host, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    assert isinstance(function, BuiltinMethod) and isinstance(function.receiver, Tensor)
    return machine.tensor_method(function.receiver, function.name, args, keywords)


def tuple_method(machine: Host, function: Value, args: tuple[Value, ...], keywords: dict[str, Value]) -> Value:
    """``index`` and ``count`` of a tuple are those of a list with its items."""
    assert isinstance(function, BuiltinMethod) and isinstance(function.receiver, tuple)
    model = builtin_methods.LIST_METHODS.get(function.name)
    if model is None:
        return machine.mystery(function.name, "a method of a tuple")
    return model(machine, BuiltinMethod(machine.new_list(function.receiver), function.name), args, keywords)
