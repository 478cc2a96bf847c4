"""One contiguous piece of device memory that rows get segments of, so that every row shares one static
pointer.

A captured CUDA graph reads and writes fixed addresses. With all rows in one arena the address is the arena's
and a row is a base offset, an ordinary input: any row, of any capacity, in any batch, runs through the same
graph. Knows segments; does not know rows, budgets or graphs.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from copydesk.models.kv import Buffer


class Arena:
    """[layers, slots + 1, heads, width], zeroed; made at the first allocation. The last slot is `scratch`.

    size: slots to make room for, asked once, at the first allocation.
    """

    def __init__(
        self,
        layers: int,
        heads: int,
        width: int,
        *,
        dtype: torch.dtype,
        device: torch.device,
        size: Callable[[], int],
    ) -> None:
        self._layers, self._heads, self._width = layers, heads, width
        self._dtype, self._device, self._size = dtype, device, size
        self._tensor: torch.Tensor | None = None
        self._free: list[tuple[int, int]] = []  # (base, slots), ascending, never adjacent

    @property
    def tensor(self) -> torch.Tensor:
        """The arena itself. Zeroed, since a masked key still meets the values beside it: 0 * NaN is NaN."""
        if self._tensor is None:
            slots = self._size()
            self._tensor = torch.zeros(
                self._layers, slots + 1, self._heads, self._width, dtype=self._dtype, device=self._device
            )
            self._free = [(0, slots)]
        return self._tensor

    @property
    def scratch(self) -> int:
        """A slot that padding writes to and nobody reads."""
        return self.tensor.shape[1] - 1

    def allocate(self, capacity: int) -> Buffer:
        """The first free segment of `capacity` slots. Raises torch.OutOfMemoryError when no gap is long
        enough."""
        tensor = self.tensor
        for i, (base, slots) in enumerate(self._free):
            if slots >= capacity:
                if slots == capacity:
                    del self._free[i]
                else:
                    self._free[i] = (base + capacity, slots - capacity)
                return (tensor[:, base : base + capacity],)
        raise torch.OutOfMemoryError(f"the KV arena has no free segment of {capacity} slots")

    def release(self, buffer: Buffer) -> None:
        """Give a segment back; it merges with its free neighbours."""
        base, slots = self.base(buffer), buffer[0].shape[1]
        merged: list[tuple[int, int]] = []
        for start, length in sorted([*self._free, (base, slots)]):
            if merged and merged[-1][0] + merged[-1][1] == start:
                merged[-1] = (merged[-1][0], merged[-1][1] + length)
            else:
                merged.append((start, length))
        self._free = merged

    def base(self, buffer: Buffer) -> int:
        """The arena's slot that a buffer's slot 0 is."""
        (view,) = buffer
        return int(view.storage_offset() // view.stride(1))
