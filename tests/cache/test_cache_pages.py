"""Warm pages: verified reuse, sharing, pinning, rollback, eviction, and one budget."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from copydesk.cache import Lease, PageCache
from copydesk.errors import CacheError, ContextLengthError, OutOfMemoryError
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED
from copydesk_server.headless.memory import give_back
from mock_model import MockModel
from tiny_models import build, hand_written, qwen2, qwen3, served

MEGABYTES = 1 << 20


def tokens(n: int, seed: int = 0) -> list[int]:
    return random.Random(seed).choices(range(300), k=n)


def mock(rows: int = 1000) -> tuple[MockModel, PageCache]:
    """A mock model of four bytes per slot and a cache that holds `rows` rows of 256 slots."""
    model = MockModel(300, kv_bytes_per_slot=4, context=0)
    return model, PageCache(model, rows * 256 * 4)


def fill(cache: PageCache, key: tuple[object, object], text: list[int], room: int = 16) -> int:
    """Acquire, warm and release; returns the tokens that had to be computed."""
    with cache.acquire(key, text, room=room) as lease:
        list(cache.warm(lease))
        assert lease.ready
        return lease.computed


def warm_tokens(cache: PageCache, key: tuple[object, object]) -> int:
    """Tokens the cache holds for a page."""
    return cache._entries[key].warm


def ask(model: Any, lease: Lease, request: list[int], owner: int | None = None) -> torch.Tensor:
    first = len(lease.tokens)
    feed = Feed(
        lease.row, owner or lease.owner, request, range(first, first + len(request)), None, [len(request) - 1]
    )
    (found,) = model.forward([feed])
    return found


def cold(model: Any, text: list[int]) -> torch.Tensor:
    row = model.new_row(len(text))
    (found,) = model.forward([Feed(row, SHARED, text, range(len(text)), None, [len(text) - 1])])
    row.store.release()
    return found


def test_the_second_request_computes_nothing() -> None:
    model, cache = mock()
    text = tokens(200)
    assert fill(cache, ("a", 1), text) == 200
    assert fill(cache, ("a", 1), text) == 0
    assert cache.computed == model.forwarded == 200


@pytest.mark.parametrize("changed", [0, 1, 100, 199])
def test_only_tokens_behind_the_first_difference_are_computed(changed: int) -> None:
    _, cache = mock()
    text = tokens(200)
    fill(cache, ("a", 1), text)
    text[changed] += 1
    assert fill(cache, ("a", 1), text) == 200 - changed
    cache.check_integrity()


def test_grown_and_shrunk_pages() -> None:
    _, cache = mock()
    text = tokens(200)
    fill(cache, ("a", 1), text)
    assert fill(cache, ("a", 1), [*text, 1, 2, 3]) == 3
    assert fill(cache, ("a", 1), text[:50]) == 0
    assert warm_tokens(cache, ("a", 1)) == 50
    assert fill(cache, ("a", 1), tokens(900)) == 850
    assert fill(cache, ("a", 1), []) == 0
    cache.check_integrity()


def test_warming_stops_after_every_chunk() -> None:
    model, cache = mock()
    text = tokens(300)
    with cache.acquire(("a", 1), text) as lease:
        steps = cache.warm(lease, chunk=128)
        assert next(steps) == 128
        assert (lease.warm, model.forwards, model.forwarded) == (128, 1, 128)
        other = tokens(10, seed=1)
        assert fill(cache, ("b", 1), other) == 10  # a request comes first, between two chunks
        assert list(steps) == [128, 44]
        assert lease.ready
    cache.check_integrity()


def test_warming_in_the_background() -> None:
    model, cache = mock()
    text = tokens(300)
    assert [cache.warm_chunk(("a", 1), text) for _ in range(4)] == [128, 128, 44, 0]
    edited = [*text[:250], 7, 7]
    assert cache.warm_chunk(("a", 1), edited) == 2
    with cache.acquire(("a", 1), edited):
        assert cache.warm_chunk(("a", 1), text) == 0  # in use: left alone
    assert warm_tokens(cache, ("a", 1)) == 252
    assert model.forwarded == 302


def test_half_warm_pages_are_taken_up_where_they_stopped() -> None:
    _, cache = mock()
    text = tokens(300)
    assert cache.warm_chunk(("a", 1), text, chunk=100) == 100
    assert fill(cache, ("a", 1), text) == 200


@pytest.mark.parametrize("name", ["mock", "hand-qwen2", "hand-qwen3", "static-llama", "generic-neox"])
def test_warm_equals_cold_after_fifty_edits(name: str) -> None:
    model: Any = served(name)
    cache = PageCache(model, 64 * MEGABYTES)
    choose = random.Random(name)
    text, request = tokens(150), [5, 6, 7]
    for step in range(50):
        first = choose.randrange(len(text))
        text[first : first + choose.randrange(5)] = choose.choices(range(300), k=choose.randrange(6))
        with cache.acquire(("a", 1), text) as lease:
            list(cache.warm(lease, chunk=choose.choice([16, 64, 128])))
            found = ask(model, lease, request)
        cache.check_integrity()
        if step % 5 == 4:
            assert (found - cold(model, text + request)).abs().max().item() < 1e-4
    assert cache.computed < 50 * 150
    cache.drop_all("a")


@pytest.mark.parametrize("name", ["mock", "hand-qwen2", "generic-neox"])
def test_requests_on_one_page_share_its_prefix(name: str) -> None:
    model: Any = served(name)
    cache = PageCache(model, 64 * MEGABYTES)
    text = tokens(60)
    one = cache.acquire(("a", 1), text)
    list(cache.warm(one))
    two = cache.acquire(("a", 1), text)
    assert one.row is two.row
    assert (two.ready, two.computed) == (True, 0)
    third = two.fork()
    assert len({SHARED, one.owner, two.owner, third}) == 4
    requests = {one.owner: [1, 2, 3], two.owner: [4, 5], third: [6]}
    for owner, request in requests.items():
        found = ask(model, one, request, owner)
        assert (found - cold(model, text + request)).abs().max().item() < 1e-4
    two.release()
    assert set(one.row.owners) == {SHARED, one.owner}
    cache.check_integrity()
    first = len(text) + 3
    (found,) = model.forward([Feed(one.row, one.owner, [9], [first], None, [0])])
    assert (found - cold(model, [*text, 1, 2, 3, 9])).abs().max().item() < 1e-4
    one.release()
    one.release()
    assert one.row.tokens_of(SHARED) == text
    assert len(one.row) == 60
    cache.check_integrity()
    cache.drop_all("a")


def test_requests_roll_back_whatever_happens() -> None:
    model, cache = mock()
    text = tokens(30)

    def broken_request() -> None:
        with cache.acquire(("a", 1), text) as lease:
            list(cache.warm(lease))
            ask(model, lease, [1, 2, 3])
            raise KeyError

    with pytest.raises(KeyError):
        broken_request()
    assert warm_tokens(cache, ("a", 1)) == 30
    cache.check_integrity()
    assert fill(cache, ("a", 1), text) == 0


def test_a_page_that_changes_while_in_use() -> None:
    model, cache = mock()
    text = tokens(100)
    edited = [*text[:60], 1, 2, 3]
    old = cache.acquire(("a", 1), text)
    list(cache.warm(old))
    new = cache.acquire(("a", 1), edited)
    assert new.row is not old.row
    assert new.warm == 60  # a copy of what is the same
    list(cache.warm(new))
    assert new.computed == 3
    assert torch.equal(ask(model, old, [9]), cold(model, [*text, 9]))
    assert torch.equal(ask(model, new, [9]), cold(model, [*edited, 9]))
    cache.check_integrity()
    held = model.pool.bytes_in_use
    old.release()
    assert model.pool.bytes_in_use == held - old.entry.row.capacity * 4
    new.release()
    assert warm_tokens(cache, ("a", 1)) == 63
    cache.check_integrity()


def test_dropped_documents() -> None:
    model, cache = mock()
    for page in range(3):
        fill(cache, ("a", page), tokens(30))
    fill(cache, ("b", 0), tokens(30))
    lease = cache.acquire(("a", 1), tokens(30))
    cache.drop_all("a")
    assert len(cache) == 1
    assert ("b", 0) in cache
    cache.check_integrity()
    assert torch.equal(ask(model, lease, [9]), cold(model, [*tokens(30), 9]))  # still in use
    again = cache.acquire(("a", 1), tokens(30))
    assert again.row is not lease.row
    lease.release()
    again.release()
    cache.drop(("b", 0))
    cache.drop(("b", 0))
    cache.drop_all("a")
    assert model.pool.bytes_in_use == 0
    cache.check_integrity()


def test_the_least_recently_used_page_goes_first() -> None:
    model, cache = mock(rows=3)
    for name in "abc":
        fill(cache, (name, 0), tokens(30))
    fill(cache, ("a", 0), tokens(30))
    fill(cache, ("d", 0), tokens(30))
    assert [name for name in "abcd" if (name, 0) in cache] == ["a", "c", "d"]
    assert cache.evictions == 1
    assert model.pool.bytes_held <= 3 * 1024
    cache.check_integrity()


def test_pages_in_use_are_never_evicted() -> None:
    _, cache = mock(rows=2)
    text = tokens(30)
    lease = cache.acquire(("a", 0), text, room=16)
    list(cache.warm(lease))
    for name in "bcdef":
        fill(cache, (name, 0), tokens(30))
    assert ("a", 0) in cache
    assert lease.ready
    with cache.acquire(("f", 0), tokens(30), room=16):
        before = list(cache._entries)
        with pytest.raises(CacheError, match="nothing can be evicted"):
            cache.acquire(("g", 0), text, room=16)
        assert list(cache._entries) == before
    cache.check_integrity()


def test_what_cannot_fit_changes_nothing() -> None:
    model, cache = mock(rows=3)
    for name in "abc":
        fill(cache, (name, 0), tokens(30))
    before = list(cache._entries)
    with pytest.raises(CacheError, match="budget"):
        cache.acquire(("d", 0), tokens(2000))
    with cache.acquire(("a", 0), tokens(30), room=16), pytest.raises(CacheError):
        cache.acquire(("d", 0), tokens(700), room=16)  # would need the row that is in use
    with pytest.raises(CacheError):
        cache.acquire(("b", 0), tokens(2000))
    assert sorted(cache._entries) == sorted(before)
    assert all(warm_tokens(cache, key) == 30 for key in before)
    assert cache.evictions == 0
    assert model.pool.bytes_held <= 3 * 1024
    cache.check_integrity()


def test_a_row_without_spare_room_is_used_as_it_is() -> None:
    model, cache = mock(rows=2)
    fill(cache, ("a", 0), tokens(200))
    with cache.acquire(("a", 0), tokens(200), room=300) as lease:  # 256 and 512 slots do not fit side by side
        assert lease.ready
        assert lease.row.capacity == 256
        ask(model, lease, [1, 2, 3])


def test_a_page_that_grows_too_large_to_be_copied_starts_cold() -> None:
    _, cache = mock(rows=4)
    text = tokens(500)
    fill(cache, ("a", 0), text)
    assert (
        fill(cache, ("a", 0), [*text, *tokens(300, seed=1)]) == 800
    )  # 512 + 1024 slots do not fit side by side
    assert cache.nbytes <= 4 * 1024
    cache.check_integrity()


def test_pages_longer_than_the_context() -> None:
    model = MockModel(300, max_positions=100)
    cache = PageCache(model, MEGABYTES)
    with pytest.raises(ContextLengthError):
        cache.acquire(("a", 0), tokens(100))
    assert len(cache) == 0
    fill(cache, ("a", 0), tokens(99))


def test_out_of_memory_evicts_what_is_not_in_use() -> None:
    model: Any = hand_written(build(qwen2()))
    cache = PageCache(model, 64 * MEGABYTES)
    for name in "abc":
        fill(cache, (name, 0), tokens(30))
    real, failures = model._states, [1]

    def failing(*arguments: Any) -> Any:
        if failures:
            failures.pop()
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(*arguments)

    model._states = failing
    with cache.acquire(("a", 0), tokens(30)) as lease:
        found = ask(model, lease, [9])
        assert [name for name in "abc" if (name, 0) in cache] == ["a"]
        failures.extend([1, 1])
        with pytest.raises(OutOfMemoryError):
            ask(model, lease, [8])
        cache.check_integrity()
    assert warm_tokens(cache, ("a", 0)) == 30
    assert (found - cold(model, [*tokens(30), 9])).abs().max().item() < 1e-4


def test_failures_while_warming_leave_the_page_half_warm() -> None:
    model, cache = mock()
    text = tokens(300)
    with cache.acquire(("a", 1), text) as lease:
        steps = cache.warm(lease)
        next(steps)
        model.fail_next = ZeroDivisionError()
        with pytest.raises(ZeroDivisionError):
            next(steps)
    assert warm_tokens(cache, ("a", 1)) == 128
    cache.check_integrity()


@pytest.mark.parametrize("damage", ["token", "owner", "pins", "key"])
def test_integrity_check_sees_damage(damage: str) -> None:
    _, cache = mock()
    fill(cache, ("a", 1), tokens(30))
    entry = cache._entries["a", 1]
    if damage == "token":
        entry.row.token[3] += 1
    elif damage == "owner":
        entry.row.owner[3] = 2
        entry.row.owners = {SHARED: 29, 2: 1}
    elif damage == "pins":
        entry.pins = -1
    else:
        cache._entries["a", 2] = cache._entries.pop(("a", 1))
    with pytest.raises(CacheError):
        cache.check_integrity()


@pytest.mark.parametrize("seed", range(10))
def test_random_use_under_a_tight_budget(seed: int) -> None:
    """Opens, edits, requests, drops in any order: books balance, answers are those of a cold model."""
    choose = random.Random(seed)
    model, cache = mock(rows=6)
    texts: dict[tuple[object, object], list[int]] = {}
    leases: list[Lease] = []
    for _ in range(150):
        action = choose.randrange(8)
        key = (choose.choice("abc"), choose.randrange(3))
        text = texts.setdefault(key, tokens(choose.randrange(10, 300), seed=seed))
        if action <= 2:
            at = choose.randrange(len(text) + 1)
            text[at : at + choose.randrange(4)] = choose.choices(range(300), k=choose.randrange(4))
        elif action <= 5:
            try:
                lease = cache.acquire(key, text)
                list(cache.warm(lease))
            except CacheError:
                assert leases  # only what is in use can stand in the way
                continue
            leases.append(lease)
            found = ask(model, lease, [1, 2], lease.owner)
            assert torch.equal(found, mock()[0].forward([cold_feed(model, [*text, 1, 2])])[0])
        elif action == 6 and leases:
            leases.pop(choose.randrange(len(leases))).release()
        elif action == 7 and choose.random() < 0.3:
            cache.drop_all(key[0])
        if len(leases) > 3:
            leases.pop(0).release()
        cache.check_integrity()
    for lease in leases:
        lease.release()
    cache.check_integrity()


def cold_feed(model: MockModel, text: list[int]) -> Feed:
    """A feed on a row outside the model's budget."""
    row = MockModel(300).new_row(len(text))
    return Feed(row, SHARED, text, range(len(text)), None, [len(text) - 1])


BUDGET = 16 * MEGABYTES


def resident() -> int:
    """Bytes of resident memory of this process, without the holes of its heap."""
    gc.collect()
    give_back()
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def growth_after_twenty() -> int:
    """Bytes of resident memory that documents 21 to 60 add, beside what the pool says it holds: each is opened, edited and left
    open.
    """
    model = hand_written(build(qwen3(num_key_value_heads=4, head_dim=256)))  # 16 KiB per slot
    cache = PageCache(model, BUDGET)
    choose = random.Random(0)
    after_twenty = 0
    for number in range(60):
        text = tokens(choose.randrange(50, 400), seed=number)
        for page in range(2):
            key = (number, page)
            fill(cache, key, text)
            at = choose.randrange(len(text))
            text[at : at + 2] = [1, 2, 3]
            fill(cache, key, text)
        assert model.pool.bytes_held <= BUDGET
        if number == 19:
            after_twenty = resident() - model.pool.bytes_held
    cache.check_integrity()
    assert cache.evictions > 100
    return resident() - model.pool.bytes_held - after_twenty


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_resident_memory_stays_flat() -> None:
    """In a process of its own, where no other test's memory comes and goes. Kept and not freed, these pages would be 280 MiB."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        assert process.submit(growth_after_twenty).result() < BUDGET // 4
