"""A short soak with the real engine: it fails for what is left over, not for time. `python -m copydesk_benchmarks server_soak` is
the long one."""

from __future__ import annotations

import asyncio

import pytest

from soaking import Size, soak


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_left_over() -> None:
    size = Size(documents=6, edits=1200, fixes=30, cancels=12, samples=2)
    report = asyncio.run(soak(size))
    assert report.faults == []
    assert report.answers["actions"] == size.fixes + size.cancels
    assert report.answers["edit"] > 0
    assert report.answers["-32800"] > 0
