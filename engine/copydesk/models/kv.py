"""Preallocated key/value buffers: pooled, grown in buckets, accounted by the byte.

Knows tensors with a slot dimension and one byte budget. Does not know what the slots hold, who uses them, or
which of them matter: who goes first when memory is short is decided by the `reclaim` hook.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import torch

from copydesk.errors import CacheError, OutOfMemoryError
from copydesk.models.row import Store

Buffer = tuple[torch.Tensor, ...]
"""Tensors of one row, each [layers, capacity, ...]: dimension 1 is the slot."""

SPARE = 64 << 20
"""Bytes of idle buffers that are kept however few are in use."""

T = TypeVar("T")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether `error` is the device (or the CPU's allocator) saying that memory is short."""
    return isinstance(error, torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )


def retry_out_of_memory(attempt: Callable[[], T], on_oom: Callable[[], None]) -> T:
    """`attempt()`; when memory runs out `on_oom()` and once more. Raises OutOfMemoryError when that fails
    too."""
    try:
        return attempt()
    except (torch.OutOfMemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
    # Outside the handler: the traceback, and the tensors its frames hold, are gone by now.
    on_oom()
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    try:
        return attempt()
    except (torch.OutOfMemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise OutOfMemoryError("the device is out of memory even after the cache was evicted") from None


def suggested_budget(device: torch.device) -> int:
    """Bytes of KV to allow when nobody said: half the free memory on CUDA, a gibibyte on CPU."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0]) // 2
    return 1 << 30


class Pool:
    """Buffers of all rows of one model under one byte budget. Freed ones are kept and handed out again, but never more of them
    than are in use (or `SPARE` bytes): rows come in many lengths, and one of each would stay for ever.

    make:    allocates a buffer of so many slots.
    drop:    hears of a buffer whose last reference goes.
    budget:  bytes that buffers in use and idle ones may take together; None: no limit.
    reclaim: called when the budget is full, with the bytes that are missing, or with None when the device
             itself is out of memory; it releases rows worth that much (None: all it can), or none when there
             are not as many.
    """

    def __init__(
        self,
        make: Callable[[int], Buffer],
        bytes_per_slot: int,
        drop: Callable[[Buffer], None] | None = None,
    ) -> None:
        self._make = make
        self._drop = drop
        self.bytes_per_slot = bytes_per_slot
        self.budget: int | None = None
        self.reclaim: Callable[[int | None], None] | None = None
        self._idle: dict[int, list[Buffer]] = {}
        self._idle_slots = 0
        self._used_slots = 0

    @property
    def bytes_in_use(self) -> int:
        """Bytes of buffers that rows hold."""
        return self._used_slots * self.bytes_per_slot

    @property
    def bytes_held(self) -> int:
        """Bytes of all buffers, idle ones included. Never more than the budget."""
        return (self._used_slots + self._idle_slots) * self.bytes_per_slot

    def take(self, capacity: int) -> Buffer:
        """A buffer of `capacity` slots, its content undefined.

        Raises CacheError when the budget has no room even after `reclaim`, OutOfMemoryError when the device
        has none.
        """
        if idle := self._idle.get(capacity):
            return self._reuse(capacity, idle)
        self._make_room(capacity)
        if idle := self._idle.get(capacity):
            return self._reuse(capacity, idle)
        buffer = retry_out_of_memory(lambda: self._allocate(capacity), self.relieve)
        self._used_slots += capacity
        return buffer

    def give(self, capacity: int, buffer: Buffer) -> None:
        """Hand a buffer of `capacity` slots back."""
        self._used_slots -= capacity
        self._idle.setdefault(capacity, []).append(buffer)
        self._idle_slots += capacity
        self.trim(self._idle_slots - max(self._used_slots, SPARE // max(1, self.bytes_per_slot)))

    def relieve(self) -> None:
        """Free what can be freed on the device: ask for rows to be released, then drop all idle buffers."""
        if self.reclaim is not None:
            self.reclaim(None)
        self.trim(self._idle_slots)

    def trim(self, slots: int) -> None:
        """Drop idle buffers of at least `slots` slots in all, largest first, as far as there are any."""
        for capacity in sorted(self._idle, reverse=True):
            idle = self._idle[capacity]
            while idle and slots > 0:
                buffer = idle.pop()
                if self._drop is not None:
                    self._drop(buffer)
                self._idle_slots -= capacity
                slots -= capacity
            if not idle:
                del self._idle[capacity]

    def _reuse(self, capacity: int, idle: list[Buffer]) -> Buffer:
        buffer = idle.pop()
        if not idle:
            del self._idle[capacity]
        self._idle_slots -= capacity
        self._used_slots += capacity
        return buffer

    def _allocate(self, capacity: int) -> Buffer:
        """A new buffer, at the cost of idle ones when there is no other way."""
        try:
            return self._make(capacity)
        except (torch.OutOfMemoryError, RuntimeError) as error:
            if not is_out_of_memory(error) or not self._idle_slots:
                raise
        self.trim(self._idle_slots)
        return self._make(capacity)

    def _missing(self, capacity: int) -> int:
        """Slots over budget if a new buffer of `capacity` slots were made now."""
        if self.budget is None:
            return 0
        return self._used_slots + self._idle_slots + capacity - self.budget // max(1, self.bytes_per_slot)

    def _make_room(self, capacity: int) -> None:
        if self.budget is not None and capacity * self.bytes_per_slot > self.budget:
            raise CacheError(
                f"{capacity} slots need {capacity * self.bytes_per_slot} bytes, the KV budget is {self.budget}"
            )
        missing = self._missing(capacity)
        if missing > self._idle_slots and self.reclaim is not None:
            self.reclaim((missing - self._idle_slots) * self.bytes_per_slot)
            if capacity in self._idle:
                return
        missing = self._missing(capacity)
        if missing > self._idle_slots:
            raise CacheError(
                f"{capacity} more slots pass the KV budget of {self.budget} bytes and nothing can be evicted"
            )
        if missing > 0:
            self.trim(missing)


class PooledStore:
    """The tensors of one row, taken from a pool. `buffer` may be another one after `resize`."""

    __slots__ = ("buffer", "capacity", "pool")

    def __init__(self, pool: Pool, capacity: int) -> None:
        self.pool = pool
        self.buffer = pool.take(capacity)
        self.capacity = capacity

    @property
    def nbytes(self) -> int:
        return self.capacity * self.pool.bytes_per_slot

    def resize(self, capacity: int, used: int) -> None:
        fresh = self.pool.take(capacity)
        with torch.inference_mode():
            for old, new in zip(self.buffer, fresh, strict=True):
                new[:, :used] = old[:, :used]
        self.pool.give(self.capacity, self.buffer)
        self.buffer, self.capacity = fresh, capacity

    def move(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        with torch.inference_mode():
            for tensor in self.buffer:
                source = torch.tensor(sources, device=tensor.device)
                target = torch.tensor(targets, device=tensor.device)
                tensor.index_copy_(1, target, tensor.index_select(1, source))

    def adopt(self, other: Store, count: int) -> None:
        with torch.inference_mode():
            for mine, theirs in zip(self.buffer, cast(PooledStore, other).buffer, strict=True):
                mine[:, :count] = theirs[:, :count]

    def release(self) -> None:
        if self.capacity:
            self.pool.give(self.capacity, self.buffer)
        self.buffer, self.capacity = (), 0
