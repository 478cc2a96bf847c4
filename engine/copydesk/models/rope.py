"""Rotary position tables, with every scaling type whose frequencies do not depend on the length of the text.

Knows a transformers config. Does not know queries or keys.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from copydesk.errors import ModelError


def _parameters(config: Any) -> dict[str, Any]:
    return dict(getattr(config, "rope_parameters", None) or {})


def rope_limit(config: Any) -> int:
    """Positions up to which a position's rotation does not depend on the text's length.

    Dynamic NTK and longrope change their frequencies once the text passes the pretraining length, which would
    invalidate every cached key; the context ends there.
    """
    limit = int(config.max_position_embeddings)
    parameters = _parameters(config)
    if parameters.get("rope_type") in ("dynamic", "longrope"):
        limit = min(limit, int(parameters.get("original_max_position_embeddings") or limit))
    return limit


def rope_frequencies(config: Any) -> tuple[torch.Tensor, float]:
    """Inverse frequencies fp32 [rotary_dim / 2] and the factor on cosine and sine."""
    parameters = _parameters(config)
    kind = parameters.get("rope_type", "default")
    if kind != "default":
        from transformers.modeling_rope_utils import (
            ROPE_INIT_FUNCTIONS,  # half a second, and most models need none
        )

        if kind not in ROPE_INIT_FUNCTIONS:
            raise ModelError(f"unknown rope type {kind!r}")
        try:
            frequencies, factor = ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"))
        except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError, RuntimeError) as error:
            raise ModelError(f"the parameters of rope type {kind!r} cannot be used: {error}") from error
        if not torch.isfinite(frequencies).all() or not math.isfinite(factor):
            raise ModelError(f"the parameters of rope type {kind!r} give no finite frequencies")
        return frequencies.float(), float(factor)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    theta = parameters.get("rope_theta") or getattr(config, "rope_theta", 10000.0)
    return 1.0 / (theta ** (torch.arange(0, head, 2, dtype=torch.float) / head)), 1.0


class RopeTable:
    """cos and sin of all positions seen so far, [1, head_dim] each; the table doubles as positions grow.

    The sine's first half is negated: `x * cos + roll(x, head_dim / 2) * sin` is then the rotation, as rolling
    by half the head is rotate_half but for that sign.
    """

    def __init__(self, config: Any, device: torch.device, dtype: torch.dtype) -> None:
        self._frequencies, self._factor = rope_frequencies(config)
        self._device, self._dtype = device, dtype
        self._limit = int(config.max_position_embeddings)
        self.cos = self.sin = torch.empty(0)
        self.reserve(min(1024, self._limit))

    def reserve(self, positions: int) -> None:
        """Make the table cover positions [0, positions)."""
        if positions <= self.cos.shape[0]:
            return
        size = min(max(positions, 2 * self.cos.shape[0]), max(positions, self._limit))
        with torch.inference_mode():
            angle = torch.arange(size, dtype=torch.float32)[:, None] * self._frequencies
            angle = torch.cat((angle, angle), dim=-1)[:, None]
            sign = torch.ones(angle.shape[-1])
            sign[: angle.shape[-1] // 2] = -1.0
            self.cos = (angle.cos() * self._factor).to(self._device, self._dtype)
            self.sin = (angle.sin() * self._factor * sign).to(self._device, self._dtype)

    def at(self, positions: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """(cos, sin), each [n, 1, head_dim]."""
        n = len(positions)
        first, last = positions[0], positions[-1]
        self.reserve((last if n == 1 else max(positions)) + 1)
        # Distinct and ascending is not required, so the span alone does not prove a run.
        if n == 1 or (last - first == n - 1 and all(p == first + i for i, p in enumerate(positions))):
            return self.cos[first : first + n], self.sin[first : first + n]
        index = torch.tensor(positions, device=self._device)
        return self.cos.index_select(0, index), self.sin.index_select(0, index)
