"""A finished checkpoint as a model directory: `Qwen2ForCausalLM` in bf16, tokenizer, edit format and model card.

The directory is what `Editor.load` and transformers read. Weights are the fp32 masters, rounded once. Knows nothing of
training but what checkpoint and metrics say. A directory can be read back, to train on from it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from copydesk.errors import TrainingError
from copydesk.prompting.edit_format import EditFormat
from copydesk_training import checkpoint as checkpoints
from copydesk_training import curves
from copydesk_training.card import model_card
from copydesk_training.model import Config, from_hf, hf_config, hf_tensors

MIB = 1 << 20


def export(
    checkpoint: Path,
    tokenizer: Path,
    format: EditFormat,
    out: Path,
    manifest: dict[str, Any] | Path | None = None,
    *,
    dtype: torch.dtype = torch.bfloat16,
    shard_mib: int | None = None,
    figures: dict[str, Any] | Path | None = None,
    average: Path | None = None,
    share: float = 0.7,
) -> Path:
    """Write the model of `checkpoint` (a file or a run's folder) to the directory `out`, and give `out`.

    tokenizer: `tokenizer.json` or its folder. manifest: what shards or corpus were made of, figures: what was measured; dicts
    or JSON files, told in the model card. shard_mib: the size of a weights file at most, where one should not hold them all.
    average: an exported model of the same shape, such as the one the run began with; of each weight `share` is then the
    checkpoint's and the rest its (model soups, arXiv 2203.05482). Raises TrainingError.
    """
    state = checkpoints.load(checkpoint)
    source = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not source.is_file():
        raise TrainingError(f"there is no tokenizer at {tokenizer}")
    out.mkdir(parents=True, exist_ok=True)
    masters = state.masters if average is None else _averaged(state, average, share)
    tensors = {k: v.to(dtype).contiguous() for k, v in hf_tensors(masters, state.config).items()}
    _write_weights(tensors, out, shard_mib)
    kind = str(dtype).removeprefix("torch.")
    config = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "dtype": kind,
        "hidden_act": "silu",
    }
    # A sequence has no beginning or end mark of its own: programs say where they end.
    ends = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    _write_json(out / "config.json", {**config, **hf_config(state.config), **ends})
    if source.resolve() != (out / "tokenizer.json").resolve():
        shutil.copyfile(source, out / "tokenizer.json")
    _write_json(
        out / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": state.config.positions,
            "clean_up_tokenization_spaces": False,
            "pad_token": "<pad>",
        },
    )
    format.save(out)
    run = checkpoint if checkpoint.is_dir() else checkpoint.parent
    card = model_card(
        state, format, manifest=_read(manifest), figures=_read(figures), metrics=curves.read_metrics(run)
    )
    (out / "README.md").write_text(card, encoding="utf-8")
    return out


def _averaged(state: checkpoints.Checkpoint, average: Path, share: float) -> dict[str, torch.Tensor]:
    other, weights = exported(average)
    if {**other.to_dict(), "positions": 0} != {**state.config.to_dict(), "positions": 0}:
        raise TrainingError(f"the model in {average} has another shape: no average can be taken")
    return {name: share * mine.float() + (1 - share) * weights[name] for name, mine in state.masters.items()}


def exported(folder: Path) -> tuple[Config, dict[str, torch.Tensor]]:
    """The inverse: sizes and fp32 weights of a directory that `export` wrote. Raises TrainingError."""
    told = _read(folder / "config.json") or {}
    try:
        config = Config(
            vocab=told["vocab_size"],
            hidden=told["hidden_size"],
            layers=told["num_hidden_layers"],
            heads=told["num_attention_heads"],
            inner=told["intermediate_size"],
            positions=told["max_position_embeddings"],
            theta=told["rope_parameters"]["rope_theta"],
            eps=told["rms_norm_eps"],
        )
        if told["num_key_value_heads"] != config.heads or not told["tie_word_embeddings"]:
            raise TrainingError(f"the model in {folder} is not one of those trained here")
        tensors: dict[str, torch.Tensor] = {}
        for path in sorted(folder.glob("model*.safetensors")):
            tensors.update(load_file(path))
        return config, from_hf(tensors, config)
    except (OSError, KeyError, TypeError, ValueError, SafetensorError) as error:
        raise TrainingError(f"cannot read the model in {folder}: {error!r}") from error


def _write_weights(tensors: dict[str, torch.Tensor], out: Path, shard_mib: int | None) -> None:
    """One file, or several no larger than `shard_mib` with an index. Files of an earlier export go."""
    for old in [*out.glob("model*.safetensors"), out / "model.safetensors.index.json"]:
        old.unlink(missing_ok=True)
    total = sum(t.nbytes for t in tensors.values())
    if shard_mib is None or total <= shard_mib * MIB:
        _save(tensors, out / "model.safetensors")
        return
    groups: list[dict[str, torch.Tensor]] = [{}]
    size = 0
    for name, tensor in tensors.items():
        # A little room for the header of each file.
        if groups[-1] and size + tensor.nbytes > shard_mib * MIB - 65_536:
            groups.append({})
            size = 0
        groups[-1][name] = tensor
        size += tensor.nbytes
    places: dict[str, str] = {}
    for number, group in enumerate(groups, start=1):
        name = f"model-{number:05d}-of-{len(groups):05d}.safetensors"
        _save(group, out / name)
        places.update(dict.fromkeys(group, name))
    _write_json(
        out / "model.safetensors.index.json", {"metadata": {"total_size": total}, "weight_map": places}
    )


def _save(tensors: dict[str, torch.Tensor], path: Path) -> None:
    save_file(tensors, path, metadata={"format": "pt"})
    path.chmod(0o644)  # the library makes files nobody else may read


def _write_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def _read(source: dict[str, Any] | Path | None) -> dict[str, Any] | None:
    if not isinstance(source, Path):
        return source
    try:
        found = json.loads(source.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"cannot read {source}: {error}") from error
    return found if isinstance(found, dict) else {"entries": found}
