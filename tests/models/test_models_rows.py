"""The bookkeeping of rows under random operations, against a model that is a plain list."""

from __future__ import annotations

import random

import numpy as np
import pytest

from copydesk.errors import CacheError
from copydesk.models.feed import Feed, plan
from copydesk.models.row import SHARED, Row, bucket
from mock_model import CallbackModel, MockModel, scripted


def contents(row: Row) -> dict[int, list[tuple[int, int]]]:
    """(position, token) of all live slots, per owner."""
    result: dict[int, list[tuple[int, int]]] = {}
    for slot in range(row.used):
        if row.live[slot]:
            owner = int(row.owner[slot])
            result.setdefault(owner, []).append((int(row.position[slot]), int(row.token[slot])))
    return {owner: sorted(pairs) for owner, pairs in result.items()}


@pytest.mark.parametrize("seed", range(40))
def test_random_operations(seed: int) -> None:
    choose = random.Random(seed)
    model = MockModel(50, seed=seed)
    row = model.new_row(8)
    expected: dict[int, list[tuple[int, int]]] = {}

    def next_position(owner: int) -> int:
        last = [p for who in {SHARED, owner} for p, _ in expected.get(who, [])]
        return max(last, default=-1) + 1

    for _ in range(60):
        action = choose.randrange(7)
        if action <= 2:
            feeds = []
            for owner in choose.sample(range(1, 5), k=choose.randrange(1, 4)):
                n, first = choose.randrange(1, 9), next_position(owner)
                feeds.append(
                    Feed(row, owner, choose.choices(range(50), k=n), range(first, first + n), None, [n - 1])
                )
            model.forward(feeds)
            for feed in feeds:
                expected.setdefault(feed.owner, []).extend(zip(feed.positions, feed.tokens, strict=True))
                if len(feed.slots) > 2 and choose.random() < 0.5:
                    gone = choose.randrange(1, len(feed.slots))
                    row.free(feed.slots[gone:])
                    expected[feed.owner] = expected[feed.owner][: gone - len(feed.slots)]
        elif not expected or (action == 3 and set(expected) == {SHARED}):
            first = next_position(SHARED)
            model.forward([Feed(row, SHARED, [1, 2, 3], range(first, first + 3))])
            expected.setdefault(SHARED, []).extend([(first, 1), (first + 1, 2), (first + 2, 3)])
        elif action == 4:
            position = choose.randrange(40)
            row.truncate(position)
            expected = {o: [pair for pair in pairs if pair[0] < position] for o, pairs in expected.items()}
        elif action == 5:
            owner, position = choose.randrange(1, 5), choose.randrange(40)
            row.rollback(owner, position)
            expected[owner] = [pair for pair in expected.get(owner, []) if pair[0] < position]
        elif choose.random() < 0.5:
            row.compact()
            assert row.used == len(row)
        else:
            owner = choose.randrange(1, 5)
            row.release(owner)
            expected.pop(owner, None)
        expected = {owner: sorted(pairs) for owner, pairs in expected.items() if pairs}
        row.check_integrity()
        assert contents(row) == expected


def test_compaction_keeps_the_order() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward(
        [Feed(row, SHARED, [1, 2, 3], range(3)), Feed(row, 1, [4, 5], [3, 4]), Feed(row, 2, [6], [3])]
    )
    row.release(1)
    assert (row.used, row.dead) == (6, 2)
    row.compact()
    assert row.token[: row.used].tolist() == [1, 2, 3, 6]
    row.check_integrity()


def test_freeing_what_holds_nothing_is_an_error() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    for slots in ([3], [-1], [1, 1]):
        with pytest.raises(CacheError):
            row.free(slots)
    assert len(row) == 3
    row.free([])
    row.check_integrity()


def test_moves_that_would_lose_a_slot_are_errors() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3, 4], range(4))])
    row.free([1])
    for sources, targets in (([0], [2]), ([1], [0]), ([0, 0], [1, 2]), ([0], [1, 2]), ([0], [9])):
        with pytest.raises(CacheError):
            row.move(sources, targets)
    row.move([2, 3], [1, 2])
    assert row.token[: row.used].tolist() == [1, 3, 4]
    row.check_integrity()


@pytest.mark.parametrize("damage", ["dead", "last_position", "used"])
def test_integrity_check_sees_damage(damage: str) -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    setattr(row, damage, getattr(row, damage) + 1)
    with pytest.raises(CacheError):
        row.check_integrity()


def test_integrity_check_sees_wrong_owners() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    row.owner[1] = 4
    with pytest.raises(CacheError):
        row.check_integrity()


def test_capacities_come_in_few_sizes() -> None:
    assert [bucket(n) for n in (0, 1, 256, 257, 2048, 2049, 4097)] == [256, 256, 256, 512, 2048, 2560, 5120]
    for n in range(1, 70000, 97):
        assert n <= bucket(n) <= max(256, n * 1.25 + 256)
        assert bucket(bucket(n)) == bucket(n)


def test_the_fast_path_has_no_mask() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    assert plan([Feed(row, SHARED, [4], [3])])[0].mask is None
    assert plan([Feed(row, 1, [4, 5], [3, 4])])[0].mask is None
    assert plan([Feed(row, 1, [4, 5], [3, 3], [-1, -1])])[0].mask is not None
    assert plan([Feed(row, 1, [4], [2])])[0].mask is not None  # position 2 of the prefix is not its past
    assert plan([Feed(row, 1, [4], [3]), Feed(row, 2, [4], [3])])[0].mask is not None
    model.forward([Feed(row, 1, [4], [3])])
    assert plan([Feed(row, 1, [5], [4])])[0].mask is None
    assert plan([Feed(row, 2, [5], [4])])[0].mask is not None


def test_the_mask_says_who_sees_what() -> None:
    model = MockModel(50)
    row = model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2], range(2)), Feed(row, 1, [3], [2])])
    (found,) = plan([Feed(row, 1, [4], [3]), Feed(row, 2, [5, 6], [2, 3])])
    assert found.slots == [3, 4, 5]
    assert found.mask is not None
    shown = ["".join(".x"[int(v)] for v in line) for line in found.mask]
    assert shown == ["xxxx..", "xx..x.", "xx..xx"]


def test_a_failed_forward_leaves_rows_as_they_were() -> None:
    model = MockModel(50)
    row, other = model.new_row(8), model.new_row(8)
    model.forward([Feed(row, SHARED, [1, 2, 3], range(3))])
    before = contents(row)
    model.fail_next = RuntimeError("no")
    with pytest.raises(RuntimeError):
        model.forward([Feed(row, SHARED, [4], [3]), Feed(other, SHARED, [1], [0])])
    assert contents(row) == before
    assert other.used == 0
    row.check_integrity()


def test_mock_logits_depend_on_context_seed_and_nothing_else() -> None:
    def last(model: MockModel, ids: list[int]) -> list[float]:
        (found,) = model.forward([Feed(model.new_row(8), 0, ids, range(len(ids)), None, [len(ids) - 1])])
        values: list[float] = found[0].tolist()
        return values

    assert last(MockModel(20, seed=1), [1, 2, 3]) == last(MockModel(20, seed=1), [1, 2, 3])
    assert last(MockModel(20, seed=1), [1, 2, 3]) != last(MockModel(20, seed=2), [1, 2, 3])
    assert last(MockModel(20, seed=1), [1, 2, 3]) != last(MockModel(20, seed=1), [2, 2, 3])
    assert last(MockModel(20, context=2), [1, 2, 3]) == last(MockModel(20, context=2), [9, 2, 3])


def test_callback_and_scripted_models() -> None:
    seen: list[list[int]] = []

    def callback(context: list[int]) -> np.ndarray:
        seen.append(context)
        return np.arange(5.0)

    model = CallbackModel(5, callback)
    row = model.new_row(8)
    (found,) = model.forward([Feed(row, 0, [3, 4], [0, 1], None, [0, 1])])
    assert seen == [[3], [3, 4]]
    assert found.argmax(-1).tolist() == [4, 4]
    talker = scripted(9, [7, 8], prompt=2)
    (found,) = talker.forward([Feed(talker.new_row(8), 0, [1, 2, 7, 8], range(4), None, [1, 2, 3])])
    assert found.argmax(-1).tolist() == [7, 8, 0]
