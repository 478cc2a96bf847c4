"""Load a model from a directory or a hub id.

The one place of the engine below the facade that reads files. Only safetensors are read, no code that comes
with a model is run, and nothing touches the network unless a hub id was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from copydesk.errors import ModelError, TokenizerError
from copydesk.models import weights
from copydesk.models.directory import TOKENIZER_FILES, check_files
from copydesk.models.llama import LlamaModel
from copydesk.models.model import Model
from copydesk.models.plain_config import plain_config

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+\Z")
HUB_FILES = ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"]
DTYPES = {"fp32": torch.float32, "float32": torch.float32, "bf16": torch.bfloat16, "bfloat16": torch.bfloat16}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model and the directory it, its tokenizer and its edit format lie in."""

    model: Model
    directory: Path


def load(source: str | Path, *, device: str = "auto", dtype: str = "auto") -> Loaded:
    """The model at `source`, a directory or a hub id such as `Qwen/Qwen2.5-Coder-1.5B-Instruct`.

    device: auto (CUDA when it is there) | cpu | cuda. dtype: fp32 | bf16 | auto (the checkpoint's own where
            the device computes it well). Raises ModelError for missing or corrupt files and architectures
            that cannot be served, TokenizerError for a directory without a tokenizer.
    """
    directory = resolve(source)
    target = choose_device(device)
    check_files(directory)
    config = plain_config(directory) or read_config(directory)
    if not any((directory / name).is_file() for name in TOKENIZER_FILES):
        raise TokenizerError(f"{directory} holds no tokenizer (none of {', '.join(TOKENIZER_FILES)})")
    if getattr(config, "quantization_config", None) is not None:
        raise ModelError(f"{directory.name} holds quantised weights; only fp32 and bf16 are supported")
    kind = choose_dtype(dtype, target, getattr(config, "dtype", None))
    name = directory.name if Path(source).is_dir() else str(source)
    if weights.supports(config):
        with checkpoint(directory) as fetch:
            model = LlamaModel(config, fetch, name=name, device=target, dtype=kind)
        if target.type == "cuda":
            model.run_static(capture=True)
        return Loaded(model, directory)
    return Loaded(load_generic(directory, config, name, target, kind), directory)


def resolve(source: str | Path) -> Path:
    """The directory `source` names, downloaded first when it is a hub id. Raises ModelError."""
    directory = Path(source).expanduser()
    if directory.is_dir():
        return directory
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
            raise ModelError(f"unknown dtype {dtype!r}: auto, fp32 or bf16")
        return DTYPES[dtype]
    if isinstance(stored, str):
        stored = getattr(torch, stored, None)
    if device.type == "cuda":
        return torch.float32 if stored in (None, torch.float32) else torch.bfloat16
    # Without bf16 instructions a CPU emulates it at a fraction of fp32's speed.
    native = bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    return torch.bfloat16 if stored == torch.bfloat16 and native else torch.float32


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


@contextmanager
def checkpoint(directory: Path) -> Iterator[weights.Fetch]:
    """Tensors of the safetensors files in `directory`, by name. Raises ModelError for missing or corrupt
    files."""
    with ExitStack() as stack:
        index = directory / "model.safetensors.index.json"
        try:
            if index.is_file():
                files = sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
            else:
                files = ["model.safetensors"]
        except (OSError, ValueError, KeyError, AttributeError) as error:
            raise ModelError(f"{index} is not an index of weights: {error}") from error
        place: dict[str, Any] = {}
        for name in files:
            path = directory / name
            if not path.is_file():
                raise ModelError(f"{path} is missing (weights must be safetensors)")
            try:
                handle = stack.enter_context(safe_open(path, framework="pt"))
                place.update(dict.fromkeys(handle.keys(), handle))
            except (SafetensorError, OSError, ValueError) as error:
                raise ModelError(f"{path} is corrupt: {error}") from error

        def fetch(tensor: str) -> torch.Tensor | None:
            handle = place.get(tensor)
            if handle is None:
                return None
            try:
                result: torch.Tensor = handle.get_tensor(tensor)
            except (SafetensorError, OSError, ValueError) as error:
                raise ModelError(f"weight {tensor} in {directory} is corrupt: {error}") from error
            return result

        yield fetch


def load_generic(directory: Path, config: Any, name: str, device: torch.device, dtype: torch.dtype) -> Model:
    """A model of any other architecture, through transformers. Raises ModelError."""
    from transformers import AutoModelForCausalLM

    from copydesk.models.generic import GenericModel

    with checkpoint(directory):
        pass  # says which file is missing or corrupt, better than transformers would
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
