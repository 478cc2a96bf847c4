"""Train a model on shards: a wall-clock budget whose schedule always ends with its decay, and a state that can be taken up again.

Everything but the clock is determined by seed, shards and step: with a budget in steps instead of minutes, a run that was
stopped and taken up gives the same weights as one that was not. Knows no corpus and no terminal: who wants to watch passes
`report`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from copydesk.errors import TrainingError
from copydesk.models.load import choose_dtype
from copydesk_training import checkpoint as checkpoints
from copydesk_training import kernels
from copydesk_training.batches import Examples
from copydesk_training.export import exported
from copydesk_training.loop import Budget, Loop, Report, Status
from copydesk_training.model import SIZES, Config, TrainingModel
from copydesk_training.schedule import Schedule
from copydesk_training.validation import Validation

__all__ = ["Report", "Status", "run", "vocabulary_size"]

BATCH_TOKENS = {"cpu": 5120, "cuda": 65_536}


def run(
    shards: Path,
    out: Path,
    *,
    size: str = "s",
    minutes: float = 60.0,
    steps: int | None = None,
    seed: int = 0,
    device: str = "cpu",
    init: Path | None = None,
    resume: bool = False,
    lm_weight: float = 0.5,
    lm_sample: float = 0.3,
    threads: int | None = None,
    vocab: int | None = None,
    batch_tokens: int | None = None,
    schedule: Schedule | None = None,
    native: bool = True,
    dtype: str = "auto",
    checkpoint_minutes: float = 5.0,
    validate: int = 128,
    report_every: int = 20,
    stop_after: int | None = None,
    report: Report | None = None,
) -> Path:
    """Train a model of `size` on the shards of a folder; the path of its checkpoint in `out`.

    minutes: wall-clock budget, validation and checkpoints included; `steps` replaces it. init: a checkpoint, or an exported model
    directory, whose weights to start from. resume: take up the run in `out` (its size, seed, batches and schedule are kept; the
    budget is the one given now), or begin where there is none. vocab: size of the tokenizer; by default that of `tokenizer.json`
    beside the shards, else what the shards show. native: use compiled kernels where they can be built. dtype: bf16, fp32, or
    auto: bf16 where the device has instructions for it. validate: held-out examples of each set measured at every checkpoint;
    0 for none. stop_after: stop resumably after this step, as SIGTERM and
    Ctrl-C do. A checkpoint is written every `checkpoint_minutes`. Raises TrainingError.
    """
    if size not in SIZES:
        raise TrainingError(f"unknown size {size!r}: {', '.join(SIZES)}")
    if threads is not None:
        torch.set_num_threads(threads)
    out.mkdir(parents=True, exist_ok=True)
    found = checkpoints.load(out) if resume and (out / checkpoints.FILE_NAME).is_file() else None
    target = torch.device(device)
    if dtype == "auto":
        dtype = "bf16" if choose_dtype(dtype, target, torch.bfloat16) == torch.bfloat16 else "fp32"
    settings: dict[str, Any] = {
        "size": size, "seed": seed, "lm_weight": lm_weight, "lm_sample": lm_sample, "dtype": dtype,
        "batch_tokens": batch_tokens or BATCH_TOKENS.get(torch.device(device).type, 5120),
        "schedule": asdict(schedule or Schedule()), "init": None if init is None else init.name,
    }  # fmt: skip
    if found is not None:
        settings = found.settings
    examples = Examples.open(shards, names=None if found is None else found.shards)
    if found is not None:
        config = found.config
    else:
        config = Config(vocab=vocab or vocabulary_size(shards, examples), **SIZES[size])
    torch.manual_seed(settings["seed"])
    model = TrainingModel(
        config,
        device=target,
        dtype=torch.float32 if settings["dtype"] == "fp32" else torch.bfloat16,
        kernels=kernels.load() if native and target.type == "cpu" else None,
    )
    loop = Loop(model, target, examples, out, settings)
    if found is not None:
        loop.restore(found)
    elif init is not None:
        loop.optimiser.load_weights(initial_weights(init, config))
    loop.validation = Validation(shards, most=validate) if validate else None
    loop.budget = Budget(minutes * 60, steps, loop.seconds)
    (out / "settings.json").write_text(
        json.dumps({**settings, "minutes": minutes, "steps": steps, "config": config.to_dict()}, indent=1)
        + "\n"
    )
    loop.go(checkpoint_minutes * 60, report_every, stop_after, report)
    return out / checkpoints.FILE_NAME


def initial_weights(path: Path, config: Config) -> dict[str, torch.Tensor]:
    """The weights of a checkpoint, or of a model directory that `export` wrote, for a model of `config`.

    Raises TrainingError where there are none, or of another shape.
    """
    if (path / "config.json").is_file() and not (path / checkpoints.FILE_NAME).is_file():
        theirs, weights = exported(path)
    else:
        state = checkpoints.load(path)
        theirs, weights = state.config, state.masters
    wanted, given = config.to_dict(), theirs.to_dict()
    other = [name for name in wanted if name != "positions" and wanted[name] != given[name]]
    if other:
        told = ", ".join(f"{name} {given[name]}, not {wanted[name]}" for name in other)
        raise TrainingError(f"the weights in {path} are those of another model: {told}")
    return weights


def vocabulary_size(shards: Path, examples: Examples) -> int:
    """Of the tokenizer beside the shards, rounded up to a multiple of 64; else one that holds every token of the shards."""
    for folder in (shards, shards.parent):
        path = folder / "tokenizer.json"
        if path.is_file():
            told = json.loads(path.read_text("utf-8"))
            ids = [*told["model"]["vocab"].values(), *(t["id"] for t in told.get("added_tokens", []))]
            return -(-(max(ids) + 1) // 64) * 64
    highest = max((int(shard.tokens.max()) for shard in examples.shards if len(shard.tokens)), default=0)
    return -(-(highest + 1) // 64) * 64
