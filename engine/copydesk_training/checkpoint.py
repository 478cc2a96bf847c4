"""A run's state on disk: written whole or not at all, read without running code from the file.

Knows what a checkpoint holds, and nothing of how it is trained or exported.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from copydesk.errors import TrainingError
from copydesk.files.atomic import replacing
from copydesk_training.model import Config

VERSION = 1
FILE_NAME = "checkpoint.pt"


@dataclass(slots=True)
class Checkpoint:
    """Everything a run needs to go on as if it had never stopped.

    optimiser: `MuonAdamW.state()` (masters fp32). position: `Batch.position` after the last step. seconds: of training so far.
    settings: what the run was started with. shards: file names, in order. finished: the schedule came to its end.
    """

    config: Config
    optimiser: dict[str, Any]
    step: int
    seconds: float
    tokens: int
    examples: int
    flops: float
    position: list[tuple[int, int]]
    shards: list[str]
    settings: dict[str, Any]
    finished: bool = False
    validation: dict[str, float] = field(default_factory=dict)

    @property
    def masters(self) -> dict[str, torch.Tensor]:
        weights: dict[str, torch.Tensor] = self.optimiser["masters"]
        return weights


def save(path: Path, state: Checkpoint) -> None:
    """Replace `path` atomically. Raises TrainingError where the disk is full; what was there before stays."""
    payload = {name: getattr(state, name) for name in Checkpoint.__slots__} | {
        "config": state.config.to_dict(),
        "version": VERSION,
    }
    try:
        with replacing(path) as partial, partial.open("wb") as file:
            torch.save(payload, file)
            file.flush()
            os.fsync(file.fileno())
    except (OSError, RuntimeError) as error:  # torch reports a short write as RuntimeError
        full = isinstance(error, RuntimeError) or error.errno == errno.ENOSPC
        reason = f"the disk is full ({error})" if full else str(error)
        raise TrainingError(
            f"the checkpoint {path} could not be written: {reason}; the one before is still there"
        ) from error


def load(path: Path) -> Checkpoint:
    """The checkpoint in the file `path`, or in the folder. Raises TrainingError where it is missing or damaged."""
    if path.is_dir():
        path = path / FILE_NAME
    if not path.is_file():
        raise TrainingError(f"there is no checkpoint at {path}")
    try:
        payload = torch.load(path, map_location="cpu", weights_only=True)
        if payload.pop("version") != VERSION:
            raise TrainingError(f"{path} is a checkpoint of another version")
        payload["config"] = Config(**payload["config"])
        payload["position"] = [(int(a), int(b)) for a, b in payload["position"]]
        return Checkpoint(**payload)
    except TrainingError:
        raise
    except Exception as error:  # damaged archives raise whatever their readers raise
        raise TrainingError(f"the checkpoint {path} cannot be read: {error}") from error
