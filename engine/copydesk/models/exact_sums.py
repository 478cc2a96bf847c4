"""Rounding after which float32 adds exactly: what is a small multiple of one step can be added in any order.

Knows numbers; nothing of models.
"""

from __future__ import annotations

import math

import torch

EXACT = 24
"""Bits up to which float32 holds every integer."""
_EXPONENT = torch.tensor(0x7F800000, dtype=torch.int32)
"""The bits of a float32 that are its exponent: alone they are the power of two below its magnitude."""
_ROUNDER = 1.5 * 2.0 ** (EXACT - 1)
"""A step times this, added to a float32 of less than 2 ** 22 steps and taken away again, rounds it to whole steps."""


def constant(number: float) -> torch.Tensor:
    """A number as a tensor without dimensions: a Python number would be converted anew in each call."""
    return torch.tensor(number, dtype=torch.float32)


def power_below(x: torch.Tensor) -> torch.Tensor:
    """The power of two below each positive float32, or equal to it; zero for zero."""
    return torch.bitwise_and(x.view(torch.int32), _EXPONENT).view(torch.float32)


def power_above(x: float) -> float:
    """The power of two above a positive number, or equal to it; 1 for zero."""
    return math.ldexp(1.0, math.ceil(math.log2(x))) if x > 0.0 else 1.0


def largest(x: torch.Tensor) -> torch.Tensor:
    """The largest magnitude along the last dimension, [..., 1]."""
    return x.abs().amax(-1, keepdim=True)


class StepRounding:
    """Rounds float32 to multiples of `step`, a power of two."""

    __slots__ = ("_rounder",)

    def __init__(self, step: float) -> None:
        self._rounder = constant(_ROUNDER * step)

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        return torch.sub(x + self._rounder, self._rounder, out=out)


class RelativeRounding:
    """Rounds float32 along the last dimension to multiples of a step; 2 ** bits of them are a power of two above all numbers."""

    __slots__ = ("_factor",)

    def __init__(self, bits: int) -> None:
        self._factor = constant(_ROUNDER * 2.0 ** (1 - bits))

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        rounder = power_below(largest(x)).mul_(self._factor)
        return torch.sub(x + rounder, rounder, out=out)
