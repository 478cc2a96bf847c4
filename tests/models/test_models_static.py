"""The static-shape step equals the eager forward; on CUDA, replayed graphs equal both."""

from __future__ import annotations

import random

import pytest
import torch

from copydesk.models.cuda_graphs import MOST_TOKENS, WIDTHS, StaticRunner, choose_shape
from copydesk.models.feed import Feed
from copydesk.models.llama import LlamaModel
from copydesk.models.row import SHARED
from tiny_models import FAMILY, build, hand_written


def test_shapes_are_the_smallest_that_fit() -> None:
    assert choose_shape(1, 1, 1, most_keys=4096) == (1, 512, 1)
    assert choose_shape(3, 5, 513, most_keys=4096) == (8, 1024, 4)
    assert choose_shape(1, 128, 4096, most_keys=4096) == (128, 4096, 1)
    assert choose_shape(1, 129, 10, most_keys=4096) is None
    assert choose_shape(65, 1, 10, most_keys=4096) is None
    assert choose_shape(1, 1, 4097, most_keys=4096) is None
    assert choose_shape(16, 128, 10, most_keys=4096) is None
    for rows in range(1, 65):
        for longest in (1, 8, 9, 32, 100, 128):
            shape = choose_shape(rows, longest, 600, most_keys=4096)
            if shape is not None:
                width, keys, batch = shape
                assert width in WIDTHS
                assert width >= longest
                assert batch >= rows
                assert keys >= 600
                assert width * batch <= max(MOST_TOKENS, width)


def random_feeds(model: LlamaModel, rows: list, choose: random.Random) -> list[Feed]:
    """Chains and trees for several owners of some rows; the same for equal seeds."""
    feeds = []
    for row in choose.sample(rows, k=choose.randrange(1, len(rows) + 1)):
        for owner in choose.sample(range(1, 4), k=choose.randrange(1, 3)):
            seen = [row.position[s] for s in row.slots_of(owner)] + [
                row.position[s] for s in row.slots_of(SHARED)
            ]
            first = int(max(seen, default=-1)) + 1
            n = choose.choice([1, 1, 3, 8, 20])
            parents = None
            positions = list(range(first, first + n))
            if n == 3:
                parents, positions = [-1, 0, 0], [first, first + 1, first + 1]
            outputs = sorted(choose.sample(range(n), k=choose.randrange(0, n + 1)))
            feeds.append(Feed(row, owner, choose.choices(range(300), k=n), positions, parents, outputs))
    return feeds


def walk(model: LlamaModel, steps: int, seed: int) -> list[torch.Tensor]:
    """Logits of a random walk over feeds, truncations and drafts: the same walk for every model."""
    choose = random.Random(seed)
    rows = [model.new_row(64) for _ in range(3)]
    logits: list[torch.Tensor] = []
    for number, row in enumerate(rows):
        n = 40 + 30 * number
        model.forward([Feed(row, SHARED, choose.choices(range(300), k=n), range(n))])
    for _ in range(steps):
        feeds = random_feeds(model, rows, choose)
        logits.extend(part.cpu() for part in model.forward(feeds))
        for feed in feeds:
            if feed.parents is not None:
                feed.row.rollback(feed.owner, feed.positions[1])
        if choose.random() < 0.3:
            choose.choice(rows).release(choose.randrange(1, 4))
        for row in rows:
            row.check_integrity()
    return logits


def check(found: list[torch.Tensor], expected: list[torch.Tensor]) -> None:
    assert len(found) == len(expected) > 20
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        if a.numel():
            assert (a - b).abs().max().item() < 1e-4


@pytest.mark.parametrize("name", [*FAMILY])
def test_static_step_equals_eager_forward(name: str) -> None:
    reference = build(FAMILY[name]())
    static, eager = hand_written(reference), hand_written(reference)
    runner = static.run_static(capture=False, slots=4096)
    served = 0

    real = runner.run

    def counted(*arguments: object) -> torch.Tensor | None:
        nonlocal served
        found = real(*arguments)  # type: ignore[arg-type]
        served += found is not None
        return found

    runner.run = counted  # type: ignore[method-assign]
    check(walk(static, 25, seed=3), walk(eager, 25, seed=3))
    assert served > 20


def test_wide_forwards_fall_back_to_eager() -> None:
    reference = build(FAMILY["qwen2"]())
    static, eager = hand_written(reference), hand_written(reference)
    static.run_static(capture=False, slots=4096)
    ids = random.Random(1).choices(range(300), k=200)
    for model in (static, eager):
        assert model.max_positions == 4096
    (a,) = static.forward([Feed(static.new_row(200), SHARED, ids, range(200), None, [199])])
    (b,) = eager.forward([Feed(eager.new_row(200), SHARED, ids, range(200), None, [199])])
    assert (a - b).abs().max().item() < 1e-4


def test_rows_at_the_end_of_the_arena_read_nothing_behind_it() -> None:
    reference = build(FAMILY["qwen3"]())
    static, eager = hand_written(reference), hand_written(reference)
    static.run_static(capture=False, slots=512)
    static.new_row(256)
    row, other = static.new_row(256), eager.new_row(256)
    for model, place in ((static, row), (eager, other)):
        model.forward([Feed(place, SHARED, [1, 2, 3], range(3))])
    (a,) = static.forward([Feed(row, SHARED, [4], [3], None, [0])])
    (b,) = eager.forward([Feed(other, SHARED, [4], [3], None, [0])])
    assert (a - b).abs().max().item() < 1e-4


@pytest.mark.cuda
@pytest.mark.parametrize("name", [*FAMILY])
def test_graphs_equal_eager(name: str) -> None:
    reference = build(FAMILY[name]())
    tensors = reference.state_dict()
    device = torch.device("cuda")

    def on_cuda() -> LlamaModel:
        return LlamaModel(reference.config, tensors.get, name="tiny", device=device, dtype=torch.float32)

    graphs, static, eager = on_cuda(), on_cuda(), on_cuda()
    runner: StaticRunner = graphs.run_static(capture=True, slots=4096)
    static.run_static(capture=False, slots=4096)
    expected = walk(eager, 40, seed=3)
    check(walk(graphs, 40, seed=3), expected)
    check(walk(static, 40, seed=3), expected)
    assert runner.captured
    check(walk(graphs, 40, seed=4), walk(eager, 40, seed=4))  # replays of graphs captured before


@pytest.mark.cuda
def test_graphs_run_in_bf16() -> None:
    reference = build(FAMILY["qwen2"]())
    model = LlamaModel(
        reference.config,
        reference.state_dict().get,
        name="tiny",
        device=torch.device("cuda"),
        dtype=torch.bfloat16,
    )
    model.run_static(capture=True, slots=4096)
    for logits in walk(model, 10, seed=5):
        assert torch.isfinite(logits).all()
