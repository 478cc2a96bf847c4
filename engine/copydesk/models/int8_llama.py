"""The forward of the Llama family in 8-bit integers, for CPUs: half the memory of bf16, and bit for bit the same however tokens
are split into forwards.

What is added up over many numbers is added exactly (`int8_linear.py`, `exact_attention.py`), or within one token by the same code
for all (norms); everything else is done number by number, by operators that IEEE 754 rounds in one way. Between the layers states
are float32; keys and values are kept in bf16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from copydesk.errors import ModelError
from copydesk.models.checkpoint import Fetch
from copydesk.models.exact_attention import VALUE_BITS, ExactViews, head_bits, value_step
from copydesk.models.exact_sums import RelativeRounding, StepRounding, constant
from copydesk.models.feed import RowPlan
from copydesk.models.int8_linear import WIDEST, Int8Linear
from copydesk.models.llama import LlamaModel
from copydesk.models.rope import RopeTable
from copydesk.models.weights import Layer, Shape, WeightReader, Weights

_ONE = constant(1.0)


class Int8Layer(NamedTuple):
    """One decoder layer, as `weights.Layer`. most_value: what its values are bounded by before they are rounded."""

    input_norm: torch.Tensor
    qkv: Int8Linear
    head_norm: torch.Tensor | None
    most_value: float
    rounded_values: StepRounding
    out: Int8Linear
    mlp_norm: torch.Tensor
    gate_up: Int8Linear
    down: Int8Linear

    @classmethod
    def of(cls, layer: Layer, shape: Shape) -> Int8Layer:
        queries = shape.heads * shape.head_dim
        first = queries + shape.kv_heads * shape.head_dim
        bias = layer.qkv_bias[first:] if layer.qkv_bias is not None else None
        step = value_step(layer.qkv[first:], layer.input_norm, bias)
        # Queries come out scaled for attention: of the norm where they have one, else of the layer itself.
        scale = torch.ones(layer.qkv.shape[0])
        head_norm = None
        if layer.head_norm is None:
            scale[:queries] = shape.head_dim**-0.5
        else:
            head_norm = layer.head_norm.float().clone()
            head_norm[: shape.heads] *= shape.head_dim**-0.5
        return cls(
            layer.input_norm.float(),
            Int8Linear(
                layer.qkv.float() * scale[:, None],
                None if layer.qkv_bias is None else layer.qkv_bias.float() * scale,
                bound=normed_bound(layer.input_norm),
            ),
            head_norm,
            step * 2.0**VALUE_BITS,
            StepRounding(step),
            # What attention mixes has no outliers worth the rotation.
            Int8Linear(layer.out, layer.out_bias, rotated=False),
            layer.mlp_norm.float(),
            Int8Linear(layer.gate_up, layer.gate_up_bias, bound=normed_bound(layer.mlp_norm)),
            Int8Linear(layer.down, layer.down_bias),
        )


def normed_bound(norm: torch.Tensor) -> float:
    """What no number passes that comes out of a norm of these weights [E]."""
    return float(norm.float().abs().max()) * math.sqrt(norm.shape[0])


class Int8LlamaModel(LlamaModel):
    """A model of the Llama family on the CPU, its linear layers in int8. The embedding stays as it is stored."""

    def __init__(self, config: Any, fetch: Fetch, *, name: str, stored: torch.dtype) -> None:
        """stored: the dtype the weights are read in. Raises ModelError, also for layers too wide to be added up in 32 bits."""
        if max(int(config.hidden_size), int(config.intermediate_size)) > WIDEST:
            raise ModelError(f"{name} is too wide for int8")
        super().__init__(config, fetch, name=name, device=torch.device("cpu"), dtype=stored)
        self.dtype = torch.int8
        self.rope = RopeTable(config, self.device, torch.float32)
        self._rounded_heads = RelativeRounding(head_bits(self.shape.head_dim))

    @property
    def kv_dtype(self) -> torch.dtype:
        return torch.bfloat16

    @torch.inference_mode()
    def _read(self, config: Any, fetch: Fetch) -> Weights:
        """The embedding and the last norm, where they are kept; a layer is quantised before the next is read."""
        reader = WeightReader(config, fetch, self.device, self.dtype)
        self._layers = tuple(Int8Layer.of(reader.layer(i), self.shape) for i in range(self.shape.layers))
        embedding, norm = reader.embedding(), reader.norm()
        self._head = Int8Linear(embedding if reader.tied else reader.head(), bound=normed_bound(norm))
        return Weights(embedding, (), norm.float(), embedding)

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return self._head(hidden)

    def _hidden(
        self, plans: list[RowPlan], tokens: Sequence[int], positions: Sequence[int], outputs: list[int]
    ) -> torch.Tensor | None:
        shape = self.shape
        heads, kv_heads, width, eps = shape.heads, shape.kv_heads, shape.head_dim, shape.eps
        rotated = heads + kv_heads
        n, half = len(tokens), width // 2
        cos, sin = self.rope.at(positions)
        x = F.embedding(torch.tensor(tokens), self.weights.embedding).float()
        size = (x.shape[-1],)
        views: list[ExactViews] = []
        for row_plan in plans:
            views.append(ExactViews(row_plan, views[-1].end if views else 0, shape))
        last = len(self._layers) - 1
        for index, layer in enumerate(self._layers):
            states = layer.qkv(F.rms_norm(x, size, layer.input_norm, eps)).view(n, rotated + kv_heads, width)
            qk = states[:, :rotated]
            if layer.head_norm is not None:
                qk = F.rms_norm(qk, (width,), None, eps) * layer.head_norm
            # Two operators and not `addcmul`, which rounds once or twice depending on where in the tensor a number lies.
            qk = (qk * cos).add_(torch.roll(qk, half, -1).mul_(sin))
            self._rounded_heads(qk, out=states[:, :rotated])
            values = states[:, rotated:]
            layer.rounded_values(values.clamp(-layer.most_value, layer.most_value), out=values)
            for view in views:
                view.write(index, states[view.first : view.end, heads:])
            if index == last and not outputs:
                return None
            parts = [view.attend(index, states[view.first : view.end, :heads]) for view in views]
            attended = torch.cat(parts) if len(parts) > 1 else parts[0]
            if index == last and outputs != list(range(n)):
                chosen = torch.tensor(outputs)
                attended, x = attended.index_select(0, chosen), x.index_select(0, chosen)
            x = x + layer.out(attended)
            gate, up = layer.gate_up(F.rms_norm(x, size, layer.mlp_norm, eps)).chunk(2, -1)
            # `silu` computes the last few numbers of a tensor by another exponential than the rest.
            x = x + layer.down(gate / gate.neg().exp_().add_(_ONE) * up)
        return F.rms_norm(x, size, self.weights.norm, eps)
