"""Optional native kernels of training on a CPU: compiled once from `kernels.cpp` where a C++ compiler is found.

They hold what torch's eager operators spend most of their time on beside matrix products: norm, rotary embedding, SwiGLU and
the softmax of the loss, in bf16 memory and fp32 arithmetic. `load()` gives None where there is no compiler or the build
fails, and training then runs on torch's own operators, slower and otherwise the same. Knows no layers and no optimiser.
"""

from __future__ import annotations

import ctypes
import logging
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

from copydesk.models.native_build import built
from copydesk_training.segments import Segments

log = logging.getLogger(__name__)

SOURCE = Path(__file__).with_name("kernels.cpp")

_P, _I, _F = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
_SIGNATURES: dict[str, list[object]] = {
    "add_norm_forward": [_P, _P, _P, _P, _P, _P, _I, _I, _F],
    "norm_backward": [_P, _P, _P, _P, _P, _P, _P, _I, _I],
    "swiglu_forward": [_P, _P, _I, _I],
    "swiglu_backward": [_P, _P, _P, _P, _I, _I],
    "split_heads": [_P, _P, _P, _P, _P, _P, _I, _I, _I, _I, _I, _F],
    "join_heads": [_P, _P, _P, _P, _P, _P, _I, _I, _I, _I, _I, _F],
    "causal_softmax": [_P, _P, _P, _P, _P, _I, _I, _I, _I, _I, _I, _I, _I],
    "causal_softmax_backward": [_P, _P, _P, _P, _P, _P, _I, _I, _I, _I, _I, _I, _I, _I],
    "cross_entropy": [_P, _P, _P, _P, _I, _I],
}


def _at(tensor: torch.Tensor | None) -> int | None:
    if tensor is None:
        return None
    assert tensor.is_contiguous()
    assert tensor.device.type == "cpu"
    return tensor.data_ptr()


class HeadShape(NamedTuple):
    """Rows [B T, heads width] by head: H query heads share K key heads, H / K each."""

    batch: int
    length: int
    heads: int
    kv_heads: int
    width: int

    def by_head(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows [B T, H D] as `Heads.query` has them."""
        B, T, H, K, D = self
        return rows.view(B, T, K, H // K, D).transpose(1, 2).reshape(B * K, T * (H // K), D)

    def by_row(self, query: torch.Tensor) -> torch.Tensor:
        """The reverse of `by_head`."""
        B, T, H, K, D = self
        return query.view(B, K, T, H // K, D).transpose(1, 2).reshape(B * T, H * D)


class Heads(NamedTuple):
    """query [B K, T H / K, D]: the queries of a token that share a key head, next to each other. pairs [2, B K, T, D]: keys and
    values.
    """

    query: torch.Tensor
    pairs: torch.Tensor


class Kernels:
    """The compiled functions. Tensors are contiguous and on the CPU: bf16, but for statistics and sums in fp32.

    N = rows (tokens), d = width of a row.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        library.widest.restype = _I
        self.widest = int(library.widest())
        self._calls = {name: getattr(library, name) for name in _SIGNATURES}
        for name, types in _SIGNATURES.items():
            self._calls[name].argtypes = types
            self._calls[name].restype = None

    def add_norm(
        self, x: torch.Tensor, delta: torch.Tensor | None, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(x + delta, its RMS norm times weight, 1 / RMS [N] fp32) of rows [N, d]."""
        rows, width = x.shape
        total = x if delta is None else torch.empty_like(x)
        y, inverse = torch.empty_like(x), torch.empty(rows)
        call = self._calls["add_norm_forward"]
        call(_at(x), _at(delta), _at(weight), _at(total), _at(y), _at(inverse), rows, width, eps)
        return total, y, inverse

    def norm_backward(
        self,
        x: torch.Tensor,
        weight: torch.Tensor,
        inverse: torch.Tensor,
        dy: torch.Tensor,
        residual: torch.Tensor | None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(gradient of x, `residual` added; gradient of weight [d])."""
        rows, width = x.shape
        dx, dweight = torch.empty_like(x), torch.empty(width)
        call = self._calls["norm_backward"]
        call(_at(x), _at(weight), _at(inverse), _at(dy), _at(residual), _at(dx), _at(dweight), rows, width)
        return dx, dweight.to(weight.dtype)

    def swiglu(self, gate_up: torch.Tensor) -> torch.Tensor:
        """silu(gate) * up: [N, 2 F] to [N, F]."""
        rows, inner = gate_up.shape[0], gate_up.shape[1] // 2
        hidden = gate_up.new_empty(rows, inner)
        self._calls["swiglu_forward"](_at(gate_up), _at(hidden), rows, inner)
        return hidden

    def swiglu_backward(
        self, gate_up: torch.Tensor, dhidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(gradient of gate_up; what `swiglu` gave, made again: that costs less than keeping it)."""
        dgate_up, hidden = torch.empty_like(gate_up), torch.empty_like(dhidden)
        rows, inner = dhidden.shape
        call = self._calls["swiglu_backward"]
        call(_at(gate_up), _at(dhidden), _at(dgate_up), _at(hidden), rows, inner)
        return dgate_up, hidden

    def split_heads(
        self,
        qkv: torch.Tensor,
        rope: tuple[torch.Tensor, torch.Tensor],
        shape: HeadShape,
        positions: torch.Tensor | None = None,
    ) -> Heads:
        """Rows [B T, (H + 2 K) D] by head: queries and keys turned by rope (fp32 [>= T, D] each), queries times D ** -0.5.

        positions int32 [B, T] of the tokens, all below T; None for 0 .. T - 1.
        """
        B, T, H, K, D = shape
        query, pairs = qkv.new_empty(B * K, T * (H // K), D), qkv.new_empty(2, B * K, T, D)
        tables = self._rope(rope, positions, T, D)
        self._calls["split_heads"](_at(qkv), *tables, _at(query), _at(pairs), B, T, H, K, D, D**-0.5)
        return Heads(query, pairs)

    def join_heads(
        self,
        heads: Heads,
        rope: tuple[torch.Tensor, torch.Tensor],
        shape: HeadShape,
        positions: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The gradient of `split_heads`, from that of its result: rows [B T, (H + 2 K) D]."""
        B, T, H, K, D = shape
        qkv = heads.query.new_empty(B * T, (H + 2 * K) * D)
        tables = self._rope(rope, positions, T, D)
        self._calls["join_heads"](
            _at(heads.query), _at(heads.pairs), *tables, _at(qkv), B, T, H, K, D, D**-0.5
        )
        return qkv

    @staticmethod
    def _rope(
        rope: tuple[torch.Tensor, torch.Tensor], positions: torch.Tensor | None, length: int, width: int
    ) -> tuple[int | None, int | None, int | None]:
        cosine, sine = rope
        assert cosine.shape[0] >= length
        assert cosine.shape[1] == width
        assert cosine.dtype == sine.dtype == torch.float32
        assert positions is None or positions.dtype == torch.int32
        return _at(cosine), _at(sine), _at(positions)

    def causal_softmax(
        self,
        scores: torch.Tensor,
        first: int,
        segments: Segments | None = None,
        gap: int = 0,
        *,
        group: int = 1,
    ) -> None:
        """Softmax of scores [K, queries, keys] in place; query r, of the token first + r // group of its row, sees the keys up to
        its token's.

        With `segments` of B rows (K is B times the key heads) it sees what they say, and between the keys of the pages and the
        first key behind them that a query sees `gap` are left out.
        """
        self._calls["causal_softmax"](_at(scores), *self._seen(scores, segments, group), first, gap)

    def causal_softmax_backward(
        self,
        probability: torch.Tensor,
        grad: torch.Tensor,
        first: int,
        segments: Segments | None = None,
        gap: int = 0,
        *,
        group: int = 1,
    ) -> None:
        """grad of the probabilities becomes that of the scores, in place."""
        seen = self._seen(grad, segments, group)
        self._calls["causal_softmax_backward"](_at(probability), _at(grad), *seen, first, gap)

    @staticmethod
    def _seen(scores: torch.Tensor, segments: Segments | None, group: int) -> tuple[int | None, ...]:
        """The parts of the segments; count, queries and keys of the scores; key heads a row, queries a token, tokens a row."""
        if segments is None:
            return None, None, None, None, *scores.shape, 1, group, 0
        B, T = segments.own.shape
        assert all(part.dtype == torch.int32 for part in segments)
        return *map(_at, segments), *scores.shape, scores.shape[0] // B, group, T

    def cross_entropy(
        self, logits: torch.Tensor, target: torch.Tensor, coefficient: torch.Tensor
    ) -> torch.Tensor:
        """Losses [n] in nats; logits [n, V] become the gradient of sum(coefficient * loss) in place."""
        rows, size = logits.shape
        loss = torch.empty(rows)
        assert target.dtype == torch.int64
        assert coefficient.dtype == torch.float32
        self._calls["cross_entropy"](_at(logits), _at(target), _at(coefficient), _at(loss), rows, size)
        return loss


@cache
def load() -> Kernels | None:
    """The kernels, compiled now or for an earlier run; None where that is not possible. Writes to the user's cache folder."""
    try:
        library = built(SOURCE)
        if library is None:
            log.info("no C++ compiler: training uses torch's own operators")
            return None
        return Kernels(ctypes.CDLL(str(library)))
    except (OSError, AttributeError, subprocess.SubprocessError) as error:
        log.warning("the native kernels could not be built, training uses torch's own operators: %s", error)
        return None
