"""One name for a set of tensors, whatever files they lie in and whoever wrote these. Knows no models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import torch


def tensors_sha256(tensors: Mapping[str, torch.Tensor]) -> str:
    """Hex digest of names, dtypes, shapes and values.

    Per tensor, by name: one line of JSON, `[name, dtype, shape]`, and its values as bytes, little-endian, row by row.
    """
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        head = [name, str(tensor.dtype).removeprefix("torch."), list(tensor.shape)]
        digest.update(json.dumps(head, separators=(",", ":")).encode() + b"\n")
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
