"""The training model: what it computes is Qwen2, with and without native kernels, forward and backward."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from transformers import Qwen2Config, Qwen2ForCausalLM

from copydesk.training import kernels
from copydesk.training.fused import _blocks, attend, attend_backward
from copydesk.training.loss import head_loss, reference_loss
from copydesk.training.model import SIZES, Config, TrainingModel, hf_config, hf_tensors

TINY = Config(vocab=320, hidden=128, layers=2, heads=2, inner=192, positions=512)


@pytest.fixture(scope="module")
def native() -> kernels.Kernels:
    found = kernels.load()
    if found is None:
        pytest.skip("no C++ compiler here: training runs on torch's own operators")
    return found


def model(dtype: torch.dtype = torch.float32, native: kernels.Kernels | None = None) -> TrainingModel:
    torch.manual_seed(0)
    made = TrainingModel(TINY, dtype=dtype, kernels=native)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn(parameter.shape).to(dtype) * 0.05)
    return made


def ids(batch: int = 3, length: int = 61) -> torch.Tensor:
    return torch.randint(0, TINY.vocab, (batch, length), generator=torch.Generator().manual_seed(1))


def test_it_is_qwen2() -> None:
    own = model()
    theirs = Qwen2ForCausalLM(Qwen2Config(**hf_config(TINY))).eval()
    missing = theirs.load_state_dict(hf_tensors(own.state_dict(), TINY), strict=False)
    assert missing.missing_keys == ["lm_head.weight"]
    assert not missing.unexpected_keys
    with torch.no_grad():
        assert torch.allclose(own.logits(ids()), theirs(ids()).logits, atol=2e-5)


def test_sizes_are_what_they_say() -> None:
    counts = {name: Config(vocab=8192, **size).matrix_parameters / 1e6 for name, size in SIZES.items()}
    assert {name: round(count, 1) for name, count in counts.items()} == {
        "xs": 0.9,
        "s": 3.8,
        "m": 10.2,
        "l": 24.4,
    }


@pytest.mark.parametrize("length", [1, 61, 400])
def test_native_kernels_compute_the_same(native: kernels.Kernels, length: int) -> None:
    """Against fp32, the fused bf16 layer is as near as torch's own bf16 operators are."""
    exact, plain, fused = model(), model(torch.bfloat16), model(torch.bfloat16, native)
    exact.load_state_dict({name: tensor.float() for name, tensor in fused.state_dict().items()})
    plain.load_state_dict(fused.state_dict())
    assert fused.kernels is not None
    assert plain.kernels is None
    x = ids(2, length)
    target = torch.roll(x, 1, 0).flatten()
    losses, grads = [], []
    for each in (exact, plain, fused):
        loss = F.cross_entropy(each.logits(x).flatten(0, 1).float(), target)
        loss.backward()
        losses.append(loss.item())
        grads.append({name: p.grad.float().flatten() for name, p in each.named_parameters()})
    assert losses[2] == pytest.approx(losses[0], abs=2 * abs(losses[1] - losses[0]) + 5e-3)
    for name, grad in grads[0].items():
        if grad.norm() < 1e-6:
            continue
        near, own = (F.cosine_similarity(g[name], grad, 0).item() for g in grads[1:])
        assert own > min(near, 0.9995) - 2e-3, name


def test_attention_in_blocks_is_attention(native: kernels.Kernels) -> None:
    torch.manual_seed(0)
    parts = torch.randn(3, 4, 450, 64).bfloat16()
    parts[0] /= 8
    grad = torch.randn(4, 450, 64).bfloat16()
    assert len(_blocks(450)) == 3
    wide = parts.float().requires_grad_()
    expected = F.scaled_dot_product_attention(*wide, is_causal=True, scale=1.0)
    expected.backward(grad.float())
    out, kept = attend(native, parts)
    back = attend_backward(native, parts, kept, grad)
    assert (out.float() - expected).abs().max() < 0.03
    assert wide.grad is not None
    assert F.cosine_similarity(back.float().flatten(), wide.grad.flatten(), 0) > 0.9999


@pytest.mark.parametrize("with_native", [False, True])
def test_the_loss_at_chosen_positions(native: kernels.Kernels, with_native: bool) -> None:
    torch.manual_seed(0)
    dtype = torch.bfloat16 if with_native else torch.float32
    hidden, table = torch.randn(1300, 64).to(dtype), torch.randn(333, 64).to(dtype)
    where = torch.randperm(1300)[:1100].sort().values
    target, coefficient = torch.randint(0, 333, (1100,)), torch.rand(1100) / 1100
    results = []
    for own in (False, True):
        h, e = hidden.clone().requires_grad_(), table.clone().requires_grad_()
        if own:
            loss, each = head_loss(h, e, where, target, coefficient, native if with_native else None)
            assert (each * coefficient).sum() == pytest.approx(loss.item(), rel=1e-5)
        else:
            loss = reference_loss(h, e, where, target, coefficient)
        loss.backward()
        results.append((loss.item(), h.grad.float(), e.grad.float()))
    (a, dh, de), (b, dh2, de2) = results
    assert a == pytest.approx(b, rel=1e-2 if with_native else 1e-5)
    for x, y in ((dh, dh2), (de, de2)):
        assert F.cosine_similarity(x.flatten(), y.flatten(), 0) > (0.999 if with_native else 0.999999)


def test_without_a_compiler_there_are_no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert kernels.load.__wrapped__() is None


def test_a_compiler_that_fails_is_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(kernels, "FLAGS", ("--no-such-flag",))
    monkeypatch.setattr(kernels, "user_cache_path", lambda name: tmp_path)
    assert kernels.load.__wrapped__() is None
