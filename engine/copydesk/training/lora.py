"""Fine-tune any causal model of transformers for the `tags` format, by low-rank adapters (LoRA, arXiv 2106.09685; peft).

The same shards, batches, schedule and loss as for a model trained from scratch, rendered with that model's own tokenizer. The
result is a model directory with merged weights, or the adapter alone. Knows no corpus.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from copydesk.errors import ModelError, TrainingError
from copydesk.format import EditFormat
from copydesk.training.batches import Batch, Batches, Examples
from copydesk.training.loss import head_loss
from copydesk.training.schedule import Schedule
from copydesk.vocabulary import HFVocabulary

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
"""The linear layers adapters are put on, by the names of the Llama family."""


@dataclass(frozen=True, slots=True)
class LoraStatus:
    """How a fine-tuning run is doing; losses in nats a token."""

    step: int
    progress: float
    loss: float
    tokens: int
    seconds: float


def run_lora(
    model: str | Path,
    shards: Path,
    format: EditFormat,
    out: Path,
    *,
    minutes: float = 30.0,
    steps: int | None = None,
    rank: int = 16,
    alpha: int = 32,
    dropout: float = 0.0,
    rate: float = 2e-4,
    seed: int = 0,
    device: str = "auto",
    lm_weight: float = 0.0,
    batch_tokens: int = 4096,
    threads: int | None = None,
    targets: list[str] | None = None,
    merge: bool = True,
    report: Callable[[LoraStatus], None] | None = None,
) -> Path:
    """Fine-tune `model` (a directory or hub id) on shards rendered with its tokenizer and `format`; gives the directory `out`.

    merge: save merged weights, ready for `Editor.load`; else the adapter, with `copydesk.json` beside it. The budget is `minutes`
    of wall-clock time, or `steps`. Raises ModelError for a model that cannot be loaded, TrainingError otherwise.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise TrainingError("fine-tuning needs peft: install copydesk[train]") from error
    if format.kind == "rewrite":
        raise TrainingError(
            "a model is fine-tuned for programs: the edit format is tags or lines, not rewrite"
        )
    if threads is not None:
        torch.set_num_threads(threads)
    torch.manual_seed(seed)
    target = _device(device)
    base, tokenizer = _load(model, target)
    examples = Examples.open(shards)
    _check_tokens(examples, shards, tokenizer, int(base.config.vocab_size))
    config = LoraConfig(
        r=rank,
        lora_alpha=alpha,
        lora_dropout=dropout,
        target_modules=targets or TARGETS,
        task_type="CAUSAL_LM",
    )
    adapted = get_peft_model(base, config)
    adapted.train()
    trainable = [p for p in adapted.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trainable, lr=rate, betas=(0.9, 0.98), weight_decay=0.0)
    batches = Batches(examples, tokens=batch_tokens, seed=seed, lm_sample=0.3 if lm_weight else 0.0)
    schedule = Schedule(rate=rate, warmup=20, curriculum=())
    # The decoder without its head: logits are made at the chosen positions alone.
    inside: Any = adapted.get_base_model()
    decoder, head = inside.get_decoder(), inside.get_output_embeddings().weight
    started, step, tokens = time.monotonic(), 0, 0
    while True:
        spent = time.monotonic() - started
        progress = step / steps if steps is not None else spent / (minutes * 60)
        if progress >= 1:
            break
        batch = batches.next(step).to(target)
        documents = int(batch.document.sum())
        coefficient = batch.weight / batch.weight.sum().clamp(min=1e-6)
        if documents:
            coefficient = coefficient + batch.document * (lm_weight / documents)
        hidden = decoder(input_ids=batch.ids, use_cache=False, **_seen(batch)).last_hidden_state
        loss, each = head_loss(hidden.flatten(0, 1), head, batch.where, batch.target, coefficient, None)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainable, 1.0)
        for group in optimiser.param_groups:
            group["lr"] = rate * schedule.factor(step, progress)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        program = float((each * batch.weight).sum() / batch.weight.sum().clamp(min=1e-6))
        if not math.isfinite(program):
            raise TrainingError(f"the loss is {program} at step {step}: lower the rate")
        step, tokens = step + 1, tokens + batch.tokens
        if report is not None:
            report(LoraStatus(step, min(1.0, progress), program, tokens, time.monotonic() - started))
    return _save(adapted, tokenizer, format, out, merge=merge)


def _device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


def _load(model: str | Path, device: torch.device) -> tuple[Any, Any]:
    """Model and tokenizer. Raises ModelError."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    local = Path(model).is_dir()
    options: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    # Adapters stay in fp32; on CUDA the frozen weights need not.
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(model, **options)
        loaded = AutoModelForCausalLM.from_pretrained(model, dtype=dtype, use_safetensors=True, **options)
    except Exception as error:  # transformers raises whatever its readers raise
        raise ModelError(f"{model} cannot be loaded for fine-tuning: {error}") from error
    return loaded.to(device), tokenizer


def save_tokenizer(model: str | Path, folder: Path) -> None:
    """Write the tokenizer of `model` (a directory or hub id) to `folder`, for shards in its tokens. Raises ModelError."""
    from transformers import AutoTokenizer

    local = Path(model).is_dir()
    try:
        found = AutoTokenizer.from_pretrained(model, local_files_only=local, trust_remote_code=False)
        found.backend_tokenizer.save(str(folder / "tokenizer.json"))
    except Exception as error:  # transformers raises whatever its readers raise
        raise ModelError(f"{model} has no tokenizer that can be used: {error}") from error


def _seen(batch: Batch) -> dict[str, torch.Tensor]:
    """What each token sees, and at which position, where several branches share a page; nothing where each row has one."""
    if batch.segments is None:
        return {}
    return {"attention_mask": batch.segments.mask, "position_ids": batch.segments.positions.long()}


def _check_tokens(examples: Examples, folder: Path, tokenizer: Any, size: int) -> None:
    """Raises TrainingError where the shards are not in the model's tokens."""
    largest = max((int(shard.tokens.max(initial=0)) for shard in examples.shards), default=0)
    other = largest >= size
    if not other and (folder / "tokenizer.json").is_file():
        made = HFVocabulary.from_directory(folder).fingerprint
        other = made != HFVocabulary(tokenizer.backend_tokenizer).fingerprint
    if other:
        raise TrainingError(
            f"the shards in {folder} were made with another tokenizer: make them with `copydesk train shards --model`"
        )


def _save(adapted: Any, tokenizer: Any, format: EditFormat, out: Path, *, merge: bool) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    result = adapted.merge_and_unload() if merge else adapted
    result.save_pretrained(out, safe_serialization=True)
    tokenizer.save_pretrained(out)
    format.save(out)
    return out
