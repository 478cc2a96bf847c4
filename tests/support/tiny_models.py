"""Tiny random models built from configs, for tests that need tensors but no training."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from transformers import (
    GemmaConfig,
    GPTNeoXConfig,
    LlamaConfig,
    MistralConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen3Config,
)
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from copydesk.models.generic import GenericModel
from copydesk.models.llama import LlamaModel
from mock_model import MockModel

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 4096,
}


def llama(vocab_size: int = 300, **changes: Any) -> LlamaConfig:
    return LlamaConfig(
        **{**SIZES, "num_key_value_heads": 4, "attention_bias": True, "vocab_size": vocab_size, **changes}
    )


def mistral(vocab_size: int = 300, **changes: Any) -> MistralConfig:
    sizes = {**SIZES, "num_key_value_heads": 2, "head_dim": 16, "sliding_window": None}
    return MistralConfig(**{**sizes, "vocab_size": vocab_size, **changes})


def qwen2(vocab_size: int = 300, **changes: Any) -> Qwen2Config:
    sizes = {**SIZES, "num_key_value_heads": 2, "tie_word_embeddings": True}
    return Qwen2Config(**{**sizes, "vocab_size": vocab_size, **changes})


def qwen3(vocab_size: int = 300, **changes: Any) -> Qwen3Config:
    sizes = {**SIZES, "num_key_value_heads": 2, "head_dim": 16}
    return Qwen3Config(**{**sizes, "vocab_size": vocab_size, **changes})


def neox(vocab_size: int = 300, **changes: Any) -> GPTNeoXConfig:
    return GPTNeoXConfig(**{**SIZES, "rotary_pct": 0.5, "vocab_size": vocab_size, **changes})


def gemma(vocab_size: int = 300, **changes: Any) -> GemmaConfig:
    sizes = {**SIZES, "num_key_value_heads": 1, "head_dim": 16, "hidden_activation": "gelu_pytorch_tanh"}
    return GemmaConfig(**{**sizes, "vocab_size": vocab_size, **changes})


FAMILY: dict[str, Callable[..., Any]] = {"llama": llama, "mistral": mistral, "qwen2": qwen2, "qwen3": qwen3}
OTHERS: dict[str, Callable[..., Any]] = {"neox": neox, "gemma": gemma}


def build(config: Any, seed: int = 0, dtype: torch.dtype = torch.float32) -> PreTrainedModel:
    """A random transformers model; norms and biases are random too, so that a forgotten one shows."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 1:
                centre = 0.0 if "bias" in name else 1.0
                parameter.copy_(centre + 0.2 * torch.randn_like(parameter))
            else:
                parameter.copy_(0.15 * torch.randn_like(parameter))
    result: PreTrainedModel = model.to(dtype).eval()
    return result


def hand_written(model: PreTrainedModel, dtype: torch.dtype = torch.float32) -> LlamaModel:
    """The hand-written forward over the weights of a transformers model."""
    tensors = model.state_dict()
    return LlamaModel(model.config, tensors.get, name="tiny", device=torch.device("cpu"), dtype=dtype)


def generic(model: PreTrainedModel) -> GenericModel:
    """transformers' own forward over the project's rows."""
    return GenericModel(model, name="tiny")


@cache
def transformers_model(name: str) -> PreTrainedModel:
    """The random model of one architecture, built once."""
    return build({**FAMILY, **OTHERS}[name]())


@cache
def served(name: str) -> LlamaModel | GenericModel | MockModel:
    """A model that keeps the forward contract: `mock`, or `hand-`, `static-` or `generic-` and an architecture."""
    if name == "mock":
        return MockModel(300, context=0)
    kind, architecture = name.split("-")
    model = transformers_model(architecture)
    if kind == "generic":
        return generic(model)
    result = hand_written(model)
    if kind == "static":
        result.run_static(capture=False, slots=1 << 17)
    return result


SERVED = [
    "mock",
    *(f"hand-{name}" for name in FAMILY),
    "static-qwen2",
    "static-qwen3",
    "static-llama",
    "generic-neox",
    "generic-gemma",
    "generic-qwen3",
]
