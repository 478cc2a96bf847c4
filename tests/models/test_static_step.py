"""What a CUDA graph needs of the static-shape step, shown without a GPU.

`torch.compile` with the eager backend and `fullgraph` traces it as one graph: it has no branch on a tensor's values. On meta
tensors every captured shape of the published models goes through: nothing reads a value on the host, which capture forbids, and
all sizes fit.
"""

from __future__ import annotations

import pytest
import torch

from copydesk.models.cuda_graphs import BATCHES, MOST_TOKENS, SHORTEST, WIDTHS
from copydesk.models.static_step import StepInputs, static_step
from copydesk.models.weights import Layer, Shape, Weights
from copydesk_benchmarks.subject import LLAMAS, SHAPES

SLOTS = 4096
CAPTURED = [(w, b) for w in WIDTHS for b in BATCHES if w * b <= max(MOST_TOKENS, w)]


def weights_of(name: str, *, layers: int | None = None, device: str = "meta") -> tuple[Weights, Shape]:
    """Random weights of a published shape, Qwen2's with their biases."""
    sizes = SHAPES[name]
    hidden, inner, heads = sizes["hidden_size"], sizes["intermediate_size"], sizes["num_attention_heads"]
    kv_heads, count = sizes["num_key_value_heads"], layers or sizes["num_hidden_layers"]
    width = hidden // heads
    torch.manual_seed(0)

    def made(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=device) / shape[-1] ** 0.5

    rows = (heads + 2 * kv_heads) * width
    stack = tuple(
        Layer(
            made(hidden), made(rows, hidden), None if name in LLAMAS else made(rows), None, made(hidden, heads * width), None,
            made(hidden), made(2 * inner, hidden), None, made(hidden, inner), None,
        )
        for _ in range(count)
    )  # fmt: skip
    embedding = made(sizes["vocab_size"], hidden)
    return Weights(embedding, stack, made(hidden), embedding), Shape(
        count, heads, kv_heads, width, 1e-6, SLOTS
    )


def rest(shape: Shape, device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rope tables and an arena."""
    cos, sin = (torch.randn(shape.max_positions, 1, shape.head_dim, device=device) for _ in range(2))
    return (
        cos,
        sin,
        torch.zeros(shape.layers, SLOTS + 1, 2 * shape.kv_heads, shape.head_dim, device=device),
    )


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "tiny"])
def test_every_captured_shape_of_the_published_models_goes_through(name: str) -> None:
    weights, shape = weights_of(name, layers=1)  # all layers are alike
    cos, sin, arena = rest(shape, "meta")
    for width, batch in CAPTURED:
        for keys in (SHORTEST, SLOTS):
            inputs = StepInputs.empty(batch, width, keys, scratch=SLOTS, device=torch.device("meta"))
            states = static_step(weights, shape, cos, sin, arena, inputs)
            assert states.shape == (batch * width, SHAPES[name]["hidden_size"])


@pytest.mark.parametrize(("width", "batch"), [(1, 1), (8, 2), (32, 1)])
def test_the_step_is_one_graph(width: int, batch: int) -> None:
    weights, shape = weights_of("tiny", device="cpu")
    inputs = StepInputs.empty(batch, width, SHORTEST, scratch=SLOTS, device=torch.device("cpu"))
    n = batch * width
    inputs.tokens.copy_(torch.arange(n) % 300)
    inputs.writes.copy_(torch.arange(n))
    inputs.positions.copy_(torch.arange(n) % width)
    inputs.bases.copy_(torch.arange(batch) * width)
    inputs.mask[:, :, :width] |= torch.ones(width, width, dtype=torch.bool).tril()
    found = []
    for step in (static_step, torch.compile(static_step, backend="eager", fullgraph=True)):
        cos, sin, arena = rest(shape, "cpu")
        torch.manual_seed(1)
        cos.normal_()
        sin.normal_()
        found.append((step(weights, shape, cos, sin, arena, inputs), arena))
    (states, kept), (traced, kept_too) = found
    assert torch.equal(states, traced)
    assert torch.equal(kept, kept_too)
    assert states.abs().sum() > 0
