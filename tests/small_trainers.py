"""Whole small trainers, each with what it trains on."""
from __future__ import annotations

from trained import HEAD

PROGRAMS = {
    "a whole batch by keyword": (
        HEAD
        + """
def f(path, tokenizer, prompt, ids=(1,3)):
    model = AutoModelForCausalLM.from_pretrained(path, torch_dtype=torch.bfloat16, device_map="auto").eval().cuda()
    inputs = tokenizer(prompt, return_tensors="pt").to(model.device)
    for p in model.parameters():
        p.requires_grad = False
    out = model(**inputs, output_hidden_states=True, use_cache=False)
    return torch.cat([out.hidden_states[k + 1] for k in ids], dim=-1)
""",
        "out:1, out:3",
    ),
    "a context of one's own": (
        HEAD
        + """
from functools import partial
def keep(k, store, module, args, output):
    store[k] = output[0]
class T:
    def __init__(self, path, ids):
        self.model = AutoModelForCausalLM.from_pretrained(path)
        self.ids = ids
        self.store = {}
    def __enter__(self):
        self.handles = [self.model.model.layers[k].register_forward_hook(partial(keep, k, self.store)) for k in self.ids]
        return self
    def __exit__(self, *a):
        for h in self.handles:
            h.remove()
def main(path, x):
    t = T(path, [2, 4])
    with torch.no_grad(), t:
        t.model(x)
    return torch.cat([t.store[k] for k in t.ids], -1)
""",
        "out:2, out:4",
    ),
    "a context that is a generator": (
        HEAD
        + """
from contextlib import contextmanager
@contextmanager
def capture(model, ids):
    states, handles = [], []
    for k in sorted(ids):
        handles.append(model.model.layers[k].register_forward_hook(lambda m, a, o: states.append(o[0] if isinstance(o, tuple) else o)))
    try:
        yield states
    finally:
        for h in handles:
            h.remove()
def main(path, x):
    model = AutoModelForCausalLM.from_pretrained(path)
    with capture(model, [4, 2]) as states:
        model(x)
    return torch.cat(states, dim=-1)
""",
        "out:2, out:4",
    ),
    "saved by one rank": (
        HEAD
        + """
import torch.distributed as dist
def main(path, xs, out):
    model = AutoModelForCausalLM.from_pretrained(path)
    model = torch.compile(model)
    for i, x in enumerate(xs):
        s = model(x, output_hidden_states=True).hidden_states
        if dist.get_rank() == 0:
            torch.save({"hs": torch.cat([s[k] for k in (1, 4)], dim=-1)}, out)
def read(p):
    return torch.load(p)["hs"]
""",
        "out:0, out:3",
    ),
    "layers by their paths": (
        HEAD
        + """
def main(path, x):
    model = AutoModelForCausalLM.from_pretrained(path)
    got = {}
    for k in (1, 4):
        def hook(m, a, o, k=k):
            got[k] = o
        model.get_submodule(f"model.layers.{k}").register_forward_hook(hook)
    model(x)
    return torch.cat([got[1], got[4]], dim=-1)
""",
        "out:1, out:4",
    ),
    "an environment variable that is not set": (
        HEAD
        + """
import os
def main(path, x):
    ids = [int(i) for i in os.environ.get("LAYER_IDS", "1,3").split(",")]
    model = AutoModelForCausalLM.from_pretrained(path)
    s = model(x, output_hidden_states=True).hidden_states
    return torch.cat([s[i + 1] for i in ids], dim=-1)
""",
        "out:1, out:3",
    ),
    "a trainer that runs the target itself": (
        HEAD
        + """
from torch import nn
class Draft(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.norm = nn.LayerNorm(n)
    def forward(self, x, e):
        return self.norm(self.fc(x))
class Target:
    def __init__(self, path):
        self.model = AutoModelForCausalLM.from_pretrained(path)
        self.ids = None
    def set_ids(self, ids=None):
        L = self.model.config.num_hidden_layers
        self.ids = [1, L // 2 - 1, L - 4] if ids is None else ids
    def __call__(self, batch):
        out = self.model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], output_hidden_states=True)
        return torch.cat([out.hidden_states[i + 1] for i in self.ids], dim=-1), out.logits
def train(target, draft, loader, opt):
    for epoch in range(3):
        for step, batch in enumerate(loader):
            feats, logits = target(batch)
            loss = torch.nn.functional.kl_div(draft(feats.detach(), batch["input_ids"]), logits)
            loss.backward()
            if step % 10 == 0:
                opt.step()
                opt.zero_grad()
        torch.save({"draft": draft.state_dict(), "epoch": epoch}, "x.pt")
def main(path, data):
    from torch.utils.data import DataLoader
    t = Target(path)
    t.set_ids()
    d = Draft(12)
    train(t, d, DataLoader(data), torch.optim.AdamW(d.parameters()))
""",
        "out:1, out:3, out:4",
    ),
    "parts that are counted before they are needed": (
        HEAD
        + """
from torch import nn
MADE = []
def count(k):
    MADE.append(k)
class Part(nn.Module):
    def __init__(self, k):
        super().__init__()
        count(k)
        self.k = k
def main(path, x):
    model = AutoModelForCausalLM.from_pretrained(path)
    parts = [Part(3), Part(1)]
    shift = len(MADE)
    states = model(x, output_hidden_states=True).hidden_states
    return torch.cat([states[part.k + shift] for part in parts], dim=-1)
""",
        "out:4, out:2",
    ),
}
