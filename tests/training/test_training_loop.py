"""The loop: what a batch holds, and runs that are stopped, taken up, and broken off."""

from __future__ import annotations

import json
import os
import signal
import threading
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import training_data
from copydesk.errors import TrainingError
from copydesk.prompting.edit_format import EditFormat
from copydesk_training import checkpoint, curves, export, loop, train
from copydesk_training.batches import Batches, Examples, assemble
from copydesk_training.examples import Role
from copydesk_training.model import SIZES
from copydesk_training.prefetch import AHEAD, prefetched
from copydesk_training.schedule import Schedule
from copydesk_training.shard_file import Row

QUICK: dict[str, Any] = {
    "size": "tiny",
    "threads": 1,
    "batch_tokens": 512,
    "vocab": training_data.VOCAB,
    "validate": 0,
    "schedule": Schedule(warmup=4, curriculum=((0.0, 64), (0.3, 1 << 30))),
}


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested here is the same at any size."""
    monkeypatch.setitem(SIZES, "tiny", {"hidden": 64, "layers": 2, "heads": 1, "inner": 128})


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training_data.write(tmp_path_factory.mktemp("shards"))


def test_a_batch_is_its_examples_and_little_padding(tmp_path: Path) -> None:
    examples = Examples.open(training_data.write(tmp_path, examples=600, high=400))
    batches = Batches(examples, tokens=2048, lm_sample=0.3)
    tokens = inputs = 0
    for step in range(40):
        batch = batches.next(step)
        tokens, inputs = tokens + batch.tokens, inputs + batch.ids.numel()
        assert batch.ids.numel() <= 2048
        flat = torch.cat((batch.ids, torch.zeros_like(batch.ids[:, :1])), 1)[:, 1:].flatten()
        inside = (batch.where + 1) % batch.ids.shape[1] != 0  # the last column's target is not an input
        assert torch.equal(flat[batch.where][inside], batch.target[inside])
        assert not (batch.document & (batch.weight > 0)).any()
        assert batch.where.unique().numel() == len(batch.where)
    assert 1 - tokens / inputs < 0.10


def test_branches_have_their_own_losses_and_positions(tmp_path: Path) -> None:
    """No branch's first token is foretold, none of its tokens by another's; the page's loss comes once."""
    examples = Examples.open(training_data.write(tmp_path, most=4))
    rows = [examples[k] for k in range(12)]
    batch = assemble(rows, max(len(row.tokens) for row in rows) - 1, np.random.default_rng(0), 1.0)
    assert batch.segments is not None
    own, shared, *_ = batch.segments
    assert batch.examples == sum(len(row.branches) for row in rows)
    row_of, at = batch.where // batch.ids.shape[1], batch.where % batch.ids.shape[1]
    for k, row in enumerate(rows):
        foretold = (at[row_of == k] + 1).tolist()
        assert not set(foretold) & set(row.branches.tolist())
        wanted = np.isin(row.roles, [Role.DOCUMENT, Role.PROGRAM])
        wanted[0] = False
        assert foretold == np.flatnonzero(wanted).tolist()
        assert shared[k].max() == row.branches[0]
        assert set(own[k].tolist()) == {0, *(s for s in row.branches.tolist() if s < own.shape[1])}
    assert batch.pairs == int(batch.segments.mask.sum())
    plain = assemble([row for row in rows if len(row.branches) == 1], batch.ids.shape[1])
    assert plain.segments is None
    length = plain.ids.shape[1]
    assert plain.pairs == len(plain.ids) * length * (length + 1) // 2


def test_candidates_see_their_request_and_its_page() -> None:
    """Two requests on a page of four tokens, with two candidates and three; then a request with candidates, alone on its page."""
    branches, parents = [6, 8, 13, 15, 18], [4, 4, 11, 11, 11]
    roles = np.full(20, Role.RIVAL)
    roles[[*range(6), *branches, 11, 12]] = Role.CONTEXT
    roles[[7, 14]] = Role.PROGRAM
    two = Row(np.arange(20, dtype=np.uint16), roles.astype(np.uint8), *map(np.uint16, (branches, parents)))
    roles = np.array([Role.CONTEXT] * 4 + [Role.PROGRAM, Role.CONTEXT, Role.RIVAL], np.uint8)
    one = Row(np.arange(20, 27, dtype=np.uint16), roles, *map(np.uint16, ([3, 5], [0, 0])))
    batch = assemble([two, one], 21)
    assert batch.segments is not None
    assert batch.choices is not None
    seen = [np.flatnonzero(row).tolist() for row in batch.segments.mask[0, 0].numpy()]
    page = list(range(4))
    request = {4: [4, 5], 11: [11, 12]}
    assert seen[:4] == [page[: k + 1] for k in page]
    for begin, tokens in request.items():
        assert [seen[t] for t in tokens] == [[*page, *range(begin, t + 1)] for t in tokens]
    for begin, end, parent in zip(branches, [8, 11, 15, 18, 21], parents, strict=True):
        tokens = list(range(begin, end))
        assert [seen[t] for t in tokens] == [[*page, *request[parent], *range(begin, t + 1)] for t in tokens]
    assert batch.segments.positions[0].tolist() == [len(row) - 1 for row in seen]
    assert batch.pairs == int(batch.segments.mask.sum())
    assert batch.examples == batch.choices.count == 3
    assert batch.target.tolist() == [7, 9, 10, 14, 16, 17, 19, 24, 26]
    assert batch.choices.candidate.tolist() == [0, 1, 1, 2, 3, 3, 4, 5, 6]
    assert batch.choices.group.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert batch.choices.right.tolist() == [True, False, True, False, False, True, False]


def test_every_example_comes_once_an_epoch(shards: Path) -> None:
    batches = Batches(Examples.open(shards), tokens=256)
    seen = {c.width: [] for c in batches.classes}  # type: ignore[var-annotated]
    for number, part in enumerate(batches.classes):
        for _ in range(-(-len(part.members) // part.rows)):
            seen[part.width] += batches._take(number, part)
        assert sorted(seen[part.width][: len(part.members)]) == sorted(part.members.tolist())
    assert batches.epoch >= 1


def test_batches_go_on_from_a_position(shards: Path) -> None:
    one, other = (Batches(Examples.open(shards), tokens=256, seed=3) for _ in range(2))
    for step in range(9):
        position = one.next(step).position
    other.restore(position)
    assert torch.equal(one.next(9).ids, other.next(9).ids)


def test_batches_made_ahead_are_the_same(shards: Path) -> None:
    one, other = (Batches(Examples.open(shards), tokens=256, seed=3) for _ in range(2))
    for _ in range(5):
        one.next(0)
        other.next(0)
    for step, found in zip(range(2, 2 + 2 * AHEAD), prefetched(other, 2)):  # noqa: B905 (the batches have no end)
        wanted = one.next(step)
        assert torch.equal(found.ids, wanted.ids)
        assert torch.equal(found.where, wanted.where)
        assert found.position == wanted.position


def test_lengths_keep_to_the_curriculum(shards: Path) -> None:
    batches = Batches(Examples.open(shards), tokens=256)
    assert all(batches.next(step, 48).ids.shape[1] <= 48 for step in range(20))
    assert max(batches.next(step).ids.shape[1] for step in range(20)) > 48
    assert batches.next(0, 1).ids.shape[1] == batches.classes[0].width


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return checkpoint.load(folder).masters


def losses(folder: Path) -> list[float]:
    return [row["program_loss"] for row in curves.read_metrics(folder) if row["program_loss"] is not None]


def test_a_run_taken_up_again_is_the_run(shards: Path, tmp_path: Path) -> None:
    options = {**QUICK, "steps": 12, "report_every": 1}
    train.run(shards, tmp_path / "straight", **options)
    train.run(shards, tmp_path / "halves", **options, stop_after=6)
    assert not checkpoint.load(tmp_path / "halves").finished
    train.run(shards, tmp_path / "halves", **options, resume=True)
    assert checkpoint.load(tmp_path / "halves").finished
    a, b = weights(tmp_path / "straight"), weights(tmp_path / "halves")
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert losses(tmp_path / "straight") == losses(tmp_path / "halves")
    assert len(losses(tmp_path / "halves")) == 12


def test_it_learns_validates_and_draws(shards: Path, tmp_path: Path) -> None:
    seen: list[train.Status] = []
    path = train.run(
        shards, tmp_path, **{**QUICK, "validate": 12}, steps=60, report_every=10, report=seen.append
    )
    assert seen[-2].program_loss < seen[0].program_loss - 1
    assert seen[-1].rate == 0
    assert seen[-1].validation["loss_p20"] < seen[0].program_loss
    state = checkpoint.load(path)
    assert state.finished
    assert set(state.validation) == {"loss_p20", "exact_p20"}
    assert (tmp_path / curves.PICTURE).stat().st_size > 1000
    assert json.loads((tmp_path / "settings.json").read_text())["config"]["vocab"] == training_data.VOCAB


def test_a_budget_in_minutes_ends_with_the_decay(
    shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By the real clock a slow machine has no time for two steps.
    clock = SimpleNamespace(monotonic=count(0.0, 0.1).__next__)
    monkeypatch.setattr(loop, "time", clock)
    seen: list[train.Status] = []
    train.run(shards, tmp_path, **QUICK, minutes=1 / 30, report_every=1, report=seen.append)
    rates = [status.rate for status in seen]
    assert rates[-1] < max(rates)
    assert seen[-1].seconds_left is not None
    assert checkpoint.load(tmp_path).finished


def test_sigterm_leaves_a_resumable_state(shards: Path, tmp_path: Path) -> None:
    def kill(status: train.Status) -> None:
        if status.step == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    train.run(shards, tmp_path, **QUICK, steps=10, report_every=1, report=kill)
    assert threading.current_thread() is threading.main_thread()
    assert signal.getsignal(signal.SIGTERM) is before
    state = checkpoint.load(tmp_path)
    assert (state.step, state.finished) == (3, False)
    train.run(shards, tmp_path, **QUICK, steps=10, resume=True)
    assert checkpoint.load(tmp_path).step == 10


def test_weights_to_start_from(shards: Path, tmp_path: Path) -> None:
    first = train.run(shards, tmp_path / "first", **QUICK, steps=3)
    train.run(shards, tmp_path / "second", **QUICK, steps=1, stop_after=0, init=first)
    a, b = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert checkpoint.load(tmp_path / "second").step == 0


def test_a_model_directory_to_start_from(shards: Path, tmp_path: Path) -> None:
    first = train.run(shards, tmp_path / "first", **QUICK, steps=3)
    (tmp_path / "tokenizer.json").write_text("{}")
    made = export.export(
        first, tmp_path / "tokenizer.json", EditFormat(), tmp_path / "model", dtype=torch.float32
    )
    train.run(shards, tmp_path / "second", **QUICK, steps=1, stop_after=0, init=made)
    a, b = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.equal(a[name], b[name]) for name in a)
    with pytest.raises(TrainingError, match="another model: hidden 64, not 192"):
        train.run(shards, tmp_path / "third", **{**QUICK, "size": "s"}, steps=1, init=made)
    next(made.glob("*.safetensors")).write_bytes(b"broken")
    with pytest.raises(TrainingError, match="cannot read the model"):
        train.run(shards, tmp_path / "third", **QUICK, steps=1, init=made)


def test_a_full_disk_leaves_the_checkpoint_before(
    shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = train.run(shards, tmp_path, **QUICK, steps=2, stop_after=1)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TrainingError, match="disk is full"):
        train.run(shards, tmp_path, **QUICK, steps=2, resume=True)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.partial"))


def test_what_cannot_be_trained_is_said(shards: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="unknown size"):
        train.run(shards, tmp_path, size="huge")
    with pytest.raises(TrainingError, match="no shards"):
        train.run(tmp_path, tmp_path / "out", **QUICK)
    with pytest.raises(TrainingError, match="no checkpoint"):
        checkpoint.load(tmp_path)
    (tmp_path / checkpoint.FILE_NAME).write_bytes(b"PK broken")
    with pytest.raises(TrainingError, match="cannot be read"):
        checkpoint.load(tmp_path)


def test_other_shards_are_refused_on_resume(shards: Path, tmp_path: Path) -> None:
    train.run(shards, tmp_path / "run", **QUICK, steps=2, stop_after=1)
    with pytest.raises(TrainingError):
        train.run(training_data.write(tmp_path / "few", shards=1), tmp_path / "run", **QUICK, resume=True)


def test_the_order_depends_on_the_seed(shards: Path) -> None:
    a, b = (Batches(Examples.open(shards), tokens=256, seed=seed).next(0).ids for seed in (0, 1))
    assert a.shape != b.shape or not torch.equal(a, b)
    assert np.all(a.numpy() >= 0)
