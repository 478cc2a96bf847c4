"""Any other decoder-only transformers model: its own forward over the project's rows.

Rows are forwarded one at a time with explicit positions and an additive four-dimensional mask, over a
transformers cache whose layers write into the row's buffer and hand out views of it. Refuses, by name, models
whose state cannot be rolled back slot by slot, and models that do not compute through such a cache what they
compute without one.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from copydesk.errors import ModelError
from copydesk.models.feed import Feed, RowPlan, plan
from copydesk.models.kv import Buffer, Pool, PooledStore, retry_out_of_memory
from copydesk.models.masks import CausalStrip, additive
from copydesk.models.rope import rope_limit
from copydesk.models.row import Row, bucket
from copydesk.models.weights import attention_window

ROLLABLE = frozenset({"full_attention", "sliding_attention", "chunked_attention", "attention"})
"""Layer types whose whole state is one key and one value per token."""


class LayerShape(NamedTuple):
    """What one layer stores per token: heads and widths of keys and values."""

    key_heads: int
    key_width: int
    value_heads: int
    value_width: int


class BufferLayer(CacheLayerMixin):
    """One layer's part of the row under the current forward. `aim` before each forward."""

    is_sliding = False
    is_compileable = False

    def __init__(self) -> None:
        super().__init__()
        self.is_initialized = True
        self._key_buffer = self._value_buffer = torch.empty(0)
        self._past = self._reach = 0
        self._start = 0
        self._slots: torch.Tensor | None = None

    def aim(
        self, keys: torch.Tensor, values: torch.Tensor, row_plan: RowPlan, slots: torch.Tensor | None
    ) -> None:
        """Write the next states at the plan's slots of `keys` and `values`, both [1, capacity, heads,
        width]."""
        self._key_buffer, self._value_buffer = keys, values
        self._past, self._reach = row_plan.keys - len(row_plan.slots), row_plan.keys
        self._start, self._slots = row_plan.start, slots

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Nothing to do: the buffers exist."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Store [1, heads, n, width] states; returns views [1, heads, reach, width] of all of them."""
        result = []
        for buffer, states in ((self._key_buffer, key_states), (self._value_buffer, value_states)):
            new = states.transpose(1, 2)
            if self._slots is None:
                buffer[:, self._start : self._start + new.shape[1]] = new
            else:
                buffer.index_copy_(1, self._slots, new)
            result.append(buffer[:, : self._reach].transpose(1, 2))
        return result[0], result[1]

    def get_seq_length(self) -> int:
        return self._past

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._past + query_length, 0

    def get_max_length(self) -> int:
        return -1

    def get_max_cache_shape(self) -> int:
        return -1


class RecordingLayer(BufferLayer):
    """Learns what its layer stores, from one forward without a past."""

    def __init__(self) -> None:
        super().__init__()
        self.shape: LayerShape | None = None

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        self.shape = LayerShape(
            key_states.shape[1], key_states.shape[3], value_states.shape[1], value_states.shape[3]
        )
        return key_states, value_states

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return query_length, 0


class GenericModel:
    """A transformers causal model in evaluation mode. Raises ModelError for one that cannot be served."""

    def __init__(self, model: Any, *, name: str) -> None:
        self.name = name
        self._model = model
        self.device: torch.device = model.device
        self.dtype: torch.dtype = model.dtype
        config = model.config.get_text_config(decoder=True)
        refuse_unrollable(model, config)
        parameters = inspect.signature(model.forward).parameters
        if "position_ids" not in parameters or "past_key_values" not in parameters:
            raise ModelError(
                f"{config.model_type} takes no explicit positions, so its tokens cannot be packed"
            )
        self._narrows = "logits_to_keep" in parameters
        head = model.get_output_embeddings()
        self.vocab_size = int(config.vocab_size if head is None else head.weight.shape[0])
        self.max_positions = min(_positions(config), attention_window(config))
        self._strip = CausalStrip(self.device, self.dtype)
        self._shapes = self._probe(int(config.num_hidden_layers))
        self._cache = Cache(layers=[BufferLayer() for _ in self._shapes])
        self.pool = Pool(self._make_buffer, self.kv_bytes_per_slot)
        self._check_against_itself()

    @property
    def kv_bytes_per_slot(self) -> int:
        """Bytes of keys and values per slot, all layers together."""
        return self.dtype.itemsize * sum(
            s.key_heads * s.key_width + s.value_heads * s.value_width for s in self._shapes if s is not None
        )

    def new_row(self, capacity: int) -> Row:
        """An empty row of at least `capacity` slots. Raises CacheError or OutOfMemoryError, see
        `Pool.take`."""
        capacity = bucket(capacity)
        return Row(PooledStore(self.pool, capacity), capacity, self.max_positions)

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        """See `Model.forward`; one pass per row. When memory runs out: relieves the pool and tries once
        more."""
        return retry_out_of_memory(lambda: self._forward(feeds), self.pool.relieve)

    @torch.inference_mode()
    def _forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        plans = plan(feeds)
        logits: dict[int, torch.Tensor] = {}
        for row_plan in plans:
            outputs: list[int] = []
            offset = 0
            for feed in row_plan.feeds:
                outputs.extend(offset + i for i in feed.outputs)
                offset += len(feed.tokens)
            parts = self._run(row_plan, outputs).split([len(feed.outputs) for feed in row_plan.feeds])
            logits.update(zip(map(id, row_plan.feeds), parts, strict=True))
        for row_plan in plans:
            row_plan.commit()
        return [logits[id(feed)] for feed in feeds]

    def _run(self, row_plan: RowPlan, outputs: list[int]) -> torch.Tensor:
        """fp32 logits [len(outputs), V] of one row's tokens."""
        n = len(row_plan.slots)
        if not n:
            return torch.empty(0, self.vocab_size, device=self.device)
        buffer = cast(PooledStore, row_plan.row.store).buffer
        slots = None if row_plan.start >= 0 else torch.tensor(row_plan.slots, device=self.device)
        place = 0
        for layer, shape in zip(self._cache.layers, self._shapes, strict=True):
            if shape is not None:
                layer.aim(buffer[place], buffer[place + 1], row_plan, slots)
                place += 2
        if row_plan.mask is not None:
            mask = additive(row_plan.mask, self.device, self.dtype)
        else:
            mask = self._strip.mask(n, row_plan.keys)
        tokens = [t for feed in row_plan.feeds for t in feed.tokens]
        positions = [p for feed in row_plan.feeds for p in feed.positions]
        wanted = torch.tensor(outputs or [n - 1], device=self.device)
        narrow: dict[str, Any] = {"logits_to_keep": wanted} if self._narrows else {}
        result = self._model(
            input_ids=torch.tensor([tokens], device=self.device),
            position_ids=torch.tensor([positions], device=self.device),
            attention_mask=mask[None, None],
            past_key_values=self._cache,
            use_cache=True,
            **narrow,
        )
        logits: torch.Tensor = result.logits[0]
        if not self._narrows:
            logits = logits.index_select(0, wanted)
        return logits[: len(outputs)].float()

    def _make_buffer(self, capacity: int) -> Buffer:
        tensors = []
        for shape in self._shapes:
            if shape is not None:
                for size in ((shape.key_heads, shape.key_width), (shape.value_heads, shape.value_width)):
                    tensors.append(torch.empty(1, capacity, *size, dtype=self.dtype, device=self.device))
        return tuple(tensors)

    @torch.inference_mode()
    def _probe(self, layers: int) -> list[LayerShape | None]:
        """What each layer stores; None for one that shares another's states."""
        cache = Cache(layers=[RecordingLayer() for _ in range(layers)])
        one = torch.zeros(1, 1, dtype=torch.long, device=self.device)
        try:
            self._model(input_ids=one, position_ids=one, past_key_values=cache, use_cache=True)
        except Exception as error:
            raise ModelError(
                f"{self.name} does not run over a cache of plain keys and values: {error}"
            ) from error
        shapes = [layer.shape for layer in cache.layers]
        if not any(shapes):
            raise ModelError(f"{self.name} keeps its state outside the cache, so it cannot be rolled back")
        return shapes

    @torch.inference_mode()
    def _check_against_itself(self) -> None:
        """Hold four tokens in two pieces against the model's own forward without a cache. Raises
        ModelError."""
        tokens = [i % self.vocab_size for i in (1, 2, 3, 5)]
        row = self.new_row(len(tokens))
        try:
            self.forward([Feed(row, 0, tokens[:2], range(2))])
            (ours,) = self.forward([Feed(row, 0, tokens[2:], range(2, 4), None, range(2))])
            theirs = self._model(
                input_ids=torch.tensor([tokens], device=self.device), use_cache=False
            ).logits[0, 2:]
        except Exception as error:
            raise ModelError(f"{self.name} does not run over packed rows: {error}") from error
        finally:
            row.store.release()
        difference = (ours - theirs.float()).abs().max().item()
        scale = max(1.0, theirs.float().abs().max().item())
        if not difference <= scale * (1e-3 if self.dtype == torch.float32 else 0.1):
            raise ModelError(
                f"{self.name} computes something else over packed rows than by itself (logits differ by {difference:g})"
            )


def refuse_unrollable(model: Any, config: Any) -> None:
    """Raises ModelError for recurrent state, encoders, and layer types that keep more than one slot per
    token."""
    kind = getattr(config, "model_type", type(model).__name__)
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{kind} is an encoder-decoder; only decoder-only models can be served")
    if getattr(model, "_is_stateful", False):
        raise ModelError(f"{kind} keeps recurrent state, which cannot be rolled back to an earlier token")
    for layer in getattr(config, "layer_types", None) or ():
        if layer not in ROLLABLE:
            raise ModelError(
                f"{kind} has {layer} layers, whose state cannot be rolled back to an earlier token"
            )


def _positions(config: Any) -> int:
    if not getattr(config, "max_position_embeddings", None):
        raise ModelError(f"{config.model_type} declares no context length")
    return rope_limit(config)
