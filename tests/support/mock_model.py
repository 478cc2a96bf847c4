"""A model without weights that keeps the forward contract.

Its logits are a pure function of the context visible to a token - as the row's own bookkeeping and the masks
of `plan` say - so cached, parallel, tree and packed forwards must equal token-by-token ones. A wrong mask,
slot or position changes the logits.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import torch

from copydesk.models.feed import Feed, RowPlan, plan
from copydesk.models.kv import Pool, PooledStore
from copydesk.models.row import Row, bucket

Logits = npt.NDArray[np.float32] | torch.Tensor | Sequence[float]

NOISE_ROWS = 1024


class _BookkeepingModel:
    """Rows, plans and commits; subclasses say what logits a visible context has."""

    def __init__(self, vocab_size: int, *, max_positions: int = 1 << 20, kv_bytes_per_slot: int = 64) -> None:
        self.name = "mock"
        self.vocab_size = vocab_size
        self.device = torch.device("cpu")
        self.dtype = torch.float32
        self.max_positions = max_positions
        self.kv_bytes_per_slot = kv_bytes_per_slot
        self.pool = Pool(lambda capacity: (), kv_bytes_per_slot)
        self.forwards = 0
        """Forward passes so far."""
        self.forwarded = 0
        """Tokens that went through them."""
        self.fail_next: BaseException | None = None
        """Raised by the next forward after planning, before anything is committed."""

    def new_row(self, capacity: int) -> Row:
        capacity = bucket(capacity)
        return Row(PooledStore(self.pool, capacity), capacity, self.max_positions)

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        plans = plan(feeds)
        self.forwards += 1
        if self.fail_next is not None:
            error, self.fail_next = self.fail_next, None
            raise error
        results: dict[int, torch.Tensor] = {}
        for row_plan in plans:
            row = row_plan.row
            # As in a real model the tensors are written before attention runs and before the row is marked.
            row.token[row_plan.slots] = [t for feed in row_plan.feeds for t in feed.tokens]
            row.position[row_plan.slots] = [p for feed in row_plan.feeds for p in feed.positions]
            offset = 0
            for feed in row_plan.feeds:
                self.forwarded += len(feed.tokens)
                results[id(feed)] = self._feed_logits(row_plan, feed, offset)
                offset += len(feed.tokens)
            row_plan.commit()
        return [results[id(feed)] for feed in feeds]

    def _feed_logits(self, row_plan: RowPlan, feed: Feed, offset: int) -> torch.Tensor:
        out = torch.empty(len(feed.outputs), self.vocab_size)
        view = out.numpy()
        row, mask = row_plan.row, row_plan.mask
        for i, index in enumerate(feed.outputs):
            if not 0 <= index < len(feed.tokens):
                raise IndexError("an output that is no token of its feed")
            if mask is None:
                end = row.used + index + 1
                tokens, positions = row.token[:end], row.position[:end]
                if row_plan.start != row.used:
                    raise AssertionError("a plain causal plan must append")
            else:
                visible = np.flatnonzero(mask[offset + index])
                tokens, positions = row.token[visible], row.position[visible]
            self._logits(tokens, positions, view[i])
        return out

    def _logits(
        self, tokens: npt.NDArray[np.int64], positions: npt.NDArray[np.int64], out: npt.NDArray[np.float32]
    ) -> None:
        """Write the logits that follow the visible (token, position) pairs, given in slot order."""
        raise NotImplementedError


def _last(
    tokens: npt.NDArray[np.int64], positions: npt.NDArray[np.int64], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The `count` pairs of highest position, by position (0: all)."""
    tail_tokens, tail_positions = tokens, positions
    n = len(positions)
    ordered = n < 2 or bool((positions[1:] > positions[:-1]).all())
    if not ordered:
        order = np.argsort(positions, kind="stable")
        tail_tokens, tail_positions = tokens[order], positions[order]
        if bool((tail_positions[1:] == tail_positions[:-1]).any()):
            raise AssertionError("two visible slots share a position")
    if count and n > count:
        return tail_tokens[n - count :], tail_positions[n - count :]
    return tail_tokens, tail_positions


@lru_cache(maxsize=16)
def _noise(seed: int, width: float, vocab_size: int) -> tuple[npt.NDArray[np.float32], ...]:
    """Two tables of random rows, which take longer to draw than most tests take for the rest."""
    random = np.random.default_rng(seed)
    tables = [random.normal(0, width, (NOISE_ROWS, vocab_size)).astype(np.float32) for _ in range(2)]
    for table in tables:
        table.flags.writeable = False
    return tuple(tables)


class MockModel(_BookkeepingModel):
    """Seeded random logits: standard normal times `scale`, a hash of the last `context` visible pairs (0:
    all)."""

    def __init__(
        self,
        vocab_size: int,
        *,
        seed: int = 0,
        context: int = 16,
        scale: float = 2.0,
        max_positions: int = 1 << 20,
        kv_bytes_per_slot: int = 64,
    ) -> None:
        super().__init__(vocab_size, max_positions=max_positions, kv_bytes_per_slot=kv_bytes_per_slot)
        self.context = context
        self.seed = seed & 0xFFFFFFFF
        self._first, self._second = _noise(seed, scale / np.sqrt(2), vocab_size)

    def tilt(self, tokens: Sequence[int], by: float) -> None:
        """Add `by` to the logits of these tokens."""
        self._first = self._first.copy()  # models of one seed share theirs
        self._first[:, sorted(set(tokens))] += np.float32(by)

    def _logits(
        self, tokens: npt.NDArray[np.int64], positions: npt.NDArray[np.int64], out: npt.NDArray[np.float32]
    ) -> None:
        tokens, positions = _last(tokens, positions, self.context)
        digest = zlib.crc32(positions.tobytes(), zlib.crc32(tokens.tobytes(), self.seed))
        np.add(self._first[digest % NOISE_ROWS], self._second[(digest >> 12) % NOISE_ROWS], out=out)


class CallbackModel(_BookkeepingModel):
    """Logits from `callback(context_tokens)`: the visible tokens in order of position, as a list of ids."""

    def __init__(
        self,
        vocab_size: int,
        callback: Callable[[list[int]], Logits],
        *,
        max_positions: int = 1 << 20,
        kv_bytes_per_slot: int = 64,
    ) -> None:
        super().__init__(vocab_size, max_positions=max_positions, kv_bytes_per_slot=kv_bytes_per_slot)
        self.callback = callback

    def _logits(
        self, tokens: npt.NDArray[np.int64], positions: npt.NDArray[np.int64], out: npt.NDArray[np.float32]
    ) -> None:
        tokens, _ = _last(tokens, positions, 0)
        out[:] = np.asarray(self.callback(tokens.tolist()), dtype=np.float32)


def scripted(vocab_size: int, script: Sequence[int], *, prompt: int, strength: float = 30.0) -> CallbackModel:
    """A model that wants to say `script` after a prompt of `prompt` tokens, whatever was said before; then
    token 0."""

    def logits(context: list[int]) -> npt.NDArray[np.float32]:
        out = np.zeros(vocab_size, dtype=np.float32)
        step = len(context) - prompt
        out[script[step] if 0 <= step < len(script) else 0] = strength
        return out

    return CallbackModel(vocab_size, logits)
