"""The native forward in 8-bit integers: `int8_forward.cpp`, compiled where a C++ compiler is found and the processor has AVX2 or
more, and how tensors are handed to it.

`load()` gives None everywhere else; torch's own operators then do the same work (`int8_llama.py`). Knows tensors and layers;
nothing of rows or feeds.
"""

from __future__ import annotations

import ctypes
import logging
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

from copydesk.models.int8_linear import WIDEST, block_of
from copydesk.models.native_build import built, processor_flags

log = logging.getLogger(__name__)

SOURCE = Path(__file__).with_name("int8_forward.cpp")
HEADER = Path(__file__).with_name("int8_lanes.h")
NEEDED = frozenset({"avx2", "fma"})
"""Instructions, as Linux names them. With AVX-512 and VNNI, other registers are used."""

_P, _I, _D = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class CLinear(ctypes.Structure):
    """`Linear` of the source."""

    _fields_ = [
        ("weight", _P),
        ("scales", _P),
        ("bias", _P),
        ("outputs", _I),
        ("inputs", _I),
        ("block", _I),
    ]


class CLayer(ctypes.Structure):
    """`Layer` of the source."""

    _fields_ = [
        ("input_norm", _P),
        ("qkv", CLinear),
        ("head_norm", _P),
        ("out", CLinear),
        ("mlp_norm", _P),
        ("gate_up", CLinear),
        ("down", CLinear),
    ]


class CModel(ctypes.Structure):
    """`Model` of the source."""

    _fields_ = [
        ("layers", ctypes.POINTER(CLayer)),
        ("count", _I),
        ("hidden", _I),
        ("inner", _I),
        ("heads", _I),
        ("kv_heads", _I),
        ("width", _I),
        ("norm", _P),
        ("head", CLinear),
        ("eps", _D),
    ]


class CView(ctypes.Structure):
    """`View` of the source."""

    _fields_ = [
        ("numbers", _P),
        ("scales", _P),
        ("capacity", _I),
        ("first", _I),
        ("n", _I),
        ("keys", _I),
        ("slots", _P),
        ("mask", _P),
    ]


class Packed(NamedTuple):
    """A linear layer as the kernels want it. What `structure` points to is kept by the tensors."""

    structure: CLinear
    weight: torch.Tensor
    scales: torch.Tensor
    bias: torch.Tensor | None


def at(tensor: torch.Tensor | None) -> int | None:
    """Where a tensor lies in memory."""
    if tensor is None:
        return None
    assert tensor.is_contiguous()
    assert tensor.device.type == "cpu"
    return tensor.data_ptr()


class Kernels:
    """The compiled functions."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._packed_size, self._pack = library.packed_size, library.pack
        self._linear, self._forward = library.linear, library.forward
        self._packed_size.restype = _I
        self._packed_size.argtypes = [_I, _I]
        self._pack.argtypes = [_P, _I, _I, _I, _I, _P, _P]
        self._linear.argtypes = [_P, _P, _I, _P, _I]
        self._forward.argtypes = [_P, _P, _I, _I, _P, _P, _P, _P, _I, _P, _I]
        for call in (self._pack, self._linear, self._forward):
            call.restype = None

    def pack(self, weight: torch.Tensor, bias: torch.Tensor | None = None, *, rotated: bool = True) -> Packed:
        """A weight [outputs, inputs] in float32 or bfloat16, quantised. rotated: it pays where rows have outliers."""
        outputs, inputs = weight.shape
        assert inputs <= WIDEST
        assert weight.dtype in (torch.float32, torch.bfloat16)
        block = block_of(inputs) if rotated else 1
        packed = torch.empty(int(self._packed_size(outputs, inputs)), dtype=torch.uint8)
        scales = torch.empty(outputs)
        weight = weight.contiguous()
        narrow = weight.dtype == torch.bfloat16
        self._pack(at(weight), narrow, outputs, inputs, block, at(packed), at(scales))
        bias = None if bias is None else bias.float().contiguous()
        return Packed(CLinear(at(packed), at(scales), at(bias), outputs, inputs, block), packed, scales, bias)

    def linear(self, layer: Packed, x: torch.Tensor) -> torch.Tensor:
        """[n, inputs] -> [n, outputs], both float32."""
        x = x.contiguous()
        assert x.dtype == torch.float32
        assert x.shape[1] == layer.structure.inputs
        result = torch.empty(x.shape[0], layer.structure.outputs)
        self._linear(ctypes.byref(layer.structure), at(x), x.shape[0], at(result), torch.get_num_threads())
        return result

    def forward(
        self,
        model: CModel,
        views: Sequence[CView],
        x: torch.Tensor,
        rope: tuple[torch.Tensor, torch.Tensor],
        outputs: Sequence[int],
    ) -> torch.Tensor:
        """Logits [len(outputs), vocabulary] of the flat tokens whose embeddings x [n, hidden] are, which are overwritten.

        views: one per row, together all tokens. rope: cosine and sine, [n, ..., width] each, float32.
        """
        cosine, sine = (table.contiguous() for table in rope)
        assert x.dtype == cosine.dtype == sine.dtype == torch.float32
        logits = torch.empty(len(outputs), model.head.outputs)
        self._forward(
            ctypes.byref(model),
            (CView * len(views))(*views),
            len(views),
            x.shape[0],
            at(x),
            at(cosine),
            at(sine),
            (ctypes.c_int32 * len(outputs))(*outputs),
            len(outputs),
            at(logits),
            torch.get_num_threads(),
        )
        return logits


@cache
def load() -> Kernels | None:
    """The kernels; None where there are no such instructions or no compiler. Writes to the user's cache folder."""
    return compiled()


def compiled(*flags: str) -> Kernels | None:
    """As `load`, with more flags for the compiler: those that leave instructions out."""
    if not NEEDED.issubset(processor_flags().split()):
        return None
    try:
        library = built(SOURCE, headers=(HEADER,), flags=flags)
        return None if library is None else Kernels(ctypes.CDLL(str(library)))
    except (OSError, AttributeError, subprocess.SubprocessError) as error:
        log.warning("the native kernels of int8 could not be built, torch's operators are used: %s", error)
        return None
