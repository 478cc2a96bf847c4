"""The hand-written forward of the Llama family (Llama, Mistral, Qwen2, Qwen3).

The tokens of all feeds run through the linear layers as one flat batch; attention runs per row over its
preallocated buffer. Knows weights, plans and buffers. Does not know files, tokenizers, or when a row should
be warmed or dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

from copydesk.models.arena import Arena
from copydesk.models.checkpoint import Fetch
from copydesk.models.cuda_graphs import StaticRunner
from copydesk.models.feed import Feed, RowPlan, plan
from copydesk.models.kv import Buffer, Pool, PooledStore, retry_out_of_memory, suggested_budget
from copydesk.models.linear import linear
from copydesk.models.masks import CausalStrip
from copydesk.models.rope import RopeTable
from copydesk.models.row import Row, bucket
from copydesk.models.views import RowViews
from copydesk.models.weights import Shape, Weights, fuse


class LlamaModel:
    """A model of the Llama family. Weights are read through `fetch`, see `weights.fuse`."""

    def __init__(
        self, config: Any, fetch: Fetch, *, name: str, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.name = name
        self.device = device
        self.dtype = dtype
        self.shape = Shape.of(config)
        self.vocab_size = int(config.vocab_size)
        self.max_positions = self.shape.max_positions
        self.weights = self._read(config, fetch)
        self.rope = RopeTable(config, device, dtype)
        self._strip = CausalStrip(device, dtype)
        self.pool = Pool(self._make_buffer, self.kv_bytes_per_slot)
        self._static: StaticRunner | None = None

    def _read(self, config: Any, fetch: Fetch) -> Weights:
        return fuse(config, fetch, self.device, self.dtype)

    @property
    def kv_dtype(self) -> torch.dtype:
        """What keys and values are kept in."""
        return self.dtype

    @property
    def kv_bytes_per_slot(self) -> int:
        """Bytes of keys and values per slot, all layers together."""
        shape = self.shape
        return shape.layers * 2 * shape.kv_heads * shape.head_dim * self.kv_dtype.itemsize

    def new_row(self, capacity: int) -> Row:
        """An empty row of at least `capacity` slots. Raises CacheError or OutOfMemoryError, see
        `Pool.take`."""
        capacity = bucket(capacity)
        return Row(PooledStore(self.pool, capacity), capacity, self.max_positions)

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        """See `Model.forward`. When memory runs out: relieves the pool, tries once more, then
        OutOfMemoryError."""
        return retry_out_of_memory(lambda: self._forward(feeds), self._relieve)

    def run_static(self, *, capture: bool, slots: int | None = None) -> StaticRunner:
        """From now on keep rows in one arena and run shapes that fit through static steps.

        capture: as CUDA graphs; False runs the same step eagerly, on any device. slots: the arena's size; by
                 default what the pool's budget holds, or half the free device memory where it has none. Call
                 it before the first row.
        """
        shape = self.shape

        def size() -> int:
            budget = self.pool.budget if self.pool.budget is not None else suggested_budget(self.device)
            return slots if slots is not None else max(1, budget // self.kv_bytes_per_slot)

        arena = Arena(
            shape.layers, 2 * shape.kv_heads, shape.head_dim, dtype=self.dtype, device=self.device, size=size
        )
        self.pool = Pool(arena.allocate, self.kv_bytes_per_slot, arena.release)
        self._static = StaticRunner(self.weights.plain(), shape, self.rope, arena, capture=capture)
        return self._static

    def _relieve(self) -> None:
        self.pool.relieve()
        if self._static is not None:
            self._static.forget()

    def _make_buffer(self, capacity: int) -> Buffer:
        shape = self.shape
        # [layers, slots, keys then values, head_dim] to everybody; in memory a head's slots lie in a row, for attention reads one
        # head's after the other (measured: half the time at 2,500 slots).
        kept = torch.empty(
            shape.layers,
            2 * shape.kv_heads,
            capacity,
            shape.head_dim,
            dtype=self.kv_dtype,
            device=self.device,
        )
        return (kept.transpose(1, 2),)

    @torch.inference_mode()
    def _forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        plans = plan(feeds)
        ordered = feeds if len(plans) == len(feeds) else [feed for p in plans for feed in p.feeds]
        outputs: list[int] = []
        offset = 0
        for feed in ordered:
            if feed.outputs:
                outputs.extend([offset + i for i in feed.outputs])
            offset += len(feed.tokens)
        if len(ordered) == 1:
            tokens, positions = feeds[0].tokens, feeds[0].positions
        else:
            tokens = [t for feed in ordered for t in feed.tokens]
            positions = [p for feed in ordered for p in feed.positions]
        logits = self._answers(plans, tokens, positions, outputs) if tokens else None
        if logits is None:
            logits = torch.empty(0, self.vocab_size, device=self.device)
        for row_plan in plans:
            row_plan.commit()
        if len(feeds) == 1:
            return [logits]
        parts = dict(
            zip(map(id, ordered), logits.split([len(feed.outputs) for feed in ordered]), strict=True)
        )
        return [parts[id(feed)] for feed in feeds]

    def _answers(
        self, plans: list[RowPlan], tokens: Sequence[int], positions: Sequence[int], outputs: list[int]
    ) -> torch.Tensor | None:
        """float32 logits [len(outputs), V] of flat tokens; None when none are asked for."""
        hidden = self._states(plans, tokens, positions, outputs)
        return None if hidden is None else self._logits(hidden)

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """float32 [n, V] of final states [n, E]."""
        return linear(hidden, self.weights.head).float()

    def _states(
        self, plans: list[RowPlan], tokens: Sequence[int], positions: Sequence[int], outputs: list[int]
    ) -> torch.Tensor | None:
        """`_hidden`, through the static step where that has a shape for it."""
        if self._static is not None and all(p.slots for p in plans):
            hidden = self._static.run(plans, tokens, positions, outputs)
            if hidden is not None:
                return hidden
        return self._hidden(plans, tokens, positions, outputs)

    def _hidden(
        self, plans: list[RowPlan], tokens: Sequence[int], positions: Sequence[int], outputs: list[int]
    ) -> torch.Tensor | None:
        """Final normalised states [len(outputs), E] of flat tokens [N]; None when none are asked for."""
        shape, weights = self.shape, self.weights
        heads, kv_heads, width, eps = shape.heads, shape.kv_heads, shape.head_dim, shape.eps
        rotated = heads + kv_heads
        n = len(tokens)
        half = width // 2
        cos, sin = self.rope.at(positions)
        x = F.embedding(torch.tensor(tokens, device=self.device), weights.embedding)
        size = (x.shape[-1],)
        views: list[RowViews] = []
        for row_plan in plans:
            first = views[-1].end if views else 0
            views.append(RowViews(row_plan, first, shape, self._strip, self.device, self.dtype))
        single = views[0] if len(views) == 1 else None
        last = shape.layers - 1
        for index, layer in enumerate(weights.layers):
            (
                input_norm, qkv, qkv_bias, head_norm, out, out_bias, mlp_norm, gate_up, gate_up_bias, down,
                down_bias,
            ) = layer  # fmt: skip
            states = linear(F.rms_norm(x, size, input_norm, eps), qkv, qkv_bias).view(
                n, rotated + kv_heads, width
            )
            qk = states[:, :rotated]
            if head_norm is not None:
                qk = F.rms_norm(qk, (width,), None, eps) * head_norm
            torch.addcmul(qk * cos, torch.roll(qk, half, -1), sin, out=states[:, :rotated])
            queries, written = states[:, :heads], states[:, heads:]
            if single is not None:
                single.write(index, written)
            else:
                for view in views:
                    view.write(index, written[view.first : view.end])
            if index == last and not outputs:
                return None
            if single is not None:
                attended = single.attend(index, queries)
            else:
                attended = torch.cat([view.attend(index, queries[view.first : view.end]) for view in views])
            if index == last and outputs != list(range(n)):
                chosen = torch.tensor(outputs, device=self.device)
                attended, x = attended.index_select(0, chosen), x.index_select(0, chosen)
            x = x + linear(attended, out, out_bias)
            gate, up = linear(F.rms_norm(x, size, mlp_norm, eps), gate_up, gate_up_bias).chunk(2, -1)
            x = x + linear(F.silu(gate) * up, down, down_bias)
        return F.rms_norm(x, size, weights.norm, eps)
