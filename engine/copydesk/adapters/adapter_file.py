"""An adapter on disk: A and B of every linear layer in int8, the new tokens' rows in bf16, and where the training stands.

One safetensors file. Every row of a matrix has a scale of its own (fp32): value = scale * int8. B is stored transposed, so that
both A [r, in] and B [out, r] have one scale for each of the r directions. The header's metadata tells the base it belongs to and
what a training run needs to go on. Knows no models and no training.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from copydesk.errors import AdapterError
from copydesk.files.atomic import replacing

VERSION = 1
FILE_NAME = "adapter.safetensors"
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class AdapterState:
    """Where a training run stands, as far as it outlives its machine.

    base: digest of the base's tensors. format: the edit format it is trained for (`EditFormat.to_dict`). tokens: the new
    tokens in the order of their rows. shards: what tells the shards whose cursor `position` is from others. requests, steps,
    tokens_seen and seconds are counted over all sittings.
    """

    base: str
    rank: int
    scale: float
    tokens: list[str]
    format: dict[str, Any]
    seed: int = 0
    steps: int = 0
    requests: int = 0
    tokens_seen: int = 0
    seconds: float = 0.0
    shards: str = ""
    position: list[tuple[int, int]] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adapter:
    """tensors: `{layer}_{linear}_down` A [r, in] and `{layer}_{linear}_up` B [out, r], fp32; rows [R, E] fp32."""

    state: AdapterState
    tensors: dict[str, torch.Tensor]
    rows: torch.Tensor


def quantise(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """int8 [m, n] and fp32 scales [m] of a matrix [m, n]: each row's largest value becomes 127."""
    scale = matrix.abs().amax(1).clamp(min=1e-12) / 127
    return (matrix / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale


def write_adapter(path: Path, adapter: Adapter) -> None:
    """Replace `path` atomically. Raises AdapterError where it cannot be written; what was there before stays."""
    tensors = {ROWS: adapter.rows.to(torch.bfloat16).contiguous()}
    for name, tensor in adapter.tensors.items():
        matrix = tensor.detach().float().cpu()
        whole, scale = quantise(matrix.t() if name.endswith("_up") else matrix)
        tensors[name], tensors[f"{name}_scale"] = whole.contiguous(), scale.contiguous()
    about = {"version": str(VERSION), "state": json.dumps(asdict(adapter.state))}
    try:
        with replacing(path) as partial:
            save_file(tensors, partial, metadata=about)
            partial.chmod(0o644)  # the library makes files nobody else may read
    except (OSError, SafetensorError) as error:
        raise AdapterError(f"the adapter {path} could not be written: {error}") from error


def read_adapter(path: Path) -> Adapter:
    """The adapter in the file `path`, or in the folder. Raises AdapterError where it is missing or damaged."""
    path = path / FILE_NAME if path.is_dir() else path
    try:
        with safe_open(path, framework="pt") as file:
            told = file.metadata() or {}
            if told.get("version") != str(VERSION):
                raise AdapterError(f"{path} is not an adapter of version {VERSION}")
            stored = {name: file.get_tensor(name) for name in list(file.keys())}
        state = json.loads(told["state"])
        state["position"] = [(int(a), int(b)) for a, b in state["position"]]
        rows = stored.pop(ROWS).float()
        tensors: dict[str, torch.Tensor] = {}
        for name, whole in stored.items():
            if not name.endswith("_scale"):
                matrix = whole.float() * stored[f"{name}_scale"][:, None]
                tensors[name] = matrix.t().contiguous() if name.endswith("_up") else matrix
        return Adapter(AdapterState(**state), tensors, rows)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise AdapterError(f"cannot read the adapter {path}: {error}") from error
