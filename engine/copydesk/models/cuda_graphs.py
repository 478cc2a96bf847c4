"""Static-shape forwards, captured as CUDA graphs per (query width, KV bucket, batch).

Pads a planned forward to the next captured shape, fills the graph's static inputs and replays it; says so
when no shape fits and the caller runs eagerly. Without capture the same step runs as a plain function, on any
device. Knows plans and shapes; does not know how rows are chosen or logits used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch

from copydesk.models.arena import Arena
from copydesk.models.feed import RowPlan
from copydesk.models.kv import PooledStore
from copydesk.models.rope import RopeTable
from copydesk.models.static_step import StepInputs, static_step
from copydesk.models.weights import Shape, Weights

WIDTHS = (1, 8, 32, 128)
BATCHES = (1, 2, 4, 8, 16, 32, 64)
SHORTEST = 512
"""The smallest KV bucket; the others double it."""
MOST_TOKENS = 1024
"""Batch times width beyond which padding costs more than launches."""

Key = tuple[int, int, int]


@dataclass(slots=True)
class Captured:
    """A graph with its static inputs and output."""

    graph: torch.cuda.CUDAGraph
    inputs: StepInputs
    hidden: torch.Tensor


def choose_shape(rows: int, longest: int, reach: int, *, most_keys: int) -> Key | None:
    """(width, keys, batch) for `rows` rows of up to `longest` tokens over `reach` keys; None: run eagerly."""
    width = next((w for w in WIDTHS if w >= longest), None)
    batch = next((b for b in BATCHES if b >= rows), None)
    if width is None or batch is None or width * batch > max(MOST_TOKENS, width):
        return None
    keys = SHORTEST
    while keys < reach:
        keys *= 2
    return (width, keys, batch) if reach <= most_keys else None


class StaticRunner:
    """Runs planned forwards through `static_step`.

    capture: whether to capture and replay CUDA graphs; False runs the step eagerly.
    most_keys: rows longer than this run eagerly.
    """

    def __init__(
        self,
        weights: Weights,
        shape: Shape,
        rope: RopeTable,
        arena: Arena,
        *,
        capture: bool,
        most_keys: int = 32768,
    ) -> None:
        self._weights, self._shape, self._rope, self._arena = weights, shape, rope, arena
        self._capture = capture
        self._most_keys = most_keys
        self._graphs: dict[Key, Captured | None] = {}
        self._memory: Any = None  # torch's handle of the graphs' memory pool
        # Graphs hold the table's address: it must not grow any more.
        rope.reserve(shape.max_positions)

    @property
    def captured(self) -> list[Key]:
        """Shapes captured so far."""
        return [key for key, graph in self._graphs.items() if graph is not None]

    def forget(self) -> None:
        """Drop all graphs and their memory; shapes are captured again when they are next needed."""
        self._graphs.clear()
        self._memory = None

    def run(
        self,
        plans: Sequence[RowPlan],
        tokens: Sequence[int],
        positions: Sequence[int],
        outputs: Sequence[int],
    ) -> torch.Tensor | None:
        """Final states [len(outputs), E] of flat tokens, or None when the shape has to run eagerly."""
        longest = max(len(p.slots) for p in plans)
        key = choose_shape(len(plans), longest, max(p.keys for p in plans), most_keys=self._most_keys)
        if key is None:
            return None
        width = key[0]
        inputs = self._pad(key, plans, tokens, positions)
        if self._capture:
            captured = self._graph(key)
            if captured is None:
                return None
            captured.inputs.copy_(inputs)
            captured.graph.replay()
            hidden = captured.hidden
        else:
            hidden = self._step(inputs)
        places = [row * width + i for row, p in enumerate(plans) for i in range(len(p.slots))]
        chosen = torch.tensor([places[o] for o in outputs], dtype=torch.long, device=hidden.device)
        return hidden.index_select(0, chosen)

    def _step(self, inputs: StepInputs) -> torch.Tensor:
        return static_step(
            self._weights, self._shape, self._rope.cos, self._rope.sin, self._arena.tensor, inputs
        )

    def _pad(
        self, key: Key, plans: Sequence[RowPlan], tokens: Sequence[int], positions: Sequence[int]
    ) -> StepInputs:
        width, keys, batch = key
        flat_tokens = np.zeros((batch, width), dtype=np.int64)
        flat_positions = np.zeros((batch, width), dtype=np.int64)
        writes = np.full((batch, width), self._arena.scratch, dtype=np.int64)
        bases = np.zeros(batch, dtype=np.int64)
        mask = np.zeros((batch, width, keys), dtype=np.bool_)
        first = 0
        for row, row_plan in enumerate(plans):
            n = len(row_plan.slots)
            flat_tokens[row, :n] = tokens[first : first + n]
            flat_positions[row, :n] = positions[first : first + n]
            bases[row] = self._arena.base(cast(PooledStore, row_plan.row.store).buffer)
            writes[row, :n] = bases[row] + np.asarray(row_plan.slots)
            if row_plan.mask is not None:
                mask[row, :n, : row_plan.keys] = row_plan.mask
            else:
                mask[row, :n, : row_plan.keys] = np.tri(n, row_plan.keys, row_plan.keys - n, dtype=np.bool_)
            mask[row, n:, 0] = True
            first += n
        mask[len(plans) :, :, 0] = True
        device = self._arena.tensor.device
        return StepInputs(
            tokens=_on(device, flat_tokens.reshape(-1)),
            positions=_on(device, flat_positions.reshape(-1)),
            writes=_on(device, writes.reshape(-1)),
            bases=_on(device, bases),
            mask=_on(device, mask),
        )

    def _graph(self, key: Key) -> Captured | None:
        """The graph for `key`, captured on first use; None when there was no memory for it, then and
        later."""
        if key not in self._graphs:
            try:
                self._graphs[key] = self._record(key)
            except torch.OutOfMemoryError:
                self._graphs[key] = None
        return self._graphs[key]

    def _record(self, key: Key) -> Captured:
        width, keys, batch = key
        tensor = self._arena.tensor
        inputs = StepInputs.empty(batch, width, keys, scratch=self._arena.scratch, device=tensor.device)
        # Warm up outside the capture, on a side stream: libraries allocate workspaces on first use. All
        # writes of these padding-only inputs go to the scratch slot.
        side = torch.cuda.Stream(tensor.device)
        side.wait_stream(torch.cuda.current_stream(tensor.device))
        with torch.cuda.stream(side):
            for _ in range(2):
                self._step(inputs)
        torch.cuda.current_stream(tensor.device).wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        # One memory pool for all graphs: they replay one after another, and what a replay returns is copied
        # out before the next.
        with torch.cuda.graph(graph, pool=self._memory):
            hidden = self._step(inputs)
        self._memory = graph.pool()
        return Captured(graph, inputs, hidden)


def _on(device: torch.device, array: npt.NDArray[np.generic]) -> torch.Tensor:
    return torch.from_numpy(array).to(device)
