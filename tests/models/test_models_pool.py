"""KV buffers: pooled, under one budget; what happens when memory is short."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from copydesk.errors import CacheError, OutOfMemoryError
from copydesk.models.arena import Arena
from copydesk.models.feed import Feed
from copydesk.models.kv import SPARE, Buffer, Pool, retry_out_of_memory
from copydesk.models.row import SHARED
from mock_model import MockModel
from tiny_models import SERVED, build, hand_written, qwen3, served


def pool(budget: int | None = None) -> Pool:
    result = Pool(lambda capacity: (torch.empty(1, capacity, 1),), 4)
    result.budget = budget
    return result


def test_freed_buffers_are_handed_out_again() -> None:
    found = pool()
    buffer = found.take(256)
    found.give(256, buffer)
    assert (found.bytes_in_use, found.bytes_held) == (0, 1024)
    assert found.take(256) is buffer
    assert (found.bytes_in_use, found.bytes_held) == (1024, 1024)


def test_the_budget_is_never_passed() -> None:
    found = pool(budget=4 * 1024)
    a, b = found.take(512), found.take(512)
    with pytest.raises(CacheError, match="nothing can be evicted"):
        found.take(256)
    found.give(512, a)
    found.take(256)  # the idle buffer makes room
    assert found.bytes_held == 4 * (512 + 256)
    found.give(512, b)
    with pytest.raises(CacheError, match="budget is"):
        found.take(2000)
    assert (found.bytes_in_use, found.bytes_held) == (4 * 256, 4 * (512 + 256))


def test_no_more_buffers_are_idle_than_in_use() -> None:
    found = pool()
    spare = SPARE // 4  # slots
    buffers = [(spare, found.take(spare)) for _ in range(5)]
    held = []
    for capacity, buffer in buffers:
        found.give(capacity, buffer)
        held.append(found.bytes_held // SPARE)
        assert found.bytes_held - found.bytes_in_use <= max(SPARE, found.bytes_in_use)
    assert held == [5, 5, 4, 2, 1]


def test_reclaim_is_asked_for_what_is_missing() -> None:
    found = pool(budget=4 * 1024)
    held = found.take(1024)
    asked: list[int | None] = []

    def reclaim(missing: int | None) -> None:
        asked.append(missing)
        found.give(1024, held)

    found.reclaim = reclaim
    assert found.take(512)[0].shape[1] == 512
    assert asked == [4 * 512]
    assert found.bytes_held == 4 * 512


def test_running_out_is_relieved_once() -> None:
    found = pool()
    spare = found.take(256)
    found.give(256, spare)
    failures = [torch.OutOfMemoryError("full")] * 2

    def make(capacity: int) -> Buffer:
        if failures:
            raise failures.pop()
        return (torch.empty(1, capacity, 1),)

    found._make = make
    asked: list[int | None] = []
    found.reclaim = asked.append
    found.take(512)
    assert asked == [None]
    assert found.bytes_held == 4 * 512  # the idle one was dropped
    failures.extend([torch.OutOfMemoryError("full"), torch.OutOfMemoryError("full")])
    with pytest.raises(OutOfMemoryError, match="even after the cache was evicted"):
        found.take(512)
    assert found.bytes_held == 4 * 512


def test_other_errors_are_not_taken_for_memory() -> None:
    def attempt() -> None:
        raise RuntimeError("shape mismatch")

    with pytest.raises(RuntimeError, match="shape"):
        retry_out_of_memory(attempt, lambda: pytest.fail("nothing to relieve"))


def test_the_cpu_allocators_error_counts_as_memory() -> None:
    relieved: list[bool] = []

    def attempt() -> int:
        if not relieved:
            raise RuntimeError(
                "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
            )
        return 5

    assert retry_out_of_memory(attempt, lambda: relieved.append(True)) == 5


@pytest.mark.parametrize("name", [name for name in SERVED if name != "mock"])
def test_out_of_memory_in_a_forward(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evict and retry once; then say so, with rows as they were."""
    model: Any = served(name)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    inner = "_run" if name.startswith("generic") else "_states"
    real = getattr(model, inner)
    failures = 1

    def failing(*arguments: Any) -> Any:
        nonlocal failures
        result = real(*arguments)  # the tensors are written by then
        if failures:
            failures -= 1
            raise torch.OutOfMemoryError("CUDA out of memory")
        return result

    asked: list[int | None] = []
    monkeypatch.setattr(model, inner, failing)
    monkeypatch.setattr(model.pool, "reclaim", asked.append)
    (found,) = model.forward([Feed(row, SHARED, [4], [3], None, [0])])
    assert asked == [None]
    assert row.used == 4
    failures = 2
    other = model.new_row(8)
    with pytest.raises(OutOfMemoryError):
        model.forward([Feed(row, SHARED, [5], [4], None, [0]), Feed(other, SHARED, [5], [0], None, [0])])
    assert (row.used, other.used) == (4, 0)
    row.check_integrity()
    row.truncate(3)
    (again,) = model.forward([Feed(row, SHARED, [4], [3], None, [0])])
    assert torch.equal(found, again)


def test_growth_past_the_budget_leaves_the_row() -> None:
    model = MockModel(20, kv_bytes_per_slot=4)
    model.pool.budget = 4 * 300
    row = model.new_row(200)
    model.forward([Feed(row, SHARED, [1] * 200, range(200))])
    with pytest.raises(CacheError):
        model.forward([Feed(row, SHARED, [1] * 100, range(200, 300))])
    assert (row.used, row.capacity) == (200, 256)
    row.check_integrity()
    model.forward([Feed(row, SHARED, [1] * 56, range(200, 256))])


def test_bytes_per_slot_are_what_buffers_take() -> None:
    model = hand_written(build(qwen3()))
    row = model.new_row(256)
    assert row.nbytes == 256 * model.kv_bytes_per_slot == sum(t.nbytes for t in row.store.buffer)  # type: ignore[attr-defined]
    other: Any = served("generic-neox")
    row = other.new_row(256)
    assert row.nbytes == sum(t.nbytes for t in row.store.buffer)  # type: ignore[attr-defined]


def arena(slots: int) -> Arena:
    return Arena(2, 3, 4, dtype=torch.float32, device=torch.device("cpu"), size=lambda: slots)


def test_arena_segments_do_not_overlap_and_merge_again() -> None:
    found = arena(1000)
    parts = [found.allocate(n) for n in (300, 200, 500)]
    assert [found.base(part) for part in parts] == [0, 300, 500]
    for number, (part,) in enumerate(parts):
        part.fill_(number)
    assert [part.unique().tolist() for (part,) in parts] == [[0], [1], [2]]
    assert found.tensor[:, found.scratch].eq(0).all()
    with pytest.raises(torch.OutOfMemoryError):
        found.allocate(1)
    found.release(parts[0])
    found.release(parts[2])
    with pytest.raises(torch.OutOfMemoryError):
        found.allocate(501)
    found.release(parts[1])
    assert found.base(found.allocate(1000)) == 0


def test_a_full_arena_is_an_out_of_memory_error() -> None:
    model = hand_written(build(qwen3()))
    model.run_static(capture=False, slots=512)
    first = model.new_row(256)
    model.new_row(256)
    with pytest.raises(OutOfMemoryError):
        model.new_row(256)
    first.store.release()
    model.new_row(256)
