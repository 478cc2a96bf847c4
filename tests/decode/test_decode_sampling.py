"""Choosing under a mask: tables for temperature and top-p, sets of tokens, and verification that changes no law."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from copydesk.decode.sampling import Sampler, TokenSet, tempered
from finite import frequencies, total_variation

LAW = np.log([0.5, 0.3, 0.15, 0.05])


@pytest.mark.parametrize(
    ("temperature", "top_p", "expected"),
    [
        (1.0, 1.0, [0.5, 0.3, 0.15, 0.05]),
        (0.5, 1.0, [0.25 / 0.365, 0.09 / 0.365, 0.0225 / 0.365, 0.0025 / 0.365]),
        (1.0, 0.01, [1, 0, 0, 0]),
        (1.0, 0.5, [1, 0, 0, 0]),
        (1.0, 0.51, [0.625, 0.375, 0, 0]),
        (1.0, 0.79, [0.625, 0.375, 0, 0]),
        (1.0, 0.81, [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0]),
        (1.0, 0.9999, [0.5, 0.3, 0.15, 0.05]),
        (0.01, 1.0, [1, 0, 0, 0]),
        (1e6, 1.0, [0.25, 0.25, 0.25, 0.25]),
        # Temperature comes first: at 2 the law is flatter, so that more is kept.
        (2.0, 0.5, [0.5**0.5, 0.3**0.5, 0, 0]),
    ],
)
def test_tempered(temperature: float, top_p: float, expected: list[float]) -> None:
    law = np.array(expected) / sum(expected)
    np.testing.assert_allclose(tempered(LAW, temperature, top_p), law, atol=1e-6)


def test_tempered_keeps_impossible_choices_impossible() -> None:
    with np.errstate(divide="ignore"):
        p = tempered(np.log([0.0, 0.75, 0.25]), 3.0, 1.0)
    assert p[0] == 0
    assert p.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(20))
def test_token_sets_agree_with_numpy(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = 50
    logits = random.normal(size=size).astype(np.float32).round(1)  # rounded, so that some are equal
    allowed = np.sort(random.choice(size, random.integers(1, size + 1), replace=False))
    denied = np.setdiff1d(np.arange(size), allowed)
    masked = np.full(size, -np.inf)
    masked[allowed] = logits[allowed]
    law = masked - np.logaddexp.reduce(masked)
    tensor = torch.from_numpy(logits)
    for tokens in (TokenSet(allow=allowed), TokenSet(deny=denied)):
        assert tokens.argmax(tensor) == masked.argmax()
        log_p, ids = tokens.log_softmax(tensor)
        full = np.full(size, -np.inf)
        full[np.arange(size) if ids is None else ids] = log_p
        np.testing.assert_allclose(full, law, atol=1e-6)
        assert Sampler().token(tensor, tokens) == masked.argmax()
        assert Sampler(track=True).token(tensor, tokens) == masked.argmax()
        assert Sampler(1.0, 1.0, seed).token(tensor, tokens) in allowed


def test_single() -> None:
    assert TokenSet(allow=[3]).single == 3
    assert TokenSet(allow=[3, 4]).single is None
    assert TokenSet(deny=np.array([3])).single is None


def test_a_seed_is_the_only_randomness() -> None:
    logits = torch.randn(40, generator=torch.Generator().manual_seed(0))
    everything = TokenSet(deny=np.empty(0, np.int64))

    def draws(seed: int) -> list[int]:
        sampler = Sampler(1.0, 0.9, seed)
        return [sampler.token(logits, everything) for _ in range(30)]

    assert draws(1) == draws(1) != draws(2)


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.6, 1.0), (1.0, 0.7), (1.7, 0.9)])
@pytest.mark.parametrize("allow", [True, False])
def test_verification_is_lossless(temperature: float, top_p: float, allow: bool) -> None:
    """Whatever is proposed, the token written has the law of the masked target."""
    size, draws = 8, 4000
    logits = torch.randn(size, generator=torch.Generator().manual_seed(5)) * 1.5
    legal = np.array([0, 2, 3, 5, 6])
    tokens = TokenSet(allow=legal) if allow else TokenSet(deny=np.setdiff1d(np.arange(size), legal))
    p = tempered(torch.log_softmax(logits[legal].double(), 0).numpy(), temperature, top_p)
    law = np.zeros(size)
    law[legal] = p
    for drafted in legal.tolist():
        sampler = Sampler(temperature, top_p, seed=drafted)
        written = [sampler.verify(logits, tokens, drafted) for _ in range(draws)]
        assert total_variation(frequencies(written, size), law) < 0.03


def test_greedy_verification_is_argmax() -> None:
    logits = torch.tensor([0.1, 3.0, 2.0])
    tokens = TokenSet(allow=[0, 2])
    for drafted in (0, 2):
        assert Sampler().verify(logits, tokens, drafted) == 2


def test_log_likelihood_is_of_the_law_at_temperature_one() -> None:
    logits = torch.randn(6, generator=torch.Generator().manual_seed(1))
    tokens = TokenSet(allow=[0, 1, 4])
    law = torch.log_softmax(logits[[0, 1, 4]].double(), 0).tolist()
    for temperature in (0.0, 0.3, 1.0, 2.0):
        sampler = Sampler(temperature, 1.0, 3, track=True)
        total = 0.0
        for step in range(20):
            token = sampler.token(logits, tokens) if step % 2 else sampler.verify(logits, tokens, 4)
            total += law[[0, 1, 4].index(token)]
        assert sampler.log_likelihood == pytest.approx(total)
