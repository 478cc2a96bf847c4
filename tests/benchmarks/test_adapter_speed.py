"""The speed of training: what is timed is a real step, and the table says what was measured."""

from __future__ import annotations

import sys

import pytest
import torch

from copydesk_benchmarks.standalone import adapter_speed
from copydesk_benchmarks.standalone.adapter_speed import PAGE, SHAPES, packed, tokens_a_second


def test_a_row_is_a_page_and_requests_that_see_it_alone() -> None:
    segments = packed(PAGE + 100)
    mask = segments.mask[0, 0]
    page, first, second = PAGE - 1, PAGE + 63, PAGE + 64
    assert mask[first, page]
    assert mask[second, page]
    assert mask[first, PAGE]
    assert not mask[second, first]
    assert not mask[page, first]


def test_steps_are_counted_in_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    clip = torch.nn.utils.clip_grad_norm_

    def counted(parameters: object, most: float) -> torch.Tensor:
        norm = clip(parameters, most)  # type: ignore[arg-type]
        steps.append(float(norm))
        return norm

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", counted)
    assert tokens_a_second(SHAPES["tiny"], torch.device("cpu"), 3, 64) > 0
    assert len(steps) == 5
    assert all(norm > 0 for norm in steps)


def test_the_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(
        sys, "argv", ["adapter_speed", "--shape", "tiny", "--steps", "1", "--batch-tokens", "64"]
    )
    assert adapter_speed.main() == 0
    assert "| tiny | 64 |" in capsys.readouterr().out
