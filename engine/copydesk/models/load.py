"""Load a model by name, from a directory or a hub id.

The one place of the engine below the facade that reads files. Only safetensors are read, no code that comes
with a model is run, and nothing touches the network unless a hub id was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch

from copydesk.errors import CopydeskError, ModelError, TokenizerError
from copydesk.models import int8_kernels, weights
from copydesk.models.checkpoint import Checkpoint, check_finite, open_checkpoint
from copydesk.models.config_values import read_values
from copydesk.models.directory import TOKENIZER_FILES, check_files
from copydesk.models.installed import installed_directory, is_name, not_installed
from copydesk.models.int8_linear import is_exact
from copydesk.models.int8_llama import Int8LlamaModel
from copydesk.models.kernel_probe import fastest
from copydesk.models.llama import LlamaModel
from copydesk.models.model import Model
from copydesk.models.native_int8 import NativeInt8Model
from copydesk.models.plain_config import plain_config

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+\Z")
HUB_FILES = ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"]
DTYPES = {
    "fp32": torch.float32,
    "float32": torch.float32,
    "bf16": torch.bfloat16,
    "bfloat16": torch.bfloat16,
    "int8": torch.int8,
}
BF16_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")
"""As `torch.cpu.get_capabilities` names them; the last is ARM's."""
PROBED = 1 << 26
"""Weights from which on it is measured whether int8 is faster: a smaller model is not bound by reading them."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model and the directory it, its tokenizer and its edit format lie in."""

    model: Model
    directory: Path


def load(source: str | Path, *, device: str = "auto", dtype: str = "auto") -> Loaded:
    """The model at `source`: the name of an installed one, a directory, or a hub id such as `Qwen/Qwen2.5-Coder-1.5B-Instruct`.

    device: auto (CUDA when it is there) | cpu | cuda. dtype: fp32 | bf16 | int8 (CPUs, Llama family) | auto.
    With `auto` it is the checkpoint's own where the device computes that well. A large model on a CPU runs in int8, and torch
    with fewer threads, where a short probe finds that faster.

    Raises ModelError for missing or corrupt files and architectures that cannot be served, TokenizerError for a directory without
    a tokenizer.
    """
    directory = resolve(source)
    target = choose_device(device)
    name = directory.name if Path(source).is_dir() else str(source)
    try:
        return Loaded(_load(directory, name, target, dtype), directory)
    except CopydeskError:
        raise
    except Exception as error:  # readers of formats raise whatever they like for what they did not expect
        raise ModelError(f"{directory} cannot be loaded: {type(error).__name__}: {error}") from error


def _load(directory: Path, name: str, device: torch.device, dtype: str) -> Model:
    """All that can be said without reading a tensor is said first. Raises whatever libraries do, besides named errors."""
    check_files(directory)
    said = read_values(directory)
    if not any((directory / file).is_file() for file in TOKENIZER_FILES):
        raise TokenizerError(f"{directory} holds no tokenizer (none of {', '.join(TOKENIZER_FILES)})")
    if said.get("quantization_config") is not None:
        raise ModelError(f"{directory.name} holds quantised weights; only fp32 and bf16 are supported")
    config = plain_config(directory) or read_config(directory)
    stored = getattr(config, "dtype", None)
    kind = choose_dtype(dtype, device, stored)
    if kind == torch.int8:
        check_int8(weights.supports(config), device)
    with open_checkpoint(directory) as checkpoint:
        if not weights.supports(config):
            return load_generic(directory, config, checkpoint, name, device, kind)
        checkpoint.check(weights.expected(config))
        check_memory(checkpoint.numbers * kind.itemsize, device)
        if dtype == "auto" and device.type == "cpu" and checkpoint.numbers >= PROBED:
            way = fastest(int(config.hidden_size), int(config.intermediate_size), kind)
            kind = way.dtype
            torch.set_num_threads(way.threads)
        if kind == torch.int8:
            # Read as it is stored, whatever the CPU: no product is made in that precision.
            read = torch.bfloat16 if _dtype(stored) == torch.bfloat16 else torch.float32
            kernels = int8_kernels.load()
            if kernels is not None:
                return NativeInt8Model(config, checkpoint.fetch, name=name, stored=read, kernels=kernels)
            return Int8LlamaModel(config, checkpoint.fetch, name=name, stored=read)
        model = LlamaModel(config, checkpoint.fetch, name=name, device=device, dtype=kind)
    if device.type == "cuda":
        model.run_static(capture=True)
    return model


def check_int8(supported: bool, device: torch.device) -> None:
    """Raises ModelError where int8 was asked for and cannot be had. supported: whether it is written for the architecture."""
    if device.type != "cpu":
        raise ModelError("int8 runs on CPUs only; use bf16")
    if not supported:
        raise ModelError("int8 is there for the Llama family only; use bf16 or fp32")
    if int8_kernels.load() is None and not is_exact():
        raise ModelError("this processor has no exact products of 8-bit integers; use bf16 or fp32")


def check_memory(needed: int, device: torch.device) -> None:
    """Raises ModelError where a machine cannot hold `needed` bytes of weights, whatever else runs on it."""
    if needed < 1 << 30:
        return
    if device.type == "cuda":
        there = int(torch.cuda.mem_get_info(device)[1])
    else:
        there = int(psutil.virtual_memory().total)
    if needed > there:
        raise ModelError(f"the weights take {needed / 2**30:.0f} GB, and there are {there / 2**30:.0f}")


def resolve(source: str | Path) -> Path:
    """The directory `source` names, downloaded first when it is a hub id. Raises ModelError.

    An installed model goes before a directory of its name: `./NAME` is the directory.
    """
    if isinstance(source, str) and (installed := installed_directory(source)) is not None:
        return installed
    directory = Path(source).expanduser()
    if directory.is_dir():
        return directory
    if is_name(source):
        raise ModelError(not_installed(str(source)))
    if isinstance(source, Path) or not HUB_ID.match(source):
        raise ModelError(f"no model directory at {source}")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(source, allow_patterns=HUB_FILES))
    except Exception as error:
        raise ModelError(f"{source} is neither a directory nor a model the hub hands out: {error}") from error


def choose_device(device: str) -> torch.device:
    """Raises ModelError for an unknown device, or CUDA where there is none."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError as error:
        raise ModelError(f"unknown device {device!r}: auto, cpu or cuda") from error
    if chosen.type not in ("cpu", "cuda"):
        raise ModelError(f"unknown device {device!r}: auto, cpu or cuda")
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ModelError("CUDA was asked for and is not available")
    return chosen


def choose_dtype(dtype: str, device: torch.device, stored: object) -> torch.dtype:
    """The dtype to compute in; `stored` is the checkpoint's. Raises ModelError for an unknown name."""
    if dtype != "auto":
        if dtype not in DTYPES:
            raise ModelError(f"unknown dtype {dtype!r}: auto, int8, fp32 or bf16")
        return DTYPES[dtype]
    found = _dtype(stored)
    if device.type == "cuda":
        return torch.float32 if found in (None, torch.float32) else torch.bfloat16
    return torch.bfloat16 if found == torch.bfloat16 and multiplies_bf16() else torch.float32


def multiplies_bf16() -> bool:
    """Whether this CPU has instructions for products in bfloat16, and torch uses them. Where it has AVX-512 without them, torch
    multiplies in bfloat16 all the same, at a fifth of float32's speed.
    """
    told = torch.cpu.get_capabilities()
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()) and any(
        told.get(name, False) for name in BF16_INSTRUCTIONS
    )


def _dtype(stored: object) -> object:
    return getattr(torch, stored, None) if isinstance(stored, str) else stored


def read_config(directory: Path) -> Any:
    """The transformers configuration of `directory`. Raises ModelError."""
    from transformers import AutoConfig

    if not (directory / "config.json").is_file():
        raise ModelError(f"{directory} holds no config.json")
    try:
        return AutoConfig.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise ModelError(
            f"{directory / 'config.json'} is not a configuration that can be used: {error}"
        ) from error


def load_generic(
    directory: Path, config: Any, checkpoint: Checkpoint, name: str, device: torch.device, dtype: torch.dtype
) -> Model:
    """A model of any other architecture, through transformers. Raises ModelError."""
    from transformers import AutoModelForCausalLM

    from copydesk.models.generic import GenericModel

    check_memory(checkpoint.numbers * dtype.itemsize, device)
    with torch.device("meta"):
        try:
            numbers = sum(p.numel() for p in AutoModelForCausalLM.from_config(config).parameters())
        except Exception as error:
            raise ModelError(f"{directory} cannot be loaded: {error}") from error
    # What a checkpoint lacks is made up before it is reported, in memory. Weights that are tied may count twice.
    if numbers > 2 * checkpoint.numbers + (1 << 20):
        raise ModelError(
            f"the configuration asks for {numbers:,} weights, and {directory} holds {checkpoint.numbers:,}"
        )
    options: dict[str, Any] = {
        "config": config,
        "dtype": dtype,
        "local_files_only": True,
        "trust_remote_code": False,
        "use_safetensors": True,
        "output_loading_info": True,
    }
    with quiet():
        try:
            model, info = AutoModelForCausalLM.from_pretrained(directory, **options)
        except Exception as error:
            raise ModelError(f"{directory} cannot be loaded: {error}") from error
    if missing := sorted(info["missing_keys"]):
        raise ModelError(f"weight {missing[0]} is missing in {directory}")
    for weight, tensor in model.named_parameters():
        check_finite(weight, tensor.detach())
    return GenericModel(model.eval().to(device), name=name)


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars: standard error belongs to whoever called."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
