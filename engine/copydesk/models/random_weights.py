"""Models of a real architecture with random weights: for demonstrations and benchmarks, where only the shape matters.

What such a model says is noise; how long it takes to say it is not.
"""

from __future__ import annotations

from typing import Any

import torch

from copydesk.models.llama import LlamaModel


def random_model(
    config: Any,
    *,
    name: str = "random",
    seed: int = 0,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> LlamaModel:
    """A model of the Llama family from a transformers configuration. Needs no memory beyond its own weights."""
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        shapes = {
            key: value.shape for key, value in AutoModelForCausalLM.from_config(config).state_dict().items()
        }
    target = torch.device(device)
    generator = torch.Generator(target).manual_seed(seed)

    def fetch(key: str) -> torch.Tensor | None:
        shape = shapes.get(key)
        if shape is None or (key == "lm_head.weight" and config.tie_word_embeddings):
            return None
        if len(shape) == 1 and key.endswith("norm.weight"):
            return torch.ones(shape, device=target, dtype=dtype)
        return torch.randn(shape, generator=generator, device=target, dtype=dtype).mul_(0.02)

    return LlamaModel(config, fetch, name=name, device=target, dtype=dtype)
