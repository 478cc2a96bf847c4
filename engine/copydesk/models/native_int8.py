"""The Llama family in 8-bit integers by native kernels (`int8_kernels.py`): a whole forward is one call.

As `int8_llama.py`, a token's result is bit for bit the same however tokens are split into forwards. Keys and values are kept as
16-bit integers, with a scale for each head of each slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
import torch.nn.functional as F

from copydesk.errors import ModelError
from copydesk.models.checkpoint import Fetch
from copydesk.models.feed import RowPlan
from copydesk.models.int8_kernels import CLayer, CLinear, CModel, CView, Kernels, at
from copydesk.models.int8_linear import WIDEST
from copydesk.models.kv import Buffer, PooledStore
from copydesk.models.llama import LlamaModel
from copydesk.models.rope import RopeTable
from copydesk.models.weights import Layer, Shape, WeightReader, Weights

MOST_KEYS = 1 << 16
"""Keys that a token sees at most: 32 bits hold the sum of their probabilities."""


class NativeInt8Model(LlamaModel):
    """A model of the Llama family on the CPU, all of it in native int8. The embedding stays as it is stored."""

    def __init__(
        self, config: Any, fetch: Fetch, *, name: str, stored: torch.dtype, kernels: Kernels
    ) -> None:
        """stored: the dtype the weights are read in. Raises ModelError, also for layers too wide to be added up in 32 bits."""
        shape = Shape.of(config)
        if max(int(config.hidden_size), int(config.intermediate_size), shape.heads * shape.head_dim) > WIDEST:
            raise ModelError(f"{name} is too wide for int8")
        self._kernels = kernels
        self._kept: list[torch.Tensor | None] = []
        super().__init__(config, fetch, name=name, device=torch.device("cpu"), dtype=stored)
        self.dtype = torch.int8
        self.max_positions = min(self.max_positions, MOST_KEYS)
        self.rope = RopeTable(config, self.device, torch.float32)

    @property
    def kv_dtype(self) -> torch.dtype:
        return torch.int16

    @property
    def kv_bytes_per_slot(self) -> int:
        return self.shape.layers * 2 * self.shape.kv_heads * (self.shape.head_dim * 2 + 4)

    def _make_buffer(self, capacity: int) -> Buffer:
        shape = self.shape
        # A head's slots lie in a row.
        heads = (shape.layers, 2 * shape.kv_heads, capacity)
        numbers = torch.empty(*heads, shape.head_dim, dtype=torch.int16)
        return numbers.transpose(1, 2), torch.empty(heads).transpose(1, 2)

    @torch.inference_mode()
    def _read(self, config: Any, fetch: Fetch) -> Weights:
        """The embedding and the last norm, where they are kept; a layer is quantised before the next is read."""
        reader = WeightReader(config, fetch, self.device, self.dtype)
        shape = self.shape
        layers = (CLayer * shape.layers)(*(self._layer(reader.layer(i)) for i in range(shape.layers)))
        embedding, norm = reader.embedding(), reader.norm().float()
        head = self._packed(embedding if reader.tied else reader.head())
        self._model = CModel(
            layers, shape.layers, int(config.hidden_size), int(config.intermediate_size),
            shape.heads, shape.kv_heads, shape.head_dim, at(norm), head, shape.eps,
        )  # fmt: skip
        return Weights(embedding, (), norm, embedding)

    def _layer(self, layer: Layer) -> CLayer:
        head_norm = None if layer.head_norm is None else self._own(layer.head_norm)
        return CLayer(
            at(self._own(layer.input_norm)),
            self._packed(layer.qkv, layer.qkv_bias),
            at(head_norm),
            self._packed(layer.out, layer.out_bias),
            at(self._own(layer.mlp_norm)),
            self._packed(layer.gate_up, layer.gate_up_bias),
            self._packed(layer.down, layer.down_bias),
        )

    def _packed(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> CLinear:
        packed = self._kernels.pack(weight, bias)
        self._kept += packed[1:]
        return packed.structure

    def _own(self, tensor: torch.Tensor) -> torch.Tensor:
        """float32 that stays where it is as long as the model."""
        kept = tensor.float().contiguous()
        self._kept.append(kept)
        return kept

    def _answers(
        self, plans: list[RowPlan], tokens: Sequence[int], positions: Sequence[int], outputs: list[int]
    ) -> torch.Tensor:
        x = F.embedding(torch.tensor(tokens), self.weights.embedding).float()
        views: list[_View] = []
        for row_plan in plans:
            views.append(_View(row_plan, views[-1].end if views else 0))
        return self._kernels.forward(
            self._model, [view.structure for view in views], x, self.rope.at(positions), outputs
        )


class _View:
    """One planned row for the kernels. `end` is behind its last token among all."""

    __slots__ = ("_kept", "end", "structure")

    def __init__(self, row_plan: RowPlan, first: int) -> None:
        n = len(row_plan.slots)
        self.end = first + n
        numbers, scales = cast(PooledStore, row_plan.row.store).buffer
        slots = np.asarray(row_plan.slots, dtype=np.int32)
        mask = None if row_plan.mask is None else np.ascontiguousarray(row_plan.mask)
        self._kept = numbers, scales, slots, mask
        self.structure = CView(
            at(numbers.transpose(1, 2)),
            at(scales.transpose(1, 2)),
            numbers.shape[1],
            first,
            n,
            row_plan.keys,
            slots.ctypes.data,
            None if mask is None else mask.ctypes.data,
        )
