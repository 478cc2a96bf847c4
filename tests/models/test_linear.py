"""Packed weights give what plain ones give, and a loaded model holds its own memory."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from copydesk.models.linear import linear, pack, packs, unpack
from copydesk.models.load import load
from copydesk.serving.loaded_model import EMBEDDED

CPU = torch.device("cpu")
SHAPES = [(960, 576), (576, 1536), (300, 32), (7, 48)]


def numbers(*size: int) -> torch.Tensor:
    return torch.randn(size, generator=torch.Generator().manual_seed(sum(size))).bfloat16()


@pytest.mark.skipif(not packs(CPU, torch.bfloat16), reason="this processor has no products of bfloat16")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rows", [1, 2, 16, 17, 64, 129])
def test_packed_weights_give_what_plain_ones_give(shape: tuple[int, int], rows: int) -> None:
    outputs, inputs = shape
    weight, bias = numbers(outputs, inputs), numbers(outputs)
    packed = pack(weight)
    assert packed.shape == weight.shape
    assert torch.equal(unpack(packed), weight)
    for x in (numbers(rows, inputs), numbers(inputs, rows).t()):
        for added in (None, bias):
            found, exact = linear(x, packed, added), F.linear(x.double(), weight.double())
            exact = exact if added is None else exact + bias.double()
            assert found.shape == (rows, outputs)
            assert found.dtype == torch.bfloat16
            assert torch.allclose(found.double(), exact, rtol=2**-7, atol=2**-6)
            assert torch.equal(linear(x, weight, added), F.linear(x, weight, added))


def test_other_types_and_devices_stay_plain() -> None:
    assert not packs(CPU, torch.float32)
    assert not packs(torch.device("cuda"), torch.bfloat16)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux says what is mapped")
@pytest.mark.parametrize("dtype", ["auto", "fp32", "int8"])
def test_a_loaded_model_keeps_no_file_mapped(dtype: str) -> None:
    """A view of a checkpoint's file would keep all of the file in memory, and end the process where the file shrinks."""
    model = load(EMBEDDED, device="cpu", dtype=dtype).model
    assert str(EMBEDDED / "model.safetensors") not in Path("/proc/self/maps").read_text()
    assert model.vocab_size
