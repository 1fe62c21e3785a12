"""What is known of a target's config: the layer count always, all else only from ``--target``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .configs import load_config
from .flows.flow import Flow
from .interpret.machine import Machine
from .results import Location
from .values import MISSING, Unknown, Value

LENGTH = "len()"
"""What the number of a value's entries is asked for by."""


def read_target(argument: str | None, flow: Flow) -> ConfigFacts:
    """The facts of the config that was named, held to the flow's names for the layer count; without one, no facts."""
    if argument is None:
        return ConfigFacts(flow, {})
    config = load_config(argument, flow.layer_counts, flow.text_configs)
    return ConfigFacts(flow, config.values, Location(config.path_printed, config.line_of("architectures")))


@dataclass(frozen=True, slots=True)
class ConfigFacts:
    """The values of a target's ``config.json``; empty where none was given."""

    flow: Flow
    values: Mapping[str, object]
    place: Location | None = None
    """Where the config says which class it is for."""

    def architectures(self) -> tuple[str, ...]:
        """The classes that the config is for."""
        named = self.values.get("architectures")
        return tuple(name for name in named if isinstance(name, str)) if isinstance(named, list) else ()

    def num_layers(self) -> int | None:
        """The layer count that the config names."""
        for holder in (self.values, *(self.values.get(name) for name in self.flow.text_configs)):
            if isinstance(holder, Mapping):
                for name in self.flow.layer_counts:
                    if isinstance(count := holder.get(name), int) and not isinstance(count, bool):
                        return count
        return None

    def hidden_size(self) -> int | None:
        """The width of a hidden state, where the config names it."""
        for holder in (self.values, *(self.values.get(name) for name in self.flow.text_configs)):
            if isinstance(holder, Mapping) and isinstance(size := holder.get("hidden_size"), int):
                return size
        return None

    def reader(self, machine: Machine, num_layers: int, *, plain: bool = False) -> Callable[[Unknown, str, str], Value]:
        """Answers ``config.name`` for the machine; MISSING where nothing is known. A ``plain`` config has no other one in it."""

        def read(value: Unknown, name: str, key: str) -> Value:
            path = self.path(value.key)
            if path is None:
                return MISSING
            *outer, last = path or ("",)
            if name == LENGTH:
                return num_layers if last in self.flow.layer_lists and self.of_text(outer) else MISSING
            if name in self.flow.layer_counts and self.of_text(path):
                return num_layers
            holder = self.find(path)
            if plain and name in self.flow.text_configs and name != "get_text_config":
                return None
            if holder is None or name not in holder:
                return machine.unknown(key, "the target's config", not_none=True) if name in self.flow.text_configs else MISSING
            return self.convert(machine, holder[name], key)

        return read

    def of_text(self, path: Sequence[str]) -> bool:
        """Whether the attributes lead to the language model's own config."""
        return all(part.rstrip("()") in self.flow.text_configs for part in path)

    def path(self, key: str) -> tuple[str, ...] | None:
        """The attributes that lead from the config to an unknown value; None if it is no part of the config."""
        found = max((way for way in self.flow.configs if f"{key}.".startswith(f"{way}.")), key=len, default=None)
        return None if found is None else tuple(key[len(found) + 1 :].split(".")) if key != found else ()

    def find(self, path: tuple[str, ...]) -> Mapping[str, object] | None:
        holder: object = self.values
        for part in path:
            if part == "get_text_config()":
                continue
            holder = holder.get(part) if isinstance(holder, Mapping) else None
        return holder if isinstance(holder, Mapping) else None

    def convert(self, machine: Machine, value: object, key: str) -> Value:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, list):
            return machine.new_list(tuple(self.convert(machine, item, f"{key}[{i}]") for i, item in enumerate(value)))
        if isinstance(value, Mapping):
            if key.endswith("_config"):
                return machine.unknown(key, "the target's config", not_none=True)
            return machine.new_dict({str(k): self.convert(machine, v, f"{key}.{k}") for k, v in value.items()})
        return MISSING
