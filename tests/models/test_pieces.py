"""A forward cut into pieces says what it says whole, and how large pieces are follows from measured times."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch

from copydesk.models import int8_kernels
from copydesk.models import pace as pacing
from copydesk.models.feed import Feed
from copydesk.models.int8_linear import is_exact
from copydesk.models.int8_llama import Int8LlamaModel
from copydesk.models.llama import LlamaModel
from copydesk.models.native_int8 import NativeInt8Model
from copydesk.models.pace import CHUNK, LEAST, UNBOUNDED, Pace, measured
from copydesk.models.pieces import Pieces
from copydesk.models.row import SHARED, Row
from mock_model import MockModel
from tiny_models import SERVED, served, transformers_model

PREFIX = 24
SMALL = Pace(most=1.0, token=1 / LEAST)
"""Every piece has LEAST tokens."""


def tokens(n: int, seed: int) -> list[int]:
    return random.Random(seed).choices(range(300), k=n)


def tree(nodes: int, seed: int, stem: int = 10) -> list[int]:
    """Parents of a tree behind a stem."""
    rng = random.Random(seed)
    return [*range(-1, stem - 1), *(rng.randrange(stem - 1, child) for child in range(stem, nodes))]


def feed(row: Row, owner: int, n: int, parents: list[int] | None, outputs: Sequence[int]) -> Feed:
    positions: list[int] = []
    for index, parent in enumerate(range(-1, n - 1) if parents is None else parents):
        positions.append(PREFIX if parent < 0 else positions[parent] + 1)
        assert parent < index
    return Feed(row, owner, tokens(n, owner), positions, parents, outputs)


def asked(model: Any) -> tuple[Row, list[Feed]]:
    """Requests on one page and one on another: a tree, a chain, a short one, and one that wants nothing."""
    row, other = model.new_row(512), model.new_row(512)
    for each in (row, other):
        model.forward([Feed(each, SHARED, tokens(PREFIX, 0), range(PREFIX))])
    return row, [
        feed(row, 1, 75, tree(75, 3), range(75)),
        feed(row, 2, 70, None, [0, 47, 48, 69]),
        feed(other, 1, 90, tree(90, 4, stem=50), [49, 50, 89]),
        feed(row, 3, 3, None, [2]),
        feed(other, 2, 40, None, []),
    ]


def forwarded(model: Any, feeds: Sequence[Feed], pace: Pace) -> tuple[list[torch.Tensor], int]:
    pieces = Pieces(model, feeds, pace)
    made = 1
    while pieces.forward():
        made += 1
    return pieces.answers, made


@pytest.mark.parametrize("name", SERVED)
def test_pieces_say_what_the_whole_says(name: str) -> None:
    model = served(name)
    row, feeds = asked(model)
    whole, made = forwarded(model, feeds, UNBOUNDED)
    assert made == 1
    again, same = asked(model)
    found, made = forwarded(model, same, SMALL)
    assert made == 6
    for expected, got in zip(whole, found, strict=True):
        assert got.shape == expected.shape
        assert torch.allclose(got, expected, atol=1e-4)
    assert [len(each.slots) for each in same] == [len(each.slots) for each in feeds]
    again.check_integrity()
    # What survives of a tree goes on as it does behind the whole one.
    path, at = list[int](), 74
    while at >= 0:
        path.insert(0, at)
        at = tree(75, 3)[at]
    later = []
    for each, first in ((row, feeds[0]), (again, same[0])):
        each.keep(first.slots, [first.slots[k] for k in path])
        place = PREFIX + len(path)
        later.append(model.forward([Feed(each, 1, [5], [place], None, [0])])[0])
    assert torch.allclose(later[0], later[1], atol=1e-4)


@pytest.mark.parametrize("native", [True, False])
def test_pieces_are_the_same_bits_in_int8(native: bool) -> None:
    reference = transformers_model("qwen2")
    config, fetch, kernels = reference.config, reference.state_dict().get, int8_kernels.load()
    model: LlamaModel
    if not native:
        if not is_exact():
            pytest.skip("torch has no exact products of bytes on this processor")
        model = Int8LlamaModel(config, fetch, name="tiny", stored=torch.float32)
    elif kernels is None:
        pytest.skip("no C++ compiler, or a processor without AVX2: there are no native kernels")
    else:
        model = NativeInt8Model(config, fetch, name="tiny", stored=torch.float32, kernels=kernels)
    whole, _ = forwarded(model, asked(model)[1], UNBOUNDED)
    found, _ = forwarded(model, asked(model)[1], SMALL)
    assert all(torch.equal(a, b) for a, b in zip(whole, found, strict=True))


def test_no_piece_takes_longer_than_it_may() -> None:
    """Costs in microseconds: 1,000 fixed, 100 a token and 0.1 for each of the keys before it."""
    pace = Pace(most=9e-3, fixed=1e-3, token=1e-4, key=1e-7)
    model = Watched(300)
    row, other = model.new_row(2048), model.new_row(2048)
    model.forward([Feed(row, SHARED, tokens(300, 0), range(300))])
    model.sizes.clear()
    feeds = [
        Feed(row, 1, tokens(200, 1), range(300, 500), None, [199]),
        Feed(other, 1, tokens(7, 2), range(7), None, [6]),
    ]
    forwarded(model, feeds, pace)
    assert sum(n for forward in model.sizes for n, _ in forward) == 207
    assert len(model.sizes) == 4
    for forward in model.sizes:
        assert sum(n * pace.cost(keys) for n, keys in forward) <= 8e-3


def test_logits_take_their_time_too() -> None:
    pace = Pace(most=1e-2, token=1e-4, output=1e-4)
    model = Watched(300)
    row, other = model.new_row(512), model.new_row(512)
    feeds = [
        Feed(row, 1, tokens(100, 1), range(100), None, range(50, 100)),
        Feed(other, 1, tokens(60, 2), range(60), None, range(60)),
    ]
    answers, made = forwarded(model, feeds, pace)
    # 50 tokens without and 25 with an output, 25 with one of either, 35 left: no more than 100 of either together.
    assert made == 3
    assert [[n for n, _ in forward] for forward in model.sizes] == [[75], [25, 25], [35]]
    assert [len(answer) for answer in answers] == [50, 60]


class Watched(MockModel):
    """Keeps, for each forward, how many tokens each feed has and how many slots lie before them."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__(vocab_size, context=0)
        self.sizes: list[list[tuple[int, int]]] = []

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        self.sizes.append([(len(feed.tokens), len(feed.row)) for feed in feeds])
        return super().forward(feeds)


# -- the pace --------------------------------------------------------------------------------------------------------


class Timed(MockModel):
    """A model whose forwards take a time by this formula, on the clock that the measurement reads."""

    def __init__(self, seconds: Callable[[int, int, int], float]) -> None:
        super().__init__(300, context=0)
        self.now = 0.0
        self._seconds = seconds

    def forward(self, feeds: Sequence[Feed]) -> list[torch.Tensor]:
        (feed,) = feeds
        self.now += self._seconds(len(feed.tokens), len(feed.row), len(feed.outputs))
        return super().forward(feeds)


def test_the_pace_is_what_forwards_took(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Timed(lambda n, keys, told: 0.02 + 0.0005 * n + 0.000001 * n * keys + 0.0002 * told)
    monkeypatch.setattr(pacing.time, "thread_time", lambda: model.now)
    pace = measured(model, 0.06)
    assert pace.fixed == pytest.approx(0.0202)  # a forward has one output at least
    assert pace.output == pytest.approx(0.0002)
    assert pace.token == pytest.approx(0.0005)
    assert pace.key == pytest.approx(0.000001)
    assert 0.03 < 0.02 + pace.tokens(0) * pace.cost(0) <= 0.06
    assert 0.03 < 0.02 + pace.tokens(200) * pace.cost(200) <= 0.06
    assert pace.tokens(1000) < pace.tokens(0)
    assert model.pool.bytes_in_use == 0


def test_quick_models_are_not_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Timed(lambda n, keys, told: 0.0001 * n)
    monkeypatch.setattr(pacing.time, "thread_time", lambda: model.now)
    assert measured(model, 0.06) == UNBOUNDED
    assert UNBOUNDED.tokens(0) == CHUNK


def test_a_slow_machine_reads_no_more_weights_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where weights alone take longer than a forward may, shorter pieces would only take longer together."""
    model = Timed(lambda n, keys, told: 0.5 + 0.005 * n)
    monkeypatch.setattr(pacing.time, "thread_time", lambda: model.now)
    assert measured(model, 0.06).tokens(0) == pytest.approx(100, abs=8)
