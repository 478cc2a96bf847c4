"""The training model: what it computes is Qwen2, with and without native kernels, forward and backward."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from transformers import Qwen2Config, Qwen2ForCausalLM

from copydesk.models import native_build
from copydesk_training import kernels
from copydesk_training.fused import Places, _blocks, attend, attend_backward
from copydesk_training.kernels import Heads, HeadShape
from copydesk_training.loss import head_loss, reference_loss
from copydesk_training.model import SIZES, Config, TrainingModel, from_hf, hf_config, hf_tensors
from copydesk_training.segments import Segments

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


def grouped(
    batch: int = 3, page: int = 37, branches: int = 3, length: int = 11
) -> tuple[torch.Tensor, Segments]:
    """Rows of a page and branches, the pages of unequal length, and their segments."""
    total = page + branches * length
    x = ids(batch, total)
    own, shared = np.zeros((2, batch, total), np.int32)
    for row in range(batch):
        begin = page - 5 * row
        shared[row, begin:] = begin
        for k in range(branches):
            own[row, begin + k * length :] = begin + k * length
    return x, Segments.of(own, shared)


def nested(
    batch: int = 3, page: int = 37, requests: int = 2, request: int = 5, candidates: int = 3, length: int = 4
) -> tuple[torch.Tensor, Segments]:
    """Rows of a page, requests and behind each its candidates, the pages of unequal length, and their segments."""
    each = request + candidates * length
    total = page + requests * each
    parts = np.zeros((4, batch, total), np.int32)
    for row in range(batch):
        own, shared, parent, parent_end = parts[:, row]
        begin = page - 5 * row
        shared[begin:] = begin
        for k in range(requests):
            at = begin + k * each
            own[at:], parent[at:], parent_end[at:] = at, begin, begin
            for n in range(candidates):
                start = at + request + n * length
                own[start:], parent[start:], parent_end[start:] = start, at, at + request
    return ids(batch, total), Segments.of(*parts)


def apart(x: torch.Tensor, segments: Segments) -> list[tuple[torch.Tensor, list[tuple[int, int]]]]:
    """Each branch behind what it continues as a text of its own, and where its tokens are among those of `x`."""
    out = []
    for row in range(len(x)):
        own, shared, parent, parent_end = (part[row].tolist() for part in segments)
        for start in sorted(set(own) - {0}):
            places = [*range(shared[start]), *range(parent[start], parent_end[start])]
            places += [t for t in range(start, len(own)) if own[t] == start]
            out.append((x[row, places][None], [(row, t) for t in places]))
    return out


@pytest.mark.parametrize("made", [grouped, nested])
def test_branches_see_what_they_continue_and_themselves(
    made: Callable[[], tuple[torch.Tensor, Segments]],
) -> None:
    """A grouped row gives what its branches give apart: hidden states, and gradients with the page's loss counted once."""
    x, segments = made()
    together, single = model(), model()
    weight = torch.randn(*x.shape, TINY.hidden, generator=torch.Generator().manual_seed(2))
    hidden = together.hidden(x, segments)
    (hidden * weight).sum().backward()
    seen = set[tuple[int, int]]()
    total = torch.zeros(())
    for text, places in apart(x, segments):
        alone = single.hidden(text)[0]
        for at, (row, t) in enumerate(places):
            assert torch.allclose(alone[at], hidden[row, t], atol=2e-5)
            if (row, t) not in seen:
                total = total + (alone[at] * weight[row, t]).sum()
        seen.update(places)
    total.backward()
    assert len(seen) == x.numel()
    for (name, a), (_, b) in zip(together.named_parameters(), single.named_parameters(), strict=True):
        assert a.grad is not None
        assert b.grad is not None
        assert torch.allclose(a.grad, b.grad, atol=1e-4 * float(b.grad.abs().max())), name


def test_one_branch_is_one_text() -> None:
    x, segments = grouped(branches=1)
    made = model()
    assert torch.allclose(made.hidden(x), made.hidden(x, segments), atol=2e-5)
    mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    assert torch.equal(segments.mask, mask.expand(len(x), 1, -1, -1))


def test_weights_come_back_from_qwen2() -> None:
    own = model()
    state = from_hf(hf_tensors(own.state_dict(), TINY), TINY)
    assert state.keys() == own.state_dict().keys()
    assert all(torch.equal(state[name], tensor) for name, tensor in own.state_dict().items())


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


@pytest.mark.parametrize("length", [1, 61, 400, "few", "many", "nested", "many nested"])
def test_native_kernels_compute_the_same(native: kernels.Kernels, length: int | str) -> None:
    """Against fp32, the fused bf16 layer is as near as torch's own bf16 operators are; rows of one text or of branches."""
    exact, plain, fused = model(), model(torch.bfloat16), model(torch.bfloat16, native)
    exact.load_state_dict({name: tensor.float() for name, tensor in fused.state_dict().items()})
    plain.load_state_dict(fused.state_dict())
    assert fused.kernels is not None
    assert plain.kernels is None
    segments = None
    if isinstance(length, int):
        x = ids(2, length)
    else:  # with blocks of queries that see the page and, behind a gap, branches
        make = {
            "few": lambda: grouped(2),
            "many": lambda: grouped(2, 90, 9, 43),
            "nested": lambda: nested(2),
            "many nested": lambda: nested(2, 70, 4, 30, 5, 15),
        }
        x, segments = make[length]()
        assert ("many" not in length) or any(gap for _, gap in Places(segments).keys)
    target = torch.roll(x, 1, 0).flatten()
    losses, grads = [], []
    for each in (exact, plain, fused):
        loss = F.cross_entropy(each.logits(x, segments).flatten(0, 1).float(), target)
        loss.backward()
        losses.append(loss.item())
        grads.append({name: p.grad.float().flatten() for name, p in each.named_parameters()})
    assert losses[2] == pytest.approx(losses[0], abs=2 * abs(losses[1] - losses[0]) + 5e-3)
    for name, grad in grads[0].items():
        if grad.norm() < 1e-6:
            continue
        near, own = (F.cosine_similarity(g[name], grad, 0).item() for g in grads[1:])
        assert own > min(near, 0.9995) - 2e-3, name


def random_heads(batch: int, length: int, heads: int, kv_heads: int) -> tuple[HeadShape, Heads, torch.Tensor]:
    """Heads of width 64, queries scaled, and a gradient of what they attend to."""
    torch.manual_seed(0)
    shape = HeadShape(batch, length, heads, kv_heads, 64)
    query, grad = torch.randn(2, batch * kv_heads, length * heads // kv_heads, 64).bfloat16()
    return shape, Heads(query / 8, torch.randn(2, batch * kv_heads, length, 64).bfloat16()), grad


def reference_attention(
    shape: HeadShape, heads: Heads, grad: torch.Tensor, mask: torch.Tensor | None
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """torch's own, in fp32: the result and the gradients of queries and pairs, all as `Heads` has them."""
    B, T, H, K, D = shape

    def apart(rows: torch.Tensor) -> torch.Tensor:
        return shape.by_row(rows).view(B, T, H, D).transpose(1, 2)

    query, pairs = (part.float().requires_grad_() for part in heads)
    key, value = (part.view(B, K, T, D).repeat_interleave(H // K, 1) for part in pairs)
    out = F.scaled_dot_product_attention(
        apart(query), key, value, attn_mask=mask, is_causal=mask is None, scale=1.0
    )
    out.backward(apart(grad).float())
    assert query.grad is not None
    assert pairs.grad is not None
    return shape.by_head(out.transpose(1, 2).reshape(B * T, H * D)), [query.grad, pairs.grad]


@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (6, 2)])
def test_attention_in_blocks_is_attention(native: kernels.Kernels, heads: int, kv_heads: int) -> None:
    shape, by_head, grad = random_heads(1, 450, heads, kv_heads)
    assert len(_blocks(450)) == 3
    expected, gradients = reference_attention(shape, by_head, grad, None)
    out, kept = attend(native, by_head)
    assert (out.float() - expected).abs().max() < 0.03
    for found, wanted in zip(attend_backward(native, by_head, kept, grad), gradients, strict=True):
        assert F.cosine_similarity(found.float().flatten(), wanted.flatten(), 0) > 0.9999


@pytest.mark.parametrize(("heads", "kv_heads"), [(3, 3), (6, 2)])
def test_attention_leaves_out_what_nothing_sees(native: kernels.Kernels, heads: int, kv_heads: int) -> None:
    """Blocks that have keys cut out between the page and the requests that their queries continue give what all keys do."""
    _, segments = nested(2, 70, 4, 30, 5, 15)
    places, length = Places(segments), segments.own.shape[1]
    assert [gap > 0 for _, gap in places.keys] == [False, False, True]
    shape, by_head, grad = random_heads(2, length, heads, kv_heads)
    expected, gradients = reference_attention(shape, by_head, grad, segments.mask)
    out, kept = attend(native, by_head, places)
    assert (out.float() - expected).abs().max() < 0.03
    for (begin, end), (cut, gap), probability in zip(_blocks(length), places.keys, kept, strict=True):
        keys = [*range(cut), *range(cut + gap, end)]
        seen = segments.mask[:, :, begin:end, keys].expand(2, kv_heads, -1, -1).flatten(0, 1)
        assert torch.equal(probability > 0, seen.repeat_interleave(heads // kv_heads, 1))
    for found, wanted in zip(attend_backward(native, by_head, kept, grad, places), gradients, strict=True):
        assert F.cosine_similarity(found.float().flatten(), wanted.flatten(), 0) > 0.9999


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
    monkeypatch.setenv("PATH", "")
    assert kernels.load.__wrapped__() is None


def test_a_compiler_that_fails_is_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(native_build, "FLAGS", ("--no-such-flag",))
    monkeypatch.setattr(native_build, "user_cache_path", lambda name: tmp_path)
    assert kernels.load.__wrapped__() is None
