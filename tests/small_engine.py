"""A small engine, written for tests: all that the ids and the captured states pass on their way from the config to the draft's ``fc``.

A line that ends in ``# at: NAME`` is a place that a test can ask about, and that it can put other code in.
"""
from __future__ import annotations

KEY = "eagle_aux_hidden_state_layer_ids"

RUNNER = f'''\
from transformers import AutoConfig

from sglang.srt.models.registry import get_model


class ModelRunner:
    def __init__(self, server_args, is_draft=False):
        self.server_args = server_args
        self.is_draft = is_draft
        self.ids = None
        self.initialize()

    def initialize(self):
        self.model = get_model(self.server_args)
        if not self.is_draft:
            config = AutoConfig.from_pretrained(self.server_args.speculative_draft_model_path)
            ids = getattr(config, "{KEY}", None)  # at: read
            self.ids = ids  # at: keep
            self.hand_over()

    def hand_over(self):
        self.model.set_eagle3_layers_to_capture(self.ids)  # at: hand over

    def forward(self, forward_batch):
        return self.model.forward(forward_batch.input_ids, forward_batch.positions, forward_batch)  # at: run the model
'''

TARGET = '''\
import torch
from torch import nn

from sglang.srt.layers.logits_processor import LogitsProcessor


class TulipLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.mlp = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states):
        return hidden_states + self.mlp(hidden_states)


class TulipModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([TulipLayer(config) for _ in range(config.num_hidden_layers)])
        self.layers_to_capture = []
        self.others = []

    def forward(self, input_ids, positions, forward_batch):
        hidden_states = self.embed_tokens(input_ids)
        captured = []
        for i in range(len(self.layers)):
            if i in self.layers_to_capture:  # at: test
                captured.append(hidden_states)  # at: capture
            hidden_states = self.layers[i](hidden_states)
        return hidden_states, captured  # at: give back

    def wants(self, i):
        return i in self.layers_to_capture

    def hates(self, i):
        return i in self.others


class TulipForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = TulipModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size)
        self.logits_processor = LogitsProcessor(config)

    def forward(self, input_ids: torch.Tensor, positions: torch.Tensor, forward_batch):
        hidden_states, captured = self.model(input_ids, positions, forward_batch)  # at: take apart
        return self.logits_processor(input_ids, hidden_states, self.lm_head, captured)  # at: process

    def set_eagle3_layers_to_capture(self, layer_ids):
        self.model.layers_to_capture = [k + 1 for k in layer_ids]  # at: shift


EntryClass = TulipForCausalLM
'''

LOGITS = '''\
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class LogitsProcessorOutput:
    next_token_logits: torch.Tensor
    hidden_states: torch.Tensor = None


class LogitsProcessor(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def forward(self, input_ids, hidden_states, lm_head, aux_hidden_states=None):
        states = torch.cat(aux_hidden_states, dim=-1)  # at: concatenate
        logits = torch.matmul(hidden_states, lm_head.weight.T)
        return LogitsProcessorOutput(next_token_logits=logits, hidden_states=states)  # at: output
'''

BATCH = '''\
from dataclasses import dataclass

import torch


@dataclass
class DraftInput:
    hidden_states: torch.Tensor = None
    verified_id: torch.Tensor = None


class ScheduleBatch:
    def __init__(self, input_ids, positions):
        self.input_ids = input_ids
        self.positions = positions
        self.spec_info = None


@dataclass
class ForwardBatch:
    input_ids: torch.Tensor
    positions: torch.Tensor
    spec_info: DraftInput = None

    @classmethod
    def init_new(cls, batch):
        return cls(input_ids=batch.input_ids, positions=batch.positions, spec_info=batch.spec_info)  # at: forward batch
'''

WORKER = '''\
from sglang.srt.batch import DraftInput, ForwardBatch, ScheduleBatch
from sglang.srt.model_runner import ModelRunner


class TargetWorker:
    def __init__(self, server_args):
        self.model_runner = ModelRunner(server_args)

    def forward_batch_generation(self, batch: ScheduleBatch):
        return self.model_runner.forward(ForwardBatch.init_new(batch))


class EagleWorker:
    def __init__(self, server_args, target_worker: TargetWorker):
        self.target_worker = target_worker
        self.draft_runner = ModelRunner(server_args, is_draft=True)

    def forward_batch_generation(self, batch: ScheduleBatch):
        if batch.is_extend:
            output = self.forward_target_extend(batch)
            self.forward_draft_extend(batch, output.hidden_states)  # at: prefill
        else:
            output = self.verify(batch)
            self.forward_draft_extend_after_decode(batch)
        return output

    def forward_target_extend(self, batch: ScheduleBatch):
        return self.target_worker.forward_batch_generation(batch)

    def forward_draft_extend(self, batch: ScheduleBatch, hidden_states):
        batch.spec_info = DraftInput(hidden_states=hidden_states, verified_id=batch.input_ids)  # at: draft input
        self.draft_runner.forward(ForwardBatch.init_new(batch))  # at: run the draft

    def verify(self, batch: ScheduleBatch):
        output = self.target_worker.forward_batch_generation(batch)
        batch.spec_info = DraftInput(hidden_states=output.hidden_states[batch.accepted], verified_id=None)  # at: verified
        return output

    def forward_draft_extend_after_decode(self, batch: ScheduleBatch):
        self.draft_runner.forward(ForwardBatch.init_new(batch))  # at: run the draft after decode
'''

DRAFT = '''\
import torch
from torch import nn


class TulipDraftModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.norm = nn.RMSNorm(config.hidden_size)
        self.fc = nn.Linear(config.hidden_size * 3, config.hidden_size)  # at: width

    def forward(self, input_ids, positions, forward_batch):
        embeds = self.embed_tokens(input_ids)
        hidden_states = forward_batch.spec_info.hidden_states  # at: look up
        hidden_states = self.fc(hidden_states)  # at: project
        return embeds + hidden_states

    def project(self, states):
        return self.fc(states)


class TulipForCausalLMEagle3(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = TulipDraftModel(config)

    def forward(self, input_ids: torch.Tensor, positions: torch.Tensor, forward_batch):
        return self.model(input_ids, positions, forward_batch)


EntryClass = TulipForCausalLMEagle3
'''

REGISTRY = '''\
from torch import nn


def get_model(server_args) -> nn.Module: ...
'''

ENGINE = {
    "sglang/__init__.py": "",
    "sglang/srt/model_runner.py": RUNNER,
    "sglang/srt/models/registry.py": REGISTRY,
    "sglang/srt/models/tulip.py": TARGET,
    "sglang/srt/models/tulip_eagle3.py": DRAFT,
    "sglang/srt/layers/logits_processor.py": LOGITS,
    "sglang/srt/batch.py": BATCH,
    "sglang/srt/worker.py": WORKER,
}
