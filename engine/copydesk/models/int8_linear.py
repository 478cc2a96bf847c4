"""Linear layers in 8-bit integers, where each row's result depends on that row alone.

A sum of integers is exact, so it does not matter which kernel adds it up, in which order, or for how many rows at once. Each
row is scaled by its own largest value, and each output channel has a scale of its own. A few large values in a row would cost the
others their precision; so the row is rotated first: a Hadamard matrix spreads each value over a block, and the weights are
rotated the same way when they are loaded. The rotation is added up exactly too. Knows matrices; no architecture.
"""

from __future__ import annotations

import torch

from copydesk.models.exact_sums import EXACT, RelativeRounding, StepRounding, constant, largest, power_above

LEVELS = 127
"""Rows and weights have values from -LEVELS to LEVELS."""
BLOCK = 64
"""Values of a row that are rotated together, at most."""
ROW_BITS = EXACT - 7
"""Bits of a row's values before the rotation: BLOCK of them add up to 2 ** 23 steps at most."""
TINY = 1e-30
"""Stands for the largest value of a row of zeros."""
WIDEST = 1 << 16
"""Inputs of a layer at most: 32 bits hold their sum."""
_PART = 1 << 22
"""Weights that are quantised at a time, to save memory."""


class Int8Linear:
    """`x @ weight.T + bias` for float32 rows, in 8-bit integers."""

    __slots__ = ("_bias", "_rotation", "_rounded", "_scales", "_tiny", "_weight", "_zeros")

    def __init__(
        self,
        weight: torch.Tensor,
        bias: torch.Tensor | None = None,
        *,
        rotated: bool = True,
        bound: float | None = None,
    ) -> None:
        """weight: [outputs, inputs]. rotated: it pays where rows have outliers. bound: of all numbers of all rows, if known."""
        outputs, inputs = weight.shape
        self._rotation = hadamard(block_of(inputs)) if rotated else None
        self._rounded: StepRounding | RelativeRounding
        if bound is None:
            self._rounded = RelativeRounding(ROW_BITS)
        else:
            self._rounded = StepRounding(power_above(bound) * 2.0**-ROW_BITS)
        rounded = torch.empty(weight.shape, dtype=torch.int8)
        scales = torch.empty(outputs)
        rows = max(1, _PART // inputs)
        for first in range(0, outputs, rows):
            part = weight[first : first + rows].float()
            if self._rotation is not None:
                block = self._rotation.shape[0]
                part = (part.reshape(-1, block) @ self._rotation).view(part.shape).div_(block)
            most = largest(part).clamp_min_(TINY)
            rounded[first : first + rows] = (part * (LEVELS / most)).round_()
            scales[first : first + rows] = most[:, 0]
        self._weight = torch.ops.onednn.qlinear_prepack(rounded, None)
        self._scales = scales / LEVELS
        self._tiny = constant(TINY)
        self._zeros = torch.zeros(outputs, dtype=torch.int64)
        self._bias = None if bias is None else bias.float()

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """[n, inputs] -> [n, outputs], both float32."""
        if self._rotation is not None:
            blocks = self._rounded(x).view(-1, self._rotation.shape[0])
            x = (blocks @ self._rotation).view(x.shape)
        step = torch.add(self._tiny, largest(x), alpha=1.0 / LEVELS)
        signed = x.div(step).round_().to(torch.int8)
        # Unsigned bytes are what integer kernels are fast for. To flip the highest bit is to add 128.
        rows = signed.view(torch.uint8).bitwise_xor_(128)
        result = _product(rows, self._weight, self._scales, self._zeros).mul_(step)
        return result if self._bias is None else result.add_(self._bias)


def _product(
    rows: torch.Tensor, weight: torch.Tensor, scales: torch.Tensor, zeros: torch.Tensor
) -> torch.Tensor:
    """(rows - 128) times the packed weight, times each output's scale: float32."""
    result: torch.Tensor = torch.ops.onednn.qlinear_pointwise(
        rows, 1.0, 128, weight, scales, zeros, None, 1.0, 0, torch.float32, "none", [], ""
    )
    return result


def block_of(width: int) -> int:
    """How many values of a row of `width` are rotated together: the largest power of two that divides it, up to BLOCK."""
    return min(BLOCK, width & -width)


def hadamard(size: int) -> torch.Tensor:
    """A symmetric matrix of ones and minus ones whose product with itself is `size` times the identity."""
    result = torch.ones(1, 1)
    while result.shape[0] < size:
        result = torch.cat((torch.cat((result, result), 1), torch.cat((result, -result), 1)))
    return result


def is_exact() -> bool:
    """Whether this machine's integer products are there and exact, at their extremes and for few and many rows.

    Without instructions for products of bytes, libraries add pairs of them in 16 bits, which overflow.
    """
    inputs, outputs = 192, 64
    rows = torch.full((33, inputs), 255, dtype=torch.uint8)
    rows[1::2, ::3] = 0
    weight = torch.full((outputs, inputs), LEVELS, dtype=torch.int8)
    weight[1::2] = -LEVELS
    weight[2::4, ::5] = 1
    expected = (rows.double() - 128) @ weight.double().t()
    ones, zeros = torch.ones(outputs), torch.zeros(outputs, dtype=torch.int64)
    try:
        packed = torch.ops.onednn.qlinear_prepack(weight, None)
        found = [(count, _product(rows[:count], packed, ones, zeros)) for count in (1, 2, 33)]
    except (AttributeError, RuntimeError):
        return False
    return all(torch.equal(product.double(), expected[:count]) for count, product in found)
