"""The setter, the worker and the draft."""
from __future__ import annotations

from .example import Example

SET = "self.model.set_eagle3_layers_to_capture"

SETTING = {
    "as it is": Example("hand over", f"{SET}(self.ids)", ("self.ids", "self.server_args.ids")),
    "by keyword": Example("hand over", f"{SET}(layer_ids=self.ids)", ("self.ids", "None")),
    "where the model has a setter": Example("hand over",
        f"if hasattr(self.model, 'set_eagle3_layers_to_capture'):\n    {SET}(self.ids)", ("(self.ids)", "([1])")),
    "by a bound method": Example("hand over", f"setter = {SET}\nsetter(self.ids)", ("(self.ids)", "([1])")),
    "by the setter's name": Example("hand over", "getattr(self.model, 'set_eagle3_layers_to_capture')(self.ids)", ("(self.ids)", "([1])")),
    "in a function": Example("hand over", "hand(self.model, self.ids)", ("self.ids)", "[1])"),
        "def hand(model, ids):\n    model.set_eagle3_layers_to_capture(ids)"),
    "in another method": Example("hand over", "self.pass_on(self.ids)", ("self.ids)", "[1])"),
        f"    def pass_on(self, ids):\n        {SET}(ids)"),
    "by another object": Example("hand over", "Passer(self.model).pass_on(self.ids)", ("self.ids)", "[1])"),
        f"class Passer:\n    def __init__(self, model):\n        self.model = model\n\n    def pass_on(self, ids):\n        {SET}(ids)"),
    "with the runner in hand": Example("hand over", "Passer().pass_on(self)", ("pass_on(self)", "pass_on(None)"),
        "class Passer:\n    def pass_on(self, runner: ModelRunner):\n        runner.model.set_eagle3_layers_to_capture(runner.ids)"),
    "last": Example("hand over", f"{SET}([1])\n{SET}(self.ids)", ("(self.ids)", f"(self.ids)\n{SET}([1])")),
    "by one branch": Example("hand over", f"if self.flag:\n    {SET}(self.ids)\nelse:\n    {SET}([1])", ("(self.ids)", "([2])")),
    "to the target alone": Example("hand over", f"{SET}(self.ids)", ("self.model.", "self.other_model.")),
    "as a list of the setter's": Example("shift", "self.model.layers_to_capture = list(layer_ids)", ("layer_ids", "[1]")),
    "into a set": Example("shift", "self.model.layers_to_capture = {k for k in layer_ids}", ("in layer_ids", "in [1]")),
    "where there are any": Example("shift", """
        if layer_ids is None:
            self.model.layers_to_capture = [2, 4]
        else:
            self.model.layers_to_capture = [k + 1 for k in layer_ids]
    """, ("is None", "is not None")),
    "on the inner model": Example("shift", "self.model.layers_to_capture = layer_ids", ("self.model.layers", "self.layers")),
    "not reset behind": Example("shift", "self.model.layers_to_capture = layer_ids", ("= layer_ids",
        "= layer_ids\nself.model.layers_to_capture = []")),
    "by a setter of the inner model": Example("shift", "set_inner(self.model, layer_ids)", ("(self.model, layer_ids)", "(self.model, [1])"),
        "def set_inner(model, ids):\n    model.layers_to_capture = ids"),
    "one by one": Example("shift", "for k in layer_ids:\n    self.model.layers_to_capture.append(k)", ("append(k)", "append(0)")),
    "checked first": Example("shift", """
        for k in layer_ids:
            if k >= 8:
                raise ValueError(k)
        self.model.layers_to_capture = layer_ids
    """, ("= layer_ids", "= [1]")),
}  # fmt: skip

WORKER = {
    "as the prefill's argument": Example("prefill", "self.forward_draft_extend(batch, output.hidden_states)",
        ("output.hidden_states", "None")),
    "by keyword": Example("prefill", "self.forward_draft_extend(batch, hidden_states=output.hidden_states)",
        ("output.hidden_states", "output.next_token_logits")),
    "on the batch": Example("draft input", "batch.spec_info = DraftInput(hidden_states=hidden_states)",
        ("=hidden_states)", "=None)")),
    "by position": Example("draft input", "batch.spec_info = DraftInput(hidden_states, None)",
        ("(hidden_states, None)", "(None, hidden_states)")),
    "written to the field": Example("draft input", "batch.spec_info = DraftInput()\nbatch.spec_info.hidden_states = hidden_states",
        ("spec_info.hidden_states =", "spec_info.verified_id =")),
    "not overwritten": Example("draft input", "batch.spec_info = DraftInput(hidden_states)\nbatch.other = None",
        ("batch.other", "batch.spec_info.hidden_states")),
    "on this batch": Example("draft input", "other = ScheduleBatch(batch.input_ids, None)\nbatch.spec_info = DraftInput(hidden_states)",
        ("batch.spec_info", "other.spec_info")),
    "copied into the draft's buffer": Example("draft input",
        "buffer = hidden_states.new_empty(8)\nbuffer[:4] = hidden_states\nbatch.spec_info = DraftInput(buffer)",
        ("= hidden_states\n", "= 0\n")),
    "on the forward batch": Example("run the draft", """
        made = ForwardBatch.init_new(batch)
        made.spec_info = batch.spec_info
        self.draft_runner.forward(made)
    """, ("made.spec_info = batch.spec_info", "made.spec_info = None")),
    "the draft's model is run": Example("run the draft", "self.draft_runner.model.forward(None, None, ForwardBatch.init_new(batch))",
        ("self.draft_runner", "self.target_worker.model_runner")),
    "what was captured is kept on the worker": Example("draft input",
        "self.kept = hidden_states\nbatch.spec_info = DraftInput(self.kept)", ("self.kept)", "self.other)")),
    "filtered on the batch": Example("run the draft", """
        batch.spec_info.hidden_states = batch.spec_info.hidden_states[batch.kept]
        self.draft_runner.forward(ForwardBatch.init_new(batch))
    """, ("= batch.spec_info.hidden_states", "= batch.spec_info.verified_id")),
    "by a method of the input": Example("draft input", "made = DraftInput()\nput(made, hidden_states)\nbatch.spec_info = made",
        ("put(made", "put(DraftInput()"), "def put(made, states):\n    made.hidden_states = states"),
    "in one call": Example("draft input", """
        self.draft_runner.forward(ForwardBatch(batch.input_ids, batch.positions, DraftInput(hidden_states)))
        batch.spec_info = None
    """, ("DraftInput(hidden_states)", "DraftInput(None, hidden_states)"), more={"run the draft": "pass"}),
    "a batch that is replaced": Example("run the draft", """
        from dataclasses import replace
        made = ForwardBatch(batch.input_ids, batch.positions)
        self.draft_runner.forward(replace(made, spec_info=batch.spec_info))
    """, ("=batch.spec_info", "=None")),
    "a batch that is copied": Example("run the draft", """
        import copy
        made = copy.copy(batch)
        self.draft_runner.forward(ForwardBatch.init_new(made))
    """, ("(made)", "(ScheduleBatch(None, None))")),
    "a worker of the draft's own": Example("run the draft", "DraftWorker(self.draft_runner).draft_extend(batch)",
        ("draft_extend(batch)", "draft_extend(ScheduleBatch(None, None))"),
        "class DraftWorker:\n    def __init__(self, draft_runner: ModelRunner):\n        self.draft_runner = draft_runner\n\n"
        "    def draft_extend(self, batch):\n        self.draft_runner.forward(ForwardBatch.init_new(batch))"),
    "by a plain function": Example("run the draft", "run(self.draft_runner, batch)", ("(self.draft_runner,", "(None,"),
        "def run(runner, batch):\n    return runner.forward(ForwardBatch.init_new(batch))"),
}  # fmt: skip

DRAFT = {
    "from its input": Example("look up", "hidden_states = forward_batch.spec_info.hidden_states",
        ("spec_info.hidden_states", "spec_info.verified_id")),
    "by another name": Example("look up", "info = forward_batch.spec_info\nhidden_states = info.hidden_states",
        ("info.hidden_states", "info.verified_id")),
    "normed first": Example("project", "hidden_states = self.fc(self.norm(hidden_states))", ("(hidden_states)", "(embeds)")),
    "where the width differs": Example("project", """
        if hidden_states.shape[-1] != embeds.shape[-1]:
            hidden_states = self.fc(hidden_states)
    """, ("self.fc(", "self.norm(")),
    "not with the embedding": Example("project", "hidden_states = self.fc(hidden_states)",
        ("self.fc(hidden_states)", "self.fc(torch.cat([embeds, hidden_states], dim=-1))")),
    "more rows": Example("project", "hidden_states = self.fc(torch.cat([hidden_states, embeds], dim=0))", ("dim=0", "dim=-1")),
    "not another projection": Example("project", "hidden_states = self.fc(hidden_states)", ("self.fc", "self.other_fc")),
    "not another module's": Example("project", "hidden_states = self.fc(hidden_states)", ("self.fc", "torch.nn.functional.fc")),
    "a pair that it returns": Example("project", "hidden_states, _ = self.fc(hidden_states)", ("self.fc", "self.norm")),
    "in a conditional expression": Example("project", "hidden_states = self.fc(hidden_states) if self.wide else hidden_states",
        ("self.fc", "self.norm")),
    "by its forward": Example("project", "hidden_states = self.fc.forward(hidden_states)", ("self.fc", "self.norm")),
    "in a variable": Example("project", "project = self.fc\nhidden_states = project(hidden_states)", ("self.fc", "self.norm")),
    "by its weight": Example("project", "hidden_states = torch.nn.functional.linear(hidden_states, self.fc.weight)",
        ("self.fc", "self.norm")),
    "by keyword": Example("project", "hidden_states = self.fc(input=hidden_states)", ("input=hidden_states", "input=embeds")),
    "in a method": Example("project", "hidden_states = self.project(hidden_states)", ("project(hidden_states)", "project(embeds)")),
}  # fmt: skip
