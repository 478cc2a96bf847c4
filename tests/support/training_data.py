"""Small synthetic shards: programs that repeat what their document says, so that a tiny model can learn something."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from copydesk_training.defects import KINDS
from copydesk_training.examples import Rendered, Role
from copydesk_training.shard_file import write_shard

VOCAB = 384
KIND = next(iter(KINDS))


def rendered(rng: np.random.Generator, low: int = 20, high: int = 90, most: int = 1) -> Rendered:
    """A page and 1 to `most` branches: a request of three tokens and a program each."""
    size = int(rng.integers(low, high))
    ids = [rng.integers(256, VOCAB, size)]
    roles = [np.full(size, Role.DOCUMENT)]
    roles[0][::7] = Role.CONTEXT
    branches: list[int] = []
    programs: list[int] = []
    for _ in range(int(rng.integers(1, most + 1))):
        branches.append(sum(map(len, ids)))
        programs.append(branches[-1] + 3)
        program = int(rng.integers(4, 9))
        ids += [rng.integers(256, VOCAB, 3), np.full(program, ids[0][1])]
        roles += [np.full(3, Role.CONTEXT), np.array([Role.FORCED] + [Role.PROGRAM] * (program - 1))]
    count = len(branches)
    return Rendered(
        np.concatenate(ids).astype(np.uint16), np.concatenate(roles).astype(np.uint8), tuple(branches), (0,) * count,
        tuple(programs), (KIND,) * count, (True,) * count, 20,
    )  # fmt: skip


def write(
    folder: Path, *, shards: int = 2, examples: int = 150, seed: int = 0, high: int = 90, most: int = 3
) -> Path:
    """`folder` with training shards and one of held-out examples."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for k in range(shards):
        made = [rendered(rng, high=high, most=most) for _ in range(examples)]
        write_shard(folder / f"train-00-{k:05d}.bin", made, {})
    write_shard(folder / "heldout-p20-00000.bin", [rendered(rng) for _ in range(12)], {})
    return folder
