"""Every way to forward tokens gives the logits of feeding them one at a time: parallel, tree, packed, batched, moved."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from copydesk.errors import CacheError, ContextLengthError
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED, Row
from tiny_models import (
    FAMILY,
    OTHERS,
    SERVED,
    build,
    generic,
    hand_written,
    llama,
    qwen2,
    served,
    transformers_model,
)

TOLERANCE = 1e-4
EVERY = pytest.mark.parametrize("name", SERVED)


def tokens(n: int, seed: int = 0) -> list[int]:
    return random.Random(seed).choices(range(300), k=n)


def one_by_one(model: Any, ids: list[int]) -> torch.Tensor:
    """[n, V]: logits after each of `ids`, forwarded singly in a row of their own."""
    row = model.new_row(len(ids))
    parts = [model.forward([Feed(row, SHARED, [t], [i], None, [0])])[0] for i, t in enumerate(ids)]
    row.store.release()
    return torch.cat(parts)


def warm(model: Any, ids: list[int], owner: int = SHARED) -> Row:
    row: Row = model.new_row(len(ids) + 32)
    model.forward([Feed(row, owner, ids, range(len(ids)))])
    return row


def check(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.shape == expected.shape
    assert found.dtype == torch.float32
    assert (found - expected).abs().max().item() < TOLERANCE


@EVERY
@pytest.mark.parametrize("width", [2, 7, 16, 17, 40])
def test_parallel_equals_one_by_one(name: str, width: int) -> None:
    model = served(name)
    ids = tokens(60)
    row = warm(model, ids[: 60 - width])
    (found,) = model.forward([Feed(row, SHARED, ids[-width:], range(60 - width, 60), None, range(width))])
    check(found, one_by_one(model, ids)[-width:])
    row.check_integrity()


@pytest.mark.parametrize("name", [*FAMILY, *OTHERS])
def test_equals_transformers(name: str) -> None:
    reference = transformers_model(name)
    ids = tokens(50)
    with torch.no_grad():
        expected = reference(torch.tensor([ids])).logits[0]
    models: list[Any] = [generic(reference)]
    if name in FAMILY:
        models.append(hand_written(reference))
    for model in models:
        check(one_by_one(model, ids), expected)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0},
        {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 64},
        {
            "rope_type": "llama3",
            "rope_theta": 500000.0,
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
        {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0},
    ],
    ids=lambda rope: str(rope["rope_type"]),
)
def test_rope_scaling_equals_transformers(rope: dict[str, Any]) -> None:
    reference = build(llama(rope_parameters=rope, max_position_embeddings=256))
    ids = tokens(200)
    with torch.no_grad():
        expected = reference(torch.tensor([ids])).logits[0]
    model = hand_written(reference)
    (found,) = model.forward([Feed(model.new_row(200), SHARED, ids, range(200), None, range(200))])
    check(found, expected)


@EVERY
def test_tree_equals_each_path_as_a_chain(name: str) -> None:
    model = served(name)
    prefix = tokens(30)
    parents = [-1, 0, 0, 1, -1, 4, 2, 6]
    depth = [0, 1, 1, 2, 0, 1, 2, 3]
    nodes = tokens(8, seed=1)
    row = warm(model, prefix)
    (found,) = model.forward([Feed(row, 3, nodes, [30 + d for d in depth], parents, range(8))])
    for node in range(8):
        path, at = [], node
        while at >= 0:
            path.append(nodes[at])
            at = parents[at]
        check(found[node], one_by_one(model, prefix + path[::-1])[-1])


@EVERY
def test_survivors_of_a_tree_stay_and_the_row_stays_dense(name: str) -> None:
    model = served(name)
    prefix, nodes = tokens(20), tokens(6, seed=2)
    row = warm(model, prefix)
    feed = Feed(row, 1, nodes, [20, 21, 21, 22, 20, 21], [-1, 0, 0, 2, -1, 4], ())
    model.forward([feed])
    kept = row.keep(feed.slots, [feed.slots[0], feed.slots[2], feed.slots[3]])
    assert kept == [20, 21, 22]
    assert (row.used, row.dead) == (23, 0)
    row.check_integrity()
    (found,) = model.forward([Feed(row, 1, [7], [23], None, [0])])
    check(found, one_by_one(model, [*prefix, nodes[0], nodes[2], nodes[3], 7])[-1:])


@EVERY
def test_packed_owners_equal_rows_of_their_own(name: str) -> None:
    model = served(name)
    prefix = tokens(25)
    texts = {1: tokens(9, seed=1), 2: tokens(4, seed=2), 3: tokens(21, seed=3)}
    row = warm(model, prefix)
    for step in (0, 1, 2):  # owners of different lengths, in one forward each time
        feeds = []
        for owner, text in texts.items():
            part = text[step * 3 : step * 3 + 3] if step < 2 else text[6:]
            feeds.append(
                Feed(
                    row, owner, part, range(25 + step * 3, 25 + step * 3 + len(part)), None, range(len(part))
                )
            )
        logits = model.forward([feed for feed in feeds if feed.tokens])
        filled = [feed for feed in feeds if feed.tokens]
        for feed, found in zip(filled, logits, strict=True):
            text = texts[feed.owner][: step * 3 + len(feed.tokens)]
            check(found, one_by_one(model, prefix + text)[-len(feed.tokens) :])
        row.check_integrity()
    assert row.tokens_of(2) == texts[2]
    assert row.tokens_of(SHARED) == prefix


@EVERY
def test_batch_of_rows_equals_one_at_a_time(name: str) -> None:
    model = served(name)
    texts = [tokens(n, seed=n) for n in (5, 40, 23)]
    rows = [warm(model, text[:-3]) for text in texts]
    feeds = [
        Feed(row, SHARED, text[-3:], range(len(text) - 3, len(text)), None, [2, 0])
        for row, text in zip(rows, texts, strict=True)
    ]
    for found, text in zip(model.forward(feeds), texts, strict=True):
        check(found, one_by_one(model, text)[[-1, -3]])


@EVERY
def test_one_forward_of_several_rows_and_owners_in_any_order(name: str) -> None:
    model = served(name)
    one, two = tokens(12), tokens(17, seed=5)
    first, second = warm(model, one), warm(model, two)
    feeds = [
        Feed(first, 1, [4, 5], [12, 13], None, [1]),
        Feed(second, SHARED, [6], [17], None, [0]),
        Feed(first, 2, [7, 8], [12, 12], [-1, -1], [0, 1]),
        Feed(second, SHARED, [], [], None, []),
    ]
    a, b, c, d = model.forward(feeds)
    check(a, one_by_one(model, [*one, 4, 5])[-1:])
    check(b, one_by_one(model, [*two, 6])[-1:])
    check(c[0], one_by_one(model, [*one, 7])[-1])
    check(c[1], one_by_one(model, [*one, 8])[-1])
    assert d.shape == (0, 300)
    first.check_integrity()
    second.check_integrity()


@EVERY
def test_rejected_drafts_are_recycled(name: str) -> None:
    model = served(name)
    prefix = tokens(10)
    row = warm(model, prefix)
    draft = Feed(row, 1, [1, 2, 3, 4], [10, 11, 12, 13], None, ())
    other = Feed(row, 2, [9, 8], [10, 11], None, ())
    model.forward([draft, other])
    row.free(draft.slots[2:])
    assert row.dead == 2
    (found,) = model.forward([Feed(row, 1, [5, 6, 7], [12, 13, 14], None, range(3))])
    check(found, one_by_one(model, [*prefix, 1, 2, 5, 6, 7])[-3:])
    assert (row.dead, row.used) == (0, 17)
    row.check_integrity()
    row.release(1)
    (found,) = model.forward([Feed(row, 2, [7], [12], None, [0])])
    check(found, one_by_one(model, [*prefix, 9, 8, 7])[-1:])
    row.check_integrity()


@EVERY
def test_rows_more_than_half_dead_are_compacted(name: str) -> None:
    model = served(name)
    row = warm(model, [1, 2])
    long, short = tokens(20), [11, 12]
    model.forward([Feed(row, 1, long, range(2, 22)), Feed(row, 2, short, [2, 3])])
    row.release(1)
    assert (row.used, row.dead) == (24, 20)
    (found,) = model.forward([Feed(row, 2, [13], [4], None, [0])])
    assert (row.used, row.dead) == (5, 0)
    row.check_integrity()
    check(found, one_by_one(model, [1, 2, 11, 12, 13])[-1:])


@EVERY
def test_warm_equals_cold_after_many_edits(name: str) -> None:
    model = served(name)
    choose = random.Random(name)
    text = tokens(80)
    row = warm(model, text)
    for _ in range(50):
        cut = choose.randrange(len(text) + 1)
        text = text[:cut] + choose.choices(range(300), k=choose.randrange(1, 12))
        row.truncate(cut)
        (found,) = model.forward(
            [Feed(row, SHARED, text[cut:], range(cut, len(text)), None, [len(text) - cut - 1])]
        )
        row.check_integrity()
    assert row.tokens_of(SHARED) == text
    check(found, one_by_one(model, text)[-1:])


@EVERY
def test_rows_grow_and_keep_what_they_hold(name: str) -> None:
    model = served(name)
    ids = tokens(700)
    row = model.new_row(1)
    assert row.capacity == 256
    for first in range(0, 700, 100):
        (found,) = model.forward(
            [Feed(row, SHARED, ids[first : first + 100], range(first, first + 100), None, [99])]
        )
    assert row.capacity >= 700
    fresh = model.new_row(700)
    (expected,) = model.forward([Feed(fresh, SHARED, ids, range(700), None, [699])])
    check(found, expected)


@EVERY
def test_adopted_prefixes_are_copies(name: str) -> None:
    model = served(name)
    ids = tokens(20)
    row = warm(model, ids)
    copy = model.new_row(32)
    copy.adopt(row, 15)
    row.clear()
    model.forward([Feed(row, SHARED, tokens(20, seed=9), range(20))])
    (found,) = model.forward([Feed(copy, SHARED, [3], [15], None, [0])])
    check(found, one_by_one(model, [*ids[:15], 3])[-1:])


@EVERY
def test_malformed_feeds_are_refused_and_change_nothing(name: str) -> None:
    model = served(name)
    row = warm(model, [1, 2, 3])
    bad = [
        Feed(row, 0, [1], [3, 4]),
        Feed(row, 0, [1, 2], [4, 3]),
        Feed(row, 0, [1, 2], [3, 4], [-1]),
        Feed(row, 0, [1, 2], [3, 4], [1, -1]),
        Feed(row, 0, [1, 2], [4, 4], [-1, 0]),
    ]
    for feed in bad:
        with pytest.raises(CacheError):
            model.forward([feed])
    with pytest.raises(ContextLengthError):
        model.forward([Feed(row, 0, [1], [model.max_positions])])
    with pytest.raises(ContextLengthError):
        model.forward([Feed(row, 0, [1, 1], [model.max_positions, 5], [-1, -1])])
    assert (row.used, row.dead) == (3, 0)
    row.check_integrity()


@pytest.mark.parametrize("kind", [hand_written, generic])
def test_bf16_runs_close_to_fp32(kind: Any) -> None:
    ids = tokens(30)
    exact = served("hand-qwen2")
    config = qwen2()
    reference = build(config)
    rough = (
        hand_written(reference, torch.bfloat16)
        if kind is hand_written
        else generic(build(config, dtype=torch.bfloat16))
    )
    assert rough.dtype == torch.bfloat16
    assert rough.kv_bytes_per_slot * 2 == exact.kv_bytes_per_slot
    found, expected = one_by_one(rough, ids), one_by_one(exact, ids)
    assert found.dtype == torch.float32
    assert (found - expected).abs().max().item() < 0.05 * expected.abs().max().item()


def test_forward_needs_no_gradients() -> None:
    model = served("hand-qwen3")
    (found,) = model.forward([Feed(model.new_row(4), 0, [1], [0], None, [0])])
    assert found.is_inference()
    assert not found.requires_grad


def test_sliding_windows_bound_the_context() -> None:
    for config in (
        qwen2(use_sliding_window=True, sliding_window=64, max_window_layers=1),
        FAMILY["mistral"](sliding_window=64),
    ):
        reference = build(config)
        assert hand_written(reference).max_positions == 64
        assert generic(reference).max_positions == 64
    assert hand_written(build(qwen2(sliding_window=64))).max_positions == 4096
