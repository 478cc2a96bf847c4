"""Small synthetic shards: programs that repeat what their document says, so that a tiny model can learn something."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from copydesk.training.defects import KINDS
from copydesk.training.examples import Rendered, Role
from copydesk.training.shard_file import write_shard

VOCAB = 384


def rendered(rng: np.random.Generator, low: int = 20, high: int = 90) -> Rendered:
    size, program = int(rng.integers(low, high)), int(rng.integers(4, 9))
    ids = rng.integers(256, VOCAB, size + program).astype(np.uint16)
    ids[size:] = ids[1]
    roles = np.full(size + program, Role.DOCUMENT, np.uint8)
    roles[:size:7] = Role.CONTEXT
    roles[size:] = Role.PROGRAM
    roles[size] = Role.FORCED
    return Rendered(ids, roles, size, 20)


def write(folder: Path, *, shards: int = 2, examples: int = 150, seed: int = 0, high: int = 90) -> Path:
    """`folder` with training shards and one of held-out examples."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    kind = next(iter(KINDS))
    for k in range(shards):
        made = [(rendered(rng, high=high), kind, True) for _ in range(examples)]
        write_shard(folder / f"train-00-{k:05d}.bin", made, {})
    held = [(rendered(rng), kind, True) for _ in range(12)]
    write_shard(folder / "heldout-p20-00000.bin", held, {})
    return folder
