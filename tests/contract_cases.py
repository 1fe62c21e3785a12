"""The trainers of ``test_trainings``: name, source, and what is told of it."""
from __future__ import annotations

from contract_trainers import (
    BOUNDARY,
    CAT,
    EARLIER,
    EXPORT,
    FIVE,
    FORMULA,
    JOINED,
    LAYERS,
    LISTED,
    NAMED,
    OPTIONS,
    STACKED,
    Case,
    handed,
    hooks,
    one,
    recorded,
    states,
    walk,
)

OWN = "f = torch.cat([hs[2], hs[4]], dim=-1)"
EACH = "for k in ids:\n    self.layers[k].register_forward_hook({})"
NUMBERED = "for j, layer in enumerate(self.layers):\n    layer.layer_number = j + 1\n    layer.register_forward_hook(self.hook)"
MEMBERS = "for j, layer in enumerate(self.layers):\n    if j in ids:\n        layer.register_forward_hook(self.hook)"
ENDS = """
for k in ids:
    if k == -1:
        self.model.model.embed_tokens.register_forward_hook(self.named_hook(k))
    elif k == len(self.layers) - 1:
        self.norm.register_forward_hook(self.named_hook(k))
    else:
        self.layers[k].register_forward_hook(self.named_hook(k))""".strip()
KEEP = "self.kept.append(output[0])"
BEFORE = "if i in ids:\n    kept.append(h)\nh = block(h)[0]"
AFTER = "h = block(h)[0]\nif i in ids:\n    kept.append(h)"
NONE: tuple[None] = (None,)
SLOTS = "f = torch.cat([d['states'][2], d['states'][0], d['states'][1]], dim=-1)"
RECORD = "torch.cat([hs[k] for k in ids[:-1]], dim=-1)"
HELPER = """
def keep(kept, k, h, ids):
    if k in ids:
        kept.append(h)


def eagle3_features(model, x, ids):
    h, kept = model.model.embed_tokens(x), []
    keep(kept, 0, h, ids)
    for i, block in enumerate(model.model.layers):
        h = block(h)[0]
        keep(kept, i + 1, h, ids)
    return torch.cat(kept, dim=-1)


def main(path, x, ids):
    return nn.Linear(12, 4)(eagle3_features(AutoModelForCausalLM.from_pretrained(path), x, ids))
"""
TWO = """
def eagle3_features(model, x, ids, shift):
    hs = model(x, output_hidden_states=True).hidden_states
    return torch.cat([hs[k + shift] for k in ids], dim=-1)


def train(path, x, ids):
    return nn.Linear(12, 4)(eagle3_features(AutoModelForCausalLM.from_pretrained(path), x, ids, 1))


def train_otherwise(path, x, ids):
    return nn.Linear(12, 4)(eagle3_features(AutoModelForCausalLM.from_pretrained(path), x, ids, 0))
"""
UNCALLED = """
class Eagle3Target:
    def load(self, path):
        self.model = AutoModelForCausalLM.from_pretrained(path)

    def features(self, x, ids):
        hs = self.model(x, output_hidden_states=True).hidden_states
        return nn.Linear(12, 4)(torch.cat([hs[k] for k in ids], dim=-1))
"""
GROWING = """
class Eagle3Target:
    def __init__(self, path, ids):
        self.model, self.ids = AutoModelForCausalLM.from_pretrained(path), list(ids)

    def features(self, x):
        self.ids.append(self.model.config.num_hidden_layers)
        hs = self.model(x, output_hidden_states=True).hidden_states
        return torch.cat([hs[k] for k in self.ids[:-1]], dim=-1)


def main(path, loader, ids):
    target, fc = Eagle3Target(path, ids), nn.Linear(12, 4)
    for x in loader:
        fc(target.features(x))
"""
SPLIT = "ids do not bind to a text that is split"

WORKING = {
    "P1 a shift by a variable": states(
        "offset = 1\nf = " + CAT.format("hs[k + offset]"), FIVE, "-1,7 -> embed, final", "from parameter ids", ids=((5, 1, 3), (-1, 7))
    ),
    "P1 the site and the order": states(LISTED, "eagle3 eagle3_features train.py:13 in the order of ids", FIVE),
    "P1 a default that is a formula": states(FORMULA, FIVE, "default -> out:1, out:3, out:4", given="ids=None", ids=((5, 1, 3), None)),
    "P1 the formula is said of the source": states(FORMULA, "from parameter ids, else out:1, out:3, out:4", given="ids=None"),
    "P1 negative indices wrap": states(BOUNDARY, "-1,0,8 -> final, embed, final", ids=((-1, 0, 8),)),
    "P1 a call that has no such state": states(BOUNDARY, "9 -> raises IndexError", ids=((9,),)),
    "P2 ids of its own": states(OWN, "5,1,3 -> ?ids [5, 1, 3] bind to nothing", "default -> out:1, out:3", ids=((5, 1, 3), None)),
    "P3 hooks by id": hooks(EACH.format("self.named_hook(k)"), "pass", NAMED, FIVE, "3,7 -> out:3, out:7", ids=((5, 1, 3), (3, 7))),
    "P3 hooks run in the order of the layers": hooks(EACH.format("self.hook"), KEEP, JOINED, LAYERS),
    "P3b hooks by membership": hooks(MEMBERS, KEEP, JOINED, LAYERS, "-1,3 -> out:3", ids=((5, 1, 3), (-1, 3))),
    "P3b site and order": hooks(MEMBERS, KEEP, JOINED, "eagle3 Eagle3Capture.__init__ train.py:16 in the order of layers"),
    "P3c a number that begins at 1": hooks(NUMBERED, "if module.layer_number - 1 in self.ids:\n            " + KEEP, JOINED, LAYERS),
    "P4 before the layer": walk(BEFORE, "5,1,3 -> out:0, out:2, out:4", "0,3 -> embed, out:2", ids=((5, 1, 3), (0, 3))),
    "the order of calls on an object": one(UNCALLED, "5,1,3 -> out:4, out:0, out:2", "assuming lifecycle"),
    "P5 after the layer": walk(AFTER, LAYERS, "eagle3 eagle3_features train.py:15 in the order of layers"),
    "P6 no engine was given": handed(
        "f = h", "5,1,3 -> ?the ids are handed to set_eagle3_layers_to_capture: what is captured is for the source of sglang 0.5.9",
        "by sglang 0.5.9 set_eagle3_layers_to_capture", read=False,
    ),
    "P6 with the engine": handed("f = h", LAYERS, "eagle3 Eagle3Target.choose train.py:14"),
    "P9 the last of a list": states(
        "every = [hs[k] for k in [*ids, L]]\nf, last = torch.cat(every[:-1], dim=-1), every[-1]", f"{EARLIER} (and final)"
    ),
    "P9 the last of a stack": states(STACKED.format("[hs[k] for k in [*ids, L]]").replace(").permute", ")[:-1].permute"), EARLIER),
    "P9 the last of a recorded list": recorded("[hs[k] for k in ids]", "f = torch.cat(d['states'][:-1], dim=-1)", f"{EARLIER} (and final)"),
    "P10 hooks on all layers": hooks(
        "for layer in self.layers:\n    layer.register_forward_hook(self.hook)", KEEP, CAT.format("self.kept[k]"), FIVE
    ),
    "P11 by position": walk(BEFORE, "5,2,4 -> out:1, out:3, out:4", take="torch.cat([kept[0], kept[1], kept[2]], -1)", ids=((5, 2, 4),)),
    "P11 recorded, by position": recorded("[hs[k] for k in ids]", SLOTS, "5,1,3 -> out:2, out:4, out:0"),
    "P12 sorted": states("ids = sorted(set(ids))\n" + LISTED, LAYERS, "3,1,3 -> out:1, out:3", ids=((5, 1, 3), (3, 1, 3))),
    "P12 a dict by id": states("d = {k: hs[k] for k in ids}\nf = torch.cat([d[k] for k in ids], dim=-1)", EARLIER),
    "P12 the other way round": states("f = " + CAT.format("hs[k]").replace("in ids", "in reversed(ids)"), "5,1,3 -> out:2, out:0, out:4"),
    "P13 the ends by name": hooks(ENDS, "pass", NAMED, FIVE, "-1,7 -> embed, final", ids=((5, 1, 3), (-1, 7))),
    "P14 a shift that the values decide": states(
        "if max(ids) < L:\n    ids = [k + 1 for k in ids]\n" + BOUNDARY, FIVE, "3,8 -> out:2, final", ids=((5, 1, 3), (3, 8))
    ),
    "P15 mapped where they are written": one(EXPORT, EARLIER, "writes eagle_aux_hidden_state_layer_ids: [k - 1 for k in ids]"),
    "interleaved features": states("f = torch.stack([hs[k] for k in ids], dim=-1).flatten(-2)", "?"),
    "the default of an option that is a text": one(
        OPTIONS.format("default='5,3'", "[int(k) for k in args.eagle3_ids.split(',')]"), "default -> out:5, out:3", ids=NONE
    ),
}
BROKEN = {
    "the default of a parameter": states(LISTED, "default -> out:2, out:4", given="ids=(2, 4)", ids=NONE),
    "the default of a parameter, not an empty list": states(
        "f = torch.cat([hs[k] for k in [*ids, L]], dim=-1)", "default -> out:1, final", given="ids=(2,)", ids=NONE
    ),
    "the default of an option": one(
        OPTIONS.format("type=int, nargs='+', default=[2, 4]", "args.eagle3_ids"), "default -> out:2, out:4", ids=NONE
    ),
    "an option is of the command line": one(
        OPTIONS.format("type=int, nargs='+'", "args.eagle3_ids"), "from command line"
    ),
    "an option that is a text": one(
        OPTIONS.format("default='5,3'", "[int(k) for k in args.eagle3_ids.split(',')]"), FIVE
    ),
    "an environment variable": states(
        "ids = [int(k) for k in os.environ['IDS'].split(',')]\n" + LISTED, FIVE, given="n=1", wrong=SPLIT
    ),
    "a default that asks the draft for its depth": states(
        "n = AutoConfig.from_pretrained('draft').num_hidden_layers\nids = [2, n - 3] if ids is None else ids\n" + LISTED,
        "default -> ?", given="ids=None", ids=NONE,
    ),
    "picked by a tensor": states(
        STACKED.format("hs").replace(").permute", ")[torch.tensor([4, 2])].permute"), "?", ids=NONE
    ),
    "picked by a list": states(
        STACKED.format("[hs[k] for k in ids]").replace(").permute", ")[[2, 0, 1]].permute"), "5,1,3 -> out:2, out:4, out:0"
    ),
    "a reader that swaps": recorded(
        RECORD, "a, b, c = d['states'].chunk(3, dim=-1)\nf = torch.cat([c, b, a], dim=-1)", "?"
    ),
    "a reader that adds a state": recorded(RECORD, "f = torch.cat([d['states'], d['last']], -1)", f"{EARLIER}, final"),
    "a reader that scales": recorded(RECORD, "f = d['states'] * 0.5", "?"),
    "an engine's states in another order": handed(
        "a, b, c = h.chunk(3, dim=-1)\nf = torch.cat([c, a, b], dim=-1)", "5,1,3 -> ?the trainer may take apart"
    ),
    "an engine that is handed other ids after it ran": handed(
        "self.runner.model.set_eagle3_layers_to_capture([0, 1, 2])\nf = h", "?an engine is handed ids more than once, and not the same"
    ),
    "an engine's states, some of them": handed("f = h[..., : h.shape[-1] // 3]", "5,1,3 -> ?"),
    "the order of reversed layers": states(
        "f = " + CAT.format("hs[k]").replace("in ids", "in sorted(ids, reverse=True)"),
        "eagle3 eagle3_features train.py:13 in the order of None",
    ),
    "P5b kept by a helper": one(
        HELPER, "5,0,3 -> embed, out:2, out:4", ids=((5, 0, 3),)
    ),
    "P4 a list that grows by +=": walk(
        BEFORE.replace("kept.append(h)", "kept += [h]"), "5,1,3 -> out:0, out:2, out:4"
    ),
    "P9 the last of a recorded stack": recorded(
        "torch.stack([hs[k] for k in ids], dim=1)", "f = d['states'][:, :-1].permute(0, 2, 1, 3).flatten(2)", EARLIER,
    ),
    "P3 hooks by self_attn.layer_idx": hooks(
        "for layer in self.layers:\n    layer.register_forward_hook(self.hook)",
        "if module.self_attn.layer_idx in self.ids:\n            " + KEEP, JOINED, LAYERS,
    ),
    "the norm taken off": states(
        "model.model.norm = nn.Identity()\nhs = model(x, output_hidden_states=True).hidden_states\n" + BOUNDARY,
        "3,8 -> out:2, out:7",
        ids=((3, 8),),
    ),
    "P14 the class of the target by its name": states(
        "c = 0 if 'Llama' in type(model).__name__ else 1\nf = " + CAT.format("hs[k + c]"), "?"
    ),
    "P14 a model in eval mode": states(
        "model.eval()\nc = 1 if model.training else 0\nf = " + CAT.format("hs[k + c]"), "?"
    ),
    "two callers that differ": one(TWO, "5,1,3 -> ?"),
    "ids that grow with each batch": one(GROWING, "?more than one concatenation"),
}
CASES: dict[str, Case] = WORKING | BROKEN
