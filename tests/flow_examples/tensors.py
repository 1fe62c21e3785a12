"""How states are captured, and what is done to captured ones."""
from __future__ import annotations

from .example import Example


def back(code: str, cut: tuple[str, str], also: str = "") -> Example:
    return Example("give back", code, cut, also)


TENSORS = {
    "as they are": back("return hidden_states, captured", (", captured", ", []")),
    "the first": back("return hidden_states, [captured[0]]", ("[captured[0]]", "[hidden_states]")),
    "in a tuple": back("return hidden_states, tuple(captured)", ("tuple(captured)", "tuple([hidden_states])")),
    "in a dict": back("""
        table = {'states': captured, 'others': []}
        return hidden_states, table['states']
    """, ("table['states']", "table['others']")),
    "concatenated": back("return hidden_states, [torch.cat(captured, dim=-1)]", ("(captured", "([hidden_states]")),
    "stacked": back("return hidden_states, [torch.stack(captured)]", ("(captured", "([hidden_states]")),
    "some rows": back("return hidden_states, [torch.cat(captured)[positions]]", ("(captured)", "([hidden_states])")),
    "on another device": back("return hidden_states, [c.to(positions.device) for c in captured]", ("[c.to(positions.device)",
        "[positions.to(c.device)")),
    "not the shape": back("return hidden_states, [captured[0].clone()]", (".clone()", ".shape")),
    "not the length": back("return hidden_states, [torch.stack(captured)]", ("torch.stack", "len")),
    "not one of its form": back("return hidden_states, [torch.clone(captured[0])]", ("torch.clone", "torch.zeros_like")),
    "not one of its size": back("return hidden_states, [captured[0].contiguous()]", ("contiguous()", "new_zeros(8)")),
    "not its type": back("return hidden_states, [captured[0].float()]", ("captured[0].float()", "hidden_states.to(captured[0].dtype)")),
    "added to another": back("return hidden_states, [captured[0] + hidden_states]", ("captured[0] + hidden_states",
        "hidden_states + hidden_states")),
    "written into a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer[:2] = captured[0]
        return hidden_states, [buffer]
    """, ("= captured[0]", "= hidden_states")),
    "copied into a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer.copy_(captured[0])
        return hidden_states, [buffer]
    """, ("copy_(captured[0])", "copy_(hidden_states)")),
    "copied into a part of a buffer": back("""
        buffer = torch.empty_like(hidden_states)
        buffer[:2].copy_(captured[0])
        return hidden_states, [buffer]
    """, ("copy_(captured[0])", "copy_(hidden_states)")),
    "written to an output": back("""
        buffer = torch.empty_like(hidden_states)
        torch.cat(captured, out=buffer)
        return hidden_states, [buffer]
    """, ("torch.cat(captured,", "torch.cat([hidden_states],")),
    "taken apart again": back("""
        first, second = torch.cat(captured).chunk(2)
        return hidden_states, [first]
    """, ("(captured)", "([hidden_states])")),
    "chained": back("return hidden_states, [torch.cat(captured).view(-1, 8).float().contiguous()]", ("(captured)", "([hidden_states])")),
    "through a module": back("return hidden_states, [self.layers[0](torch.cat(captured))]", ("(captured)", "([hidden_states])")),
    "through a module of torch": back("return hidden_states, [torch.nn.functional.silu(torch.cat(captured))]",
        ("(captured)", "([hidden_states])")),
    "where a mask chooses": back("return hidden_states, [torch.where(positions > 0, captured[0], hidden_states)]",
        ("captured[0], hidden", "hidden_states, hidden")),
}  # fmt: skip

CAPTURES = {
    "appended": Example("capture", "captured.append(hidden_states)", ("captured.append", "self.others.append")),
    "a copy": Example("capture", "captured.append(hidden_states.clone())", ("captured.append", "self.others.append")),
    "a sum": Example("capture", "captured.append(hidden_states + hidden_states)", ("captured.append", "self.others.append")),
    "added in place": Example("capture", "captured += [hidden_states]", ("captured +=", "other =")),
    "another list": Example("capture", "captured = captured + [hidden_states]", ("captured = captured", "other = captured")),
    "extended": Example("capture", "captured.extend([hidden_states])", ("captured.extend", "self.others.extend")),
    "inserted": Example("capture", "captured.insert(0, hidden_states)", ("captured.insert", "self.others.insert")),
    "a function appends": Example("capture", "take(captured, hidden_states)", ("take(captured", "take([]"),
        "def take(box, state):\n    box.append(state)"),
    "a bound method appends": Example("capture", "add = captured.append\nadd(hidden_states)", ("captured.append", "[].append")),
    "a dict": Example("capture", "table = {}\ntable[i] = hidden_states\ncaptured = list(table.values())",
        ("captured =", "other =")),
    "in a flat tensor": Example("capture", "captured.append(hidden_states.flatten(1)[:, 0])", ("captured.append", "self.others.append")),
    "in a table": Example("capture", "self.kept[i] = hidden_states", ("self.kept[i]", "self.others[i]"),
        more={"give back": "return hidden_states, list(self.kept.values())"}),
    "in a buffer": Example("capture", "self.buffer[i].copy_(hidden_states)", ("self.buffer[i]", "self.others[i]"),
        more={"give back": "return hidden_states, [self.buffer]"}),
    "in a slice of a buffer": Example("capture", "self.buffer[:, i] = hidden_states", ("self.buffer[:, i]", "self.others[:, i]"),
        more={"give back": "return hidden_states, [self.buffer]"}),
    "in a variable of its own": Example("capture", "first = hidden_states", ("first =", "other ="),
        more={"give back": "return hidden_states, [first]"}),
    "what the layer makes": Example("capture", "captured.append(self.layers[i](hidden_states))", ("captured.append", "self.others.append")),
    "on the model": Example("capture", "self.kept = hidden_states\ncaptured.append(self.kept)", ("append(self.kept)", "append(None)")),
}  # fmt: skip

PROCESSOR = {
    "the first two": Example("concatenate", "states = torch.cat([aux_hidden_states[0], aux_hidden_states[1]], dim=-1)",
        ("[aux_hidden_states[0], aux_hidden_states[1]]", "[hidden_states]")),
    "each made contiguous": Example("concatenate", "states = torch.cat(tuple(a.contiguous() for a in aux_hidden_states), -1)",
        ("in aux_hidden_states", "in [hidden_states]")),
    "stacked": Example("concatenate", "states = torch.stack(list(aux_hidden_states)).flatten(0, 1)",
        ("aux_hidden_states", "[hidden_states]")),
    "one after another": Example("concatenate", """
        states = aux_hidden_states[0]
        for each in aux_hidden_states[1:]:
            states = torch.cat([states, each], dim=-1)
    """, ("aux_hidden_states", "[hidden_states]")),
    "where there are any": Example("concatenate", """
        states = hidden_states
        if aux_hidden_states is not None:
            states = torch.cat(aux_hidden_states, dim=-1)
    """, ("is not None", "is None")),
    "where they are not empty": Example("concatenate", """
        states = hidden_states
        if len(aux_hidden_states) > 0:
            states = torch.cat(aux_hidden_states, dim=-1)
    """, ("cat(aux_hidden_states", "cat([hidden_states]")),
    "in a method": Example("concatenate", "states = join(aux_hidden_states)", ("join(aux_", "join([hidden_states], aux_"),
        "def join(states, others=None):\n    return torch.cat(states, dim=-1)"),
    "where they are asked for": Example("output",
        "return LogitsProcessorOutput(next_token_logits=logits, hidden_states=states if self.wanted else None)",
        ("states if", "logits if")),
    "by position": Example("output", "return LogitsProcessorOutput(logits, states)", ("logits, states", "states, logits")),
    "as numbers": Example("output", "return LogitsProcessorOutput(logits, states.cpu().tolist())", ("states.cpu", "logits.cpu")),
    "through numpy": Example("output", "return LogitsProcessorOutput(logits, torch.from_numpy(states.detach().numpy()))",
        ("states.detach", "logits.detach")),
    "written to the field": Example("output", """
        output = LogitsProcessorOutput(logits)
        output.hidden_states = states
        return output
    """, ("output.hidden_states", "output.other")),
}  # fmt: skip
