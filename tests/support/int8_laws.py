"""The law of int8: a token's logits are the same bits however tokens are forwarded, and whatever beside them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from copydesk.models.feed import Feed
from copydesk.models.model import Model
from copydesk.models.row import SHARED


@contextmanager
def threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def tokens(n: int, seed: int = 0) -> list[int]:
    return random.Random(seed).choices(range(300), k=n)


def all_logits(model: Model, ids: list[int], widths: list[int]) -> torch.Tensor:
    """[n, V] after each of `ids`, forwarded in pieces of these widths."""
    row, parts, first = model.new_row(len(ids)), [], 0
    for width in widths:
        part = ids[first : first + width]
        parts.append(
            model.forward([Feed(row, SHARED, part, range(first, first + width), None, range(width))])[0]
        )
        first += width
    row.store.release()
    return torch.cat(parts)


def check_laws(model: Model, ids: list[int]) -> torch.Tensor:
    """Asserts that the logits are the same bits however 96 tokens are forwarded, and gives them."""
    expected = all_logits(model, ids, [96])
    for widths in ([64] + [1] * 32, [2, 3, 5, 8, 13, 16, 17, 32]):
        assert torch.equal(all_logits(model, ids, widths), expected), widths
    # Packed with others on one prefix, beside another row, with dead slots and with a branch nobody takes.
    row, other = model.new_row(256), model.new_row(64)
    model.forward([Feed(row, SHARED, ids[:32], range(32))])
    ours = Feed(row, 1, ids[32:64], range(32, 64), None, range(32))
    many = [Feed(row, owner, tokens(9, owner), range(32, 41), None, [8]) for owner in range(2, 9)]
    beside = Feed(other, SHARED, tokens(17, 9), range(17), None, [16])
    assert torch.equal(model.forward([*many[:3], ours, *many[3:], beside])[3], expected[32:64])
    for owner in (2, 4, 8):
        row.release(owner)
    assert row.dead
    branches = Feed(
        row, 1, [ids[64], 7, ids[65], 8, ids[66]], [64, 64, 65, 65, 66], [-1, -1, 0, 1, 2], [0, 2, 4]
    )
    found = model.forward([branches, Feed(row, 3, [5], [41], None, [0])])[0]
    assert torch.equal(found, expected[64:67])
    row.keep(branches.slots, [branches.slots[i] for i in (0, 2, 4)])
    row.compact()
    last = model.forward([Feed(row, 1, ids[67:96], range(67, 96), None, range(29))])[0]
    assert torch.equal(last, expected[67:])
    row.check_integrity()
    return expected
