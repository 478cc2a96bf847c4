"""Products of rows with a layer's weight, which on some processors is kept packed for them.

On CPUs with products of bfloat16 a library packs a plain weight anew for each call, which for few rows takes longer than the
product itself. Packed once, a weight is read once: the same bits come out, in half to two thirds of the time for up to sixteen
rows. Knows tensors; no architecture.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

ROWS = 64
"""Rows that the layout is chosen for; it differs little for others."""


def packs(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether weights of this type are kept packed there."""
    if device.type != "cpu" or dtype != torch.bfloat16 or not torch.backends.mkldnn.is_available():
        return False
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()) and hasattr(
        torch.ops.mkldnn, "_reorder_linear_weight"
    )


def pack(weight: torch.Tensor) -> torch.Tensor:
    """A weight [out, in] as `linear` is fastest with it, where it `packs`. It has the same shape, and no strides."""
    packed: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
    return packed


def unpack(weight: torch.Tensor) -> torch.Tensor:
    """The plain weight; itself where it is."""
    return weight.to_dense() if weight.is_mkldnn else weight


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """`x @ weight.T + bias` for rows x [n, in], n > 0, and a weight that may be packed."""
    if not weight.is_mkldnn:
        return F.linear(x, weight, bias)
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return result
