"""A short text for a value, for keys and messages."""

from __future__ import annotations

from ..values import (
    BoundMethod,
    BuiltinMethod,
    ClassValue,
    Content,
    DictValue,
    EnumMember,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    ListValue,
    ModuleValue,
    Partial,
    Phi,
    SetValue,
    Tensor,
    Unknown,
    Value,
)


def show(value: Value) -> str:
    """One short line; two values with one text may differ only where nothing is known of them."""
    match value:
        case Unknown():
            return value.key
        case Content():
            return str(value)
        case Phi() if isinstance(value.if_true, Content | Phi) and isinstance(value.if_false, Content | Phi):
            return f"one of several tensors, by {value.condition.key}"
        case Phi():
            return f"({value.condition.key} ? {show(value.if_true)} : {show(value.if_false)})"
        case External():
            return value.name.removeprefix("builtins.")
        case ExternalObject():
            return value.key
        case Instance():
            return f"{value.cls.name}#{value.attrs.number}"
        case ClassValue():
            return value.name
        case EnumMember():
            return f"{value.cls.name}.{value.name}"
        case FunctionValue() | ModuleValue():
            return value.name
        case BoundMethod():
            return f"{show(value.receiver)}.{show(value.function)}"
        case BuiltinMethod():
            return f"{show(value.receiver)}.{value.name}"
        case Tensor():
            return f"tensor#{value.cell.number}"
        case ListValue() | SetValue():
            items = value.state.get("items")
            text = ", ".join(map(show, items)) if isinstance(items, tuple) and len(items) <= 8 else "…"
            return f"[{text}]" if isinstance(value, ListValue) else f"{{{text}}}"
        case DictValue():
            return f"dict#{value.state.number}"
        case Partial():
            return f"partial({show(value.function)})"
        case tuple():
            return f"({', '.join(map(show, value))})"
        case int() if not isinstance(value, bool):
            return str(int(value))
    return repr(value)
